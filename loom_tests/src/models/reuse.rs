//! The next step: what the last one left is cleared, nothing of it remains.

use std::sync::Arc;

use super::kit::{A, B, C, Kit, Link};
use super::{fork, model};
use crate::lockfree::{BLOCK, Cursor, Key};

/// Two workers append, then empty the directory together, then append other segments to the same chunks. The second step finds its
/// own segments and nothing else.
///
/// Catches a slot that is not noted for clearing, and a chunk that is not cleared.
fn next_step() {
    nothing_remains([A, B]);
}
model!(
    next_step,
    Complete,
    4_576,
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
    Preemptions(2),
    2_393,
    catches { SlotForgotten: "objects lost or invented", ChunkNotCleared: "objects lost or invented" }
);

/// Two steps, the first with a segment of each of these keys.
fn nothing_remains<const WORKERS: usize>(keys: [Key; WORKERS]) {
    let kit = Arc::new(Kit::new(3, 4, 6));
    gather(&kit, keys);

    let (pass, work) = (kit.clone(), Cursor::new());
    fork(2, move |_| {
        while let Some(chunks) = work.claim(1, pass.pool.used() as usize) {
            pass.directory.clear(&pass.pool, chunks);
        }
    });
    let mut kit = Arc::into_inner(kit).unwrap();
    kit.pool.recycle();

    let kit = Arc::new(kit);
    let links = gather(&kit, [B, C]);
    assert!(kit.directory.find(&kit.pool, &A).is_none(), "found a chunk of the last step");
    for (worker, key) in [B, C].into_iter().enumerate() {
        let (_, chunk) = kit.directory.find(&kit.pool, &key).expect("a key was lost");
        assert_eq!(chunk.total(), 1, "objects lost or invented");
        assert_eq!(kit.segments(&key, &links), [(worker * BLOCK) as u32], "objects lost or invented");
        assert_eq!(chunk.longest_block(), worker, "the longest segment of the last step");
    }
}

/// Each worker appends a segment of one object.
fn gather<const WORKERS: usize>(kit: &Arc<Kit>, keys: [Key; WORKERS]) -> Vec<Link> {
    let pass = kit.clone();
    fork(WORKERS, move |worker| pass.append_all(&[(keys[worker], 1)], (worker * BLOCK) as u32).unwrap()).concat()
}
