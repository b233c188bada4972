//! A whole step: count, join, offset, join, scatter, join.

use std::sync::Arc;

use loom::cell::UnsafeCell;

use super::kit::{A, B, CELLS, Kit};
use super::{fork, model};
use crate::lockfree::{ChunkId, Cursor, Key, Spare};

/// Two workers race for one chunk and then for its data range; another chunk lies beside it.
///
/// Catches a chunk published by a plain store or handed out twice, counters torn, read back or not cleared, and claims torn or
/// too short.
fn two_workers() {
    every_slot_is_written_once(Kit::used(3, 4, &[9; 4]), &[&[(A, 0), (B, 1)], &[(A, 0)]], [2, 2, 2]);
}
model!(
    two_workers,
    Complete,
    17_405,
    catches {
        PublishByStore: "objects got lost",
        CountTorn: "written twice",
        RankReread: "written twice",
        PoolClaimTorn: "Concurrent write accesses",
        CursorTorn: "objects got lost",
        RangeShort: "Concurrent write accesses",
        ChunkNotCleared: "behind the table",
    }
);

/// Two workers in the first step of all: the pool has no memory yet and both want some.
///
/// Catches a slab published by a plain store or without release.
fn first_step() {
    every_slot_is_written_once(Kit::new(3, 2, 4), &[&[(A, 0)], &[(B, 1)]], [2, 2, 2]);
}
model!(first_step, Complete, 3_355, catches { SlabByStore: "leaked", SlabRelaxed: "Causality violation" });

/// Three workers count in the first step of all; two of them do the rest, as loom allows five threads in an execution.
///
/// Catches counting by load and store, and a loser that looks without acquire.
fn three_workers() {
    every_slot_is_written_once(Kit::new(3, 2, 4), &[&[(A, 0)], &[(B, 1)], &[(A, 0)]], [3, 2, 2]);
}
model!(three_workers, Preemptions(4), 36_500, catches { CountTorn: "written twice", LoserRelaxed: "the chunk was allocated" });

/// Four workers count, in a pool that was used before; one of them does the rest.
///
/// Catches a chunk published by a plain store, and a rank that is read back.
fn four_workers() {
    every_slot_is_written_once(
        Kit::used(4, 6, &[9; 4]),
        &[&[(A, 0), (B, 1)], &[(B, 1)], &[(A, 0)], &[(B, 0), (A, 1)]],
        [4, 1, 1],
    );
}
model!(four_workers, Preemptions(2), 7_496, catches { PublishByStore: "objects got lost", RankReread: "written twice" });

/// Where an object is to go: chunk and cell.
type Object = (Key, usize);

/// The data table: which chunk's entry was written to each slot.
struct Table(Box<[UnsafeCell<Option<Key>>]>);

// SAFETY: that no two threads access a slot at the same time is what the model is about, and loom watches it.
unsafe impl Sync for Table {}

/// Takes objects, a list per counting worker, through all passes; `workers` for each pass.
fn every_slot_is_written_once(kit: Kit, objects: &'static [&'static [Object]], workers: [usize; 3]) {
    let kit = Arc::new(kit);

    // Count: each object finds its chunk and gets its rank.
    let pass = kit.clone();
    let places = fork(workers[0], move |worker| {
        let mut spare = Spare::default();
        let count = |&(key, cell): &Object| {
            let id = pass.directory.find_or_insert(&pass.pool, &key, &mut spare).unwrap();
            (id, cell, pass.pool.chunk(id).count(cell, 1))
        };
        objects[worker].iter().map(count).collect::<Vec<(ChunkId, usize, u32)>>()
    });
    let (objects, places) = (objects.concat(), places.concat());

    // Offset: each chunk gets its range of the table.
    let pass = kit.clone();
    let (work, table) = (Cursor::new(), Cursor::new());
    fork(workers[1], move |_| {
        while let Some(block) = work.claim(1, pass.pool.used() as usize) {
            for id in block {
                let chunk = pass.pool.chunk(id as ChunkId);
                chunk.place(table.take(chunk.total() as usize) as u32, CELLS);
            }
        }
    });

    // Scatter: not by the workers who counted, so that the joins are all that orders them.
    let table = Arc::new(Table(objects.iter().map(|_| UnsafeCell::new(None)).collect()));
    let (pass, slots, todo) = (kit.clone(), table.clone(), objects.clone());
    fork(workers[2], move |worker| {
        for (&(key, _), &(id, cell, rank)) in todo.iter().zip(&places).rev().skip(worker).step_by(workers[2]) {
            let entry = pass.pool.chunk(id).begin(cell) + rank;
            let slot = slots.0.get(entry as usize).expect("behind the table");
            // SAFETY: loom's pointer to the cell's content, used within the closure that loom guards.
            let before = slot.with_mut(|slot| unsafe { (*slot).replace(key) });
            assert_eq!(before, None, "written twice");
        }
    });

    // As many writes as slots and none twice: every slot was written. And every object is where its cell says.
    for (key, cell) in &objects {
        let (_, chunk) = kit.directory.find(&kit.pool, key).expect("a chunk was lost");
        let entries = chunk.begin(*cell) as usize..chunk.end(*cell) as usize;
        assert_eq!(entries.len(), objects.iter().filter(|object| *object == &(*key, *cell)).count(), "objects got lost");
        for slot in &table.0[entries] {
            // SAFETY: as above.
            assert_eq!(slot.with(|slot| unsafe { *slot }), Some(*key), "an entry of another chunk");
        }
    }
}
