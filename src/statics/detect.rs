//! Moving objects against static ones.

use std::slice;

use super::StaticSet;
use crate::broad_phase::check_count;
use crate::detect::sink::{self, Sink, Store};
use crate::engine::step::store;
use crate::engine::{Engine, Made, Worker, stock_up};
use crate::kernel::compare::PairRoom;
use crate::layout::staged::BLOCK;
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Bounded, BroadPhase, CrossPair, DetectError, Pair, Pairs, Scalar};

/// The pairs of a step with static objects.
#[derive(Clone, Copy, Debug)]
pub struct PairsWithStatics<'a> {
    /// Pairs of two moving objects.
    pub moving: Pairs<'a>,
    /// Pairs of a moving object, which is `first`, and a static one, whose index in the [`StaticSet`] is `second`.
    pub statics: Pairs<'a, CrossPair>,
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// [`par_detect`](Self::par_detect), and all overlapping pairs of a moving and a static object. Two static objects never pair.
    ///
    /// [`Groups`](crate::Groups) decide about both kinds of pairs. [`Bounded::pairs_with`] is asked about moving objects only, and a
    /// moving ball meets a static object if their boxes overlap.
    pub fn par_detect_with<T>(&mut self, objects: &[T], statics: &StaticSet<S, D>) -> PairsWithStatics<'_>
    where
        T: Bounded<S, D> + Sync,
    {
        self.in_pool(objects.len(), |engine, team| step(engine, objects, statics, team));
        self.found_with_statics()
    }

    /// [`par_detect_with`](Self::par_detect_with), with the errors of [`try_par_detect`](Self::try_par_detect).
    pub fn try_par_detect_with<T>(
        &mut self,
        objects: &[T],
        statics: &StaticSet<S, D>,
    ) -> Result<PairsWithStatics<'_>, DetectError>
    where
        T: Bounded<S, D> + Sync,
    {
        check_count(objects)?;
        self.try_in_pool(objects.len(), |engine, team| step(engine, objects, statics, team))?;
        Ok(self.found_with_statics())
    }

    /// [`try_par_detect_with`](Self::try_par_detect_with) on the calling thread.
    pub fn try_detect_with<T>(&mut self, objects: &[T], statics: &StaticSet<S, D>) -> Result<PairsWithStatics<'_>, DetectError>
    where
        T: Bounded<S, D> + Sync,
    {
        check_count(objects)?;
        self.try_with_team(Team::ALONE, |engine, team| step(engine, objects, statics, team))?;
        Ok(self.found_with_statics())
    }

    /// [`par_detect_with`](Self::par_detect_with) on the calling thread.
    pub fn detect_with<T>(&mut self, objects: &[T], statics: &StaticSet<S, D>) -> PairsWithStatics<'_>
    where
        T: Bounded<S, D> + Sync,
    {
        self.with_team(Team::ALONE, |engine, team| step(engine, objects, statics, team));
        self.found_with_statics()
    }

    fn found_with_statics(&self) -> PairsWithStatics<'_> {
        let engine = &self.engine;
        let in_order = engine.config.canonical_order;
        let stored = if in_order { slice::from_ref(&engine.static_ordered.pairs) } else { &engine.static_pairs[..] };
        PairsWithStatics { moving: self.found(), statics: Pairs::new(stored, &engine.rejected) }
    }
}

/// A step, and what its objects overlap in the static set.
fn step<S: Scalar, const D: usize>(
    engine: &mut Engine<S, D>,
    objects: &(impl Objects<S, D> + ?Sized),
    statics: &StaticSet<S, D>,
    team: Team,
) {
    store(engine, objects, team);
    let mut clock = Clock::start();
    scope!("pivotgrid::statics", engine.search(objects, statics, team));
    engine.stats.times.statics = clock.lap();
    engine.order_static_pairs(team);
    *engine.made.discard() = Made::PairsWithStatics;
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Finds the static objects that the objects of the step at hand overlap.
    ///
    /// In parallel over blocks of entries: neighbors in the table look into the same corner of the static grid.
    fn search(&mut self, objects: &(impl Objects<S, D> + ?Sized), statics: &StaticSet<S, D>, team: Team) {
        self.static_pairs.iter_mut().for_each(Vec::clear);
        // Behind those that fit no level there are only rejected ones.
        let entries = self.grid.oversized.end;
        if entries == 0 || statics.is_empty() {
            return;
        }
        let team = team.at_most(entries / BLOCK + 1).at_most(self.workers.len());
        let (columns, cursor) = (self.table.columns(&self.order), Cursor::new());
        let tiers = [&statics.base, &statics.recent].map(|tier| (tier, tier.queries()));
        let stock = Blocks::new(&mut self.static_pairs, 1);
        let workers = Blocks::new(&mut self.workers, 1);
        let (budget, missed) = (&self.budget, Cursor::new());
        team.run(|| {
            let Some(worker) = workers.claim_one() else { return };
            let Worker { touched, pairs_beyond, .. } = &mut **worker;
            let mut sink = Sink::new(&stock, pairs_beyond, budget, Store { filter: |_| true });
            while let Some(claimed) = cursor.claim(BLOCK, entries) {
                for entry in claimed {
                    let (bounds, id) = (columns.bounds(entry), columns.id(entry));
                    let groups = objects.groups(id as usize);
                    for (tier, queries) in &tiers {
                        queries.overlapping(&bounds, touched);
                        for index in touched.iter().map(|&place| tier.index(place)) {
                            let item = &statics.items[index as usize];
                            if item.home == tier.home && groups.admit(item.groups) {
                                sink.room().push(Pair { a: id, b: index });
                            }
                        }
                    }
                    for (index, item) in statics.outside_of_grids() {
                        if item.bounds.is_valid() && item.bounds.overlaps(&bounds) && groups.admit(item.groups) {
                            sink.room().push(Pair { a: id, b: index });
                        }
                    }
                }
            }
            missed.take(sink.finish().1);
        });
        sink::refuse_missed(missed.claimed(), team.workers(), budget);
        for worker in &mut self.workers {
            memory::reserve(&mut self.static_pairs, worker.pairs_beyond.len());
            self.static_pairs.append(&mut worker.pairs_beyond);
        }
        stock_up(&mut self.static_pairs, team, &self.budget);
        let most = self.workers.iter().map(|worker| worker.touched.capacity()).max().unwrap_or(0);
        self.workers.iter_mut().for_each(|worker| {
            worker.touched.clear();
            budget.stock_up(&mut worker.touched, most);
        });
    }
}
