//! The directory: one key, one chunk, whoever inserts it.

use std::sync::Arc;

use super::kit::{A, B, C, Kit, twins, walk};
use super::{fork, model};
use crate::lockfree::{ChunkId, Full, Key, NO_SEGMENT, Spare};

/// Two threads insert the same key at once and append a segment. There is one chunk with this key in it, both got it, and it
/// has exactly the two segments.
///
/// Catches each ordering of the publication weakened, the publication by a plain store or before the chunk is named, a loser that
/// does not look, and a chunk that is not cleared or handed out twice.
fn one_key() {
    let kit = Arc::new(Kit::used(2, 3, &B));
    let shared = kit.clone();
    let ids = fork(2, move |worker| {
        let (id, _) = shared.directory.find_or_insert(&shared.pool, &A, &mut Spare::default()).unwrap();
        let chunk = shared.pool.chunk(id);
        let next = chunk.append(worker as u32, 1);
        assert_eq!(chunk.key(), A, "the chunk of another key");
        (id, (worker as u32, next))
    });
    assert_eq!(ids[0].0, ids[1].0, "one key, two chunks");
    let chunk = kit.pool.chunk(ids[0].0);
    assert_eq!(chunk.total(), 2, "objects lost or invented");
    assert_eq!(walk(chunk.first(), &[ids[0].1, ids[1].1]), [0, 1], "objects lost or invented");
}
model!(
    one_key,
    Complete,
    213,
    catches {
        PublishRelaxed: "one key, two chunks",
        FindRelaxed: "one key, two chunks",
        LoserRelaxed: "one key, two chunks",
        PublishByStore: "one key, two chunks",
        KeyAfterPublish: "one key, two chunks",
        LoserMovesOn: "one key, two chunks",
        PoolClaimTorn: "objects lost or invented",
        ChunkNotCleared: "objects lost or invented",
    }
);

/// The same with three threads.
///
/// Catches a publication without release, and one by a plain store.
fn one_key_of_three() {
    one_chunk_per_key(4, [&[A], &[A], &[A]]);
}
model!(
    one_key_of_three,
    Complete,
    9_365,
    catches { PublishRelaxed: "one key, two chunks", PublishByStore: "one key, two chunks" }
);

/// One thread inserts a key while another looks it up, in a pool whose chunks had the same key in the step before. If it is
/// found, it is complete: the list is that of this step.
///
/// Catches a look-up without acquire, a publication without release, and a chunk that is not cleared.
fn found_complete() {
    let kit = Arc::new(Kit::used(2, 1, &A));
    fork(2, move |worker| {
        if worker == 0 {
            kit.directory.find_or_insert(&kit.pool, &A, &mut Spare::default()).unwrap();
        } else if let Some((_, chunk)) = kit.directory.find(&kit.pool, &A) {
            assert_eq!(chunk.key(), A, "the chunk of another key");
            assert_eq!((chunk.first(), chunk.total()), (NO_SEGMENT, 0), "found with old segments");
        }
    });
}
model!(
    found_complete,
    Complete,
    6,
    catches {
        LookUpRelaxed: "found with old segments",
        PublishRelaxed: "found with old segments",
        ChunkNotCleared: "found with old segments",
    }
);

/// Two threads insert, in opposite order, two keys that begin at the same slot and look alike in it. Both keys land, each in one
/// chunk of its own.
///
/// Catches half of the hash taken for the key, a publication by a plain store, and a loser that does not look, or not well.
fn colliding_keys() {
    let [key, twin] = twins(3);
    one_chunk_per_key(3, [&[key, twin], &[twin, key]]);
}
model!(
    colliding_keys,
    Complete,
    424,
    catches {
        KeyUnchecked: "two keys, one chunk",
        PublishByStore: "one key, two chunks",
        LoserMovesOn: "one key, two chunks",
        LoserRelaxed: "one key, two chunks",
    }
);

/// The same with three threads, two of which agree on the order.
///
/// Catches half of the hash taken for the key, and a slot read without acquire.
fn colliding_keys_of_three() {
    let [key, twin] = twins(4);
    one_chunk_per_key(4, [&[key, twin], &[twin, key], &[key, twin]]);
}
model!(
    colliding_keys_of_three,
    Preemptions(4),
    46_032,
    catches { KeyUnchecked: "two keys, one chunk", FindRelaxed: "one key, two chunks" }
);

