//! The arithmetic of a periodic space: wrapping a box into the domain, and moving it back by one period.
//!
//! All arithmetic is done in `f64` and rounded to `S` once. A box that begins inside the domain stays as it is. The rest of the crate does
//! not need exact results, but two properties that hold after rounding: a wrapped box begins in `low..high`, and `down` is one monotone
//! function, the same for all boxes.

use super::PeriodicReason;
use crate::{Aabb, Scalar};

/// Boxes that are farther away than this many periods are refused: so the difference of two such numbers fits into an `i32`, with room for
/// the one period between an object and its ghost.
pub(super) const MOST_PERIODS: f64 = (1 << 29) as f64;

/// A space that is periodic along some of its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Domain<S, const D: usize> {
    axes: [Option<Period<S>>; D],
    /// A box inside this one need not be moved and has no ghosts, despite rounding. Infinite along axes that are not periodic.
    inside: Aabb<S, D>,
}

/// One periodic axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Period<S> {
    pub(super) low: S,
    high: S,
    pub(super) length: f64,
}

/// A box with its `min` in the domain, and how it got there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapped<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    /// How many periods the box was moved down, by axis.
    pub(crate) periods: [i32; D],
    /// The axes, as bits, on which it reaches the upper border.
    pub(crate) crossing: u8,
}

impl<S: Scalar, const D: usize> Domain<S, D> {
    /// The space that repeats `domain` along the marked axes, or the first axis on which that is impossible. The domain's bounds on other
    /// axes are ignored.
    pub(crate) fn new(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Self, usize> {
        let mut axes = [None; D];
        let mut inside = Aabb { min: [S::NEG_INFINITY; D], max: [S::INFINITY; D] };
        for axis in (0..D).filter(|&axis| periodic[axis]) {
            let period = Period::between(domain.min[axis], domain.max[axis]).ok_or(axis)?;
            (inside.min[axis], inside.max[axis]) = (period.low, period.surely_inside());
            axes[axis] = Some(period);
        }
        Ok(Domain { axes, inside })
    }

    /// Whether a valid box neither has to be moved nor has ghosts. True for most such boxes, not for all.
    #[inline(always)]
    pub(crate) fn is_well_inside(&self, aabb: &Aabb<S, D>) -> bool {
        // Without `&&`: one predictable branch per box instead of one per axis.
        (0..D).fold(true, |inside, axis| {
            inside & (self.inside.min[axis] <= aabb.min[axis]) & (aabb.max[axis] <= self.inside.max[axis])
        })
    }

    /// The shift by a number of periods upward along each axis.
    #[inline]
    pub(crate) fn translation(&self, shift: [i32; D]) -> [S; D] {
        let along = |axis: usize| self.axes[axis].map_or(0.0, |period| f64::from(shift[axis]) * period.length);
        std::array::from_fn(|axis| S::from_f64(along(axis)))
    }

    /// The period along an axis, if it is a periodic one.
    #[inline]
    pub(super) fn period(&self, axis: usize) -> Option<&Period<S>> {
        self.axes[axis].as_ref()
    }

    /// Moves a valid box into the domain by whole periods.
    #[inline]
    pub(crate) fn wrap(&self, aabb: Aabb<S, D>) -> Result<Wrapped<S, D>, PeriodicReason> {
        let mut wrapped = Wrapped { bounds: aabb, periods: [0; D], crossing: 0 };
        for axis in 0..D {
            let Some(period) = &self.axes[axis] else { continue };
            let bounds = &mut wrapped.bounds;
            if bounds.max[axis].to_f64() - bounds.min[axis].to_f64() > period.length {
                return Err(PeriodicReason::LargerThanPeriod { axis: axis as u8 });
            }
            if !period.holds(bounds.min[axis]) {
                let moved = period.wrap(bounds.min[axis], bounds.max[axis]);
                (bounds.min[axis], bounds.max[axis], wrapped.periods[axis]) =
                    moved.ok_or(PeriodicReason::TooFarOut { axis: axis as u8 })?;
            }
            wrapped.crossing |= u8::from(period.reaches_the_end(bounds.max[axis])) << axis;
        }
        Ok(wrapped)
    }

    /// A point moved down by a number of periods along each axis.
    #[inline]
    pub(crate) fn down(&self, mut point: [S; D], periods: [i32; D]) -> [S; D] {
        for axis in 0..D {
            if let Some(period) = &self.axes[axis]
                && periods[axis] != 0
            {
                point[axis] = period.down(point[axis], periods[axis]);
            }
        }
        point
    }
}

impl<S: Scalar> Period<S> {
    fn between(low: S, high: S) -> Option<Self> {
        let length = high.to_f64() - low.to_f64();
        // A wrapped box reaches up to one period beyond the domain, a ghost begins up to one period before it.
        let reach = [low.to_f64() - length, high.to_f64() + length].map(|end| S::from_f64(end).to_f64());
        (low < high && reach.iter().all(|end| end.is_finite())).then_some(Period { low, high, length })
    }

    #[inline]
    pub(super) fn holds(&self, min: S) -> bool {
        self.low <= min && min < self.high
    }

    /// Whether a wrapped box that ends here has a ghost.
    #[inline]
    pub(super) fn reaches_the_end(&self, max: S) -> bool {
        self.down(max, 1) >= self.low
    }

    /// A box that begins in the domain and ends up to here has no ghost, despite rounding.
    fn surely_inside(&self) -> S {
        let (low, high) = (self.low.to_f64(), self.high.to_f64());
        S::from_f64(high - 16.0 * S::EPSILON * (low.abs() + high.abs() + self.length)).below()
    }

