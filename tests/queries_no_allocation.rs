//! Once the caller's vectors are large enough, no question allocates.
//!
//! The allocator of this test binary counts for a thread that enlisted, as in `no_allocation.rs`.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;

use common::{Placement, Rng, Scene, Sizes, grid_engine};
use pivotgrid::{Aabb, Ball, Hit, Neighbor, Queries, Ray, Sweep};

thread_local! {
    /// Constant and without a destructor: reading it allocates nothing, also while a thread begins or ends.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to `System` unchanged; the counting touches no memory but its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do; `size` is the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[derive(Default)]
struct Buffers {
    found: Vec<u32>,
    hits: Vec<Hit<f32>>,
    near: Vec<Neighbor<f32>>,
}

/// Asks one question of each kind around a point. Returns how much was found.
fn ask(queries: Queries<'_, f32, 3>, point: [f32; 3], buffers: &mut Buffers) -> usize {
    let Buffers { found, hits, near } = buffers;
    let mut count = 0;
    queries.overlapping(&Aabb::around(point, [4.0; 3]), found);
    count += found.len();
    queries.containing(point, found);
    count += found.len();
    let ray = Ray::new(point, [0.3, -1.0, 0.1]);
    queries.ray_hits(&ray, hits);
    count += hits.len() + usize::from(queries.first_hit(&ray).is_some());
    let sweep = Sweep::new(Aabb::around(point, [1.0; 3]), [20.0, 5.0, -3.0]);
    queries.sweep_hits(&sweep, hits);
    count += hits.len() + usize::from(queries.first_contact(&sweep).is_some());
    queries.within(&Ball::new(point, 5.0), near);
    count += near.len();
    queries.nearest(point, 12, near);
    count += near.len();
    let visited = queries.visit_overlapping(&Aabb::around(point, [9.0; 3]), ControlFlow::Break);
    count + usize::from(visited.is_break())
}

#[test]
fn warm_buffers_are_enough() {
    let scene = Scene { n: 3000, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 120.0, origin: 0.0, seed: 1 };
    let mut engine = grid_engine();
    engine.detect(&scene.boxes::<f32, 3>());
    let rng = &mut Rng(2);
    let points: Vec<[f32; 3]> = (0..200).map(|_| std::array::from_fn(|_| rng.within(-90.0, 90.0) as f32)).collect();

    let mut buffers = Buffers::default();
    let mut ask_all = || points.iter().map(|&point| ask(engine.queries(), point, &mut buffers)).sum::<usize>();
    let found = ask_all();
    let before = COUNT.get();
    assert_eq!(ask_all(), found);
    assert_eq!(COUNT.get() - before, 0, "allocations");
    assert!(before > 0 && found > 4_000, "{found} found, {before} allocations before");
}
