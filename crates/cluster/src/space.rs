//! Space that may repeat itself along some axes: an object is wrapped into the domain, and has images where it reaches across.
//!
//! The arithmetic is that of `pivotgrid::Periodic`, so that both find the same pairs to the last bit: computed in `f64`, rounded once, and
//! a box that begins inside of the domain is left as it is. Images are needed on one side only; a pair of two images that are
//! both moved along the same axis stands for a pair that other images stand for, and is dropped.

use pivotgrid::{Aabb, Ball, PeriodicReason};

use crate::coordinate::Coordinate;

/// Boxes that are more periods away are refused, so that differences of two such numbers fit an `i32`.
const MOST_PERIODS: f64 = (1 << 29) as f64;

/// By how many periods an image was moved down from where the user has the object, and the axes, as bits, along which it is an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift<const D: usize> {
    pub(crate) periods: [i32; D],
    pub(crate) axes: u32,
}

impl<const D: usize> Shift<D> {
    pub(crate) const NONE: Self = Shift { periods: [0; D], axes: 0 };
}

/// The periods of space; none of them in an open space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space<S, const D: usize> {
    axes: [Option<Period<S>>; D],
    pub(crate) is_open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Period<S> {
    low: S,
    high: S,
    length: f64,
}

impl<S: Coordinate, const D: usize> Space<S, D> {
    pub(crate) const OPEN: Self = Space { axes: [None; D], is_open: true };

    /// Repeats `domain` along the marked axes, or returns the first axis on which that is impossible.
    pub(crate) fn periodic(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Self, usize> {
        let mut space = Self::OPEN;
        for axis in (0..D).filter(|&axis| periodic[axis]) {
            space.axes[axis] = Some(Period::between(domain.min[axis], domain.max[axis]).ok_or(axis)?);
            space.is_open = false;
        }
        Ok(space)
    }

    /// Moves a valid box into the domain. Also returns the axes, as bits, on which it reaches the upper border.
    #[inline(always)]
    pub(crate) fn wrap(&self, bounds: Aabb<S, D>) -> Result<(Aabb<S, D>, Shift<D>, u32), PeriodicReason> {
        if self.is_open {
            return Ok((bounds, Shift::NONE, 0));
        }
        self.wrap_periodic(bounds)
    }

    fn wrap_periodic(&self, mut bounds: Aabb<S, D>) -> Result<(Aabb<S, D>, Shift<D>, u32), PeriodicReason> {
        let (mut shift, mut crossing) = (Shift::NONE, 0);
        for axis in 0..D {
            let Some(period) = &self.axes[axis] else { continue };
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if max.into() - min.into() > period.length {
                return Err(PeriodicReason::LargerThanPeriod { axis: axis as u8 });
            }
            if !period.holds(min) {
                let moved = period.wrap(min, max).ok_or(PeriodicReason::TooFarOut { axis: axis as u8 })?;
                (bounds.min[axis], bounds.max[axis], shift.periods[axis]) = moved;
            }
            crossing |= u32::from(period.down(bounds.max[axis], 1) >= period.low) << axis;
        }
        Ok((bounds, shift, crossing))
    }

    /// A wrapped box moved back by one period along some axes.
    pub(crate) fn image(&self, bounds: &Aabb<S, D>, shift: &Shift<D>, axes: u32) -> (Aabb<S, D>, Shift<D>) {
        let back = std::array::from_fn(|axis| (axes >> axis & 1) as i32);
        let image = Aabb { min: self.down(bounds.min, back), max: self.down(bounds.max, back) };
        (image, Shift { periods: std::array::from_fn(|axis| shift.periods[axis] + back[axis]), axes })
    }

    /// A ball where its image is.
    pub(crate) fn image_of_ball(&self, ball: Ball<S, D>, shift: &Shift<D>) -> Ball<S, D> {
        Ball { center: self.down(ball.center, shift.periods), radius: ball.radius }
    }

    fn down(&self, mut point: [S; D], periods: [i32; D]) -> [S; D] {
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

impl<S: Coordinate> Period<S> {
    fn between(low: S, high: S) -> Option<Self> {
        let length = high.into() - low.into();
        let reach = [low.into() - length, high.into() + length].map(|end| S::rounded(end).into());
        (low < high && reach.iter().all(|end: &f64| end.is_finite())).then_some(Period { low, high, length })
    }

    fn holds(&self, min: S) -> bool {
        self.low <= min && min < self.high
    }

    fn down(&self, bound: S, periods: i32) -> S {
        S::rounded(bound.into() - f64::from(periods) * self.length)
    }

    /// The bounds, and the number of periods by which they were moved down; `None` if that is too large to count.
    fn wrap(&self, min: S, max: S) -> Option<(S, S, i32)> {
        let periods = ((min.into() - self.low.into()) / self.length).floor();
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
        Some((wrapped, if end < wrapped { wrapped } else { end }, periods))
    }
}
