//! Many questions at once, on the threads of the rayon pool in which they are asked.
//!
//! The rows come in the order of the questions, and what is in them does not depend on the number of threads.

use rayon::prelude::*;

use super::{Hit, Neighbor, Queries, Ray, Rows, Sweep};
use crate::{Aabb, Ball, Scalar};

/// First hits that a thread looks for at a time.
const BLOCK: usize = 256;

impl<S: Scalar, const D: usize> Queries<'_, S, D> {
    /// [`overlapping`](Self::overlapping) for many boxes. Rows are in no particular order until [`Rows::sort`] is called.
    pub fn par_overlapping(&self, boxes: &[Aabb<S, D>], rows: &mut Rows<u32>) {
        rows.fill(boxes, |bounds, found| self.overlapping(bounds, found));
    }

    /// [`containing`](Self::containing) for many points. Rows are in no particular order until [`Rows::sort`] is called.
    pub fn par_containing(&self, points: &[[S; D]], rows: &mut Rows<u32>) {
        rows.fill(points, |point, found| self.containing(*point, found));
    }

    /// [`ray_hits`](Self::ray_hits) of many rays.
    pub fn par_ray_hits(&self, rays: &[Ray<S, D>], rows: &mut Rows<Hit<S>>) {
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
        rays.par_iter().with_min_len(BLOCK).map(|ray| self.first_hit(ray)).collect_into_vec(found);
    }

    /// [`sweep_hits`](Self::sweep_hits) of many moving boxes.
    pub fn par_sweep_hits(&self, sweeps: &[Sweep<S, D>], rows: &mut Rows<Hit<S>>) {
        rows.fill(sweeps, |sweep, found| self.sweep_hits(sweep, found));
    }

    /// [`first_contact`](Self::first_contact) of many moving boxes, in their order.
    pub fn par_first_contacts(&self, sweeps: &[Sweep<S, D>], found: &mut Vec<Option<Hit<S>>>) {
        sweeps.par_iter().with_min_len(BLOCK).map(|sweep| self.first_contact(sweep)).collect_into_vec(found);
    }

    /// [`within`](Self::within) for many balls. Rows are in no particular order until [`Rows::sort`] is called, which puts the
    /// nearest first.
    pub fn par_within(&self, balls: &[Ball<S, D>], rows: &mut Rows<Neighbor<S>>) {
        rows.fill(balls, |ball, found| self.within(ball, found));
    }

    /// [`nearest`](Self::nearest) for many points.
    pub fn par_nearest(&self, points: &[[S; D]], k: usize, rows: &mut Rows<Neighbor<S>>) {
        rows.fill(points, |point, found| self.nearest(*point, k, found));
    }
}
