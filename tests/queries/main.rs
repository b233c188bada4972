//! Queries against brute force: every scene, every kind of query, every way to make it.

#[path = "../common/mod.rs"]
mod common;

mod brute;
mod check;
mod filters;
mod generate;
mod periodic;
mod situations;
mod statics;
mod worlds;

use brute::Brute;
use check::check_all;
use common::{Coordinate, Placement, Rng, Scene, Sizes, configs, grid_config, pool};
use generate::QuerySet;
use pivotgrid::{Aabb, Ball, BroadPhase, Config};
use proptest::prelude::*;
use scenes::World;

/// Builds the scene and makes all queries.
fn check<S: Coordinate, const D: usize>(config: Config, boxes: &[Aabb<S, D>], seed: u64, count: usize, what: &str) {
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a valid config");
    engine.par_detect(boxes);
    let set = QuerySet::new(&mut Rng(seed), boxes, count);
    check_all(engine.queries(), &Brute::new(boxes), &set, what);
}

fn world<S: Coordinate + scenes::Scalar, const D: usize>(scene: scenes::Scene, n: usize, seed: u64) -> Vec<Aabb<S, D>> {
    World::<S, D>::new(scene, n, seed).boxes().iter().map(|b| Aabb::new(b.min, b.max)).collect()
}

#[test]
fn the_shared_scenes() {
    for (seed, scene) in scenes::Scene::ALL.into_iter().enumerate() {
        let seed = seed as u64;
        check(Config::default(), &world::<f32, 3>(scene, 1500, seed), seed, 60, &format!("{scene} f32 3D"));
        check(Config::default(), &world::<f64, 3>(scene, 700, seed + 100), seed + 1, 40, &format!("{scene} f64 3D"));
        if scene.dimensions().contains(&2) {
            check(Config::default(), &world::<f32, 2>(scene, 700, seed + 200), seed + 2, 40, &format!("{scene} f32 2D"));
            check(Config::default(), &world::<f64, 2>(scene, 1500, seed + 300), seed + 3, 60, &format!("{scene} f64 2D"));
        }
    }
}

/// Infinite, invalid and far-away objects among the others.
fn spoiled<S: Coordinate, const D: usize>(mut boxes: Vec<Aabb<S, D>>, rng: &mut Rng) -> Vec<Aabb<S, D>> {
    let (infinite, nan) = (S::of(f64::INFINITY), S::of(f64::NAN));
    let minus = S::of(f64::NEG_INFINITY);
    for kind in 0..8 {
        let (at, axis) = (rng.below(boxes.len().max(1)), rng.below(D));
        let Some(bounds) = boxes.get_mut(at) else { break };
        match kind {
            0 => bounds.max[axis] = infinite,
            1 => *bounds = Aabb { min: [minus; D], max: [infinite; D] },
            2 => bounds.min[axis] = nan,
            3 => (bounds.min[axis], bounds.max[axis]) = (S::of(9.0), S::of(8.0)),
            4 => (bounds.min[axis], bounds.max[axis]) = (S::of(1e30), S::of(1.1e30)),
            5 => (bounds.min[axis], bounds.max[axis]) = (infinite, infinite),
            6 => *bounds = Aabb { min: [S::of(-1e9); D], max: [S::of(-0.99e9); D] },
            _ => (bounds.min[axis], bounds.max[axis]) = (minus, minus),
        }
    }
    boxes
}

#[test]
fn every_configuration() {
    let scene = Scene { n: 250, sizes: Sizes::Poly, placement: Placement::Clustered, extent: 150.0, origin: 3.0, seed: 5 };
    for (number, config) in configs().into_iter().enumerate() {
        let what = format!("{config:?}");
        let rng = &mut Rng(number as u64);
        check(config.clone(), &scene.boxes::<f32, 3>(), number as u64, 30, &what);
        check(config.clone(), &spoiled(scene.boxes::<f32, 2>(), rng), number as u64, 30, &what);
        check(config, &spoiled(scene.boxes::<f64, 3>(), rng), number as u64, 30, &what);
    }
}

fn a_scene() -> impl Strategy<Value = Scene> {
    let sizes = prop_oneof![Just(Sizes::Mono), Just(Sizes::Poly), Just(Sizes::Hyper), Just(Sizes::LongAndFlat)];
    let placement = prop_oneof![
        Just(Placement::Uniform),
        Just(Placement::Clustered),
        Just(Placement::Line),
        Just(Placement::Plane),
        Just(Placement::Point),
        Just(Placement::Lattice),
    ];
    let extent = prop_oneof![Just(10.0), Just(60.0), Just(1e3), Just(1e7)];
    let origin = prop_oneof![3 => Just(0.0), 1 => Just(-37.25), 1 => Just(1e5)];
    (0..300usize, sizes, placement, extent, origin, any::<u64>()).prop_map(|(n, sizes, placement, extent, origin, seed)| Scene {
        n,
        sizes,
        placement,
        extent,
        origin,
        seed,
    })
}

