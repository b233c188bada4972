//! Rays and moving boxes in a periodic domain. `path.rs` proves that everything is met.

use std::convert::Infallible;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::path::{Path, Stretch};
use super::{PeriodicQueries, Shifted};
use crate::query::Cast;
use crate::runtime::team::Team;
use crate::{BoxCast, Hit, QueryFilter, Ray, Rows, Scalar};

/// First hits that a thread looks for at a time.
const BLOCK: usize = 256;

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> PeriodicQueries<'_, S, D, F> {
    /// All objects whose boxes the ray meets, each once for every shift with which it is met, in the order of `t`, those met at
    /// once in the order of their indices and then of their shifts.
    ///
    /// The ray must have an end, and nothing is found behind 65 536 copies of the domain, as for [`first_hit`](Self::first_hit).
    pub fn ray_hits(&self, ray: &Ray<S, D>, found: &mut Vec<Shifted<Hit<S>, D>>) {
        self.all_met(Path::of_ray(ray), found);
    }

    /// The object whose box the ray meets first, through as many copies of the domain as necessary, but no more than 65 536. Of several
    /// that are met at once it is the one with the least index, and then with the least shift.
    ///
    /// The ray must have an end: a ray with an infinite `max_t` meets nothing, because its search might never end.
    pub fn first_hit(&self, ray: &Ray<S, D>) -> Option<Shifted<Hit<S>, D>> {
        self.first_met(Path::of_ray(ray), |met| Some(met.found.t))
    }

    /// The object that the ray meets first according to `exact`, which is called with an object and its shift; see
    /// [`Queries::first_hit_by`](crate::Queries::first_hit_by). It may be called again for the same object and shift.
    pub fn first_hit_by(
        &self,
        ray: &Ray<S, D>,
        mut exact: impl FnMut(Shifted<u32, D>) -> Option<S>,
    ) -> Option<Shifted<Hit<S>, D>> {
        self.first_met(Path::of_ray(ray), |met| exact(Shifted { found: met.found.index, shift: met.shift }))
    }

    /// Calls `visit` with the [hits](Self::ray_hits) of a ray, in their order, until it returns `Break`. Allocates a list of them.
    pub fn visit_ray<B>(&self, ray: &Ray<S, D>, visit: impl FnMut(Shifted<Hit<S>, D>) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut found = Vec::new();
        self.ray_hits(ray, &mut found);
        found.into_iter().try_for_each(visit)
    }

    /// All objects whose boxes the moving box touches, each once for every shift with which it is touched, in the order of
    /// [`ray_hits`](Self::ray_hits).
    ///
    /// The box may be wider than the domain. It is followed through at most 65 536 copies of the domain: for each copy that its lower
    /// corner passes through, those that it reaches from there. Nothing is found beyond.
    pub fn sweep_hits(&self, sweep: &BoxCast<S, D>, found: &mut Vec<Shifted<Hit<S>, D>>) {
        self.all_met(Path::of_sweep(sweep), found);
    }

    /// The object whose box the moving box touches first; of several, the one with the least index, and then with the least shift. It is
    /// followed as far as by [`sweep_hits`](Self::sweep_hits).
    pub fn first_contact(&self, sweep: &BoxCast<S, D>) -> Option<Shifted<Hit<S>, D>> {
        self.first_met(Path::of_sweep(sweep), |met| Some(met.found.t))
    }

    /// The object that is touched first according to `exact`; as for [`first_hit_by`](Self::first_hit_by).
    pub fn first_contact_by(
        &self,
        sweep: &BoxCast<S, D>,
        mut exact: impl FnMut(Shifted<u32, D>) -> Option<S>,
    ) -> Option<Shifted<Hit<S>, D>> {
        self.first_met(Path::of_sweep(sweep), |met| exact(Shifted { found: met.found.index, shift: met.shift }))
    }

    /// Calls `visit` with the [contacts](Self::sweep_hits) of a moving box, in their order, until it returns `Break`. Allocates a list
    /// of them.
    pub fn visit_sweep<B>(
        &self,
        sweep: &BoxCast<S, D>,
        visit: impl FnMut(Shifted<Hit<S>, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut found = Vec::new();
        self.sweep_hits(sweep, &mut found);
        found.into_iter().try_for_each(visit)
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32> + Sync> PeriodicQueries<'_, S, D, F> {
    /// [`ray_hits`](Self::ray_hits) of many rays, on the threads of the rayon pool in which it is called.
    pub fn par_ray_hits(&self, rays: &[Ray<S, D>], rows: &mut Rows<Shifted<Hit<S>, D>>) {
        self.target.prepare_tree(Team::of_current_pool());
        rows.fill(rays, |ray, found| self.ray_hits(ray, found));
    }

    /// [`first_hit`](Self::first_hit) of many rays, in their order, likewise.
    pub fn par_first_hits(&self, rays: &[Ray<S, D>], found: &mut Vec<Option<Shifted<Hit<S>, D>>>) {
        self.target.prepare_tree(Team::of_current_pool());
        rays.par_iter().with_min_len(BLOCK).map(|ray| self.first_hit(ray)).collect_into_vec(found);
    }

    /// [`sweep_hits`](Self::sweep_hits) of many moving boxes, likewise.
    pub fn par_sweep_hits(&self, sweeps: &[BoxCast<S, D>], rows: &mut Rows<Shifted<Hit<S>, D>>) {
        self.target.prepare_tree(Team::of_current_pool());
        rows.fill(sweeps, |sweep, found| self.sweep_hits(sweep, found));
    }

    /// [`first_contact`](Self::first_contact) of many moving boxes, in their order, likewise.
    pub fn par_first_contacts(&self, sweeps: &[BoxCast<S, D>], found: &mut Vec<Option<Shifted<Hit<S>, D>>>) {
        self.target.prepare_tree(Team::of_current_pool());
        sweeps.par_iter().with_min_len(BLOCK).map(|sweep| self.first_contact(sweep)).collect_into_vec(found);
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> PeriodicQueries<'_, S, D, F> {
    fn all_met(&self, path: Option<Path<S, D>>, found: &mut Vec<Shifted<Hit<S>, D>>) {
        found.clear();
        let Some(path) = path else { return };
        let Some(mut stretches) = self.space.stretches(&path) else { return };
        let mut count = 0;
        while let Some(stretch) = stretches.next_stretch() {
            self.meet(&path, &stretch, |met| {
                found.push(met);
                stretch.to
            });
            count += 1;
        }
        // An object that is met on several stretches keeps its first time.
        if count > 1 {
            found.sort_unstable_by_key(|met| (met.found.index, met.shift, met.found));
            found.dedup_by_key(|met| (met.found.index, met.shift));
        }
        found.sort_unstable();
    }

    fn first_met(
        &self,
        path: Option<Path<S, D>>,
        mut exact: impl FnMut(&Shifted<Hit<S>, D>) -> Option<S>,
    ) -> Option<Shifted<Hit<S>, D>> {
        let path = path?;
        let mut stretches = self.space.stretches(&path)?;
        let mut first: Option<Shifted<Hit<S>, D>> = None;
        while let Some(stretch) = stretches.next_stretch() {
            // The last stretch extended a little into this one, so an object may be met here before those that were met there.
            if first.is_some_and(|first| first.found.t < stretch.from) {
                break;
            }
            self.meet(&path, &stretch, |met| {
                if let Some(t) = exact(&met)
                    && t >= S::ZERO
                    && t <= path.max_t
                {
                    let met = Shifted { found: Hit { t, ..met.found }, ..met };
                    first = Some(first.map_or(met, |first| first.min(met)));
                }
                match first {
                    Some(first) if first.found.t < stretch.to => first.found.t,
                    _ => stretch.to,
                }
            });
        }
        first
    }

    /// Calls `visit` once with each object that is met on a stretch. The visitor returns the time after which hits no longer matter.
    fn meet(&self, path: &Path<S, D>, stretch: &Stretch<S, D>, mut visit: impl FnMut(Shifted<Hit<S>, D>) -> S) {
        let mut to = stretch.to;
        let ControlFlow::Continue(()) = self.space.try_for_each_copy(path, stretch, |query| {
            let Some(cast) = Cast::between(&query.bounds, &path.direction, stretch.from, to) else {
                return ControlFlow::<Infallible>::Continue(());
            };
            self.target.cast(&cast, &self.filter_of(query.ghostless), |hit| {
                to = visit(self.shifted(query, hit.index, |index| Hit { index, ..hit }));
                ControlFlow::Continue(to)
            })
        });
    }
}
