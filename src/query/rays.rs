//! Boxes along a ray or a segment.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::cast::Cast;
use super::filter::QueryFilter;
use super::{Hit, Queries};
use crate::Scalar;

/// The points `origin + t · direction` for all `t` from 0 to `max_t`, both included. The direction need not have length 1.
///
/// No box is met by a ray with a coordinate that is NaN or infinite, with a direction of nothing but zeros, or with a `max_t` that
/// is NaN or negative; an infinite `max_t` is fine. (A component of the direction that is so small that its inverse overflows,
/// below 3e-39 in `f32`, counts as zero.)
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Ray};
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.detect(&[Aabb::new([2.0, 0.0], [3.0, 1.0]), Aabb::new([6.0, 0.0], [7.0, 1.0])]);
/// let queries = broad_phase.queries();
/// let ray = Ray::new([0.0, 0.5], [2.0, 0.0]); // t grows by 1 on a way of 2
/// assert_eq!(queries.first_hit(&ray).map(|hit| (hit.index, hit.t)), Some((0, 1.0)));
/// let mut hits = Vec::new();
/// queries.ray_hits(&ray, &mut hits);
/// assert_eq!(hits.iter().map(|hit| hit.t).collect::<Vec<_>>(), [1.0, 3.0]);
/// queries.ray_hits(&Ray { max_t: 2.5, ..ray }, &mut hits);
/// assert_eq!(hits.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "S: Scalar + serde::Serialize, [S; D]: serde::Serialize",
        deserialize = "S: Scalar + serde::Deserialize<'de>, [S; D]: serde::Deserialize<'de>"
    ))
)]
pub struct Ray<S, const D: usize> {
    /// Where it begins.
    pub origin: [S; D],
    /// Where it goes: the way for which `t` grows by 1.
    pub direction: [S; D],
    /// Where it ends.
    #[cfg_attr(feature = "serde", serde(with = "end", default = "end::never"))]
    pub max_t: S,
}

/// The end of a ray, which is `None` for a ray without end, because JSON has no infinite numbers.
#[cfg(feature = "serde")]
mod end {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::Scalar;

    pub(super) fn never<S: Scalar>() -> S {
        S::INFINITY
    }

    pub(super) fn serialize<S: Scalar + Serialize, T: Serializer>(max_t: &S, to: T) -> Result<T::Ok, T::Error> {
        Some(max_t).filter(|&&max_t| max_t != S::INFINITY).serialize(to)
    }

    pub(super) fn deserialize<'de, S: Scalar + Deserialize<'de>, T: Deserializer<'de>>(from: T) -> Result<S, T::Error> {
        Ok(Option::<S>::deserialize(from)?.unwrap_or(S::INFINITY))
    }
}

impl<S: Scalar, const D: usize> Ray<S, D> {
    /// A ray without end.
    pub fn new(origin: impl Into<[S; D]>, direction: impl Into<[S; D]>) -> Self {
        Ray { origin: origin.into(), direction: direction.into(), max_t: S::INFINITY }
    }

    /// The way from one point to another: `t` is 0 at the first and 1 at the second.
    pub fn segment(from: impl Into<[S; D]>, to: impl Into<[S; D]>) -> Self {
        let (from, to) = (from.into(), to.into());
        let direction = std::array::from_fn(|axis| to[axis] - from[axis]);
        Ray { origin: from, direction, max_t: S::from_f64(1.0) }
    }

