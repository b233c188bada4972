//! Settings and figures.

use std::any::Any;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::{Config, ForkJoin, Host, InstructionSet, Request, Source, Stats};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::border::border;
use crate::memory::{In, Jobs, Out, reserve};
use crate::status::{Error, PG_ERROR_CONFIG, Result, ensure, pg_status};
use crate::types::{
    PG_CANONICAL_ORDER, PG_DEFAULT, PG_PASSES, PG_SAME_THREAD, PG_THREADS_CALLER, PG_THREADS_SHARED, pg_config, pg_pass, pg_stats,
};

/// The threads that a handle works on.
#[derive(Debug)]
pub(crate) enum Threads {
    Caller,
    Shared,
    Own(ThreadPool),
    /// Those of the caller's job system.
    Jobs(Jobs),
}

impl Threads {
    /// Whether work is handed to other threads by rayon.
    pub(crate) fn are_many(&self) -> bool {
        matches!(self, Threads::Shared | Threads::Own(_))
    }

    /// The threads, if they are not those of a rayon pool.
    pub(crate) fn own(&self) -> Option<&dyn ForkJoin> {
        match self {
            Threads::Caller => Some(&Alone),
            Threads::Jobs(jobs) => Some(jobs),
            Threads::Shared | Threads::Own(_) => None,
        }
    }

    /// A request on these threads. Called inside of [`run`](Self::run).
    pub(crate) fn carry<'e, 't, E: Host, Q: Source<E>>(&'t self, request: Request<'e, 't, E, Q>) -> Request<'e, 't, E, Q> {
        match self.own() {
            Some(threads) => request.on(threads),
            None => request,
        }
    }

    /// Runs work so that its parallel parts use the handle's threads.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Threads::Caller | Threads::Shared | Threads::Jobs(_) => work(),
            Threads::Own(pool) => pool.install(work),
        }
    }

    /// The results of `work` for the numbers below `count`, in the order of the numbers.
    pub(crate) fn each<R: Send>(&self, count: usize, work: impl Fn(usize) -> R + Sync) -> Result<Vec<R>> {
        let mut made = Vec::new();
        reserve(&mut made, count)?;
        match self {
            Threads::Caller => made.extend((0..count).map(work)),
            Threads::Shared | Threads::Own(_) => self.run(|| (0..count).into_par_iter().map(&work).collect_into_vec(&mut made)),
            Threads::Jobs(jobs) => made.extend(claimed(jobs, count, &work)?),
        }
        Ok(made)
    }
}

/// The calling thread.
struct Alone;

impl ForkJoin for Alone {
    fn workers(&self) -> usize {
        1
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        work(0);
    }
}

/// [`Threads::each`] on the caller's job system. Jobs claim numbers until none is left, and then the calling thread does. So a job that
/// starts late, or never, leaves its share to the others.
fn claimed<R: Send>(jobs: &Jobs, count: usize, work: &(impl Fn(usize) -> R + Sync)) -> Result<impl Iterator<Item = R>> {
    type Place<R> = Mutex<Option<std::result::Result<R, Box<dyn Any + Send>>>>;
    let mut places: Vec<Place<R>> = Vec::new();
    reserve(&mut places, count)?;
    places.resize_with(count, Mutex::default);
    // Relaxed: only the division of the numbers is decided here. `run` returns after all its jobs, and the locks order their results.
    let next = AtomicUsize::new(0);
    let claim = |_worker: usize| {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(place) = places.get(number)
        {
            // No panic reaches a thread of the caller's.
            let made = catch_unwind(AssertUnwindSafe(|| work(number)));
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
        }
    };
    if count > 1 && jobs.workers() > 1 {
        jobs.run(&claim);
    }
    claim(0);
    let made = |place: Place<R>| place.into_inner().unwrap_or_else(PoisonError::into_inner).expect("all numbers were claimed");
    Ok(places.into_iter().map(move |place| made(place).unwrap_or_else(|panic| resume_unwind(panic))))
}

/// The arguments of a constructor.
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) threads: Threads,
    pub(crate) same_thread: bool,
}

const MOST_THREADS: u32 = 1024;

const DEFAULT: pg_config = pg_config {
    size: size_of::<pg_config>(),
    threads: PG_THREADS_SHARED,
    flags: 0,
    cell_size: 0.0,
    max_levels: 0,
    instruction_set: 0,
    all_pairs_up_to: PG_DEFAULT,
    serial_up_to: PG_DEFAULT,
    max_bytes: 0,
    fork_join: std::ptr::null(),
};

