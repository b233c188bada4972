//! Moving objects against static ones.

use super::StaticSet;
use crate::detect::sink::{self, Consumer, Sink};
use crate::engine::{Engine, Worker, stock_up};
use crate::kernel::compare::PairRoom;
use crate::layout::staged::BLOCK;
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{CrossPair, Pair, Pairs, Scalar};

/// The pairs of a step with static objects.
#[derive(Clone, Copy, Debug)]
pub struct PairsWithStatics<'a> {
    /// Pairs of two moving objects.
    pub moving: Pairs<'a>,
    /// Pairs of a moving object, which is `first`, and a static one, whose index in the [`StaticSet`] is `second`.
    pub statics: Pairs<'a, CrossPair>,
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Finds the static objects that the objects of the current step overlap. Each worker makes a `consumer` for its pairs, and lets
    /// `finish` have it afterwards.
    ///
    /// In parallel over blocks of entries: neighbors in the table look into the same corner of the static grid.
    pub(crate) fn search<C: Consumer>(
        &mut self,
        objects: &(impl Objects<S, D> + ?Sized),
        statics: &StaticSet<S, D>,
        team: Team,
        consumer: impl Fn() -> C + Sync,
        finish: impl Fn(C) + Sync,
    ) {
        scope!("pivotgrid::statics");
        let mut clock = Clock::start();
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
            let mut sink = Sink::new(&stock, pairs_beyond, budget, consumer());
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
                sink.settle();
                if sink.has_enough() {
                    // No worker finds anything left to claim.
                    cursor.take(entries);
                }
            }
            let (consumer, without_room) = sink.finish();
            missed.take(without_room);
            finish(consumer);
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
        self.stats.times.statics = clock.lap();
    }
}
