//! The passes, each a function of all workers that ends in a join.
//!
//! A pass takes what the one before it made, so they cannot be called in another order.

use crate::Scalar;
use crate::build::count::{self, Tally};
use crate::build::gather::{self, Source};
use crate::build::offset;
use crate::build::plan::Plan;
use crate::build::plan::check::{Load, MOST_REVISIONS, troubles};
use crate::build::plan::most_listed;
use crate::build::plan::revise::{Occupancy, Reviser};
use crate::build::plan::survey::Survey;
use crate::build::scatter::{self, Tails};
use crate::detect::View;
use crate::detect::sink::{self, Consumer, Sink};
use crate::engine::{Engine, Worker};
use crate::kernel::PADDING;
use crate::layout::grid::Item;
use crate::layout::list_tree::number_listed;
use crate::layout::{Levels, Shape, key_parts, z_key};
use crate::lockfree::{Blocks, ChunkId, Cursor, Directory, Full};
use crate::runtime::memory::{self, reserve_with_slack};
use crate::runtime::objects::Objects;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;

/// After planning: whether the objects were gathered for it.
pub(crate) struct Planned {
    gathered: bool,
}

/// What a step has tried to make its new plan better.
#[derive(Debug)]
pub(crate) struct Revisions<S, const D: usize> {
    /// The levels before the last revision, and what a step with them would cost.
    before: Option<(Levels<S, D>, f64)>,
    /// No more is tried.
    is_over: bool,
}

