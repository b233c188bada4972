//! The memory that the rebuild keeps between steps. Each pass is a method of [`Builder`], in a file of its own.

use crossbeam::utils::CachePadded;

use super::gather::{Gatherer, Seen};
use super::plan::Plan;
use super::plan::survey::Survey;
use super::sort::{Crowd, Sorter};
use crate::faults::{Fault, injected};
use crate::kernel::Kernel;
use crate::layout::MAX_LEVELS;
use crate::layout::columns::PADDING;
use crate::layout::grid::Grid;
use crate::layout::list_tree::Curve;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::layout::table::Table;
use crate::lockfree::{Cursor, Directory, Shares};
use crate::runtime::busy::Busy;
use crate::runtime::memory::{self, Budget, grow_exactly, replace_if_short};
use crate::runtime::team::Team;
use crate::{Config, LevelStats, Predicted, Rejected, Scalar, Stats};

/// Everything that the passes up to the complete grid read, write and leave behind.
#[derive(Debug)]
#[allow(unreachable_pub, reason = "a request, public in name only, names it")]
pub struct Builder<S, const D: usize> {
    pub(crate) config: Config,
    pub(crate) kernel: Kernel,
    pub(crate) plan: Option<Plan>,
    /// The width of the finest cells that the user suggests, until a count has shown that there are better ones.
    pub(crate) hint: Option<f64>,
    pub(crate) grid: Grid<S, D>,
    pub(crate) table: Table<S, D>,
    pub(crate) staged: Vec<StagedBlock<S, D>>,
    /// The objects' indices in the order in which the last step stored them; the order in which the next one visits them.
    pub(crate) order: Vec<u32>,
    /// The order that the current step makes.
    pub(crate) next_order: Vec<u32>,
    /// How many objects the last complete step had; `order` is valid up to here.
    pub(crate) last_len: usize,
    pub(crate) workers: Vec<CachePadded<BuildWorker>>,
    pub(crate) budget: Budget,
    /// The time that each worker was busy.
    pub(crate) busy: Busy,
    /// Which worker does what in the current pass.
    pub(crate) shares: Shares,
    /// Where the units of gathering begin, in blocks, and those of sorting, in chunks.
    pub(crate) bounds: Vec<u32>,
    pub(crate) unit_bounds: Vec<u32>,
    /// Where the entries of the latter begin.
    pub(crate) entry_bounds: Vec<u32>,
    /// The worker that took each unit of the last pass.
    pub(crate) takers: Vec<u32>,
    /// Where the chunks of each block of positions begin, while they are arranged.
    pub(crate) starts: Vec<u32>,
    /// How many segments the last step had.
    pub(crate) segments: usize,
    /// Whether the last presort did not reduce that number.
    pub(crate) presorted_in_vain: bool,
    /// For chunks that all workers sort together.
    pub(crate) crowd: Crowd,
    /// For oversized objects that need a tree.
    pub(crate) curve: Curve<S, D>,
    pub(crate) rejected: Vec<Rejected>,
    pub(crate) stats: Stats,
}

/// What a worker writes, by pass. Padded where it is stored, so that workers do not share cache lines.
#[derive(Debug, Default)]
pub(crate) struct BuildWorker {
    pub(crate) survey: Survey,
    pub(crate) seen: Seen,
    pub(crate) gatherer: Gatherer,
    pub(crate) sorter: Sorter,
}

/// The lists of objects without a level, oversized and rejected. Each list takes a chunk of the pool.
pub(crate) const SPECIALS: usize = 2;

/// Up to one in so many objects of the order may be gone: one thread goes through the order to take them out.
const FEW_GONE: usize = 16;

/// Chunks that a worker clears at a time.
const CLEAR_BLOCK: usize = 512;

