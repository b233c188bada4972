//! What moves along a straight line: a point, or a box.

use super::{Ray, Sweep};
use crate::detect::kernel::Motion;
use crate::{Aabb, Scalar};

/// A box on its way, a ray being the way of a box without extent.
///
/// Along an axis it meets the interval from `min` to `max` while `(min - high) / speed <= t <= (max - low) / speed` (for a
/// positive speed; otherwise the other way round). It meets a box while it meets the box's interval on all axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cast<S, const D: usize> {
    pub(super) axes: [Along<S>; D],
    /// Nothing earlier is of interest, nor anything later.
    pub(super) min_t: S,
    pub(super) max_t: S,
}

/// The motion along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along<S> {
    pub(super) low: S,
    pub(super) high: S,
    pub(super) inverse: S,
    pub(super) heading: Heading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    Up,
    Down,
    /// No motion, or one so slow that its inverse overflows.
    Still,
}

impl<S: Scalar, const D: usize> Cast<S, D> {
    /// The way of a ray; nothing if it makes no sense.
    #[inline]
    pub(super) fn ray(ray: &Ray<S, D>) -> Option<Self> {
        let cast = Self::new(&Aabb { min: ray.origin, max: ray.origin }, &ray.direction, ray.max_t)?;
        let moves = cast.axes.iter().any(|along| along.heading != Heading::Still);
        (moves && ray.origin.iter().all(|&x| is_finite(x))).then_some(cast)
    }

    /// The way of a box; nothing if it makes no sense.
    #[inline]
    pub(super) fn sweep(sweep: &Sweep<S, D>) -> Option<Self> {
        Self::new(&sweep.bounds, &sweep.translation, S::from_f64(1.0))
    }

    #[inline(always)]
    fn new(bounds: &Aabb<S, D>, direction: &[S; D], max_t: S) -> Option<Self> {
        let makes_sense = bounds.is_valid() && direction.iter().all(|&x| is_finite(x)) && max_t >= S::ZERO;
        makes_sense.then(|| {
            let axes = std::array::from_fn(|axis| Along::new(bounds.min[axis], bounds.max[axis], direction[axis]));
            Cast { axes, min_t: S::ZERO, max_t }
        })
    }

    /// The same for a kernel; nothing if it rests along some axis, or is infinite.
    #[inline]
    pub(super) fn motion(&self) -> Option<Motion<S, D>> {
        let all = self.axes.each_ref();
        let is_usual = |along: &Along<S>| along.heading != Heading::Still && is_finite(along.low) && is_finite(along.high);
        all.iter().all(|along| is_usual(along)).then(|| Motion {
            from: self.min_t,
            inverse: all.map(|along| along.inverse),
            front: all.map(|along| if along.heading == Heading::Up { along.high } else { along.low }),
            back: all.map(|along| if along.heading == Heading::Up { along.low } else { along.high }),
        })
    }
}

impl<S: Scalar> Along<S> {
    #[inline(always)]
    fn new(low: S, high: S, speed: S) -> Self {
        let inverse = S::from_f64(1.0 / speed.to_f64());
        let heading = match () {
            () if !is_finite(inverse) => Heading::Still,
            () if speed > S::ZERO => Heading::Up,
            () => Heading::Down,
        };
        Along { low, high, inverse, heading }
    }
}

#[inline(always)]
pub(super) fn is_finite<S: Scalar>(x: S) -> bool {
    S::NEG_INFINITY < x && x < S::INFINITY
}
