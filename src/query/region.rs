//! The region of a level: the place of its objects, and how far they reach.

use crate::layout::grid::Grid;
use crate::layout::{Borders, Coords, MAX_LEVELS, Shape, axis_of};
use crate::{Aabb, Scalar};

/// A level's part of space.
///
/// The chunks outside `low..=high` do not exist, so no search goes there: the chunked grid's form of Pouchol's `hasChildren`, which
/// ends a search where nothing lies below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The least and the greatest occupied chunk along each axis.
    pub(super) low: Coords,
    pub(super) high: Coords,
    /// The number of the level.
    pub(super) level: usize,
    /// How many cells an object reaches beyond its own at most.
    pub(super) span: Coords,
    /// The axis along which its rows lie.
    row: usize,
    borders: Borders,
}

/// The levels that hold objects, from coarse to fine: what is large is few, and found early it ends a search early.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    regions: [Region; MAX_LEVELS],
    len: usize,
}

impl Regions {
    pub(super) const fn new() -> Self {
        let none = Region { low: [0; 3], high: [0; 3], level: 0, span: [0; 3], row: 0, borders: Borders::NONE };
        Regions { regions: [none; MAX_LEVELS], len: 0 }
    }

    /// Replaces the regions by those of a grid.
    pub(super) fn set<S: Scalar, const D: usize>(&mut self, grid: &Grid<S, D>) {
        self.len = 0;
        for (number, level) in grid.levels.iter().enumerate().rev() {
            if grid.chunks_of(number).len() > 0 {
                let ((low, high), span) = (grid.reach[number], grid.spans[number]);
                let (row, borders) = (level.row(), Borders::of(level));
                self.regions[self.len] = Region { low, high, level: number, span, row, borders };
                self.len += 1;
            }
        }
    }

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[Region] {
        &self.regions[..self.len]
    }
}

impl Region {
    /// The axis of a coordinate of cells.
    #[inline(always)]
    pub(super) fn axis_of(&self, coordinate: usize) -> usize {
        axis_of(self.row, coordinate)
    }

    /// Along the axis of a coordinate of cells, the interval that holds everything that lives in cells `first..=last`.
    #[inline(always)]
    pub(super) fn around<S: Scalar>(&self, coordinate: usize, first: i32, last: i32) -> (S, S) {
        (self.borders.below(coordinate, first), self.borders.above(coordinate, last + self.span[coordinate]))
    }

    /// Along the axis of a coordinate of cells, the intervals that hold what lives in each layer of cells from `first` to `last`: the first
    /// one, and how far both ends move from each to the next. Nothing if that is not finite.
    #[inline(always)]
    pub(super) fn layers<S: Scalar>(&self, coordinate: usize, first: i32, last: i32) -> Option<[f64; 3]> {
        self.borders.layers::<S>(coordinate, first, last, self.span[coordinate])
    }

    /// A box around everything that lives in the chunks of a box of chunks.
    pub(super) fn bounds<S: Scalar, const D: usize>(&self, low: Coords, high: Coords) -> Aabb<S, D> {
        let mut bounds = Aabb::EMPTY;
        for at in 0..D {
            let (axis, edge) = (self.axis_of(at), Shape::<D>::EDGE[at]);
            (bounds.min[axis], bounds.max[axis]) = self.around(at, low[at] * edge, high[at] * edge + (edge - 1));
        }
        bounds
    }
}
