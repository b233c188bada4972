//! The passes, each a function of all workers that ends in a join.
//!
//! A pass takes what the one before it made, so they cannot be called in another order.

use crate::Scalar;
use crate::build::count::{self, Tally};
use crate::build::gather::{self, Source};
use crate::build::offset;
use crate::build::plan::Plan;
use crate::build::scatter::{self, Tails};
use crate::build::survey::Extent;
use crate::detect::View;
use crate::detect::sink::{self, Consumer, Sink};
use crate::engine::{Engine, Worker};
use crate::kernel::PADDING;
use crate::layout::grid::Item;
use crate::layout::z_key;
use crate::lockfree::{Blocks, ChunkId, Cursor, Directory, Full};
use crate::runtime::memory::{self, reserve_with_slack};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;

/// After planning: whether the objects were gathered for it.
pub(crate) struct Planned {
    gathered: bool,
}

/// After counting: how many objects go behind the cells' entries.
pub(crate) struct Counted {
    listed: usize,
    rejected: usize,
}

/// After the offsets: where everything goes.
pub(crate) struct Offsets {
    tails: Tails,
    listed: usize,
}

/// After the scatter: the table is complete.
pub(crate) struct Scattered(());

/// The most blocks of objects, and items of detection, that a worker claims at a time: some chunks' worth, so that two workers
/// seldom write to the same chunk, and each finds what it reads in its own cache.
const MOST_BLOCKS: usize = 16;
const MOST_ITEMS: usize = 8;

/// How many visiting positions a worker claims at a time.
fn claim(team: Team, positions: usize) -> usize {
    team.claim(positions.div_ceil(gather::BLOCK), MOST_BLOCKS) * gather::BLOCK
}

/// The blocks of a claim, each with its first position.
fn blocks<T>(first: usize, claimed: &mut [T]) -> impl Iterator<Item = (usize, &mut [T])> {
    (first..).step_by(gather::BLOCK).zip(claimed.chunks_mut(gather::BLOCK))
}

