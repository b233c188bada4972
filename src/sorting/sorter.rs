//! Sorting pairs by codes.

use super::buckets::{Buckets, Division, Output};
use super::crowd::{CROWDED, Crowd};
use super::parts::{self, Part};
use super::{Divisible, share_out};
use crate::lockfree::shared;
use crate::lockfree::sync::Ordering;
use crate::pairs::code::Code;
use crate::pairs::source::Stored;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// Sorts the pairs of a step by a code: by its upper word into buckets, and then each bucket. Allocates nothing when steady.
#[derive(Clone, Debug)]
pub(crate) struct Sorter<C> {
    parts: Vec<Part>,
    /// Codes part by part, and later sorted.
    codes: Vec<C>,
    /// Codes bucket by bucket.
    spread: Vec<C>,
    /// By part, then by bucket: how many codes; then where the next one goes.
    places: Vec<usize>,
    /// How many codes, by bucket.
    lens: Vec<usize>,
    crowd: Crowd<C>,
}

impl<C> Default for Sorter<C> {
    fn default() -> Self {
        Sorter {
            parts: Vec::new(),
            codes: Vec::new(),
            spread: Vec::new(),
            places: Vec::new(),
            lens: Vec::new(),
            crowd: Crowd::default(),
        }
    }
}

impl<C: Code> Sorter<C> {
    /// One more than the largest of the indices that a pair has, by side.
    pub(crate) fn survey<S: Stored>(
        &mut self,
        source: &S,
        indices: &(impl Fn(S::Pair) -> [u32; 2] + Sync),
        team: Team,
    ) -> [u32; 2] {
        parts::cut(&mut self.parts, source, team);
        parts::survey(&mut self.parts, source, indices, team)
    }

    /// The codes of the pairs, sorted: up to `N` of each. No upper word of a code is more than `largest`. Room for the output is for
    /// `make_output` to find, when it is known how many codes there are.
    pub(crate) fn sort<S: Stored, const N: usize, O: Output<C>>(
        &mut self,
        source: &S,
        largest: usize,
        code: &(impl Fn(S::Pair) -> [Option<C>; N] + Sync),
        make_output: impl FnOnce(usize) -> O,
        team: Team,
    ) -> &[C] {
        parts::cut(&mut self.parts, source, team);
        let most = N * self.parts.iter().map(|part| part.pairs).sum::<usize>();
        let division = Division::new(most, largest);
        // Grows to the most pairs of any step and is not cleared: every place that is read is written before.
        for codes in [&mut self.codes, &mut self.spread] {
            memory::reserve_with_slack(codes, most);
            codes.resize(most.max(codes.len()), C::zeroed());
        }
        self.places.clear();
        memory::reserve(&mut self.places, parts::most_parts(team) * division.buckets);
        self.places.resize(self.parts.len() * division.buckets, 0);

        let work = Encoding { parts: &mut self.parts, codes: &mut self.codes, places: &mut self.places, per_pair: N };
        share_out(work, team, &|Encoding { parts, codes, places, .. }| {
            let part = &mut parts[0];
            let mut count = 0;
            part.read(source, |pair| {
                for code in code(pair).into_iter().flatten() {
                    places[division.bucket(code)] += 1;
                    codes[count] = code;
                    count += 1;
                }
            });
            part.codes = count;
        });
        let total = turn_counts_into_places(&mut self.places, &mut self.lens, division.buckets);
        let output = make_output(total);
        self.spread(division, N, team);
        self.finish(division, output, team);
        &self.codes[..total]
    }

    /// Puts each code into its bucket.
    fn spread(&mut self, division: Division, per_pair: usize, team: Team) {
        // Word by word, because atomics of this size need not exist, or need not be aligned alike.
        let words = size_of::<C>() / size_of::<u32>();
        let spread = shared(bytemuck::cast_slice_mut::<C, u32>(&mut self.spread));
        let work = Encoding { parts: &mut self.parts, codes: &mut self.codes, places: &mut self.places, per_pair };
        share_out(work, team, &|Encoding { parts, codes, places, .. }| {
            for code in &codes[..parts[0].codes] {
                let place = &mut places[division.bucket(*code)];
                let slots = &spread[words * *place..][..words];
                for (slot, word) in slots.iter().zip(bytemuck::cast_slice(std::slice::from_ref(code))) {
                    // Relaxed: every place is written once, and read after the join.
                    slot.store(*word, Ordering::Relaxed);
                }
                *place += 1;
            }
        });
    }

