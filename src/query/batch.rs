//! Many queries at once, on the threads of the current rayon pool.
//!
//! The rows come in the order of the queries, and what is in them does not depend on the number of threads.

use std::convert::Infallible;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::chunks::Latest;
use super::filter::QueryFilter;
use super::place_order::PlaceOrder;
use super::rows::{AHEAD, BLOCK};
use super::within::{Reach, limit};
use super::{BoxCast, Hit, Neighbor, Queries, Ray, Rows};
use crate::kernel::NearLanes;
use crate::runtime::prefetch::prefetch;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, Scalar};

/// The fewest and the most queries that a thread puts in order and makes at a time.
const FEW: usize = 1024;
const MANY: usize = 1 << 17;

/// Tables of fewer entries stay in the cache whatever the order of queries.
const SMALL_TABLE: usize = 1 << 14;

/// What the queries of a batch keep from one to the next.
struct BatchMemory<'a, S> {
    finders: [Latest<'a>; 2],
    near: NearLanes<S>,
}

impl<'a, S: Scalar, const D: usize, F: QueryFilter<u32> + Sync> Queries<'a, S, D, F> {
    /// [`overlapping`](Self::overlapping) for many boxes. Rows are in no particular order until [`Rows::sort`] is called.
    pub fn par_overlapping(&self, boxes: &[Aabb<S, D>], rows: &mut Rows<u32>) {
        self.fill_with(
            boxes,
            |bounds| bounds.min,
            rows,
            |memory, bounds, _, found| self.append_overlapping(bounds, memory, found),
        );
    }

    /// [`containing`](Self::containing) for many points. Rows are in no particular order until [`Rows::sort`] is called.
    pub fn par_containing<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], rows: &mut Rows<u32>) {
        self.fill_with(
            points,
            |point| (*point).into(),
            rows,
            |memory, point, _, found| {
                let point = (*point).into();
                self.append_overlapping(&Aabb { min: point, max: point }, memory, found);
            },
        );
    }

    fn append_overlapping(&self, bounds: &Aabb<S, D>, memory: &mut BatchMemory<'a, S>, found: &mut Vec<u32>) {
        self.target.append_overlapping(bounds, &self.filter, &mut memory.finders, found);
    }

    /// [`ray_hits`](Self::ray_hits) of many rays.
    pub fn par_ray_hits(&self, rays: &[Ray<S, D>], rows: &mut Rows<Hit<S>>) {
        self.prepare_tree();
        self.fill(rays, |ray| ray.origin, |ray, found| self.ray_hits(ray, found), rows);
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
    pub fn par_sweep_hits(&self, sweeps: &[BoxCast<S, D>], rows: &mut Rows<Hit<S>>) {
        self.prepare_tree();
        self.fill(sweeps, |sweep| sweep.bounds.min, |sweep, found| self.sweep_hits(sweep, found), rows);
    }

    /// [`first_contact`](Self::first_contact) of many moving boxes, in their order.
    pub fn par_first_contacts(&self, sweeps: &[BoxCast<S, D>], found: &mut Vec<Option<Hit<S>>>) {
        self.first_of_each(sweeps, |sweep| sweep.bounds.min, |sweep| self.first_contact(sweep), found);
    }

    /// [`within`](Self::within) for many balls. Rows are in no particular order until [`Rows::sort`] is called, which puts the
    /// nearest first.
    pub fn par_within(&self, balls: &[Ball<S, D>], rows: &mut Rows<Neighbor<S>>) {
        self.fill_with(
            balls,
            |ball| ball.center,
            rows,
            |memory, ball, _, found| {
                let Some(limit) = limit(ball) else { return };
                let reach = Reach { point: &ball.center, limit };
                let BatchMemory { finders, near } = memory;
                let ControlFlow::Continue(()) = self.target.search_within(&reach, &self.filter, finders, near, |neighbor| {
                    found.push(neighbor);
                    ControlFlow::<Infallible>::Continue(())
                });
            },
        );
    }

    /// [`nearest`](Self::nearest) for many points.
    pub fn par_nearest<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], k: usize, rows: &mut Rows<Neighbor<S>>) {
        self.prepare_tree();
        self.fill(points, |point| (*point).into(), |point, found| self.nearest(*point, k, found), rows);
    }

    /// Rows of many queries, each of which `search` leaves in a vector.
    fn fill<Q: Sync, T: Copy + Ord + Send + Sync>(
        &self,
        queries: &[Q],
        place: impl Fn(&Q) -> [S; D] + Sync,
        search: impl Fn(&Q, &mut Vec<T>) + Sync,
        rows: &mut Rows<T>,
    ) {
        self.fill_with(queries, place, rows, |_, query, row, found| {
            search(query, row);
            found.extend_from_slice(row);
        });
    }

    /// Rows of many queries; `search` appends to the last vector.
    ///
    /// Queries that are near each other read the same part of the table, so a thread makes its own in the order of their places: sorting
    /// them takes less time than the cache misses that it saves.
    fn fill_with<Q: Sync, T: Copy + Ord + Send + Sync>(
        &self,
        queries: &[Q],
        place: impl Fn(&Q) -> [S; D] + Sync,
        rows: &mut Rows<T>,
        search: impl Fn(&mut BatchMemory<'a, S>, &Q, &mut Vec<T>, &mut Vec<T>) + Sync,
    ) {
        let entries: usize = self.target.views().map(|view| view.entries().len()).sum();
        let memory = || BatchMemory { finders: [Latest::new(), Latest::new()], near: NearLanes::new() };
        if queries.len() < FEW || entries < SMALL_TABLE {
            return rows.fill_in_order(queries, BLOCK, |_| None, memory, search);
        }
        let places = PlaceOrder::of(&self.target);
        let order = |queries: &[Q]| Some(places.order(queries.iter().map(&place)));
        rows.fill_in_order(queries, block(queries.len()), order, memory, search);
    }

    /// First hits of many casts, in their order; made in the order of their places, too.
    fn first_of_each<Q: Sync>(
        &self,
        queries: &[Q],
        place: impl Fn(&Q) -> [S; D] + Sync,
        first: impl Fn(&Q) -> Option<Hit<S>> + Sync,
        found: &mut Vec<Option<Hit<S>>>,
    ) {
        found.clear();
        found.resize(queries.len(), None);
        self.prepare_tree();
        let (places, block) = (PlaceOrder::of(&self.target), block(queries.len()));
        queries.par_chunks(block).zip(found.par_chunks_mut(block)).for_each(|(queries, found)| {
            if queries.len() < FEW {
                return found.iter_mut().zip(queries).for_each(|(found, query)| *found = first(query));
            }
            let order = places.order(queries.iter().map(&place));
            for (at, &number) in order.iter().enumerate() {
                if let Some(&later) = order.get(at + AHEAD) {
                    prefetch(queries, later as usize);
                }
                found[number as usize] = first(&queries[number as usize]);
            }
        });
    }
}

/// How many queries a thread puts in order and makes at a time.
fn block(queries: usize) -> usize {
    (queries / (2 * rayon::current_num_threads())).clamp(FEW, MANY)
}

impl<S: Scalar, const D: usize, F> Queries<'_, S, D, F> {
    /// Has all threads build what the first cast would have to build alone.
    pub(super) fn prepare_tree(&self) {
        self.target.prepare_tree(Team::of_current_pool());
    }
}
