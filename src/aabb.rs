//! The box.

use crate::scalar::Scalar;

/// An axis-aligned box: all points between `min` and `max`, both included, so boxes that touch overlap.
///
/// Bounds may be infinite (a ground plane is a box that is infinite in two directions and half of the third). A box with a
/// NaN bound or with `min > max` on some axis is *invalid*: the engine leaves it out and reports it.
///
/// ```
/// use pivotgrid::Aabb;
///
/// let crate_ = Aabb::new([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
/// let ball = Aabb::around([1.5, 0.5, 0.5], [0.5, 0.5, 0.5]);
/// assert!(crate_.overlaps(&ball)); // they touch at x = 1
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "[S; D]: serde::Serialize", deserialize = "[S; D]: serde::Deserialize<'de>"))
)]
#[repr(C)]
pub struct Aabb<S, const D: usize> {
    /// The least corner.
    pub min: [S; D],
    /// The greatest corner.
    pub max: [S; D],
}

impl<S: Scalar, const D: usize> Aabb<S, D> {
    /// The box between two corners. Takes arrays and whatever turns into them, such as glam's and mint's vectors.
    #[inline]
    pub fn new(min: impl Into<[S; D]>, max: impl Into<[S; D]>) -> Self {
        Aabb { min: min.into(), max: max.into() }
    }

    /// The box around `center` that reaches `half_extents` to either side. A negative half extent makes it invalid.
    #[inline]
    pub fn around(center: impl Into<[S; D]>, half_extents: impl Into<[S; D]>) -> Self {
        let (center, half) = (center.into(), half_extents.into());
        Aabb {
            min: std::array::from_fn(|axis| center[axis] - half[axis]),
            max: std::array::from_fn(|axis| center[axis] + half[axis]),
        }
    }

    /// Whether the two closed boxes share a point. Never true of an invalid box's NaN axis.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// The box that overlaps nothing and that [`grow`](Self::grow) turns into any other.
    pub(crate) const EMPTY: Self = Aabb { min: [S::INFINITY; D], max: [S::NEG_INFINITY; D] };

    /// Extends the box so that it covers `other`.
    #[inline(always)]
    pub(crate) fn grow(&mut self, other: &Self) {
        for axis in 0..D {
            if other.min[axis] < self.min[axis] {
                self.min[axis] = other.min[axis];
            }
            if other.max[axis] > self.max[axis] {
                self.max[axis] = other.max[axis];
            }
        }
    }
}
