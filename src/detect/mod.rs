//! Detection: finds the pairs in the finished, read-only grid.
//!
//! The pass is parallel over items, each a run of entries of one or several chunks. A worker first takes the items that it sorted. It reads
//! the grid and the table, and writes nothing but its own lists and pairs.

mod across;
pub(crate) mod near;
pub(crate) mod neighborhood;
mod same_level;
pub(crate) mod sink;

use std::ops::Range;

use crossbeam::utils::CachePadded;

use crate::build::builder::Builder;
use crate::build::sort::Sorted;
use crate::faults::{Fault, injected};
use crate::isa::Isa;
use crate::kernel::compare::{Comparer, Comparisons, FOLLOWED};
use crate::kernel::hits::PairRoom;
use crate::kernel::{IsaWork, Kernel};
use crate::layout::columns::Columns;
use crate::layout::grid::{Grid, Item};
use crate::lockfree::{Blocks, Cursor};
use crate::runtime::memory;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Pair, Scalar};
use sink::{Consumer, Sink};

/// Oversized entries that a worker compares with all others at a time, where there are several workers.
const OVERSIZED_BLOCK: usize = 32;
/// The same for a single worker.
const OVERSIZED_ALONE: usize = FOLLOWED;

/// The input of detection.
#[derive(Debug)]
pub(crate) struct View<'a, S, const D: usize> {
    pub(crate) grid: &'a Grid<S, D>,
    pub(crate) columns: Columns<'a, S, D>,
    pub(crate) kernel: Kernel,
}

/// A worker's memory for finding pairs, and how many it compared.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// How many pairs of boxes were compared.
    pub(crate) candidates: u64,
    /// How many chunks of other levels were looked for, and how many eights of a tree's nodes were looked at.
    pub(crate) looks: u64,
    comparisons: Comparisons,
    reach: same_level::Reach,
    /// Entries of coarser levels near the current chunk.
    near: Vec<u32>,
    near_sweep: near::NearSweep,
}

impl Finder {
    /// Prepares for a step. The lists get their memory here, once.
    pub(crate) fn prepare(&mut self) {
        (self.candidates, self.looks) = (0, 0);
        self.comparisons.reserve();
        self.comparisons.clear();
        self.reach.reserve();
    }

    /// Room for near entries, and for sweeps of them.
    pub(crate) fn near_capacity(&self) -> (usize, usize) {
        (self.near.capacity(), self.near_sweep.capacity())
    }

    /// Makes the same room for near entries, if there is memory.
    pub(crate) fn stock_up(&mut self, (near, swept): (usize, usize), budget: &memory::Budget) {
        self.near.clear();
        budget.stock_up(&mut self.near, near);
        self.near_sweep.stock_up(swept, budget);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.near.capacity() * size_of::<u32>() + self.near_sweep.bytes() + self.comparisons.bytes() + self.reach.bytes()
    }
}

/// The memory that the search keeps between steps.
#[derive(Debug, Default)]
pub(crate) struct Detector {
    pub(crate) workers: Vec<CachePadded<DetectWorker>>,
    /// Blocks of pairs: those of the last step, and empty ones for the next.
    pub(crate) pairs: Vec<Vec<Pair>>,
}

/// The memory that a worker writes. Padded where it is stored, so that workers do not share cache lines.
#[derive(Debug, Default)]
pub(crate) struct DetectWorker {
    pub(crate) finder: Finder,
    /// Blocks of pairs that the worker had to allocate itself.
    pub(crate) overflow_pairs: Vec<Vec<Pair>>,
    /// Static objects that an object touches.
    pub(crate) touched: Vec<u32>,
}

