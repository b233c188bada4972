//! The engine: a step from top to bottom.

use std::time::Instant;

use crossbeam::utils::CachePadded;

use crate::build::count::{self, Tally};
use crate::build::gather::{self, Source};
use crate::build::grid::Grid;
use crate::build::offset::{self, Placed};
use crate::build::plan::{MAX_LEVELS, Plan};
use crate::build::scatter::{self, Tails};
use crate::build::staged::Staged;
use crate::build::survey::{Extent, Survey};
use crate::build::table::{Table, grow_exactly};
use crate::detect::kernel::{Kernel, LANES};
use crate::detect::sink::{self, Sink};
use crate::detect::{Finder, View};
use crate::lockfree::{Blocks, Cursor, Directory, Full};
use crate::workers::Team;
use crate::{
    Bounded, Config, ConfigError, DetectError, LevelStats, MAX_OBJECTS, Pair, Pairs, RejectReason, Rejected, Scalar, Stats,
};

/// Finds all pairs of overlapping boxes of a scene, step after step.
///
/// Keep it between steps: its memory is reused, and the order in which the last step stored the objects is the order in which the
/// next one visits them. Neither changes what is found. A scene may grow, shrink, or be another one altogether.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair};
///
/// let boxes = [
///     Aabb::new([0.0, 0.0, 0.0], [90.0, 90.0, 90.0]),
///     Aabb::new([40.0, 40.0, 89.9], [40.2, 40.2, 90.1]),
///     Aabb::new([-7.0, 3.0, 5.0], [-6.9, 3.1, 5.0]),
/// ];
/// let mut broad_phase = BroadPhase::<f32, 3>::new();
/// let pairs = broad_phase.par_detect(&boxes);
/// assert_eq!(pairs.sorted(), [Pair { a: 0, b: 1 }]);
/// ```
///
/// Two and three dimensions, `f32` and `f64`; anything else does not compile:
///
/// ```compile_fail
/// let four_dimensional = pivotgrid::BroadPhase::<f32, 4>::new();
/// ```
#[derive(Debug)]
pub struct BroadPhase<S: Scalar = f32, const D: usize = 3> {
    config: Config,
    kernel: Kernel,
    plan: Option<Plan<S, D>>,
    grid: Grid<S, D>,
    table: Table<S, D>,
    staged: Vec<Staged<S, D>>,
    /// The objects' indices in the order in which the last step stored them; the order in which the next one visits them.
    order: Vec<u32>,
    /// The order that the step at hand is making.
    next_order: Vec<u32>,
    /// How many objects the last complete step had; `order` is valid up to here.
    known: usize,
    workers: Vec<CachePadded<Worker>>,
    survey: Survey,
    pairs: Vec<Vec<Pair>>,
    rejected: Vec<Rejected>,
    stats: Stats,
}

/// What a worker writes, by pass. Padded where it is stored, so that workers do not share cache lines.
#[derive(Debug)]
struct Worker {
    survey: Survey,
    rejected: Vec<Rejected>,
    tally: Tally,
    placed: Placed,
    finder: Finder,
    pairs_beyond: Vec<Vec<Pair>>,
}

/// After counting: how many objects go behind the cells' entries.
struct Counted {
    listed: usize,
    rejected: usize,
}

/// After the offsets: where everything goes.
struct Offsets {
    tails: Tails,
    listed: usize,
}

/// After the scatter: the table is complete.
struct Scattered;

/// Chunks that a worker clears at a time.
const CLEAR_BLOCK: usize = 512;
/// Listed entries that a worker compares with all others at a time.
const LISTED_BLOCK: usize = 32;

