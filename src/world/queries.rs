//! Questions to a world, answered in handles.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::{Handle, World};
use crate::{Aabb, DetectError, Hit, Queries, Ray, Scalar};

/// Answers questions about the objects of a [`World`]; made by [`World::queries`].
///
/// Everything is as of the last step: an object that has been moved or removed since is found where it was, and one that has been
/// inserted since is not found. Boxes have the world's [margin](World#margin). Otherwise all is as in [`Queries`], and
/// [`moving`](Self::moving) and [`statics`](Self::statics) are the way to the questions that are not repeated here.
///
/// ```
/// use pivotgrid::{Aabb, Object, Ray, World};
///
/// let mut world = World::<f32, 2>::new();
/// let wall = world.insert(Object::new_static(Aabb::new([5.0, -9.0], [6.0, 9.0])));
/// let bird = world.insert(Object::new_moving(Aabb::new([2.0, 0.0], [3.0, 1.0])));
/// world.par_step();
///
/// let queries = world.queries();
/// let hit = |y| queries.first_hit(&Ray::new([0.0, y], [1.0, 0.0])).map(|hit| (hit.handle, hit.t));
/// assert_eq!((hit(0.5), hit(2.0), hit(10.0)), (Some((bird, 2.0)), Some((wall, 5.0)), None));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WorldQueries<'a, S: Scalar, const D: usize> {
    moving: Side<'a, S, D>,
    statics: Side<'a, S, D>,
}

/// The objects of one kind.
#[derive(Clone, Copy, Debug)]
struct Side<'a, S: Scalar, const D: usize> {
    queries: Queries<'a, S, D>,
    handles: &'a [Handle],
}

/// An object that a [`Ray`] meets, and when. Ordered by `t`, then by handle.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldHit<S> {
    /// The object.
    pub handle: Handle,
    /// Where along the way its box is entered: at origin + t · direction. 0 if the way begins inside.
    pub t: S,
}

impl<S: Scalar, const D: usize> World<S, D> {
    /// Questions about the objects as of the last step, to be asked from any number of threads.
    ///
    /// If static objects had changed before that step, this builds their grid anew, on the threads of the rayon pool in which it is
    /// called.
    ///
    /// # Panics
    ///
    /// If memory is refused for that; [`try_queries`](Self::try_queries) returns an error instead.
    pub fn queries(&mut self) -> WorldQueries<'_, S, D> {
        self.try_queries().unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`queries`](Self::queries), or an error when memory is refused.
    pub fn try_queries(&mut self) -> Result<WorldQueries<'_, S, D>, DetectError> {
        if self.last_step.get().is_none() {
            let nothing = Side { queries: Queries::NONE, handles: &[] };
            return Ok(WorldQueries { moving: nothing, statics: nothing });
        }
        Ok(WorldQueries {
            moving: Side { queries: self.broad_phase.queries(), handles: &self.moving.seen },
            statics: Side { queries: self.statics.set.try_queries()?, handles: &self.statics.seen },
        })
    }
}

impl<'a, S: Scalar, const D: usize> WorldQueries<'a, S, D> {
    /// Calls `visit` with every object whose box overlaps `bounds`, in no particular order, until it returns `Break`.
    pub fn visit_overlapping<B>(&self, bounds: &Aabb<S, D>, mut visit: impl FnMut(Handle) -> ControlFlow<B>) -> ControlFlow<B> {
        self.sides().iter().try_for_each(|side| side.queries.visit_overlapping(bounds, |index| visit(side.handle(index))))
    }

    /// All objects whose boxes overlap `bounds`, in ascending order. The vector is cleared first.
    pub fn overlapping(&self, bounds: &Aabb<S, D>, found: &mut Vec<Handle>) {
        found.clear();
        let ControlFlow::Continue(()) = self.visit_overlapping(bounds, |handle| {
            found.push(handle);
            ControlFlow::<std::convert::Infallible>::Continue(())
        });
        found.sort_unstable();
    }

    /// All objects whose boxes contain the point, in ascending order. The vector is cleared first.
    pub fn containing(&self, point: impl Into<[S; D]>, found: &mut Vec<Handle>) {
        let point = point.into();
        self.overlapping(&Aabb { min: point, max: point }, found);
    }

    /// Calls `visit` with every object whose box the ray meets, in no particular order, until it returns `Break`.
    pub fn visit_ray<B>(&self, ray: &Ray<S, D>, mut visit: impl FnMut(WorldHit<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        self.sides().iter().try_for_each(|side| side.queries.visit_ray(ray, |hit| visit(side.hit(hit))))
    }

    /// All objects whose boxes the ray meets, in the order of `t`, those met at once in the order of their handles. The vector is
    /// cleared first.
    pub fn ray_hits(&self, ray: &Ray<S, D>, found: &mut Vec<WorldHit<S>>) {
        found.clear();
        let ControlFlow::Continue(()) = self.visit_ray(ray, |hit| {
            found.push(hit);
            ControlFlow::<std::convert::Infallible>::Continue(())
        });
        found.sort_unstable();
    }

    /// The object whose box the ray meets first, of several the one with the least handle.
    pub fn first_hit(&self, ray: &Ray<S, D>) -> Option<WorldHit<S>> {
        let mut first: Option<WorldHit<S>> = None;
        for side in self.sides() {
            let within = first.map_or(*ray, |first| ray.up_to(first.t));
            let Some(nearest) = side.queries.first_hit(&within) else { continue };
            // Of those met at once it is the one with the least index, which says nothing about handles: ask again, no further.
            let ControlFlow::Continue(()) = side.queries.visit_ray(&ray.up_to(nearest.t), |hit| {
                let hit = side.hit(hit);
                first = Some(first.map_or(hit, |first| first.min(hit)));
                ControlFlow::<std::convert::Infallible>::Continue(())
            });
        }
        first
    }

    /// All questions to the moving objects, and the handles of the indices in the answers.
    pub fn moving(&self) -> (Queries<'a, S, D>, &'a [Handle]) {
        (self.moving.queries, self.moving.handles)
    }

    /// All questions to the static objects, and the handles of the indices in the answers.
    pub fn statics(&self) -> (Queries<'a, S, D>, &'a [Handle]) {
        (self.statics.queries, self.statics.handles)
    }

    fn sides(&self) -> [&Side<'a, S, D>; 2] {
        [&self.moving, &self.statics]
    }
}

impl<S: Scalar, const D: usize> Side<'_, S, D> {
    fn handle(&self, index: u32) -> Handle {
        self.handles[index as usize]
    }

    fn hit(&self, hit: Hit<S>) -> WorldHit<S> {
        WorldHit { handle: self.handle(hit.index), t: hit.t }
    }
}

impl<S: Scalar> Ord for WorldHit<S> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.t.to_f64() + 0.0).total_cmp(&(other.t.to_f64() + 0.0)).then(self.handle.cmp(&other.handle))
    }
}

impl<S: Scalar> PartialOrd for WorldHit<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Scalar> PartialEq for WorldHit<S> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<S: Scalar> Eq for WorldHit<S> {}
