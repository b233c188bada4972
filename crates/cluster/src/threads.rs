//! Ranks as threads of one process.
//!
//! Each ordered pair of ranks has a mailbox of two slots, used in turn. A send never waits: a rank that begins its call `n + 2` has
//! received every other rank's message of call `n + 1`, and each of them had taken all of call `n` before it sent that. So the slot of
//! call `n` is free again. `tests/schedules.rs` goes through all schedules of this file with loom, and shows that one slot is not enough.
//!
//! A rank that leaves closes the mailboxes that it sends into, and wakes the ranks that wait there. A rank that finds a mailbox closed
//! leaves as well: otherwise a third rank, which is one call behind, would wait for it.

use std::thread;

use crate::comm::{Comm, CommError};
use crate::sync::{Arc, Condvar, Mutex};

/// Slots of a mailbox.
pub(crate) const SLOTS: usize = 2;

/// One rank of a job whose ranks are threads of one process. Dropping it leaves the job.
///
/// ```
/// use pivotgrid_cluster::{Comm, ThreadComm};
///
/// let sums = ThreadComm::run(3, |mut comm| {
///     let mut all = [0; 3];
///     comm.all_gather(&[10 + comm.rank() as u64], &mut all).unwrap();
///     all.iter().sum::<u64>()
/// });
/// assert!(sums.into_iter().all(|sum| sum.unwrap() == 33));
/// ```
#[derive(Debug)]
pub struct ThreadComm {
    rank: usize,
    post: Arc<Post>,
    /// Collective calls so far.
    calls: usize,
    /// Why this rank has left.
    left: Option<CommError>,
}

/// The mailboxes of all pairs of ranks.
#[derive(Debug)]
struct Post {
    ranks: usize,
    slots: usize,
    boxes: Vec<Mailbox>,
}

#[derive(Debug)]
struct Mailbox {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    slots: Vec<Slot>,
    /// The sender has left. Messages that it sent before are still there.
    closed: bool,
}

/// A message, in memory that is kept for the next.
#[derive(Clone, Debug, Default)]
struct Slot {
    full: bool,
    words: Vec<u64>,
}

impl ThreadComm {
    /// The ranks of a new job. Each goes to a thread of its own.
    ///
    /// # Panics
    ///
    /// If `ranks` is 0.
    pub fn ranks(ranks: usize) -> Vec<ThreadComm> {
        Self::ranks_with_slots(ranks, SLOTS)
    }

    pub(crate) fn ranks_with_slots(ranks: usize, slots: usize) -> Vec<ThreadComm> {
        assert!(ranks > 0, "a job has at least one rank");
        let mailbox = |_| Mailbox {
            state: Mutex::new(State { slots: vec![Slot::default(); slots], closed: false }),
            changed: Condvar::new(),
        };
        let post = Arc::new(Post { ranks, slots, boxes: (0..ranks * ranks).map(mailbox).collect() });
        (0..ranks).map(|rank| ThreadComm { rank, post: post.clone(), calls: 0, left: None }).collect()
    }

    /// Runs a job: `work` on a thread for each rank. Returns what each rank returned, or what it panicked with.
    pub fn run<R: Send>(ranks: usize, work: impl Fn(ThreadComm) -> R + Sync) -> Vec<thread::Result<R>> {
        let work = &work;
        thread::scope(|scope| {
            let threads: Vec<_> = Self::ranks(ranks).into_iter().map(|comm| scope.spawn(move || work(comm))).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        })
    }

    fn leave(&mut self, why: CommError) -> CommError {
        if self.left.is_none() {
            self.left = Some(why.clone());
            (0..self.post.ranks).for_each(|to| self.post.mailbox(self.rank, to).close());
        }
        why
    }
}

impl Comm for ThreadComm {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.post.ranks
    }

    fn exchange(
        &mut self,
        mut send: &[u64],
        send_counts: &[usize],
        mut receive: &mut [u64],
        receive_counts: &[usize],
    ) -> Result<(), CommError> {
        if let Some(why) = &self.left {
            return Err(why.clone());
        }
        let slot = self.calls % self.post.slots;
        self.calls += 1;
        let mut own: &[u64] = &[];
        for (to, &count) in send_counts.iter().enumerate() {
            let words;
            (words, send) = send.split_at(count);
            if to == self.rank {
                own = words;
            } else if let Err(error) = self.post.mailbox(self.rank, to).put(slot, words) {
                return Err(self.leave(error));
            }
        }
        for (from, &count) in receive_counts.iter().enumerate() {
            let words;
            (words, receive) = receive.split_at_mut(count);
            let taken = if from == self.rank {
                fill(words, own, from)
            } else {
                self.post.mailbox(from, self.rank).take(slot, words, from)
            };
            if let Err(error) = taken {
                return Err(self.leave(error));
            }
        }
        Ok(())
    }
}

impl Drop for ThreadComm {
    fn drop(&mut self) {
        self.leave(CommError::Left { rank: self.rank });
    }
}

impl Post {
    fn mailbox(&self, from: usize, to: usize) -> &Mailbox {
        &self.boxes[from * self.ranks + to]
    }
}

fn fill(into: &mut [u64], words: &[u64], from: usize) -> Result<(), CommError> {
    if words.len() != into.len() {
        return Err(CommError::Length { rank: from, sent: words.len(), expected: into.len() });
    }
    into.copy_from_slice(words);
    Ok(())
}

/// A panic while the lock is held (memory runs out in [`Mailbox::put`]) poisons it. The message is then not marked as full, and the
/// rank that panics leaves, so the state is still true.
macro_rules! unpoisoned {
    ($guard:expr) => {
        $guard.unwrap_or_else(|poisoned| poisoned.into_inner())
    };
}

impl Mailbox {
    fn put(&self, slot: usize, words: &[u64]) -> Result<(), CommError> {
        let mut state = unpoisoned!(self.state.lock());
        let slot = &mut state.slots[slot];
        if slot.full {
            // With two slots this does not happen.
            return Err(CommError::System("a slot is used again before its message was taken".to_owned()));
        }
        slot.words.clear();
        slot.words.extend_from_slice(words);
        slot.full = true;
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    fn take(&self, slot: usize, into: &mut [u64], from: usize) -> Result<(), CommError> {
        let mut state = unpoisoned!(self.state.lock());
        while !state.slots[slot].full {
            if state.closed {
                return Err(CommError::Left { rank: from });
            }
            state = unpoisoned!(self.changed.wait(state));
        }
        let slot = &mut state.slots[slot];
        slot.full = false;
        fill(into, &slot.words, from)
    }

    fn close(&self) {
        unpoisoned!(self.state.lock()).closed = true;
        self.changed.notify_one();
    }
}
