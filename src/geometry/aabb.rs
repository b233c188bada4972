//! The box.

use crate::faults::{Fault, injected};
use crate::isa::scalar::Scalar;

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
///
/// Corners may be of any type that converts into an array. The vectors and points of glam, mint, nalgebra and parry do, so none of them
/// needs a feature of this crate.
///
/// ```
/// use pivotgrid::Aabb;
///
/// let (center, radius) = (glam::vec3(1.5, 0.5, 0.5), glam::Vec3::splat(0.5));
/// assert_eq!(Aabb::new(center - radius, center + radius), Aabb::around(center, radius));
/// ```
///
/// In memory a box is its bounds, `min` before `max`, and nothing else. With bytemuck, boxes that lie in another program's buffer
/// are read where they are:
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair};
///
/// let from_elsewhere: Vec<f32> = vec![0.0, 0.0, 1.0, 1.0, /* the next box */ 0.5, 0.5, 2.0, 2.0];
/// let boxes: &[Aabb<f32, 2>] = bytemuck::cast_slice(&from_elsewhere);
/// assert_eq!(boxes[1], Aabb::new([0.5, 0.5], [2.0, 2.0]));
/// assert_eq!(BroadPhase::<f32, 2>::new().detect(boxes).sorted(), [Pair { a: 0, b: 1 }]);
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
    /// The box between two corners. Takes arrays and types that convert into arrays, such as the vectors of glam, mint and nalgebra.
    #[inline]
    pub fn new(min: impl Into<[S; D]>, max: impl Into<[S; D]>) -> Self {
        Aabb { min: min.into(), max: max.into() }
    }

    /// The box around `center` that reaches `half_extents` to either side. A negative half extent makes it invalid; an infinite one
    /// makes it infinite to both sides, also around an infinite center.
    #[inline]
    pub fn around(center: impl Into<[S; D]>, half_extents: impl Into<[S; D]>) -> Self {
        let (center, half) = (center.into(), half_extents.into());
        Aabb {
            min: std::array::from_fn(|axis| center[axis].lowered(half[axis])),
            max: std::array::from_fn(|axis| center[axis].raised(half[axis])),
        }
    }

    /// Whether the two closed boxes share a point. Never true of an invalid box's NaN axis.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Whether no bound is NaN and `min <= max` on every axis.
    #[inline(always)]
    pub(crate) fn is_valid(&self) -> bool {
        if injected(Fault::InvertedAccepted) {
            return self.min.iter().chain(&self.max).all(|bound| !bound.is_nan());
        }
        // Without `&&`: one predictable branch per box instead of one per axis.
        (0..D).fold(true, |valid, axis| valid & (self.min[axis] <= self.max[axis]))
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
