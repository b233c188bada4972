//! Questions to what the last step built: boxes, points, rays, moving boxes, neighbors.
//!
//! The grid is read and never written, so any number of threads may ask at once. Every answer is decided by a plain formula on the
//! boxes themselves, in the user's scalar; the grid only says which boxes to look at. Where a part of the grid is left out, that
//! is decided by the *same formula* on a box around all that lives there ([`Region`]). The formulas are made of operations that
//! rounding keeps in order, so what the formula denies of the box around, it denies of every box inside: no hit is lost to
//! rounding, and no error bound has to be believed beyond the one of a cell's border.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "a part of the grid is left out only if it is known to be; NaN is not")]

mod batch;
mod boxes;
mod cast;
mod descend;
mod expand;
mod found;
mod lanes;
mod nearest;
mod places;
mod rays;
mod region;
mod rows;
mod sweeps;
mod tree;
mod within;
#[cfg(test)]
mod work;

use crate::kernel::{Columns, Kernel};
use crate::layout::MAX_LEVELS;
use crate::layout::grid::Grid;
use crate::runtime::team::Team;
use crate::{Aabb, BroadPhase, Scalar};

pub(crate) use cast::{Cast, is_finite};
pub use found::{Hit, Neighbor};
pub(crate) use nearest::{Near, Nearest};
pub use rays::Ray;
use region::Region;
pub use rows::Rows;
pub use sweeps::Sweep;
pub(crate) use tree::Lazy;
use tree::Tree;
pub(crate) use within::square_of_distance;

/// Answers questions about the objects of the last step; made by [`BroadPhase::queries`].
///
/// | question | one answer at a time | into a vector | many questions at once |
/// |---|---|---|---|
/// | boxes that overlap a box | [`visit_overlapping`](Self::visit_overlapping) | [`overlapping`](Self::overlapping) | [`par_overlapping`](Self::par_overlapping) |
/// | boxes that contain a point | [`visit_containing`](Self::visit_containing) | [`containing`](Self::containing) | [`par_containing`](Self::par_containing) |
/// | boxes along a [`Ray`] | [`visit_ray`](Self::visit_ray) | [`ray_hits`](Self::ray_hits) | [`par_ray_hits`](Self::par_ray_hits) |
/// | the first of them | | [`first_hit`](Self::first_hit), [`first_hit_by`](Self::first_hit_by) | [`par_first_hits`](Self::par_first_hits) |
/// | boxes that a moving box meets ([`Sweep`]) | [`visit_sweep`](Self::visit_sweep) | [`sweep_hits`](Self::sweep_hits) | [`par_sweep_hits`](Self::par_sweep_hits) |
/// | the first of them | | [`first_contact`](Self::first_contact), [`first_contact_by`](Self::first_contact_by) | [`par_first_contacts`](Self::par_first_contacts) |
/// | boxes within a radius ([`Ball`](crate::Ball)) | [`visit_within`](Self::visit_within) | [`within`](Self::within) | [`par_within`](Self::par_within) |
/// | the k nearest boxes | | [`nearest`](Self::nearest) | [`par_nearest`](Self::par_nearest) |
///
/// Objects are known by their indices in the slice that the step was given. Boxes are closed: touching is overlapping. Objects
/// that the step rejected are never found, infinite boxes are found like any other. A question that makes no sense (a NaN
/// anywhere, an inverted box, a ray without direction, a negative radius) has no answer: nothing is found, and nothing panics.
///
/// The vectors are the caller's and are cleared first; once they are large enough, no question allocates. (A batch of thousands of
/// first hits does, to sort its questions by place.)
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
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a, S: Scalar, const D: usize> {
    scene: Option<Scene<'a, S, D>>,
}

/// What there is to be asked about.
#[derive(Clone, Copy, Debug)]
struct Scene<'a, S, const D: usize> {
    grid: &'a Grid<S, D>,
    columns: Columns<'a, S, D>,
    kernel: Kernel,
    /// Where the objects of each level are.
    regions: [Region; MAX_LEVELS],
    lazy_tree: &'a Lazy<S, D>,
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// Questions about the objects as the last step found them: read-only, to be asked from any number of threads.
    ///
    /// Before the first step, after one that did not come to its end because the user's code panicked, and after
    /// [`shrink_to_fit`](Self::shrink_to_fit), there is nothing to be found until the next step.
    ///
    /// Costs one look at each occupied chunk of the grid, some microseconds in most scenes: ask for it once per step, not once per
    /// question. The first ray or moving box after a step makes a tree over the chunks, which takes about a tenth of the step (a
    /// fifth where objects cluster) and some bytes per object, kept for the next step and not counted by
    /// [`Config::max_bytes`](crate::Config::max_bytes); a batch has all threads make it.
    pub fn queries(&self) -> Queries<'_, S, D> {
        // The regions of a grid that is not complete are not to be looked at.
        if self.engine.has_grid() { self.queries_in(self.regions()) } else { Queries::NONE }
    }

    /// What [`queries`](Self::queries) has to look for, until the next step.
    pub(crate) fn regions(&self) -> Regions {
        Regions(Region::of(&self.engine.grid))
    }

    /// [`queries`](Self::queries) for those who have not forgotten the regions of the last step.
    pub(crate) fn queries_in(&self, regions: Regions) -> Queries<'_, S, D> {
        if !self.engine.has_grid() {
            return Queries::NONE;
        }
        let engine = &self.engine;
        let columns = engine.table.columns(&engine.order);
        let Regions(regions) = regions;
        Queries { scene: Some(Scene { grid: &engine.grid, columns, kernel: engine.kernel, regions, lazy_tree: &engine.tree }) }
    }
}

/// Where the objects of each level are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regions([Region; MAX_LEVELS]);

impl<S: Scalar, const D: usize> Queries<'_, S, D> {
    /// Without anything to be found.
    pub(crate) const NONE: Self = Queries { scene: None };

    /// A box around all objects, more or less close to them; an invalid one if there are none.
    pub(crate) fn bounds(&self) -> Aabb<S, D> {
        let Some(scene) = &self.scene else { return Aabb::EMPTY };
        let mut bounds = scene.columns.box_around(scene.grid.oversized.clone());
        scene.occupied().for_each(|(_, region)| bounds.grow(&region.bounds(region.low, region.high)));
        bounds
    }
}

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Where the entries are, as casts want to know it. Made by the team if this is the first to ask.
    #[inline]
    fn tree(&self, team: Team) -> &Tree<S, D> {
        self.lazy_tree.get(self.grid, &self.columns, team)
    }

    /// The levels that hold objects, from coarse to fine: what is large is few, and found early it ends a search early.
    fn occupied(&self) -> impl Iterator<Item = (usize, &Region)> {
        self.regions.iter().enumerate().rev().filter(|(_, region)| region.chunks > 0)
    }
}
