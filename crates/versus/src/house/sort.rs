//! Sorting of keys that carry an index in their lowest bits.

/// Bits per pass of the radix sort: 2048 counters stay in the first-level cache.
const DIGIT: u32 = 11;
/// Below this, a merge is not worth sharing.
const MERGE_ALONE: usize = 8 * 1024;

/// Sorts `items` by their bits in `low..high`; equal ones keep their order. The scratch space must have the same length.
pub(crate) fn sort(items: &mut [u64], scratch: &mut [u64], low: u32, high: u32, threads: usize) {
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
