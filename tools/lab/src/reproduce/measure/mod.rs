//! From systems and scenes to numbers. All systems of a figure see the same boxes, one after the other within each step, so that
//! whatever disturbs the machine disturbs all alike; what is kept are typical times
//! (see [`Clock`]).

mod contender;
mod motion;
mod race;
mod statistics;
mod sweep;
mod trace;

use std::time::Duration;

use indicatif::ProgressBar;

use super::scale::Scale;
use crate::failure::Failure;

pub(crate) use contender::{Contender, pivotgrid, pivotgrid_without_pairs, system};
pub(crate) use motion::{Motion, Still};
pub(crate) use race::{Clock, Measured, race};
pub(crate) use statistics::{geometric_mean, growth, median};
pub(crate) use sweep::{Lane, sweep, sweep_each};
pub(crate) use trace::{Trace, trace};

/// What every measurement is done on.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    pub(crate) scale: Scale,
    /// A series ends when its next step is expected to take longer.
    pub(crate) limit: Duration,
    /// As many as parallel figures use.
    pub(crate) threads: usize,
    pub(crate) bar: &'a ProgressBar,
}

/// How much longer than usual [`Bench::patient`] waits.
const PATIENCE: u32 = 10;

impl Bench<'_> {
    /// The same for figures of memory, in which a slow step says as much as a fast one.
    pub(crate) fn patient(&self) -> Self {
        Bench { limit: PATIENCE * self.limit, ..*self }
    }

    /// Runs a measurement in a pool of its own: with one thread, no system can use more.
    pub(crate) fn on_threads<R: Send>(&self, threads: usize, measure: impl FnOnce() -> R + Send) -> Result<R, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| pool.install(measure)).map_err(|error| Failure::Threads(threads, error))
    }
}
