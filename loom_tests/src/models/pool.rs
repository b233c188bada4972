//! The pool: indices are unique, a slab raced for is published once and freed once.

use std::sync::Arc;

use super::{fork, model};
use crate::lockfree::{ChunkId, Full, Pool};

/// Two threads take the two chunks of a slab that does not exist yet. Both make it, one is published; they write to the same
/// slab, each to its own chunk, and find there what they wrote. Loom watches that the loser's slab is freed, and the winner's
/// with the pool.
///
/// Catches a slab published by a plain store, without release, or used without acquire; a loser's slab that is not freed; an
/// index handed out twice.
fn one_slab() {
    chunks_are_their_owners(2, 2, 1);
}
model!(
    one_slab,
    Complete,
    43,
    catches {
        SlabByStore: "leaked",
        SlabRelaxed: "Causality violation",
        SlabReadRelaxed: "Causality violation",
        SlabLeaked: "leaked",
        PoolClaimTorn: "handed out twice",
    }
);

/// Two threads take two chunks each, over a border between slabs.
///
/// Catches a slab used without acquire.
fn two_slabs() {
    chunks_are_their_owners(2, 2, 2);
}
model!(two_slabs, Complete, 1_322, catches { SlabReadRelaxed: "Causality violation" });

/// Three threads take a chunk each, over a border between slabs.
///
/// Catches a slab published by a plain store or without release, and an index handed out twice.
fn three_threads() {
    chunks_are_their_owners(3, 2, 1);
}
model!(
    three_threads,
    Complete,
    976,
    catches { SlabByStore: "leaked", SlabRelaxed: "Causality violation", PoolClaimTorn: "handed out twice" }
);

/// Four threads take two chunks each, over several borders.
///
/// Catches a slab published by a plain store, and a loser's slab that is not freed.
fn four_threads() {
    chunks_are_their_owners(4, 2, 2);
}
model!(four_threads, Preemptions(3), 56_591, catches { SlabByStore: "leaked", SlabLeaked: "leaked" });

fn chunks_are_their_owners(workers: usize, first_slab: u32, each: usize) {
    let all = workers * each;
    let pool = Arc::new(Pool::new(first_slab, all as u32));
    let shared = pool.clone();
    let ids = fork(workers, move |worker| {
        let take = || {
            let id = shared.allocate().unwrap();
            shared.chunk(id).append(worker as u32, 1 + worker as u32);
            id
        };
        (0..each).map(|_| take()).collect::<Vec<ChunkId>>()
    });
    let mut sorted = ids.concat();
    sorted.sort();
    assert!(sorted.iter().copied().eq(0..all as u32), "handed out twice: {sorted:?}");
    for (worker, ids) in ids.into_iter().enumerate() {
        for id in ids {
            assert_eq!(pool.chunk(id).total(), 1 + worker as u32, "what was appended is gone");
        }
    }
    assert_eq!(pool.used() as usize, all);
    let mut pool = Arc::into_inner(pool).unwrap();
    pool.recycle();
    pool.shrink();
    assert_eq!(pool.bytes(), 0);
}

/// Two threads want the last chunk. One gets it and the other is told.
///
/// Catches a pool that looks at its limit before it takes an index.
fn limit() {
    let pool = Arc::new(Pool::new(2, 1));
    let shared = pool.clone();
    let results = fork(2, move |_| shared.allocate());
    assert!(results == [Ok(0), Err(Full::Pool)] || results == [Err(Full::Pool), Ok(0)], "beyond the limit: {results:?}");
    assert_eq!(pool.used(), 1);
}
model!(limit, Complete, 4, catches { LimitCheckedThenTaken: "beyond the limit" });
