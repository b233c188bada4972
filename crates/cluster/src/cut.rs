//! The curve cut into one interval per rank, and the ranks that a box touches.

use pivotgrid::Aabb;

use crate::coordinate::Coordinate;
use crate::curve::{Frame, bits, place};

/// How space is shared out among the ranks: the same on all of them. [`Cluster::partition`](crate::Cluster::partition) lends it.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition<const D: usize> {
    pub(crate) frame: Frame<D>,
    /// Where the parts of the ranks but the first begin, in ascending order. Equal borders enclose an empty part.
    pub(crate) borders: Vec<u64>,
}

impl<const D: usize> Partition<D> {
    /// All space belongs to the last of `ranks` ranks.
    pub(crate) fn whole(ranks: usize) -> Self {
        Partition { frame: Frame::UNIT, borders: vec![0; ranks - 1] }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.borders.len() + 1
    }

    /// The rank that owns a point. Every point has one owner, points outside the sampled domain and infinite ones included.
    #[inline]
    pub fn owner<S: Coordinate>(&self, point: [S; D]) -> usize {
        self.owner_of_place(self.frame.place(point))
    }

    /// The ranks whose part of space a valid box touches, in ascending order: all ranks that own a point of the box, and no rank that
    /// owns no *cell* of it. Cells are 2^-21 of the domain wide in 3D, 2^-31 in 2D.
    pub fn for_each_touched<S: Coordinate>(&self, bounds: &Aabb<S, D>, mut found: impl FnMut(usize)) {
        let (low, high) = (self.frame.cells(bounds.min), self.frame.cells(bounds.max));
        let (first, last) = (self.owner_of_place(place(low)), self.owner_of_place(place(high)));
        match self.walk(low, high, first, last, &mut found) {
            Touched::One(rank) => found(rank),
            Touched::Several => (),
        }
    }

    /// The same for a rank that expects the box to touch its own part only. That is the common case, and one look at the curve: if the
    /// smallest node of the tree that holds the box is this rank's, so is the box.
    #[inline(always)]
    pub(crate) fn touched<S: Coordinate>(&self, bounds: &Aabb<S, D>, rank: usize, found: &mut impl FnMut(usize)) -> Touched {
        let (low, high) = (self.frame.cells(bounds.min), self.frame.cells(bounds.max));
        let (corner, level) = node(low, high);
        let begin = place(corner);
        if self.begin(rank) <= begin && self.is_before_end(begin + span::<D>(level), rank) {
            return Touched::One(rank);
        }
        self.walk(low, high, self.owner_of_place(place(low)), self.owner_of_place(place(high)), found)
    }

    #[inline]
    pub(crate) fn owner_of_place(&self, place: u64) -> usize {
        self.borders.partition_point(|&border| border <= place)
    }

    #[inline(always)]
    pub(crate) fn owns(&self, rank: usize, place: u64) -> bool {
        self.begin(rank) <= place && self.is_before_end(place, rank)
    }

    #[inline(always)]
    fn begin(&self, rank: usize) -> u64 {
        if rank == 0 { 0 } else { self.borders[rank - 1] }
    }

    #[inline(always)]
    fn is_before_end(&self, place: u64, rank: usize) -> bool {
        self.borders.get(rank).is_none_or(|&end| place < end)
    }

    fn is_empty(&self, rank: usize) -> bool {
        self.borders.get(rank).is_some_and(|&end| end <= self.begin(rank))
    }

    /// The curve visits the least cell of a box first and the greatest one last. So if one rank owns both, it owns all between.
    /// Otherwise the box is walked down the tree of the curve.
    fn walk(&self, low: [u32; D], high: [u32; D], first: usize, last: usize, found: &mut impl FnMut(usize)) -> Touched {
        if first == last {
            return Touched::One(first);
        }
        let (corner, level) = node(low, high);
        let mut walk = Walk { partition: self, low, high, latest: None, found };
        walk.node(corner, level, first, last);
        Touched::Several
    }
}

/// The smallest node of the tree that holds two cells: its least cell, and its level. It is `2^level` cells wide.
#[inline(always)]
fn node<const D: usize>(low: [u32; D], high: [u32; D]) -> ([u32; D], u32) {
    let differing = (0..D).fold(0, |bits, axis| bits | low[axis] ^ high[axis]);
    let level = u32::BITS - differing.leading_zeros();
    (low.map(|cell| cell >> level << level), level)
}

/// How far the last cell of a node is behind its first, along the curve.
#[inline(always)]
pub(crate) fn span<const D: usize>(level: u32) -> u64 {
    (1 << (level * D as u32)) - 1
}

/// How many ranks a box touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touched {
    /// One rank, which was not passed to the function.
    One(usize),
    /// Several ranks, which were passed to the function.
    Several,
}

struct Walk<'a, const D: usize, F> {
    partition: &'a Partition<D>,
    low: [u32; D],
    high: [u32; D],
    /// The rank that was found last. Nodes come in the order of the curve, and so do ranks.
    latest: Option<usize>,
    found: &'a mut F,
}

impl<const D: usize, F: FnMut(usize)> Walk<'_, D, F> {
    /// Visits the node at `corner` that is `2^level` cells wide. Its cells belong to ranks of `first..=last`, at least.
    fn node(&mut self, corner: [u32; D], level: u32, first: usize, last: usize) {
        let reach = ((1u64 << level) - 1) as u32;
        let apart = (0..D).any(|axis| corner[axis] > self.high[axis] || corner[axis] + reach < self.low[axis]);
        if apart {
            return;
        }
        let begin = place(corner);
        let end = begin + span::<D>(level);
        let among = &self.partition.borders[first..last];
        let (first, last) =
            (first + among.partition_point(|&border| border <= begin), first + among.partition_point(|&border| border <= end));
        if first == last {
            return self.show(first);
        }
        let inside = (0..D).all(|axis| self.low[axis] <= corner[axis] && corner[axis] + reach <= self.high[axis]);
        if inside {
            return (first..=last).filter(|&rank| !self.partition.is_empty(rank)).for_each(|rank| self.show(rank));
        }
        // Not a single cell: that would have one owner.
        let half = level - 1;
        for child in 0..1u32 << D {
            self.node(std::array::from_fn(|axis| corner[axis] | (child >> axis & 1) << half), half, first, last);
        }
    }

    fn show(&mut self, rank: usize) {
        if self.latest.is_none_or(|latest| latest < rank) {
            self.latest = Some(rank);
            (self.found)(rank);
        }
    }
}

/// The most even place between two: the one with the most trailing zeros in `low + 1..=high`. Borders there are faces of large nodes of
/// the tree, so parts have smooth surfaces and walks are short.
pub(crate) fn most_even(low: u64, high: u64) -> u64 {
    if low >= high {
        return high;
    }
    let differing = u64::BITS - 1 - (low ^ high).leading_zeros();
    high >> differing << differing
}

const _: () = assert!(bits(3) * 3 < 64 && bits(2) * 2 < 64);
