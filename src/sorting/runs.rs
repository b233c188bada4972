//! Sorting runs: the few values of one row.
//!
//! Most rows have none to four values, and how many is unpredictable. So a short row takes a network of comparisons without a branch:
//! places behind its end count as larger than everything, and what they hold is overwritten by the next row.

use crate::pairs::code::Value;

/// The most values of a row for the smaller network, and for the larger one.
const SMALL: usize = 4;
const LARGE: usize = 8;

/// Values behind the end of a row that its network reads.
pub(super) const PADDING: usize = LARGE;

/// A consumer of sorted rows.
pub(super) trait Receive<V> {
    /// A row that begins at a place: some sorted values, of which `len` count. Rows come in order, so the receiver may write the others,
    /// too, as far as it has room. By value, because a row that went through memory would be loaded before its stores are complete.
    fn short<const N: usize>(&mut self, at: usize, values: [V; N], len: usize);

    /// A long row.
    fn long(&mut self, at: usize, values: &[V]);
}

/// Sorts each row of `values` and passes it on. `ends` are the ends of the rows; behind the last one are [`PADDING`] values more.
#[inline(always)]
pub(super) fn sort_rows<V: Value>(values: &mut [V], ends: &[u32], receiver: &mut impl Receive<V>) {
    let mut begin = 0;
    for &end in ends {
        let end = end as usize;
        let len = end - begin;
        let at = std::mem::replace(&mut begin, end);
        if len <= SMALL
            && let Some(row) = values[at..].first_chunk::<SMALL>().and_then(|row| V::padded(row, len))
        {
            receiver.short(at, small(row), len);
            continue;
        }
        if len <= LARGE
            && let Some(row) = values[at..].first_chunk::<LARGE>().and_then(|row| V::padded(row, len))
        {
            receiver.short(at, large(row), len);
            continue;
        }
        let row = &mut values[at..end];
        match len <= 2 * LARGE {
            true => insert(row),
            false => row.sort_unstable(),
        }
        receiver.long(at, row);
    }
}

#[inline(always)]
fn small<V: Ord + Copy>(mut row: [V; SMALL]) -> [V; SMALL] {
    for (one, other) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        exchange(&mut row, one, other);
    }
    row
}

#[inline(always)]
fn large<V: Ord + Copy>(mut row: [V; LARGE]) -> [V; LARGE] {
    for (one, other) in [(0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3)] {
        exchange(&mut row, one, other);
    }
    for (one, other) in [(4, 5), (6, 7), (2, 4), (3, 5), (1, 4), (3, 6), (1, 2), (3, 4), (5, 6)] {
        exchange(&mut row, one, other);
    }
    row
}

#[inline(always)]
fn exchange<V: Ord + Copy, const N: usize>(row: &mut [V; N], one: usize, other: usize) {
    (row[one], row[other]) = (row[one].min(row[other]), row[one].max(row[other]));
}

#[inline(always)]
fn insert<V: Ord + Copy>(row: &mut [V]) {
    for end in 1..row.len() {
        let value = row[end];
        let mut at = end;
        while at > 0 && value < row[at - 1] {
            row[at] = row[at - 1];
            at -= 1;
        }
        row[at] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Found<V>(Vec<V>);

    impl<V: Value> Receive<V> for Found<V> {
        fn short<const N: usize>(&mut self, at: usize, values: [V; N], len: usize) {
            assert!(len <= N);
            self.0[at..at + N].copy_from_slice(&values);
        }

        fn long(&mut self, at: usize, values: &[V]) {
            self.0[at..at + values.len()].copy_from_slice(values);
        }
    }

    fn check<V: Value + std::fmt::Debug>(value: impl Fn(u32) -> V) {
        let mut state = 1u32;
        let lens = [0usize, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 40, 0, 0, 4, 8, 3, 1];
        for _ in 0..200 {
            let total: usize = lens.iter().sum();
            let mut values: Vec<V> = (0..total + PADDING)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    value(if state.is_multiple_of(7) { u32::MAX } else { state >> 28 })
                })
                .collect();
            let ends: Vec<u32> = lens.iter().scan(0, |end, len| Some(*end + *len as u32).inspect(|next| *end = *next)).collect();
            let mut expected = values[..total].to_vec();
            let mut begin = 0;
            for len in lens {
                expected[begin..begin + len].sort_unstable();
                begin += len;
            }
            let mut found = Found(vec![V::zeroed(); total + LARGE]);
            sort_rows(&mut values, &ends, &mut found);
            assert_eq!(found.0[..total], expected);
        }
    }

    /// With the largest number among the values, because places behind a row's end count as that number.
    #[test]
    fn rows_of_every_length_are_sorted() {
        check::<u32>(|number| number);
        check::<u64>(|number| u64::from(number) << 32 | u64::from(number));
        check::<[u32; 6]>(|number| [number / 2, number, 0, 0, 1, 0]);
    }
}
