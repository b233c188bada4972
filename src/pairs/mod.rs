//! The result of a step: pairs.

pub(crate) mod code;
#[allow(unsafe_code)]
mod plain;

use std::iter::{Copied, FlatMap, FusedIterator};
use std::marker::PhantomData;
use std::slice;

use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::Rejected;
use code::Sortable;

/// Two objects whose boxes overlap, by index, `a < b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pair {
    /// The smaller index.
    pub a: u32,
    /// The larger index.
    pub b: u32,
}

impl Pair {
    /// The pair of two different indices, in either order.
    #[inline]
    pub fn new(i: u32, j: u32) -> Self {
        Pair { a: i.min(j), b: i.max(j) }
    }
}

/// Two objects of two sets whose boxes overlap: an index into the first set and an index into the second.
///
/// A type of its own, because both indices of a [`Pair`] belong to the same set.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, CrossPair};
///
/// let triggers = [Aabb::new([0.0, 0.0], [2.0, 2.0])];
/// let bodies = [Aabb::new([5.0, 0.0], [6.0, 1.0]), Aabb::new([1.0, 1.0], [3.0, 3.0])];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let pairs = broad_phase.over(&triggers).against(&bodies).pairs();
/// assert_eq!(pairs.sorted(), [CrossPair { first: 0, second: 1 }]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct CrossPair {
    /// The index in the first set, or of the moving object.
    pub first: u32,
    /// The index in the second set, or of the static object.
    pub second: u32,
}

/// What [`Pairs`] holds: [`Pair`]s of one set, or [`CrossPair`]s of two. Sealed.
pub trait AnyPair: sealed::Stored {}

impl AnyPair for Pair {}
impl AnyPair for CrossPair {}

mod sealed {
    use super::{CrossPair, Pair};

    /// Pairs that the engine stores as two indices.
    pub trait Stored: bytemuck::Pod + super::Sortable + Ord {}

    impl Stored for Pair {}
    impl Stored for CrossPair {}
}

/// The pairs of a step, of any kind: [`Pairs`] of one set or of two, or [`PeriodicPairs`](crate::PeriodicPairs). Sealed.
pub trait PairSource: source::Stored {}

impl<P: AnyPair> PairSource for Pairs<'_, P> {}

pub(crate) mod source {
    use crate::Pair;

    /// Pairs in blocks, as two numbers each, and the meaning of these numbers.
    pub trait Stored: Copy + Send + Sync {
        /// Pairs as the user sees them.
        type Pair: Copy + Ord + Send + Sync;

        /// The blocks. Some may be empty.
        fn blocks(&self) -> &[Vec<Pair>];

        /// The meaning of a stored pair.
        fn meaning(&self, stored: Pair) -> Self::Pair;
    }

    impl<P: super::AnyPair> Stored for super::Pairs<'_, P> {
        type Pair = P;

        fn blocks(&self) -> &[Vec<Pair>] {
            self.buffers
        }

        #[inline(always)]
        fn meaning(&self, stored: Pair) -> P {
            bytemuck::cast(stored)
        }
    }
}

/// The pairs of one step, borrowed from the engine until the next: each overlapping pair once, in no particular order.
///
/// These are [`Pair`]s of one set, or [`CrossPair`]s of two.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair};
/// use rayon::prelude::*;
///
/// let boxes: Vec<_> = (0..1000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let pairs = broad_phase.par_detect(&boxes);
///
/// assert_eq!(pairs.len(), 999); // each box touches the next
/// assert!(pairs.iter().all(|Pair { a, b }| a + 1 == b));
/// assert_eq!(pairs.into_par_iter().map(|pair| pair.a as u64).sum::<u64>(), 998 * 999 / 2);
/// ```
///
/// They live in the engine's buffers, so the engine cannot take the next step while they are held:
///
/// ```compile_fail,E0499
/// use pivotgrid::{Aabb, BroadPhase};
///
/// let boxes = [Aabb::new([0.0, 0.0], [1.0, 1.0])];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let first = broad_phase.detect(&boxes);
/// let second = broad_phase.detect(&boxes);
/// println!("{}", first.len());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a, P = Pair> {
    /// Two indices each, of one set or of two.
    buffers: &'a [Vec<Pair>],
    rejected: &'a [Rejected],
    kind: PhantomData<fn() -> P>,
}

