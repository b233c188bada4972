use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};

use loom::scheduler::{PctScheduler, RandomScheduler};
use loom::{Config, Runner};

use crate::faults::Fault;
use crate::lockfree::{BLOCK, Blocks, ChunkId, Cursor, Directory, Key, NO_SEGMENT, Pool, Shares, Spare};
use crate::planted::PLANTED;

const THREADS: usize = 64;
/// Models, and ways to schedule each of them.
const SEARCHES: usize = 5 * 2;

/// How many schedules of each search.
fn schedules() -> usize {
    let all = std::env::var("SCHEDULES").map_or(6000, |all| all.parse().expect("SCHEDULES is a number"));
    usize::div_ceil(all, SEARCHES)
}

/// Runs `work` on all threads and joins them.
fn fork<T: Send + 'static>(work: impl Fn(usize) -> T + Send + Sync + 'static) -> Vec<T> {
    let work = Arc::new(work);
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let work = work.clone();
            loom::thread::spawn(move || work(thread))
        })
        .collect();
    threads.into_iter().map(|thread| thread.join().expect("it has not panicked")).collect()
}

fn key(number: usize) -> Key {
    [number as u32, 7, 0, 1]
}

/// A whole step: every thread appends segments to chunks that all want at once; then the threads claim the chunks and walk their
/// lists. Every key has one chunk, every segment is in the list of its chunk once, and totals and longest segments are exact.
fn step() {
    const KEYS: usize = 9;
    let kit = Arc::new((Directory::new(8).unwrap(), Pool::new(4, 128)));
    let shared = kit.clone();
    let appended = fork(move |thread| {
        let (directory, pool) = &*shared;
        let mut spare = Spare::default();
        let append = |segment: usize| {
            let key = key((thread + segment * 5) % KEYS);
            let (id, _) = directory.find_or_insert(pool, &key, &mut spare).expect("there is room");
            let position = ((2 * thread + segment) * BLOCK) as u32;
            Segment { key, id, position, len: len(position), next: pool.chunk(id).append(position, len(position)) }
        };
        // Some come back with a spare chunk of their own.
        (0..1 + usize::from(thread.is_multiple_of(4))).map(append).collect::<Vec<_>>()
    });
    let mut segments = appended.concat();
    segments.sort_unstable();

    // The chunks go first to the threads that gathered them.
    let ids: Vec<ChunkId> = (0..kit.1.used()).filter(|id| kit.1.chunk(*id).total() > 0).collect();
    let mut shares = Shares::default();
    shares.deal(THREADS, ids.len(), |unit| kit.1.chunk(ids[unit]).longest_block() / 2);
    let both = Arc::new((shares, ids, kit.clone(), segments.clone()));
    let shared = both.clone();
    let walked = fork(move |thread| {
        let (shares, ids, kit, segments) = &*shared;
        let mut walked = Vec::new();
        while let Some(unit) = shares.claim(thread) {
            let mut position = kit.1.chunk(ids[unit.index()]).first();
            while position != NO_SEGMENT {
                walked.push((ids[unit.index()], position));
                assert!(walked.len() <= segments.len(), "segments got lost");
                let segment = segments.iter().find(|segment| segment.position == position);
                position = segment.map_or(NO_SEGMENT, |segment| segment.next);
            }
        }
        walked
    });
    for same_key in segments.chunk_by(|a, b| a.key == b.key) {
        assert!(same_key.iter().all(|segment| segment.id == same_key[0].id), "one key, two chunks");
        let chunk = kit.1.chunk(same_key[0].id);
        assert_eq!(chunk.total(), same_key.iter().map(|segment| segment.len).sum::<u32>(), "the total is wrong");
        let longest = same_key.iter().map(|segment| (segment.len, segment.position)).max().expect("a segment");
        assert_eq!(chunk.longest_block(), longest.1 as usize / BLOCK, "the longest segment is lost");
    }
    let mut walked = walked.concat();
    walked.sort_unstable();
    let mut expected: Vec<_> = segments.iter().map(|segment| (segment.id, segment.position)).collect();
    expected.sort_unstable();
    assert_eq!(walked, expected, "segments got lost");
}

/// A segment that was appended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Segment {
    key: Key,
    id: ChunkId,
    position: u32,
    len: u32,
    next: u32,
}

/// How long the segment at a position is.
fn len(position: u32) -> u32 {
    1 + position / BLOCK as u32 * 7 % 5
}

/// Units that a few threads own are claimed by all of them. Each goes to one thread, which is noted.
fn shares() {
    const UNITS: usize = 3 * THREADS / 2;
    let mut shares = Shares::default();
    shares.deal(THREADS, UNITS, |unit| unit % 7);
    let shares = Arc::new(shares);
    let shared = shares.clone();
    let claimed = fork(move |thread| std::iter::from_fn(|| shared.claim(thread)).map(|unit| unit.index()).collect::<Vec<_>>());
    for (thread, units) in claimed.iter().enumerate() {
        assert!(units.iter().all(|unit| shares.taker(*unit) == thread), "claimed twice");
    }
    let mut claimed = claimed.concat();
    claimed.sort_unstable();
    assert!(claimed.into_iter().eq(0..UNITS), "claimed twice");
}

