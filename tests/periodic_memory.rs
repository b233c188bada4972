//! A step in a periodic domain allocates nothing once the scene has stopped growing, and knows what it holds.
//!
//! In a binary of its own, for its allocator: it counts what the threads do that take part in the test.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use common::Rng;
use pivotgrid::{Aabb, Periodic};
use rayon::ThreadPoolBuilder;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    /// Constant and without a destructor: reading it allocates nothing.
    static TAKES_PART: Cell<bool> = const { Cell::new(false) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn book(allocations: usize, bytes: isize) {
    if TAKES_PART.get() {
        ALLOCATIONS.fetch_add(allocations, Ordering::Relaxed);
        LIVE_BYTES.fetch_add(bytes, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to `System` unchanged; the bookkeeping touches no memory but its own counters. (`alloc_zeroed` and
// `realloc` are the trait's own, which call these two.)
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        book(1, layout.size() as isize);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        book(0, -(layout.size() as isize));
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The objects swing between two places, some of them across the border, so that two steps have seen all there is.
fn phases(n: usize) -> [Vec<Aabb<f32, 3>>; 2] {
    let (rng, edge) = (&mut Rng(5), 2.2 * (n as f64).cbrt());
    let mut phases = [Vec::new(), Vec::new()];
    for _ in 0..n {
        let half = rng.within(0.3, 0.9) as f32;
        let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
        let away: [f32; 3] = std::array::from_fn(|axis| center[axis] + half * rng.within(-0.3, 0.3) as f32);
        phases[0].push(Aabb::around(center, [half; 3]));
        phases[1].push(Aabb::around(away, [half; 3]));
    }
    phases[0][n / 2].min[0] = f32::NAN;
    phases
}

/// All in one test: others would be counted as well.
#[test]
fn a_steady_scene_allocates_nothing() {
    TAKES_PART.set(true);
    let n = 20_000;
    let (phases, edge) = (phases(n), 2.2 * (n as f32).cbrt());
    for threads in [1, 2, 4] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| TAKES_PART.set(true)).build().unwrap();
        // From inside of the pool: entering it allocates, in rayon. So does a thread's first turn at stealing.
        pool.install(|| {
            fn fork(depth: usize) {
                match depth {
                    0 => std::thread::sleep(std::time::Duration::from_micros(50)),
                    _ => drop(rayon::join(|| fork(depth - 1), || fork(depth - 1))),
                }
            }
            fork(9);
            let held = LIVE_BYTES.load(Ordering::Relaxed);
            let mut periodic = Periodic::<f32, 3>::new(Aabb::new([0.0; 3], [edge; 3]), [true; 3]).unwrap();
            for step in 0..14 {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                let pairs = periodic.par_detect(&phases[step % 2]);
                assert_eq!(pairs.rejected().len(), 1 - step % 2);
                assert!(pairs.iter().any(|pair| pair.shift != [0; 3]));
                let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
                assert!(step < 2 || allocated == 0, "{allocated} allocations in step {step} on {threads} threads");
            }
            let held = (LIVE_BYTES.load(Ordering::Relaxed) - held) as f64;
            let told = periodic.stats().bytes as f64;
            assert!((0.9..=1.1).contains(&(told / held)), "tells {told} bytes, holds {held}");

            periodic.detect(&phases[0][..10]);
            periodic.shrink_to_fit();
            assert!(periodic.stats().bytes < told as usize / 10, "gives memory back");
            assert!(!periodic.detect(&phases[1]).is_empty());
        });
    }
}
