//! The ball.

use crate::{Aabb, Bounded, Scalar};

/// A ball (in two dimensions a disc): all points within `radius` of `center`, so balls that touch overlap.
///
/// As an object of a step it pairs with other balls exactly, not only by the boxes around them: see [`Bounded::ball`].
///
/// ```
/// use pivotgrid::{Ball, BroadPhase};
///
/// let balls = [Ball::new([0.0, 0.0], 1.0), Ball::new([1.5, 1.5], 1.0), Ball::new([1.5, 1.0], 1.0)];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let pairs = broad_phase.detect(&balls).sorted();
/// assert_eq!(pairs.len(), 2); // the boxes of the first two overlap, the balls do not
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "S: serde::Serialize, [S; D]: serde::Serialize",
        deserialize = "S: serde::Deserialize<'de>, [S; D]: serde::Deserialize<'de>"
    ))
)]
#[repr(C)]
pub struct Ball<S, const D: usize> {
    /// The center.
    pub center: [S; D],
    /// The radius; a ball with a negative one is invalid.
    pub radius: S,
}

impl<S: Scalar, const D: usize> Ball<S, D> {
    /// The ball of this center and radius.
    #[inline]
    pub fn new(center: impl Into<[S; D]>, radius: S) -> Self {
        Ball { center: center.into(), radius }
    }

    /// Whether the two balls share a point: the squared distance of the centers, summed axis by axis, is at most the squared sum
    /// of the radii, all in the precision of `S`.
    #[inline]
    pub fn touches(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        let distance = (0..D).fold(S::ZERO, |sum, axis| {
            let along = self.center[axis] - other.center[axis];
            sum + along * along
        });
        distance <= reach * reach
    }

    /// A box around the ball that is wide enough for every ball that [`touches`](Self::touches) it, however both round: a few
    /// parts in the last digit wider than the ball. Invalid if the ball is.
    #[inline]
    pub fn aabb(&self) -> Aabb<S, D> {
        if self.radius < S::ZERO {
            return Aabb::EMPTY;
        }
        let reach = self.radius * S::from_f64(1.0 + 4.0 * S::EPSILON);
        Aabb { min: self.center.map(|center| (center - reach).below()), max: self.center.map(|center| (center + reach).above()) }
    }
}

impl<S: Scalar, const D: usize> Bounded<S, D> for Ball<S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        Ball::aabb(self)
    }

    #[inline]
    fn ball(&self) -> Option<Ball<S, D>> {
        Some(*self)
    }
}
