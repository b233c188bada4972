//! A steady world allocates nothing: neither its steps, nor moving, removing and inserting objects between them.
//!
//! The allocator of this test binary counts for the test that enlisted a thread, as in `no_allocation.rs`.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::Rng;
use pivotgrid::{Aabb, Config, Handle, Object, World};
use rayon::{ThreadPool, ThreadPoolBuilder};

thread_local! {
    /// Constant and without a destructor: reading it allocates nothing, also while a thread begins or ends.
    static COUNT: Cell<Option<&'static AtomicUsize>> = const { Cell::new(None) };
}

struct Counting;

fn count() {
    if let Some(count) = COUNT.get() {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to `System` unchanged; the counting touches no memory but its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do; `size` is the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// A pool whose threads count, after it has run some joins: a thread's first turn at stealing is rayon's allocation, not ours.
fn counting_pool(count: &'static AtomicUsize, threads: usize) -> ThreadPool {
    let enlist = move |_| COUNT.set(Some(count));
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(enlist).build().expect("a thread pool");
    fn fork(depth: usize) {
        match depth {
            0 => std::thread::sleep(std::time::Duration::from_micros(50)),
            _ => drop(rayon::join(|| fork(depth - 1), || fork(depth - 1))),
        }
    }
    pool.install(|| fork(9));
    pool.broadcast(|_| ());
    pool
}

/// A world in which moving objects swing between two places.
struct Swing {
    world: World<f32, 3>,
    moving: Vec<(Handle, [Aabb<f32, 3>; 2])>,
}

const WARM_UP: usize = 6;
const MEASURED: usize = 20;

impl Swing {
    fn new(moving: usize, statics: usize, margin: f32) -> Self {
        let rng = &mut Rng(7);
        let edge = 2.0 * ((moving + statics) as f64).cbrt();
        let mut aabb = || {
            let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, edge) as f32);
            Aabb::around(center, [rng.within(0.3, 0.9) as f32; 3])
        };
        let mut world = World::with_config(Config::default(), margin).expect("valid settings");
        for _ in 0..statics {
            world.insert(Object::new_static(aabb()));
        }
        let moving = (0..moving)
            .map(|_| {
                let here = aabb();
                let there = Aabb { min: here.min.map(|bound| bound + 0.4), max: here.max.map(|bound| bound + 0.4) };
                (world.insert(Object::new_moving(here)), [here, there])
            })
            .collect();
        Swing { world, moving }
    }

    /// Moves all, replaces some, and takes a step.
    fn step(&mut self, number: usize) {
        for (handle, places) in &self.moving {
            self.world.set_aabb(*handle, places[number % 2]).expect("it is there");
        }
        for (handle, places) in self.moving.iter_mut().step_by(97) {
            self.world.remove(*handle).expect("it is there");
            *handle = self.world.insert(Object::new_moving(places[number % 2]));
        }
        let events = self.world.par_step();
        assert!(number == 0 || !(events.started.is_empty() || events.ongoing.is_empty() || events.ended.is_empty()));
    }
}

fn allocates_nothing(threads: usize, moving: usize, statics: usize, margin: f32) {
    let count: &'static AtomicUsize = Box::leak(Box::default());
    let pool = counting_pool(count, threads);
    let mut swing = Swing::new(moving, statics, margin);
    let counted: [usize; WARM_UP + MEASURED] = pool.install(|| {
        std::array::from_fn(|number| {
            let before = count.load(Ordering::Relaxed);
            swing.step(number);
            count.load(Ordering::Relaxed) - before
        })
    });
    assert!(counted[0] > 0, "the counter counts");
    assert_eq!(counted[WARM_UP..], [0; MEASURED], "{threads} threads, {moving} moving, {statics} static: {counted:?}");
}

#[test]
fn on_one_thread() {
    allocates_nothing(1, 6000, 6000, 0.0);
    allocates_nothing(1, 500, 20_000, 0.05);
}

#[test]
fn on_two_threads() {
    allocates_nothing(2, 6000, 6000, 0.05);
    allocates_nothing(2, 500, 20_000, 0.0);
}

#[test]
fn on_four_threads() {
    allocates_nothing(4, 6000, 6000, 0.0);
}
