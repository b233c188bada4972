//! Growth: a full directory ends the pass, and the pass runs again with a larger one.

use std::sync::Arc;

use super::kit::{A, B, Kit, Segment};
use super::{fork, model};
use crate::lockfree::{BLOCK, Directory, Full};

/// Two workers append a segment each, of different keys, through a directory that has room for one chunk. At least one is told that
/// it is full; the directory doubles and the pass runs again, until every segment is in the list of its key's chunk once.
///
/// Catches a chunk that is not cleared.
fn directory_doubles() {
    every_segment_is_appended_once([&[(A, 1)], &[(B, 2)]]);
}
model!(directory_doubles, Complete, 16, catches { ChunkNotCleared: "objects lost or invented" });

/// The same with a chunk that both append to.
///
/// Catches the same, and a list that is changed by load and store.
fn chunk_of_both() {
    every_segment_is_appended_once([&[(A, 1), (B, 2)], &[(B, 1)]]);
}
model!(
    chunk_of_both,
    Preemptions(4),
    7_746,
    catches { ChunkNotCleared: "objects lost or invented", AppendTorn: "objects lost or invented" }
);

fn every_segment_is_appended_once(segments: [&'static [Segment]; 2]) {
    let mut kit = Kit::used(1, 4, &[9; 4]);
    let mut passes = 1;
    let links = loop {
        let shared = Arc::new(kit);
        let pass = shared.clone();
        // Each pass begins with new spares: the old ones went back to the pool with all other chunks.
        let outcomes = fork(2, move |worker| pass.append_all(segments[worker], (worker * BLOCK) as u32));
        kit = Arc::into_inner(shared).unwrap();
        assert!(!outcomes.contains(&Err(Full::Pool)));
        if let Ok(links) = outcomes.into_iter().collect::<Result<Vec<_>, _>>() {
            break links.concat();
        }
        passes += 1;
        kit.directory = Directory::new(kit.directory.bits() + 1).unwrap();
        kit.pool.recycle();
    };
    assert!((2..=3).contains(&passes), "{passes} passes");
    let mut linked = 0;
    for key in [A, B] {
        let (_, chunk) = kit.directory.find(&kit.pool, &key).expect("a key was lost");
        let of_key = segments.concat().into_iter().filter(|segment| segment.0 == key).collect::<Vec<Segment>>();
        assert_eq!(chunk.total(), of_key.iter().map(|segment| segment.1).sum::<u32>(), "objects lost or invented");
        assert_eq!(kit.segments(&key, &links).len(), of_key.len(), "objects lost or invented");
        linked += of_key.len();
    }
    assert_eq!(linked, links.len(), "objects lost or invented");
}
