//! One grid of the hierarchy.

use super::Coords;
use crate::faults::{Fault, injected};
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
}

impl<S: Scalar, const D: usize> Level<S, D> {
    /// A level with cells of these edges. The edges must lie in the scalar's range of cell sizes.
    pub(crate) fn new(origin: [f64; D], cell_size: [f64; D], limit: Coords) -> Self {
        let inverse = cell_size.map(|edge| S::from_f64(1.0 / edge));
        Level { origin: lanes(&origin.map(S::from_f64)), inverse: lanes(&inverse), limit: [limit[0], limit[1], limit[2], 0] }
    }

    /// The cell of a point.
    ///
    /// Subtraction, multiplication and floor are each monotone, rounded or not, and so is their composition. That is all that
    /// the neighborhood argument needs: whether a cell border is off by a rounding error does not matter, as long as
    /// everybody computes it by this one function (or by [`cells_on`](Self::cells_on), which is the same).
    #[inline(always)]
    pub(crate) fn cell(&self, point: &[S; D]) -> Coords {
        let cell = S::cells(lanes(point), self.origin, self.inverse);
        [cell[0], cell[1], cell[2]]
    }

    /// The cells of some coordinates along one axis, relative to `base`. Reads and writes in steps of four: `coordinates` may
    /// be longer than `cells`, but not shorter than its length rounded up.
    #[inline(always)]
    pub(crate) fn cells_on(&self, axis: usize, coordinates: &[S], base: i32, cells: &mut [[i32; 4]]) {
        let (origin, inverse) = ([self.origin[axis]; 4], [self.inverse[axis]; 4]);
        for (cells, &four) in cells.iter_mut().zip(coordinates.as_chunks::<4>().0) {
            let off = |cell: i32| i32::from(injected(Fault::CellByTwoFormulas) && cell < 0);
            *cells = S::cells(four, origin, inverse).map(|cell| cell - off(cell) - base);
        }
    }

    /// The cell of a box, how many cells it reaches beyond it, and whether that is few enough for the level.
    ///
    /// Decided in integers: by its rounded extent, the box `[0.99999994, 2.0]` would be taken for one that fits cells of size
    /// 1, and yet it spans three of them.
    #[inline(always)]
    pub(crate) fn measure(&self, bounds: &Aabb<S, D>) -> (Coords, Coords, bool) {
        let low = S::cells(lanes(&bounds.min), self.origin, self.inverse);
        let high = S::cells(lanes(&bounds.max), self.origin, self.inverse);
        let span: [i32; 4] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let fits = (0..4).fold(true, |fits, axis| fits & (span[axis] <= self.limit[axis]));
        if injected(Fault::SpanByExtent) {
            let extent = |axis: usize| (bounds.max[axis] - bounds.min[axis]) * self.inverse[axis];
            let by_extent = |axis: usize| if axis < D { extent(axis).to_f64().round() as i32 } else { 0 };
            return ([low[0], low[1], low[2]], std::array::from_fn(|axis| span[axis].min(by_extent(axis))), fits);
        }
        ([low[0], low[1], low[2]], [span[0], span[1], span[2]], fits)
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

    /// The edges of the cells, 0 for an axis that is not there.
    pub(crate) fn cell_size(&self) -> [f64; 3] {
        std::array::from_fn(|axis| if axis < D { 1.0 / self.inverse[axis].to_f64() } else { 0.0 })
    }
}

/// A point in four lanes.
#[inline(always)]
fn lanes<S: Scalar, const D: usize>(point: &[S; D]) -> [S; 4] {
    std::array::from_fn(|axis| if axis < D { point[axis] } else { S::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fit_is_decided_by_cells_not_by_rounded_extent() {
        let level = Level::<f32, 2>::new([0.0; 2], [1.0; 2], [1, 1, 0]);
        let trap = Aabb::new([0.99999994, 0.0], [2.0, 1.0]);
        assert_eq!(trap.max[0] - trap.min[0], 1.0);
        assert!(!level.measure(&trap).2);
        let fitting = Aabb::new([0.5, -1.0], [1.5, -0.5]);
        assert_eq!(level.measure(&fitting), ([0, -1, 0], [1, 0, 0], true));
    }
}
