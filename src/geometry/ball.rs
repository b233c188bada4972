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
    ///
    /// That holds for all finite centers and radii, from the least denormal number to the greatest: where squares would underflow or
    /// overflow, both sides are scaled by a power of two. So the answer is that of exact arithmetic, except where the two sides differ by
    /// no more than some roundings. A ball of infinite radius touches every other. One whose radius is negative or NaN touches nothing.
    ///
    /// ```
    /// use pivotgrid::Ball;
    ///
    /// let (tiny, huge) = (1e-25f32, 1e25f32);
    /// assert!(!Ball::new([0.0, 0.0], tiny).touches(&Ball::new([3.0 * tiny, 0.0], tiny)));
    /// assert!(!Ball::new([0.0, 0.0], huge).touches(&Ball::new([3.0 * huge, 0.0], huge)));
    /// assert!(Ball::new([0.0, 0.0], huge).touches(&Ball::new([1.5 * huge, 0.0], huge)));
    /// ```
    #[inline]
    pub fn touches(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        if !(self.radius >= S::ZERO && other.radius >= S::ZERO) {
            false
        } else if reach >= S::LEAST_SQUARED && reach <= S::MOST_SQUARED {
            self.touches_unscaled(other)
        } else {
            self.touches_scaled(other)
        }
    }

    /// [`touches`](Self::touches), if the radii are [unremarkable](Self::is_extreme).
    #[inline(always)]
    pub(crate) fn touches_unscaled(&self, other: &Self) -> bool {
        within::<D, _>(self.radius + other.radius, |axis| self.center[axis] - other.center[axis])
    }

    #[cold]
    fn touches_scaled(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        if self.radius == S::INFINITY || other.radius == S::INFINITY {
            return self.center.iter().chain(&other.center).all(|x| !x.is_nan());
        }
        if reach < S::LEAST_SQUARED {
            // The difference first: centers may be large.
            within::<D, _>(reach * S::SCALE_UP, |axis| (self.center[axis] - other.center[axis]) * S::SCALE_UP)
        } else {
            // The scale first: sums and differences may overflow.
            let reach = self.radius * S::SCALE_DOWN + other.radius * S::SCALE_DOWN;
            within::<D, _>(reach, |axis| self.center[axis] * S::SCALE_DOWN - other.center[axis] * S::SCALE_DOWN)
        }
    }

    /// Whether the squares that [`touches`](Self::touches) compares might underflow or overflow. (Not if the radius is infinite.)
    #[inline]
    pub(crate) fn is_extreme(&self) -> bool {
        let is_unremarkable = self.radius >= S::LEAST_SQUARED && self.radius <= S::MOST_SQUARED;
        !is_unremarkable && self.radius != S::INFINITY
    }

    /// A box around the ball that is wide enough for every ball that [`touches`](Self::touches) it, however both round: a few
    /// parts in the last digit wider than the ball. Invalid if the ball is.
    #[inline]
    pub fn aabb(&self) -> Aabb<S, D> {
        if self.radius < S::ZERO {
            return Aabb::EMPTY;
        }
        let reach = self.radius * S::from_f64(1.0 + 4.0 * S::EPSILON);
        Aabb {
            min: self.center.map(|center| center.lowered(reach).below()),
            max: self.center.map(|center| center.raised(reach).above()),
        }
    }
}

/// Whether a distance, given by axis, is at most `reach`.
#[inline(always)]
fn within<const D: usize, S: Scalar>(reach: S, along: impl Fn(usize) -> S) -> bool {
    let distance = (0..D).fold(S::ZERO, |sum, axis| {
        let along = along(axis);
        sum + along * along
    });
    distance <= reach * reach
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
