//! Counters: the ranks of a cell are a permutation.

use std::sync::Arc;

use super::{fork, model};
use crate::lockfree::Chunk;
use crate::lockfree::sync::AtomicU32;

/// Two threads count runs of objects into the same cell.
///
/// Catches counting by load and store, and a rank that is read back.
fn two_threads() {
    ranks_are_a_permutation(&[&[1, 2, 1], &[3, 1, 1]]);
}
model!(
    two_threads,
    Complete,
    50,
    catches { CountTorn: "the ranks are not a permutation", RankReread: "the ranks are not a permutation" }
);

/// Four threads do.
///
/// Catches the same.
fn four_threads() {
    ranks_are_a_permutation(&[&[1, 1], &[2, 1], &[1, 3], &[1, 1]]);
}
model!(
    four_threads,
    Preemptions(4),
    20_307,
    catches { CountTorn: "the ranks are not a permutation", RankReread: "the ranks are not a permutation" }
);

/// Five threads do.
///
/// Catches counting by load and store.
fn five_threads() {
    ranks_are_a_permutation(&[&[1, 1], &[2, 1], &[1, 3], &[1, 1], &[2, 2]]);
}
model!(five_threads, Preemptions(3), 58_422, catches { CountTorn: "the ranks are not a permutation" });

fn ranks_are_a_permutation(runs: &'static [&'static [u32]]) {
    const CELL: usize = 1;
    let words: Arc<[AtomicU32]> = (0..16 + 3).map(|_| AtomicU32::new(0)).collect();
    let shared = words.clone();
    let ranks = fork(runs.len(), move |worker| {
        let count = |&objects: &u32| {
            let first = Chunk::new(&shared).count(CELL, objects);
            first..first + objects
        };
        runs[worker].iter().flat_map(count).collect::<Vec<u32>>()
    });
    let mut ranks = ranks.concat();
    ranks.sort();
    let objects = runs.concat().into_iter().sum();
    assert!(ranks.iter().copied().eq(0..objects), "the ranks are not a permutation: {ranks:?}");
    assert_eq!(Chunk::new(&words).total(), objects);
}
