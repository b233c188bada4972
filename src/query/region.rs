//! Where the objects of a level are, and how far they reach.

use crate::layout::grid::Grid;
use crate::layout::{Borders, Coords, MAX_LEVELS, Shape};
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
        let none = Region { low: [0; 3], high: [0; 3], level: 0, span: [0; 3], borders: Borders::NONE };
        Regions { regions: [none; MAX_LEVELS], len: 0 }
    }

    /// Replaces the regions by those of a grid.
    pub(super) fn set<S: Scalar, const D: usize>(&mut self, grid: &Grid<S, D>) {
        self.len = 0;
        for (number, level) in grid.levels.iter().enumerate().rev() {
            if grid.chunks_of(number).len() > 0 {
                let ((low, high), span) = (grid.reach[number], grid.spans[number]);
                self.regions[self.len] = Region { low, high, level: number, span, borders: Borders::of(level) };
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
    /// Along one axis, the interval that holds everything that lives in cells `first..=last`.
    #[inline(always)]
    pub(super) fn around<S: Scalar>(&self, axis: usize, first: i32, last: i32) -> (S, S) {
        (self.borders.below(axis, first), self.borders.above(axis, last + self.span[axis]))
    }

    /// A box around everything that lives in the chunks of a box of chunks.
    pub(super) fn bounds<S: Scalar, const D: usize>(&self, low: Coords, high: Coords) -> Aabb<S, D> {
        let mut bounds = Aabb::EMPTY;
        for axis in 0..D {
            let edge = Shape::<D>::EDGE[axis];
            (bounds.min[axis], bounds.max[axis]) = self.around(axis, low[axis] * edge, high[axis] * edge + (edge - 1));
        }
        bounds
    }
}