impl<S: Scalar, const D: usize> Builder<S, D> {
    pub(crate) fn new(config: Config) -> Self {
        Builder {
            kernel: Kernel::of(config.instruction_set).unwrap_or(Kernel::Portable),
            budget: Budget::new(config.max_bytes).with_huge_pages(config.huge_pages),
            hint: config.cell_size,
            config,
            plan: None,
            grid: Grid::new(),
            table: Table::new(),
            staged: Vec::new(),
            order: Vec::new(),
            next_order: Vec::new(),
            last_len: 0,
            workers: Vec::new(),
            busy: Busy::default(),
            shares: Shares::default(),
            bounds: Vec::new(),
            unit_bounds: Vec::new(),
            entry_bounds: Vec::new(),
            takers: Vec::new(),
            starts: Vec::new(),
            segments: 0,
            presorted_in_vain: false,
            crowd: Crowd::default(),
            curve: Curve::default(),
            rejected: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Sets another limit, and forgets what is held elsewhere.
    pub(crate) fn limit_bytes(&mut self, limit: Option<usize>) {
        self.budget = Budget::new(limit).with_huge_pages(self.config.huge_pages);
    }

    /// Takes objects that are gone out of the last step's order, if they are many: each of them would end a segment. Returns how many
    /// objects the order has then.
    pub(crate) fn drop_gone(&mut self, last_len: usize, objects: usize) -> usize {
        if last_len.saturating_sub(objects) <= last_len / FEW_GONE {
            return last_len;
        }
        let mut left = 0;
        for at in 0..last_len {
            let id = self.order[at];
            self.order[left] = id;
            left += usize::from((id as usize) < objects);
        }
        left
    }

    /// Makes room for a step that visits `visited` objects, among them the `last_len` objects of the last step.
    pub(crate) fn make_room(&mut self, last_len: usize, visited: usize, team: Team<'_>) {
        // Room for about as many chunks again, so that a race for one more does not make gather run twice. Only chunks that held objects
        // count: their number does not depend on races, while the number of chunks taken from the pool does.
        let chunks = self.stats.chunks;
        let bits = Directory::bits_for(chunks + SPECIALS + chunks / 8 + 2 * team.workers());
        if self.grid.directory.bits() < bits {
            self.grow_directory(bits);
        }
        let budget = &self.budget;
        // All of it is checked first, so that a refusal reports the whole need.
        let per_object = size_of::<StagedBlock<S, D>>() / BLOCK + 2 * size_of::<u32>() + 2 * D * size_of::<S>();
        budget.check(visited.saturating_sub(self.staged.len() * BLOCK).saturating_mul(per_object));
        replace_if_short(&mut self.staged, visited.div_ceil(BLOCK), budget);
        grow_exactly(&mut self.order, visited + PADDING, 0, budget);
        replace_if_short(&mut self.next_order, visited + PADDING, budget);
        // Objects that the last step did not have come last, in the user's order.
        for (id, place) in (last_len..visited).zip(&mut self.order[last_len..visited]) {
            *place = if injected(Fault::NewcomerLost) && id == last_len { visited as u32 } else { id as u32 };
        }
        self.table.resize(visited, budget);
        self.grid.pool.limit_bytes(self.grid.pool.bytes().saturating_add(self.budget.left()));
    }

    /// Makes the workers ready, and forgets the last step's figures.
    pub(crate) fn prepare_workers(&mut self, team: Team<'_>) {
        while self.workers.len() < team.workers() {
            memory::push(&mut self.workers, CachePadded::new(BuildWorker::default()));
        }
        for worker in &mut self.workers {
            worker.seen.clear();
            worker.sorter.prepare();
        }
        self.rejected.clear();
        self.stats.repeats = 0;
        self.stats.replanned = false;
        self.stats.revisions = 0;
    }

    /// Replaces the directory, which must be empty, by a larger one.
    pub(crate) fn grow_directory(&mut self, bits: u32) {
        let bytes = Directory::bytes_for(bits);
        self.budget.refund(self.grid.directory.bytes());
        self.budget.charge(bytes);
        self.grid.directory = Directory::new(bits).unwrap_or_else(|| memory::refused_by_system(bytes));
    }

    /// Empties the directory and takes the chunks back.
    pub(crate) fn clear(&mut self, team: Team) {
        let used = self.grid.pool.used() as usize;
        if used > 0 {
            let (grid, cursor) = (&self.grid, Cursor::new());
            self.busy.each(team.at_most(used / CLEAR_BLOCK), |_| {
                while let Some(chunks) = cursor.claim(CLEAR_BLOCK, used) {
                    grid.directory.clear(&grid.pool, chunks);
                }
            });
            self.grid.pool.recycle();
        }
        self.grid.forget();
    }

    /// Collects what the workers rejected, and evens out their memory: the division of work among them differs from step to step, and must
    /// not make a steady scene allocate.
    pub(crate) fn even_out(&mut self, team: Team) {
        let workers = &mut self.workers[..team.workers()];
        for worker in workers.iter() {
            memory::reserve(&mut self.rejected, worker.seen.rejected.len());
            self.rejected.extend_from_slice(&worker.seen.rejected);
        }
        self.rejected.sort_unstable();
        for worker in workers.iter_mut() {
            worker.seen.rejected.clear();
            self.budget.stock_up(&mut worker.seen.rejected, self.rejected.len());
            worker.sorter.items.clear();
            self.budget.stock_up(&mut worker.sorter.items, self.grid.items.capacity());
        }
    }

    /// Takes the figures of the step. Those of the search are in `stats` already.
    pub(crate) fn conclude(&mut self, objects: usize, team: Team) {
        let workers = &self.workers[..team.workers()];
        let stats = &mut self.stats;
        stats.objects = objects;
        stats.rejected = self.rejected.len();
        stats.workers = team.workers();
        stats.serial = stats.times.total().saturating_sub(self.busy.shared());
        stats.busy.clear();
        memory::reserve(&mut stats.busy, self.busy.workers().len());
        stats.busy.extend(self.busy.workers());
        stats.oversized = self.grid.oversized.len();
        stats.last_resort = self.grid.list_tree.len();
        stats.occupied_cells = workers.iter().map(|worker| worker.sorter.occupied_cells).sum();
        stats.chunks = 0;
        stats.levels.clear();
        memory::reserve(&mut stats.levels, MAX_LEVELS);
        for (index, level) in self.grid.levels.iter().enumerate() {
            let chunks = self.grid.level_chunks[index];
            stats.chunks += chunks;
            if chunks > 0 {
                stats.levels.push(LevelStats {
                    cell_size: level.cell_size(),
                    origin: level.origin().map(|border| if border.is_finite() { border } else { 0.0 }),
                    objects: self.grid.objects[index],
                    chunks,
                    span: level.turned(self.grid.spans[index]).map(|span| span as u32),
                    row_axis: level.row(),
                });
            }
        }
        stats.predicted = self.plan.as_ref().map_or_else(Predicted::default, |plan| plan.predicted);
        // Whichever way the races go, no worker takes more than one chunk that it does not need.
        self.grid.pool.limit_bytes(self.grid.pool.bytes().saturating_add(self.budget.left()));
        // If there is no memory for them now, the next step's gather requests it again.
        let _ = self.grid.pool.reserve((self.stats.chunks + SPECIALS + team.workers()) as u32);
        // Cells that the settings dictate are kept, whatever they cost.
        let is_free = self.config.ordered_cells().is_none();
        let work = [(self.stats.candidates + self.stats.looks) as f64, self.stats.chunks as f64 * self.config.costs.chunk];
        if self.plan.as_mut().is_some_and(|plan| is_free && plan.is_outdated_by(work, objects)) {
            self.plan = None;
        }
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let workers = self.workers.iter().map(|worker| worker.bytes()).sum::<usize>();
        self.grid.bytes()
            + self.table.bytes()
            + self.staged.capacity() * size_of::<StagedBlock<S, D>>()
            + (self.order.capacity() + self.next_order.capacity()) * size_of::<u32>()
            + self.workers.capacity() * size_of::<CachePadded<BuildWorker>>()
            + workers
            + self.rejected.capacity() * size_of::<Rejected>()
            + self.shares.bytes()
            + self.busy.bytes()
            + self.curve.bytes()
            + self.crowd.bytes()
            + (self.bounds.capacity()
                + self.unit_bounds.capacity()
                + self.entry_bounds.capacity()
                + self.takers.capacity()
                + self.starts.capacity())
                * size_of::<u32>()
    }

    /// After a step that did not complete: no figures.
    pub(crate) fn abandon(&mut self) {
        self.rejected.clear();
        let (mut levels, mut busy) = (std::mem::take(&mut self.stats.levels), std::mem::take(&mut self.stats.busy));
        levels.clear();
        busy.clear();
        self.stats = Stats { levels, busy, ..Stats::default() };
    }

    /// Gives up the last step's grid, table and order, and the plan.
    pub(crate) fn release(&mut self) {
        self.last_len = 0;
        self.plan = None;
        self.table = Table::new();
        self.staged = Vec::new();
        self.order = Vec::new();
        self.stats.chunks = 0;
    }

    /// Gives back unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.clear(Team::ALONE);
        self.grid.pool.shrink();
        if let Some(smaller) = Directory::new(Directory::bits_for(self.stats.chunks + self.stats.workers)) {
            self.grid.directory = smaller;
        }
        self.grid.shrink();
        self.shares = Shares::default();
        (self.crowd, self.curve) = (Crowd::default(), Curve::default());
        (self.bounds, self.unit_bounds, self.entry_bounds) = (Vec::new(), Vec::new(), Vec::new());
        (self.takers, self.starts) = (Vec::new(), Vec::new());
        self.table.shrink(self.last_len);
        self.staged.truncate(self.last_len.div_ceil(BLOCK));
        self.staged.shrink_to_fit();
        self.order.truncate(self.last_len + PADDING);
        self.order.shrink_to_fit();
        self.next_order = Vec::new();
        self.workers = Vec::new();
        self.rejected = Vec::new();
    }
}

impl BuildWorker {
    fn bytes(&self) -> usize {
        self.seen.rejected.capacity() * size_of::<Rejected>() + self.sorter.bytes() + self.survey.bytes()
    }
}
