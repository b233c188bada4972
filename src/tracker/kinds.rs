//! The kinds of pairs, and the keys that identify a pair of each kind from step to step.

use std::marker::PhantomData;

use super::ranks::Ranks;
use crate::pairs::code::{Code, of_sortable, sortable};
use crate::{CrossPair, Pair, PeriodicCrossPair, PeriodicPair};

/// The bound of keys: any `Copy + Ord` type that threads may share.
pub trait Key: Copy + Ord + Send + Sync {}

impl<K: Copy + Ord + Send + Sync> Key for K {}

/// A kind of pairs: [`OneSet`], [`TwoSets`], [`InPeriods`] or [`TwoSetsInPeriods`]. It determines which pairs a [`Tracker`](crate::Tracker)
/// or a [`DataMap`](crate::DataMap) takes, and which keys identify them. Sealed.
pub trait PairKind: Tracked {}

/// Pairs of one set, by the keys of two objects, the smaller one first: `(K, K)`.
#[derive(Clone, Copy, Debug)]
pub struct OneSet<K>(PhantomData<K>);

/// Pairs of two sets, or of moving and static objects, by a key of each: `(A, B)`.
#[derive(Clone, Copy, Debug)]
pub struct TwoSets<A, B>(PhantomData<(A, B)>);

/// Pairs in a periodic domain, by two keys, the smaller one first, and the shift that takes the second object to the first one:
/// `(K, K, [i32; D])`.
#[derive(Clone, Copy, Debug)]
pub struct InPeriods<K, const D: usize>(PhantomData<K>);

/// Pairs of two sets, or of moving and static objects, in a periodic domain, by a key of each and the shift that takes the second object
/// to the first one: `(A, B, [i32; D])`.
#[derive(Clone, Copy, Debug)]
pub struct TwoSetsInPeriods<A, B, const D: usize>(PhantomData<(A, B)>);

impl<K: Key> PairKind for OneSet<K> {}
impl<A: Key, B: Key> PairKind for TwoSets<A, B> {}
impl<K: Key, const D: usize> PairKind for InPeriods<K, D> {}
impl<A: Key, B: Key, const D: usize> PairKind for TwoSetsInPeriods<A, B, D> {}

/// The parts of a kind that an update uses.
///
/// A pair becomes a code of the ranks of its two keys, because small numbers sort several times faster than keys do. Its last bit is 0
/// if the pair may start now, so that among equal pairs (of objects that share a key) one that may start comes first.
pub trait Tracked: Sized {
    /// A pair as a step returns it.
    type Indices: Copy + Send + Sync;
    /// A pair as it is remembered.
    type Keys: Key;
    /// A pair while it is sorted.
    type Code: Code;
    /// Keys as numbers, for each side.
    type Ranks: Default + Clone + Send + Sync;

    /// For each side, an upper bound of the pair's indices.
    fn indices(pair: Self::Indices) -> [u32; 2];

    /// The code of a pair; none if both objects have the same key, or if `may_start` returns `None`.
    fn code(pair: Self::Indices, ranks: &Self::Ranks, may_start: impl FnOnce() -> Option<bool>) -> Option<Self::Code>;

    /// The largest upper word that a code can have.
    fn largest(ranks: &Self::Ranks) -> usize;

    fn keys(code: Self::Code, ranks: &Self::Ranks) -> Self::Keys;

    fn may_start(code: Self::Code) -> bool;

    /// The code of the same pair if it may start.
    fn pair(code: Self::Code) -> Self::Code;

    /// Whether pairs of keys that had codes in the last update have the same ones now.
    fn are_stable(ranks: &Self::Ranks) -> bool;

    fn is_same_pair(one: Self::Code, other: Self::Code) -> bool;

    /// The keys of a pair in the order in which they are remembered; none if they are equal.
    fn in_order(keys: Self::Keys) -> Option<Self::Keys>;

    /// Memory held by the ranks, in bytes.
    fn bytes(ranks: &Self::Ranks) -> usize;
}

#[inline(always)]
fn pack(upper: u32, lower: u32, may_start: bool) -> u64 {
    u64::from(upper) << 32 | u64::from(lower) << 1 | u64::from(!may_start)
}