    /// The same ray up to another `max_t`.
    pub fn up_to(self, max_t: S) -> Self {
        Ray { max_t, ..self }
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> Queries<'_, S, D, F> {
    /// Calls `visit` with every object whose box the ray meets, in no particular order, until it returns `Break`.
    ///
    /// When a box is met is computed in `S`, axis by axis: `(bound - origin) · (1 / direction)`, rounded after each operation.
    pub fn visit_ray<B>(&self, ray: &Ray<S, D>, visit: impl FnMut(Hit<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit_cast(Cast::ray(ray), visit)
    }

    /// All objects whose boxes the ray meets, in the order of `t`, those met at once in the order of their indices.
    pub fn ray_hits(&self, ray: &Ray<S, D>, found: &mut Vec<Hit<S>>) {
        self.cast_hits(Cast::ray(ray), found);
    }

    /// The object whose box the ray meets first, of several the one with the least index. Looks no further than it has to.
    pub fn first_hit(&self, ray: &Ray<S, D>) -> Option<Hit<S>> {
        self.first_cast_hit(Cast::ray(ray), |hit| Some(hit.t))
    }

    /// The object that the ray meets first according to `exact`: called with an object whose box the ray meets, it returns where the ray
    /// meets the object itself, if it does. NaN and values outside of `0..=max_t` count as a miss.
    ///
    /// An object is inside its box, so it is not met before its box is; those whose boxes are met after the first exact hit known
    /// so far are not checked.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, Ray};
    ///
    /// // Discs. The ray cuts a corner of the first one's box, where there is no disc.
    /// let discs = [([0.0, 0.0], 1.0), ([3.0, 5.0], 1.0)];
    /// let mut broad_phase = BroadPhase::<f64, 2>::new();
    /// broad_phase.detect(&discs.map(|(center, radius)| Aabb::around(center, [radius; 2])));
    /// let queries = broad_phase.queries();
    ///
    /// let ray = Ray::new([-3.0, -1.3], [1.0, 1.0]);
    /// assert_eq!(queries.first_hit(&ray).map(|hit| hit.index), Some(0));
    ///
    /// let hit = queries.first_hit_by(&ray, |index| {
    ///     let (center, radius) = discs[index as usize];
    ///     let (x, y) = (ray.origin[0] - center[0], ray.origin[1] - center[1]);
    ///     let half = (x + y) / 2.0; // the direction is (1, 1)
    ///     let root: f64 = (half * half - (x * x + y * y - radius * radius) / 2.0).sqrt();
    ///     Some(-half - root) // NaN, if the ray passes by: a miss
    /// });
    /// assert_eq!(hit.map(|hit| hit.index), Some(1));
    /// ```
    pub fn first_hit_by(&self, ray: &Ray<S, D>, mut exact: impl FnMut(u32) -> Option<S>) -> Option<Hit<S>> {
        self.first_cast_hit(Cast::ray(ray), |hit| exact(hit.index))
    }

    pub(super) fn visit_cast<B>(
        &self,
        cast: Option<Cast<S, D>>,
        mut visit: impl FnMut(Hit<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(cast) = cast else { return ControlFlow::Continue(()) };
        self.target.cast(&cast, &self.filter, |hit| visit(hit).map_continue(|()| cast.max_t))
    }

    pub(super) fn cast_hits(&self, cast: Option<Cast<S, D>>, found: &mut Vec<Hit<S>>) {
        found.clear();
        let ControlFlow::Continue(()) = self.visit_cast(cast, |hit| {
            found.push(hit);
            ControlFlow::<Infallible>::Continue(())
        });
        found.sort_unstable();
    }

    pub(super) fn first_cast_hit(&self, cast: Option<Cast<S, D>>, mut exact: impl FnMut(Hit<S>) -> Option<S>) -> Option<Hit<S>> {
        let cast = cast?;
        let mut first: Option<Hit<S>> = None;
        let ControlFlow::Continue(()) = self.target.cast(&cast, &self.filter, |hit| {
            if let Some(t) = exact(hit)
                && cast.lasts_until(t)
            {
                let hit = Hit { t, ..hit };
                first = Some(first.map_or(hit, |first| first.min(hit)));
            }
            ControlFlow::<Infallible, S>::Continue(first.map_or(cast.max_t, |first| first.t))
        });
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, BroadPhase};

    #[test]
    fn a_ray_may_begin_later() {
        let boxes: Vec<_> = (0..200).map(|i| Aabb::new([2.0 * i as f32, 0.0], [2.0 * i as f32 + 1.0, 1.0])).collect();
        let mut engine = BroadPhase::<f32, 2>::new();
        engine.detect(&boxes);
        let (queries, ray) = (engine.queries(), Ray::new([0.5, 0.5], [1.0, 0.0]).up_to(99.0));
        let point = Aabb { min: ray.origin, max: ray.origin };
        for (from, expected) in [(0.0, Some((0, 0.0))), (0.25, Some((0, 0.25))), (0.75, Some((1, 1.5))), (98.75, None)] {
            let cast = Cast::between(&point, &ray.direction, from, ray.max_t);
            let first = queries.first_cast_hit(cast, |hit| Some(hit.t));
            assert_eq!(first.map(|hit| (hit.index, hit.t)), expected, "from {from}");
        }
    }

    #[test]
    fn both_zeros_are_the_same_time() {
        let boxes = vec![Aabb::new([0.0f32, 0.0], [1.0, 1.0]); 3];
        let mut engine = BroadPhase::<f32, 2>::new();
        engine.detect(&boxes);
        let queries = engine.queries();
        for times in [[0.0, -0.0, 0.0], [-0.0, 0.0, -0.0], [0.0, 0.0, -0.0]] {
            let first = queries.first_hit_by(&Ray::new([0.5, 0.5], [1.0, 0.0]), |index| Some(times[index as usize]));
            assert_eq!(first.map(|hit| hit.index), Some(0), "{times:?}");
        }
        assert_eq!(Hit { index: 1, t: 0.0 }, Hit { index: 1, t: -0.0 });
        assert!(Hit { index: 1, t: 0.0 } < Hit { index: 2, t: -0.0 } && Hit { index: 9, t: -1.0 } < Hit { index: 2, t: -0.0 });
    }
}
