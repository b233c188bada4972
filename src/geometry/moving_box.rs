//! Moving boxes, and whether two of them meet during a step.

use crate::{Aabb, Bounded, Scalar};

/// A box that moves during a step, for continuous collision detection: it begins as `from`, ends as `to`, and in between each of
/// its bounds moves linearly, so it may grow or shrink on its way.
///
/// To the engine its box is the union of the two, and of the pairs whose unions overlap it keeps those that meet *in time*:
/// at some moment of the step the two closed boxes share a point. A bullet that has passed through a wall by the end of the
/// step is found; two cars that cross the same junction one after the other are not.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair, MovingBox};
///
/// let wall = Aabb::new([5.0, -9.0], [5.1, 9.0]);
/// let bullet = |x: f32| Aabb::around([x, 0.0], [0.01, 0.01]);
/// let bird = |y: f32| Aabb::around([2.0, y], [0.1, 0.1]);
/// let moving = [
///     MovingBox::new(wall, wall),
///     MovingBox::new(bullet(0.0), bullet(10.0)),
///     MovingBox::new(bird(-1.0), bird(9.0)), // is at y = 1 when the bullet passes below
/// ];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// assert_eq!(broad_phase.par_detect(&moving).sorted(), [Pair { a: 0, b: 1 }]);
///
/// let impact = moving[0].time_of_contact(&moving[1]).unwrap();
/// assert!((impact - 0.499).abs() < 1e-6);
/// ```
///
/// In a body of your own, pass both methods of [`Bounded`] on to it, and add your own conditions on a pair (and
/// [`pairs_with_moved`](Bounded::pairs_with_moved) likewise, for a [`Periodic`](crate::Periodic) domain):
///
/// ```
/// use pivotgrid::{Aabb, Bounded, MovingBox};
///
/// struct Body { motion: MovingBox<f64, 3>, team: u8 }
///
/// impl Bounded<f64, 3> for Body {
///     fn aabb(&self) -> Aabb<f64, 3> {
///         self.motion.aabb()
///     }
///     fn pairs_with(&self, other: &Self) -> bool {
///         self.team != other.team && self.motion.pairs_with(&other.motion)
///     }
/// }
/// ```
///
/// [`Bounded::pairs_with`] decides whether two of them meet in time. With a second set or a static
/// set, which may be of other types, the pairs are those of the unions; a [filter](crate::Request::filter) that calls
/// [`time_of_contact`](Self::time_of_contact) keeps those that meet.
///
/// # Rounding
///
/// No pair that meets is lost, to the last bit; in return, a pair that misses by less than some 1e-15 of the time since the
/// beginning of the step may be kept. How: whether two bounds are in order at the beginning and at the end is a comparison, which
/// is exact. Where the two ends differ, the moment between is `gap / (gap - later gap)`, in `f64`: one rounded difference
/// divided by the rounded sum of two numbers of one sign, so nothing cancels and the quotient is wrong by at most 5 units of
/// its own relative rounding error. The last moment of a contact is then taken to be 16 such units later than computed.
///
/// Where that arithmetic leaves the finite numbers, because a bound is infinite at one end of the step or because two
/// bounds are farther apart than `f64` can tell, the bound is taken to be in order all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(serialize = "[S; D]: serde::Serialize", deserialize = "[S; D]: serde::Deserialize<'de>"))
)]
#[repr(C)]
pub struct MovingBox<S, const D: usize> {
    /// The box at the beginning of the step, time 0.
    pub from: Aabb<S, D>,
    /// The box at its end, time 1.
    pub to: Aabb<S, D>,
}

impl<S: Scalar, const D: usize> MovingBox<S, D> {
    /// The box that moves from one place to the other. If one of the two is invalid, so is the moving box, and the engine rejects it.
    #[inline]
    pub fn new(from: Aabb<S, D>, to: Aabb<S, D>) -> Self {
        MovingBox { from, to }
    }

    /// The first moment at which the two boxes share a point, between 0 (the beginning of the step) and 1 (its end), correct up to
    /// rounding. `None` if they never do, or if one of them is invalid.
    pub fn time_of_contact(&self, other: &Self) -> Option<S> {
        if self.is_valid() && other.is_valid() { self.contact(other, [S::ZERO; D]).map(S::from_f64) } else { None }
    }

    fn is_valid(&self) -> bool {
        self.from.is_valid() & self.to.is_valid()
    }

    /// The one of the two boxes that the engine is to reject: one with a NaN if there is, since that is the reason it names first.
    #[cold]
    fn offender(&self) -> Aabb<S, D> {
        let has_nan = |aabb: &Aabb<S, D>| aabb.min.iter().chain(&aabb.max).any(|bound| bound.is_nan());
        if has_nan(&self.from) || !(has_nan(&self.to) || self.from.is_valid()) { self.from } else { self.to }
    }

    /// The first moment of contact of two valid ones, the other one moved by `shift`.
    #[inline]
    fn contact(&self, other: &Self, shift: [S; D]) -> Option<f64> {
        let mut window = Window { first: 0.0, last: 1.0 };
        for axis in 0..D {
            // Exact, unless the other box is moved by a shift.
            let own = |bounds: [S; 2]| bounds.map(S::to_f64);
            let moved = |bounds: [S; 2]| bounds.map(|bound| bound.to_f64() + shift[axis].to_f64());
            // They overlap on the axis while each one's upper bound is not below the other's lower one.
            let (high, low) = (own([self.from.max[axis], self.to.max[axis]]), moved([other.from.min[axis], other.to.min[axis]]));
            let (other_high, own_low) =
                (moved([other.from.max[axis], other.to.max[axis]]), own([self.from.min[axis], self.to.min[axis]]));
            if !window.restrict(high, low) || !window.restrict(other_high, own_low) {
                return None;
            }
        }
        window.is_open().then_some(window.first)
    }
}

/// The part of the step in which everything looked at so far is in order.
struct Window {
    first: f64,
    last: f64,
}

impl Window {
    /// Restricts the window to the time in which `high`, moving from its first value to its second, is not below `low`. False if there is
    /// none.
    #[inline]
    fn restrict(&mut self, high: [f64; 2], low: [f64; 2]) -> bool {
        let in_order = [high[0] >= low[0], high[1] >= low[1]];
        if in_order[0] == in_order[1] {
            return in_order[0];
        }
        let [gap, later] = [0, 1].map(|end| high[end] - low[end]);
        let both = gap - later;
        if both.is_finite() {
            let crossing = gap / both;
            if in_order[0] {
                self.last = self.last.min(crossing);
            } else {
                self.first = self.first.max(crossing);
            }
        }
        true
    }

    /// Whether anything is left, with room for the rounding of both ends: relative, and absolute where a quotient underflows.
    #[inline]
    fn is_open(&self) -> bool {
        self.first <= self.last * (1.0 + 8.0 * f64::EPSILON) + f64::MIN_POSITIVE
    }
}

impl<S: Scalar, const D: usize> Bounded<S, D> for MovingBox<S, D> {
    /// The union of both ends: the box at any moment lies inside, since a bound that moves linearly stays between its ends.
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        if !self.is_valid() {
            return self.offender();
        }
        let mut union = self.from;
        union.grow(&self.to);
        union
    }

    /// Whether the two meet in time.
    #[inline]
    fn pairs_with(&self, other: &Self) -> bool {
        self.contact(other, [S::ZERO; D]).is_some()
    }

    /// Whether the two meet in time, the other one moved.
    #[inline]
    fn pairs_with_moved(&self, other: &Self, shift: [S; D]) -> bool {
        self.contact(other, shift).is_some()
    }
}