impl<S: Scalar, const D: usize> Default for BroadPhase<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// An engine that chooses everything by itself. Allocates nothing until its first step.
    pub fn new() -> Self {
        Self::with_valid_config(Config::default())
    }

    /// An engine with settings, or what is wrong with them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        config.validated().map(Self::with_valid_config)
    }

    fn with_valid_config(config: Config) -> Self {
        const { assert!(D == 2 || D == 3, "BroadPhase works in 2 or 3 dimensions") };
        BroadPhase {
            config,
            kernel: Kernel::best(),
            plan: None,
            grid: Grid::new(),
            table: Table::new(),
            staged: Vec::new(),
            order: Vec::new(),
            next_order: Vec::new(),
            known: 0,
            workers: Vec::new(),
            survey: Survey::new(),
            pairs: Vec::new(),
            rejected: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Finds all overlapping pairs on the threads of the rayon pool in which it is called (the global one, unless called inside
    /// [`ThreadPool::install`](rayon::ThreadPool::install)).
    ///
    /// Invalid boxes are left out and listed in [`Pairs::rejected`]. Of more than [`MAX_OBJECTS`] objects the first
    /// [`MAX_OBJECTS`] are handled, and the rest is rejected; [`try_par_detect`](Self::try_par_detect) refuses the scene instead.
    ///
    /// # Panics
    ///
    /// Only if the user's [`Bounded`] does; the panic is passed on, and the engine stays usable.
    pub fn par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Pairs<'_> {
        if objects.len() <= self.config.serial_up_to {
            return self.detect(objects);
        }
        // One way into the pool for the whole step, instead of one per pass.
        rayon::scope(|_| self.step(objects, Team::of_current_pool()));
        self.found()
    }

    /// Finds all overlapping pairs on the calling thread: the same as [`par_detect`](Self::par_detect) with one worker.
    pub fn detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Pairs<'_> {
        self.step(objects, Team::ALONE);
        self.found()
    }

    /// [`par_detect`](Self::par_detect), with an error instead of a partial answer for more than [`MAX_OBJECTS`] objects.
    pub fn try_par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<Pairs<'_>, DetectError> {
        check_count(objects)?;
        Ok(self.par_detect(objects))
    }

    /// [`detect`](Self::detect), with an error instead of a partial answer for more than [`MAX_OBJECTS`] objects.
    pub fn try_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<Pairs<'_>, DetectError> {
        check_count(objects)?;
        Ok(self.detect(objects))
    }

    /// What the last step did and what it cost.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Gives back memory that holds nothing any more: all but room for as many objects as the last step had.
    pub fn shrink_to_fit(&mut self) {
        self.clear(Team::ALONE);
        self.grid.pool.shrink();
        self.grid.directory = Directory::new(Directory::bits_for(self.stats.chunks + self.stats.workers));
        self.grid.chunks = Vec::new();
        self.grid.items = Vec::new();
        self.table.shrink(self.known);
        self.staged.truncate(self.known);
        self.staged.shrink_to_fit();
        self.order.truncate(self.known + LANES);
        self.order.shrink_to_fit();
        self.next_order = Vec::new();
        self.workers = Vec::new();
        self.pairs = Vec::new();
        self.rejected = Vec::new();
        self.stats.bytes = self.bytes();
    }

    fn found(&self) -> Pairs<'_> {
        Pairs::new(&self.pairs, &self.rejected)
    }

    /// The step.
    fn step<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) {
        let surplus = objects.len() > MAX_OBJECTS;
        let objects = &objects[..objects.len().min(MAX_OBJECTS)];
        let mut clock = Clock::start();

        let team = self.prepare(objects.len(), team);
        let order = std::mem::take(&mut self.order);
        let visited = self.known.max(objects.len());
        let source = Source { objects, order: &order[..visited], rejected: Cursor::new() };
        // If the user's code panics below, the order is lost, and with it only some speed.
        self.known = 0;

        let gathered = self.plan(&source, team);
        self.stats.times.plan = clock.lap();
        let counted = self.count(&source, team, gathered);
        self.stats.times.count = clock.lap();
        let offsets = self.offset(counted, team);
        self.stats.times.offset = clock.lap();
        let scattered = self.scatter(&source, offsets, team);
        self.order = std::mem::replace(&mut self.next_order, order);
        self.known = objects.len();
        self.stats.times.scatter = clock.lap();
        self.detect_pairs(objects, scattered, team);
        self.stats.times.detect = clock.lap();

        if surplus {
            self.rejected.push(Rejected { index: MAX_OBJECTS, reason: RejectReason::BeyondIndex });
        }
        self.conclude(objects.len(), team);
    }

    /// Makes room for the step and empties what the last one left, whether or not that came to its end.
    fn prepare(&mut self, objects: usize, team: Team) -> Team {
        let team = team.at_most(objects / gather::BLOCK + 1);
        let used = self.clear(team);
        // Room for about as many chunks again, so that a race for one more does not make the count run twice.
        let bits = Directory::bits_for(used + used / 8 + 2 * team.workers());
        if self.grid.directory.bits() < bits {
            self.grid.directory = Directory::new(bits);
        }
        let visited = self.known.max(objects);
        grow_exactly(&mut self.staged, visited, Staged::VACANT);
        grow_exactly(&mut self.order, visited + LANES, 0);
        grow_exactly(&mut self.next_order, visited + LANES, 0);
        // Objects that the last step did not have come last, in the user's order.
        for (id, place) in (self.known..visited).zip(&mut self.order[self.known..visited]) {
            *place = id as u32;
        }
        self.table.resize(visited);
        while self.workers.len() < team.workers() {
            self.workers.push(CachePadded::new(Worker::new()));
        }
        for worker in &mut self.workers {
            worker.rejected.clear();
            worker.finder.clear();
            // There are some if the user's filter panicked in the last step.
            self.pairs.append(&mut worker.pairs_beyond);
        }
        self.pairs.iter_mut().for_each(Vec::clear);
        self.rejected.clear();
        self.stats.repeats = 0;
        self.stats.replanned = false;
        team
    }

    /// Empties the directory and takes the chunks back. Returns how many there were.
    fn clear(&mut self, team: Team) -> usize {
        let used = self.grid.pool.used() as usize;
        let (grid, cursor) = (&self.grid, Cursor::new());
        team.at_most(used / CLEAR_BLOCK).run(|| {
            while let Some(chunks) = cursor.claim(CLEAR_BLOCK, used) {
                grid.directory.clear(&grid.pool, chunks);
            }
        });
        self.grid.pool.recycle();
        used
    }

    /// Makes sure that there is a plan. Returns whether the objects were gathered for it.
    fn plan<T: Bounded<S, D> + Sync>(&mut self, source: &Source<'_, T>, team: Team) -> bool {
        let objects = source.objects.len();
        if objects <= self.config.all_pairs_up_to {
            self.plan = Some(Plan::all_pairs(objects));
            return false;
        }
        if self.plan.as_ref().is_some_and(|plan| plan.suits(objects)) {
            return false;
        }
        let staged = Blocks::new(&mut self.staged[..source.order.len()], gather::BLOCK);
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            let Some(worker) = workers.claim_one() else { return };
            while let Some((first, block)) = staged.claim() {
                source.gather(first, block, &mut worker.rejected);
            }
        });
        self.replan(source.order.len(), team);
        true
    }

    /// Looks at all sizes and chooses levels.
    fn replan(&mut self, visited: usize, team: Team) {
        let staged = &self.staged[..visited];
        let (cursor, extent) = (Cursor::new(), Extent::new());
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            let Some(worker) = workers.claim_one() else { return };
            worker.survey.clear();
            while let Some(block) = cursor.claim(gather::BLOCK, visited) {
                worker.survey.observe(&staged[block], &extent);
            }
        });
        self.survey.clear();
        for worker in self.workers.iter().take(team.workers()) {
            self.survey.merge(&worker.survey);
        }
        self.plan = Some(Plan::choose(&self.survey, &extent, staged, &self.config));
        self.stats.replanned = true;
    }

    /// Finds each object's cell and rank. Runs again, with more room or better levels, until all objects are counted in.
    fn count<T: Bounded<S, D> + Sync>(&mut self, source: &Source<'_, T>, team: Team, mut gathered: bool) -> Counted {
        let visited = source.order.len();
        loop {
            let plan = self.plan.as_ref().expect("a plan was made");
            self.grid.levels.clear();
            self.grid.levels.extend_from_slice(&plan.levels);

            let (grid, listed) = (&self.grid, Cursor::new());
            let staged = Blocks::new(&mut self.staged[..visited], gather::BLOCK);
            let workers = Blocks::new(&mut self.workers, 1);
            team.run(|| {
                let Some(worker) = workers.claim_one() else { return };
                worker.tally = Tally::default();
                while let Some((first, block)) = staged.claim() {
                    if !gathered {
                        source.gather(first, block, &mut worker.rejected);
                    }
                    if worker.tally.full.is_none() {
                        count::count(grid, &listed, block, &mut worker.tally);
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
                    self.grid.directory = Directory::new(bits);
                }
                Err(Full::Pool) => {
                    plan.coarsen();
                    self.clear(team);
                }
                Ok(()) if plan.is_swamped(listed.claimed()) && !self.stats.replanned => {
                    self.clear(team);
                    self.replan(visited, team);
                }
                Ok(()) => {
                    plan.accept(listed.claimed());
                    return Counted { listed: listed.claimed(), rejected: source.rejected.claimed() };
                }
            }
            self.stats.repeats += 1;
        }
    }

    /// Turns counters into pivots and lists the work of detection.
    fn offset(&mut self, counted: Counted, team: Team) -> Offsets {
        let used = self.grid.pool.used();
        self.grid.chunks.clear();
        reserve_with_slack(&mut self.grid.chunks, used as usize);
        self.grid.chunks.extend(0..used);

        let (grid, work, table) = (&self.grid, Cursor::new(), Cursor::new());
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            let Some(worker) = workers.claim_one() else { return };
            worker.placed.clear();
            offset::place::<D>(&grid.pool, &grid.chunks, &work, &table, &mut worker.placed);
        });

        self.grid.items.clear();
        let items = self.workers.iter().take(team.workers()).map(|worker| worker.placed.items.len()).sum();
        reserve_with_slack(&mut self.grid.items, items);
        for worker in self.workers.iter().take(team.workers()) {
            self.grid.items.extend_from_slice(&worker.placed.items);
        }
        let tails = Tails { listed: table.claimed(), rejected: table.claimed() + counted.listed };
        debug_assert!(tails.rejected + counted.rejected + LANES <= self.next_order.len());
        Offsets { tails, listed: counted.listed }
    }

    /// Writes the entries.
    fn scatter<T>(&mut self, source: &Source<'_, T>, offsets: Offsets, team: Team) -> Scattered {
        let visited = source.order.len();
        let (pool, staged, cursor) = (&self.grid.pool, &self.staged[..visited], Cursor::new());
        let table = self.table.writer(&mut self.next_order);
        team.run(|| {
            while let Some(positions) = cursor.claim(gather::BLOCK, visited) {
                scatter::scatter(pool, staged, source.order, positions, offsets.tails, &table);
            }
        });
        self.grid.listed = offsets.tails.listed..offsets.tails.listed + offsets.listed;
        Scattered
    }

    /// Finds the pairs.
    fn detect_pairs<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], _: Scattered, team: Team) {
        let view = View { grid: &self.grid, columns: self.table.columns(&self.order), kernel: self.kernel };
        let listed = Cursor::new();
        let items = Cursor::new();
        // `get`, because a bounds check that could panic would keep the compiler from dropping a filter that refuses nothing.
        let filter = |pair: Pair| match (objects.get(pair.a as usize), objects.get(pair.b as usize)) {
            (Some(a), Some(b)) => a.pairs_with(b),
            _ => true,
        };
        let stock = Blocks::new(&mut self.pairs, 1);
        let workers = Blocks::new(&mut self.workers, 1);
        team.run(|| {
            let Some(worker) = workers.claim_one() else { return };
            let Worker { finder, pairs_beyond, .. } = &mut **worker;
            let mut sink = Sink::new(&stock, pairs_beyond, filter);
            while let Some(block) = items.claim(1, view.grid.items.len()) {
                view.detect(&view.grid.items[block.start], finder, &mut sink);
            }
            while let Some(block) = listed.claim(LISTED_BLOCK, view.grid.listed.len()) {
                let first = view.grid.listed.start;
                view.detect_listed(first + block.start..first + block.end, finder, &mut sink);
            }
            sink.finish();
        });
        for worker in &mut self.workers {
            self.pairs.append(&mut worker.pairs_beyond);
        }
    }

    /// Takes the figures of the step, and evens out the memory: how work falls to the workers, and how often they race for a
    /// chunk, differs from step to step, and must not make a steady scene allocate.
    fn conclude(&mut self, objects: usize, team: Team) {
        let workers = &mut self.workers[..team.workers()];
        for worker in workers.iter() {
            self.rejected.extend_from_slice(&worker.rejected);
        }
        self.rejected.sort_unstable();
        let most = workers.iter().map(|worker| worker.finder.capacity()).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        for worker in workers.iter_mut() {
            worker.rejected.clear();
            worker.rejected.reserve(self.rejected.len());
            worker.placed.items.clear();
            reserve_with_slack(&mut worker.placed.items, self.grid.items.len());
            worker.finder.reserve(most);
        }
        let found: usize = self.pairs.iter().map(Vec::len).sum();
        let blocks = found.div_ceil(sink::BLOCK) + team.workers();
        if self.pairs.len() < blocks {
            reserve_with_slack(&mut self.pairs, blocks);
            self.pairs.resize_with(blocks, || Vec::with_capacity(sink::BLOCK));
        }
        self.grid.pool.reserve(self.grid.pool.used() + 2 * team.workers() as u32);

        let workers = &self.workers[..team.workers()];
        let stats = &mut self.stats;
        stats.objects = objects;
        stats.rejected = self.rejected.len();
        stats.pairs = found;
        stats.candidates = workers.iter().map(|worker| worker.finder.candidates).sum();
        stats.workers = team.workers();
        stats.unleveled = self.grid.listed.len();
        stats.occupied_cells = workers.iter().map(|worker| worker.placed.occupied_cells).sum();
        stats.chunks = 0;
        stats.levels.clear();
        stats.levels.reserve(MAX_LEVELS);
        for (index, level) in self.grid.levels.iter().enumerate() {
            let chunks: usize = workers.iter().map(|worker| worker.placed.chunks[index]).sum();
            stats.chunks += chunks;
            if chunks > 0 {
                stats.levels.push(LevelStats {
                    cell_size: level.cell_size(),
                    objects: self.grid.objects[index],
                    chunks,
                    span: self.grid.spans[index].map(|span| span as u32),
                });
            }
        }
        if self.plan.as_mut().is_some_and(|plan| plan.is_outdated_by(self.stats.candidates)) {
            self.plan = None;
        }
        self.stats.bytes = self.bytes();
    }

    /// Memory held, in bytes.
    fn bytes(&self) -> usize {
        let workers = self.workers.iter().map(|worker| worker.bytes()).sum::<usize>();
        let pairs: usize = self.pairs.iter().map(Vec::capacity).sum();
        self.grid.bytes()
            + self.table.bytes()
            + self.staged.capacity() * size_of::<Staged<S, D>>()
            + (self.order.capacity() + self.next_order.capacity()) * size_of::<u32>()
            + self.workers.capacity() * size_of::<CachePadded<Worker>>()
            + workers
            + pairs * size_of::<Pair>()
            + self.pairs.capacity() * size_of::<Vec<Pair>>()
            + self.rejected.capacity() * size_of::<Rejected>()
    }
}

impl Worker {
    fn new() -> Self {
        Worker {
            survey: Survey::new(),
            rejected: Vec::new(),
            tally: Tally::default(),
            placed: Placed::default(),
            finder: Finder::default(),
            pairs_beyond: Vec::new(),
        }
    }

    fn bytes(&self) -> usize {
        self.rejected.capacity() * size_of::<Rejected>() + self.placed.bytes() + self.finder.bytes() + self.survey.bytes()
    }
}

/// Room for `len` elements and, if that takes an allocation, for some more.
fn reserve_with_slack<T>(buffer: &mut Vec<T>, len: usize) {
    if buffer.capacity() < len {
        buffer.reserve_exact(len + len / 8 + 64 - buffer.len());
    }
}

fn check_count<T>(objects: &[T]) -> Result<(), DetectError> {
    if objects.len() > MAX_OBJECTS { Err(DetectError::TooManyObjects(objects.len())) } else { Ok(()) }
}

/// Times the passes.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Clock(Instant::now())
    }

    /// The time since the last lap.
    fn lap(&mut self) -> std::time::Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}
