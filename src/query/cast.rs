//! A point or a box that moves along a straight line.

use super::{BoxCast, Ray};
use crate::kernel::Motion;
use crate::{Aabb, Scalar};

/// A box on its path, a ray being the path of a box without extent.
///
/// Along an axis it meets the interval from `min` to `max` while `(min - high) / speed <= t <= (max - low) / speed` (for a
/// positive speed; otherwise the other way round). It meets a box while it meets the box's interval on all axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cast<S, const D: usize> {
    pub(super) motion: Motion<S, D>,
    /// Along each axis, the side of a box that is met first: 0 is the lower one.
    pub(super) near: [usize; D],
    /// Whether it rests along some axis, or is infinite: such casts take a separate path.
    pub(super) is_degenerate: bool,
    /// Nothing later is of interest.
    pub(crate) max_t: S,
}

impl<S: Scalar, const D: usize> Cast<S, D> {
    /// The path of a ray; nothing if it makes no sense.
    #[inline]
    pub(crate) fn ray(ray: &Ray<S, D>) -> Option<Self> {
        let cast = Self::new(&Aabb { min: ray.origin, max: ray.origin }, &ray.direction, ray.max_t)?;
        let moves = cast.motion.rests.iter().any(|rests| !rests);
        (moves && ray.origin.iter().all(|&x| is_finite(x))).then_some(cast)
    }

    /// The path of a box; nothing if it makes no sense.
    #[inline]
    pub(crate) fn sweep(sweep: &BoxCast<S, D>) -> Option<Self> {
        Self::new(&sweep.bounds, &sweep.translation, S::from_f64(1.0))
    }

    /// The path of a box from one time to another; nothing if it makes no sense.
    #[inline]
    pub(crate) fn between(bounds: &Aabb<S, D>, direction: &[S; D], from: S, to: S) -> Option<Self> {
        let mut cast = Self::new(bounds, direction, to)?;
        cast.motion.from = from;
        Some(cast)
    }

    /// Whether a time is between its beginning and its end.
    #[inline(always)]
    pub(crate) fn lasts_until(&self, t: S) -> bool {
        t >= self.motion.from && t <= self.max_t
    }

    #[inline(always)]
    fn new(bounds: &Aabb<S, D>, direction: &[S; D], max_t: S) -> Option<Self> {
        let makes_sense = bounds.is_valid() && direction.iter().all(|&x| is_finite(x)) && max_t >= S::ZERO;
        makes_sense.then(|| {
            let inverse = direction.map(|speed| S::from_f64(1.0 / speed.to_f64()));
            // Or so slow that the inverse overflows.
            let rests = inverse.map(|inverse| !is_finite(inverse));
            let near: [usize; D] = std::array::from_fn(|axis| usize::from(!rests[axis] & (inverse[axis] < S::ZERO)));
            let face = |axis: usize, side: usize| if side == 0 { bounds.min[axis] } else { bounds.max[axis] };
            let motion = Motion {
                from: S::ZERO,
                rests,
                inverse,
                front: std::array::from_fn(|axis| face(axis, 1 - near[axis])),
                back: std::array::from_fn(|axis| face(axis, near[axis])),
            };
            let is_infinite = !bounds.min.iter().chain(&bounds.max).all(|&x| is_finite(x));
            Cast { motion, near, is_degenerate: is_infinite || rests.contains(&true), max_t }
        })
    }
}

#[inline(always)]
pub(crate) fn is_finite<S: Scalar>(x: S) -> bool {
    S::NEG_INFINITY < x && x < S::INFINITY
}
