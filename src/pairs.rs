//! What a step returns.

use std::iter::{Copied, FlatMap, FusedIterator};
use std::slice;

use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::Rejected;

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

/// The pairs of one step, borrowed from the engine until the next: each overlapping pair once, in no particular order.
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
pub struct Pairs<'a> {
    buffers: &'a [Vec<Pair>],
    rejected: &'a [Rejected],
}

impl<'a> Pairs<'a> {
    pub(crate) fn new(buffers: &'a [Vec<Pair>], rejected: &'a [Rejected]) -> Self {
        Pairs { buffers, rejected }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.buffers.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.buffers.iter().all(Vec::is_empty)
    }

    /// Goes over the pairs.
    pub fn iter(&self) -> Iter<'a> {
        Iter { remaining: self.len(), pairs: self.buffers.iter().flat_map(as_copied) }
    }

    /// The pairs as they lie in memory: some thousands per slice, none empty, each written by one worker. Pairs of a slice are
    /// close in space, so a narrow phase that takes a slice at a time finds its objects in the cache.
    pub fn slices(&self) -> impl Iterator<Item = &'a [Pair]> + Clone + use<'a> {
        self.buffers.iter().map(Vec::as_slice).filter(|slice| !slice.is_empty())
    }

    /// A copy of the pairs in ascending order.
    pub fn sorted(&self) -> Vec<Pair> {
        let mut pairs = Vec::with_capacity(self.len());
        for slice in self.slices() {
            pairs.extend_from_slice(slice);
        }
        pairs.sort_unstable();
        pairs
    }

    /// The objects that were left out of the step, in ascending order of index.
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }
}

#[allow(clippy::ptr_arg)] // It is mapped over `&Vec`s, by name, because a closure has none.
fn as_copied(buffer: &Vec<Pair>) -> Copied<slice::Iter<'_, Pair>> {
    buffer.iter().copied()
}

type Flattened<'a> =
    FlatMap<slice::Iter<'a, Vec<Pair>>, Copied<slice::Iter<'a, Pair>>, fn(&'a Vec<Pair>) -> Copied<slice::Iter<'a, Pair>>>;

/// Iterator over [`Pairs`].
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    remaining: usize,
    pairs: Flattened<'a>,
}

impl Iterator for Iter<'_> {
    type Item = Pair;

    #[inline]
    fn next(&mut self) -> Option<Pair> {
        let pair = self.pairs.next()?;
        self.remaining -= 1;
        Some(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    fn fold<B, F: FnMut(B, Pair) -> B>(self, init: B, f: F) -> B {
        self.pairs.fold(init, f)
    }
}

impl ExactSizeIterator for Iter<'_> {}
impl FusedIterator for Iter<'_> {}

impl<'a> IntoIterator for Pairs<'a> {
    type Item = Pair;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Pairs<'a> {
    type Item = Pair;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Parallel iterator over [`Pairs`].
#[derive(Clone, Debug)]
pub struct ParIter<'a> {
    buffers: &'a [Vec<Pair>],
}

impl ParallelIterator for ParIter<'_> {
    type Item = Pair;

    fn drive_unindexed<C: UnindexedConsumer<Pair>>(self, consumer: C) -> C::Result {
        // Splitting goes below the buffers: a single full buffer is still shared out among all threads.
        self.buffers.par_iter().with_max_len(1).flat_map(|buffer| buffer.par_iter().copied()).drive_unindexed(consumer)
    }
}

impl<'a> IntoParallelIterator for Pairs<'a> {
    type Item = Pair;
    type Iter = ParIter<'a>;

    fn into_par_iter(self) -> ParIter<'a> {
        ParIter { buffers: self.buffers }
    }
}

impl<'a> IntoParallelIterator for &Pairs<'a> {
    type Item = Pair;
    type Iter = ParIter<'a>;

    fn into_par_iter(self) -> ParIter<'a> {
        ParIter { buffers: self.buffers }
    }
}
