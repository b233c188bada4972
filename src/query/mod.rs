//! Queries about what the last step built: boxes, points, rays, moving boxes, neighbors.
//!
//! The grid is read and never written, so any number of threads may query at once. A plain formula on the boxes decides, in the user's
//! scalar; the grid only limits which boxes are tested. A part of the grid is skipped only if the *same formula* fails for a box around
//! everything that lives there ([`region::Region`], [`tree::Node`]). The formulas consist of operations that stay monotone when they round,
//! so if the formula fails for the outer box, it fails for every box inside: no hit is lost to rounding, and the only error bound is that
//! of a cell's border.
//!
//! [`Target`] is what queries search, [`GridView`] a grid of it. [`Queries`] and the queries of worlds and periodic domains are thin: they
//! add the filter and the user's keys.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "a part of the grid is left out only if it is known to be; NaN is not")]

mod batch;
mod box_casts;
mod boxes;
mod cast;
mod chunks;
mod descend;
mod filter;
mod found;
#[cfg(test)]
mod hostile_work;
mod lanes;
mod nearest;
mod place_order;
mod rays;
mod region;
pub(crate) mod residents;
mod rows;
mod target;
mod tree;
mod view;
mod within;
#[cfg(test)]
mod work;

use crate::{Groups, Scalar};

pub use box_casts::BoxCast;
pub(crate) use cast::{Cast, is_finite};
pub use filter::{Filtered, InGroups, QueryFilter, Unfiltered};
pub(crate) use found::ordered_by;
pub use found::{Hit, Neighbor};
pub(crate) use nearest::{Near, Nearest};
pub use rays::Ray;
pub use rows::Rows;
pub(crate) use target::Target;
pub(crate) use tree::Lazy;
pub(crate) use view::GridView;
pub(crate) use within::{limit, square_of_distance};

/// Finds objects; made by [`BroadPhase::queries`](crate::BroadPhase::queries) and [`StaticSet::queries`](crate::StaticSet::queries).
///
/// | query | one result at a time | into a vector | many queries at once |
/// |---|---|---|---|
/// | boxes that overlap a box | [`visit_overlapping`](Self::visit_overlapping) | [`overlapping`](Self::overlapping) | [`par_overlapping`](Self::par_overlapping) |
/// | boxes that contain a point | [`visit_containing`](Self::visit_containing) | [`containing`](Self::containing) | [`par_containing`](Self::par_containing) |
/// | boxes along a [`Ray`] | [`visit_ray`](Self::visit_ray) | [`ray_hits`](Self::ray_hits) | [`par_ray_hits`](Self::par_ray_hits) |
/// | the first of them | | [`first_hit`](Self::first_hit), [`first_hit_by`](Self::first_hit_by) | [`par_first_hits`](Self::par_first_hits) |
/// | boxes that a moving box meets ([`BoxCast`]) | [`visit_sweep`](Self::visit_sweep) | [`sweep_hits`](Self::sweep_hits) | [`par_sweep_hits`](Self::par_sweep_hits) |
/// | the first of them | | [`first_contact`](Self::first_contact), [`first_contact_by`](Self::first_contact_by) | [`par_first_contacts`](Self::par_first_contacts) |
/// | boxes within a radius ([`Ball`](crate::Ball)) | [`visit_within`](Self::visit_within) | [`within`](Self::within) | [`par_within`](Self::par_within) |
/// | the k nearest boxes | | [`nearest`](Self::nearest) | [`par_nearest`](Self::par_nearest) |
///
/// Objects are known by their indices in the slice that the step was given. Boxes are closed: touching is overlapping. Objects
/// that the step rejected are never found, infinite boxes are found like any other. A query that makes no sense (a NaN
/// anywhere, an inverted box, a ray without direction, a negative radius) finds nothing, and does not panic.
///
/// The vectors are the caller's and are cleared first; once they are large enough, no query allocates. (A batch of thousands
/// does, to sort its queries by place.)
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Ray};
///
/// let boxes: Vec<_> = (0..1000).map(|i| Aabb::new([3.0 * i as f32, 0.0], [3.0 * i as f32 + 1.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.par_detect(&boxes);
///
/// let queries = broad_phase.queries();
/// let mut found = Vec::new();
/// queries.overlapping(&Aabb::new([7.0, -1.0], [12.0, 5.0]), &mut found);
/// found.sort_unstable();
/// assert_eq!(found, [2, 3, 4]); // 2 and 4 are only touched
///
/// let hit = queries.first_hit(&Ray::new([100.0, 0.5], [-1.0, 0.0])).unwrap();
/// assert_eq!((hit.index, hit.t), (33, 0.0)); // it starts inside
/// let hit = queries.first_hit(&Ray::new([98.0, 0.5], [-1.0, 0.0])).unwrap();
/// assert_eq!((hit.index, hit.t), (32, 1.0));
/// ```
///
/// # Filters
///
/// [`in_groups`](Self::in_groups) and [`filtered`](Self::filtered) restrict all of these queries, the batches included, to some of the
/// objects. An object is left out before a visitor or `exact` sees it, and before it counts as first or nearest.
///
/// ```
/// use pivotgrid::{Aabb, Bounded, BroadPhase, Groups, Ray};
///
/// struct Body(Aabb<f32, 2>, Groups);
/// impl Bounded<f32, 2> for Body {
///     fn aabb(&self) -> Aabb<f32, 2> {
///         self.0
///     }
///     fn groups(&self) -> Groups {
///         self.1
///     }
/// }
///
/// const GHOST: u32 = 1;
/// const WALL: u32 = 2;
/// let at = |x: f32| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
/// let bodies = [Body(at(2.0), Groups::new(GHOST, !0)), Body(at(4.0), Groups::new(WALL, !0)), Body(at(6.0), Groups::new(WALL, !0))];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.detect(&bodies);
///
/// let (queries, ray) = (broad_phase.queries(), Ray::new([0.0, 0.5], [1.0, 0.0]));
/// assert_eq!(queries.first_hit(&ray).unwrap().index, 0);
/// let walls = queries.in_groups(Groups::new(!0, WALL));
/// assert_eq!(walls.first_hit(&ray).unwrap().index, 1);
/// let not_here = walls.filtered(|index| index != 1);
/// assert_eq!(not_here.first_hit(&ray).unwrap().index, 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a, S: Scalar, const D: usize, F = Unfiltered> {
    pub(crate) target: Target<'a, S, D>,
    filter: F,
}

impl<'a, S: Scalar, const D: usize> Queries<'a, S, D> {
    pub(crate) fn of(target: Target<'a, S, D>) -> Self {
        Queries { target, filter: Unfiltered }
    }
}

impl<'a, S: Scalar, const D: usize, F> Queries<'a, S, D, F> {
    /// The same queries among objects whose [`Groups`] admit these, as if something with these groups made the query: it finds
    /// what it would pair with, and nothing of its own body.
    ///
    /// It uses the groups that objects had in the last step, or in their last change in a static set.
    pub fn in_groups(self, groups: Groups) -> Queries<'a, S, D, InGroups<F>> {
        Queries { target: self.target, filter: InGroups { inner: self.filter, groups } }
    }

    /// The same queries among objects for which `predicate` returns true. It is called with indices of objects that would be
    /// found, not with all; batches call it from several threads.
    pub fn filtered<P: Fn(u32) -> bool>(self, predicate: P) -> Queries<'a, S, D, Filtered<F, P>> {
        Queries { target: self.target, filter: Filtered { inner: self.filter, predicate } }
    }
}
