//! Claims of consecutive ranges: blocks of work, runs of entries, indices.

use std::ops::Range;

use crossbeam::utils::CachePadded;

use super::sync::{AtomicUsize, Ordering};
use crate::faults::{Fault, injected};

/// Hands out ranges of `0..` that are disjoint and, together, without a gap.
///
/// All its operations are relaxed: a claim publishes nothing, it only has to be unique, and read-modify-write operations on one
/// location are totally ordered under any ordering. What is written inside a claimed range is ordered by the join of the pass.
#[derive(Debug)]
pub(crate) struct Cursor {
    // Padded: every worker writes to it, so it must not share a cache line with data that workers read meanwhile.
    next: CachePadded<AtomicUsize>,
}

impl Cursor {
    pub(crate) fn new() -> Self {
        Cursor { next: CachePadded::new(AtomicUsize::new(0)) }
    }

    /// Claims `count` places and returns the first.
    #[inline]
    pub(crate) fn take(&self, count: usize) -> usize {
        if injected(Fault::CursorTorn) {
            let first = self.next.load(Ordering::Relaxed);
            self.next.store(first + count, Ordering::Relaxed);
            return first;
        }
        // Relaxed: see the type.
        self.next.fetch_add(count, Ordering::Relaxed)
    }

    /// Claims the next block of at most `block` places below `end`, or nothing when all are claimed.
    #[inline]
    pub(crate) fn claim(&self, block: usize, end: usize) -> Option<Range<usize>> {
        let first = self.take(block);
        (first < end).then(|| first..(first + block).min(end))
    }

    /// How far the claims have come. Exact after a join.
    pub(crate) fn claimed(&self) -> usize {
        // Relaxed: ordered by the join.
        self.next.load(Ordering::Relaxed)
    }
}
