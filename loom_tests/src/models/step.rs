//! A whole small step: gather segments, join, arrange, sort by walking the lists, join.

use std::sync::Arc;

use loom::cell::UnsafeCell;

use super::kit::{A, B, Kit, Segment, walk};
use super::{fork, model};
use crate::lockfree::{BLOCK, ChunkId, Portions, Shares};

/// Two workers race for one chunk and for its list; another chunk lies beside it.
///
/// Catches a chunk published by a plain store, handed out twice or not cleared, and lists, totals and claims that are torn or too
/// short.
fn two_workers() {
    every_object_comes_through_once(Kit::used(3, 4, &[9; 4]), &[&[(A, 2), (B, 1)], &[(A, 1)]], 2);
}
model!(
    two_workers,
    Complete,
    121_875,
    catches {
        PublishByStore: "objects got lost",
        AppendTorn: "objects got lost",
        TotalTorn: "written twice",
        PoolClaimTorn: "objects got lost",
        ShareTorn: "Causality violation",
        RangeShort: "objects got lost",
        ChunkNotCleared: "a segment begins there",
    }
);

/// Two workers in the first step of all: the pool has no memory yet and both need some.
///
/// Catches a slab published by a plain store or without release.
fn first_step() {
    every_object_comes_through_once(Kit::new(3, 2, 4), &[&[(A, 1)], &[(B, 2)]], 2);
}
model!(first_step, Complete, 2_912, catches { SlabByStore: "leaked", SlabRelaxed: "Causality violation" });

/// Three workers gather in the first step of all, and two sort, as loom allows five threads in an execution.
///
/// Catches a list changed by load and store, and a loser that looks without acquire.
fn three_workers() {
    every_object_comes_through_once(Kit::new(3, 2, 4), &[&[(A, 1)], &[(B, 1)], &[(A, 2)]], 2);
}
model!(
    three_workers,
    Preemptions(3),
    22_396,
    catches { AppendTorn: "objects got lost", LoserRelaxed: "the chunk was allocated" }
);

/// Four workers gather, in a pool that was used before; one sorts.
///
/// Catches a chunk published by a plain store, and a total changed by load and store.
fn four_workers() {
    every_object_comes_through_once(Kit::used(4, 6, &[9; 4]), &[&[(A, 1), (B, 1)], &[(B, 1)], &[(A, 1)], &[(B, 2)]], 1);
}
model!(four_workers, Preemptions(2), 45_658, catches { PublishByStore: "objects got lost", TotalTorn: "written twice" });

/// The data table: which object was written to each slot.
struct Table(Box<[UnsafeCell<Option<u32>>]>);

// SAFETY: that no two threads access a slot at the same time is what the model is about, and loom watches it.
unsafe impl Sync for Table {}

/// Takes segments, a list per gathering worker, through all passes. A worker's segments lie one behind the other in its own block.
fn every_object_comes_through_once(kit: Kit, segments: &'static [&'static [Segment]], sorters: usize) {
    // Gather: each segment finds its chunk and is appended to its list.
    let kit = Arc::new(kit);
    let pass = kit.clone();
    let links = fork(segments.len(), move |worker| pass.append_all(segments[worker], (worker * BLOCK) as u32).unwrap());
    let links = Arc::new(links.concat());
    let len_at = |position: u32| {
        let (worker, at) = (position as usize / BLOCK, position as usize % BLOCK);
        let mut begin = 0;
        let found = segments[worker].iter().find(|(_, len)| {
            begin += *len;
            begin as usize > at
        });
        found.expect("a segment begins there").1
    };

    // Arrange: the chunks' ranges follow each other, and each chunk goes to the worker that gathered its longest segment.
    let ids: Vec<ChunkId> = (0..kit.pool.used()).filter(|id| kit.pool.chunk(*id).total() > 0).collect();
    let ends = ids.iter().scan(0, |end, id| {
        *end += kit.pool.chunk(*id).total();
        Some(*end)
    });
    let begins: Vec<u32> = [0].into_iter().chain(ends).collect();
    let mut shares = Shares::default();
    shares.deal(sorters, ids.len(), |unit| kit.pool.chunk(ids[unit]).longest_block());

    // Sort: a chunk's claimer walks its list and writes its entries, which begin where the chunk's do.
    let objects = segments.concat().iter().map(|(_, len)| *len as usize).sum::<usize>();
    let table = Arc::new(Table((0..objects).map(|_| UnsafeCell::new(None)).collect()));
    let bounds: Vec<u32> = (0..=ids.len() as u32).collect();
    let lent = Lent::new((shares, bounds, ids.iter().map(|_| UnsafeCell::new(0)).collect::<Vec<_>>()));
    // SAFETY: `lent` outlives the workers, who are joined below, and is used by them alone meanwhile.
    let (shares, bounds, written) = unsafe { lent.get() };
    let portions = Portions::new(written, bounds, shares);
    let (pass, slots) = (kit.clone(), table.clone());
    let (chunks, starts) = (ids.clone(), begins.clone());
    fork(sorters, move |worker| {
        while let Some(unit) = shares.claim(worker) {
            let rank = unit.index();
            let (_, [count]) = portions.of(&unit);
            let mut entry = starts[rank];
            for position in walk(pass.pool.chunk(chunks[rank]).first(), &links) {
                for object in position..position + len_at(position) {
                    let slot = slots.0.get(entry as usize).expect("behind the table");
                    // SAFETY: loom's pointer to the cell's content, used within the closure that loom guards.
                    let before = slot.with_mut(|slot| unsafe { (*slot).replace(object) });
                    assert_eq!(before, None, "written twice");
                    entry += 1;
                }
            }
            // SAFETY: as above.
            count[0].with_mut(|count| unsafe { *count += entry - starts[rank] });
        }
    });

    // As many writes as slots and none twice: every slot was written. And every object is in the range of its chunk.
    for (worker, segments) in segments.iter().enumerate() {
        let mut object = (worker * BLOCK) as u32;
        for (key, len) in *segments {
            let (id, _) = kit.directory.find(&kit.pool, key).expect("a chunk was lost");
            let rank = ids.iter().position(|other| *other == id).expect("objects got lost");
            // SAFETY: as above.
            let entry = |slot: &UnsafeCell<Option<u32>>| slot.with(|slot| unsafe { *slot });
            let entries = &table.0[begins[rank] as usize..begins[rank + 1] as usize];
            for _ in 0..*len {
                assert_eq!(entries.iter().filter(|slot| entry(slot) == Some(object)).count(), 1, "objects got lost");
                object += 1;
            }
        }
    }
}

/// A box that is lent to the workers of a model, who need it for `'static`.
struct Lent<T>(*mut T);

impl<T> Lent<T> {
    fn new(value: T) -> Self {
        Lent(Box::into_raw(Box::new(value)))
    }
}

impl<A, B, C> Lent<(A, B, Vec<C>)> {
    /// # Safety
    ///
    /// Only once, and not to be used after the box is dropped.
    unsafe fn get(&self) -> (&'static A, &'static B, &'static mut [C]) {
        // SAFETY: a box that only this has.
        let (a, b, c) = unsafe { &mut *self.0 };
        (a, b, c)
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // In a panic the threads that had not started may still be dropped later.
        if !std::thread::panicking() {
            // SAFETY: made by `Box::into_raw` in `new`.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}
