//! Sorting two arrays at once, in place.

/// Rows up to this long are sorted by inserting, longer ones by a heap.
const SHORT: usize = 24;

/// Sorts a row by its indices and then by what is beside them. Neither allocates nor recurses.
pub(super) fn sort_row<T: Copy + PartialOrd>(indices: &mut [u32], beside: &mut [T]) {
    if indices.len() <= SHORT {
        for end in 1..indices.len() {
            let (index, value) = (indices[end], beside[end]);
            let mut at = end;
            while at > 0 && (index, value) < (indices[at - 1], beside[at - 1]) {
                (indices[at], beside[at]) = (indices[at - 1], beside[at - 1]);
                at -= 1;
            }
            (indices[at], beside[at]) = (index, value);
        }
        return;
    }
    let len = indices.len();
    for root in (0..len / 2).rev() {
        sift_down(indices, beside, root, len);
    }
    for end in (1..len).rev() {
        indices.swap(0, end);
        beside.swap(0, end);
        sift_down(indices, beside, 0, end);
    }
}

/// Moves an element down the heap until it is not less than those below.
fn sift_down<T: Copy + PartialOrd>(indices: &mut [u32], beside: &mut [T], mut root: usize, end: usize) {
    let key = |indices: &[u32], beside: &[T], at: usize| (indices[at], beside[at]);
    while 2 * root + 1 < end {
        let mut child = 2 * root + 1;
        if child + 1 < end && key(indices, beside, child) < key(indices, beside, child + 1) {
            child += 1;
        }
        if key(indices, beside, root) >= key(indices, beside, child) {
            return;
        }
        indices.swap(root, child);
        beside.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_length() {
        let mut state = 7u32;
        for len in 0..200 {
            let mut pairs: Vec<(u32, [i8; 2])> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                    (state >> 28, [(state >> 20) as i8 % 3, (state >> 10) as i8 % 3])
                })
                .collect();
            let (mut indices, mut beside): (Vec<u32>, Vec<[i8; 2]>) = pairs.iter().copied().unzip();
            sort_row(&mut indices, &mut beside);
            pairs.sort_unstable();
            assert!(indices.into_iter().zip(beside).eq(pairs), "length {len}");
        }
    }
}