impl Detector {
    /// Prepares for a step with a team.
    pub(crate) fn prepare(&mut self, team: Team) {
        while self.workers.len() < team.workers() {
            memory::push(&mut self.workers, CachePadded::new(DetectWorker::default()));
        }
        for worker in &mut self.workers {
            worker.finder.prepare();
            // There are some if the last step did not complete.
            memory::reserve(&mut self.pairs, worker.overflow_pairs.len());
            self.pairs.append(&mut worker.overflow_pairs);
        }
        self.pairs.iter_mut().for_each(Vec::clear);
    }

    /// Finds the pairs. Each worker passes its pairs to a consumer of its own; in the end `finish` gets the consumers.
    pub(crate) fn detect<S: Scalar, const D: usize, C: Consumer>(
        &mut self,
        builder: &mut Builder<S, D>,
        _: &Sorted,
        team: Team,
        consumer: impl Fn() -> C + Sync,
        finish: impl Fn(C) + Sync,
    ) {
        let items = builder.grid.items.len();
        builder.deal_items(team);
        let view = View { grid: &builder.grid, columns: builder.table.columns(&builder.order), kernel: builder.kernel };
        let (shares, oversized) = (&builder.shares, Cursor::new());
        let stock = Blocks::new(&mut self.pairs, 1);
        let workers = Blocks::new(&mut self.workers, 1);
        let (budget, missed) = (&builder.budget, Cursor::new());
        let claim = if team.workers() == 1 { OVERSIZED_ALONE } else { OVERSIZED_BLOCK };
        builder.busy.each(team, |index| {
            scope!("pivotgrid::detect::worker");
            let Some(worker) = workers.claim_one() else { return };
            let DetectWorker { finder, overflow_pairs, .. } = &mut **worker;
            let mut sink = Sink::new(&stock, overflow_pairs, budget, consumer());
            while let Some(unit) = shares.claim(index) {
                debug_assert!(unit.index() < items);
                view.detect(&view.grid.items[unit.index()], finder, &mut sink);
                if sink.has_enough() {
                    // Ends the pass: the other workers find nothing left to claim.
                    shares.drain();
                    oversized.take(view.grid.oversized.len());
                    break;
                }
            }
            while let Some(block) = oversized.claim(claim, view.grid.oversized.len()) {
                let first = view.grid.oversized.start;
                view.detect_oversized(first + block.start..first + block.end, finder, &mut sink);
                if sink.has_enough() {
                    oversized.take(view.grid.oversized.len());
                }
            }
            let (consumer, without_room) = sink.finish();
            missed.take(without_room);
            finish(consumer);
        });
        sink::refuse_missed(missed.claimed(), team.workers(), budget);
        for worker in &mut self.workers {
            memory::reserve(&mut self.pairs, worker.overflow_pairs.len());
            self.pairs.append(&mut worker.overflow_pairs);
        }
    }
    /// Evens out the workers' memory and the blocks of pairs after a step: the division of work differs from step to step. Returns how many
    /// pairs there are.
    pub(crate) fn even_out(&mut self, team: Team, budget: &memory::Budget) -> usize {
        let workers = &mut self.workers[..team.workers()];
        let near = workers.iter().map(|worker| worker.finder.near_capacity());
        let near = near.fold((0, 0), |most, room| (most.0.max(room.0), most.1.max(room.1)));
        for worker in workers {
            worker.finder.stock_up(near, budget);
        }
        sink::stock_up(&mut self.pairs, team, budget)
    }

    /// How many pairs of boxes were compared, and how many chunks of other levels were looked for.
    pub(crate) fn work(&self, team: Team) -> (u64, u64) {
        let finders = self.workers[..team.workers()].iter().map(|worker| &worker.finder);
        finders.fold((0, 0), |(candidates, looks), finder| (candidates + finder.candidates, looks + finder.looks))
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let workers = self.workers.iter().map(|worker| worker.finder.bytes() + worker.touched.capacity() * size_of::<u32>());
        let pairs: usize = self.pairs.iter().map(Vec::capacity).sum();
        workers.sum::<usize>()
            + self.workers.capacity() * size_of::<CachePadded<DetectWorker>>()
            + pairs * size_of::<Pair>()
            + self.pairs.capacity() * size_of::<Vec<Pair>>()
    }
}

