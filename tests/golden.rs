//! Scenes from outside: one with an answer that others have found, and those of the benches.

mod common;

use common::{Coordinate, Oracle, assert_same, grid_config, pool};
use pivotgrid::{Aabb, BroadPhase, Config};
use scenes::{Bounds, Scene, World};

fn aabbs<S: Coordinate, const D: usize>(bounds: &[Bounds<S, D>]) -> Vec<Aabb<S, D>> {
    bounds.iter().map(|b| Aabb { min: b.min, max: b.max }).collect()
}

/// Pierre Terdiman's box pruning scene. The count is from outside of this project; the oracle has to find it as well.
#[test]
fn terdimans_boxes_have_11811_pairs() {
    let boxes = aabbs(&scenes::terdiman());
    assert_eq!(boxes.len(), 10_000);
    let expected = Oracle::detect(&boxes);
    assert_eq!(expected.pairs.len(), 11_811, "the scene or the oracle is wrong, not the engine");

    let mut configs = vec![Config::default(), grid_config(), grid_config().max_levels(1)];
    configs.extend([16.0, 63.5, 127.0, 254.0, 1000.0].map(|edge| grid_config().cell_size(edge)));
    configs.push(grid_config().cell_size(300.0).max_levels(1));
    for config in configs {
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        assert_eq!(engine.detect(&boxes).len(), 11_811, "{config:?}");
        assert_eq!(engine.stats().pairs, 11_811);
        for threads in [1, 2, 16] {
            let found = pool(threads).install(|| engine.par_detect(&boxes));
            assert_eq!(found.len(), 11_811, "{threads} threads, {config:?}");
            assert_same(found, &expected, &format_args!("{threads} threads, {config:?}"));
        }
    }
}

/// What the benches measure must be right, step after step on one engine.
fn every_scene<S: Coordinate + scenes::Scalar, const D: usize>() {
    for scene in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        let mut world = World::<S, D>::new(scene, 3000, 1);
        let mut free = BroadPhase::<S, D>::new();
        let mut forced = BroadPhase::<S, D>::with_config(grid_config().cell_size(1.0)).unwrap();
        for step in 0..3 {
            let boxes = aabbs(world.boxes());
            let expected = Oracle::detect(&boxes);
            assert!(!expected.pairs.is_empty() || matches!(scene, Scene::Sparse), "{scene} has no pairs");
            let context = format!("{scene} in {D}D, step {step}");
            assert_same(free.detect(&boxes), &expected, &context);
            assert_same(pool(2).install(|| free.par_detect(&boxes)), &expected, &format_args!("{context}, two threads"));
            assert_same(pool(5).install(|| forced.par_detect(&boxes)), &expected, &format_args!("{context}, cells of 1"));
            world.step();
        }
    }
}

#[test]
fn every_scene_in_f32_and_3d() {
    every_scene::<f32, 3>();
}

#[test]
fn every_scene_in_f64_and_3d() {
    every_scene::<f64, 3>();
}

#[test]
fn every_scene_in_f32_and_2d() {
    every_scene::<f32, 2>();
}

/// One engine for all scenes in turn: plans must not survive the scene they were made for.
#[test]
fn one_engine_through_all_scenes() {
    let mut engine = BroadPhase::<f32, 3>::new();
    for round in 0..2 {
        for (number, scene) in Scene::ALL.into_iter().enumerate() {
            let boxes = aabbs(World::<f32, 3>::new(scene, 500 + 400 * number, round).boxes());
            let found = pool(2).install(|| engine.par_detect(&boxes));
            assert_same(found, &Oracle::detect(&boxes), &format_args!("{scene}, round {round}"));
        }
    }
}