    /// Sorts the buckets.
    fn finish<O: Output<C>>(&mut self, division: Division, output: O, team: Team) {
        let is_crowd = |len: usize| len > CROWDED && team.workers() > 1;
        let mut begin = 0;
        for &len in &self.lens {
            if is_crowd(len) {
                let range = begin..begin + len;
                self.crowd.sort(&mut self.spread[range.clone()], &mut self.codes[range], team);
            }
            begin += len;
        }
        let (from, to) = (&mut self.spread[..], &mut self.codes[..]);
        let work = Buckets { lens: &self.lens, from, to, output, first: 0, division };
        share_out(work, team, &|bucket| bucket.finish(is_crowd));
    }

    /// What so many codes take at most.
    pub(crate) fn bytes_for(codes: usize) -> usize {
        memory::with_slack(codes).saturating_mul(2 * size_of::<C>())
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.codes.capacity() + self.spread.capacity()) * size_of::<C>()
            + (self.places.capacity() + self.lens.capacity()) * size_of::<usize>()
            + self.parts.capacity() * size_of::<Part>()
            + self.crowd.bytes()
    }
}

/// From counts by part and bucket to places: bucket after bucket, and within a bucket part after part. Returns how many codes there are.
pub(super) fn turn_counts_into_places(places: &mut [usize], lens: &mut Vec<usize>, buckets: usize) -> usize {
    lens.clear();
    memory::reserve(lens, buckets);
    let mut next = 0;
    for bucket in 0..buckets {
        let first = next;
        for place in places.iter_mut().skip(bucket).step_by(buckets) {
            next += std::mem::replace(place, next);
        }
        lens.push(next - first);
    }
    next
}

/// A piece is a part, with the codes and the places that belong to it.
struct Encoding<'a, C> {
    parts: &'a mut [Part],
    codes: &'a mut [C],
    places: &'a mut [usize],
    per_pair: usize,
}

impl<C: Send> Divisible for Encoding<'_, C> {
    fn pieces(&self) -> usize {
        self.parts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let Encoding { parts, codes, places, per_pair } = self;
        let buckets = places.len() / parts.len();
        let (parts, other_parts) = parts.split_at_mut(pieces);
        let (codes, other_codes) = codes.split_at_mut(per_pair * parts.iter().map(|part| part.pairs).sum::<usize>());
        let (places, other_places) = places.split_at_mut(pieces * buckets);
        (
            Encoding { parts, codes, places, per_pair },
            Encoding { parts: other_parts, codes: other_codes, places: other_places, per_pair },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pair, Pairs};

    fn sorted<C: Code, const N: usize>(
        blocks: &[Vec<Pair>],
        largest: usize,
        threads: usize,
        code: impl Fn(Pair) -> [Option<C>; N] + Sync,
    ) -> Vec<C> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        let source = Pairs::<Pair>::new(blocks, &[]);
        let mut sorter = Sorter::default();
        pool.install(|| sorter.sort(&source, largest, &code, drop, Team::of_current_pool()).to_vec())
    }

    #[test]
    fn codes_are_sorted_however_they_are_distributed() {
        let mut state = 3u64;
        let mut next = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        // Even, within few rows, one row that has nearly all, rows without end, equal ones.
        for (count, rows, hub) in
            [(0, 1, false), (1, 9, false), (5000, 60_000, false), (90_000, 20_000, false), (200_000, 300, true)]
        {
            let pairs: Vec<Pair> = (0..count)
                .map(|_| match hub && next(10) > 0 {
                    true => Pair { a: 77, b: next(1 << 30) },
                    false => Pair { a: next(rows), b: next(1000) },
                })
                .collect();
            let blocks: Vec<Vec<Pair>> = pairs.chunks(4096).map(<[_]>::to_vec).collect();
            for threads in [1, 3] {
                let code = |pair: Pair| u64::from(pair.a) << 32 | u64::from(pair.b);
                let mut expected: Vec<u64> = pairs.iter().map(|&pair| code(pair)).collect();
                expected.sort_unstable();
                assert!(sorted(&blocks, rows as usize, threads, |pair| [Some(code(pair))]) == expected);
                let wide = |pair: Pair| [[pair.a, 5, pair.b, 0, pair.b % 3, 1], [pair.a / 2, pair.b % 7, 0, 0, 0, 0]];
                let mut expected: Vec<[u32; 6]> = pairs.iter().flat_map(|&pair| wide(pair)).collect();
                expected.sort_unstable();
                assert!(sorted(&blocks, rows as usize, threads, |pair| wide(pair).map(Some)) == expected);
                let odd = |pair: Pair| [(pair.b % 2 == 1).then_some(code(pair))];
                let mut expected: Vec<u64> = pairs.iter().filter_map(|&pair| odd(pair)[0]).collect();
                expected.sort_unstable();
                assert!(sorted(&blocks, rows as usize, threads, odd) == expected);
            }
        }
    }
}
