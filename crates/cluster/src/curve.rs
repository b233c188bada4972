//! The Morton curve: cells of a cubic frame, and their place on the curve.

use crate::coordinate::Coordinate;

/// Bits of a cell's number along an axis, so that a place on the curve fits a word.
pub(crate) const fn bits(dimension: usize) -> u32 {
    if dimension == 2 { 31 } else { 21 }
}

/// Where the cells are. Cells are cubes; their numbers saturate at the frame's borders, so every point has a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame<const D: usize> {
    pub(crate) origin: [f64; D],
    /// Cells per unit of length: finite and positive.
    pub(crate) inverse: f64,
}

impl<const D: usize> Frame<D> {
    /// The frame of a scene that lies around the origin and is 1 wide; for a job without objects.
    pub(crate) const UNIT: Self = Frame { origin: [0.0; D], inverse: (1u64 << bits(D)) as f64 };

    /// The cubic frame that begins at `low` and holds all up to `high`. Both are finite.
    pub(crate) fn between(low: [f64; D], high: [f64; D]) -> Self {
        let edge = (0..D).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
        // A little larger, so that the upper border's cell is not shared with everything behind it.
        let inverse = (1u64 << bits(D)) as f64 / (edge * 1.001);
        // A scene without extent, or one whose extent overflows.
        let inverse = if inverse.is_normal() { inverse } else { f64::MIN_POSITIVE.max(inverse.min(1e300)) };
        Frame { origin: low, inverse }
    }

    /// The cell along an axis. Monotone for all numbers and infinities: each of its operations is, also when it rounds. (The origin is
    /// finite and the factor positive, so no operation makes a NaN; the cast truncates, which is `floor` where nothing is negative,
    /// and saturates.)
    #[inline(always)]
    pub(crate) fn cell<S: Coordinate>(&self, axis: usize, x: S) -> u32 {
        let x: f64 = x.into();
        let cell = ((x - self.origin[axis]) * self.inverse) as u32;
        cell.min((1u32 << bits(D)) - 1)
    }

    #[inline(always)]
    pub(crate) fn cells<S: Coordinate>(&self, point: [S; D]) -> [u32; D] {
        std::array::from_fn(|axis| self.cell(axis, point[axis]))
    }

    /// The place of a point's cell on the curve.
    #[inline(always)]
    pub(crate) fn place<S: Coordinate>(&self, point: [S; D]) -> u64 {
        place(self.cells(point))
    }
}

/// The place of a cell on the curve: the bits of its numbers, interleaved. Monotone along every axis.
#[inline(always)]
pub(crate) fn place<const D: usize>(cells: [u32; D]) -> u64 {
    let spread = if D == 2 { spread_by_two } else { spread_by_three };
    cells.iter().enumerate().fold(0, |place, (axis, &cell)| place | spread(u64::from(cell)) << axis)
}

/// Moves bit `i` to bit `2 i`, for 32 bits.
#[inline(always)]
fn spread_by_two(mut x: u64) -> u64 {
    x = (x | x << 16) & 0x0000_FFFF_0000_FFFF;
    x = (x | x << 8) & 0x00FF_00FF_00FF_00FF;
    x = (x | x << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

/// Moves bit `i` to bit `3 i`, for 21 bits.
#[inline(always)]
fn spread_by_three(mut x: u64) -> u64 {
    x = (x | x << 32) & 0x001F_0000_0000_FFFF;
    x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_interleaved() {
        assert_eq!(place([0b11, 0b01]), 0b0111);
        assert_eq!(place([0b10, 0b00, 0b11]), 0b101_100);
        assert_eq!(place([(1 << 21) - 1; 3]), (1 << 63) - 1);
        assert_eq!(place([(1 << 31) - 1; 2]), (1 << 62) - 1);
    }

    #[test]
    fn cells_are_monotone_and_saturate() {
        let mut values: Vec<f64> = (-2000..2000).map(|i| f64::from(i) * 0.00077).collect();
        values.extend([f64::NEG_INFINITY, f64::INFINITY, f64::MIN, f64::MAX, -0.0, f64::MIN_POSITIVE, 1e-300, 1e17]);
        values.extend((0..100).flat_map(|i| [f64::from(i).next_down(), f64::from(i), f64::from(i).next_up()]));
        values.sort_by(f64::total_cmp);
        let frames = [
            Frame::<3>::UNIT,
            Frame::between([0.0; 3], [1.0; 3]),
            Frame::between([-1e-9, 0.0, 0.0], [1e-9; 3]),
            Frame::between([5.0; 3], [5.0; 3]),
            Frame::between([f64::MIN; 3], [f64::MAX; 3]),
            Frame::between([0.0; 3], [f64::MIN_POSITIVE; 3]),
        ];
        for frame in frames {
            assert!(frame.inverse > 0.0 && frame.inverse.is_finite());
            let cells: Vec<u32> = values.iter().map(|&x| frame.cell(0, x)).collect();
            assert!(cells.is_sorted());
            assert_eq!((cells[0], cells[cells.len() - 1]), (0, (1 << 21) - 1));
        }
    }
}
