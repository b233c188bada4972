//! Passes as the engine runs them, by a few threads.

use std::sync::atomic::Ordering;
use std::thread;

use crate::lockfree::{
    BLOCK, Blocks, ChunkId, Cursor, Directory, Key, NO_SEGMENT, Pool, Portions, Shares, Spare, append, shared,
};

const THREADS: usize = 3;

/// Objects per segment. Every segment lies in a block of its own, so that its length is all that a block needs to tell.
const LEN: usize = 2;

/// Runs `work` on each of some threads, waits for all, and returns what they return.
fn fork<R: Send>(work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|worker| scope.spawn(move || work(worker))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

/// Segment `i` belongs to one of four chunks, which all threads meet at once.
fn key(segment: usize) -> Key {
    let chunk = segment as u32 % 4;
    [chunk, 7 * chunk, 0, 1]
}

/// Gather, arrange, sort: every object has a slot of its own, in the range of its chunk.
fn step(pool: &Pool, directory: &Directory, shares: &mut Shares, segments: usize) {
    // Gather: a unit is a segment, whose link its claimer writes.
    shares.deal(THREADS, segments, |segment| segment / 3);
    let bounds: Vec<u32> = (0..=segments as u32).collect();
    let mut next = vec![0; segments];
    let links = Portions::new(&mut next, &bounds, shares);
    fork(|worker| {
        let mut spare = Spare::default();
        while let Some(unit) = shares.claim(worker) {
            let segment = unit.index();
            let (id, _) = directory.find_or_insert(pool, &key(segment), &mut spare).expect("there is room");
            let (first, [link]) = links.of(&unit);
            link[0] = pool.chunk(id).append((first * BLOCK) as u32, LEN as u32);
        }
    });

    // Arrange: the chunks' ranges follow each other, and each chunk goes to the thread that gathered its longest segment.
    let ids: Vec<ChunkId> = (0..pool.used()).filter(|id| pool.chunk(*id).total() > 0).collect();
    let mut begins = vec![0];
    for (rank, &id) in ids.iter().enumerate() {
        pool.chunk(id).set_rank(rank as u32);
        begins.push(begins[rank] + pool.chunk(id).total());
    }
    assert_eq!(begins[ids.len()] as usize, LEN * segments);
    let owners: Vec<usize> = ids.iter().map(|id| shares.taker(pool.chunk(*id).longest_block())).collect();
    shares.deal(THREADS, ids.len(), |unit| owners[unit]);

    // Sort: a chunk's claimer walks its list and writes its entries, and how many they are.
    let mut table = vec![u32::MAX; LEN * segments];
    let slots = shared(&mut table);
    let mut written = vec![0; ids.len()];
    let bounds: Vec<u32> = (0..=ids.len() as u32).collect();
    let counts = Portions::new(&mut written, &bounds, shares);
    fork(|worker| {
        while let Some(unit) = shares.claim(worker) {
            let (rank, [count]) = counts.of(&unit);
            let mut position = pool.chunk(ids[rank]).first();
            while position != NO_SEGMENT {
                for object in position..position + LEN as u32 {
                    slots[(begins[rank] + count[0]) as usize].store(object, Ordering::Relaxed);
                    count[0] += 1;
                }
                position = next[position as usize / BLOCK];
            }
        }
    });

    for segment in 0..segments {
        let (_, chunk) = directory.find(pool, &key(segment)).expect("its chunk is there");
        let rank = chunk.rank() as usize;
        let entries = &table[begins[rank] as usize..][..written[rank] as usize];
        assert_eq!(begins[rank] + written[rank], begins[rank + 1]);
        for object in (segment * BLOCK..).take(LEN) {
            assert_eq!(entries.iter().filter(|&&entry| entry == object as u32).count(), 1, "object {object}");
        }
    }
}

#[test]
fn steps_that_reuse_what_the_last_one_left() {
    // Small slabs, so that threads race for new ones.
    let (mut pool, directory, mut shares) = (Pool::new(1, 64), Directory::new(5).unwrap(), Shares::default());
    for segments in [6, 15, 3] {
        step(&pool, &directory, &mut shares, segments);
        directory.clear(&pool, 0..pool.used() as usize);
        pool.recycle();
    }
    pool.shrink();
    step(&pool, &directory, &mut shares, 4);
}

#[test]
fn the_room_behind_a_vector_is_filled_once() {
    for count in [0, 1, 5, 12] {
        let mut vector = Vec::with_capacity(2 + count);
        vector.extend([7, 8]);
        append(&mut vector, count, 2, |room| fork(|_| room.fill(|number| number)));
        assert!(vector[2..].iter().copied().eq(0..count) && vector[..2] == [7, 8]);
        // A worker that does not come to its end leaves the vector as it was.
        vector.reserve(4);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            append(&mut vector, 4, 1, |room| {
                room.fill(|number| if number == 2 { std::panic::resume_unwind(Box::new(())) } else { number })
            });
        }));
        assert!(outcome.is_err() && vector.len() == 2 + count);
    }
}

