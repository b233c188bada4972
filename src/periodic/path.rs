//! The path of a ray or a moving box through a periodic domain, from border to border.
//!
//! # Why everything is met
//!
//! A stretch lasts as long as the lower corner of the box is in one copy of the domain. Moved down with that copy, the box begins in
//! the domain all that time, as every wrapped object does. Let it be moved further down by some number of periods, or an object
//! moved up by as many. On one axis:
//!
//! 1. An object that is moved by -2 or less ends before the domain, and so before the box begins. Moved by -1 it is its ghost.
//! 2. An object that is moved by 0 or more is met by the box, moved further down by as many. These numbers end where the box
//!    does: a box of width `w` ends less than `w` behind the upper border, so they are at most `w` in periods, rounded up. For a
//!    ray that is 0 only.
//!
//! So a stretch has one copy of the box for each choice of such numbers, and on axes where they are not 0, ghosts do not count. On one
//! stretch that is every meeting, once. An object that is met on several stretches is met with the same shift on each, because the shift
//! depends on where the object is, not on where the box is. So equal objects with equal shifts are the same meeting.

use super::domain::{Domain, MOST_PERIODS};
use super::lattice::LatticePlace;
use super::query_images::AxisSpan;
use crate::query::{Cast, is_finite};
use crate::{Aabb, BoxCast, Ray, Scalar};

/// The most copies of the domain that a path is followed through.
pub(super) const MOST_COPIES: usize = 1 << 16;

/// A bound for the roundings that add up.
const FEW: f64 = 16.0;

/// A box that moves from time 0 to `max_t`; the path of a point, if it is a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<S, const D: usize> {
    pub(super) bounds: Aabb<S, D>,
    pub(super) direction: [S; D],
    pub(super) max_t: S,
}

impl<S: Scalar, const D: usize> Path<S, D> {
    /// The path of a ray; nothing if the ray is invalid.
    pub(super) fn of_ray(ray: &Ray<S, D>) -> Option<Self> {
        let bounds = Aabb { min: ray.origin, max: ray.origin };
        Cast::ray(ray).map(|_| Path { bounds, direction: ray.direction, max_t: ray.max_t })
    }

    /// The path of a box; nothing if the box or its motion is invalid.
    pub(super) fn of_sweep(sweep: &BoxCast<S, D>) -> Option<Self> {
        Cast::sweep(sweep).map(|_| Path { bounds: sweep.bounds, direction: sweep.translation, max_t: S::from_f64(1.0) })
    }
}

/// A part of the path, while the lower corner is in one copy of the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<S, const D: usize> {
    pub(super) copies: Copies<S, D>,
    /// Its beginning and its end, with a little more on either side, so that an object that is met at a border is met on one of the two
    /// stretches.
    pub(super) from: S,
    pub(super) to: S,
}

/// The copies of the box on a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Copies<S, const D: usize> {
    /// Where the box is at time 0, moved down so that the stretch is in the domain, and the further numbers of periods by which it is
    /// moved.
    Along([AxisSpan<S>; D]),
    /// Its place in a lattice.
    At(LatticePlace<D>),
}

/// A path that is being followed.
#[derive(Debug)]
pub(super) struct Stretches<'a, S, const D: usize> {
    domain: &'a Domain<S, D>,
    path: &'a Path<S, D>,
    /// Its speed along each axis; 0 if that is so slow that it counts as resting.
    speed: [f64; D],
    /// The current copy of the domain, the time at which it is entered, and the error of that time.
    periods: [i32; D],
    from: f64,
    slack: f64,
    left: usize,
}

