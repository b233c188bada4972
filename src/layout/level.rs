//! One grid of the hierarchy.

use super::Coords;
use crate::isa::CELL_LIMIT;
use crate::{Aabb, Scalar};

/// A level: where its cells lie and which objects it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level<S, const D: usize> {
    // Four lanes, whatever the dimension: the processor computes them together. Those of absent axes are always 0.
    origin: [S; 4],
    inverse: [S; 4],
    /// The most cells an object of this level may reach beyond its own, by axis. Never more than a chunk's edge, so that an
    /// object and all that it can meet on its level lie in adjacent chunks.
    limit: [i32; 4],
    /// Cells from here on outwards take no object if another level may: they contain all that lies beyond. No cell is as far out along an
    /// axis that is ignored.
    outermost: [i32; 4],
    /// The largest edges of objects that the level takes if another level may.
    most: [S; 4],
    /// The axis along which the rows of cells lie. It is swapped with x in the coordinates of cells and chunks, and nowhere else.
    row: usize,
}

impl<S: Scalar, const D: usize> Level<S, D> {
    /// A level with cells of these edges. The edges must lie in the scalar's range of cell sizes.
    ///
    /// An origin of plus infinity makes the level ignore the axis: `x - origin` is minus infinity or NaN for every `x`, and both
    /// go to the first of all cells.
    pub(crate) fn new(origin: [f64; D], cell_size: [f64; D], limit: Coords) -> Self {
        let inverse = cell_size.map(|edge| S::from_f64(1.0 / edge));
        let origin = lanes(&origin.map(S::from_f64));
        let ignores = |axis: usize| axis >= D || origin[axis] == S::INFINITY;
        Level {
            origin,
            inverse: lanes(&inverse),
            limit: [limit[0], limit[1], limit[2], 0],
            outermost: std::array::from_fn(|axis| if ignores(axis) { i32::MAX } else { CELL_LIMIT }),
            most: [S::INFINITY; 4],
            row: 0,
        }
    }

    /// The same cells in rows along another axis. The limits of the two axes must fit into chunks that lie that way.
    pub(crate) fn with_rows_along(self, row: usize) -> Self {
        debug_assert!(row < D);
        Level { row, ..self }
    }

    /// Brings one value per axis into the order of the coordinates of cells: rows first. A second call brings them back.
    #[inline(always)]
    pub(crate) fn turned<T: Copy>(&self, by_axis: [T; 3]) -> [T; 3] {
        let [x, y, z] = by_axis;
        match self.row {
            0 => [x, y, z],
            1 => [y, x, z],
            _ => [z, y, x],
        }
    }

    /// The axis of a coordinate of cells, or the coordinate of an axis.
    #[inline(always)]
    pub(crate) fn axis_of(&self, coordinate: usize) -> usize {
        axis_of(self.row, coordinate)
    }

    /// The axis along which the rows lie.
    #[inline(always)]
    pub(crate) fn row(&self) -> usize {
        self.row
    }

    /// The same level for objects with edges up to these.
    pub(crate) fn taking(self, most: [f64; 3]) -> Self {
        Level { most: std::array::from_fn(|axis| if axis < D { S::from_f64(most[axis]) } else { S::INFINITY }), ..self }
    }

    /// The same level for the objects of another one.
    pub(crate) fn taking_as(self, other: &Self) -> Self {
        Level { most: other.most, ..self }
    }

    /// Whether all cells of the level are infinite along an axis.
    pub(crate) fn ignores(&self, axis: usize) -> bool {
        self.origin[axis] == S::INFINITY
    }

    /// Whether the level is meant for a box that [`measure`](Self::measure) found to fit, where there are other levels: its edges are not too
    /// large, and its cell is not one of the outermost.
    #[inline(always)]
    #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "the edge of a box at infinity is NaN, and not too large")]
    pub(crate) fn admits(&self, bounds: &Aabb<S, D>, cell: Coords) -> bool {
        let cell = self.turned(cell);
        (0..D).fold(true, |admits, axis| {
            admits & !(bounds.max[axis] - bounds.min[axis] > self.most[axis]) & (cell[axis].abs() < self.outermost[axis])
        })
    }

    /// The cell of a point.
    ///
    /// Subtraction, multiplication and floor are each monotone, rounded or not, and so is their composition. That is all that
    /// the neighborhood argument needs: whether a cell border is off by a rounding error does not matter, as long as
    /// all code computes it by this one formula. (Instruction sets have it for sixteen coordinates at once, bit by bit the same.)
    #[inline(always)]
    pub(crate) fn cell(&self, point: &[S; D]) -> Coords {
        self.turned(self.cell_by_axis(point))
    }

    /// The same with x first, wherever the rows lie.
    #[inline(always)]
    pub(crate) fn cell_by_axis(&self, point: &[S; D]) -> Coords {
        let cell = S::cells(lanes(point), self.origin, self.inverse);
        [cell[0], cell[1], cell[2]]
    }

    /// The cell of a box, how many cells it reaches beyond it, and whether that is few enough for the level.
    ///
    /// Decided in integers: by its rounded extent, the box `[0.99999994, 2.0]` would seem to fit cells of size 1, although it spans three
    /// of them.
    #[inline(always)]
    pub(crate) fn measure(&self, bounds: &Aabb<S, D>) -> (Coords, Coords, bool) {
        let (low, high) = (self.cell_by_axis(&bounds.min), self.cell_by_axis(&bounds.max));
        let span: Coords = std::array::from_fn(|axis| high[axis] - low[axis]);
        let fits = (0..3).fold(true, |fits, axis| fits & (span[axis] <= self.limit[axis]));
        (self.turned(low), self.turned(span), fits)
    }

