//! Chunks with so many objects that all workers sort them together, and as many objects that have no level.

use crate::common::{Coordinate, Oracle, Rng, assert_same, grid_config, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, Config, Groups};

/// A chunk with more objects is sorted by all workers (`src/build/sort/crowd.rs`).
const CROWDED: usize = 1 << 12;

const CELL: f64 = 1.0;

fn engine<S: Coordinate, const D: usize>() -> BroadPhase<S, D> {
    let config: Config = grid_config().max_levels(1).exact_cell_size(CELL);
    BroadPhase::with_config(config).expect("a valid config")
}

/// A cube with this lower corner.
fn cube<S: Coordinate, const D: usize>(corner: [f64; D], edge: f64) -> Aabb<S, D> {
    Aabb::new(corner.map(S::of), corner.map(|x| S::of(x + edge)))
}

/// Cubes at random places of a box.
fn spread<S: Coordinate, const D: usize>(n: usize, low: [f64; D], high: [f64; D], edge: f64, rng: &mut Rng) -> Vec<Aabb<S, D>> {
    (0..n).map(|_| cube(std::array::from_fn(|axis| rng.within(low[axis], high[axis])), edge)).collect()
}

/// Compares steps with the oracle: each number of threads with a new engine and with one that is kept, so that the objects come
/// in the user's order and in the order of the last step; at the end some are gone.
#[track_caller]
fn check<S: Coordinate, const D: usize, T: Bounded<S, D> + Sync>(
    objects: &[T],
    what: &str,
    is_as_meant: impl Fn(&BroadPhase<S, D>),
) {
    let expected = Oracle::detect(objects);
    assert!(!expected.pairs.is_empty(), "{what}: there is nothing to find");
    let mut kept = engine();
    for threads in [1, 2, 3, 7] {
        let mut fresh = engine();
        assert_same(pool(threads).install(|| fresh.par_detect(objects)), &expected, &format_args!("{what}, {threads} threads"));
        is_as_meant(&fresh);
        let found = pool(threads).install(|| kept.par_detect(objects));
        assert_same(found, &expected, &format_args!("{what}, {threads} threads, kept"));
    }
    let fewer = &objects[..objects.len() - objects.len() / 5];
    let found = pool(3).install(|| kept.par_detect(fewer));
    assert_same(found, &Oracle::detect(fewer), &format_args!("{what}, some are gone"));
}

/// The numbers of objects where the path changes, and one with several pieces.
fn one_cell<S: Coordinate, const D: usize>() {
    for n in [CROWDED - 1, CROWDED, CROWDED + 1, 20_000] {
        let boxes: Vec<Aabb<S, D>> = spread(n, [0.0; D], [0.9; D], 0.01, &mut Rng(n as u64));
        check(&boxes, &format!("{n} in one cell"), |engine| {
            assert_eq!((engine.stats().chunks, engine.stats().occupied_cells), (1, 1));
        });
    }
}

#[test]
fn one_cell_in_space() {
    one_cell::<f32, 3>();
}

#[test]
fn one_cell_in_a_plane() {
    one_cell::<f64, 2>();
}

/// Two cells next to each other along each axis, their objects one after the other, and in turn.
#[test]
fn two_cells() {
    for axis in 0..3 {
        let rng = &mut Rng(axis as u64);
        let clump = |cell: f64, rng: &mut Rng, n: usize| {
            let low: [f64; 3] = std::array::from_fn(|other| if other == axis { cell + 0.05 } else { 0.05 });
            let mut boxes = spread::<f32, 3>(n, low, low.map(|x| x + 0.87), 0.03, rng);
            boxes.extend([cube(low, 0.03), cube(low.map(|x| x + 0.87), 0.03)]);
            boxes
        };
        let mut boxes = [clump(0.0, rng, 5000), clump(1.0, rng, 5000)].concat();
        // Some boxes of the first clump reach into the second.
        const REACH: f64 = 0.8;
        for bounds in boxes[..5000].iter_mut().step_by(10) {
            bounds.max[axis] = bounds.min[axis] + REACH as f32;
        }
        let is_as_meant = |engine: &BroadPhase<f32, 3>| {
            // Where exactly the cells' borders are is the planner's choice: a clump may have a cell more.
            let stats = engine.stats();
            assert!(stats.chunks == 1 && (2..=4).contains(&stats.occupied_cells), "{stats:?}");
        };
        check(&boxes, &format!("two cells along axis {axis}"), is_as_meant);
        rng.shuffle(&mut boxes);
        check(&boxes, &format!("two cells along axis {axis}, in turn"), is_as_meant);
    }
}

