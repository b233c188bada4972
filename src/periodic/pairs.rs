//! What a step in a periodic domain returns.

use rayon::iter::{Either, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::PeriodicRejected;
use super::images::Image;
use crate::pairs::code::{Sortable, of_sortable, sortable};
use crate::pairs::source::Stored;
use crate::runtime::team::Team;
use crate::sorting::{in_pool, sort_once};
use crate::{Pair, PairSource, Pairs, Scalar};

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
        let mut pairs = Vec::with_capacity(self.len());
        self.sorted_into(&mut pairs);
        pairs
    }

    /// Replaces what the vector holds by the pairs in ascending order. The room to sort in is allocated on the way; a
    /// [`PairSorter`](crate::PairSorter) keeps it.
    pub fn sorted_into(&self, into: &mut Vec<PeriodicPair<D>>) {
        match self.ordered {
            Some(ordered) => ordered.clone_into(into),
            None => sort_once(self, into, Team::ALONE),
        }
    }

    /// [`sorted_into`](Self::sorted_into) on the threads of the rayon pool in which it is called.
    pub fn par_sorted_into(&self, into: &mut Vec<PeriodicPair<D>>) {
        match self.ordered {
            Some(ordered) => ordered.clone_into(into),
            None => in_pool(self, |team| sort_once(self, into, team)).unwrap_or_else(|error| panic!("{error}")),
        }
    }

    /// The objects that were left out of the step, in ascending order of index.
    pub fn rejected(&self) -> &'a [PeriodicRejected] {
        self.rejected
    }
}

/// The [`PeriodicPairs`] of a step as plain [`Pair`]s; made by [`PeriodicPairs::without_shifts`].
#[derive(Clone, Copy, Debug)]
pub struct WithoutShifts<'a, S, const D: usize>(PeriodicPairs<'a, S, D>);

impl<'a, S: Scalar, const D: usize> PeriodicPairs<'a, S, D> {
    /// The same pairs without their shifts, for a [`PairTracker`](crate::PairTracker) or a [`PairMap`](crate::PairMap) to which two
    /// objects are a pair wherever they meet, also after one was moved back into the domain. Two objects that meet in several places
    /// are as many equal pairs, which are one to those.
    pub fn without_shifts(self) -> WithoutShifts<'a, S, D> {
        WithoutShifts(self)
    }
}

impl<const D: usize> Sortable for PeriodicPair<D> {
    type Code = [u32; 6];

    #[inline(always)]
    fn first(&self) -> u32 {
        self.a
    }

    #[inline(always)]
    fn code(&self) -> [u32; 6] {
        let mut code = [self.a, self.b, 0, 0, 0, 0];
        (0..D).for_each(|axis| code[2 + axis] = sortable(self.shift[axis]));
        code
    }

    #[inline(always)]
    fn of_code(code: [u32; 6]) -> Self {
        PeriodicPair { a: code[0], b: code[1], shift: std::array::from_fn(|axis| of_sortable(code[2 + axis])) }
    }
}

impl<S: Scalar, const D: usize> PairSource for WithoutShifts<'_, S, D> {}

impl<S: Scalar, const D: usize> Stored for WithoutShifts<'_, S, D> {
    type Pair = Pair;

    fn blocks(&self) -> &[Vec<Pair>] {
        self.0.blocks()
    }

    #[inline(always)]
    fn meaning(&self, stored: Pair) -> Pair {
        let PeriodicPair { a, b, .. } = self.0.meaning(stored);
        Pair { a, b }
    }
}

impl<S: Scalar, const D: usize> PairSource for PeriodicPairs<'_, S, D> {}

impl<S: Scalar, const D: usize> Stored for PeriodicPairs<'_, S, D> {
    type Pair = PeriodicPair<D>;

    fn blocks(&self) -> &[Vec<Pair>] {
        self.pairs.blocks()
    }

    #[inline(always)]
    fn meaning(&self, stored: Pair) -> PeriodicPair<D> {
        of_objects(self.images, stored)
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
