//! The atomics of the lock-free kit: std's (and the `atomic` crate's generic one), or loom's when the kit is compiled into
//! `loom_tests`, and shuttle's in `crates/shuttle_tests`. The kit takes its atomics from here and from nowhere else, so the models run the shipped code.
//!
//! [`planted`] is how the models prove that they can fail: it is `false` at compile time in the library, and in `loom_tests` and
//! `crates/planted` it tells whether the named bug is switched on.

#[cfg(not(loom))]
mod imp {
    pub(crate) use atomic::Atomic;
    pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    /// What loom watches for leaks; here it is the value itself.
    pub(crate) type Tracked<T> = T;

    pub(crate) fn tracked<T>(value: T) -> Tracked<T> {
        value
    }

    #[cfg(not(planting))]
    #[inline(always)]
    pub(crate) const fn planted(_bug: super::Bug) -> bool {
        false
    }
    #[cfg(planting)]
    pub(crate) use crate::slips::planting::planted;
}

#[cfg(loom)]
mod imp {
    pub(crate) use crate::planted::planted;
    #[cfg(not(shuttle))]
    pub(crate) use loom::alloc::Track as Tracked;
    pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    #[cfg(not(shuttle))]
    pub(crate) fn tracked<T>(value: T) -> Tracked<T> {
        Tracked::new(value)
    }

    /// Shuttle goes by loom's name here, and has all of it but this.
    #[cfg(shuttle)]
    pub(crate) type Tracked<T> = T;

    #[cfg(shuttle)]
    pub(crate) fn tracked<T>(value: T) -> Tracked<T> {
        value
    }

    /// Stands in for the `atomic` crate's generic atomic, which loom cannot see into.
    #[derive(Debug)]
    pub(crate) struct Atomic<T>(AtomicU64, std::marker::PhantomData<T>);

    impl<T: bytemuck::NoUninit + bytemuck::AnyBitPattern> Atomic<T> {
        pub(crate) fn new(value: T) -> Self {
            Atomic(AtomicU64::new(widen(value)), std::marker::PhantomData)
        }
        pub(crate) fn load(&self, order: Ordering) -> T {
            narrow(self.0.load(order))
        }
        pub(crate) fn store(&self, value: T, order: Ordering) {
            self.0.store(widen(value), order);
        }
        pub(crate) fn compare_exchange_weak(&self, old: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
            self.0.compare_exchange_weak(widen(old), widen(new), success, failure).map(narrow).map_err(narrow)
        }
    }

    fn widen<T: bytemuck::NoUninit>(value: T) -> u64 {
        let mut bytes = [0; 8];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        u64::from_le_bytes(bytes)
    }

    fn narrow<T: bytemuck::AnyBitPattern>(value: u64) -> T {
        bytemuck::pod_read_unaligned(&value.to_le_bytes()[..size_of::<T>()])
    }
}

pub(crate) use imp::*;

/// The bugs that `loom_tests` plants in the kit, one at a time, to see its models fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(loom), allow(dead_code))]
pub(crate) enum Bug {
    /// A chunk is published without release: who finds it may see an unfinished key or stale counters.
    PublishRelaxed,
    /// An inserter reads the directory's slot without acquire: same effect from the other side.
    FindRelaxed,
    /// A look-up reads the directory's slot without acquire: it may return a chunk with the counters of the last step.
    LookUpRelaxed,
    /// The loser of a race for a slot looks at the winner's chunk without acquire: it may not recognise its own key.
    LoserRelaxed,
    /// A chunk is published by a plain store instead of a compare-and-swap: one key gets two chunks.
    PublishByStore,
    /// A chunk is published first and named afterwards: whoever looks meanwhile finds the wrong key.
    KeyAfterPublish,
    /// Half of the hash is taken for the key: two keys get one chunk.
    KeyUnchecked,
    /// The loser of a race for a slot goes on to the next slot without looking at the winner: one key gets two chunks.
    LoserMovesOn,
    /// The loser of a race forgets its chunk instead of keeping it as a spare: the pool drains.
    LoserForgetsSpare,
    /// A spare is used and kept: two keys get one chunk.
    SpareUsedTwice,
    /// The directory looks at its fill before it takes a chunk, not at the chunk it took: it overfills and a probe never ends.
    FillCheckedThenTaken,
    /// The publisher does not note the slot in the chunk: the slot is not emptied after the step.
    SlotForgotten,
    /// Pool indices are handed out by load and store: two threads get one chunk.
    PoolClaimTorn,
    /// The pool looks at its limit before it takes an index, not at the index it took: it hands out one too many.
    LimitCheckedThenTaken,
    /// A recycled chunk is not cleared: it begins with the counters of the last step.
    ChunkNotCleared,
    /// The pool's slab is published by a plain store: the loser's slab replaces the winner's under its feet.
    SlabByStore,
    /// The pool's slab is published without release: its words may be seen before they were made.
    SlabRelaxed,
    /// The pool's slab is used without acquire: same effect from the other side.
    SlabReadRelaxed,
    /// The loser of a race for a slab does not free its own: a leak.
    SlabLeaked,
    /// An object is counted by load and store: two objects get one rank.
    CountTorn,
    /// A rank is read back from the counter instead of taken from `fetch_add`: ranks are not a permutation.
    RankReread,
    /// Work is claimed by load and store: a block is worked on twice.
    CursorTorn,
    /// A chunk's data range is one entry short: two chunks overlap.
    RangeShort,
    /// A bound is raised by load and store: a larger value is lost.
    BoundTorn,
}
