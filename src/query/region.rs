//! Where the objects of a level are, and how far they reach.

use crate::layout::grid::Grid;
use crate::layout::{Borders, Coords, MAX_LEVELS, Shape, key_parts};
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
    /// How many chunks there are.
    pub(super) chunks: usize,
    /// How many cells an object reaches beyond its own at most.
    span: Coords,
    borders: Borders,
}

impl Region {
    const EMPTY: Self = Region { low: [i32::MAX; 3], high: [i32::MIN; 3], chunks: 0, span: [0; 3], borders: Borders::NONE };

    /// The regions of all levels.
    pub(super) fn of<S: Scalar, const D: usize>(grid: &Grid<S, D>) -> [Self; MAX_LEVELS] {
        let mut regions = [Self::EMPTY; MAX_LEVELS];
        for ((region, level), span) in regions.iter_mut().zip(grid.levels.iter()).zip(grid.spans) {
            (region.span, region.borders) = (span, Borders::of(level));
        }
        for chunk in grid.chunks() {
            let (level, coords) = key_parts(chunk.key());
            // A chunk that lost the race for its place has no objects, and a key that may be anything.
            if chunk.rows() != 0 {
                let region = &mut regions[level];
                region.chunks += 1;
                for axis in 0..3 {
                    region.low[axis] = region.low[axis].min(coords[axis]);
                    region.high[axis] = region.high[axis].max(coords[axis]);
                }
            }
        }
        regions
    }

    /// Along one axis, the interval that holds everything that lives in cells `first..=last`.
    #[inline(always)]
    pub(super) fn around<S: Scalar>(&self, axis: usize, first: i32, last: i32) -> (S, S) {
        (self.borders.below(axis, first), self.borders.above(axis, last + self.span[axis]))
    }

    /// Along one axis, the interval that holds everything that lives in the chunks `first..=last`.
    #[inline(always)]
    pub(super) fn around_chunks<S: Scalar, const D: usize>(&self, axis: usize, first: i32, last: i32) -> (S, S) {
        let edge = Shape::<D>::EDGE[axis];
        self.around(axis, first * edge, last * edge + (edge - 1))
    }

    /// A box around everything that lives in the chunks of a box of chunks.
    pub(super) fn bounds<S: Scalar, const D: usize>(&self, low: Coords, high: Coords) -> Aabb<S, D> {
        let mut bounds = Aabb::EMPTY;
        for axis in 0..D {
            (bounds.min[axis], bounds.max[axis]) = self.around_chunks::<S, D>(axis, low[axis], high[axis]);
        }
        bounds
    }

    /// Edges of a chunk.
    pub(super) fn chunk_size<const D: usize>(&self) -> [f64; D] {
        std::array::from_fn(|axis| self.borders.cell_size()[axis] * f64::from(Shape::<D>::EDGE[axis]))
    }
}
