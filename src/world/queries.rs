//! Queries about a world: those of `query`, over moving and static objects at once, with handles instead of indices.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Handle, World};
use crate::query::{Cast, Near, Nearest, Target, is_finite, limit, ordered_by};
use crate::runtime::team::Team;
use crate::{Aabb, Ball, BoxCast, Filtered, Groups, Hit, InGroups, Queries, QueryFilter, Ray, Rows, Scalar, Unfiltered};

/// Finds objects of a [`World`], moving and static ones; made by [`World::queries`].
///
/// | query | one result at a time | into a vector | many queries at once |
/// |---|---|---|---|
/// | boxes that overlap a box | [`visit_overlapping`](Self::visit_overlapping) | [`overlapping`](Self::overlapping) | [`par_overlapping`](Self::par_overlapping) |
/// | boxes that contain a point | [`visit_containing`](Self::visit_containing) | [`containing`](Self::containing) | [`par_containing`](Self::par_containing) |
/// | boxes along a [`Ray`] | [`visit_ray`](Self::visit_ray) | [`ray_hits`](Self::ray_hits) | [`par_ray_hits`](Self::par_ray_hits) |
/// | the first of them | | [`first_hit`](Self::first_hit), [`first_hit_by`](Self::first_hit_by) | [`par_first_hits`](Self::par_first_hits) |
/// | boxes that a moving box meets ([`BoxCast`]) | [`visit_sweep`](Self::visit_sweep) | [`sweep_hits`](Self::sweep_hits) | [`par_sweep_hits`](Self::par_sweep_hits) |
/// | the first of them | | [`first_contact`](Self::first_contact), [`first_contact_by`](Self::first_contact_by) | [`par_first_contacts`](Self::par_first_contacts) |
/// | boxes within a radius ([`Ball`]) | [`visit_within`](Self::visit_within) | [`within`](Self::within) | [`par_within`](Self::par_within) |
/// | the k nearest boxes | | [`nearest`](Self::nearest) | [`par_nearest`](Self::par_nearest) |
///
/// Everything is as of the last step: an object that has been moved or removed since is found where it was, and one that has been inserted
/// since is not found. Boxes have the world's [margin](World#margin). Otherwise these are the queries of [`Queries`].
/// [`in_groups`](Self::in_groups) and [`filtered`](Self::filtered) restrict queries to some objects, [`moving`](Self::moving) and
/// [`statics`](Self::statics) to one kind.
///
/// ```
/// use pivotgrid::{Aabb, Groups, Object, Ray, World};
///
/// let mut world = World::<f32, 2>::new();
/// let wall = Object::new_static(Aabb::new([5.0, -9.0], [6.0, 9.0])).with_groups(Groups::new(1, !0)).with_data(77);
/// let wall = world.insert(wall);
/// let bird = world.insert(Object::new_moving(Aabb::new([2.0, 0.0], [3.0, 1.0])).with_groups(Groups::new(2, !0)));
/// world.par_step();
///
/// let queries = world.queries();
/// let ray = |y| Ray::new([0.0, y], [1.0, 0.0]);
/// let hit = |y| queries.first_hit(&ray(y)).map(|hit| (hit.handle, hit.t));
/// assert_eq!((hit(0.5), hit(2.0), hit(10.0)), (Some((bird, 2.0)), Some((wall, 5.0)), None));
///
/// assert_eq!(queries.filtered(|handle| handle != bird).first_hit(&ray(0.5)).unwrap().handle, wall);
/// assert_eq!(queries.in_groups(Groups::new(!0, 1)).first_hit(&ray(0.5)).unwrap().handle, wall);
/// assert_eq!(queries.first_hit(&ray(2.0)).unwrap().data, 77); // your data comes with every hit
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WorldQueries<'a, S: Scalar, const D: usize, F = Unfiltered> {
    moving: ObjectKind<'a, S, D>,
    statics: ObjectKind<'a, S, D>,
    filter: F,
    /// The world, which has the user data of hits.
    world: &'a World<S, D>,
}

