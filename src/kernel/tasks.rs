//! What to compare.

use std::ops::Range;

use super::LANES;
use crate::faults::{Fault, injected};
use crate::runtime::memory::{self, Budget, grow_exactly};

/// An entry to be compared with a run of others.
///
/// Packed into two words, which are written faster than three.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The entry, and where the run begins in the upper half.
    entry_begin: u64,
    end: u64,
}

impl Task {
    const NONE: Task = Task { entry_begin: 0, end: 0 };

    #[inline(always)]
    fn new(entry: usize, run: &Range<usize>) -> Self {
        Task { entry_begin: entry as u64 | (run.start as u64) << 32, end: run.end as u64 }
    }

    /// What is left of it behind the first so many.
    #[inline(always)]
    fn behind(self, first: usize) -> Self {
        Task { entry_begin: self.entry_begin + ((first as u64) << 32), ..self }
    }

    #[inline(always)]
    pub(super) fn entry(self) -> usize {
        self.entry_begin as u32 as usize
    }

    #[inline(always)]
    pub(super) fn begin(self) -> usize {
        (self.entry_begin >> 32) as usize
    }

    #[inline(always)]
    pub(super) fn end(self) -> usize {
        self.end as usize
    }
}

/// Tasks in the order in which they are done.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    /// A task for every [`LANES`] of a short run. All room there is; the first `len` are tasks.
    list: Vec<Task>,
    len: usize,
    done: usize,
    /// Runs that are longer.
    long: Vec<Task>,
    /// How many pairs of boxes all the tasks compare.
    candidates: u64,
}

/// The most batches of [`LANES`] in a short run.
const SHORT: usize = 3;

impl Tasks {
    /// Adds the comparison of an entry with a run, which may be empty (or end before it begins).
    ///
    /// How long a run is is anybody's guess, and a wrong guess costs the processor more than some stores: so as many tasks as a
    /// short run can have are written in any case, and those are kept that have something in them. A kernel does them one by one,
    /// without a loop whose end it would have to guess.
    #[inline(always)]
    pub(crate) fn add(&mut self, entry: usize, run: Range<usize>) {
        let batches = if injected(Fault::RunRestLost) { run.len() / LANES } else { run.len().div_ceil(LANES) };
        let task = Task::new(entry, &run);
        self.candidates += run.len() as u64;
        if batches > SHORT {
            return self.add_long(task);
        }
        if self.list.len() - self.len < SHORT {
            self.grow();
        }
        if let Some(room) = self.list[self.len..].first_chunk_mut::<SHORT>() {
            *room = std::array::from_fn(|batch| task.behind(LANES * batch));
        }
        self.len += batches;
    }

    #[inline(never)]
    fn add_long(&mut self, task: Task) {
        memory::push(&mut self.long, task);
    }

    #[cold]
    fn grow(&mut self) {
        // At once as many as hardly any item has: which entries make an item differs from step to step.
        let more = (2 * self.list.len()).max(4096);
        grow_exactly(&mut self.list, more, Task::NONE, &Budget::unlimited());
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done == self.len && self.long.is_empty()
    }

    /// Takes as many tasks of short runs as find room for all their pairs.
    #[inline(always)]
    pub(super) fn take_short(&mut self, room: usize) -> &[Task] {
        let first = self.done;
        self.done = self.len.min(first + room / LANES);
        &self.list[first..self.done]
    }

    /// Takes a task of a long run.
    pub(super) fn take_long(&mut self) -> Option<Task> {
        self.long.pop()
    }

    /// Puts back what is left of a long run, from `begin` on.
    pub(super) fn put_back(&mut self, task: Task, begin: usize) {
        memory::push(&mut self.long, task.behind(begin - task.begin()));
    }

    /// Empties the list and returns how many pairs of boxes it compared.
    pub(crate) fn clear(&mut self) -> u64 {
        self.len = 0;
        self.done = 0;
        self.long.clear();
        std::mem::take(&mut self.candidates)
    }

    /// Room for tasks of short and of long runs.
    pub(crate) fn capacity(&self) -> (usize, usize) {
        (self.list.len(), self.long.capacity())
    }

    /// The same room as another list has, if that can be had.
    pub(crate) fn stock_up(&mut self, (short, long): (usize, usize), budget: &Budget) {
        if budget.stock_up(&mut self.list, short) && self.list.len() < short {
            self.list.resize(short, Task::NONE);
        }
        budget.stock_up(&mut self.long, long);
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.list.capacity() + self.long.capacity()) * size_of::<Task>()
    }
}