    #[inline]
    pub(super) fn down(&self, bound: S, periods: i32) -> S {
        S::from_f64(bound.to_f64() - f64::from(periods) * self.length)
    }

    /// The domain and a little more: an interval that contains all that is in the domain up to rounding.
    pub(super) fn roughly(&self) -> (S, S) {
        let (low, high) = (self.low.to_f64(), self.high.to_f64());
        let rounded = 16.0 * S::EPSILON * (low.abs() + high.abs());
        (S::from_f64(low - rounded), S::from_f64(high + rounded))
    }

    /// The number of periods by which to move a coordinate down into the domain; `None` if they are too many to count.
    pub(super) fn number(&self, x: S) -> Option<i32> {
        if self.holds(x) { Some(0) } else { self.wrap(x, x).map(|(.., periods)| periods) }
    }

    /// The bounds and by how many periods they were moved down; `None` if those are too many to count.
    ///
    /// Just below a border, the rounded result may lie outside of the domain for every number of periods: 1e-20 below zero plus a period of
    /// ten is ten. Such a box begins at `low`.
    pub(super) fn wrap(&self, min: S, max: S) -> Option<(S, S, i32)> {
        let periods = ((min.to_f64() - self.low.to_f64()) / self.length).floor();
        if periods.is_nan() || periods.abs() > MOST_PERIODS {
            return None;
        }
        let mut periods = periods as i32;
        // The quotient may have been rounded to the next integer, either way.
        if self.down(min, periods) >= self.high {
            periods += 1;
        } else if self.down(min, periods) < self.low && self.down(min, periods - 1) < self.high {
            periods -= 1;
        }
        let mut wrapped = self.down(min, periods);
        if wrapped < self.low {
            wrapped = self.low;
        }
        let end = self.down(max, periods);
        debug_assert!(self.holds(wrapped), "{min:?} became {wrapped:?} in {self:?}");
        Some((wrapped, if end < wrapped { wrapped } else { end }, periods))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap<S: Scalar>([low, high]: [S; 2], [min, max]: [S; 2]) -> (S, S, i32) {
        Period::between(low, high).expect("a period").wrap(min, max).expect("not too far")
    }

    #[test]
    fn whole_periods_are_counted_in_both_directions() {
        assert_eq!(wrap([0.0f32, 10.0], [10.0, 11.0]), (0.0, 1.0, 1));
        assert_eq!(wrap([0.0f32, 10.0], [-0.5, 0.5]), (9.5, 10.5, -1));
        assert_eq!(wrap([-4.0f64, -1.0], [100.0, 100.25]), (-2.0, -1.75, 34));
        assert_eq!(wrap([2.0f64, 5.0], [-1.0, 2.0]), (2.0, 5.0, -1));
    }

    /// Every float around some borders, and many others: inside, despite rounding.
    #[test]
    fn wrapped_boxes_begin_inside() {
        for [low, high] in [[0.0f32, 10.0], [-0.1, 0.2], [1e5, 1e5 + 0.0625], [-3.0, 1e-3], [0.1, 0.3]] {
            let period = Period::between(low, high).unwrap();
            for count in (-40..40).chain([-70_001, 123_456, 1 << 24]) {
                let border = (f64::from(low) + f64::from(count) * period.length) as f32;
                let (mut below, mut above) = (border, border);
                for _ in 0..20 {
                    for min in [below, above, border + period.length as f32 * 0.37] {
                        let (wrapped, end, periods) = period.wrap(min, min).unwrap();
                        assert!(period.holds(wrapped) && wrapped <= end, "{min} in {period:?} became {wrapped}..{end}");
                        let error = f64::from(min) - f64::from(periods) * period.length - f64::from(wrapped);
                        assert!(
                            error.abs() <= f64::from(f32::EPSILON) * f64::from(low.abs().max(high)),
                            "{min} is off by {error}"
                        );
                    }
                    (below, above) = (below.next_down(), above.next_up());
                }
            }
        }
    }

    /// Rounding loses its position, whichever border it is put at; it must not become inverted.
    #[test]
    fn a_point_just_below_the_border_stays_a_point() {
        assert_eq!(wrap([0.0f32, 10.0], [-1e-20, -1e-20]), (0.0, 0.0, 0));
        assert_eq!(wrap([0.0f64, 10.0], [-1e-200, -1e-200]), (0.0, 0.0, 0));
    }

    #[test]
    fn positions_that_cannot_be_counted_are_refused() {
        let period = Period::between(0.0f32, 1.0).unwrap();
        assert_eq!(period.wrap(1e9, 1e9), None);
        assert_eq!(period.wrap(f32::NEG_INFINITY, f32::NEG_INFINITY), None);
        assert!(period.wrap(5e8, 5e8).is_some());
    }

    #[test]
    fn bad_periods_are_refused() {
        let bad = [[1.0, 1.0], [2.0, 1.0], [0.0, f32::INFINITY], [f32::NAN, 1.0], [f32::MIN, f32::MAX], [0.0, f32::MAX]];
        assert!(bad.iter().all(|&[low, high]| Period::between(low, high).is_none()));
        assert!(Period::between(-f64::MAX, f64::MAX).is_none());
        let domain = Aabb::new([0.0, f32::NAN], [1.0, f32::NAN]);
        assert!(Domain::new(domain, [true, false]).is_ok());
        assert_eq!(Domain::new(domain, [true, true]).unwrap_err(), 1);
    }
}
