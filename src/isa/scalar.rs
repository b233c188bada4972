//! The two coordinate types, `f32` and `f64`, behind one sealed trait.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

use super::{Isa, Lanes};

/// A coordinate type: `f32` or `f64`. Sealed: the cell arithmetic and the kernels know exactly these two.
pub trait Scalar: sealed::Real {}

/// A coordinate type of which every instruction set has sixteen lanes. Public in name only: it seals [`Scalar`].
pub trait LaneScalar: Sized {
    #[doc(hidden)]
    type In<I: Isa>: Lanes<Self, I>;

    /// `floor_to_cell((x - origin) * inverse)` of four coordinates at once, bit by bit the same.
    #[doc(hidden)]
    fn cells(x: [Self; 4], origin: [Self; 4], inverse: [Self; 4]) -> [i32; 4];
}

impl LaneScalar for f32 {
    type In<I: Isa> = I::F32;

    #[inline(always)]
    fn cells(x: [f32; 4], origin: [f32; 4], inverse: [f32; 4]) -> [i32; 4] {
        #[cfg(target_arch = "x86_64")]
        return super::four::cells_of_singles(super::BASELINE, x, origin, inverse);
        #[cfg(not(target_arch = "x86_64"))]
        cells(x, origin, inverse)
    }
}

impl LaneScalar for f64 {
    type In<I: Isa> = I::F64;

    #[inline(always)]
    fn cells(x: [f64; 4], origin: [f64; 4], inverse: [f64; 4]) -> [i32; 4] {
        cells(x, origin, inverse)
    }
}

#[inline(always)]
fn cells<S: Scalar>(x: [S; 4], origin: [S; 4], inverse: [S; 4]) -> [i32; 4] {
    std::array::from_fn(|lane| ((x[lane] - origin[lane]) * inverse[lane]).floor_to_cell())
}

impl Scalar for f32 {}
impl Scalar for f64 {}

pub(crate) mod sealed {
    use super::*;

    /// What the engine needs of a coordinate; public in name only, so that [`Scalar`](super::Scalar) can be sealed.
    pub trait Real:
        Copy
        + Debug
        + Default
        + PartialOrd
        + Send
        + Sync
        + Add<Output = Self>
        + Sub<Output = Self>
        + Mul<Output = Self>
        + LaneScalar
        + bytemuck::Pod
        + 'static
    {
        const ZERO: Self;
        const INFINITY: Self;
        const NEG_INFINITY: Self;
        /// The greatest finite number.
        const MAX: Self;
        /// Relative rounding error.
        const EPSILON: f64;
        /// Cell sizes stay within these, so that neither a cell size nor its inverse overflows or is denormal.
        const SMALLEST_CELL: f64;
        const LARGEST_CELL: f64;
        /// Between these, squares and sums of some squares neither overflow nor lose digits to underflow that count.
        const LEAST_SQUARED: Self;
        const MOST_SQUARED: Self;
        /// Powers of two that bring what is smaller, or greater, between them.
        const SCALE_UP: Self;
        const SCALE_DOWN: Self;

        fn from_f64(value: f64) -> Self;
        fn to_f64(self) -> f64;
        fn is_nan(self) -> bool;
        /// The next smaller and the next greater number.
        fn below(self) -> Self;
        fn above(self) -> Self;

        /// The sum; or `by` itself if an infinite number is raised by an infinite one of the other sign, where the sum would be NaN.
        #[inline(always)]
        fn raised(self, by: Self) -> Self {
            let sum = self + by;
            if sum.is_nan() && !self.is_nan() { by } else { sum }
        }

        /// The same downwards.
        #[inline(always)]
        fn lowered(self, by: Self) -> Self {
            self.raised(Self::ZERO - by)
        }

        /// `floor`, saturated at ±[`CELL_LIMIT`](crate::isa::CELL_LIMIT): monotone for every input but NaN.
        ///
        /// Written without `floor` because the baseline x86-64 instruction set has none and would call libm.
        fn floor_to_cell(self) -> i32;
    }