    /// The largest edge of objects that the level takes, and from which cell on outwards it takes none, where another level may.
    #[inline(always)]
    pub(crate) fn admitted(&self, axis: usize) -> (S, i32) {
        (self.most[axis], self.outermost[axis])
    }

    /// Origin, inverse of the cell size, and the most cells an object may reach beyond its own, along an axis.
    #[inline(always)]
    pub(crate) fn axis(&self, axis: usize) -> (S, S, i32) {
        (self.origin[axis], self.inverse[axis], self.limit[axis])
    }

    /// The same level with cells of twice the edge.
    pub(crate) fn doubled(&self) -> Self {
        let half = S::from_f64(0.5);
        Level { inverse: self.inverse.map(|inverse| inverse * half), ..*self }
    }

    /// Where cell 0 begins, up to rounding.
    pub(crate) fn origin(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.origin[axis].to_f64())
    }

    /// The edges of the cells: 0 for an axis that is not there, infinite for one that is ignored.
    pub(crate) fn cell_size(&self) -> [f64; 3] {
        std::array::from_fn(|axis| match axis {
            _ if axis >= D => 0.0,
            _ if self.ignores(axis) => f64::INFINITY,
            _ => 1.0 / self.inverse[axis].to_f64(),
        })
    }
}

/// A point in four lanes.
#[inline(always)]
fn lanes<S: Scalar, const D: usize>(point: &[S; D]) -> [S; 4] {
    std::array::from_fn(|axis| if axis < D { point[axis] } else { S::ZERO })
}

/// With rows along `row`, the axis of a coordinate of cells, or the coordinate of an axis.
#[inline(always)]
pub(crate) fn axis_of(row: usize, coordinate: usize) -> usize {
    match coordinate {
        0 => row,
        _ if coordinate == row => 0,
        _ => coordinate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_lie_along_any_axis() {
        let bounds = Aabb::new([1.5, 20.5, 300.5], [2.5, 23.5, 300.75]);
        let level = Level::<f32, 3>::new([0.0; 3], [1.0; 3], [1, 3, 1]);
        for (row, cell, span) in [(0, [1, 20, 300], [1, 3, 0]), (1, [20, 1, 300], [3, 1, 0]), (2, [300, 20, 1], [0, 3, 1])] {
            let turned = level.with_rows_along(row);
            assert_eq!(turned.measure(&bounds), (cell, span, true));
            assert_eq!((turned.cell(&bounds.min), turned.cell_by_axis(&bounds.min)), (cell, [1, 20, 300]));
            for axis in 0..3 {
                assert_eq!(turned.turned([10, 11, 12])[axis], 10 + turned.axis_of(axis));
                assert_eq!(turned.axis_of(turned.axis_of(axis)), axis);
            }
            assert!(turned.admits(&bounds, cell));
        }
    }

    #[test]
    fn fit_is_decided_by_cells_not_by_rounded_extent() {
        let level = Level::<f32, 2>::new([0.0; 2], [1.0; 2], [1, 1, 0]);
        let trap = Aabb::new([0.99999994, 0.0], [2.0, 1.0]);
        assert_eq!(trap.max[0] - trap.min[0], 1.0);
        assert!(!level.measure(&trap).2);
        let fitting = Aabb::new([0.5, -1.0], [1.5, -0.5]);
        assert_eq!(level.measure(&fitting), ([0, -1, 0], [1, 0, 0], true));
    }

    #[test]
    fn an_origin_at_infinity_makes_one_cell_of_an_axis() {
        fn check<S: Scalar>() {
            let level = Level::<S, 3>::new([0.0, f64::INFINITY, 0.0], [1.0; 3], [1, 0, 1]);
            let inside = |y: S| level.cell(&[S::ZERO, y, S::ZERO])[1];
            let ends = [S::NEG_INFINITY, S::INFINITY, S::ZERO, S::from_f64(1e38), S::from_f64(-1e38), S::from_f64(1e-30)];
            assert!(ends.into_iter().all(|y| inside(y) == -CELL_LIMIT));
            let slab = Aabb { min: [S::ZERO, S::NEG_INFINITY, S::ZERO], max: [S::ZERO, S::INFINITY, S::ZERO] };
            let (cell, span, fits) = level.measure(&slab);
            assert!(fits && span == [0; 3] && level.admits(&slab, cell));
            assert_eq!(level.cell_size(), [1.0, f64::INFINITY, 1.0]);
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn a_level_is_not_meant_for_what_is_large_or_far() {
        let level = Level::<f32, 2>::new([0.0; 2], [1.0; 2], [1, 1, 0]).taking([0.5, 0.5, 0.0]);
        let admits = |low: [f32; 2], edge: f32| {
            let bounds = Aabb::new(low, low.map(|x| x + edge));
            level.admits(&bounds, level.cell(&bounds.min))
        };
        assert!(admits([1.0, 1.0], 0.5) && !admits([1.0, 1.0], 0.75) && !admits([1e30, 0.0], 0.0));
    }
}
