//! Grouping items by a small number, in parallel: a pass of the radix sort, and the buckets of cuckoo hashing.

use rayon::prelude::*;

use super::references::cut;

/// Bits per pass of the radix sort: the write positions of that many groups fit into the first-level cache.
const DIGIT: u32 = 11;

/// Copies the items to `out` so that those of group 0 come first, then those of group 1, and so on; within a group they keep
/// their order. Returns where each group begins, and the end of the last.
pub(super) fn partition<T: Copy + Send + Sync>(
    items: &[T],
    out: &mut [T],
    groups: usize,
    group: impl Fn(&T) -> usize + Sync,
) -> Vec<u32> {
    let part = items.len().div_ceil(rayon::current_num_threads()).max(1);
    let count = |part: &[T]| {
        let mut counts = vec![0_u32; groups];
        part.iter().for_each(|item| counts[group(item)] += 1);
        counts
    };
    let counts: Vec<Vec<u32>> = items.par_chunks(part).map(count).collect();

    // Within a group, each part of the items has a piece of its own to write to.
    let lengths = (0..groups).flat_map(|group| counts.iter().map(move |counts| counts[group] as usize));
    let mut pieces: Vec<Vec<&mut [T]>> = counts.iter().map(|_| Vec::with_capacity(groups)).collect();
    let mut starts = Vec::with_capacity(groups + 1);
    let mut start = 0;
    for (k, piece) in cut(out, lengths).into_iter().enumerate() {
        if k % counts.len() == 0 {
            starts.push(start);
        }
        start += piece.len() as u32;
        pieces[k % counts.len()].push(piece);
    }
    starts.resize(groups + 1, start);

    items.par_chunks(part).zip(pieces).for_each(|(part, mut pieces)| {
        for item in part {
            let piece = &mut pieces[group(item)];
            *piece.split_off_first_mut().expect("as many places as were counted") = *item;
        }
    });
    starts
}

/// Sorts by the bits in `low..high`, lowest digit first. The scratch space has the same length.
pub(super) fn radix_sort(items: &mut Vec<u64>, scratch: &mut Vec<u64>, low: u32, high: u32) {
    let passes = (high - low).div_ceil(DIGIT);
    for pass in 0..passes {
        let digit = (high - low).div_ceil(passes);
        let shift = low + pass * digit;
        partition(items, scratch, 1 << digit, |item| (item >> shift) as usize & ((1 << digit) - 1));
        std::mem::swap(items, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_standard_library() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for n in [0, 1, 2, 1000, 50_000] {
                let mut items: Vec<u64> = (0..n).map(|i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) << 32 | i).collect();
                let mut expected = items.clone();
                expected.sort();
                let mut scratch = vec![0; items.len()];
                pool.install(|| radix_sort(&mut items, &mut scratch, 32, 56));
                assert_eq!(items, expected, "{n} items, {threads} threads");
            }
        }
    }

    #[test]
    fn groups_begin_where_it_says() {
        let items = [3_u32, 0, 3, 1, 5, 0];
        let mut out = [0; 6];
        let starts = partition(&items, &mut out, 7, |item| *item as usize);
        assert_eq!(out, [0, 0, 1, 3, 3, 5]);
        assert_eq!(starts, [0, 2, 3, 3, 5, 5, 6, 6]);
    }
}
