//! The way of a ray or a moving box through a domain that repeats itself, from border to border.
//!
//! # Why everything is met
//!
//! A leg lasts as long as the lower corner of the box is in one copy of the domain. Moved down with that copy, the box begins in
//! the domain all that time, as every wrapped object does. Let it be moved further down by some number of periods, or an object
//! moved up by as many. On one axis:
//!
//! 1. An object that is moved by -2 or less ends before the domain, and so before the box begins. Moved by -1 it is its ghost.
//! 2. An object that is moved by 0 or more is met by the box, moved further down by as many. These numbers end where the box
//!    does: a box of width `w` ends less than `w` behind the upper border, so they are at most `w` in periods, rounded up. For a
//!    ray that is 0 only.
//!
//! So a leg has one copy of the box for each choice of such numbers, and on axes where they are not 0, ghosts do not count. On
//! one leg that is every meeting, once. An object that is met on several legs is met with the same shift on each, because the shift
//! tells where it is, not where the box is: what has the same object and the same shift is the same meeting.

use super::copies::Along;
use super::domain::{Domain, MOST_PERIODS};
use crate::query::{Cast, is_finite};
use crate::{Aabb, Ray, Scalar, Sweep};

/// The most copies of the domain that anybody waits for.
pub(super) const MOST_COPIES: usize = 1 << 16;

/// Roundings, of which a few add up.
const FEW: f64 = 16.0;

/// A box that moves from time 0 to `max_t`; the way of a point, if it is a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<S, const D: usize> {
    pub(super) bounds: Aabb<S, D>,
    pub(super) direction: [S; D],
    max_t: S,
}

impl<S: Scalar, const D: usize> Way<S, D> {
    /// The way of a ray; nothing if it makes no sense.
    pub(super) fn of_ray(ray: &Ray<S, D>) -> Option<Self> {
        let bounds = Aabb { min: ray.origin, max: ray.origin };
        Cast::ray(ray).map(|_| Way { bounds, direction: ray.direction, max_t: ray.max_t })
    }

    /// The way of a box; nothing if it makes no sense.
    pub(super) fn of_sweep(sweep: &Sweep<S, D>) -> Option<Self> {
        Cast::sweep(sweep).map(|_| Way { bounds: sweep.bounds, direction: sweep.translation, max_t: S::from_f64(1.0) })
    }
}

/// A part of the way, while the lower corner is in one copy of the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg<S, const D: usize> {
    /// Where the box is at time 0, moved down to have the leg in the domain, and by which further numbers of periods.
    pub(super) axes: [Along<S>; D],
    /// From when to when, and a little more at either end: whatever is met at a border is met on one of the two legs.
    pub(super) from: S,
    pub(super) to: S,
}

/// A way under way.
#[derive(Debug)]
pub(super) struct Legs<'a, S, const D: usize> {
    domain: &'a Domain<S, D>,
    way: &'a Way<S, D>,
    /// How fast it is along each axis; 0 if that is so slow that it counts as resting.
    speed: [f64; D],
    /// The copy of the domain at hand, when it is entered, and by how much that may be wrong.
    periods: [i32; D],
    from: f64,
    slack: f64,
    left: usize,
}

impl<S: Scalar, const D: usize> Domain<S, D> {
    /// The legs of a way, unless it has no end or begins too far away.
    pub(super) fn legs<'a>(&'a self, way: &'a Way<S, D>) -> Option<Legs<'a, S, D>> {
        let mut periods = [0; D];
        for axis in 0..D {
            if let Some(period) = self.period(axis) {
                periods[axis] = period.number(way.bounds.min[axis])?;
            }
        }
        let rests = |speed: S| !is_finite(S::from_f64(1.0 / speed.to_f64()));
        let speed = way.direction.map(|speed| if rests(speed) { 0.0 } else { speed.to_f64() });
        let legs = Legs { domain: self, way, speed, periods, from: 0.0, slack: 0.0, left: MOST_COPIES };
        is_finite(way.max_t).then_some(legs)
    }
}

impl<S: Scalar, const D: usize> Legs<'_, S, D> {
    pub(super) fn next_leg(&mut self) -> Option<Leg<S, D>> {
        let max_t = self.way.max_t.to_f64();
        // A way that ends at a border touches what begins behind it.
        if self.from - self.slack > max_t {
            return None;
        }
        // The border that is met next, and on which side.
        let (mut to, mut slack, mut next) = (f64::INFINITY, 0.0, None);
        for axis in 0..D {
            let Some(period) = self.domain.period(axis).filter(|_| self.speed[axis] != 0.0) else { continue };
            let (origin, speed) = (self.way.bounds.min[axis].to_f64(), self.speed[axis]);
            let step = if speed > 0.0 { 1 } else { -1 };
            let border = f64::from(self.periods[axis] + i32::from(step > 0)) * period.length + period.low.to_f64();
            let time = (border - origin) / speed;
            // At an edge of the domain, upwards first: a copy has its lower borders, but not its upper ones, and so the one in
            // which the corner is at that very time has a leg.
            if time < to || time == to && step > 0 {
                // On this axis the two legs count from different places. What these are rounded by, in `S` relative to the domain
                // and to the way until then, and in `f64` relative to where it began, is what they may differ by.
                let rounded = S::EPSILON * (period.low.to_f64().abs() + period.length + (time * speed).abs());
                slack = FEW * (rounded + f64::EPSILON * origin.abs()) / speed.abs();
                (to, next) = (time, Some((axis, step)));
            }
        }
        let from = S::from_f64((self.from - self.slack).max(0.0));
        let end = S::from_f64((to + slack).min(max_t));
        let leg = Leg { axes: std::array::from_fn(|axis| self.along(axis, from, end)), from, to: end };
        let copies = leg.axes.iter().fold(1, |copies: usize, along| copies.saturating_mul(along.count as usize));
        self.left = self.left.checked_sub(copies)?;
        (self.from, self.slack) = (self.from.max(to), slack);
        match next {
            Some((axis, step)) if self.periods[axis].unsigned_abs() < MOST_PERIODS as u32 => self.periods[axis] += step,
            _ => self.left = 0,
        }
        Some(leg)
    }

    /// Where the box is along an axis, and by how many further periods it is to be moved, while it is on a leg.
    fn along(&self, axis: usize, from: S, to: S) -> Along<S> {
        let (min, max) = (self.way.bounds.min[axis], self.way.bounds.max[axis]);
        let Some(period) = self.domain.period(axis) else { return Along::once(min, max) };
        let moved = |bound: S| if self.periods[axis] == 0 { bound } else { period.down(bound, self.periods[axis]) };
        let along = Along { periods: self.periods[axis], ..Along::once(moved(min), moved(max)) };
        let width = ((max.to_f64() - min.to_f64()) / period.length).ceil();
        // How far its end comes, and a little more.
        let (begin, low) = (along.max.to_f64(), period.low.to_f64());
        let far = (self.speed[axis] * from.to_f64()).max(self.speed[axis] * to.to_f64());
        let rounded = FEW * S::EPSILON * (begin.abs() + far.abs() + low.abs() + period.length);
        let reach = ((begin + far + rounded - low) / period.length).floor();
        // One more than anybody waits for is enough to end there.
        Along { count: 1 + width.min(reach).clamp(0.0, MOST_COPIES as f64) as i32, ..along }
    }
}