/// The moving or the static objects.
#[derive(Clone, Copy, Debug)]
struct ObjectKind<'a, S: Scalar, const D: usize> {
    target: Target<'a, S, D>,
    /// By index.
    handles: &'a [Handle],
}

/// Applies a filter of handles to the indices of one kind of object.
struct HandleFilter<'a, F> {
    handles: &'a [Handle],
    filter: &'a F,
}

impl<F: QueryFilter<Handle>> QueryFilter<u32> for HandleFilter<'_, F> {
    const ADMITS_ALL: bool = F::ADMITS_ALL;

    #[inline(always)]
    fn admits(&self, index: u32, groups: impl FnOnce() -> Groups) -> bool {
        F::ADMITS_ALL || self.filter.admits(self.handles[index as usize], groups)
    }
}

/// An object that a [`Ray`] or a [`BoxCast`] meets, and when. Ordered by `t`, then by handle.
///
/// ```
/// use pivotgrid::{Aabb, Object, Ray, World};
///
/// let mut world = World::<f32, 2>::new();
/// let wall = world.insert(Object::new_static(Aabb::new([5.0, 0.0], [6.0, 9.0])).with_data(77));
/// let door = world.insert(Object::new_moving(Aabb::new([2.0, 0.0], [3.0, 9.0])).with_data(78));
/// world.par_step();
///
/// let mut hits = Vec::new();
/// world.queries().ray_hits(&Ray::new([0.0, 0.5], [1.0, 0.0]), &mut hits);
/// hits.sort_unstable(); // along the ray
/// let hits: Vec<_> = hits.iter().map(|hit| (hit.handle, hit.t, hit.data)).collect();
/// assert_eq!(hits, [(door, 2.0, 78), (wall, 5.0, 77)]);
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldHit<S> {
    /// The object.
    pub handle: Handle,
    /// Where along the path its box is entered: at origin + t · direction. 0 if the path begins inside.
    pub t: S,
    /// The user data of the object, as [`World::data`] has it now.
    pub data: u64,
}

/// An object near a point, and how near. Ordered by distance, then by handle.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorldNeighbor<S> {
    /// The object.
    pub handle: Handle,
    /// The square of the distance from the point to the nearest point of its box; 0 inside.
    pub distance_squared: S,
    /// The user data of the object, as [`World::data`] has it now.
    pub data: u64,
}

impl<S: Scalar> Near<S> for WorldNeighbor<S> {
    #[inline]
    fn distance_squared(&self) -> S {
        self.distance_squared
    }
}

/// First hits that a thread looks for at a time.
const BLOCK: usize = 256;

impl<S: Scalar, const D: usize> World<S, D> {
    /// Queries about the objects as of the last step, from any number of threads. Builds nothing; see
    /// [`BroadPhase::queries`](crate::BroadPhase::queries) for the tree that rays need.
    pub fn queries(&self) -> WorldQueries<'_, S, D> {
        let kind = |target, handles| match self.last_step.get() {
            Some(()) => ObjectKind { target, handles },
            None => ObjectKind { target: Target::NONE, handles: &[] },
        };
        WorldQueries {
            moving: kind(self.broad_phase.queries().target, &self.moving.seen),
            statics: kind(self.statics.set.queries().target, &self.statics.seen),
            filter: Unfiltered,
            world: self,
        }
    }
}

