//! Growth: a full directory ends the pass, and the pass runs again with a larger one.

use std::sync::Arc;

use super::kit::{A, B, Kit};
use super::{fork, model};
use crate::lockfree::{Directory, Full, Key, Spare};

/// Two workers count three objects of two keys into a directory that has room for one chunk. At least one is told that it is
/// full; the directory doubles and the pass runs again, until every object is counted once in the chunk of its key.
///
/// Catches a chunk that is not cleared.
fn directory_doubles() {
    const OBJECTS: [&[Key]; 2] = [&[A, B], &[B]];
    let mut kit = Kit::used(1, 4, &[9; 4]);
    let mut passes = 1;
    loop {
        let shared = Arc::new(kit);
        let pass = shared.clone();
        // Each pass begins with new spares: the old ones went back to the pool with all other chunks.
        let outcomes: Vec<Result<(), Full>> = fork(2, move |worker| {
            let mut spare = Spare::default();
            OBJECTS[worker].iter().try_for_each(|key| {
                let id = pass.directory.find_or_insert(&pass.pool, key, &mut spare)?;
                pass.pool.chunk(id).count(0, 1);
                Ok(())
            })
        });
        kit = Arc::into_inner(shared).unwrap();
        if outcomes.iter().all(Result::is_ok) {
            break;
        }
        assert!(!outcomes.contains(&Err(Full::Pool)));
        passes += 1;
        kit.directory = Directory::new(kit.directory.bits() + 1).unwrap();
        kit.pool.recycle();
    }
    assert!((2..=3).contains(&passes), "{passes} passes");
    for (key, objects) in [(A, 1), (B, 2)] {
        let (_, chunk) = kit.directory.find(&kit.pool, &key).expect("a key was lost");
        assert_eq!(chunk.total(), objects, "objects lost or invented");
    }
}
model!(directory_doubles, Complete, 39_123, catches { ChunkNotCleared: "objects lost or invented" });
