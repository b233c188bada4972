//! Sorting pairs by codes.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::buckets::{Buckets, Division, Output, Plain, Scratch, write_sorted};
use super::crowd::{CROWDED, Crowd};
use super::parts::{self, SourcePart};
use super::{Divisible, share_out, share_out_with};
use crate::pairs::code::{Code, Value};
use crate::pairs::source::Stored;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// Sorts the pairs of a step by a code: by its upper word into buckets, and then each bucket. Two passes. In the first, each part of the
/// pairs is brought into the order of the buckets, in memory of its own. In the second, each bucket is collected from all parts. `V` is the
/// rest of a code whose upper word is known. Allocates nothing when steady.
#[derive(Clone, Debug)]
pub(crate) struct Sorter<C, V = C> {
    parts: Vec<SourcePart>,
    /// Codes part by part, within a part bucket by bucket.
    spread: Vec<C>,
    /// By part, then by bucket: how many codes; later, where they end.
    ends: Vec<usize>,
    /// How many codes, by bucket.
    lens: Vec<usize>,
    /// By worker.
    scratch: Vec<Scratch<C, V>>,
    crowd: Crowd<C>,
    /// Codes as they come, and later sorted, where the codes themselves are the output.
    codes: Vec<C>,
}

impl<C, V> Default for Sorter<C, V> {
    fn default() -> Self {
        Sorter {
            parts: Vec::new(),
            spread: Vec::new(),
            ends: Vec::new(),
            lens: Vec::new(),
            scratch: Vec::new(),
            crowd: Crowd::default(),
            codes: Vec::new(),
        }
    }
}

impl<C: Code> Sorter<C> {
    /// The codes of the pairs, sorted; pairs without a code are left out. `code` is called once per pair. No upper word of a code is more
    /// than `largest`.
    pub(crate) fn sort_codes<S: Stored>(
        &mut self,
        source: &S,
        largest: usize,
        code: &(impl Fn(S::Pair) -> Option<C> + Sync),
        team: Team,
    ) -> &[C] {
        let (division, most) = self.begin::<S, 1>(source, largest, team);
        grow(&mut self.codes, most);
        let work = Spreading { parts: &self.parts, spread: &mut self.spread, ends: &mut self.ends, staged: &mut self.codes };
        share_out(work, team, &|Spreading { parts, spread, ends, staged }| {
            // Copies on the stack, which no write can change.
            let (part, division) = (parts[0], division);
            let mut count = 0;
            part.read(source, |pair| {
                if let Some(code) = code(pair) {
                    ends[division.bucket(code)] += 1;
                    staged[count] = code;
                    count += 1;
                }
            });
            turn_counts_into_begins(ends);
            staged[..count].iter().for_each(|code| place(*code, spread, ends, division));
        });
        let total = self.count_buckets(division);
        let mut codes = std::mem::take(&mut self.codes);
        self.finish(division, Plain(&mut codes[..total]), team);
        self.codes = codes;
        &self.codes[..total]
    }
}

impl<C: Code, V: Value> Sorter<C, V> {
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

    /// Sorts the codes of the pairs, `N` of each, into an output. `code` is called twice per pair. `largest` is a guess of the largest
    /// upper word of a code, or more; a guess that is too small costs another pass. `make_output` makes room for the output; it gets the
    /// number of codes and the largest upper word. Both are returned, too.
    pub(crate) fn sort<S: Stored, const N: usize, O: Output<C, Value = V>>(
        &mut self,
        source: &S,
        mut largest: usize,
        code: &(impl Fn(S::Pair) -> [C; N] + Sync),
        make_output: impl FnOnce(usize, usize) -> O,
        team: Team,
    ) -> (usize, usize) {
        let (division, total, found) = loop {
            let (division, total) = self.begin::<S, N>(source, largest, team);
            let found = self.spread::<S, N>(source, division, largest, code, team);
            if found <= largest {
                break (division, total, found);
            }
            largest = found;
        };
        let output = make_output(total, found);
        self.count_buckets(division);
        self.finish(division, output, team);
        (total, found)
    }

