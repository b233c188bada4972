//! Points that look for each other within a radius.

use crate::runtime::objects::Objects;
use crate::runtime::prefetch::prefetch;
use crate::{Aabb, Ball, Scalar};

/// Points, each as a ball of half the radius: two such balls touch if the points are within the radius of each other. Halving is
/// exact, and so is the sum of two halves.
#[derive(Debug)]
pub(super) struct Points<'a, P, S> {
    points: &'a [P],
    half: S,
}

/// The radius of the balls.
pub(super) fn half_of<S: Scalar>(radius: S) -> S {
    radius * S::from_f64(0.5)
}

impl<'a, P, S: Scalar> Points<'a, P, S> {
    pub(super) fn new(points: &'a [P], radius: S) -> Self {
        Points { points, half: half_of(radius) }
    }
}

impl<P, S: Scalar, const D: usize> Objects<S, D> for Points<'_, P, S>
where
    P: Into<[S; D]> + Copy + Sync,
{
    fn len(&self) -> usize {
        self.points.len()
    }

    #[inline(always)]
    fn bounds(&self, index: usize) -> Aabb<S, D> {
        let point = self.points[index].into();
        if self.half < S::INFINITY { Ball::new(point, self.half).aabb() } else { everywhere(&point, self.half) }
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        Some(Ball::new(self.points[index], self.half))
    }

    #[inline(always)]
    fn expect(&self, index: usize) {
        prefetch(self.points, index);
    }
}

/// The box of a point that looks infinitely far, or with a radius that is NaN: an infinite coordinate less an infinite radius would be NaN.
#[cold]
fn everywhere<S: Scalar, const D: usize>(point: &[S; D], radius: S) -> Aabb<S, D> {
    let is_nan = radius.is_nan() || point.iter().any(|x| x.is_nan());
    let radius = if is_nan { radius - radius } else { S::INFINITY };
    Aabb { min: [S::ZERO - radius; D], max: [radius; D] }
}
