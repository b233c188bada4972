//! The cursor: claims are disjoint and leave no gap.

use std::sync::Arc;

use loom::cell::UnsafeCell;

use super::{fork, model};
use crate::lockfree::{Blocks, Cursor};

/// Three threads claim blocks of two out of five places until none is left: each place was claimed once.
///
/// Catches claiming by load and store.
fn claims() {
    let cursor = Arc::new(Cursor::new());
    let shared = cursor.clone();
    let claimed = fork(3, move |_| std::iter::from_fn(|| shared.claim(2, 5)).flatten().collect::<Vec<usize>>());
    let mut claimed = claimed.concat();
    claimed.sort();
    assert!(claimed.iter().copied().eq(0..5), "claimed twice or not at all: {claimed:?}");
    assert!(cursor.claimed() >= 5);
}
model!(claims, Complete, 4_734, catches { CursorTorn: "claimed twice or not at all" });

/// Two threads claim blocks of a slice and write to them. The elements are loom's cells, so that loom itself sees two threads
/// write to one of them. Each was written once.
///
/// Catches the same.
fn blocks() {
    let cells: *mut [UnsafeCell<u32>] = Box::into_raw((0..3).map(|_| UnsafeCell::new(0)).collect());
    // SAFETY: a box that nobody else has; it becomes one again when the blocks that borrow it are gone.
    let blocks = Blocks::new(unsafe { &mut *cells }, 2);
    fork(2, move |_| {
        while let Some((_, block)) = blocks.claim() {
            for cell in block {
                // SAFETY: loom's pointer to the cell's content, used within the closure that loom guards.
                cell.with_mut(|count| unsafe { *count += 1 });
            }
        }
    });
    // SAFETY: as above.
    for cell in unsafe { Box::from_raw(cells) } {
        assert_eq!(cell.into_inner(), 1, "written twice or not at all");
    }
}
model!(blocks, Complete, 22, catches { CursorTorn: "Causality violation" });

/// Two threads claim the blocks of two slices together, a long block of the one with a short one of the other, as presort claims objects
/// and their counts. Every block of the one was met by the block of the same number of the other, once.
///
/// Catches two claims instead of one: the thread that finds nothing left in the first slice takes a block of the second, and the thread
/// that it belongs to does not work on its block of the first. In the engine objects were lost that way, and others doubled.
fn zipped() {
    let cells = |count: usize| -> *mut [UnsafeCell<u32>] { Box::into_raw((0..count).map(|_| UnsafeCell::new(0)).collect()) };
    let (objects, counts) = (cells(3), cells(2));
    // SAFETY: boxes that nothing else has; they become boxes again when the blocks that borrow them are gone.
    let blocks = unsafe { Blocks::new(&mut *objects, 2).zip(Blocks::new(&mut *counts, 1)) };
    fork(2, move |_| {
        while let Some((number, objects, counts)) = blocks.claim() {
            assert_eq!((objects.len(), counts.len()), (2 - number, 1));
            for cell in objects {
                // SAFETY: loom's pointer to the cell's content, used within the closure that loom guards.
                cell.with_mut(|object| unsafe { *object += 1 + number as u32 });
            }
            // SAFETY: the same.
            counts[0].with_mut(|count| unsafe { *count += 1 + number as u32 });
        }
    });
    // SAFETY: as above.
    let [objects, counts] =
        [objects, counts].map(|cells| unsafe { Box::from_raw(cells) }.into_iter().map(UnsafeCell::into_inner));
    assert!(objects.eq([1, 1, 2]), "claimed twice or not at all");
    assert!(counts.eq([1, 2]), "claimed by another");
}
model!(zipped, Complete, 22, catches { CursorTorn: "Causality violation", ZipClaimedTwice: "claimed twice or not at all" });
