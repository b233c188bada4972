//! Sorting each bucket, in the cache.

use std::marker::PhantomData;

use super::Divisible;
use super::runs::{PADDING, Receive, sort_rows};
use crate::pairs::code::{Code, Value};
use crate::runtime::memory;

/// Codes of a bucket: few enough for the cache, many enough that buckets are few, too.
const BUCKET: usize = 4096;
const MOST_BUCKETS: usize = 1024;
/// Buckets per worker, to even out their differences; fewer if buckets would become smaller than [`SMALL_BUCKET`].
const BUCKETS_PER_WORKER: usize = 8;
const SMALL_BUCKET: usize = 512;
/// Values of the upper word, in one bucket, that are counted one by one: as many counters as the second cache holds.
const MOST_COUNTED: usize = 1 << 16;

/// Which bucket a code belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) buckets: usize,
    shift: u32,
}

impl Division {
    /// The division for `codes` codes, whose upper words are at most `largest`, and `workers` workers.
    pub(super) fn new(codes: usize, largest: usize, workers: usize) -> Self {
        let bits = usize::BITS - largest.leading_zeros();
        // For few codes, more buckets, so that all workers get some.
        let shared = if workers > 1 { (workers * BUCKETS_PER_WORKER).min(codes / SMALL_BUCKET) } else { 1 };
        let bucket_bits = (codes / BUCKET).max(shared).clamp(1, MOST_BUCKETS).ilog2();
        let shift = bits.saturating_sub(bucket_bits);
        Division { buckets: (largest >> shift) + 1, shift }
    }

    #[inline(always)]
    pub(super) fn bucket(self, code: impl Code) -> usize {
        (code.upper() >> self.shift) as usize
    }

    /// The same for a code whose upper word may be too large; then it is any bucket.
    #[inline(always)]
    pub(super) fn some_bucket(self, code: impl Code) -> usize {
        self.bucket(code).min(self.buckets - 1)
    }

    /// How many values of the upper word a bucket has.
    pub(super) fn width(self) -> usize {
        1 << self.shift
    }

    /// Whether a bucket of `codes` codes is sorted by counting its upper words.
    fn counts(self, codes: usize) -> bool {
        self.width() <= MOST_COUNTED && self.width() <= 8 * codes
    }

    /// How many counters that takes, by the codes of the largest bucket.
    fn counters(self, codes: usize) -> usize {
        if self.counts(codes) { self.width() } else { 0 }
    }
}

/// A consumer of the sorted codes, bucket by bucket, each as soon as it is sorted.
pub(crate) trait Output<C>: Send + Sized {
    /// The rest of a code whose upper word is known. Sorts as the codes of one upper word do.
    type Value: Value;

    fn value(code: C) -> Self::Value;

    /// The output of the first codes, whose upper words are less than `end`, and that of the rest.
    fn divide(self, codes: usize, end: usize) -> (Self, Self);

    /// Records where the codes of each upper word begin, from the bucket's first upper word on.
    fn begin_rows(&mut self, begins: &[u32]);

    /// The same for codes that are sorted already.
    fn begin_rows_of(&mut self, codes: &[C]);

    /// Writes sorted values from a place on. The first `len` count. Others may be written if there is room, because later values overwrite
    /// them.
    fn store<const N: usize>(&mut self, at: usize, values: [Self::Value; N], len: usize);
}

/// Writes what `of` makes of values from a place on: all of them if there is room, which takes no branch, and else the first `len`.
#[inline(always)]
pub(crate) fn store<V: Copy, T, const N: usize>(to: &mut [T], at: usize, values: [V; N], len: usize, of: impl Fn(V) -> T) {
    match to[at..].first_chunk_mut::<N>() {
        Some(to) => (0..N).for_each(|place| to[place] = of(values[place])),
        None => to[at..at + len].iter_mut().zip(values).for_each(|(to, value)| *to = of(value)),
    }
}

/// An output that takes rows.
struct Rows<'o, C, O>(&'o mut O, PhantomData<fn() -> C>);

impl<C, O: Output<C>> Receive<O::Value> for Rows<'_, C, O> {
    #[inline(always)]
    fn short<const N: usize>(&mut self, at: usize, values: [O::Value; N], len: usize) {
        self.0.store(at, values, len);
    }

    #[inline(always)]
    fn long(&mut self, at: usize, values: &[O::Value]) {
        values.iter().enumerate().for_each(|(place, value)| self.0.store(at + place, [*value], 1));
    }
}

