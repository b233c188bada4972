//! Two sets of pairs, compared without sorting them.

use pivotgrid::Pair;

/// The same for the same set of pairs in any order, and hardly ever for another one. Digests of parts add up, wrapping around.
pub(crate) fn digest(pairs: impl Iterator<Item = Pair>) -> u64 {
    pairs.map(scrambled).fold(0, u64::wrapping_add)
}

/// The finalizer of splitmix64.
pub(crate) fn scrambled(pair: Pair) -> u64 {
    let mut x = (u64::from(pair.a) << 32) | u64::from(pair.b);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_matter_and_the_pairs_do() {
        let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }, Pair { a: 1, b: 2 }];
        let all = digest(pairs.into_iter());
        assert_eq!(all, digest(pairs.into_iter().rev()));
        assert_eq!(all, digest(pairs[..1].iter().copied()).wrapping_add(digest(pairs[1..].iter().copied())));
        assert_ne!(all, digest([pairs[0], pairs[1], pairs[1]].into_iter()));
    }
}