fn a_config() -> impl Strategy<Value = Config> {
    let cell_size = prop_oneof![Just(1e-3), Just(0.1), Just(1.0 / 3.0), Just(1.0), Just(8.0), Just(1e6)];
    let grid = (cell_size, 1..8usize).prop_map(|(cell, levels)| grid_config().max_levels(levels).exact_cell_size(cell));
    prop_oneof![1 => Just(Config::default()), 2 => Just(grid_config()), 3 => grid]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_scene_and_any_query(scene in a_scene(), config in a_config(), seed in any::<u64>(), spoil in any::<bool>()) {
        let rng = &mut Rng(seed);
        let mut check_one = |dimensions: usize| match dimensions {
            0 => check(config.clone(), &maybe(spoil, scene.boxes::<f32, 2>(), rng), seed, 12, "f32 2D"),
            1 => check(config.clone(), &maybe(spoil, scene.boxes::<f32, 3>(), rng), seed, 12, "f32 3D"),
            2 => check(config.clone(), &maybe(spoil, scene.boxes::<f64, 2>(), rng), seed, 12, "f64 2D"),
            _ => check(config.clone(), &maybe(spoil, scene.boxes::<f64, 3>(), rng), seed, 12, "f64 3D"),
        };
        (0..4).for_each(&mut check_one);
    }
}

fn maybe<S: Coordinate, const D: usize>(spoil: bool, boxes: Vec<Aabb<S, D>>, rng: &mut Rng) -> Vec<Aabb<S, D>> {
    if spoil { spoiled(boxes, rng) } else { boxes }
}

/// Many first hits are looked for in another order than the one in which they were asked for.
#[test]
fn many_first_hits_come_in_the_order_of_the_queries() {
    fn check<S: Coordinate + scenes::Scalar, const D: usize>(scene: scenes::Scene, threads: usize) {
        let boxes = world::<S, D>(scene, 3000, 5);
        let set = QuerySet::new(&mut Rng(6), &boxes, 5000);
        let mut engine = BroadPhase::<S, D>::new();
        engine.detect(&boxes);
        let queries = engine.queries();
        let (mut hits, mut contacts) = (Vec::new(), Vec::new());
        pool(threads).install(|| {
            queries.par_first_hits(&set.rays, &mut hits);
            queries.par_first_contacts(&set.sweeps, &mut contacts);
        });
        assert!(hits.iter().copied().eq(set.rays.iter().map(|ray| queries.first_hit(ray))), "{scene}");
        assert!(contacts.iter().copied().eq(set.sweeps.iter().map(|sweep| queries.first_contact(sweep))), "{scene}");
    }
    check::<f32, 3>(scenes::Scene::Clustered, 1);
    check::<f64, 2>(scenes::Scene::Uniform, 3);
}

/// Neither the threads that search nor those that built the grid make a difference.
#[test]
fn batches_are_the_same_on_every_pool() {
    let boxes = world::<f32, 3>(scenes::Scene::Koch, 4000, 7);
    let set = QuerySet::new(&mut Rng(8), &boxes, 700);
    let mut expected = None;
    for threads in [1, 2, 5] {
        pool(threads).install(|| {
            let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).expect("a valid config");
            engine.par_detect(&boxes);
            let found = check::batches(engine.queries(), &set);
            assert_eq!(&found, expected.get_or_insert_with(|| found.clone()), "{threads} threads");
        });
    }
}

/// Coordinates whose differences overflow, with cells so large that multiples of them do.
#[test]
fn near_the_greatest_numbers() {
    let boxes = [Aabb::new([-1e19, f64::MAX], [3.0, f64::INFINITY]), Aabb::new([1e-30, -f64::MAX], [f64::MAX, 1e30])];
    let mut engine = BroadPhase::<f64, 2>::with_config(Config::default().all_pairs_up_to(1).cell_size(1157.5)).unwrap();
    engine.detect(&boxes);
    let mut found = Vec::new();
    engine.queries().within(&Ball::new([0.0, f64::MAX], 1e19), &mut found);
    assert_eq!(found.iter().map(|neighbor| neighbor.index).collect::<Vec<_>>(), [0]);
    assert!(
        engine
            .debug_view()
            .cells()
            .all(|cell| cell.bounds.overlaps(&cell.bounds) && cell.bounds.min.iter().all(|x| *x < f64::INFINITY))
    );

    fn scene<S: Coordinate, const D: usize>(max: f64, rng: &mut Rng) -> Vec<Aabb<S, D>> {
        let special = [max, max / 2.0, max * 0.75, max / 1e6, 1e30, 1e19, 3.0, 1e-30, 0.0];
        let mut number = || {
            let x = special[rng.below(special.len())] * [1.0, 1.0, 0.999][rng.below(3)];
            S::of(if rng.below(2) == 0 { x } else { -x })
        };
        let mut a_box = |_| {
            let corners: [[S; D]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| number()));
            let pick = |one: S, other: S, lower: bool| if (one < other) == lower { one } else { other };
            let side = |lower| std::array::from_fn(|axis| pick(corners[0][axis], corners[1][axis], lower));
            Aabb { min: side(true), max: side(false) }
        };
        (0..12).map(&mut a_box).collect()
    }
    let rng = &mut Rng(77);
    for seed in 0..60 {
        let size = [1157.5, 1e-3, 1e18, 1e30][seed as usize % 4];
        let config = grid_config().all_pairs_up_to(1).cell_size(size);
        let max = f64::from(f32::MAX);
        check(config.clone(), &scene::<f32, 2>(max, rng), seed, 30, &format!("f32 2D {seed}"));
        check(config.clone(), &scene::<f32, 3>(max, rng), seed, 30, &format!("f32 3D {seed}"));
        check(config.clone(), &scene::<f64, 2>(f64::MAX, rng), seed, 30, &format!("f64 2D {seed}"));
        check(grid_config(), &scene::<f64, 3>(f64::MAX, rng), seed, 30, &format!("f64 3D {seed}"));
    }
}
