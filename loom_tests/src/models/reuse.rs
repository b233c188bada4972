//! The next step: what the last one left is cleared, nothing of it remains.

use std::sync::Arc;

use super::kit::{A, B, C, Kit};
use super::{fork, model};
use crate::lockfree::{Cursor, Key, Spare};

/// Two workers count, then empty the directory together, then count other objects into the same chunks. The second step finds its
/// own objects and nothing else.
///
/// Catches a slot that is not noted for clearing, and a chunk that is not cleared.
fn next_step() {
    nothing_remains([A, B]);
}
model!(
    next_step,
    Complete,
    5_368,
    catches { SlotForgotten: "objects lost or invented", ChunkNotCleared: "objects lost or invented" }
);

/// The same after a step of three workers.
///
/// Catches the same.
fn next_step_of_three() {
    nothing_remains([A, B, A]);
}
model!(
    next_step_of_three,
    Preemptions(3),
    12_200,
    catches { SlotForgotten: "objects lost or invented", ChunkNotCleared: "objects lost or invented" }
);

/// Two steps, the first with these objects.
fn nothing_remains<const WORKERS: usize>(objects: [Key; WORKERS]) {
    let kit = Arc::new(Kit::new(3, 4, 6));
    count(&kit, objects);

    let (pass, work) = (kit.clone(), Cursor::new());
    fork(2, move |_| {
        while let Some(chunks) = work.claim(1, pass.pool.used() as usize) {
            pass.directory.clear(&pass.pool, chunks);
        }
    });
    let mut kit = Arc::into_inner(kit).unwrap();
    kit.pool.recycle();

    let kit = Arc::new(kit);
    count(&kit, [B, C]);
    assert!(kit.directory.find(&kit.pool, &A).is_none(), "found a chunk of the last step");
    for key in [B, C] {
        let (_, chunk) = kit.directory.find(&kit.pool, &key).expect("a key was lost");
        assert_eq!(chunk.total(), 1, "objects lost or invented");
    }
}

/// Each worker counts an object.
fn count<const WORKERS: usize>(kit: &Arc<Kit>, objects: [Key; WORKERS]) {
    let pass = kit.clone();
    fork(WORKERS, move |worker| {
        let id = pass.directory.find_or_insert(&pass.pool, &objects[worker], &mut Spare::default()).unwrap();
        pass.pool.chunk(id).count(0, 1);
    });
}
