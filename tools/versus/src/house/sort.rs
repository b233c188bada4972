//! Boxes in the order of a key: sorting of keys that carry an index in their lowest bits.

use rayon::prelude::*;

use crate::Bounds;

/// Boxes per parallel task before the sort.
const TASK: usize = 16 * 1024;
/// Bits per pass of the radix sort: 2048 counters stay in the first-level cache.
const DIGIT: u32 = 11;
/// Below this, a merge is not worth sharing.
const MERGE_ALONE: usize = 8 * 1024;

/// The order of boxes by a key; its memory is kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Key above, index below.
    items: Vec<u64>,
    scratch: Vec<u64>,
    index_bits: u32,
}

impl Order {
    /// How many bits are left for keys beside the indices of `n` boxes.
    pub(crate) fn most_key_bits(n: usize) -> u32 {
        (n as u64).leading_zeros()
    }

    /// Puts the boxes into the order of their keys, which have `key_bits` at most.
    pub(crate) fn sort<const D: usize>(
        &mut self,
        boxes: &[Bounds<D>],
        key_bits: u32,
        key: impl Fn(&Bounds<D>) -> u64 + Sync,
        threads: usize,
    ) {
        let n = boxes.len();
        let index_bits = u64::BITS - Self::most_key_bits(n);
        self.index_bits = index_bits;
        self.items.resize(n, 0);
        self.scratch.resize(n, 0);
        let task = if threads == 1 { n.max(1) } else { TASK };
        let number = |(part, (items, boxes)): (usize, (&mut [u64], &[Bounds<D>]))| {
            for (k, (item, bounds)) in items.iter_mut().zip(boxes).enumerate() {
                *item = key(bounds) << index_bits | (part * task + k) as u64;
            }
        };
        if threads == 1 {
            self.items.chunks_mut(task).zip(boxes.chunks(task)).enumerate().for_each(number);
        } else {
            self.items.par_chunks_mut(task).zip(boxes.par_chunks(task)).enumerate().for_each(number);
        }
        sort(&mut self.items, &mut self.scratch, index_bits, index_bits + key_bits, threads);
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The key of the box at place `k`.
    #[inline(always)]
    pub(crate) fn key(&self, k: usize) -> u64 {
        self.items[k] >> self.index_bits
    }

    /// The index of the box at place `k`.
    #[inline(always)]
    pub(crate) fn index(&self, k: usize) -> u32 {
        (self.items[k] & ((1 << self.index_bits) - 1)) as u32
    }

    /// The first place whose key is at least `target`.
    pub(crate) fn place(&self, target: u64) -> usize {
        self.items.partition_point(|item| item >> self.index_bits < target)
    }
}

/// Sorts `items` by their bits in `low..high`; equal ones keep their order. The scratch space must have the same length.
fn sort(items: &mut [u64], scratch: &mut [u64], low: u32, high: u32, threads: usize) {
    if threads == 1 {
        return radix(items, scratch, low, high);
    }
    let middle = items.len() / 2;
    {
        let ((left, right), (left_scratch, right_scratch)) = (items.split_at_mut(middle), scratch.split_at_mut(middle));
        let half = threads / 2;
        rayon::join(|| sort(left, left_scratch, low, high, threads - half), || sort(right, right_scratch, low, high, half));
        // Whole items differ in their index, so their order is the order of keys with ties as they were.
        merge(left, right, scratch);
    }
    items.copy_from_slice(scratch);
}

fn radix(items: &mut [u64], scratch: &mut [u64], low: u32, high: u32) {
    let passes = (high - low).div_ceil(DIGIT).max(1);
    let digit = (high - low).div_ceil(passes);
    let (mut from, mut to) = (items, scratch);
    for pass in 0..passes {
        let shift = low + pass * digit;
        let bucket = |item: u64| (item >> shift) as usize & ((1 << digit) - 1);
        let mut starts = [0_u32; 1 << DIGIT];
        for &item in from.iter() {
            starts[bucket(item)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &item in from.iter() {
            let place = &mut starts[bucket(item)];
            to[*place as usize] = item;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 1 {
        // The sorted items are in the scratch space, which is called `from` now.
        to.copy_from_slice(from);
    }
}

fn merge(a: &[u64], b: &[u64], out: &mut [u64]) {
    if a.len() < b.len() {
        return merge(b, a, out);
    }
    if out.len() > MERGE_ALONE {
        let a_half = a.len() / 2;
        let b_part = b.partition_point(|item| *item < a[a_half]);
        let (out_low, out_high) = out.split_at_mut(a_half + b_part);
        rayon::join(|| merge(&a[..a_half], &b[..b_part], out_low), || merge(&a[a_half..], &b[b_part..], out_high));
        return;
    }
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    for place in out {
        let from_b = match (a.peek(), b.peek()) {
            (Some(a), Some(b)) => b < a,
            (a, _) => a.is_none(),
        };
        *place = if from_b { b.next() } else { a.next() }.expect("as many items as places");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library() {
        for (n, threads) in [(0, 1), (1, 2), (1000, 1), (50_000, 1), (50_000, 2), (50_000, 3)] {
            let key = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            let mut items: Vec<u64> = (0..n).map(|i| key(i) << 20 | i).collect();
            let mut expected = items.clone();
            expected.sort();
            let mut scratch = vec![0; items.len()];
            sort(&mut items, &mut scratch, 20, 44, threads);
            assert_eq!(items, expected, "{n} items, {threads} threads");
        }
    }
}
