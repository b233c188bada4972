//! Pairs in order.

mod canonical;
mod divide;

pub(crate) use canonical::Ordered;
pub(crate) use divide::{Divisible, share_out};

use crate::lockfree::shared;
use crate::lockfree::sync::Ordering;
use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::{Pair, Pairs};

/// Codes that come sorted out of a bucket: few enough for the second-level cache, many enough that buckets are few, too.
const BUCKET: usize = 1024;
const MOST_BUCKETS: usize = 1024;
/// A bucket beyond this (of an object that meets thousands) is sorted by all workers.
const CROWDED: usize = 64 * BUCKET;
/// Parts per worker, to even out what they differ in.
const PARTS: usize = 4;

/// A run of the step's slices of pairs.
#[derive(Clone, Debug, Default)]
struct Part {
    first_slice: usize,
    slices: usize,
    /// How many pairs they hold.
    pairs: usize,
    /// How many of those have a code.
    codes: usize,
    /// One more than the largest index.
    objects: u32,
}

impl Part {
    fn read<'a>(&self, pairs: Pairs<'a>) -> impl Iterator<Item = Pair> + use<'a> {
        pairs.slices().skip(self.first_slice).take(self.slices).flatten().copied()
    }
}

/// Sorts the pairs of a step by a code: by its upper half into buckets, and then each bucket. Allocates nothing when steady.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sorter {
    parts: Vec<Part>,
    unsorted: Vec<u64>,
    /// By part, then by bucket: how many codes; then where the next one goes.
    places: Vec<usize>,
    /// How many codes, by bucket.
    buckets: Vec<usize>,
    sorted: Vec<u64>,
}

impl Sorter {
    /// Cuts the pairs into parts and returns how many objects they are about: one more than the largest index.
    pub(crate) fn survey(&mut self, pairs: Pairs<'_>, team: Team) -> u32 {
        let slices = pairs.slices().count();
        let parts = if team.workers() > 1 { slices.min(team.workers() * PARTS) } else { slices.min(1) };
        let slices_before = |part: usize| part * slices / parts;
        self.parts.clear();
        // How many slices there are depends on how the work was shared out, so there is room for the most.
        memory::reserve(&mut self.parts, team.workers() * PARTS);
        self.parts.extend((0..parts).map(|part| Part {
            first_slice: slices_before(part),
            slices: slices_before(part + 1) - slices_before(part),
            ..Part::default()
        }));
        share_out(&mut self.parts[..], team, &|part: &mut [Part]| {
            let part = &mut part[0];
            let (mut count, mut objects) = (0, 0);
            for pair in part.read(pairs) {
                count += 1;
                objects = objects.max(pair.b + 1);
            }
            (part.pairs, part.objects) = (count, objects);
        });
        self.parts.iter().map(|part| part.objects).max().unwrap_or(0)
    }

    /// The codes of the surveyed pairs, sorted. Pairs without a code are left out. No upper half of a code is more than `largest`.
    pub(crate) fn sort(
        &mut self,
        pairs: Pairs<'_>,
        largest: usize,
        code: &(impl Fn(Pair) -> Option<u64> + Sync),
        team: Team,
    ) -> &[u64] {
        let total = self.parts.iter().map(|part| part.pairs).sum();
        let (buckets, shift) = buckets(total, largest);
        // Grows to the most pairs of any step and is not cleared: every place that is read is written before.
        for codes in [&mut self.unsorted, &mut self.sorted] {
            memory::reserve_with_slack(codes, total);
            codes.resize(total.max(codes.len()), 0);
        }
        self.places.clear();
        memory::reserve(&mut self.places, team.workers() * PARTS * buckets);
        self.places.resize(self.parts.len() * buckets, 0);

        let work = Encoding { parts: &mut self.parts, codes: &mut self.unsorted, places: &mut self.places };
        share_out(work, team, &|Encoding { parts, codes, places }| {
            let part = &mut parts[0];
            let mut count = 0;
            for pair in part.read(pairs) {
                if let Some(code) = code(pair) {
                    places[(code >> shift) as usize] += 1;
                    codes[count] = code;
                    count += 1;
                }
            }
            part.codes = count;
        });

        let total = self.turn_counts_into_places(buckets);
        // In halves, because there are machines on which a plain 64-bit number is not aligned like an atomic one.
        let sorted = shared(bytemuck::cast_slice_mut::<u64, u32>(&mut self.sorted));
        let work = Encoding { parts: &mut self.parts, codes: &mut self.unsorted, places: &mut self.places };
        share_out(work, team, &|Encoding { parts, codes, places }| {
            for &code in &codes[..parts[0].codes] {
                let place = &mut places[(code >> shift) as usize];
                for (half, value) in sorted[2 * *place..][..2].iter().zip(bytemuck::cast::<u64, [u32; 2]>(code)) {
                    // Relaxed: every place is written once, and read after the join.
                    half.store(value, Ordering::Relaxed);
                }
                *place += 1;
            }
        });

        let work = Buckets { lens: &self.buckets, codes: &mut self.sorted };
        share_out(work, team, &|Buckets { lens, codes }| match &mut codes[..lens[0]] {
            crowd if crowd.len() > CROWDED => team.sort_unstable(crowd),
            bucket => bucket.sort_unstable(),
        });
        &self.sorted[..total]
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.unsorted.capacity() + self.sorted.capacity()) * size_of::<u64>()
            + (self.places.capacity() + self.buckets.capacity()) * size_of::<usize>()
            + self.parts.capacity() * size_of::<Part>()
    }

    /// Bucket after bucket, and within a bucket part after part. Returns how many codes there are.
    fn turn_counts_into_places(&mut self, buckets: usize) -> usize {
        self.buckets.clear();
        memory::reserve(&mut self.buckets, buckets);
        let mut next = 0;
        for bucket in 0..buckets {
            let first = next;
            for place in self.places.iter_mut().skip(bucket).step_by(buckets) {
                let count = std::mem::replace(place, next);
                next += count;
            }
            self.buckets.push(next - first);
        }
        next
    }
}

/// How many buckets, and how far to shift a code to find its own.
fn buckets(pairs: usize, largest: usize) -> (usize, u32) {
    let bits = usize::BITS - largest.leading_zeros();
    let bucket_bits = (pairs / BUCKET).clamp(1, MOST_BUCKETS).ilog2();
    let shift = bits.saturating_sub(bucket_bits);
    ((largest >> shift) + 1, 32 + shift)
}

/// A piece is a part, with the codes and the places that belong to it.
struct Encoding<'a> {
    parts: &'a mut [Part],
    codes: &'a mut [u64],
    places: &'a mut [usize],
}

impl Divisible for Encoding<'_> {
    fn pieces(&self) -> usize {
        self.parts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let buckets = self.places.len() / self.parts.len();
        let (parts, other_parts) = self.parts.split_at_mut(pieces);
        let (codes, other_codes) = self.codes.split_at_mut(parts.iter().map(|part| part.pairs).sum());
        let (places, other_places) = self.places.split_at_mut(pieces * buckets);
        (Encoding { parts, codes, places }, Encoding { parts: other_parts, codes: other_codes, places: other_places })
    }
}

/// A piece is a bucket, with its codes.
struct Buckets<'a> {
    lens: &'a [usize],
    codes: &'a mut [u64],
}

impl Divisible for Buckets<'_> {
    fn pieces(&self) -> usize {
        self.lens.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (lens, other_lens) = self.lens.split_at(pieces);
        let (codes, other_codes) = self.codes.split_at_mut(lens.iter().sum());
        (Buckets { lens, codes }, Buckets { lens: other_lens, codes: other_codes })
    }
}