impl<S: Scalar, const D: usize> View<'_, S, D> {
    /// Finds the pairs of an item: its entries against the rest of their level, and against everything coarser.
    fn detect<C: Consumer>(&self, item: &Item, finder: &mut Finder, sink: &mut Sink<'_, C>) {
        self.search(SearchTask::Item(item), finder, sink);
        sink.settle();
    }

    /// Finds the pairs among some of the oversized and all oversized behind them.
    fn detect_oversized<C: Consumer>(&self, entries: Range<usize>, finder: &mut Finder, sink: &mut Sink<'_, C>) {
        self.search(SearchTask::Oversized(entries), finder, sink);
        sink.settle();
    }

    fn search(&self, part: SearchTask<'_>, finder: &mut Finder, out: &mut dyn PairRoom) {
        let view = self;
        if self.columns.has_extras() {
            self.kernel.dispatch(PairSearch::<_, D, true> { view, part, finder, out });
        } else {
            self.kernel.dispatch(PairSearch::<_, D, false> { view, part, finder, out });
        }
    }
}

/// The search of each kind, compiled here once: crates that use the library link to it, unless they are optimized themselves.
#[used]
static SEARCHES: (SearchOf<f32, 2>, SearchOf<f32, 3>, SearchOf<f64, 2>, SearchOf<f64, 3>) =
    (View::search, View::search, View::search, View::search);

type SearchOf<S, const D: usize> = fn(&View<'static, S, D>, SearchTask<'_>, &mut Finder, &mut dyn PairRoom);

/// What to search.
enum SearchTask<'a> {
    Item(&'a Item),
    /// Oversized entries, each with all behind it.
    Oversized(Range<usize>),
}

/// A search, compiled for each instruction set.
struct PairSearch<'a, S, const D: usize, const EXTRAS: bool> {
    view: &'a View<'a, S, D>,
    part: SearchTask<'a>,
    finder: &'a mut Finder,
    out: &'a mut dyn PairRoom,
}

impl<S: Scalar, const D: usize, const EXTRAS: bool> IsaWork for PairSearch<'_, S, D, EXTRAS> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let PairSearch { view, part, finder, out } = self;
        let Finder { candidates, looks, comparisons, reach, near, near_sweep } = finder;
        let mut comparer = Comparer::<I, S, D, EXTRAS>::new(isa, view.columns, comparisons, out);
        match part {
            SearchTask::Item(item) => {
                for rank in item.first_chunk as usize..item.end_chunk as usize {
                    let chunk = &view.grid.chunks()[rank];
                    let all = chunk.entries();
                    let entries = all.start.max(item.begin as usize)..all.end.min(item.end as usize);
                    if !entries.is_empty() {
                        let memory = (&mut *reach, &mut *near_sweep);
                        same_level::search(view, chunk, entries.clone(), memory, &mut comparer);
                        across::search(view, rank, entries, (near, near_sweep), &mut comparer);
                    }
                }
            }
            SearchTask::Oversized(entries) => {
                let missed = usize::from(injected(Fault::ListedLastMissed));
                let last = view.grid.oversized.end;
                if view.grid.list_tree.len() == 0 {
                    comparer.compare_following(entries, last - missed);
                } else {
                    for entry in entries {
                        let looks = view.grid.oversized_around(&view.columns.bounds(entry), |run| {
                            let missed = if run.end == last { missed } else { 0 };
                            let run = run.start.max(entry + 1)..run.end - missed;
                            if run.is_empty() {
                                return;
                            }
                            isa.run(across::MeetRun { comparer: &mut comparer, entry, run });
                        });
                        comparer.looks += looks;
                    }
                }
            }
        }
        comparer.compare();
        comparer.flush();
        *candidates += comparer.candidates;
        *looks += comparer.looks;
    }
}