/// Two threads insert the same three keys. As each keeps the chunk of a lost race for the next time, neither ever holds more than
/// one chunk too many: with a chunk per key and one per thread the pool is never full.
///
/// Catches a spare forgotten, and one used twice.
fn spares_of_two() {
    one_chunk_per_key(4, [&[A, B, C], &[A, B, C]]);
}
model!(spares_of_two, Complete, 3_189, catches { LoserForgetsSpare: "spuriously full", SpareUsedTwice: "two keys, one chunk" });

/// The same with three threads, each of which begins with another key.
///
/// Catches a spare forgotten.
fn spares_of_three() {
    one_chunk_per_key(4, [&[A, B, C], &[B, C, A], &[C, A, B]]);
}
model!(spares_of_three, Preemptions(4), 154_945, catches { LoserForgetsSpare: "spuriously full" });

/// Four threads insert two keys, two of them in the opposite order.
///
/// Catches a publication by a plain store, and a loser that does not look.
fn two_keys_of_four() {
    one_chunk_per_key(4, [&[A, B], &[B, A], &[A, B], &[B, A]]);
}
model!(
    two_keys_of_four,
    Preemptions(2),
    12_904,
    catches { PublishByStore: "spuriously full", LoserMovesOn: "one key, two chunks" }
);

/// Five threads, as many as loom allows, insert one key.
///
/// Catches a slot read without acquire, and a loser that does not look.
fn one_key_of_five() {
    one_chunk_per_key(4, [&[A], &[A], &[A], &[A], &[A]]);
}
model!(
    one_key_of_five,
    Preemptions(2),
    38_144,
    catches { FindRelaxed: "one key, two chunks", LoserMovesOn: "one key, two chunks" }
);

/// Inserts the keys, a list per thread, into a directory of `2^bits` slots. The pool has a chunk for each key and one for each
/// thread. (One less looks enough, but `spares_of_three` fails with it: the winners of two races may each overlook the other's
/// key.)
fn one_chunk_per_key<const THREADS: usize>(bits: u32, keys: [&[Key]; THREADS]) {
    let keys = keys.map(<[Key]>::to_vec);
    let distinct = {
        let mut all = keys.concat();
        all.sort();
        all.dedup();
        all
    };
    let kit = Arc::new(Kit::used(bits, (distinct.len() + THREADS) as u32, &[9; 4]));
    let shared = kit.clone();
    let ids = fork(THREADS, move |worker| {
        let mut spare = Spare::default();
        let mut insert = |key| shared.directory.find_or_insert(&shared.pool, key, &mut spare).expect("spuriously full").0;
        keys[worker].iter().map(|key| (*key, insert(key))).collect::<Vec<(Key, ChunkId)>>()
    });
    let mut ids = ids.concat();
    ids.sort();
    ids.dedup();
    for key in &distinct {
        assert_eq!(ids.iter().filter(|(other, _)| other == key).count(), 1, "one key, two chunks");
    }
    for (key, id) in &ids {
        assert_eq!(kit.pool.chunk(*id).key(), *key, "two keys, one chunk");
        assert_eq!(kit.directory.find(&kit.pool, key).map(|(id, _)| id), Some(*id), "a key was lost");
    }
    assert!(kit.directory.find(&kit.pool, &[7; 4]).is_none(), "found what no thread inserted");
}

/// Two threads insert different keys into a directory that has room for one chunk. One lands and the other is told; the directory
/// never holds more than it may, so that every look-up ends.
///
/// Catches a directory that looks at its fill before it takes a chunk.
fn full_directory() {
    one_lands(Kit::used(1, 4, &C), Full::Directory);
}
model!(full_directory, Complete, 4, catches { FillCheckedThenTaken: "overfull" });

/// The same with a directory that has room and a pool that has none.
///
/// Catches a pool that looks at its limit before it takes an index.
fn full_pool() {
    one_lands(Kit::used(3, 1, &C), Full::Pool);
}
model!(full_pool, Complete, 4, catches { LimitCheckedThenTaken: "index out of bounds" });

fn one_lands(kit: Kit, full: Full) {
    const KEYS: [Key; 2] = [A, B];
    let kit = Arc::new(kit);
    let shared = kit.clone();
    let results = fork(2, move |worker| {
        shared.directory.find_or_insert(&shared.pool, &KEYS[worker], &mut Spare::default()).map(|(id, _)| id)
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "overfull");
    assert!(results.contains(&Err(full)));
    for (key, result) in KEYS.iter().zip(results) {
        assert_eq!(kit.directory.find(&kit.pool, key).map(|(id, _)| id), result.ok());
    }
}
