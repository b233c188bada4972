//! Where the objects of a level are, and how far they reach.

use crate::build::grid::Grid;
use crate::build::plan::MAX_LEVELS;
use crate::grid::{CELL_LIMIT, Coords, Level, Shape, key_parts};
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
    origin: [f64; 3],
    cell: [f64; 3],
    /// How far a border may be off, wherever it is; more is added with the distance from the origin.
    slack: [f64; 3],
}

impl Region {
    const EMPTY: Self = Region {
        low: [i32::MAX; 3],
        high: [i32::MIN; 3],
        chunks: 0,
        span: [0; 3],
        origin: [0.0; 3],
        cell: [0.0; 3],
        slack: [0.0; 3],
    };

    /// The regions of all levels.
    pub(super) fn of<S: Scalar, const D: usize>(grid: &Grid<S, D>) -> [Self; MAX_LEVELS] {
        let mut regions = [Self::EMPTY; MAX_LEVELS];
        for ((region, level), span) in regions.iter_mut().zip(&grid.levels).zip(grid.spans) {
            *region = Self::vacant(level, span);
        }
        for &id in &grid.chunks {
            let chunk = grid.pool.chunk(id);
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

    /// The region of a level without objects.
    fn vacant<S: Scalar, const D: usize>(level: &Level<S, D>, span: Coords) -> Self {
        let mut region = Region { span, origin: level.origin(), cell: level.cell_size(), ..Self::EMPTY };
        for axis in 0..D {
            let (origin, slack) = (&mut region.origin[axis], &mut region.slack[axis]);
            *slack = origin.abs() * (4.0 * f64::EPSILON) + region.cell[axis] / 1024.0;
            // Boxes at infinity may have moved the origin there; then nothing is known about borders.
            if !slack.is_finite() {
                (*origin, *slack) = (0.0, f64::INFINITY);
            }
        }
        region
    }

    /// Not greater than any coordinate whose cell is `cell` or a later one.
    ///
    /// The cell is the floor of `(x - origin) * inverse`, with two roundings in `S`; the rest is rounded here, in `f64`. A
    /// thousandth of a cell more makes up for products that underflow. The result needs no rounding downwards: if a number of type
    /// `S` is not below the bound, then neither is it below the bound rounded to `S`.
    #[inline(always)]
    fn below<S: Scalar>(&self, axis: usize, cell: i32) -> S {
        if cell <= -CELL_LIMIT {
            return S::NEG_INFINITY;
        }
        S::from_f64(self.border(axis, cell) - self.margin::<S>(axis, cell))
    }

    /// Not less than any coordinate whose cell is `cell` or an earlier one.
    #[inline(always)]
    fn above<S: Scalar>(&self, axis: usize, cell: i32) -> S {
        if cell >= CELL_LIMIT {
            return S::INFINITY;
        }
        S::from_f64(self.border(axis, cell + 1) + self.margin::<S>(axis, cell + 1))
    }

    #[inline(always)]
    fn border(&self, axis: usize, cell: i32) -> f64 {
        self.origin[axis] + f64::from(cell) * self.cell[axis]
    }

    #[inline(always)]
    fn margin<S: Scalar>(&self, axis: usize, cell: i32) -> f64 {
        f64::from(cell).abs() * (self.cell[axis] * (8.0 * S::EPSILON)) + self.slack[axis]
    }

    /// Along one axis, the interval that holds everything that lives in cells `first..=last`.
    #[inline(always)]
    pub(super) fn around<S: Scalar>(&self, axis: usize, first: i32, last: i32) -> (S, S) {
        (self.below(axis, first), self.above(axis, last + self.span[axis]))
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
        std::array::from_fn(|axis| self.cell[axis] * f64::from(Shape::<D>::EDGE[axis]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::sealed::Real;

    /// Numbers of all magnitudes, and neighbours of cell borders among them.
    fn check<S: Scalar>(origin: f64, size: f64) {
        let level = Level::<S, 2>::new([origin; 2], [size; 2], [1, 1, 0]);
        let region = Region::vacant(&level, [1, 2, 0]);
        let scales = (-70..70).map(|exponent| 2f64.powi(exponent) * size);
        for offset in scales.flat_map(|scale| [scale, -scale, scale * 1.1, -scale * 1.3]).chain([0.0]) {
            for step in [0.0, 1e-7, -1e-7, 1e-16, -1e-16] {
                let x = S::from_f64((origin + offset) * (1.0 + step));
                if x.is_nan() {
                    continue; // no bound of a box that takes part
                }
                let cell = level.cell(&[x, x]);
                for axis in 0..2 {
                    let (below, above) = region.around::<S>(axis, cell[axis], cell[axis] - region.span[axis]);
                    assert!(below <= x && x <= above, "{x:?} is in cell {}, not in {below:?}..{above:?}", cell[axis]);
                }
            }
        }
    }

    #[test]
    fn what_lives_in_a_cell_lies_within_its_borders() {
        for origin in [0.0, 0.3, -1e5, 1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for size in [1e-3, 1.0, 7.7, 1e12] {
                check::<f32>(origin, size);
                check::<f64>(origin, size);
            }
        }
        check::<f32>(1e-30, f32::SMALLEST_CELL);
        check::<f64>(1e-300, f64::SMALLEST_CELL);
    }
}
