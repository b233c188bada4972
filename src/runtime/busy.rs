//! Measures how long each worker works, and how long a step runs on one worker only.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crossbeam::utils::CachePadded;

use super::memory;
use super::team::Team;

/// Times the parts of a step that a team shares.
///
/// Relaxed throughout: sums that are read after the joins.
#[derive(Debug, Default)]
pub(crate) struct Busy {
    // Padded: a worker adds to its own sum while others add to theirs.
    workers: Vec<CachePadded<AtomicU64>>,
    shared: AtomicU64,
    /// Whether the passes are too short to be timed one by one.
    is_paused: bool,
}

impl Busy {
    /// Forgets the last step, and makes room for the workers of this one.
    pub(crate) fn begin(&mut self, workers: usize) {
        self.workers.clear();
        memory::reserve(&mut self.workers, workers);
        self.workers.resize_with(workers, CachePadded::default);
        *self.shared.get_mut() = 0;
        self.is_paused = false;
    }

    /// Times no pass until the next step. Readings of the clock take longer than the passes of a few objects.
    pub(crate) fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Ends a step that was not timed: its only worker worked for this time.
    pub(crate) fn resume(&mut self, time: Duration) {
        if self.is_paused {
            let time = time.as_nanos() as u64;
            self.add(0, time);
            *self.shared.get_mut() = time;
        }
    }

    /// [`Team::each`], timed.
    pub(crate) fn each(&self, team: Team, work: impl Fn(usize) + Sync) {
        if self.is_paused {
            return team.each(work);
        }
        let begin = Instant::now();
        if team.workers() == 1 {
            // One worker: two readings of the clock serve both sums.
            team.each(work);
            let time = nanoseconds(begin);
            self.add(0, time);
            self.shared.fetch_add(time, Ordering::Relaxed);
            return;
        }
        team.each(|index| {
            let begin = Instant::now();
            work(index);
            self.add(index, nanoseconds(begin));
        });
        self.shared.fetch_add(nanoseconds(begin), Ordering::Relaxed);
    }

    fn add(&self, worker: usize, time: u64) {
        if let Some(sum) = self.workers.get(worker) {
            sum.fetch_add(time, Ordering::Relaxed);
        }
    }

    /// How long the team ran passes, whether or not all of its workers had work.
    pub(crate) fn shared(&self) -> Duration {
        Duration::from_nanos(self.shared.load(Ordering::Relaxed))
    }

    /// How long each worker worked.
    pub(crate) fn workers(&self) -> impl ExactSizeIterator<Item = Duration> {
        self.workers.iter().map(|sum| Duration::from_nanos(sum.load(Ordering::Relaxed)))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.workers.capacity() * size_of::<CachePadded<AtomicU64>>()
    }
}

fn nanoseconds(since: Instant) -> u64 {
    since.elapsed().as_nanos() as u64
}
