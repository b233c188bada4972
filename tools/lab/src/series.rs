//! A series of steps, timed.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use pivotgrid::{Aabb, BroadPhase, Pairs, PassTimes, Scalar, Stats};
use rayon::ThreadPool;

use crate::digest::digest;
use crate::failure::Failure;

/// Where the boxes come from.
pub(crate) trait Source<S, const D: usize> {
    /// Appends the boxes of the next step to the empty vector, or says that there is none.
    fn next(&mut self, boxes: &mut Vec<Aabb<S, D>>) -> Result<bool, Failure>;

    /// Looks at what the engine made of them. Not timed.
    fn inspect(&mut self, _boxes: &[Aabb<S, D>], _pairs: Pairs<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

/// What was seen.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) steps: Vec<Step>,
    /// Of the last step.
    pub(crate) stats: Stats,
}

/// What was seen of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// From call to return.
    pub(crate) time: Duration,
    /// By the engine's own clock.
    pub(crate) passes: PassTimes,
    pub(crate) objects: usize,
    pub(crate) pairs: usize,
    pub(crate) rejected: usize,
    /// Of the pairs, independent of their order.
    pub(crate) checksum: u64,
}

/// Takes all steps of the source on the given number of threads.
pub(crate) fn take<S: Scalar, const D: usize>(
    source: &mut dyn Source<S, D>,
    threads: usize,
    bar: &ProgressBar,
) -> Result<Series, Failure> {
    take_with(&mut BroadPhase::new(), source, threads, bar)
}

/// The same with an engine that is new to the caller as well, who can look at what the last step left in it.
pub(crate) fn take_with<S: Scalar, const D: usize>(
    broad_phase: &mut BroadPhase<S, D>,
    source: &mut dyn Source<S, D>,
    threads: usize,
    bar: &ProgressBar,
) -> Result<Series, Failure> {
    let pool = pool(threads)?;
    bar.set_message(if threads == 1 { "on 1 thread".to_owned() } else { format!("on {threads} threads") });

    let (mut boxes, mut steps) = (Vec::new(), Vec::new());
    while source.next(&mut boxes)? {
        let begin = Instant::now();
        let pairs = detect(broad_phase, &boxes, &pool);
        let time = begin.elapsed();

        let checksum = digest(pairs.iter());
        source.inspect(&boxes, pairs)?;
        let Stats { times: passes, objects, pairs, rejected, .. } = *broad_phase.stats();
        steps.push(Step { time, passes, objects, pairs, rejected, checksum });
        boxes.clear();
        bar.inc(1);
    }
    Ok(Series { steps, stats: broad_phase.stats().clone() })
}

/// Threads to take steps on.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Threads(threads, error))
}

/// One thread means the calling one: no pool, as a user without rayon would do it.
pub(crate) fn detect<'a, S: Scalar, const D: usize>(
    broad_phase: &'a mut BroadPhase<S, D>,
    boxes: &[Aabb<S, D>],
    pool: &ThreadPool,
) -> Pairs<'a> {
    match pool.current_num_threads() {
        1 => broad_phase.detect(boxes),
        _ => pool.install(|| broad_phase.par_detect(boxes)),
    }
}
