//! Sorting each bucket, in the cache.

use super::Divisible;
use crate::pairs::code::Code;

/// Codes of a bucket: few enough for the cache, many enough that buckets are few, too.
const BUCKET: usize = 1024;
const MOST_BUCKETS: usize = 1024;
/// Values of the upper word, in one bucket, that are counted one by one. The counters are on the stack.
const MOST_COUNTED: usize = 4096;
/// Codes with one upper word that are sorted by inserting.
const SHORT: usize = 16;

/// Which bucket a code belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) buckets: usize,
    shift: u32,
}

impl Division {
    /// For so many codes, none of which has a larger upper word than `largest`.
    pub(super) fn new(codes: usize, largest: usize) -> Self {
        let bits = usize::BITS - largest.leading_zeros();
        let bucket_bits = (codes / BUCKET).clamp(1, MOST_BUCKETS).ilog2();
        let shift = bits.saturating_sub(bucket_bits);
        Division { buckets: (largest >> shift) + 1, shift }
    }

    #[inline(always)]
    pub(super) fn bucket(self, code: impl Code) -> usize {
        (code.upper() >> self.shift) as usize
    }

    /// How many values of the upper word a bucket has.
    pub(super) fn width(self) -> usize {
        1 << self.shift
    }
}

/// What becomes of the sorted codes, bucket by bucket and each as soon as it is sorted.
pub(crate) trait Output<C>: Send + Sized {
    /// The output of the first so many codes, whose upper words are less than `end`, and that of the rest.
    fn divide(self, codes: usize, end: usize) -> (Self, Self);

    /// Writes the output of one bucket.
    fn write(self, codes: &[C]);
}

/// Nothing but the codes themselves.
impl<C> Output<C> for () {
    fn divide(self, _: usize, _: usize) -> (Self, Self) {
        ((), ())
    }

    fn write(self, _: &[C]) {}
}

/// Buckets on their way from where they were spread to where they are sorted. A piece is a bucket.
pub(super) struct Buckets<'a, C, O> {
    pub(super) lens: &'a [usize],
    pub(super) from: &'a mut [C],
    pub(super) to: &'a mut [C],
    pub(super) output: O,
    /// The number of the first bucket.
    pub(super) first: usize,
    pub(super) division: Division,
}

impl<C: Code, O: Output<C>> Buckets<'_, C, O> {
    /// Sorts one bucket, unless it is already where it belongs, and writes it.
    pub(super) fn finish(self, is_sorted: impl Fn(usize) -> bool) {
        let len = self.lens[0];
        let (from, to) = (&mut self.from[..len], &mut self.to[..len]);
        if !is_sorted(len) {
            sort(from, to, self.first * self.division.width(), self.division.width());
        }
        self.output.write(to);
    }
}

impl<C: Code, O: Output<C>> Divisible for Buckets<'_, C, O> {
    fn pieces(&self) -> usize {
        self.lens.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let Buckets { lens, from, to, output, first, division } = self;
        let (lens, other_lens) = lens.split_at(pieces);
        let codes = lens.iter().sum();
        let (from, other_from) = from.split_at_mut(codes);
        let (to, other_to) = to.split_at_mut(codes);
        let (output, other_output) = output.divide(codes, (first + pieces) * division.width());
        (
            Buckets { lens, from, to, output, first, division },
            Buckets { lens: other_lens, from: other_from, to: other_to, output: other_output, first: first + pieces, division },
        )
    }
}

/// Sorts codes, with upper words in `base..base + width`, into `to`: first by the upper words, which are counted, and then
/// those with the same one.
fn sort<C: Code>(from: &[C], to: &mut [C], base: usize, width: usize) {
    if width > MOST_COUNTED || width > 8 * from.len() {
        to.copy_from_slice(from);
        return to.sort_unstable();
    }
    let mut counters = [0u32; MOST_COUNTED];
    let ends = &mut counters[..width];
    from.iter().for_each(|code| ends[code.upper() as usize - base] += 1);
    let mut end = 0;
    for place in ends.iter_mut() {
        end += std::mem::replace(place, end);
    }
    // From the begin of each run to its end.
    for &code in from {
        let place = &mut ends[code.upper() as usize - base];
        to[*place as usize] = code;
        *place += 1;
    }
    let mut begin = 0;
    for &end in ends.iter() {
        sort_run(&mut to[begin..end as usize]);
        begin = end as usize;
    }
}

#[inline(always)]
fn sort_run<C: Code>(run: &mut [C]) {
    if run.len() > SHORT {
        return run.sort_unstable();
    }
    for end in 1..run.len() {
        let code = run[end];
        let mut at = end;
        while at > 0 && code < run[at - 1] {
            run[at] = run[at - 1];
            at -= 1;
        }
        run[at] = code;
    }
}
