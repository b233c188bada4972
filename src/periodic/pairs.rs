//! What a step in a periodic domain returns.

use rayon::iter::{Either, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::PeriodicRejected;
use super::images::Image;
use crate::{Pair, Pairs, Scalar};

/// Two objects that meet: the box of `b`, moved by `shift` periods, overlaps the box of `a`, both as the user has them.
///
/// Objects that are long, compared with the period, may meet in several places: then there are several such pairs, which differ
/// in `shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "[i32; D]: serde::Serialize", deserialize = "[i32; D]: serde::Deserialize<'de>"))
)]
#[repr(C)]
pub struct PeriodicPair<const D: usize> {
    /// The smaller index.
    pub a: u32,
    /// The larger index.
    pub b: u32,
    /// By how many periods to move `b`, along each axis, so that it meets `a`; 0 on axes that are not periodic.
    pub shift: [i32; D],
}

/// The pairs of one step, borrowed from the [`Periodic`](super::Periodic) until the next: each meeting once, in no particular
/// order, or, with [`Config::canonical_order`](crate::Config::canonical_order), in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicPairs<'a, S, const D: usize> {
    pairs: Pairs<'a>,
    /// The same in ascending order, if that was wanted.
    ordered: Option<&'a [PeriodicPair<D>]>,
    images: &'a [Image<S, D>],
    rejected: &'a [PeriodicRejected],
}

impl<'a, S: Scalar, const D: usize> PeriodicPairs<'a, S, D> {
    pub(super) fn new(
        pairs: Pairs<'a>,
        ordered: Option<&'a [PeriodicPair<D>]>,
        images: &'a [Image<S, D>],
        rejected: &'a [PeriodicRejected],
    ) -> Self {
        PeriodicPairs { pairs, ordered, images, rejected }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Goes over the pairs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = PeriodicPair<D>> + Clone + use<'a, S, D> {
        let images = self.images;
        match self.ordered {
            Some(ordered) => Either::Left(ordered.iter().copied()),
            None => Either::Right(self.pairs.iter().map(move |pair| of_objects(images, pair))),
        }
    }

    /// Goes over the pairs on the threads of the current rayon pool.
    pub fn par_iter(&self) -> impl ParallelIterator<Item = PeriodicPair<D>> + use<'a, S, D> {
        let images = self.images;
        match self.ordered {
            Some(ordered) => Either::Left(ordered.par_iter().copied()),
            None => Either::Right(self.pairs.into_par_iter().map(move |pair| of_objects(images, pair))),
        }
    }

    /// A copy of the pairs in ascending order.
    pub fn sorted(&self) -> Vec<PeriodicPair<D>> {
        let mut pairs: Vec<_> = self.iter().collect();
        if self.ordered.is_none() {
            pairs.sort_unstable();
        }
        pairs
    }

    /// The objects that were left out of the step, in ascending order of index.
    pub fn rejected(&self) -> &'a [PeriodicRejected] {
        self.rejected
    }
}

/// Who it is that meets, and where. If a moved down by `i` periods meets b moved down by `j`, then a where it is meets b moved up
/// by `i - j`.
#[inline]
fn of_objects<S, const D: usize>(images: &[Image<S, D>], pair: Pair) -> PeriodicPair<D> {
    let (one, other) = (&images[pair.a as usize], &images[pair.b as usize]);
    let (a, b) = if one.object < other.object { (one, other) } else { (other, one) };
    PeriodicPair { a: a.object, b: b.object, shift: std::array::from_fn(|axis| a.periods[axis] - b.periods[axis]) }
}
