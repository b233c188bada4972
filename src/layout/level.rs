//! One grid of the hierarchy.

use super::Coords;
use crate::Scalar;

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
    /// all code computes it by this one formula. (Instruction sets have it for sixteen coordinates at once, bit by bit the same.)
    #[inline(always)]
    pub(crate) fn cell(&self, point: &[S; D]) -> Coords {
        let cell = S::cells(lanes(point), self.origin, self.inverse);
        [cell[0], cell[1], cell[2]]
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