/// All threads take chunks over many borders between slabs. Each chunk is its owner's.
fn pool() {
    // Some come back for another one.
    let chunks = |thread: usize| 1 + usize::from(thread.is_multiple_of(4));
    let pool = Arc::new(Pool::new(1, 2 * THREADS as u32));
    let shared = pool.clone();
    let ids = fork(move |thread| {
        let take = |_| {
            let id = shared.allocate().expect("there is room");
            shared.chunk(id).append(thread as u32, 1 + thread as u32);
            id
        };
        (0..chunks(thread)).map(take).collect::<Vec<_>>()
    });
    for (thread, ids) in ids.iter().enumerate() {
        assert!(ids.iter().all(|&id| pool.chunk(id).total() == 1 + thread as u32), "handed out twice");
    }
    let mut ids = ids.concat();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..(0..THREADS).map(chunks).sum::<usize>() as u32), "handed out twice");
}

/// All threads claim from a cursor.
fn cursor() {
    let cursor = Arc::new(Cursor::new());
    let mut claimed = fork(move |_| cursor.take(3));
    claimed.sort_unstable();
    assert!(claimed.into_iter().eq((0..THREADS).map(|claim| 3 * claim)), "claimed twice");
}

/// All threads claim the blocks of two slices together. Every block went to one of them, with the block of the same number.
fn zipped() {
    const NUMBERS: usize = THREADS + THREADS / 2;
    let [objects, counts] = [2 * NUMBERS - 1, NUMBERS].map(|len| -> *mut [u32] { Box::into_raw(vec![0; len].into()) });
    // SAFETY: boxes that nothing else has; they become boxes again when the blocks that borrow them are gone.
    let blocks = Box::into_raw(Box::new(unsafe { Blocks::new(&mut *objects, 2).zip(Blocks::new(&mut *counts, 1)) }));
    // SAFETY: the same; all threads have ended by then.
    let shared = unsafe { &*blocks };
    fork(move |_| {
        while let Some((number, objects, counts)) = shared.claim() {
            objects.iter_mut().chain(counts).for_each(|value| *value += 1 + number as u32);
            loom::thread::yield_now();
        }
    });
    // SAFETY: as above.
    let [objects, counts] = unsafe {
        drop(Box::from_raw(blocks));
        [objects, counts].map(|values| Box::from_raw(values))
    };
    assert!(objects.iter().enumerate().all(|(at, &value)| value as usize == 1 + at / 2), "claimed by another");
    assert!(counts.iter().enumerate().all(|(at, &value)| value as usize == 1 + at), "claimed by another");
}

/// A way to choose the thread that goes on.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// Any, each time.
    Random,
    /// The one with the highest priority, with few changes of priority at random places.
    Priorities,
}

/// Explores a model. Returns how many schedules there were.
fn explore(model: fn(), choice: Choice) -> usize {
    const SEED: u64 = 20_261_116;
    let ran = Arc::new(AtomicUsize::new(0));
    let count = ran.clone();
    let counting = move || {
        count.fetch_add(1, Ordering::Relaxed);
        model();
    };
    let mut config = Config::new();
    config.stack_size = 64 * 1024;
    match choice {
        Choice::Random => Runner::new(RandomScheduler::new_from_seed(SEED, schedules()), config).run(counting),
        Choice::Priorities => Runner::new(PctScheduler::new_from_seed(SEED, 3, schedules()), config).run(counting),
    };
    ran.load(Ordering::Relaxed)
}

fn holds(name: &str, model: fn(), choice: Choice) {
    let ran = explore(model, choice);
    println!("{name}, {choice:?}: {ran} schedules of {THREADS} threads");
    assert_eq!(ran, schedules(), "the search was cut short");
}

fn catches(bug: Fault, model: fn(), reason: &str) {
    keep_expected_panics_quiet();
    PLANTED.set(Some(bug));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| explore(model, Choice::Random) + explore(model, Choice::Priorities)));
    PLANTED.set(None);
    let payload = outcome.expect_err("it survived");
    let message = payload.downcast_ref::<String>().cloned();
    let message = message.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default();
    assert!(message.contains(reason), "{bug:?} was caught, but not by {reason:?}: {message}");
}

fn keep_expected_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if PLANTED.get().is_none() {
                usual(info);
            }
        }));
    });
}

/// A test for each way, so that they run side by side.
macro_rules! holds {
    ($($test:ident: $model:ident, $choice:ident;)*) => {
        $(#[test]
        fn $test() {
            holds(stringify!($model), $model, Choice::$choice);
        })*
    };
}

holds! {
    a_step_in_any_order: step, Random;
    a_step_by_priorities: step, Priorities;
    shares_in_any_order: shares, Random;
    shares_by_priorities: shares, Priorities;
    pools_in_any_order: pool, Random;
    pools_by_priorities: pool, Priorities;
    cursors_in_any_order: cursor, Random;
    cursors_by_priorities: cursor, Priorities;
    zipped_blocks_in_any_order: zipped, Random;
    zipped_blocks_by_priorities: zipped, Priorities;
}

#[test]
fn planted_bugs_are_caught() {
    catches(Fault::PublishByStore, step, "one key, two chunks");
    catches(Fault::LoserMovesOn, step, "one key, two chunks");
    catches(Fault::AppendTorn, step, "segments got lost");
    catches(Fault::TotalTorn, step, "the total is wrong");
    catches(Fault::LongestTorn, step, "the longest segment is lost");
    catches(Fault::ShareTorn, shares, "claimed twice");
    catches(Fault::PoolClaimTorn, pool, "handed out twice");
    catches(Fault::CursorTorn, cursor, "claimed twice");
    catches(Fault::ZipClaimedTwice, zipped, "claimed by another");
}