impl<S, const D: usize> Default for Revisions<S, D> {
    fn default() -> Self {
        Revisions { before: None, is_over: false }
    }
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
            self.grid.levels = Levels::default();
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
            let worker = &mut **worker;
            worker.survey.clear();
            while let Some((first, claimed)) = staged.claim() {
                for (at, block) in blocks(first, claimed) {
                    source.gather(at, block, &mut worker.seen);
                    worker.survey.observe(block);
                }
            }
        });
        self.choose(objects, source.order.len(), team);
        Planned { gathered: true }
    }

    /// Looks at all sizes once more and chooses levels.
    fn replan(&mut self, objects: usize, visited: usize, team: Team) {
        let (staged, cursor) = (&self.staged[..visited], Cursor::new());
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            scope!("pivotgrid::plan::survey");
            let Some(worker) = workers.claim_one() else { return };
            worker.survey.clear();
            while let Some(block) = cursor.claim(claim(team, visited), visited) {
                worker.survey.observe(&staged[block]);
            }
        });
        self.choose(objects, visited, team);
    }

    /// Chooses levels by what the workers have surveyed.
    fn choose(&mut self, objects: usize, visited: usize, team: Team) {
        let mut survey = Survey::default();
        survey.clear();
        for worker in self.workers.iter_mut().take(team.workers()) {
            // Its memory is given back: plans are rare.
            survey.merge(&std::mem::take(&mut worker.survey));
        }
        let forced = self.config.exact_cell_size.or(self.hint);
        let (plan, levels) = Plan::choose(objects, &survey, &self.staged[..visited], &self.config, forced);
        (self.plan, self.grid.levels) = (Some(plan), levels);
        self.stats.replanned = true;
    }

    /// Finds each object's cell and rank. Runs again, with more room, until all objects are counted in.
    pub(crate) fn count<O: Objects<S, D> + ?Sized>(&mut self, source: &Source<'_, O>, planned: Planned, team: Team) -> Counted {
        let mut gathered = planned.gathered;
        let visited = source.order.len();
        let pool_before = self.grid.pool.bytes();
        loop {
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
            match self.grid.settle(tallies) {
                // Before there is room for all these chunks, there may be a plan that needs fewer.
                Err(Full::Directory) if self.is_overrun(source.len) => {
                    self.clear(team);
                    self.hint = None;
                    self.replan(source.len, visited, team);
                }
                Err(Full::Directory) => {
                    let bits = (self.grid.directory.bits() + 2).max(Directory::bits_for(self.grid.pool.used() as usize));
                    self.clear(team);
                    self.grow_directory(bits);
                }
                Err(Full::Memory(bytes)) => memory::refused_by_system(bytes),
                Err(Full::Limit(bytes)) => self.budget.refuse(bytes - pool_before),
                Err(Full::Pool) => {
                    self.grid.levels.coarsen();
                    self.clear(team);
                }
                Ok(()) => {
                    self.budget.charge(self.grid.pool.bytes() - pool_before);
                    return Counted { listed: listed.claimed(), rejected: source.rejected.claimed() };
                }
            }
            self.stats.repeats += 1;
        }
    }

    /// Whether a plan of an earlier step makes far more chunks than it did when it was new.
    fn is_overrun(&self, objects: usize) -> bool {
        let accepted = self.plan.as_ref().and_then(|plan| plan.accepted.as_ref());
        let chunks = self.grid.pool.used() as usize;
        !self.stats.replanned && accepted.is_some_and(|accepted| accepted.is_overrun_by(chunks, objects))
    }

    /// Judges the levels by what was counted, before anything is compared. If others are better, it is all counted again: a plan of an
    /// earlier step is replaced, one of this step is improved for those objects for which it is dear.
    pub(crate) fn review<O: Objects<S, D> + ?Sized>(
        &mut self,
        source: &Source<'_, O>,
        offsets: Offsets,
        revisions: &mut Revisions<S, D>,
        team: Team,
    ) -> Result<Offsets, Planned> {
        if self.grid.levels.is_empty() || self.config.exact_cell_size.is_some() {
            return Ok(offsets);
        }
        let (objects, visited) = (source.len, source.order.len());
        let mut load = Load { listed: offsets.listed, ..Load::default() };
        self.workers.iter().take(team.workers()).for_each(|worker| load.merge(&worker.placed.load));
        let plan = self.plan.as_mut().expect("a plan was made");
        let again = Err(Planned { gathered: true });
        if revisions.is_over {
            plan.accept(&load);
            return Ok(offsets);
        }
        if let Some(accepted) = plan.accepted.as_ref().filter(|_| !self.stats.replanned) {
            if !accepted.is_outgrown_by(&load, objects) {
                return Ok(offsets);
            }
            self.clear(team);
            self.hint = None;
            self.replan(objects, visited, team);
            self.stats.repeats += 1;
            return again;
        }
        let cost = load.cost(&self.config.costs);
        if let Some((levels, _)) = revisions.before.take_if(|(_, before)| *before <= cost) {
            // That was no help.
            revisions.is_over = true;
            self.grid.levels = levels;
            self.clear(team);
            self.stats.repeats += 1;
            return again;
        }
        if troubles(&load, objects, &self.config.costs).is_empty() {
            plan.accept(&load);
            return Ok(offsets);
        }
        let mut revised = self.grid.levels.duplicate();
        let pool = &self.grid.pool;
        let mut reviser = Reviser {
            levels: &mut revised,
            staged: &self.staged[..visited],
            config: &self.config,
            frame: plan.frame,
            occupancy: |cell: u32| {
                let (chunk, local) = (pool.chunk(cell / Shape::<D>::CELLS as u32), cell as usize % Shape::<D>::CELLS);
                let in_cell = chunk.end(local) - chunk.begin(local);
                Occupancy { level: key_parts(chunk.key()).0, in_cell, in_chunk: chunk.entries().len() as u32 }
            },
        };
        if self.stats.revisions < MOST_REVISIONS && reviser.revise(&load, objects) {
            revisions.before = Some((std::mem::replace(&mut self.grid.levels, revised), cost));
            self.hint = None;
            self.clear(team);
            self.stats.repeats += 1;
            self.stats.revisions += 1;
            return again;
        }
        if reviser.give_up(&load, objects) {
            self.grid.levels = revised;
            revisions.is_over = true;
            self.clear(team);
            self.stats.repeats += 1;
            return again;
        }
        plan.accept(&load);
        Ok(offsets)
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
        let (budget, room) = (&self.budget, self.grid.chunks.capacity());
        self.grid.sort_chunks(|by_level| {
            budget.charge(memory::bytes_of::<ChunkId>(room.saturating_sub(by_level.capacity())));
            memory::reserve_exact(by_level, room);
        });
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
        // Too many for a list: then a tree is made over them, for which neighbors are to follow one another.
        let needs_tree = !self.grid.levels.is_empty() && offsets.listed > most_listed(source.len);
        if needs_tree {
            number_listed(&mut self.staged[..visited]);
        }
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
        self.grid.list_tree.clear();
        if needs_tree {
            self.grid.list_tree.build(&self.table.columns(&self.next_order), self.grid.listed.clone(), &self.budget);
        }
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