/// Sorted codes as they are.
pub(super) struct Plain<'a, C>(pub(super) &'a mut [C]);

impl<C: Code> Output<C> for Plain<'_, C> {
    type Value = C;

    #[inline(always)]
    fn value(code: C) -> C {
        code
    }

    fn divide(self, codes: usize, _: usize) -> (Self, Self) {
        let (these, others) = self.0.split_at_mut(codes);
        (Plain(these), Plain(others))
    }

    fn begin_rows(&mut self, _: &[u32]) {}

    fn begin_rows_of(&mut self, _: &[C]) {}

    #[inline(always)]
    fn store<const N: usize>(&mut self, at: usize, values: [C; N], len: usize) {
        store(self.0, at, values, len, |code| code);
    }
}

/// A worker's room for one bucket.
#[derive(Clone, Debug)]
pub(super) struct Scratch<C, V> {
    counters: Vec<u32>,
    values: Vec<V>,
    codes: Vec<C>,
}

impl<C, V> Default for Scratch<C, V> {
    fn default() -> Self {
        Scratch { counters: Vec::new(), values: Vec::new(), codes: Vec::new() }
    }
}

impl<C: Code, V: Value> Scratch<C, V> {
    /// Room for buckets of up to `codes` codes.
    pub(super) fn reserve(&mut self, codes: usize, division: Division) {
        let counters = division.counters(codes);
        memory::reserve_with_slack(&mut self.counters, counters);
        self.counters.resize(counters.max(self.counters.len()), 0);
        if counters > 0 {
            memory::reserve_with_slack(&mut self.values, codes + PADDING);
            self.values.resize((codes + PADDING).max(self.values.len()), V::zeroed());
        }
        // Even if the largest bucket is counted, smaller ones may not be.
        let uncounted = codes.min(if counters > 0 { division.width() / 8 } else { codes });
        memory::reserve_with_slack(&mut self.codes, uncounted);
    }

    pub(super) fn bytes(&self) -> usize {
        self.counters.capacity() * size_of::<u32>()
            + self.values.capacity() * size_of::<V>()
            + self.codes.capacity() * size_of::<C>()
    }

    /// Sorts the codes of a bucket, which lie in several pieces, into its output.
    pub(super) fn sort<'c, O: Output<C, Value = V>>(
        &mut self,
        pieces: impl Iterator<Item = &'c [C]> + Clone,
        len: usize,
        first: usize,
        division: Division,
        mut output: O,
    ) where
        C: 'c,
    {
        if !division.counts(len) {
            self.codes.clear();
            pieces.for_each(|piece| self.codes.extend_from_slice(piece));
            self.codes.sort_unstable();
            return write_sorted(&self.codes, output);
        }
        let base = first * division.width();
        let places = &mut self.counters[..division.width()];
        places.fill(0);
        for piece in pieces.clone() {
            piece.iter().for_each(|code| places[code.upper() as usize - base] += 1);
        }
        let mut begin = 0;
        for place in places.iter_mut() {
            begin += std::mem::replace(place, begin);
        }
        output.begin_rows(places);
        // From the start of each row to its end.
        let values = &mut self.values[..];
        for piece in pieces {
            for &code in piece {
                let place = &mut places[code.upper() as usize - base];
                values[*place as usize] = O::value(code);
                *place += 1;
            }
        }
        sort_rows(values, places, &mut Rows(&mut output, PhantomData));
    }
}

/// Writes the output of codes that are sorted.
pub(super) fn write_sorted<C: Code, O: Output<C>>(codes: &[C], mut output: O) {
    output.begin_rows_of(codes);
    codes.iter().enumerate().for_each(|(at, code)| output.store(at, [O::value(*code)], 1));
}

/// Buckets with their outputs. A piece is a bucket.
pub(super) struct Buckets<'a, C, O> {
    pub(super) lens: &'a [usize],
    pub(super) output: O,
    /// The number of the first bucket.
    pub(super) first: usize,
    pub(super) division: Division,
    pub(super) codes: PhantomData<fn() -> C>,
}

impl<C, O: Output<C>> Divisible for Buckets<'_, C, O> {
    fn pieces(&self) -> usize {
        self.lens.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let Buckets { lens, output, first, division, codes } = self;
        let (lens, other_lens) = lens.split_at(pieces);
        let (output, other_output) = output.divide(lens.iter().sum(), (first + pieces) * division.width());
        (
            Buckets { lens, output, first, division, codes },
            Buckets { lens: other_lens, output: other_output, first: first + pieces, division, codes },
        )
    }
}