impl<'a, P: AnyPair> Pairs<'a, P> {
    pub(crate) fn new(buffers: &'a [Vec<Pair>], rejected: &'a [Rejected]) -> Self {
        Pairs { buffers, rejected, kind: PhantomData }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.buffers.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.buffers.iter().all(Vec::is_empty)
    }

    /// Iterates over the pairs.
    pub fn iter(&self) -> Iter<'a, P> {
        Iter { remaining: self.len(), pairs: self.buffers.iter().flat_map(as_copied as fn(&'a Vec<Pair>) -> _) }
    }

    /// The pairs as they lie in memory: some thousands per slice, none empty, each written by one worker. Pairs of a slice are
    /// close in space, so a narrow phase that takes a slice at a time finds its objects in the cache.
    pub fn slices(&self) -> impl Iterator<Item = &'a [P]> + Clone + use<'a, P> {
        self.buffers.iter().map(|buffer| bytemuck::cast_slice(buffer)).filter(|slice: &&[P]| !slice.is_empty())
    }

    /// The objects that were left out of the step, in ascending order of index.
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }
}

#[allow(clippy::ptr_arg)] // A named function, to be mapped over `&Vec`s: the type of a closure has no name.
fn as_copied<P: AnyPair>(buffer: &Vec<Pair>) -> Copied<slice::Iter<'_, P>> {
    bytemuck::cast_slice(buffer).iter().copied()
}

type Flattened<'a, P> =
    FlatMap<slice::Iter<'a, Vec<Pair>>, Copied<slice::Iter<'a, P>>, fn(&'a Vec<Pair>) -> Copied<slice::Iter<'a, P>>>;

/// Iterator over [`Pairs`].
#[derive(Clone, Debug)]
pub struct Iter<'a, P: AnyPair = Pair> {
    remaining: usize,
    pairs: Flattened<'a, P>,
}

impl<P: AnyPair> Iterator for Iter<'_, P> {
    type Item = P;

    #[inline]
    fn next(&mut self) -> Option<P> {
        let pair = self.pairs.next()?;
        self.remaining -= 1;
        Some(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    fn fold<B, F: FnMut(B, P) -> B>(self, init: B, f: F) -> B {
        self.pairs.fold(init, f)
    }
}

impl<P: AnyPair> ExactSizeIterator for Iter<'_, P> {}
impl<P: AnyPair> FusedIterator for Iter<'_, P> {}

impl<'a, P: AnyPair> IntoIterator for Pairs<'a, P> {
    type Item = P;
    type IntoIter = Iter<'a, P>;

    fn into_iter(self) -> Iter<'a, P> {
        self.iter()
    }
}

impl<'a, P: AnyPair> IntoIterator for &Pairs<'a, P> {
    type Item = P;
    type IntoIter = Iter<'a, P>;

    fn into_iter(self) -> Iter<'a, P> {
        self.iter()
    }
}

/// Parallel iterator over [`Pairs`].
#[derive(Clone, Debug)]
pub struct ParIter<'a, P = Pair> {
    buffers: &'a [Vec<Pair>],
    kind: PhantomData<fn() -> P>,
}

impl<P: AnyPair> ParallelIterator for ParIter<'_, P> {
    type Item = P;

    fn drive_unindexed<C: UnindexedConsumer<P>>(self, consumer: C) -> C::Result {
        // Buffers are split, too: even a single full buffer is divided among all threads.
        let slices = self.buffers.par_iter().with_max_len(1).map(|buffer| bytemuck::cast_slice::<Pair, P>(buffer));
        slices.flat_map(|slice| slice.par_iter().copied()).drive_unindexed(consumer)
    }
}

impl<'a, P: AnyPair> IntoParallelIterator for Pairs<'a, P> {
    type Item = P;
    type Iter = ParIter<'a, P>;

    fn into_par_iter(self) -> ParIter<'a, P> {
        ParIter { buffers: self.buffers, kind: PhantomData }
    }
}

impl<'a, P: AnyPair> IntoParallelIterator for &Pairs<'a, P> {
    type Item = P;
    type Iter = ParIter<'a, P>;

    fn into_par_iter(self) -> ParIter<'a, P> {
        (*self).into_par_iter()
    }
}
