//! What to compare.

use std::ops::Range;

use crate::build::table::grow_exactly;

/// An entry to be compared with a run of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) entry: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

/// Tasks in the order in which they are done.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    /// All room there is; the first `len` are tasks.
    list: Vec<Task>,
    len: usize,
    pub(super) done: usize,
    /// How many pairs of boxes all the tasks compare.
    candidates: u64,
}

impl Tasks {
    /// Adds the comparison of an entry with a run, which may be empty (or end before it begins).
    ///
    /// Written in any case, and kept if there is something in it: whether a run is empty is anybody's guess, and a wrong guess
    /// costs the processor more than a store.
    #[inline(always)]
    pub(crate) fn add(&mut self, entry: usize, run: Range<usize>) {
        if self.len == self.list.len() {
            self.grow();
        }
        self.list[self.len] = Task { entry: entry as u32, begin: run.start as u32, end: run.end as u32 };
        self.len += usize::from(run.start < run.end);
        self.candidates += run.len() as u64;
    }

    #[cold]
    fn grow(&mut self) {
        // At once as many as hardly any item has: which entries make an item differs from step to step.
        self.reserve((2 * self.list.len()).max(4096));
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done == self.len
    }

    #[inline(always)]
    pub(super) fn current(&mut self) -> Option<&mut Task> {
        self.list[..self.len].get_mut(self.done)
    }

    /// Empties the list and returns how many pairs of boxes it compared.
    pub(crate) fn clear(&mut self) -> u64 {
        self.len = 0;
        self.done = 0;
        std::mem::take(&mut self.candidates)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn reserve(&mut self, tasks: usize) {
        grow_exactly(&mut self.list, tasks, Task { entry: 0, begin: 0, end: 0 });
    }
}
