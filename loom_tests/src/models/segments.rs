//! Segment lists: each appended segment is linked exactly once, the total is exact, the longest segment is the maximum.

use std::sync::Arc;

use super::kit::walk;
use super::{fork, model};
use crate::lockfree::sync::AtomicU32;
use crate::lockfree::{BLOCK, ChunkHead};

/// Two threads append two segments each to one chunk.
///
/// Catches a list, a total and a longest segment that are changed by load and store, and a total that is one short.
fn two_threads() {
    each_is_linked_once(&[&[1, 3], &[2, 1]]);
}
model!(
    two_threads,
    Complete,
    2_380,
    catches {
        AppendTorn: "not linked exactly once",
        TotalTorn: "the total is wrong",
        LongestTorn: "the longest segment is lost",
        RangeShort: "the total is wrong",
    }
);

/// Three threads append a segment each.
///
/// Catches the same.
fn three_threads() {
    each_is_linked_once(&[&[1], &[256], &[2]]);
}
model!(
    three_threads,
    Complete,
    50_278,
    catches {
        AppendTorn: "not linked exactly once",
        TotalTorn: "the total is wrong",
        LongestTorn: "the longest segment is lost",
    }
);

/// Four threads do.
///
/// Catches a list and a longest segment that are changed by load and store.
fn four_threads() {
    each_is_linked_once(&[&[3], &[4], &[1], &[2]]);
}
model!(
    four_threads,
    Preemptions(2),
    13_683,
    catches { AppendTorn: "not linked exactly once", LongestTorn: "the longest segment is lost" }
);

/// Five threads do.
///
/// Catches a total that is changed by load and store.
fn five_threads() {
    each_is_linked_once(&[&[2], &[1], &[3], &[1], &[2]]);
}
model!(five_threads, Preemptions(1), 18_774, catches { TotalTorn: "the total is wrong" });

/// Each thread appends segments of these lengths. Each segment lies in a block of its own, so that the block of the longest one
/// tells which it is.
fn each_is_linked_once(lens: &'static [&'static [u32]]) {
    let words: Arc<[AtomicU32; 16]> = Arc::new(std::array::from_fn(|_| AtomicU32::new(9)));
    ChunkHead::new(&words).clear();
    let block = |worker: usize, at: usize| 2 * worker + at;
    let position = move |worker: usize, at: usize| (block(worker, at) * BLOCK) as u32;
    let shared = words.clone();
    let links = fork(lens.len(), move |worker| {
        let head = ChunkHead::new(&shared);
        let append = |(at, &len)| (position(worker, at), head.append(position(worker, at), len));
        lens[worker].iter().enumerate().map(append).collect::<Vec<_>>()
    });
    let head = ChunkHead::new(&words);
    let segments = lens.iter().enumerate().flat_map(|(worker, lens)| (0..lens.len()).map(move |at| position(worker, at)));
    assert!(walk(head.first(), &links.concat()).into_iter().eq(segments), "not linked exactly once: {links:?}");
    assert_eq!(head.total(), lens.concat().into_iter().sum(), "the total is wrong");
    let all =
        lens.iter().enumerate().flat_map(|(worker, lens)| lens.iter().enumerate().map(move |(at, len)| (len, block(worker, at))));
    let (_, longest) = all.max().expect("there are segments");
    assert_eq!(head.longest_block(), longest, "the longest segment is lost");
}
