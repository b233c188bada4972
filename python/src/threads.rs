//! Threads: how many, and whose.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many threads a call has: 0 is as many as the machine has cores, 1 is the calling one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Threads(pub(crate) usize);

/// Up to this many objects, handing out work costs more than it saves.
const FEW: usize = 1000;

/// Pools by their number of threads, and the process that made them. Threads do not survive a fork, so a child makes its own.
static POOLS: Mutex<Option<(u32, Pools)>> = Mutex::new(None);

type Pools = HashMap<usize, Arc<ThreadPool>>;

impl Threads {
    pub(crate) fn is_alone(self, objects: usize) -> bool {
        self.0 == 1 || objects <= FEW
    }

    fn pool(self) -> PyResult<Arc<ThreadPool>> {
        // Locked only while the interpreter is held and never while waiting, so a fork never sees it locked.
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if pools.as_ref().is_none_or(|(owner, _)| *owner != process::id()) {
            // The pools of the parent are left alone: their threads are not here, and nothing can be told to them.
            std::mem::forget(pools.replace((process::id(), HashMap::new())));
        }
        let (_, pools) = pools.as_mut().expect("made above");
        if let Some(pool) = pools.get(&self.0) {
            return Ok(pool.clone());
        }
        let builder = ThreadPoolBuilder::new().num_threads(self.0).thread_name(|index| format!("pivotgrid-{index}"));
        let pool = builder.build().map_err(|error| PyRuntimeError::new_err(format!("no threads: {error}")))?;
        let pool = Arc::new(pool);
        pools.insert(self.0, pool.clone());
        Ok(pool)
    }

    /// Runs work on so many objects without the interpreter: `work` is told whether it has a pool of threads around it. A panic
    /// becomes an exception.
    pub(crate) fn run<R: Send>(self, py: Python<'_>, objects: usize, work: impl FnOnce(bool) -> R + Send) -> PyResult<R> {
        if self.is_alone(objects) {
            return caught(py, || work(false));
        }
        let pool = self.pool()?;
        caught(py, || pool.install(|| work(true)))
    }

    /// Runs work that divides itself among the threads of the pool around it, whatever their number: without a pool it would use
    /// one that all programs share, and that is not there after a fork.
    pub(crate) fn run_divided<R: Send>(self, py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
        let pool = self.pool()?;
        caught(py, || pool.install(work))
    }
}

fn caught<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        PyRuntimeError::new_err(format!("pivotgrid failed: {}", text.unwrap_or("no reason given")))
    })
}
