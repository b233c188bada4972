//! A search in a scene that no longer grows allocates nothing, on any number of threads.
//!
//! The allocator of this test binary counts per test: a thread counts for the test that enlisted it.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use common::Rng;
use pivotgrid::{Ball, Neighbours};
use rayon::{ThreadPool, ThreadPoolBuilder};

#[derive(Default)]
struct Account {
    allocations: AtomicUsize,
    live_bytes: AtomicIsize,
}

thread_local! {
    /// Constant and without a destructor: reading it allocates nothing, also while a thread begins or ends.
    static ACCOUNT: Cell<Option<&'static Account>> = const { Cell::new(None) };
}

struct Counting;

impl Counting {
    fn book(allocations: usize, bytes: isize) {
        if let Some(account) = ACCOUNT.get() {
            account.allocations.fetch_add(allocations, Ordering::Relaxed);
            account.live_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to `System` unchanged; the bookkeeping around it touches no memory but its own counters.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::book(1, layout.size() as isize);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::book(1, layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::book(1, size as isize - layout.size() as isize);
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do; `size` is the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::book(0, -(layout.size() as isize));
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

impl Account {
    /// An account for this test, with the calling thread enlisted. Leaked, since threads may outlive the test.
    fn open() -> &'static Account {
        let account: &'static Account = Box::leak(Box::default());
        ACCOUNT.set(Some(account));
        account
    }

    /// A pool whose threads count for this account, after it has run some joins: a thread's first turn at stealing registers it
    /// with crossbeam's epochs, which is rayon's allocation and not ours.
    fn pool(&'static self, threads: usize) -> ThreadPool {
        let enlist = move |_| ACCOUNT.set(Some(self));
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

    fn allocations(&self) -> usize {
        self.allocations.load(Ordering::Relaxed)
    }
}

/// Balls of mixed sizes that swing between two places, so that the first two steps have seen all there is.
fn swing(n: usize) -> [Vec<Ball<f32, 3>>; 2] {
    let rng = &mut Rng(77);
    let edge = 2.2 * (n as f64).cbrt();
    let mut phases = [Vec::new(), Vec::new()];
    for index in 0..n {
        let radius = if index % 500 == 0 { 12.0 } else { rng.within(0.3, 0.9) } as f32;
        let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
        let away: [f32; 3] = std::array::from_fn(|axis| center[axis] + radius * rng.within(-0.3, 0.3) as f32);
        phases[0].push(Ball::new(center, radius));
        phases[1].push(Ball::new(away, radius));
    }
    phases
}

/// Takes steps and panics if one of those after the first two allocated.
#[track_caller]
fn assert_no_allocation(account: &Account, context: &str, mut step: impl FnMut(usize)) {
    let counted: [usize; 18] = std::array::from_fn(|number| {
        let before = account.allocations();
        step(number);
        account.allocations() - before
    });
    assert_eq!(counted[2..], [0; 16], "{context}, by step {counted:?}");
}

fn check(threads: usize) {
    let account = Account::open();
    let pool = account.pool(threads);
    let balls = swing(12_000);
    let points = balls.each_ref().map(|balls| balls.iter().map(|ball| ball.center).collect::<Vec<_>>());
    for (half, sorted) in [(false, false), (true, false), (false, true), (true, true)] {
        let context = format!("{threads} threads, half {half}, sorted {sorted}");
        let new = || Neighbours::<f32, 3>::new().half(half).sorted(sorted);
        let (mut touching, mut within) = (new(), new());
        // Inside of `install`: entering a pool from outside goes through a queue that rayon allocates as it goes.
        pool.install(|| {
            assert_no_allocation(account, &context, |step| {
                assert!(!touching.par_touching(&balls[step % 2]).indices().is_empty())
            });
            assert_no_allocation(account, &context, |step| assert!(!within.par_within(&points[step % 2], 2.5).is_empty()));
        });
    }
}

#[test]
fn nothing_on_one_thread() {
    check(1);
}

#[test]
fn nothing_on_two_threads() {
    check(2);
}

#[test]
fn nothing_on_five_threads() {
    check(5);
}

#[test]
fn nothing_in_small_and_bad_scenes() {
    let account = Account::open();
    for n in [0, 1, 2, 50, 700] {
        let mut balls = swing(n);
        if let Some(ball) = balls[0].get_mut(n / 2) {
            ball.radius = f32::NAN;
        }
        let mut neighbours = Neighbours::<f32, 3>::new();
        assert_no_allocation(account, &format!("{n} balls"), |step| {
            neighbours.par_touching(&balls[step % 2]);
        });
    }
}

/// `stats().bytes` is what is really held, within a tenth; and it is given back when asked for.
#[test]
fn memory_is_known_and_given_back() {
    let account = Account::open();
    let live = || account.live_bytes.load(Ordering::Relaxed);
    let balls = swing(20_000);
    let held = live();
    let mut neighbours = Neighbours::<f32, 3>::new();
    for step in 0..3 {
        neighbours.touching(&balls[step % 2]);
        let (live, told) = ((live() - held) as f64, neighbours.stats().bytes as f64);
        assert!((0.9..=1.1).contains(&(told / live)), "step {step}: told {told}, live {live}");
    }
    let full = live() - held;
    neighbours.touching(&balls[0][..10]);
    neighbours.shrink_to_fit();
    assert!(live() - held < full / 10, "{} of {full} bytes left", live() - held);
    drop(neighbours);
    assert_eq!(live(), held, "something is left");
}
