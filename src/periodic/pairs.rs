//! What a step in a periodic domain returns.

use std::marker::PhantomData;

use rayon::iter::{Either, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::PeriodicRejected;
use super::owners::{Owners, difference};
use super::statics::StaticImage;
use crate::pairs::code::{Sortable, of_sortable, sortable};
use crate::pairs::source::Stored;
use crate::runtime::team::Team;
use crate::sorting::{in_pool, sort_once};
use crate::{CrossPair, Pair, PairSource, Pairs};

/// Two objects that meet: the box of `b`, moved by `shift` periods, overlaps the box of `a`, both as the user has them.
///
/// Two objects that are long compared with the period may meet in several places: then there are several such pairs, which differ in
/// `shift`.
///
/// ```
/// use pivotgrid::{Aabb, Periodic, PeriodicError, PeriodicPair};
///
/// let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false])?;
/// let boxes = [Aabb::new([0.0, 0.0], [2.0, 1.0]), Aabb::new([1.0, 0.0], [10.5, 1.0])];
/// let expected = [
///     PeriodicPair { a: 0, b: 1, shift: [-1, 0] }, // moved back by a period, box 1 ends at 0.5
///     PeriodicPair { a: 0, b: 1, shift: [0, 0] },
/// ];
/// assert_eq!(ring.par_detect(&boxes).sorted(), expected);
/// # Ok::<(), PeriodicError>(())
/// ```
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
    /// By how many periods to move `b`, along each axis or vector, so that it meets `a`; 0 on those that are not periodic.
    pub shift: [i32; D],
}

/// Two objects of two sets, or a moving and a static one, that meet: the box of `second`, moved by `shift` periods, overlaps the box of
/// `first`, both as the user has them.
///
/// ```
/// use pivotgrid::{Aabb, Periodic, PeriodicCrossPair, PeriodicError};
///
/// let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false])?;
/// let (triggers, bodies) = ([Aabb::new([9.0, 0.0], [11.0, 1.0])], [Aabb::new([0.5, 0.5], [0.6, 0.6])]);
/// let pairs = ring.over(&triggers).against(&bodies).pairs();
/// assert_eq!(pairs.sorted(), [PeriodicCrossPair { first: 0, second: 0, shift: [1, 0] }]);
/// # Ok::<(), PeriodicError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "[i32; D]: serde::Serialize", deserialize = "[i32; D]: serde::Deserialize<'de>"))
)]
#[repr(C)]
pub struct PeriodicCrossPair<const D: usize> {
    /// The index in the first set, or of the moving object.
    pub first: u32,
    /// The index in the second set, or of the static object.
    pub second: u32,
    /// By how many periods to move `second`, along each axis or vector, so that it meets `first`; 0 on those that are not periodic.
    pub shift: [i32; D],
}

/// What [`PeriodicPairs`] holds: [`PeriodicPair`]s of one set, or [`PeriodicCrossPair`]s of two. Sealed.
pub trait AnyPeriodicPair<const D: usize>: sealed::Shifted<D> {}

impl<const D: usize> AnyPeriodicPair<D> for PeriodicPair<D> {}
impl<const D: usize> AnyPeriodicPair<D> for PeriodicCrossPair<D> {}

pub(super) mod sealed {
    use super::{CrossPair, Pair, PeriodicCrossPair, PeriodicPair, Sortable};

    /// Two indices and a shift.
    pub trait Shifted<const D: usize>: Sortable + Ord {
        /// Without the shift.
        type Plain: Copy + Ord + Send + Sync;

        fn of(pair: PeriodicPair<D>) -> Self;

        fn plain(self) -> Self::Plain;
    }

    impl<const D: usize> Shifted<D> for PeriodicPair<D> {
        type Plain = Pair;

        #[inline(always)]
        fn of(pair: PeriodicPair<D>) -> Self {
            pair
        }

        #[inline(always)]
        fn plain(self) -> Pair {
            Pair { a: self.a, b: self.b }
        }
    }

    impl<const D: usize> Shifted<D> for PeriodicCrossPair<D> {
        type Plain = CrossPair;

        #[inline(always)]
        fn of(PeriodicPair { a, b, shift }: PeriodicPair<D>) -> Self {
            PeriodicCrossPair { first: a, second: b, shift }
        }

