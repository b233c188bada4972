//! The way of a ray through a domain that repeats itself, from border to border.

use super::domain::{Domain, MOST_PERIODS};
use crate::{Ray, Scalar};

/// The most legs that anybody waits for.
const MOST_LEGS: usize = 1 << 16;

/// A part of the way within one copy of the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg<S, const D: usize> {
    /// How many periods to move it down to have it in the domain.
    pub(super) periods: [i32; D],
    /// From when to when, and a little more at either end: whatever is met at a border is met on one of the two legs.
    pub(super) from: S,
    pub(super) to: S,
}

/// A way under way.
#[derive(Debug)]
pub(super) struct Legs<'a, S, const D: usize> {
    domain: &'a Domain<S, D>,
    origin: [f64; D],
    direction: [f64; D],
    max_t: f64,
    /// The copy of the domain at hand, and when it is entered; nothing behind the end.
    periods: [i32; D],
    from: f64,
    left: usize,
}

impl<S: Scalar, const D: usize> Domain<S, D> {
    /// The way of a ray, unless it has no end or begins too far away.
    pub(super) fn legs(&self, ray: &Ray<S, D>) -> Option<Legs<'_, S, D>> {
        let max_t = ray.max_t.to_f64();
        let (origin, direction) = (ray.origin.map(|x| x.to_f64()), ray.direction.map(|x| x.to_f64()));
        let mut periods = [0; D];
        for axis in 0..D {
            if let Some(period) = self.period(axis) {
                let number = ((origin[axis] - period.low.to_f64()) / period.length).floor();
                if number.is_nan() || number.abs() > MOST_PERIODS {
                    return None;
                }
                periods[axis] = number as i32;
            }
        }
        let legs = Legs { domain: self, origin, direction, max_t, periods, from: 0.0, left: MOST_LEGS };
        (max_t >= 0.0 && max_t.is_finite()).then_some(legs)
    }
}

impl<S: Scalar, const D: usize> Legs<'_, S, D> {
    pub(super) fn next_leg(&mut self) -> Option<Leg<S, D>> {
        if self.left == 0 || self.from > self.max_t {
            return None;
        }
        self.left -= 1;
        // The border that is met next, and on which side.
        let (mut to, mut next) = (self.max_t, None);
        for axis in 0..D {
            let Some(period) = self.domain.period(axis) else { continue };
            if self.direction[axis] == 0.0 {
                continue;
            }
            let step = if self.direction[axis] > 0.0 { 1 } else { -1 };
            let border = f64::from(self.periods[axis] + i32::from(step > 0)) * period.length + period.low.to_f64();
            let time = (border - self.origin[axis]) / self.direction[axis];
            if time < to {
                (to, next) = (time, Some((axis, step)));
            }
        }
        // A period has as many roundings as the longest way has; relative to it, a few last digits of `S` are enough.
        let slack = 16.0 * S::EPSILON * (self.reach() + to.abs());
        let leg = Leg {
            periods: self.periods,
            from: S::from_f64((self.from - slack).max(0.0)),
            to: S::from_f64((to + slack).min(self.max_t)),
        };
        self.from = self.from.max(to);
        match next {
            Some((axis, step)) if self.periods[axis].unsigned_abs() < MOST_PERIODS as u32 => self.periods[axis] += step,
            _ => self.left = 0,
        }
        Some(leg)
    }

    /// How long it takes to go as far as the coordinates of the domain are large: what their roundings are relative to.
    fn reach(&self) -> f64 {
        let along = |axis: usize| {
            let period = self.domain.period(axis)?;
            let far = period.low.to_f64().abs() + period.length;
            (self.direction[axis] != 0.0).then(|| far / self.direction[axis].abs())
        };
        (0..D).filter_map(along).fold(0.0, |reach: f64, along| if along < 1e300 { reach.max(along) } else { reach })
    }
}
