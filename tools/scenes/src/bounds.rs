//! Boxes as plain numbers: this crate stands below the engine and cannot use its types.

use std::fmt::Debug;

/// A coordinate: `f32` or `f64`.
pub trait Scalar: Copy + Debug + Default + PartialOrd + Into<f64> + Send + Sync + 'static {
    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;
}

impl Scalar for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Scalar for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// An axis-aligned box, borders included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<S, const D: usize> {
    /// The lower corner.
    pub min: [S; D],
    /// The upper corner, on no axis below the lower one.
    pub max: [S; D],
}

impl<S: Scalar, const D: usize> Bounds<S, D> {
    /// Rounds to nearest. Rounding keeps the order of two numbers, so a valid box stays valid.
    pub(crate) fn rounded(min: [f64; D], max: [f64; D]) -> Self {
        Self { min: min.map(S::from_f64), max: max.map(S::from_f64) }
    }

    /// Whether the two boxes share at least a point: touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_overlap() {
        let left = Bounds { min: [0.0, 0.0], max: [1.0, 1.0] };
        let touching = Bounds { min: [1.0, 1.0], max: [2.0, 2.0] };
        let apart = Bounds { min: [1.0, 1.5], max: [2.0, 2.0] };
        assert!(left.overlaps(&touching) && touching.overlaps(&left));
        assert!(!left.overlaps(&apart) && !apart.overlaps(&left));
    }
}
