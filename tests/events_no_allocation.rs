//! An update of a scene that no longer grows allocates nothing. (The technique is explained in `no_allocation.rs`; an allocator
//! belongs to a whole test binary, so there are two of them.)

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Rng, Scene, grid_engine};
use pivotgrid::{Aabb, Pair, PairTracker};
use rayon::{ThreadPool, ThreadPoolBuilder};

thread_local! {
    /// Where this thread's allocations are counted, if anywhere.
    static COUNTER: Cell<Option<&'static AtomicUsize>> = const { Cell::new(None) };
}

struct Counting;

impl Counting {
    fn count() {
        if let Some(counter) = COUNTER.get() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to `System` unchanged; counting touches no memory but the counter.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do; `size` is the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// A counter for this test, with the calling thread enlisted.
fn counter() -> &'static AtomicUsize {
    let counter: &'static AtomicUsize = Box::leak(Box::default());
    COUNTER.set(Some(counter));
    counter
}

/// A pool whose threads are enlisted and have had their first turn at stealing, which allocates inside of rayon.
fn enlisted_pool(counter: &'static AtomicUsize, threads: usize) -> ThreadPool {
    let enlist = move |_| COUNTER.set(Some(counter));
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(enlist).build().expect("a thread pool");
    fn fork(depth: usize) {
        if depth > 0 {
            rayon::join(|| fork(depth - 1), || fork(depth - 1));
        } else {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
    }
    pool.install(|| fork(9));
    pool.broadcast(|_| ());
    pool
}

const OBJECTS: usize = 20_000;
const WARM_UP: usize = 4;
const MEASURED: usize = 20;

/// Two states that a scene swings between.
fn swing() -> [Vec<Aabb<f32, 3>>; 2] {
    let (sizes, placement) = (common::Sizes::Mono, common::Placement::Uniform);
    let boxes = Scene { n: OBJECTS, sizes, placement, extent: 40.0, origin: 0.0, seed: 9 }.boxes::<f32, 3>();
    let moved = boxes.iter().enumerate().map(|(index, aabb)| aabb.with_margin(-0.03 * (index % 5) as f32)).collect();
    [boxes, moved]
}

/// Takes steps and updates with this many threads, and with keys by step and index.
fn assert_no_allocation<K: Copy + Ord + Send + Sync>(threads: usize, margin: f32, key: impl Fn(usize, u32) -> K + Sync) {
    let counter = counter();
    let pool = enlisted_pool(counter, threads);
    let tight = swing();
    let loose = tight.each_ref().map(|boxes| boxes.iter().map(|aabb| aabb.with_margin(margin)).collect::<Vec<_>>());
    let mut engine = grid_engine::<f32, 3>();
    let mut tracker = PairTracker::new();
    let mut counted = [0; WARM_UP + MEASURED];
    // Inside of the pool, because the way in allocates.
    pool.install(|| {
        for (step, counted) in counted.iter_mut().enumerate() {
            let (tight, pairs) = (&tight[step % 2], engine.par_detect(&loose[step % 2]));
            let touches = |pair: Pair| tight[pair.a as usize].overlaps(&tight[pair.b as usize]);
            let before = counter.load(Ordering::Relaxed);
            let events = match threads {
                1 => tracker.update_with_margin(pairs, |index| key(step % 2, index), touches),
                _ => tracker.par_update_with_margin(pairs, |index| key(step % 2, index), touches),
            };
            let (started, ended) = (events.started.len(), events.ended.len());
            *counted = counter.load(Ordering::Relaxed) - before;
            assert!(started + ended > 0, "nothing happened in step {step}");
        }
    });
    assert!(counted[0] > 0, "the counter counts");
    assert_eq!(counted[WARM_UP..], [0; MEASURED], "{threads} threads, margin {margin}");
}

#[test]
fn indices_as_keys() {
    for threads in [1, 2, 4] {
        assert_no_allocation(threads, 0.0, |_, index| index);
        assert_no_allocation(threads, 0.02, |_, index| index);
    }
}

#[test]
fn keys_in_no_order() {
    let mut keys: Vec<u64> = (0..OBJECTS as u64).collect();
    Rng(4).shuffle(&mut keys);
    for threads in [1, 2, 4] {
        assert_no_allocation(threads, 0.02, |_, index| keys[index as usize]);
    }
}

/// A part of the objects goes and others come in their place, again and again.
#[test]
fn keys_that_change() {
    let mut keys: Vec<u64> = (0..OBJECTS as u64).collect();
    Rng(5).shuffle(&mut keys);
    for threads in [1, 2, 4] {
        let changing = |phase: usize, index: u32| (keys[index as usize], if index.is_multiple_of(3) { phase } else { 0 });
        assert_no_allocation(threads, 0.0, changing);
    }
}