/// Two ranks, the shift, and whether the pair may start.
#[inline(always)]
fn pack_shifted<const D: usize>(first: u32, second: u32, shift: [i32; D], may_start: bool) -> [u32; 6] {
    let mut code = [first, second, 0, 0, 0, u32::from(!may_start)];
    (0..D).for_each(|axis| code[2 + axis] = sortable(shift[axis]));
    code
}

#[inline(always)]
fn shift_of<const D: usize>(code: [u32; 6]) -> [i32; D] {
    std::array::from_fn(|axis| of_sortable(code[2 + axis]))
}

impl<K: Key> Tracked for OneSet<K> {
    type Indices = Pair;
    type Keys = (K, K);
    type Code = u64;
    type Ranks = Ranks<K>;

    #[inline(always)]
    fn indices(pair: Pair) -> [u32; 2] {
        [pair.b, 0]
    }

    #[inline(always)]
    fn code(pair: Pair, ranks: &Ranks<K>, may_start: impl FnOnce() -> Option<bool>) -> Option<u64> {
        let (a, b) = (ranks.rank(pair.a), ranks.rank(pair.b));
        if a == b { None } else { may_start().map(|may_start| pack(a.min(b), a.max(b), may_start)) }
    }

    fn largest(ranks: &Ranks<K>) -> usize {
        ranks.keys().len().saturating_sub(1)
    }

    #[inline(always)]
    fn keys(code: u64, ranks: &Ranks<K>) -> (K, K) {
        (ranks.keys()[(code >> 32) as usize], ranks.keys()[(code as u32 >> 1) as usize])
    }

    #[inline(always)]
    fn may_start(code: u64) -> bool {
        code & 1 == 0
    }

    #[inline(always)]
    fn pair(code: u64) -> u64 {
        code & !1
    }

    fn are_stable(ranks: &Self::Ranks) -> bool {
        ranks.is_stable()
    }

    #[inline(always)]
    fn is_same_pair(one: u64, other: u64) -> bool {
        one >> 1 == other >> 1
    }

    fn bytes(ranks: &Ranks<K>) -> usize {
        ranks.bytes()
    }

    fn in_order((a, b): (K, K)) -> Option<(K, K)> {
        (a != b).then(|| (a.min(b), a.max(b)))
    }
}

impl<A: Key, B: Key> Tracked for TwoSets<A, B> {
    type Indices = CrossPair;
    type Keys = (A, B);
    type Code = u64;
    type Ranks = (Ranks<A>, Ranks<B>);

    #[inline(always)]
    fn indices(pair: CrossPair) -> [u32; 2] {
        [pair.first, pair.second]
    }

    #[inline(always)]
    fn code(pair: CrossPair, ranks: &Self::Ranks, may_start: impl FnOnce() -> Option<bool>) -> Option<u64> {
        may_start().map(|may_start| pack(ranks.0.rank(pair.first), ranks.1.rank(pair.second), may_start))
    }

    fn largest(ranks: &Self::Ranks) -> usize {
        ranks.0.keys().len().saturating_sub(1)
    }

    #[inline(always)]
    fn keys(code: u64, ranks: &Self::Ranks) -> (A, B) {
        (ranks.0.keys()[(code >> 32) as usize], ranks.1.keys()[(code as u32 >> 1) as usize])
    }

    #[inline(always)]
    fn may_start(code: u64) -> bool {
        code & 1 == 0
    }

    #[inline(always)]
    fn pair(code: u64) -> u64 {
        code & !1
    }

    fn are_stable(ranks: &Self::Ranks) -> bool {
        ranks.0.is_stable() && ranks.1.is_stable()
    }

    #[inline(always)]
    fn is_same_pair(one: u64, other: u64) -> bool {
        one >> 1 == other >> 1
    }

    fn bytes(ranks: &Self::Ranks) -> usize {
        ranks.0.bytes() + ranks.1.bytes()
    }

    fn in_order(keys: (A, B)) -> Option<(A, B)> {
        Some(keys)
    }
}

impl<K: Key, const D: usize> Tracked for InPeriods<K, D> {
    type Indices = PeriodicPair<D>;
    type Keys = (K, K, [i32; D]);
    type Code = [u32; 6];
    type Ranks = Ranks<K>;

