//! Many questions at once, on the threads of the rayon pool in which they are asked.
//!
//! The rows come in the order of the questions, and what is in them does not depend on the number of threads.

use rayon::prelude::*;

use super::places::Places;
use super::{Hit, Neighbor, Queries, Ray, Rows, Sweep};
use crate::runtime::prefetch::prefetch;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, Scalar};

/// The fewest and the most first hits that a thread puts in order and looks for at a time.
const FEW: usize = 1024;
const MANY: usize = 1 << 17;

/// So many questions ahead are fetched, because their order is none that the processor could guess.
const AHEAD: usize = 4;

impl<S: Scalar, const D: usize> Queries<'_, S, D> {
    /// [`overlapping`](Self::overlapping) for many boxes. Rows are in no particular order until [`Rows::sort`] is called.
    pub fn par_overlapping(&self, boxes: &[Aabb<S, D>], rows: &mut Rows<u32>) {
        rows.fill(boxes, |bounds, found| self.overlapping(bounds, found));
    }

    /// [`containing`](Self::containing) for many points. Rows are in no particular order until [`Rows::sort`] is called.
    pub fn par_containing<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], rows: &mut Rows<u32>) {
        rows.fill(points, |point, found| self.containing(*point, found));
    }

    /// [`ray_hits`](Self::ray_hits) of many rays.
    pub fn par_ray_hits(&self, rays: &[Ray<S, D>], rows: &mut Rows<Hit<S>>) {
        self.expect_casts();
        rows.fill(rays, |ray, found| self.ray_hits(ray, found));
    }

    /// [`first_hit`](Self::first_hit) of many rays, in their order.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, Ray};
    ///
    /// let mut broad_phase = BroadPhase::<f64, 2>::new();
    /// broad_phase.detect(&[Aabb::new([1.0, 0.0], [2.0, 1.0])]);
    ///
    /// let rays = [Ray::new([0.0, 0.5], [1.0, 0.0]), Ray::new([0.0, 0.5], [-1.0, 0.0])];
    /// let mut hits = Vec::new();
    /// broad_phase.queries().par_first_hits(&rays, &mut hits);
    /// assert_eq!(hits.iter().map(|hit| hit.map(|hit| hit.t)).collect::<Vec<_>>(), [Some(1.0), None]);
    /// ```
    pub fn par_first_hits(&self, rays: &[Ray<S, D>], found: &mut Vec<Option<Hit<S>>>) {
        self.first_of_each(rays, |ray| ray.origin, |ray| self.first_hit(ray), found);
    }

    /// [`sweep_hits`](Self::sweep_hits) of many moving boxes.
    pub fn par_sweep_hits(&self, sweeps: &[Sweep<S, D>], rows: &mut Rows<Hit<S>>) {
        self.expect_casts();
        rows.fill(sweeps, |sweep, found| self.sweep_hits(sweep, found));
    }

    /// [`first_contact`](Self::first_contact) of many moving boxes, in their order.
    pub fn par_first_contacts(&self, sweeps: &[Sweep<S, D>], found: &mut Vec<Option<Hit<S>>>) {
        self.first_of_each(sweeps, |sweep| sweep.bounds.min, |sweep| self.first_contact(sweep), found);
    }

    /// [`within`](Self::within) for many balls. Rows are in no particular order until [`Rows::sort`] is called, which puts the
    /// nearest first.
    pub fn par_within(&self, balls: &[Ball<S, D>], rows: &mut Rows<Neighbor<S>>) {
        rows.fill(balls, |ball, found| self.within(ball, found));
    }

    /// [`nearest`](Self::nearest) for many points.
    pub fn par_nearest<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], k: usize, rows: &mut Rows<Neighbor<S>>) {
        rows.fill(points, |point, found| self.nearest(*point, k, found));
    }

    /// First hits of many casts that begin somewhere, in their order.
    ///
    /// Casts that begin near each other look at the same part of the table, so a thread does its own in the order of their places:
    /// putting them in order takes less time than finding everything outside the cache again and again.
    fn first_of_each<Q: Sync>(
        &self,
        questions: &[Q],
        place: impl Fn(&Q) -> [S; D] + Sync,
        first: impl Fn(&Q) -> Option<Hit<S>> + Sync,
        found: &mut Vec<Option<Hit<S>>>,
    ) {
        found.clear();
        found.resize(questions.len(), None);
        let Some(scene) = &self.scene else { return };
        self.expect_casts();
        let places = Places::of(scene);
        let part = (questions.len() / (2 * rayon::current_num_threads())).clamp(FEW, MANY);
        questions.par_chunks(part).zip(found.par_chunks_mut(part)).for_each(|(questions, found)| {
            if questions.len() < FEW {
                return found.iter_mut().zip(questions).for_each(|(found, question)| *found = first(question));
            }
            let order = places.order(questions.iter().map(&place));
            for (at, &number) in order.iter().enumerate() {
                if let Some(&later) = order.get(at + AHEAD) {
                    prefetch(questions, later as usize);
                }
                found[number as usize] = first(&questions[number as usize]);
            }
        });
    }

    /// Has all threads make what the first cast would have to make alone.
    pub(crate) fn expect_casts(&self) {
        if let Some(scene) = &self.scene {
            scene.tree(Team::of_current_pool());
        }
    }
}