#[test]
fn spread_over_a_chunk() {
    for (n, edge) in [(8500, 0.15), (20_000, 0.1), (100_000, 0.03)] {
        let rng = &mut Rng(n as u64);
        let boxes = spread::<f32, 3>(n, [0.0; 3], [15.0, 3.0, 1.0], edge, rng);
        check(&boxes, &format!("{n} in one chunk"), |engine| {
            assert!(engine.stats().chunks == 1 && engine.stats().occupied_cells > 16, "{:?}", engine.stats());
        });
    }
}

/// Objects of several crowded chunks in random order: many short segments.
#[test]
fn crowded_chunks_in_turn() {
    let rng = &mut Rng(5);
    let mut boxes = Vec::new();
    for chunk in [-100.0, 0.0, 100.0] {
        boxes.extend(spread::<f32, 3>(9000, [chunk, 0.0, 0.0], [chunk + 0.9, 0.9, 0.9], 0.02, rng));
    }
    // Chunks that are not crowded among them.
    boxes.extend(spread::<f32, 3>(200, [-100.0; 3], [100.0; 3], 0.5, rng));
    rng.shuffle(&mut boxes);
    check(&boxes, "three crowded chunks in turn", |engine| assert!(engine.stats().chunks > 3));
}

/// Half of the objects fit no level: they are endless along an axis.
#[test]
fn half_are_oversized() {
    let rng = &mut Rng(11);
    let mut boxes = spread::<f32, 3>(20_000, [0.0; 3], [40.0; 3], 0.3, rng);
    for (index, bounds) in boxes.iter_mut().enumerate().skip(1).step_by(2) {
        let axis = index / 2 % 3;
        bounds.max[axis] = f32::INFINITY;
        for other in (0..3).filter(|other| *other != axis) {
            bounds.max[other] = bounds.min[other] + 0.01;
        }
    }
    check(&boxes, "half are oversized", |engine| assert_eq!(engine.stats().oversized, 10_000));
}

/// Half of the objects are no boxes.
#[test]
fn half_are_rejected() {
    let rng = &mut Rng(12);
    let mut boxes = spread::<f32, 3>(20_000, [0.0; 3], [40.0; 3], 1.0, rng);
    for (index, bounds) in boxes.iter_mut().enumerate().skip(1).step_by(2) {
        match index % 3 {
            0 => bounds.min[index % 3] = f32::NAN,
            _ => std::mem::swap(&mut bounds.min, &mut bounds.max),
        }
    }
    check(&boxes, "half are rejected", |engine| assert_eq!(engine.stats().rejected, 10_000));
}

struct Grouped(Aabb<f32, 3>, Groups);

impl Bounded<f32, 3> for Grouped {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.0
    }
    fn groups(&self) -> Groups {
        self.1
    }
    /// For the oracle, which does not know groups.
    fn pairs_with(&self, other: &Self) -> bool {
        self.1.mask & other.1.member != 0 && other.1.mask & self.1.member != 0
    }
}

/// Groups go with their objects, in crowded chunks, among the oversized and elsewhere.
#[test]
fn groups_in_a_crowd() {
    let rng = &mut Rng(13);
    let mut boxes = spread::<f32, 3>(12_000, [0.0; 3], [0.9; 3], 0.05, rng);
    boxes.extend(spread::<f32, 3>(3000, [-20.0; 3], [20.9; 3], 0.9, rng));
    for bounds in boxes.iter_mut().step_by(50) {
        bounds.max[2] = f32::INFINITY;
    }
    rng.shuffle(&mut boxes);
    let mut group = || Groups::new(1 << rng.below(3), 1 << rng.below(3) | 1 << rng.below(3));
    let objects: Vec<Grouped> = boxes.into_iter().map(|bounds| Grouped(bounds, group())).collect();
    check(&objects, "groups in a crowd", |engine| assert!(engine.stats().oversized >= 300));
}