#[test]
fn chunks_are_handed_out_once() {
    let pool = Pool::new(1, 64);
    let ids = fork(|worker| {
        let mine: Vec<ChunkId> = (0..4).map(|_| pool.allocate().expect("there is room")).collect();
        for &id in &mine {
            assert_eq!(pool.chunk(id).append(worker as u32, 1 + worker as u32), NO_SEGMENT);
        }
        mine
    });
    for (worker, mine) in ids.iter().enumerate() {
        assert!(mine.iter().all(|&id| pool.chunk(id).total() == 1 + worker as u32));
    }
    let mut all = ids.concat();
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
fn zipped_blocks_are_borrowed_once() {
    let (mut values, mut sums) = (vec![String::new(); 23], vec![String::new(); 6]);
    let blocks = Blocks::new(&mut values, 4).zip(Blocks::new(&mut sums, 1));
    fork(|worker| {
        while let Some((number, block, sums)) = blocks.claim() {
            block.iter_mut().chain(sums).for_each(|value| value.push_str(&format!("{number} by {worker}")));
        }
    });
    for (index, value) in values.iter().enumerate() {
        assert!(value.starts_with(&format!("{} by ", index / 4)) && *value == sums[index / 4], "{value}");
        assert_eq!(value.matches("by").count(), 1, "{value}");
    }
}

/// One worker owns nothing and one owns most units; portions are of every length.
#[test]
fn portions_are_borrowed_once() {
    let bounds: [u32; 9] = [0, 1, 3, 3, 7, 8, 12, 20, 23];
    let mut shares = Shares::default();
    let mut values = vec![String::new(); 23];
    for _ in 0..2 {
        values.iter_mut().for_each(String::clear);
        shares.deal(THREADS, 8, |unit| usize::from(unit == 5));
        let portions = Portions::new(&mut values, &bounds, &shares);
        fork(|worker| {
            while let Some(unit) = shares.claim(worker) {
                let (first, [portion]) = portions.of(&unit);
                for (at, value) in portion.iter_mut().enumerate() {
                    value.push_str(&format!("{} by {worker}", first + at));
                }
            }
        });
        for unit in 0..8 {
            let taker = shares.taker(unit);
            for index in bounds[unit] as usize..bounds[unit + 1] as usize {
                assert_eq!(values[index], format!("{index} by {taker}"));
            }
        }
    }
}

#[test]
#[should_panic(expected = "is_of")]
fn a_unit_opens_portions_of_its_own_shares_only() {
    let (mut one, mut other) = (Shares::default(), Shares::default());
    one.deal(1, 1, |_| 0);
    other.deal(1, 1, |_| 0);
    let mut values = [0];
    let portions = Portions::new(&mut values, &[0, 1], &one);
    portions.of(&other.claim(0).expect("a unit"));
}

#[test]
#[should_panic(expected = "lend")]
fn a_unit_lends_its_portion_once() {
    let mut shares = Shares::default();
    shares.deal(1, 1, |_| 0);
    let (mut one, mut two, mut values) = ([0], [0], ["a".to_string()]);
    let both = Portions::of_slices([&mut one, &mut two], &[0, 1], &shares, 1);
    let portions = Portions::new(&mut values, &[0, 1], &shares);
    let unit = shares.claim(0).expect("a unit");
    let ((_, [one, two]), (_, [value])) = (both.of(&unit), portions.of(&unit));
    (one[0], two[0]) = (1, 2);
    value[0].push('b');
    portions.of(&unit);
}

#[test]
fn a_cursor_claims_each_place_once() {
    let cursor = Cursor::new();
    let mut all = fork(|_| std::iter::from_fn(|| cursor.claim(3, 20)).flatten().collect::<Vec<_>>()).concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..20));
}

#[test]
fn shared_memory_is_plain_again_afterwards() {
    let mut values = vec![0.0f32; 64];
    let cells = shared(&mut values);
    fork(|worker| cells.iter().skip(worker).step_by(THREADS).for_each(|cell| cell.store(1.0 + worker as f32, Ordering::Relaxed)));
    assert!(values.iter().enumerate().all(|(index, &value)| value == 1.0 + (index % THREADS) as f32));
}