impl<S: Scalar, const D: usize> Domain<S, D> {
    /// The stretches of a path, unless it has no end or begins too far away.
    pub(super) fn stretches<'a>(&'a self, path: &'a Path<S, D>) -> Option<Stretches<'a, S, D>> {
        let mut periods = [0; D];
        for axis in 0..D {
            if let Some(period) = self.period(axis) {
                periods[axis] = period.number(path.bounds.min[axis])?;
            }
        }
        let rests = |speed: S| !is_finite(S::from_f64(1.0 / speed.to_f64()));
        let speed = path.direction.map(|speed| if rests(speed) { 0.0 } else { speed.to_f64() });
        let stretches = Stretches { domain: self, path, speed, periods, from: 0.0, slack: 0.0, left: MOST_COPIES };
        is_finite(path.max_t).then_some(stretches)
    }
}

impl<S: Scalar, const D: usize> Stretches<'_, S, D> {
    pub(super) fn next_stretch(&mut self) -> Option<Stretch<S, D>> {
        let max_t = self.path.max_t.to_f64();
        // A path that ends at a border touches objects that begin behind it.
        if self.from - self.slack > max_t {
            return None;
        }
        // The border that is met next, and on which side.
        let (mut to, mut slack, mut next) = (f64::INFINITY, 0.0, None);
        for axis in 0..D {
            let Some(period) = self.domain.period(axis).filter(|_| self.speed[axis] != 0.0) else { continue };
            let (origin, speed) = (self.path.bounds.min[axis].to_f64(), self.speed[axis]);
            let step = if speed > 0.0 { 1 } else { -1 };
            let border = f64::from(self.periods[axis] + i32::from(step > 0)) * period.length + period.low.to_f64();
            let time = (border - origin) / speed;
            // At an edge of the domain, upwards first: a copy has its lower borders, but not its upper ones, and so the one in
            // which the corner is at that very time has a stretch.
            if time < to || time == to && step > 0 {
                // On this axis the two stretches count from different places. What these are rounded by, in `S` relative to the domain
                // and to the path until then, and in `f64` relative to where it began, is what they may differ by.
                let rounded = S::EPSILON * (period.low.to_f64().abs() + period.length + (time * speed).abs());
                slack = FEW * (rounded + f64::EPSILON * origin.abs()) / speed.abs();
                (to, next) = (time, Some((axis, step)));
            }
        }
        let from = S::from_f64((self.from - self.slack).max(0.0));
        let end = S::from_f64((to + slack).min(max_t));
        let axes: [_; D] = std::array::from_fn(|axis| self.span(axis, from, end));
        let copies = axes.iter().fold(1, |copies: usize, span| copies.saturating_mul(span.count as usize));
        self.left = self.left.checked_sub(copies)?;
        (self.from, self.slack) = (self.from.max(to), slack);
        match next {
            Some((axis, step)) if self.periods[axis].unsigned_abs() < MOST_PERIODS as u32 => self.periods[axis] += step,
            _ => self.left = 0,
        }
        Some(Stretch { copies: Copies::Along(axes), from, to: end })
    }

    /// Where the box is along an axis, and by how many further periods it is to be moved, while it is on a stretch.
    fn span(&self, axis: usize, from: S, to: S) -> AxisSpan<S> {
        let (min, max) = (self.path.bounds.min[axis], self.path.bounds.max[axis]);
        let Some(period) = self.domain.period(axis) else { return AxisSpan::once(min, max) };
        let moved = |bound: S| if self.periods[axis] == 0 { bound } else { period.down(bound, self.periods[axis]) };
        let span = AxisSpan { periods: self.periods[axis], ..AxisSpan::once(moved(min), moved(max)) };
        let width = ((max.to_f64() - min.to_f64()) / period.length).ceil();
        // The farthest position of its end, and a little more.
        let (begin, low) = (span.max.to_f64(), period.low.to_f64());
        let far = (self.speed[axis] * from.to_f64()).max(self.speed[axis] * to.to_f64());
        let rounded = FEW * S::EPSILON * (begin.abs() + far.abs() + low.abs() + period.length);
        let reach = ((begin + far + rounded - low) / period.length).floor();
        // One more than the limit ends the search.
        AxisSpan { count: 1 + width.min(reach).clamp(0.0, MOST_COPIES as f64) as i32, ..span }
    }
}
