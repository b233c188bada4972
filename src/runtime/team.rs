//! Running one function on several workers at once: on the threads of a rayon pool, on the caller's own, or on the calling thread alone.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lockfree::Blocks;

/// This many claims per worker even out differences between units of work.
const CLAIMS_PER_WORKER: usize = 16;

/// The most workers of a team on the caller's own threads: one bit each marks those that have run.
const MOST_OWN: usize = 1024;

/// Threads of the caller's own that run a step in place of rayon's: the task pool of a game engine, a job system behind a C interface, a
/// single thread. See [`Request::on`](crate::Request::on).
///
/// A step is a sequence of passes. Each pass calls [`run`](Self::run) once, on the thread that called the step. The workers of a pass
/// share its work by claiming it, so they may start late, run one after another, in any order, or all on one thread: each finds
/// what is left. No worker ever waits for another one.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Config, ForkJoin};
///
/// /// As many threads as there are workers, for each pass anew. (A program would keep them.)
/// struct Spawned(usize);
///
/// impl ForkJoin for Spawned {
///     fn workers(&self) -> usize {
///         self.0
///     }
///     fn run(&self, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             for worker in 1..self.0 {
///                 scope.spawn(move || work(worker));
///             }
///             work(0);
///         });
///     }
/// }
///
/// let boxes: Vec<_> = (0..5000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::with_config(Config::default().serial_up_to(0)).unwrap();
/// assert_eq!(broad_phase.over(&boxes).on(&Spawned(3)).pairs().len(), 4999);
/// ```
///
/// # What an implementation must do, and what happens otherwise
///
/// - `run` calls `work` with every number below [`workers`](Self::workers) and returns when all these calls have returned.
/// - A number that was left out runs on the calling thread afterwards; a number that is too large, or that comes a second time, does
///   nothing. So a careless implementation is slow, and never wrong.
/// - `work` does not unwind: what a worker panics with goes to the caller of the step after `run` has returned. So no thread of the
///   pool ends by a panic of user code. A panic of `run` itself reaches the caller of the step like one of the user's code.
/// - An implementation that extends the lifetime of `work` by unsafe code, as a pool of long-lived threads has to, promises that no call goes on after
///   `run` has returned.
pub trait ForkJoin: Sync {
    /// How many workers a pass may use: usually the number of threads. 0 counts as 1. At most 1024 are used. With one worker, all
    /// passes run on the calling thread, and [`run`](Self::run) is not called.
    fn workers(&self) -> usize;

    /// Calls `work` with each of the numbers `0..self.workers()`, on any threads and in any order, and returns when all calls have
    /// returned. The same number on the same thread in every pass is best for the caches.
    fn run(&self, work: &(dyn Fn(usize) + Sync));
}

/// Where a step runs.
#[derive(Clone, Copy)]
pub enum Threads<'t> {
    /// On the rayon pool in which it is called.
    Pool,
    /// On the calling thread alone.
    Serial,
    /// On threads of the caller's.
    Own(&'t dyn ForkJoin),
}

impl<'t> Threads<'t> {
    /// The team of a step, which is the calling thread alone if the step is small.
    pub(crate) fn team(self, is_small: bool) -> Team<'t> {
        match self {
            _ if is_small => Team::ALONE,
            Threads::Serial => Team::ALONE,
            Threads::Pool => Team::of_current_pool(),
            Threads::Own(threads) => Team { workers: threads.workers().clamp(1, MOST_OWN), own: Some(threads) },
        }
    }

    /// Runs a step with its team.
    pub(crate) fn enter<R: Send>(self, is_small: bool, step: impl FnOnce(Team<'t>) -> R + Send) -> R {
        let team = self.team(is_small);
        team.enter(|| step(team))
    }
}

impl fmt::Debug for Threads<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threads::Pool => f.write_str("Pool"),
            Threads::Serial => f.write_str("Serial"),
            Threads::Own(threads) => write!(f, "Own({} workers)", threads.workers()),
        }
    }
}

/// How many workers a pass may use, and whose threads carry them.
#[derive(Clone, Copy)]
pub struct Team<'t> {
    workers: usize,
    /// The caller's own threads; none for those of the rayon pool.
    own: Option<&'t dyn ForkJoin>,
}

impl<'t> Team<'t> {
    /// The calling thread alone.
    pub(crate) const ALONE: Self = Team { workers: 1, own: None };

