//! Pairs as sorted numbers.

use std::ops::Range;

use super::ranks::Ranks;
use crate::Pair;

/// A pair of ranks, the smaller one first, as one number. The last bit is 0 if the pair may start now, so that among equal pairs
/// (of objects that share a key) one that may start comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(u64);

/// The last bit leaves 31 for the larger rank.
pub(super) const MAX_RANKS: usize = 1 << 31;

impl Code {
    #[inline(always)]
    fn new(i: u32, j: u32, may_start: bool) -> Self {
        Code(u64::from(i.min(j)) << 32 | u64::from(i.max(j)) << 1 | u64::from(!may_start))
    }

    #[inline(always)]
    pub(super) fn may_start(self) -> bool {
        self.0 & 1 == 0
    }

    #[inline(always)]
    pub(super) fn is_same_pair(self, other: Code) -> bool {
        self.0 >> 1 == other.0 >> 1
    }

    /// The code of a pair of indices, unless both have the same key.
    #[inline(always)]
    pub(super) fn of<K: Copy + Ord + Send + Sync>(
        pair: Pair,
        ranks: &Ranks<K>,
        may_start: impl FnOnce(Pair) -> bool,
    ) -> Option<u64> {
        let (a, b) = (ranks.rank(pair.a), ranks.rank(pair.b));
        (a != b).then(|| Code::new(a, b, may_start(pair)).0)
    }

    /// The keys of the pair.
    #[inline(always)]
    pub(super) fn keys<K: Copy>(self, by_rank: &[K]) -> (K, K) {
        (by_rank[(self.0 >> 32) as usize], by_rank[(self.0 as u32 >> 1) as usize])
    }
}

/// Sorted, equal pairs next to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortedCodes<'a>(pub(super) &'a [u64]);

impl<'a> SortedCodes<'a> {
    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub(super) fn get(self, at: usize) -> Option<Code> {
        self.0.get(at).copied().map(Code)
    }

    /// The first place from here on that is not in the midst of equal pairs.
    pub(super) fn begin_of_pair(self, from: usize) -> usize {
        let is_in_midst = |at: usize| match (at.checked_sub(1).and_then(|before| self.get(before)), self.get(at)) {
            (Some(before), Some(here)) => before.is_same_pair(here),
            _ => false,
        };
        (from..).find(|&at| !is_in_midst(at)).unwrap_or(from)
    }

    pub(super) fn range(self, range: Range<usize>) -> impl Iterator<Item = Code> + 'a {
        self.0[range].iter().copied().map(Code)
    }
}
