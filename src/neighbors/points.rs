//! Points as particles of a neighbor search.

use super::reach::{Reach, Rule, is_within};
use crate::runtime::objects::Objects;
use crate::runtime::prefetch::prefetch;
use crate::{Aabb, Ball, Scalar};

/// Points, each as a ball: of half the radius if all look equally far, since two such balls touch if the points are within the radius
/// of each other.
#[derive(Debug)]
pub(super) struct Points<'a, P, S> {
    points: &'a [P],
    reach: Reach<'a, S>,
    margin: S,
    /// Whether pairs must be checked again.
    pub(super) odd: bool,
}

impl<'a, P, S: Scalar> Points<'a, P, S> {
    /// # Panics
    ///
    /// If there is not a radius for each point.
    pub(super) fn new(points: &'a [P], reach: Reach<'a, S>, margin: S) -> Self {
        reach.check(points.len());
        Points { points, reach, margin, odd: reach.is_odd() }
    }

    #[inline(always)]
    fn radius(&self, index: usize) -> S {
        self.reach.with_margin(self.reach.radius(index), self.margin)
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
        box_of(self.points[index].into(), self.radius(index), self.reach.rule())
    }

    #[inline(always)]
    fn ball(&self, index: usize) -> Option<Ball<S, D>> {
        Some(Ball::new(self.points[index], self.radius(index)))
    }

    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        match (self.odd, self.reach.rule()) {
            (true, Some(rule)) => {
                let (one, other) = (self.points[a].into(), self.points[b].into());
                is_within(&one, &other, rule.reach(self.radius(a), self.radius(b)))
            }
            _ => true,
        }
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        prefetch(self.points, index);
        if let Some(radii) = self.reach.radii() {
            prefetch(radii, index);
        }
    }
}

/// The box of a point with such a radius.
#[inline(always)]
pub(super) fn box_of<S: Scalar, const D: usize>(point: [S; D], radius: S, rule: Option<Rule>) -> Aabb<S, D> {
    // A negative radius stays as it is: a fraction of the smallest one would be rounded to zero, which is valid.
    let radius = if rule.is_some() && radius > S::ZERO { radius * S::from_f64(Rule::BOX) } else { radius };
    if radius < S::INFINITY { Ball::new(point, radius).aabb() } else { everywhere(&point, radius) }
}

/// The box of a point that looks infinitely far, or with a radius that is NaN: an infinite coordinate less an infinite radius would be NaN.
#[cold]
fn everywhere<S: Scalar, const D: usize>(point: &[S; D], radius: S) -> Aabb<S, D> {
    let is_nan = radius.is_nan() || point.iter().any(|x| x.is_nan());
    let radius = if is_nan { S::from_f64(f64::NAN) } else { S::INFINITY };
    Aabb { min: [S::ZERO - radius; D], max: [radius; D] }
}