    /// One worker per thread of the rayon pool that the caller runs in.
    pub(crate) fn of_current_pool() -> Self {
        Team { workers: rayon::current_num_threads(), own: None }
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Whether it has several threads, of a rayon pool.
    pub(crate) fn is_of_pool(&self) -> bool {
        self.workers > 1 && self.own.is_none()
    }

    /// Runs several passes. The one entry into the rayon pool: one for a whole step instead of one per pass.
    pub(crate) fn enter<R: Send>(&self, passes: impl FnOnce() -> R + Send) -> R {
        match self.own {
            None if self.workers > 1 => rayon::scope(|_| passes()),
            _ => passes(),
        }
    }

    /// How many of `tasks` tasks a worker should claim at a time, at most `most`: large claims keep workers in different places, but toward
    /// the end enough claims must be left to share.
    pub(crate) fn claim(&self, tasks: usize, most: usize) -> usize {
        (tasks / (self.workers * CLAIMS_PER_WORKER)).clamp(1, most)
    }

    /// At most one worker per `tasks`.
    pub(crate) fn at_most(self, tasks: usize) -> Self {
        Team { workers: self.workers.min(tasks.max(1)), ..self }
    }

    /// Runs `work` once per worker and waits for all of them: the join that ends a pass. A panic in one of them arrives here.
    ///
    /// The workers share work by claiming it, so it does not matter which threads run them, how many, or when: a worker that no thread was
    /// free to run runs last, on the caller, and finds nothing left to claim. (So this is a tree of joins and not a broadcast, which would
    /// wait until every thread of the pool is free. Joins do not allocate, either.)
    pub(crate) fn run(&self, work: impl Fn() + Sync) {
        self.each(|_| work());
    }

    /// [`run`](Self::run), and each worker gets its number. The same number is mostly the same thread in every pass, so what a worker wrote
    /// in one pass is in its cache in the next. Each number runs once, whatever the caller's [`ForkJoin`] does.
    ///
    /// Must not be called by a worker, because the caller's threads may not support nesting.
    pub(crate) fn each(&self, work: impl Fn(usize) + Sync) {
        match self.own {
            _ if self.workers <= 1 => work(0),
            None => fork(0..self.workers, &work),
            Some(threads) => run_on(threads, self.workers, &work),
        }
    }
}

impl fmt::Debug for Team<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("workers", &self.workers).field("is_own", &self.own.is_some()).finish()
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

/// Runs each number once on threads of the caller's, whatever these do.
fn run_on(threads: &dyn ForkJoin, workers: usize, work: &(dyn Fn(usize) + Sync)) {
    let started: [AtomicU64; MOST_OWN / 64] = [const { AtomicU64::new(0) }; MOST_OWN / 64];
    let mut panic: [Option<Box<dyn Any + Send>>; 1] = [None];
    let first_panic = Blocks::new(&mut panic, 1);
    let once = |number: usize| {
        // Relaxed: the bit publishes nothing, it only has to be set once. The join publishes what `work` writes; that is the duty of `run`.
        let is_first = || started[number / 64].fetch_or(1 << (number % 64), Ordering::Relaxed) >> (number % 64) & 1 == 0;
        if number < workers && is_first() {
            // Unwind safe: the panic is resumed below. It is caught here, because foreign joins may lose its payload.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(number)))
                && let Some(slot) = first_panic.claim_one()
            {
                *slot = Some(payload);
            }
        }
    };
    threads.run(&once);
    (0..workers).for_each(once);
    if let [Some(payload)] = panic {
        resume_unwind(payload);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Calls these numbers, whatever the number of workers.
    struct Calls(usize, &'static [usize]);

    impl ForkJoin for Calls {
        fn workers(&self) -> usize {
            self.0
        }

        fn run(&self, work: &(dyn Fn(usize) + Sync)) {
            self.1.iter().for_each(|&number| work(number));
        }
    }

    fn counts(threads: &dyn ForkJoin) -> Vec<usize> {
        let counts: Vec<AtomicUsize> = (0..2000).map(|_| AtomicUsize::new(0)).collect();
        let workers = Threads::Own(threads).enter(false, |team| {
            team.each(|number| {
                counts[number].fetch_add(1, Ordering::Relaxed);
            });
            team.workers()
        });
        let counts: Vec<usize> = counts.into_iter().map(AtomicUsize::into_inner).collect();
        assert!(counts[workers..].iter().all(|&count| count == 0));
        counts[..workers].to_vec()
    }

    #[test]
    fn each_number_runs_once_whatever_the_threads_do() {
        for calls in [&[0, 1, 2, 3][..], &[3, 2, 1, 0], &[], &[2, 2, 2], &[0, 1, 2, 3, 4, 5, 1_000_000, usize::MAX]] {
            assert_eq!(counts(&Calls(4, calls)), [1; 4], "{calls:?}");
        }
        assert_eq!(counts(&Calls(0, &[])), [1]);
        assert_eq!(counts(&Calls(5000, &[7])), [1; MOST_OWN]);
    }

    #[test]
    fn a_panic_reaches_the_caller_with_what_it_carries() {
        let ran = AtomicUsize::new(0);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            Threads::Own(&Calls(4, &[1, 0, 2])).enter(false, |team| {
                team.each(|number| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    if number < 2 {
                        resume_unwind(Box::new(number));
                    }
                });
            });
        }));
        assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&1usize));
        assert_eq!(ran.into_inner(), 4);
    }
}
