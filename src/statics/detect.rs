//! Moving objects against static ones.

use std::slice;

use super::StaticSet;
use crate::detect::DetectWorker;
use crate::detect::sink::{self, Consumer, Sink, stock_up};
use crate::engine::{Engine, Made};
use crate::kernel::hits::PairRoom;
use crate::layout::staged::BLOCK;
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{BroadPhase, CrossPair, Pair, Pairs, Scalar};

/// The pairs of a step with static objects.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, CrossPair, Pair, PairsWithStatics, StaticSet};
///
/// let mut walls = StaticSet::<f32, 2>::new();
/// walls.par_build(&[Aabb::new([0.0, 0.0], [1.0, 9.0]), Aabb::new([8.0, 0.0], [9.0, 9.0])]);
/// let actors = [Aabb::new([7.5, 1.0], [8.5, 2.0]), Aabb::new([7.0, 1.0], [7.6, 2.0])];
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let PairsWithStatics { moving, statics } = broad_phase.over(&actors).with(&walls).pairs();
/// assert_eq!(moving.sorted(), [Pair { a: 0, b: 1 }]);
/// assert_eq!(statics.sorted(), [CrossPair { first: 0, second: 1 }]); // actor 0, wall 1
/// ```
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
        let entries = self.builder.grid.oversized.end;
        if entries == 0 || statics.is_empty() {
            return;
        }
        let team = team.at_most(entries / BLOCK + 1).at_most(self.detector.workers.len());
        let (columns, cursor) = (self.builder.table.columns(&self.builder.order), Cursor::new());
        let tiers = [&statics.base, &statics.recent].map(|tier| (tier, tier.queries()));
        let stock = Blocks::new(&mut self.static_pairs, 1);
        let workers = Blocks::new(&mut self.detector.workers, 1);
        let (budget, missed) = (&self.builder.budget, Cursor::new());
        team.run(|| {
            let Some(worker) = workers.claim_one() else { return };
            let DetectWorker { touched, overflow_pairs, .. } = &mut **worker;
            let mut sink = Sink::new(&stock, overflow_pairs, budget, consumer());
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
                    for (index, item) in statics.outside_of_grids().iter() {
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
        for worker in &mut self.detector.workers {
            memory::reserve(&mut self.static_pairs, worker.overflow_pairs.len());
            self.static_pairs.append(&mut worker.overflow_pairs);
        }
        stock_up(&mut self.static_pairs, team, &self.builder.budget);
        let most = self.detector.workers.iter().map(|worker| worker.touched.capacity()).max().unwrap_or(0);
        self.detector.workers.iter_mut().for_each(|worker| {
            worker.touched.clear();
            budget.stock_up(&mut worker.touched, most);
        });
        self.builder.stats.times.statics = clock.lap();
    }
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// What the last step found if it was one with static objects.
    pub(crate) fn found_with_statics(&self) -> PairsWithStatics<'_> {
        let engine = &self.engine;
        let stored = match engine.made.get() {
            Some(Made::PairsWithStatics) if engine.builder.config.canonical_order => {
                slice::from_ref(&engine.static_ordered.pairs)
            }
            Some(Made::PairsWithStatics) => &engine.static_pairs[..],
            _ => &[],
        };
        PairsWithStatics { moving: self.found(), statics: Pairs::new(stored, &engine.builder.rejected) }
    }
}
