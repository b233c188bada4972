use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};

use loom::scheduler::{PctScheduler, RandomScheduler};
use loom::{Config, Runner};

use crate::faults::Fault;
use crate::lockfree::{Bound, ChunkId, Cursor, Directory, Key, Pool, Spare};
use crate::planted::PLANTED;

const THREADS: usize = 64;
const CELLS: usize = 4;
/// Models, and ways to schedule each of them.
const SEARCHES: usize = 3 * 2;

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

/// A whole step: every thread counts objects into chunks that all want at once, then the chunks get their ranges. Every key has one
/// chunk, the ranks of every cell are a permutation, and the ranges neither overlap nor leave a gap.
fn step() {
    const KEYS: usize = 9;
    let kit = Arc::new((Directory::new(8).unwrap(), Pool::new(CELLS, 4, 128)));
    let shared = kit.clone();
    let counted = fork(move |thread| {
        let (directory, pool) = &*shared;
        let mut spare = Spare::default();
        let count = |object: usize| {
            let key = key((thread + object * 5) % KEYS);
            let id = directory.find_or_insert(pool, &key, &mut spare).expect("there is room");
            (key, id, pool.chunk(id).count(thread % 3, 2))
        };
        // Some come back with a spare chunk of their own.
        (0..1 + usize::from(thread.is_multiple_of(4))).map(count).collect::<Vec<_>>()
    });
    let mut places: Vec<(Key, ChunkId, usize, u32)> = Vec::new();
    for (thread, counted) in counted.into_iter().enumerate() {
        places.extend(
            counted.into_iter().flat_map(|(key, id, rank)| [(key, id, thread % 3, rank), (key, id, thread % 3, rank + 1)]),
        );
    }
    places.sort_unstable();
    for same_key in places.chunk_by(|a, b| a.0 == b.0) {
        assert!(same_key.iter().all(|place| place.1 == same_key[0].1), "one key, two chunks");
        for same_cell in same_key.chunk_by(|a, b| a.2 == b.2) {
            assert!(same_cell.iter().map(|place| place.3).eq(0..same_cell.len() as u32), "the ranks are not a permutation");
        }
    }

    let (work, table) = (Cursor::new(), Cursor::new());
    let shared = kit.clone();
    let ranges = fork(move |_| {
        let pool = &shared.1;
        let mut ranges = Vec::new();
        while let Some(block) = work.claim(3, pool.used() as usize) {
            for id in block {
                let chunk = pool.chunk(id as ChunkId);
                let total = chunk.total() as usize;
                let begin = table.take(total);
                chunk.place(begin as u32, CELLS);
                ranges.push((begin, begin + total));
            }
        }
        ranges
    });
    let mut ranges = ranges.concat();
    ranges.sort_unstable();
    assert!(ranges.first().is_some_and(|first| first.0 == 0), "the table does not begin at 0");
    assert!(ranges.windows(2).all(|two| two[0].1 == two[1].0), "ranges overlap or leave a gap");
    assert_eq!(ranges.last().map(|last| last.1), Some(places.len()), "objects got lost");
}

/// All threads take chunks over many borders between slabs. Each chunk is its owner's.
fn pool() {
    // Some come back for another one.
    let chunks = |thread: usize| 1 + usize::from(thread.is_multiple_of(4));
    let pool = Arc::new(Pool::new(CELLS, 1, 2 * THREADS as u32));
    let shared = pool.clone();
    let ids = fork(move |thread| {
        let take = |_| {
            let id = shared.allocate().expect("there is room");
            shared.chunk(id).count(0, 1 + thread as u32);
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

/// All threads raise a bound and claim from a cursor.
fn bound() {
    let shared = Arc::new((Bound::new(f64::NEG_INFINITY), Cursor::new()));
    let both = shared.clone();
    let claimed = fork(move |thread| {
        both.0.raise((thread * 37 % THREADS) as f64);
        both.1.take(3)
    });
    assert_eq!(shared.0.get(), (THREADS - 1) as f64, "the maximum was lost");
    let mut claimed = claimed;
    claimed.sort_unstable();
    assert!(claimed.into_iter().eq((0..THREADS).map(|claim| 3 * claim)), "claimed twice");
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
    pools_in_any_order: pool, Random;
    pools_by_priorities: pool, Priorities;
    bounds_and_cursors_in_any_order: bound, Random;
    bounds_and_cursors_by_priorities: bound, Priorities;
}

#[test]
fn planted_bugs_are_caught() {
    catches(Fault::PublishByStore, step, "one key, two chunks");
    catches(Fault::LoserMovesOn, step, "one key, two chunks");
    catches(Fault::CountTorn, step, "not a permutation");
    catches(Fault::PoolClaimTorn, pool, "handed out twice");
    catches(Fault::BoundTorn, bound, "the maximum was lost");
    catches(Fault::CursorTorn, bound, "claimed twice");
}