    /// Brings each part's codes into the order of the buckets, unless an upper word is more than `largest`. Returns the largest one.
    fn spread<S: Stored, const N: usize>(
        &mut self,
        source: &S,
        division: Division,
        largest: usize,
        code: &(impl Fn(S::Pair) -> [C; N] + Sync),
        team: Team,
    ) -> usize {
        // Relaxed: read after the join.
        let found = AtomicUsize::new(0);
        let work = Spreading { parts: &self.parts, spread: &mut self.spread, ends: &mut self.ends, staged: &mut [] };
        share_out(work, team, &|Spreading { parts, spread, ends, .. }| {
            // Copies on the stack, which no write can change.
            let (part, division) = (parts[0], division);
            let mut most = 0;
            part.read(source, |pair| {
                code(pair).into_iter().for_each(|code| {
                    ends[division.some_bucket(code)] += 1;
                    most = most.max(code.upper());
                });
            });
            found.fetch_max(most as usize, Ordering::Relaxed);
            if most as usize <= largest {
                turn_counts_into_begins(ends);
                part.read(source, |pair| code(pair).into_iter().for_each(|code| place(code, spread, ends, division)));
            }
        });
        found.into_inner()
    }

    /// Cuts the pairs into parts and makes room for `N` codes of each pair. Returns how many that are.
    fn begin<S: Stored, const N: usize>(&mut self, source: &S, largest: usize, team: Team) -> (Division, usize) {
        parts::cut(&mut self.parts, source, team);
        self.parts.iter_mut().for_each(|part| part.room = N * part.pairs);
        let most = self.parts.iter().map(|part| part.room).sum();
        let division = Division::new(most, largest, team.workers());
        grow(&mut self.spread, most);
        self.ends.clear();
        memory::reserve(&mut self.ends, parts::most_parts(team) * division.buckets);
        self.ends.resize(self.parts.len() * division.buckets, 0);
        (division, most)
    }

    /// How many codes each bucket has, and all of them.
    fn count_buckets(&mut self, division: Division) -> usize {
        self.lens.clear();
        memory::reserve(&mut self.lens, division.buckets);
        self.lens.resize(division.buckets, 0);
        for ends in self.ends.chunks_exact(division.buckets) {
            let mut begin = 0;
            for (len, &end) in self.lens.iter_mut().zip(ends) {
                *len += end - std::mem::replace(&mut begin, end);
            }
        }
        self.lens.iter().sum()
    }

    /// Sorts the buckets into the output.
    fn finish<O: Output<C, Value = V>>(&mut self, division: Division, output: O, team: Team) {
        let Sorter { parts, spread, ends, lens, scratch, crowd, .. } = self;
        let (parts, spread, ends) = (&parts[..], &spread[..], &ends[..]);
        // Where the codes of a bucket lie.
        let pieces_of = |bucket: usize| {
            let firsts = parts.iter().scan(0, |next, part| Some(std::mem::replace(next, *next + part.room)));
            firsts.zip(ends.chunks_exact(division.buckets)).map(move |(first, ends)| {
                let begin = if bucket == 0 { 0 } else { ends[bucket - 1] };
                &spread[first + begin..first + ends[bucket]]
            })
        };
        let is_crowd = |len: usize| len > CROWDED && team.workers() > 1;
        let largest = lens.iter().copied().filter(|&len| !is_crowd(len)).max().unwrap_or(0);
        memory::reserve(scratch, team.workers().saturating_sub(scratch.len()));
        scratch.resize_with(team.workers().max(scratch.len()), Scratch::default);
        scratch[..team.workers()].iter_mut().for_each(|scratch| scratch.reserve(largest, division));
        crowd.clear();
        for (bucket, &len) in lens.iter().enumerate() {
            if is_crowd(len) {
                crowd.sort(bucket, pieces_of(bucket), len, team);
            }
        }
        let crowd = &*crowd;
        let work = Buckets { lens, output, first: 0, division, codes: PhantomData };
        share_out_with(
            work,
            team,
            &mut scratch[..team.workers()],
            &|Buckets { lens, output, first, .. }, scratch| match is_crowd(lens[0]) {
                true => write_sorted(crowd.sorted(first), output),
                false => scratch.sort(pieces_of(first), lens[0], first, division, output),
            },
        );
    }

    /// The most bytes that `codes` codes take, without the output.
    pub(crate) fn bytes_for(codes: usize) -> usize {
        memory::with_slack(codes).saturating_mul(size_of::<C>())
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.codes.capacity() + self.spread.capacity()) * size_of::<C>()
            + (self.ends.capacity() + self.lens.capacity()) * size_of::<usize>()
            + self.parts.capacity() * size_of::<SourcePart>()
            + self.scratch.iter().map(Scratch::bytes).sum::<usize>()
            + self.scratch.capacity() * size_of::<Scratch<C, V>>()
            + self.crowd.bytes()
    }
}

