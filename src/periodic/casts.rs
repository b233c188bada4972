//! Rays and moving boxes in a domain that repeats itself. `legs.rs` tells why everything is met.

use std::convert::Infallible;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::legs::{Leg, Way};
use super::{PeriodicQueries, Shifted};
use crate::query::Cast;
use crate::{Hit, Ray, Rows, Scalar, Sweep};

/// First hits that a thread looks for at a time.
const BLOCK: usize = 256;

impl<S: Scalar, const D: usize> PeriodicQueries<'_, S, D> {
    /// All objects whose boxes the ray meets, each once for every shift with which it is met, in the order of `t`, those met at
    /// once in the order of their indices and then of their shifts.
    ///
    /// The ray must have an end, and nothing is found behind 65 536 copies of the domain, as for [`first_hit`](Self::first_hit).
    pub fn ray_hits(&self, ray: &Ray<S, D>, found: &mut Vec<Shifted<Hit<S>, D>>) {
        self.all_met(Way::of_ray(ray), found);
    }

    /// The object whose box the ray meets first, through as many copies of the domain as it takes, but not more than 65 536. Of
    /// several that are met at once it is the one with the least index, and then with the least shift.
    ///
    /// The ray must have an end: one with an infinite `max_t` meets nothing, since it might do so for ever.
    pub fn first_hit(&self, ray: &Ray<S, D>) -> Option<Shifted<Hit<S>, D>> {
        self.first_met(Way::of_ray(ray))
    }

    /// All objects whose boxes the moving box touches, each once for every shift with which it is touched, in the order of
    /// [`ray_hits`](Self::ray_hits).
    ///
    /// The box may be wider than the domain. What counts is through how many copies of the domain it has to be followed: for each
    /// that its lower corner comes through, those that it reaches from there. Nothing is found behind 65 536 of them.
    pub fn sweep_hits(&self, sweep: &Sweep<S, D>, found: &mut Vec<Shifted<Hit<S>, D>>) {
        self.all_met(Way::of_sweep(sweep), found);
    }

    /// The object whose box the moving box touches first, of several the one with the least index, and then with the least shift;
    /// as far as [`sweep_hits`](Self::sweep_hits) goes.
    pub fn first_contact(&self, sweep: &Sweep<S, D>) -> Option<Shifted<Hit<S>, D>> {
        self.first_met(Way::of_sweep(sweep))
    }

    /// [`ray_hits`](Self::ray_hits) of many rays, on the threads of the rayon pool in which it is called.
    pub fn par_ray_hits(&self, rays: &[Ray<S, D>], rows: &mut Rows<Shifted<Hit<S>, D>>) {
        self.queries.expect_casts();
        rows.fill(rays, |ray, found| self.ray_hits(ray, found));
    }

    /// [`first_hit`](Self::first_hit) of many rays, in their order, likewise.
    pub fn par_first_hits(&self, rays: &[Ray<S, D>], found: &mut Vec<Option<Shifted<Hit<S>, D>>>) {
        self.queries.expect_casts();
        rays.par_iter().with_min_len(BLOCK).map(|ray| self.first_hit(ray)).collect_into_vec(found);
    }

    /// [`sweep_hits`](Self::sweep_hits) of many moving boxes, likewise.
    pub fn par_sweep_hits(&self, sweeps: &[Sweep<S, D>], rows: &mut Rows<Shifted<Hit<S>, D>>) {
        self.queries.expect_casts();
        rows.fill(sweeps, |sweep, found| self.sweep_hits(sweep, found));
    }

    /// [`first_contact`](Self::first_contact) of many moving boxes, in their order, likewise.
    pub fn par_first_contacts(&self, sweeps: &[Sweep<S, D>], found: &mut Vec<Option<Shifted<Hit<S>, D>>>) {
        self.queries.expect_casts();
        sweeps.par_iter().with_min_len(BLOCK).map(|sweep| self.first_contact(sweep)).collect_into_vec(found);
    }

    fn all_met(&self, way: Option<Way<S, D>>, found: &mut Vec<Shifted<Hit<S>, D>>) {
        found.clear();
        let Some(way) = way else { return };
        let Some(mut legs) = self.domain.legs(&way) else { return };
        let mut count = 0;
        while let Some(leg) = legs.next_leg() {
            self.meet(&way, &leg, |met| {
                found.push(met);
                leg.to
            });
            count += 1;
        }
        // Of what was met on several legs, the first time.
        if count > 1 {
            found.sort_unstable_by_key(|met| (met.found.index, met.shift, met.found));
            found.dedup_by_key(|met| (met.found.index, met.shift));
        }
        found.sort_unstable();
    }

    fn first_met(&self, way: Option<Way<S, D>>) -> Option<Shifted<Hit<S>, D>> {
        let way = way?;
        let mut legs = self.domain.legs(&way)?;
        let mut first: Option<Shifted<Hit<S>, D>> = None;
        while let Some(leg) = legs.next_leg() {
            // The last leg went on a little into this one, and something may be met here before what was met there.
            if first.is_some_and(|first| first.found.t < leg.from) {
                break;
            }
            self.meet(&way, &leg, |met| {
                let least = first.map_or(met, |first| first.min(met));
                first = Some(least);
                least.found.t
            });
        }
        first
    }

    /// Calls `visit` with everything that is met on a leg, each once. The visitor returns the time after which nothing is of
    /// interest any more.
    fn meet(&self, way: &Way<S, D>, leg: &Leg<S, D>, mut visit: impl FnMut(Shifted<Hit<S>, D>) -> S) {
        let mut to = leg.to;
        self.domain.for_each_choice(&leg.axes, |copy| {
            let Some(cast) = Cast::between(&copy.bounds, &way.direction, leg.from, to) else { return };
            let ControlFlow::Continue(()) = self.queries.search_cast(&cast, |hit| {
                if let Some((index, shift)) = self.object(copy, hit.index) {
                    to = visit(Shifted { found: Hit { index, ..hit }, shift });
                }
                ControlFlow::<Infallible, S>::Continue(to)
            });
        });
    }
}
