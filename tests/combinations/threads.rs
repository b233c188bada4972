//! Who carries a step.

use std::sync::atomic::{AtomicUsize, Ordering};

use pivotgrid::{ForkJoin, Host, Request, Source};

use crate::common::pool;

/// As many threads as workers, for each pass anew.
pub(crate) struct Spawned(pub(crate) usize);

impl ForkJoin for Spawned {
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for worker in 0..self.0 {
                scope.spawn(move || work(worker));
            }
        });
    }
}

/// One thread, the last worker first.
pub(crate) struct Reversed(pub(crate) usize);

impl ForkJoin for Reversed {
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        (0..self.0).rev().for_each(work);
    }
}

/// Leaves out some workers, runs others twice and on several threads, and makes some up.
pub(crate) struct Careless(pub(crate) usize);

impl ForkJoin for Careless {
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..self.0 + 3).step_by(2).for_each(work));
            }
        });
    }
}

/// Panics in the pass after so many.
pub(crate) struct PanicsAfter(AtomicUsize);

impl PanicsAfter {
    pub(crate) fn new(passes: usize) -> Self {
        PanicsAfter(AtomicUsize::new(passes + 1))
    }
}

impl ForkJoin for PanicsAfter {
    fn workers(&self) -> usize {
        3
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            work(0);
            std::panic::resume_unwind(Box::new("threads"));
        }
        (0..3).for_each(work);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Carrier {
    Serial,
    Pool(usize),
    Spawned,
    Reversed,
    Careless,
}

pub(crate) const CARRIERS: [Carrier; 6] =
    [Carrier::Serial, Carrier::Pool(1), Carrier::Pool(3), Carrier::Spawned, Carrier::Reversed, Carrier::Careless];

impl Carrier {
    /// Runs the end of a request on these threads.
    pub(crate) fn run<'e, E: Host, Q: Source<E> + Send>(
        &self,
        request: Request<'e, 'static, E, Q>,
        end: &mut (dyn FnMut(Request<'e, 'static, E, Q>) + Send),
    ) {
        match self {
            Carrier::Serial => end(request.serial()),
            Carrier::Pool(threads) => pool(*threads).install(|| end(request)),
            Carrier::Spawned => end(request.on(&Spawned(3))),
            Carrier::Reversed => end(request.on(&Reversed(4))),
            Carrier::Careless => end(request.on(&Careless(5))),
        }
    }
}