    macro_rules! real {
        ($float:ident, $least:literal, $most:literal, $up:expr, $down:expr) => {
            impl Real for $float {
                const ZERO: Self = 0.0;
                const INFINITY: Self = $float::INFINITY;
                const NEG_INFINITY: Self = $float::NEG_INFINITY;
                const MAX: Self = $float::MAX;
                const EPSILON: f64 = $float::EPSILON as f64;
                const SMALLEST_CELL: f64 = $float::MIN_POSITIVE as f64 * 16.0;
                const LARGEST_CELL: f64 = $float::MAX as f64 / 16.0;
                const LEAST_SQUARED: Self = $least;
                const MOST_SQUARED: Self = $most;
                const SCALE_UP: Self = $up;
                const SCALE_DOWN: Self = $down;

                #[inline(always)]
                fn from_f64(value: f64) -> Self {
                    value as $float
                }
                #[inline(always)]
                fn to_f64(self) -> f64 {
                    self as f64
                }
                #[inline(always)]
                fn is_nan(self) -> bool {
                    self.is_nan()
                }
                #[inline(always)]
                fn below(self) -> Self {
                    self.next_down()
                }
                #[inline(always)]
                fn above(self) -> Self {
                    self.next_up()
                }
                #[inline(always)]
                fn floor_to_cell(self) -> i32 {
                    const LIMIT: $float = crate::isa::CELL_LIMIT as $float;
                    // The comparisons are ordered so that each compiles to one min/max instruction.
                    let low = if self > -LIMIT { self } else { -LIMIT };
                    let inside = if low < LIMIT { low } else { LIMIT };
                    let truncated = inside as i32;
                    truncated - i32::from(truncated as $float > inside)
                }
            }
        };
    }

    // 2¹⁰⁰ and 2⁻⁸⁰; 2⁶⁰⁰ and 2⁻⁷⁰⁰.
    real!(f32, 1e-15, 1e15, f32::from_bits(227 << 23), f32::from_bits(47 << 23));
    real!(f64, 1e-150, 1e150, f64::from_bits(1623 << 52), f64::from_bits(323 << 52));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::sealed::Real;
    use crate::isa::CELL_LIMIT;

    #[test]
    fn floor_rounds_down_and_saturates() {
        assert_eq!((-0.5f32).floor_to_cell(), -1);
        assert_eq!((-1.0f32).floor_to_cell(), -1);
        assert_eq!((0.99999994f32).floor_to_cell(), 0);
        assert_eq!((-0.0f64).floor_to_cell(), 0);
        assert_eq!(f32::MIN_POSITIVE.floor_to_cell(), 0);
        assert_eq!((-f64::MIN_POSITIVE).floor_to_cell(), -1);
        assert_eq!(1e30f32.floor_to_cell(), CELL_LIMIT);
        assert_eq!((-1e30f32).floor_to_cell(), -CELL_LIMIT);
        assert_eq!(f64::INFINITY.floor_to_cell(), CELL_LIMIT);
        assert_eq!(f64::NEG_INFINITY.floor_to_cell(), -CELL_LIMIT);
    }

    #[test]
    fn scales_are_powers_of_two() {
        assert_eq!((f32::SCALE_UP, f32::SCALE_DOWN), (2f32.powi(100), 2f32.powi(-80)));
        assert_eq!((f64::SCALE_UP, f64::SCALE_DOWN), (2f64.powi(600), 2f64.powi(-700)));
    }

    /// From minus to plus infinity, with integers and their neighbors among them.
    pub(crate) fn values() -> Vec<f32> {
        let mut values: Vec<f32> = (0..2000).map(|i| (i as f32 - 1000.0) * 0.37).collect();
        values.extend((-60..60).flat_map(|e| [2f32.powi(e), -(2f32.powi(e))]));
        values.extend((-50..50).flat_map(|i| [(i as f32).next_down(), i as f32, (i as f32).next_up()]));
        values.extend([f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -0.0]);
        values.sort_by(f32::total_cmp);
        values
    }

    #[test]
    fn floor_is_monotone_across_magnitudes() {
        let values = values();
        assert!(values.windows(2).all(|w| w[0].floor_to_cell() <= w[1].floor_to_cell()));
    }
}