        #[inline(always)]
        fn plain(self) -> CrossPair {
            CrossPair { first: self.first, second: self.second }
        }
    }
}

/// The meaning of the two numbers of a stored pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meanings<'a, const D: usize> {
    /// Both are images of objects of a step. Objects from an index on are the second set.
    OneSet { owners: Owners<'a, D>, second_set_start: u32 },
    /// An image of a moving object and one of a static object.
    WithStatics { moving: Owners<'a, D>, statics: &'a [StaticImage<D>] },
}

impl<const D: usize> Meanings<'_, D> {
    #[inline(always)]
    pub(super) fn of(&self, stored: Pair) -> PeriodicPair<D> {
        match self {
            Meanings::OneSet { owners, second_set_start } => {
                let pair = owners.meeting(stored.a, stored.b);
                PeriodicPair { b: pair.b.wrapping_sub(*second_set_start), ..pair }
            }
            Meanings::WithStatics { moving, statics } => {
                let (a, image) = (moving.owner(stored.a as usize), StaticImage::of(statics, stored.b));
                PeriodicPair { a, b: image.owner, shift: difference(moving.periods(stored.a as usize), image.periods) }
            }
        }
    }
}

/// The pairs of one step, borrowed from the [`Periodic`](super::Periodic) until the next: each meeting once, in no particular
/// order, or, with [`Config::canonical_order`](crate::Config::canonical_order), in ascending order.
///
/// These are [`PeriodicPair`]s of one set, or [`PeriodicCrossPair`]s of two.
///
/// ```
/// use pivotgrid::{Aabb, Periodic, PeriodicError, PeriodicPair};
///
/// let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false])?;
/// let boxes = [
///     Aabb::new([9.0, 0.0], [11.0, 1.0]),
///     Aabb::new([0.5, 0.0], [0.6, 1.0]),
///     Aabb::new([0.0, 0.0], [12.0, 1.0]), // longer than the period
/// ];
/// let pairs = ring.par_detect(&boxes);
/// assert!(pairs.iter().all(|pair| pair.shift == [1, 0]));
/// assert_eq!(pairs.sorted(), [PeriodicPair { a: 0, b: 1, shift: [1, 0] }]);
/// assert_eq!(pairs.rejected()[0].index, 2);
/// # Ok::<(), PeriodicError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PeriodicPairs<'a, const D: usize, P = PeriodicPair<D>> {
    pairs: Pairs<'a>,
    /// The pairs in ascending order, if that was requested.
    ordered: Option<&'a [PeriodicPair<D>]>,
    meanings: Meanings<'a, D>,
    rejected: &'a [PeriodicRejected],
    kind: PhantomData<fn() -> P>,
}

impl<'a, const D: usize, P: AnyPeriodicPair<D>> PeriodicPairs<'a, D, P> {
    pub(super) fn new(
        blocks: &'a [Vec<Pair>],
        ordered: Option<&'a [PeriodicPair<D>]>,
        meanings: Meanings<'a, D>,
        rejected: &'a [PeriodicRejected],
    ) -> Self {
        PeriodicPairs { pairs: Pairs::new(blocks, &[]), ordered, meanings, rejected, kind: PhantomData }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Iterates over the pairs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = P> + Clone + use<'a, D, P> {
        let meanings = self.meanings;
        match self.ordered {
            Some(ordered) => Either::Left(ordered.iter().copied().map(P::of)),
            None => Either::Right(self.pairs.iter().map(move |pair| P::of(meanings.of(pair)))),
        }
    }