/// Grows to the most codes of any step and is not cleared: every place that is read is written before.
fn grow<C: Code>(codes: &mut Vec<C>, most: usize) {
    memory::reserve_with_slack(codes, most);
    codes.resize(most.max(codes.len()), C::zeroed());
}

/// Puts a code into its bucket.
#[inline(always)]
fn place<C: Code>(code: C, spread: &mut [C], places: &mut [usize], division: Division) {
    let place = &mut places[division.bucket(code)];
    spread[*place] = code;
    *place += 1;
}

/// From counts to where each bucket begins. When all codes are placed, these are the ends.
fn turn_counts_into_begins(counts: &mut [usize]) {
    let mut begin = 0;
    for count in counts {
        begin += std::mem::replace(count, begin);
    }
}

/// A piece is a part, with the memory that belongs to it.
struct Spreading<'a, C> {
    parts: &'a [SourcePart],
    spread: &'a mut [C],
    ends: &'a mut [usize],
    /// Empty if it is not needed.
    staged: &'a mut [C],
}

impl<C: Send> Divisible for Spreading<'_, C> {
    fn pieces(&self) -> usize {
        self.parts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let Spreading { parts, spread, ends, staged } = self;
        let buckets = ends.len() / parts.len();
        let (parts, other_parts) = parts.split_at(pieces);
        let codes = parts.iter().map(|part| part.room).sum();
        let (spread, other_spread) = spread.split_at_mut(codes);
        let (staged, other_staged) = staged.split_at_mut(codes.min(staged.len()));
        let (ends, other_ends) = ends.split_at_mut(pieces * buckets);
        (
            Spreading { parts, spread, ends, staged },
            Spreading { parts: other_parts, spread: other_spread, ends: other_ends, staged: other_staged },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pair, Pairs};

    fn run<R: Send>(threads: usize, work: impl FnOnce(Team) -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| work(Team::of_current_pool()))
    }

    /// Some codes of each pair.
    fn sorted<C: Code>(blocks: &[Vec<Pair>], largest: usize, threads: usize, code: impl Fn(Pair) -> Option<C> + Sync) -> Vec<C> {
        run(threads, |team| Sorter::default().sort_codes(&Pairs::<Pair>::new(blocks, &[]), largest, &code, team).to_vec())
    }

    /// Several codes of each pair.
    fn sorted_into<C: Code, const N: usize>(
        blocks: &[Vec<Pair>],
        largest: usize,
        threads: usize,
        code: impl Fn(Pair) -> [C; N] + Sync,
    ) -> Vec<C> {
        let mut codes = Vec::new();
        let into = &mut codes;
        run(threads, |team| {
            let source = Pairs::<Pair>::new(blocks, &[]);
            let mut sorter = Sorter::default();
            sorter.sort(
                &source,
                largest,
                &code,
                |total, _| {
                    into.resize(total, C::zeroed());
                    Plain(&mut into[..])
                },
                team,
            );
        });
        codes
    }

    #[test]
    fn codes_are_sorted_however_they_are_distributed() {
        let mut state = 3u64;
        let mut next = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        // Evenly spread, within few rows, nearly all in one row, very long rows, equal codes.
        for (count, rows, hub) in [
            (0, 1, false),
            (1, 9, false),
            (5000, 60_000, false),
            (90_000, 20_000, false),
            (90_000, 1 << 30, false),
            (200_000, 300, true),
        ] {
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
                assert!(sorted(&blocks, rows as usize, threads, |pair| Some(code(pair))) == expected);
                assert!(sorted_into(&blocks, rows as usize, threads, |pair| [code(pair)]) == expected);
                assert!(sorted_into(&blocks, 0, threads, |pair| [code(pair)]) == expected, "a wrong guess");
                let wide = |pair: Pair| [[pair.a, 5, pair.b, 0, pair.b % 3, 1], [pair.a / 2, pair.b % 7, 0, 0, 0, 0]];
                let mut expected: Vec<[u32; 6]> = pairs.iter().flat_map(|&pair| wide(pair)).collect();
                expected.sort_unstable();
                assert!(sorted_into(&blocks, rows as usize, threads, wide) == expected);
                let odd = |pair: Pair| (pair.b % 2 == 1).then_some(code(pair));
                let mut expected: Vec<u64> = pairs.iter().filter_map(|&pair| odd(pair)).collect();
                expected.sort_unstable();
                assert!(sorted(&blocks, rows as usize, threads, odd) == expected);
            }
        }
    }
}