impl Settings {
    /// Null stands for the defaults.
    pub(crate) fn of(config: In<pg_config>) -> Result<Self> {
        let given = if config.is_null() { DEFAULT } else { config.versioned("config")? };
        let known = PG_CANONICAL_ORDER | PG_SAME_THREAD;
        ensure!(
            given.flags & !known == 0,
            PG_ERROR_CONFIG,
            "the flags of config are {:#x}, of which {known:#x} are known",
            given.flags
        );
        let mut config = Config::default().canonical_order(given.flags & PG_CANONICAL_ORDER != 0);
        if given.cell_size != 0.0 {
            config = config.cell_size(given.cell_size);
        }
        if given.max_levels != 0 {
            config = config.max_levels(given.max_levels as usize);
        }
        if given.all_pairs_up_to != PG_DEFAULT {
            config = config.all_pairs_up_to(given.all_pairs_up_to.min(usize::MAX as u64) as usize);
        }
        if given.serial_up_to != PG_DEFAULT {
            config = config.serial_up_to(given.serial_up_to.min(usize::MAX as u64) as usize);
        }
        if given.max_bytes != 0 {
            config = config.max_bytes(given.max_bytes.min(usize::MAX as u64) as usize);
        }
        config = config.instruction_set(match given.instruction_set {
            0 => InstructionSet::Best,
            1 => InstructionSet::Portable,
            2 => InstructionSet::Avx2,
            3 => InstructionSet::Avx512,
            4 => InstructionSet::Neon,
            5 => InstructionSet::Simd128,
            other => return Err(Error::new(PG_ERROR_CONFIG, format_args!("instruction_set is {other}, but 0 to 5 are known"))),
        });
        let threads = match given.threads {
            PG_THREADS_SHARED if !given.fork_join.is_null() => Threads::Jobs(Jobs::new(given.fork_join)?),
            count if !given.fork_join.is_null() => {
                return Err(Error::new(PG_ERROR_CONFIG, format_args!("threads is {count}, but fork_join is given")));
            }
            PG_THREADS_SHARED => Threads::Shared,
            PG_THREADS_CALLER => Threads::Caller,
            count => {
                ensure!(count <= MOST_THREADS, PG_ERROR_CONFIG, "threads is {count}, but can be {MOST_THREADS} at most");
                let pool = ThreadPoolBuilder::new().num_threads(count as usize).build();
                Threads::Own(pool.map_err(|error| Error::new(PG_ERROR_CONFIG, error))?)
            }
        };
        Ok(Settings { config, threads, same_thread: given.flags & PG_SAME_THREAD != 0 })
    }
}

/// Fills in the defaults. `size` is `sizeof(pg_config)`.
#[unsafe(no_mangle)]
pub extern "C" fn pg_config_init(config: Out<pg_config>, size: usize) -> pg_status {
    border(|| config.init(DEFAULT, size, "config"))
}

/// Figures as C has them.
pub(crate) fn stats_of(stats: &Stats) -> pg_stats {
    let named = stats.times.named();
    pg_stats {
        size: size_of::<pg_stats>(),
        objects: stats.objects as u64,
        rejected: stats.rejected as u64,
        pairs: stats.pairs as u64,
        candidates: stats.candidates,
        bytes: stats.bytes as u64,
        workers: stats.workers as u32,
        levels: stats.levels.len() as u32,
        replanned: stats.replanned.into(),
        pass_count: named.len() as u32,
        passes: passes_of(named),
        looks: stats.looks,
        oversized: stats.oversized as u64,
        last_resort: stats.last_resort as u64,
        chunks: stats.chunks as u64,
        revisions: stats.revisions as u32,
        repeats: stats.repeats as u32,
        serial_seconds: stats.serial.as_secs_f64(),
        busy_seconds: stats.busy.iter().map(Duration::as_secs_f64).sum(),
    }
}

fn passes_of<const N: usize>(named: [(&str, Duration); N]) -> [pg_pass; PG_PASSES] {
    const { assert!(N <= PG_PASSES, "pg_stats has room for all passes") };
    let mut passes = [pg_pass::default(); PG_PASSES];
    for (pass, (name, time)) in passes.iter_mut().zip(named) {
        pass.seconds = time.as_secs_f64();
        let room = pass.name.len() - 1;
        for (to, from) in pass.name[..room].iter_mut().zip(name.bytes()) {
            *to = from as c_char;
        }
    }
    passes
}
