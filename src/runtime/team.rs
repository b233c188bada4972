//! Running one function on several workers at once.

use std::ops::Range;

/// So many claims of each worker even out what their work differs in.
const CLAIMS_PER_WORKER: usize = 16;

/// How many workers a pass may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    workers: usize,
}

impl Team {
    /// The calling thread alone.
    pub(crate) const ALONE: Team = Team { workers: 1 };

    /// One worker per thread of the rayon pool that the caller runs in.
    pub(crate) fn of_current_pool() -> Self {
        Team { workers: rayon::current_num_threads() }
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// How many of `tasks` tasks a worker should claim at a time, at most `most`: large claims keep workers in different places,
    /// but at the end there must be enough of them left to share.
    pub(crate) fn claim(&self, tasks: usize, most: usize) -> usize {
        (tasks / (self.workers * CLAIMS_PER_WORKER)).clamp(1, most)
    }

    /// At most one worker per `tasks`.
    pub(crate) fn at_most(self, tasks: usize) -> Self {
        Team { workers: self.workers.min(tasks.max(1)) }
    }

    /// Runs `work` once per worker and waits for all of them: the join that ends a pass. A panic in one of them arrives here.
    ///
    /// The workers share work by claiming it, so it does not matter which threads come, how many of them, or when: a worker
    /// that no thread had time for runs last, on the caller, and finds nothing left to claim. (That is why this is a tree of
    /// joins and not a broadcast, which would wait for every thread of the pool to turn up. Joins do not allocate, either.)
    pub(crate) fn run(&self, work: impl Fn() + Sync) {
        self.each(|_| work());
    }

    /// [`run`](Self::run), and each worker gets its number. The same number is mostly the same thread in every pass, so what a worker
    /// wrote in one pass is in its cache in the next.
    pub(crate) fn each(&self, work: impl Fn(usize) + Sync) {
        fork(0..self.workers.max(1), &work);
    }
}

fn fork(workers: Range<usize>, work: &(impl Fn(usize) + Sync)) {
    if workers.len() == 1 {
        work(workers.start);
    } else {
        let half = workers.start + workers.len().div_ceil(2);
        rayon::join(|| fork(workers.start..half, work), || fork(half..workers.end, work));
    }
}
