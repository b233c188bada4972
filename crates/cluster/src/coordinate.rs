//! Operations on coordinates for the curve and the messages, beyond those of the engine.

use bytemuck::Pod;
use pivotgrid::Scalar;

/// A coordinate type that can be sent: `f32` or `f64`. Sealed, because [`Scalar`] is.
pub trait Coordinate: Scalar + Pod + PartialOrd + Into<f64> {
    /// The name, for the comparison of configurations.
    const NAME: &'static str;
    /// Not a number.
    const NAN: Self;
    /// The nearest number of this type.
    fn rounded(value: f64) -> Self;
}

impl Coordinate for f32 {
    const NAME: &'static str = "f32";
    const NAN: Self = f32::NAN;
    #[inline]
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

impl Coordinate for f64 {
    const NAME: &'static str = "f64";
    const NAN: Self = f64::NAN;
    #[inline]
    fn rounded(value: f64) -> Self {
        value
    }
}

/// The greater of two numbers.
#[inline(always)]
pub(crate) fn greater<S: Coordinate>(a: S, b: S) -> S {
    if a > b { a } else { b }
}
