//! Any scene, any configuration, any number of threads, any history of the engine: the pairs are the oracle's.
//!
//! A failing case prints a few numbers (a configuration and the descriptions of the scenes), shrunk by proptest; paste them
//! into a test of their own to keep them.

use std::collections::BTreeSet;

use crate::common::{Coordinate, Oracle, Placement, Rng, Scene, Sizes, difference, grid_config, pool};
use pivotgrid::{Aabb, BroadPhase, Config, CrossPair, StaticSet};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// No persistence: the printed case is all there is to a failure, and files beside the tests go stale.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn a_scene(most: usize) -> impl Strategy<Value = Scene> {
    let sizes = prop_oneof![Just(Sizes::Mono), Just(Sizes::Poly), Just(Sizes::Hyper), Just(Sizes::LongAndFlat)];
    let placement = prop_oneof![
        3 => Just(Placement::Uniform),
        3 => Just(Placement::Clustered),
        2 => Just(Placement::Line),
        2 => Just(Placement::Plane),
        1 => Just(Placement::Point), // all pairs of all objects: a slow one
        3 => Just(Placement::Lattice),
    ];
    // From everything on top of each other to loners; around the origin and far from it, where f32 has few digits left.
    let extent = prop_oneof![Just(10.0), Just(60.0), Just(1e3), Just(1e7)];
    let origin = prop_oneof![3 => Just(0.0), 1 => Just(-37.25), 1 => Just(1e5)];
    // Many scenes around the sizes at which the engine changes its ways: few objects, one chunk's worth, some more.
    let n = prop_oneof![1 => 0..5usize, 2 => 5..100usize, 2 => 100..most];
    (n, sizes, placement, extent, origin, any::<u64>()).prop_map(|(n, sizes, placement, extent, origin, seed)| Scene {
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
    let cell_size = prop_oneof![2 => Just(None), 3 => cell_size.prop_map(Some)];
    let max_levels = prop_oneof![2 => Just(8usize), 1 => Just(1), 1 => 2..8usize];
    let grid = (cell_size, max_levels).prop_map(|(cell_size, max_levels)| {
        let config = grid_config().max_levels(max_levels);
        cell_size.map_or(config.clone(), |edge| config.exact_cell_size(edge))
    });
    prop_oneof![1 => Just(Config::default()), 4 => grid]
}

/// One step each way on the same engine.
fn step<S: Coordinate, const D: usize>(engine: &mut BroadPhase<S, D>, threads: usize, boxes: &[Aabb<S, D>]) -> TestCaseResult {
    let expected = Oracle::detect(boxes);
    if let Some(wrong) = difference(pool(threads).install(|| engine.par_detect(boxes)), &expected) {
        return Err(TestCaseError::fail(format!("par_detect on {threads} threads, {} boxes:\n{wrong}", boxes.len())));
    }
    let (objects, pairs) = (engine.stats().objects, engine.stats().pairs);
    prop_assert_eq!((objects, pairs), (boxes.len(), expected.pairs.len()), "stats().objects and pairs");
    if let Some(wrong) = difference(engine.detect(boxes), &expected) {
        return Err(TestCaseError::fail(format!("detect, {} boxes:\n{wrong}", boxes.len())));
    }
    Ok(())
}

/// What a simulation does to its objects between two steps.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Everything by up to this part of its size.
    Move(f64),
    /// New ones at the end, from the same scene.
    Insert(usize),
    /// The last one takes the place of a removed one, as `swap_remove` does; indices change their meaning.
    Remove(usize),
    Permute,
    /// One object grows over everything else.
    Inflate,
    Nothing,
}

fn a_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => prop_oneof![Just(0.2), Just(3.0), Just(1e3)].prop_map(Change::Move),
        2 => (1..200usize).prop_map(Change::Insert),
        2 => (1..200usize).prop_map(Change::Remove),
        1 => Just(Change::Permute),
        1 => Just(Change::Inflate),
        1 => Just(Change::Nothing),
    ]
}

fn apply<S: Coordinate, const D: usize>(change: Change, boxes: &mut Vec<Aabb<S, D>>, scene: &Scene, rng: &mut Rng) {
    match change {
        Change::Move(part) => {
            for aabb in boxes {
                for axis in 0..D {
                    let (low, high): (f64, f64) = (aabb.min[axis].into(), aabb.max[axis].into());
                    let shift = part * (high - low) * rng.within(-1.0, 1.0);
                    (aabb.min[axis], aabb.max[axis]) = (S::of(low + shift), S::of(high + shift));
                }
            }
        }
        Change::Insert(count) => boxes.extend((0..count).map(|_| scene.object(rng.below(1 << 20)))),
        Change::Remove(count) => {
            for _ in 0..count.min(boxes.len()) {
                boxes.swap_remove(rng.below(boxes.len()));
            }
        }
        Change::Permute => rng.shuffle(boxes),
        Change::Inflate if boxes.is_empty() => {}
        Change::Inflate => {
            let index = rng.below(boxes.len());
            boxes[index] = Aabb { min: [S::of(-1e8); D], max: [S::of(1e8); D] };
        }
        Change::Nothing => {}
    }
}