    /// Iterates over the pairs on the threads of the current rayon pool.
    pub fn par_iter(&self) -> impl ParallelIterator<Item = P> + use<'a, D, P> {
        let meanings = self.meanings;
        match self.ordered {
            Some(ordered) => Either::Left(ordered.par_iter().copied().map(P::of)),
            None => Either::Right(self.pairs.into_par_iter().map(move |pair| P::of(meanings.of(pair)))),
        }
    }

    /// A copy of the pairs in ascending order.
    pub fn sorted(&self) -> Vec<P> {
        let mut pairs = Vec::with_capacity(self.len());
        self.sorted_into(&mut pairs);
        pairs
    }

    /// Replaces what the vector holds by the pairs in ascending order. Scratch memory is allocated for the sort; a
    /// [`PairSorter`](crate::PairSorter) keeps it.
    pub fn sorted_into(&self, into: &mut Vec<P>) {
        if !self.copy_ordered(into) {
            sort_once(self, into, Team::ALONE);
        }
    }

    /// [`sorted_into`](Self::sorted_into) on the threads of the rayon pool in which it is called.
    pub fn par_sorted_into(&self, into: &mut Vec<P>) {
        if !self.copy_ordered(into) {
            in_pool(self, |team| sort_once(self, into, team)).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// Copies the pairs if they are already in order, and returns whether they are.
    fn copy_ordered(&self, into: &mut Vec<P>) -> bool {
        if let Some(ordered) = self.ordered {
            into.clear();
            into.extend(ordered.iter().copied().map(P::of));
        }
        self.ordered.is_some()
    }

    /// The objects that were left out of the step, in ascending order of index.
    pub fn rejected(&self) -> &'a [PeriodicRejected] {
        self.rejected
    }
}

/// The pairs of a step in a periodic domain with static objects.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicPairsWithStatics<'a, const D: usize> {
    /// Pairs of two moving objects.
    pub moving: PeriodicPairs<'a, D>,
    /// Pairs of a moving object, which is `first`, and a static one, whose index in the [`StaticSet`](crate::StaticSet) is `second`.
    pub statics: PeriodicPairs<'a, D, PeriodicCrossPair<D>>,
    /// The static objects that have no place in the domain: too long, or too far out. They pair with nothing.
    pub rejected_statics: &'a [PeriodicRejected],
}

/// The [`PeriodicPairs`] of a step as plain [`Pair`]s, or [`CrossPair`]s; made by [`PeriodicPairs::without_shifts`].
#[derive(Clone, Copy, Debug)]
pub struct WithoutShifts<'a, const D: usize, P = PeriodicPair<D>>(PeriodicPairs<'a, D, P>);

impl<'a, const D: usize, P: AnyPeriodicPair<D>> PeriodicPairs<'a, D, P> {
    /// The same pairs without their shifts, for a [`PairTracker`](crate::PairTracker) or a [`PairMap`](crate::PairMap) in which two objects
    /// remain one pair wherever they meet, even after one was moved back into the domain. Two objects that meet in several places are
    /// several equal pairs here, which trackers and maps treat as one.
    pub fn without_shifts(self) -> WithoutShifts<'a, D, P> {
        WithoutShifts(self)
    }
}

impl<const D: usize> Sortable for PeriodicPair<D> {
    type Code = [u32; 6];

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

impl<const D: usize> Sortable for PeriodicCrossPair<D> {
    type Code = [u32; 6];

    #[inline(always)]
    fn code(&self) -> [u32; 6] {
        let PeriodicCrossPair { first, second, shift } = *self;
        PeriodicPair { a: first, b: second, shift }.code()
    }

    #[inline(always)]
    fn of_code(code: [u32; 6]) -> Self {
        let PeriodicPair { a, b, shift } = PeriodicPair::of_code(code);
        PeriodicCrossPair { first: a, second: b, shift }
    }
}

impl<const D: usize, P: AnyPeriodicPair<D>> PairSource for WithoutShifts<'_, D, P> {}

impl<const D: usize, P: AnyPeriodicPair<D>> Stored for WithoutShifts<'_, D, P> {
    type Pair = P::Plain;

    fn blocks(&self) -> &[Vec<Pair>] {
        self.0.blocks()
    }

    #[inline(always)]
    fn meaning(&self, stored: Pair) -> P::Plain {
        self.0.meaning(stored).plain()
    }
}

impl<const D: usize, P: AnyPeriodicPair<D>> PairSource for PeriodicPairs<'_, D, P> {}

impl<const D: usize, P: AnyPeriodicPair<D>> Stored for PeriodicPairs<'_, D, P> {
    type Pair = P;

    fn blocks(&self) -> &[Vec<Pair>] {
        self.pairs.blocks()
    }

    #[inline(always)]
    fn meaning(&self, stored: Pair) -> P {
        P::of(self.meanings.of(stored))
    }
}
