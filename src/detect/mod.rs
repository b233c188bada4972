//! Detection: a read-only grid becomes pairs.
//!
//! In parallel over items of work, each a run of entries of some chunks. Reads the grid and the table; writes the worker's own
//! pairs and nothing else. For each chunk it lists which entry is to be compared with which runs of others, and has a kernel do
//! that.

mod across;
mod listed;
pub(crate) mod neighborhood;
mod same_level;
pub(crate) mod sink;

use std::ops::Range;

use crate::Scalar;
use crate::kernel::{Columns, Kernel, Tasks};
use crate::layout::grid::{Grid, Item};
use crate::runtime::memory::Budget;
use sink::{Consumer, Sink};

/// What detection reads.
#[derive(Debug)]
pub(crate) struct View<'a, S, const D: usize> {
    pub(crate) grid: &'a Grid<S, D>,
    pub(crate) columns: Columns<'a, S, D>,
    pub(crate) kernel: Kernel,
}

/// A worker's memory for finding pairs, and how many it looked at.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// How many pairs of boxes were compared.
    pub(crate) candidates: u64,
    /// How many chunks of other levels were looked for.
    pub(crate) looks: u64,
    tasks: Tasks,
    reach: same_level::Reach,
    /// Entries of coarser levels near the chunk at hand.
    near: Vec<u32>,
}

impl Finder {
    pub(crate) fn clear(&mut self) {
        (self.candidates, self.looks) = (0, 0);
        self.tasks.clear();
    }

    /// Room for tasks of short and long runs, and for near entries.
    pub(crate) fn capacity(&self) -> [usize; 3] {
        let (short, long) = self.tasks.capacity();
        [short, long, self.near.capacity()]
    }

    /// As much room as that, if it can be had.
    pub(crate) fn stock_up(&mut self, [short, long, near]: [usize; 3], budget: &Budget) {
        self.tasks.clear();
        self.tasks.stock_up((short, long), budget);
        self.near.clear();
        budget.stock_up(&mut self.near, near);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.near.capacity() * size_of::<u32>() + self.tasks.bytes()
    }
}

impl<S: Scalar, const D: usize> View<'_, S, D> {
    /// Finds the pairs of an item: its entries against the rest of their level, and against everything coarser.
    pub(crate) fn detect<C: Consumer>(&self, item: &Item, finder: &mut Finder, sink: &mut Sink<'_, C>) {
        for &id in &self.grid.chunks[item.first_chunk as usize..item.end_chunk as usize] {
            let chunk = self.grid.pool.chunk(id);
            let all = chunk.entries();
            let entries = all.start.max(item.begin as usize)..all.end.min(item.end as usize);
            if !entries.is_empty() {
                same_level::list(self, chunk, entries.clone(), &mut finder.reach, &mut finder.tasks);
                across::list(self, chunk, entries, finder);
            }
        }
        self.compare(finder, sink);
    }

    /// Finds the pairs among some of the listed and all listed behind them.
    pub(crate) fn detect_listed<C: Consumer>(&self, entries: Range<usize>, finder: &mut Finder, sink: &mut Sink<'_, C>) {
        listed::list(self, entries, &mut finder.tasks);
        self.compare(finder, sink);
    }

    fn compare<C: Consumer>(&self, finder: &mut Finder, sink: &mut Sink<'_, C>) {
        while !finder.tasks.is_done() && !sink.has_enough() {
            self.kernel.pairs(&self.columns, &mut finder.tasks, sink.room());
        }
        finder.candidates += finder.tasks.clear();
        sink.settle();
    }
}
