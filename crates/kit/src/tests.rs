//! Passes as the engine runs them, by a few threads.

use std::sync::atomic::Ordering;
use std::thread;

use crate::lockfree::{Blocks, Bound, ChunkId, Cursor, Directory, Key, Pool, ROW, Spare, shared};

const THREADS: usize = 3;
const CELLS: usize = 2 * ROW;

/// Runs `work` on each of some threads, waits for all, and returns what they return.
fn fork<R: Send>(work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|worker| scope.spawn(move || work(worker))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Object `i` lives in one of four chunks, which all threads meet at once.
fn place(object: usize) -> (Key, usize) {
    let chunk = object as u32 % 4;
    ([chunk, 7 * chunk, 0, 1], object % CELLS)
}

/// Count, offset, scatter: every object has a slot of its own, in its cell.
fn step(pool: &Pool, directory: &Directory, objects: usize) {
    let (work, counted) = (Cursor::new(), Cursor::new());
    let parts = fork(|_| {
        let (mut spare, mut places) = (Spare::default(), Vec::new());
        while let Some(block) = work.claim(2, objects) {
            for object in block {
                let (key, cell) = place(object);
                let id = directory.find_or_insert(pool, &key, &mut spare).expect("there is room");
                places.push((object, id, cell, pool.chunk(id).count(cell, 1)));
            }
        }
        places
    });
    let places: Vec<(usize, ChunkId, usize, u32)> = parts.concat();
    assert_eq!(places.len(), objects);

    let chunks = Cursor::new();
    fork(|_| {
        while let Some(block) = chunks.claim(1, pool.used() as usize) {
            for id in block {
                let chunk = pool.chunk(id as ChunkId);
                chunk.place(counted.take(chunk.total() as usize) as u32, ROW);
            }
        }
    });
    assert_eq!(counted.claimed(), objects);

    let mut table = vec![u32::MAX; objects];
    let slots = shared(&mut table);
    fork(|worker| {
        for &(object, id, cell, rank) in places.iter().skip(worker).step_by(THREADS) {
            let slot = pool.chunk(id).begin(cell) + rank;
            slots[slot as usize].store(object as u32, Ordering::Relaxed);
        }
    });
    for object in 0..objects {
        let (key, cell) = place(object);
        let (_, chunk) = directory.find(pool, &key).expect("its chunk is there");
        let entries = &table[chunk.begin(cell) as usize..chunk.end(cell) as usize];
        assert_eq!(entries.iter().filter(|&&entry| entry == object as u32).count(), 1, "object {object}");
    }
}

#[test]
fn steps_that_reuse_what_the_last_one_left() {
    // Small slabs, so that threads race for new ones.
    let (mut pool, directory) = (Pool::new(CELLS, 1, 64), Directory::new(5).unwrap());
    for objects in [12, 30, 5] {
        step(&pool, &directory, objects);
        directory.clear(&pool, 0..pool.used() as usize);
        pool.recycle();
    }
    pool.shrink();
    step(&pool, &directory, 8);
}

#[test]
fn chunks_are_handed_out_once() {
    let pool = Pool::new(CELLS, 1, 64);
    let mut ids = fork(|worker| {
        let mine: Vec<ChunkId> = (0..4).map(|_| pool.allocate().expect("there is room")).collect();
        for &id in &mine {
            pool.chunk(id).count(worker, 1 + worker as u32);
        }
        mine
    });
    for (worker, mine) in ids.iter().enumerate() {
        assert!(mine.iter().all(|&id| pool.chunk(id).total() == 1 + worker as u32));
    }
    let mut all = ids.drain(..).flatten().collect::<Vec<_>>();
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..4 * THREADS as u32));
}

#[test]
fn blocks_are_borrowed_once() {
    let mut values = vec![String::new(); 23];
    let blocks = Blocks::new(&mut values, 4);
    fork(|worker| {
        while let Some((first, block)) = blocks.claim() {
            for (at, value) in block.iter_mut().enumerate() {
                value.push_str(&format!("{} by {worker}", first + at));
            }
        }
    });
    for (index, value) in values.iter().enumerate() {
        assert!(value.starts_with(&format!("{index} by ")) && value.matches("by").count() == 1, "{value}");
    }
}

#[test]
fn a_bound_keeps_the_largest() {
    let bound = Bound::new(f32::NEG_INFINITY);
    fork(|worker| (0..10).for_each(|step| bound.raise((step * 7 % 10 + worker) as f32)));
    assert_eq!(bound.get(), (9 + THREADS - 1) as f32);
}

#[test]
fn shared_memory_is_plain_again_afterwards() {
    let mut values = vec![0.0f32; 64];
    let cells = shared(&mut values);
    fork(|worker| cells.iter().skip(worker).step_by(THREADS).for_each(|cell| cell.store(1.0 + worker as f32, Ordering::Relaxed)));
    assert!(values.iter().enumerate().all(|(index, &value)| value == 1.0 + (index % THREADS) as f32));
}