macro_rules! in_each_space {
    ($($space:ident: $scalar:ty, $dimension:literal;)*) => { $(
        mod $space {
            use super::*;

            proptest! {
                #![proptest_config(cases(100))]

                /// The scene changes completely from step to step; the engine keeps its memory and its last plan.
                #[test]
                fn scenes_one_after_another(
                    config in a_config(),
                    threads in 1..=16usize,
                    scenes in proptest::collection::vec(a_scene(500), 2..=4),
                ) {
                    let mut engine = BroadPhase::<$scalar, $dimension>::with_config(config).unwrap();
                    for scene in &scenes {
                        step(&mut engine, threads, &scene.boxes())?;
                    }
                }

                /// The scene changes gradually; the number of threads too.
                #[test]
                fn a_scene_in_motion(
                    config in a_config(),
                    threads in 1..=15usize,
                    scene in a_scene(300),
                    changes in proptest::collection::vec(a_change(), 3..=7),
                ) {
                    let mut engine = BroadPhase::<$scalar, $dimension>::with_config(config).unwrap();
                    let mut boxes = scene.boxes();
                    let mut rng = Rng(scene.seed);
                    for (number, change) in changes.into_iter().enumerate() {
                        step(&mut engine, threads + number % 2, &boxes)?;
                        apply(change, &mut boxes, &scene, &mut rng);
                    }
                    step(&mut engine, threads, &boxes)?;
                }
            }
        }
    )* };
}

in_each_space! {
    f32_in_2d: f32, 2;
    f32_in_3d: f32, 3;
    f64_in_2d: f64, 2;
    f64_in_3d: f64, 3;
}

proptest! {
    #![proptest_config(cases(24))]

    /// Enough objects for the threads to get in each other's way, and for the default configuration to use them.
    #[test]
    fn larger_scenes(scenes in proptest::collection::vec(a_scene(6000), 2), threads in 2..=16usize, forced in any::<bool>()) {
        let config = if forced { grid_config() } else { Config::default() };
        let mut engine = BroadPhase::<f32, 3>::with_config(config).unwrap();
        for mut scene in scenes {
            if matches!(scene.placement, Placement::Point) {
                scene.n = scene.n.min(1200);
            }
            // Hyperdisperse sizes in so little space are nearly all pairs of all objects.
            scene.extent = if matches!(scene.sizes, Sizes::Hyper) { 1e7 } else { scene.extent.max(60.0) };
            step(&mut engine, threads, &scene.boxes())?;
        }
    }
}

/// What moves against what does not: by a step with a static set, by a step between two sets, and by a query for each.
fn three_ways<S: Coordinate, const D: usize>(
    config: Config,
    threads: usize,
    moving: &[Aabb<S, D>],
    fixed: &[Aabb<S, D>],
    removed: &[usize],
) -> TestCaseResult {
    let mut statics = StaticSet::<S, D>::with_config(config.clone()).unwrap();
    let mut engine = BroadPhase::<S, D>::with_config(config).unwrap();
    pool(threads).install(|| statics.par_build(fixed));
    let removed: BTreeSet<usize> = removed.iter().map(|index| index % fixed.len().max(1)).filter(|&i| i < fixed.len()).collect();
    for &index in &removed {
        prop_assert!(statics.remove(index as u32).is_ok());
    }
    let mut expected = Vec::new();
    for (a, one) in moving.iter().enumerate() {
        let apart = |b: &Aabb<S, D>| (0..D).any(|axis| one.max[axis] < b.min[axis] || b.max[axis] < one.min[axis]);
        let met = fixed.iter().enumerate().filter(|(b, other)| !removed.contains(b) && !apart(other));
        expected.extend(met.map(|(b, _)| CrossPair { first: a as u32, second: b as u32 }));
    }
    let found = pool(threads).install(|| engine.over(moving).with(&statics).pairs());
    prop_assert_eq!(found.statics.sorted(), &expected[..], "with statics, {} threads", threads);
    prop_assert_eq!(found.moving.sorted(), Oracle::detect(moving).pairs, "among the moving ones");
    // An inverted box stands for a removed one.
    let nothing = Aabb { min: [S::of(1.0); D], max: [S::of(-1.0); D] };
    let kept: Vec<_> = (0..).zip(fixed).map(|(index, b)| if removed.contains(&index) { nothing } else { *b }).collect();
    let found = pool(threads).install(|| engine.over(moving).against(&kept).pairs());
    prop_assert_eq!(found.sorted(), &expected[..], "between, {} threads", threads);
    let (queries, mut row) = (statics.queries(), Vec::new());
    let mut asked = Vec::new();
    for (a, bounds) in (0..).zip(moving) {
        queries.overlapping(bounds, &mut row);
        row.sort_unstable();
        asked.extend(row.iter().map(|&b| CrossPair { first: a, second: b }));
    }
    prop_assert_eq!(asked, expected, "by queries");
    Ok(())
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn statics_two_sets_and_queries_agree(
        config in a_config(),
        threads in 1..=16usize,
        moving in a_scene(200),
        fixed in a_scene(300),
        removed in proptest::collection::vec(any::<usize>(), 0..100),
    ) {
        three_ways::<f32, 3>(config.clone(), threads, &moving.boxes(), &fixed.boxes(), &removed)?;
        three_ways::<f64, 2>(config, threads, &moving.boxes(), &fixed.boxes(), &removed)?;
    }
}