impl<'a, S: Scalar, const D: usize, F> WorldQueries<'a, S, D, F> {
    /// The same queries among objects whose [`Groups`] admit these; see [`Queries::in_groups`].
    pub fn in_groups(self, groups: Groups) -> WorldQueries<'a, S, D, InGroups<F>> {
        let WorldQueries { moving, statics, filter, world } = self;
        WorldQueries { moving, statics, filter: InGroups { inner: filter, groups }, world }
    }

    /// The same queries among objects for whose handles `predicate` returns true; see [`Queries::filtered`].
    pub fn filtered<P: Fn(Handle) -> bool>(self, predicate: P) -> WorldQueries<'a, S, D, Filtered<F, P>> {
        let WorldQueries { moving, statics, filter, world } = self;
        WorldQueries { moving, statics, filter: Filtered { inner: filter, predicate }, world }
    }

    /// Queries about the moving objects alone, without the filter, and the handles of the indices that they find.
    pub fn moving(&self) -> (Queries<'a, S, D>, &'a [Handle]) {
        (Queries::of(self.moving.target), self.moving.handles)
    }

    /// Queries about the static objects alone, without the filter, and the handles of the indices that they find.
    pub fn statics(&self) -> (Queries<'a, S, D>, &'a [Handle]) {
        (Queries::of(self.statics.target), self.statics.handles)
    }

    fn prepare_tree(&self) {
        let team = Team::of_current_pool();
        [&self.moving, &self.statics].into_iter().for_each(|kind| kind.target.prepare_tree(team));
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<Handle>> WorldQueries<'_, S, D, F> {
    /// Calls `visit` with every object whose box overlaps `bounds`, in no particular order, until it returns `Break`.
    pub fn visit_overlapping<B>(&self, bounds: &Aabb<S, D>, mut visit: impl FnMut(Handle) -> ControlFlow<B>) -> ControlFlow<B> {
        self.kinds().into_iter().try_for_each(|(kind, filter)| {
            kind.target.visit_overlapping(bounds, &filter, |index| visit(kind.handles[index as usize]))
        })
    }

    /// All objects whose boxes overlap `bounds`, in ascending order. The vector is cleared first.
    pub fn overlapping(&self, bounds: &Aabb<S, D>, found: &mut Vec<Handle>) {
        collect(found, |push| self.visit_overlapping(bounds, push));
    }

    /// Calls `visit` with every object whose box contains the point, in no particular order, until it returns `Break`.
    pub fn visit_containing<B>(&self, point: impl Into<[S; D]>, visit: impl FnMut(Handle) -> ControlFlow<B>) -> ControlFlow<B> {
        let point = point.into();
        self.visit_overlapping(&Aabb { min: point, max: point }, visit)
    }

    /// All objects whose boxes contain the point, in ascending order. The vector is cleared first.
    pub fn containing(&self, point: impl Into<[S; D]>, found: &mut Vec<Handle>) {
        let point = point.into();
        self.overlapping(&Aabb { min: point, max: point }, found);
    }

    /// Calls `visit` with every object whose box is within the ball's radius of its center, in no particular order, until it
    /// returns `Break`.
    pub fn visit_within<B>(
        &self,
        ball: &Ball<S, D>,
        mut visit: impl FnMut(WorldNeighbor<S>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some(limit) = limit(ball) else { return ControlFlow::Continue(()) };
        self.kinds().into_iter().try_for_each(|(kind, filter)| {
            kind.target.visit_within(&ball.center, limit, &filter, |near| {
                let handle = kind.handles[near.index as usize];
                visit(WorldNeighbor { handle, distance_squared: near.distance_squared, data: self.data(handle) })
            })
        })
    }

    /// All objects whose boxes are within the ball's radius of its center, the nearest first, those equally near in the order of their
    /// handles. The vector is cleared first.
    pub fn within(&self, ball: &Ball<S, D>, found: &mut Vec<WorldNeighbor<S>>) {
        collect(found, |push| self.visit_within(ball, push));
    }

    /// The `k` objects whose boxes are nearest to the point, the nearest first, those equally near in the order of their handles.
    pub fn nearest(&self, point: impl Into<[S; D]>, k: usize, found: &mut Vec<WorldNeighbor<S>>) {
        found.clear();
        let (point, mut nearest) = (point.into(), Nearest::new(k, std::mem::take(found)));
        if k > 0 && point.iter().all(|&x| is_finite(x)) {
            for (kind, filter) in self.kinds() {
                kind.target.find_nearest(&point, &filter, &mut nearest, |near| {
                    let handle = kind.handles[near.index as usize];
                    Some(WorldNeighbor { handle, distance_squared: near.distance_squared, data: 0 })
                });
            }
        }
        *found = nearest.into_sorted_vec();
        found.iter_mut().for_each(|near| near.data = self.data(near.handle));
    }

    /// Calls `visit` with every object whose box the ray meets, in no particular order, until it returns `Break`.
    pub fn visit_ray<B>(&self, ray: &Ray<S, D>, visit: impl FnMut(WorldHit<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit_cast(Cast::ray(ray), visit)
    }

    /// All objects whose boxes the ray meets, in the order of `t`, those met at once in the order of their handles. The vector is
    /// cleared first.
    pub fn ray_hits(&self, ray: &Ray<S, D>, found: &mut Vec<WorldHit<S>>) {
        collect(found, |push| self.visit_ray(ray, push));
    }

    /// The object whose box the ray meets first, of several the one with the least handle.
    pub fn first_hit(&self, ray: &Ray<S, D>) -> Option<WorldHit<S>> {
        self.first_cast_hit(Cast::ray(ray), |hit| Some(hit.t))
    }

    /// The object that the ray meets first according to `exact`; see [`Queries::first_hit_by`].
    pub fn first_hit_by(&self, ray: &Ray<S, D>, mut exact: impl FnMut(Handle) -> Option<S>) -> Option<WorldHit<S>> {
        self.first_cast_hit(Cast::ray(ray), |hit| exact(hit.handle))
    }

    /// Calls `visit` with every object whose box the moving box touches on its path, in no particular order, until it returns
    /// `Break`.
    pub fn visit_sweep<B>(&self, sweep: &BoxCast<S, D>, visit: impl FnMut(WorldHit<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit_cast(Cast::sweep(sweep), visit)
    }

    /// All objects whose boxes the moving box touches, in the order of their times, those touched at once in the order of their
    /// handles. The vector is cleared first.
    pub fn sweep_hits(&self, sweep: &BoxCast<S, D>, found: &mut Vec<WorldHit<S>>) {
        collect(found, |push| self.visit_sweep(sweep, push));
    }

    /// The object whose box the moving box touches first, of several the one with the least handle.
    pub fn first_contact(&self, sweep: &BoxCast<S, D>) -> Option<WorldHit<S>> {
        self.first_cast_hit(Cast::sweep(sweep), |hit| Some(hit.t))
    }

    /// The object that is touched first according to `exact`; see [`Queries::first_contact_by`].
    pub fn first_contact_by(&self, sweep: &BoxCast<S, D>, mut exact: impl FnMut(Handle) -> Option<S>) -> Option<WorldHit<S>> {
        self.first_cast_hit(Cast::sweep(sweep), |hit| exact(hit.handle))
    }

    fn data(&self, handle: Handle) -> u64 {
        self.world.data(handle).unwrap_or(0)
    }

    /// Each kind of object, and the filter for its indices.
    #[inline(always)]
    fn kinds(&self) -> [(&ObjectKind<'_, S, D>, HandleFilter<'_, F>); 2] {
        [&self.moving, &self.statics].map(|kind| (kind, HandleFilter { handles: kind.handles, filter: &self.filter }))
    }

    fn visit_cast<B>(&self, cast: Option<Cast<S, D>>, mut visit: impl FnMut(WorldHit<S>) -> ControlFlow<B>) -> ControlFlow<B> {
        let Some(cast) = cast else { return ControlFlow::Continue(()) };
        self.kinds().into_iter().try_for_each(|(kind, filter)| {
            kind.target.cast(&cast, &filter, |hit| {
                let hit = kind.hit(hit);
                visit(WorldHit { data: self.data(hit.handle), ..hit }).map_continue(|()| cast.max_t)
            })
        })
    }

    fn first_cast_hit(&self, cast: Option<Cast<S, D>>, mut exact: impl FnMut(WorldHit<S>) -> Option<S>) -> Option<WorldHit<S>> {
        let cast = cast?;
        let mut first: Option<WorldHit<S>> = None;
        for (kind, filter) in self.kinds() {
            let mut rest = cast;
            rest.max_t = first.map_or(cast.max_t, |first| first.t);
            let ControlFlow::Continue(()) = kind.target.cast(&rest, &filter, |hit| {
                let hit = kind.hit(hit);
                if let Some(t) = exact(hit)
                    && cast.lasts_until(t)
                {
                    let hit = WorldHit { t, ..hit };
                    first = Some(first.map_or(hit, |first| first.min(hit)));
                }
                ControlFlow::<Infallible, S>::Continue(first.map_or(cast.max_t, |first| first.t))
            });
        }
        first.map(|first| WorldHit { data: self.data(first.handle), ..first })
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<Handle> + Sync> WorldQueries<'_, S, D, F> {
    /// [`overlapping`](Self::overlapping) for many boxes, on the threads of the rayon pool in which it is called.
    pub fn par_overlapping(&self, boxes: &[Aabb<S, D>], rows: &mut Rows<Handle>) {
        rows.fill(boxes, |bounds, found| self.overlapping(bounds, found));
    }

    /// [`containing`](Self::containing) for many points, likewise.
    pub fn par_containing<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], rows: &mut Rows<Handle>) {
        rows.fill(points, |point, found| self.containing(*point, found));
    }

    /// [`within`](Self::within) for many balls, likewise.
    pub fn par_within(&self, balls: &[Ball<S, D>], rows: &mut Rows<WorldNeighbor<S>>) {
        rows.fill(balls, |ball, found| self.within(ball, found));
    }

    /// [`nearest`](Self::nearest) for many points, likewise.
    pub fn par_nearest<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], k: usize, rows: &mut Rows<WorldNeighbor<S>>) {
        self.prepare_tree();
        rows.fill(points, |point, found| self.nearest(*point, k, found));
    }

    /// [`ray_hits`](Self::ray_hits) of many rays, likewise.
    pub fn par_ray_hits(&self, rays: &[Ray<S, D>], rows: &mut Rows<WorldHit<S>>) {
        self.prepare_tree();
        rows.fill(rays, |ray, found| self.ray_hits(ray, found));
    }

    /// [`first_hit`](Self::first_hit) of many rays, in their order, likewise.
    pub fn par_first_hits(&self, rays: &[Ray<S, D>], found: &mut Vec<Option<WorldHit<S>>>) {
        self.prepare_tree();
        rays.par_iter().with_min_len(BLOCK).map(|ray| self.first_hit(ray)).collect_into_vec(found);
    }

    /// [`sweep_hits`](Self::sweep_hits) of many moving boxes, likewise.
    pub fn par_sweep_hits(&self, sweeps: &[BoxCast<S, D>], rows: &mut Rows<WorldHit<S>>) {
        self.prepare_tree();
        rows.fill(sweeps, |sweep, found| self.sweep_hits(sweep, found));
    }

    /// [`first_contact`](Self::first_contact) of many moving boxes, in their order, likewise.
    pub fn par_first_contacts(&self, sweeps: &[BoxCast<S, D>], found: &mut Vec<Option<WorldHit<S>>>) {
        self.prepare_tree();
        sweeps.par_iter().with_min_len(BLOCK).map(|sweep| self.first_contact(sweep)).collect_into_vec(found);
    }
}

impl<S: Scalar, const D: usize> ObjectKind<'_, S, D> {
    /// A hit of this kind, without its user data.
    fn hit(&self, hit: Hit<S>) -> WorldHit<S> {
        WorldHit { handle: self.handles[hit.index as usize], t: hit.t, data: 0 }
    }
}

/// Fills a vector with what is visited, and sorts it.
fn collect<T: Ord>(
    found: &mut Vec<T>,
    visit_all: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<Infallible>) -> ControlFlow<Infallible>,
) {
    found.clear();
    let ControlFlow::Continue(()) = visit_all(&mut |one| {
        found.push(one);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
}

ordered_by!(WorldHit, t, handle);
ordered_by!(WorldNeighbor, distance_squared, handle);
