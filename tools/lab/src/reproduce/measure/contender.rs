//! What is measured: the papers' systems and ours, behind one trait.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use baselines::{Bounds, Pairs, System};
use pivotgrid::BroadPhase;

use crate::digest::{digest, scrambled};
use crate::reproduce::figure::Role;

/// A system by name, and how to make one without history.
pub(crate) struct Contender<const D: usize> {
    pub(crate) name: String,
    pub(crate) role: Role,
    make: Box<dyn Fn() -> Box<dyn Runner<D>> + Send + Sync>,
}

impl<const D: usize> Contender<D> {
    pub(super) fn make(&self) -> Box<dyn Runner<D>> {
        (self.make)()
    }
}

impl<const D: usize> fmt::Debug for Contender<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).field("role", &self.role).finish_non_exhaustive()
    }
}

/// One of the papers' systems.
pub(crate) fn system<const D: usize, S: System<D> + 'static>(
    name: impl Into<String>,
    make: impl Fn() -> S + Send + Sync + 'static,
) -> Contender<D> {
    let make = move || -> Box<dyn Runner<D>> { Box::new(Theirs { system: make(), pairs: Pairs::default() }) };
    Contender { name: name.into(), role: Role::Theirs, make: Box::new(make) }
}

/// Ours. On the threads of the pool in which it is measured, on the calling one if there is only one.
pub(crate) fn pivotgrid<const D: usize>() -> Contender<D> {
    let make = || -> Box<dyn Runner<D>> { Box::new(Ours::new(true)) };
    Contender { name: "pivotgrid".to_owned(), role: Role::Ours, make: Box::new(make) }
}

/// Ours for figures of memory: pairs are counted and not stored, because the others' memory is given without them.
pub(crate) fn pivotgrid_without_pairs<const D: usize>() -> Contender<D> {
    let make = || -> Box<dyn Runner<D>> { Box::new(Ours::new(false)) };
    Contender { name: "pivotgrid".to_owned(), role: Role::Ours, make: Box::new(make) }
}

/// What a step of any of them is.
pub(super) trait Runner<const D: usize> {
    /// Finds all pairs, and says how the time was shared between building or updating the structure and finding the pairs.
    fn step(&mut self, boxes: &[Bounds<D>]) -> Share;

    /// How many pairs the last step found, and how many it compared.
    fn counts(&self) -> (usize, u64);

    /// Takes a step, and returns a number that is the same for the same set of pairs in any order, and hardly ever for another.
    fn digest(&mut self, boxes: &[Bounds<D>]) -> u64;

    /// Memory of the structure.
    fn bytes(&self) -> usize;
}

/// By the wall's clock: only for proportions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) build: Duration,
    pub(super) detect: Duration,
}

struct Theirs<S> {
    system: S,
    pairs: Pairs,
}

impl<const D: usize, S: System<D>> Runner<D> for Theirs<S> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Share {
        let begin = Instant::now();
        self.pairs.clear();
        self.system.update(boxes);
        let middle = Instant::now();
        self.system.report(boxes, &mut self.pairs);
        Share { build: middle - begin, detect: middle.elapsed() }
    }

    fn counts(&self) -> (usize, u64) {
        (self.pairs.found.len(), self.pairs.candidates)
    }

    fn digest(&mut self, boxes: &[Bounds<D>]) -> u64 {
        self.step(boxes);
        digest(self.pairs.found.iter().copied())
    }

    fn bytes(&self) -> usize {
        self.system.bytes()
    }
}

struct Ours<const D: usize> {
    engine: BroadPhase<f32, D>,
    keeps_pairs: bool,
    pairs: usize,
}

impl<const D: usize> Ours<D> {
    fn new(keeps_pairs: bool) -> Self {
        Ours { engine: BroadPhase::new(), keeps_pairs, pairs: 0 }
    }
}

impl<const D: usize> Runner<D> for Ours<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Share {
        let count = |count: &mut usize, _| {
            *count += 1;
            ControlFlow::Continue(())
        };
        self.pairs = if !self.keeps_pairs {
            self.engine.over(boxes).visit(|| 0, count).into_iter().sum()
        } else if rayon::current_num_threads() == 1 {
            self.engine.detect(boxes).len()
        } else {
            self.engine.par_detect(boxes).len()
        };
        let times = self.engine.stats().times;
        Share { build: times.total() - times.detect, detect: times.detect }
    }

    fn counts(&self) -> (usize, u64) {
        (self.pairs, self.engine.stats().candidates)
    }

    fn digest(&mut self, boxes: &[Bounds<D>]) -> u64 {
        let add = |sum: &mut u64, pair| {
            *sum = sum.wrapping_add(scrambled(pair));
            ControlFlow::Continue(())
        };
        self.engine.over(boxes).visit(|| 0, add).into_iter().fold(0, u64::wrapping_add)
    }

    fn bytes(&self) -> usize {
        self.engine.stats().bytes
    }
}