/// Listed entries that a worker compares with all others at a time.
const LISTED_BLOCK: usize = 32;

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Makes sure that there is a plan.
    pub(crate) fn plan<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, team: Team) -> Planned {
        let objects = source.len;
        if objects <= self.config.all_pairs_up_to {
            self.plan = Some(Plan::all_pairs(objects));
            return Planned { gathered: false };
        }
        if self.plan.as_ref().is_some_and(|plan| plan.suits(objects)) {
            return Planned { gathered: false };
        }
        let staged = Blocks::new(&mut self.staged[..source.order.len()], claim(team, source.order.len()));
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            scope!("pivotgrid::plan::gather");
            let Some(worker) = workers.claim_one() else { return };
            while let Some((first, claimed)) = staged.claim() {
                for (at, block) in blocks(first, claimed) {
                    source.gather(at, block, &mut worker.seen);
                }
            }
        });
        self.replan(objects, source.order.len(), team);
        Planned { gathered: true }
    }

    /// Looks at all sizes and chooses levels.
    fn replan(&mut self, objects: usize, visited: usize, team: Team) {
        let staged = &self.staged[..visited];
        let (cursor, extent) = (Cursor::new(), Extent::new());
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            scope!("pivotgrid::plan::survey");
            let Some(worker) = workers.claim_one() else { return };
            worker.survey.clear();
            while let Some(block) = cursor.claim(claim(team, visited), visited) {
                worker.survey.observe(&staged[block], &extent);
            }
        });
        self.survey.clear();
        for worker in self.workers.iter().take(team.workers()) {
            self.survey.merge(&worker.survey);
        }
        self.plan = Some(Plan::choose(objects, &self.survey, &extent, staged, &self.config));
        self.stats.replanned = true;
    }

    /// Finds each object's cell and rank. Runs again, with more room or better levels, until all objects are counted in.
    pub(crate) fn count<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, planned: Planned, team: Team) -> Counted {
        let mut gathered = planned.gathered;
        let visited = source.order.len();
        let pool_before = self.grid.pool.bytes();
        loop {
            let plan = self.plan.as_ref().expect("a plan was made");
            self.grid.levels.clear();
            memory::reserve_exact(&mut self.grid.levels, plan.levels.len());
            self.grid.levels.extend_from_slice(&plan.levels);

            let (grid, listed) = (&self.grid, Cursor::new());
            let staged = Blocks::new(&mut self.staged[..visited], claim(team, visited));
            let workers = Blocks::new(&mut self.workers, 1);
            team.run(|| {
                scope!("pivotgrid::count::worker");
                let Some(worker) = workers.claim_one() else { return };
                let worker = &mut **worker;
                worker.tally = Tally::default();
                while let Some((first, claimed)) = staged.claim() {
                    for (at, block) in blocks(first, claimed) {
                        if !gathered {
                            source.gather(at, block, &mut worker.seen);
                        }
                        if worker.tally.full.is_none() {
                            count::count(grid, &listed, block, &mut worker.runs, &mut worker.tally);
                        }
                    }
                }
            });
            gathered = true;

            let tallies = self.workers.iter().take(team.workers()).map(|worker| &worker.tally);
            let settled = self.grid.settle(tallies);
            let plan = self.plan.as_mut().expect("a plan was made");
            match settled {
                Err(Full::Directory) => {
                    let bits = (self.grid.directory.bits() + 2).max(Directory::bits_for(self.grid.pool.used() as usize));
                    self.clear(team);
                    self.grow_directory(bits);
                }
                Err(Full::Memory(bytes)) => memory::refused_by_system(bytes),
                Err(Full::Limit(bytes)) => self.budget.refuse(bytes - pool_before),
                Err(Full::Pool) => {
                    plan.coarsen();
                    self.clear(team);
                }
                Ok(()) if plan.is_swamped(listed.claimed()) && !self.stats.replanned => {
                    self.clear(team);
                    self.replan(source.len, visited, team);
                }
                Ok(()) => {
                    plan.accept(listed.claimed());
                    self.budget.charge(self.grid.pool.bytes() - pool_before);
                    return Counted { listed: listed.claimed(), rejected: source.rejected.claimed() };
                }
            }
            self.stats.repeats += 1;
        }
    }

    /// Turns counters into pivots and lists the work of detection.
    pub(crate) fn offset(&mut self, counted: Counted, team: Team) -> Offsets {
        let used = self.grid.pool.used();
        self.grid.chunks.clear();
        // As many as the directory admits: how many are used depends on races.
        let room = self.grid.directory.room() as usize;
        self.budget.charge(memory::bytes_of::<ChunkId>(room.saturating_sub(self.grid.chunks.capacity())));
        memory::reserve_exact(&mut self.grid.chunks, room);
        self.grid.chunks.extend(0..used);
        if self.stats.replanned {
            // Neighbors in space become neighbors in memory, and stay so: the next steps meet the chunks in this order.
            let mut by_place = memory::collect((0..used).map(|id| (z_key::<D>(self.grid.pool.chunk(id).key()), id)));
            by_place.sort_unstable();
            self.grid.chunks.clear();
            self.grid.chunks.extend(by_place.into_iter().map(|(_, id)| id));
        }

        let (grid, work, table) = (&self.grid, Cursor::new(), Cursor::new());
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            scope!("pivotgrid::offset::worker");
            let Some(worker) = workers.claim_one() else { return };
            worker.placed.clear();
            offset::place::<D>(&grid.pool, &grid.chunks, &work, &table, &mut worker.placed);
        });

        self.grid.items.clear();
        let items = self.workers.iter().take(team.workers()).map(|worker| worker.placed.items.len()).sum();
        let before = self.grid.items.capacity();
        reserve_with_slack(&mut self.grid.items, items);
        self.budget.charge(memory::bytes_of::<Item>(self.grid.items.capacity() - before));
        for worker in self.workers.iter().take(team.workers()) {
            self.grid.items.extend_from_slice(&worker.placed.items);
        }
        let tails = Tails { listed: table.claimed(), rejected: table.claimed() + counted.listed };
        debug_assert!(tails.rejected + counted.rejected + PADDING <= self.next_order.len());
        Offsets { tails, listed: counted.listed }
    }

    /// Writes the entries.
    pub(crate) fn scatter<O: Objects<S, D> + ?Sized>(
        &mut self,
        source: &Source<'_, O>,
        offsets: Offsets,
        team: Team,
    ) -> Scattered {
        let visited = source.order.len();
        let seen = |what: fn(&Worker) -> bool| self.workers.iter().take(team.workers()).any(|worker| what(worker));
        let (grouped, round) = (seen(|worker| worker.seen.grouped), seen(|worker| worker.seen.round));
        self.table.resize_extras(visited, grouped, round, &self.budget);
        let (pool, staged, cursor) = (&self.grid.pool, &self.staged[..visited], Cursor::new());
        let table = self.table.writer(&mut self.next_order);
        team.run(|| {
            scope!("pivotgrid::scatter::worker");
            while let Some(positions) = cursor.claim(claim(team, visited), visited) {
                scatter::scatter(pool, staged, positions, offsets.tails, &table);
            }
        });
        let (entries, cursor) = (source.len, Cursor::new());
        team.run(|| {
            scope!("pivotgrid::scatter::fill");
            while let Some(entries) = cursor.claim(claim(team, entries), entries) {
                scatter::fill(staged, source, entries, &table);
            }
        });
        self.grid.listed = offsets.tails.listed..offsets.tails.listed + offsets.listed;
        Scattered(())
    }

    /// Finds the pairs, and has each worker hand its own to a consumer of its own. In the end `finish` gets the consumers.
    pub(crate) fn detect<C: Consumer>(
        &mut self,
        _: &Scattered,
        team: Team,
        consumer: impl Fn() -> C + Sync,
        finish: impl Fn(C) + Sync,
    ) {
        let view = View { grid: &self.grid, columns: self.table.columns(&self.order), kernel: self.kernel };
        let (items, listed) = (Cursor::new(), Cursor::new());
        let stock = Blocks::new(&mut self.pairs, 1);
        let workers = Blocks::new(&mut self.workers, 1);
        let (budget, missed) = (&self.budget, Cursor::new());
        team.run(|| {
            scope!("pivotgrid::detect::worker");
            let Some(worker) = workers.claim_one() else { return };
            let Worker { finder, pairs_beyond, .. } = &mut **worker;
            let mut sink = Sink::new(&stock, pairs_beyond, budget, consumer());
            let count = view.grid.items.len();
            while let Some(claimed) = items.claim(team.claim(count, MOST_ITEMS), count) {
                for item in &view.grid.items[claimed] {
                    view.detect(item, finder, &mut sink);
                    if sink.has_enough() {
                        // Nobody finds anything left to claim.
                        items.take(count);
                        listed.take(view.grid.listed.len());
                        break;
                    }
                }
            }
            while let Some(block) = listed.claim(LISTED_BLOCK, view.grid.listed.len()) {
                let first = view.grid.listed.start;
                view.detect_listed(first + block.start..first + block.end, finder, &mut sink);
                if sink.has_enough() {
                    listed.take(view.grid.listed.len());
                }
            }
            let (consumer, without_room) = sink.finish();
            missed.take(without_room);
            finish(consumer);
        });
        sink::refuse_missed(missed.claimed(), team.workers(), budget);
        for worker in &mut self.workers {
            memory::reserve(&mut self.pairs, worker.pairs_beyond.len());
            self.pairs.append(&mut worker.pairs_beyond);
        }
    }
}