    #[inline(always)]
    fn indices(pair: PeriodicPair<D>) -> [u32; 2] {
        [pair.b, 0]
    }

    #[inline(always)]
    fn code(pair: PeriodicPair<D>, ranks: &Ranks<K>, may_start: impl FnOnce() -> Option<bool>) -> Option<[u32; 6]> {
        let (a, b) = (ranks.rank(pair.a), ranks.rank(pair.b));
        if a == b {
            return None;
        }
        // Moving one object up is the same as moving the other one down.
        let shift = if a < b { pair.shift } else { pair.shift.map(i32::wrapping_neg) };
        may_start().map(|may_start| pack_shifted(a.min(b), a.max(b), shift, may_start))
    }

    fn largest(ranks: &Ranks<K>) -> usize {
        ranks.keys().len().saturating_sub(1)
    }

    #[inline(always)]
    fn keys(code: [u32; 6], ranks: &Ranks<K>) -> (K, K, [i32; D]) {
        let key = |rank: u32| ranks.keys()[rank as usize];
        (key(code[0]), key(code[1]), shift_of(code))
    }

    #[inline(always)]
    fn may_start(code: [u32; 6]) -> bool {
        code[5] == 0
    }

    #[inline(always)]
    fn pair([a, b, x, y, z, _]: [u32; 6]) -> [u32; 6] {
        [a, b, x, y, z, 0]
    }

    fn are_stable(ranks: &Ranks<K>) -> bool {
        ranks.is_stable()
    }

    #[inline(always)]
    fn is_same_pair(one: [u32; 6], other: [u32; 6]) -> bool {
        one[..5] == other[..5]
    }

    fn bytes(ranks: &Ranks<K>) -> usize {
        ranks.bytes()
    }

    fn in_order((a, b, shift): (K, K, [i32; D])) -> Option<(K, K, [i32; D])> {
        (a != b).then(|| if a < b { (a, b, shift) } else { (b, a, shift.map(i32::wrapping_neg)) })
    }
}

impl<A: Key, B: Key, const D: usize> Tracked for TwoSetsInPeriods<A, B, D> {
    type Indices = PeriodicCrossPair<D>;
    type Keys = (A, B, [i32; D]);
    type Code = [u32; 6];
    type Ranks = (Ranks<A>, Ranks<B>);

    #[inline(always)]
    fn indices(pair: PeriodicCrossPair<D>) -> [u32; 2] {
        [pair.first, pair.second]
    }

    #[inline(always)]
    fn code(pair: PeriodicCrossPair<D>, ranks: &Self::Ranks, may_start: impl FnOnce() -> Option<bool>) -> Option<[u32; 6]> {
        let (first, second) = (ranks.0.rank(pair.first), ranks.1.rank(pair.second));
        may_start().map(|may_start| pack_shifted(first, second, pair.shift, may_start))
    }

    fn largest(ranks: &Self::Ranks) -> usize {
        TwoSets::largest(ranks)
    }

    #[inline(always)]
    fn keys(code: [u32; 6], ranks: &Self::Ranks) -> (A, B, [i32; D]) {
        (ranks.0.keys()[code[0] as usize], ranks.1.keys()[code[1] as usize], shift_of(code))
    }

    #[inline(always)]
    fn may_start(code: [u32; 6]) -> bool {
        InPeriods::<A, D>::may_start(code)
    }

    #[inline(always)]
    fn pair(code: [u32; 6]) -> [u32; 6] {
        InPeriods::<A, D>::pair(code)
    }

    fn are_stable(ranks: &Self::Ranks) -> bool {
        TwoSets::are_stable(ranks)
    }

    #[inline(always)]
    fn is_same_pair(one: [u32; 6], other: [u32; 6]) -> bool {
        InPeriods::<A, D>::is_same_pair(one, other)
    }

    fn bytes(ranks: &Self::Ranks) -> usize {
        TwoSets::bytes(ranks)
    }

    fn in_order(keys: (A, B, [i32; D])) -> Option<(A, B, [i32; D])> {
        Some(keys)
    }
}
