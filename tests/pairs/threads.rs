//! The set of pairs does not depend on who computes it: how many threads, which pool, which thread, what else runs.

use crate::common::{Oracle, Placement, Scene, Sizes, assert_same, grid_config, grid_engine, pool};
use pivotgrid::{
    Aabb, Bounded, BroadPhase, Config, ConfigError, DetectError, Iter, LevelStats, Pair, Pairs, ParIter, PassTimes, RejectReason,
    Rejected, Stats,
};
use rayon::prelude::*;

type Boxes = Vec<Aabb<f32, 3>>;

/// Five scenes, each uneven in its own way; more objects than the default configuration keeps on one thread.
fn five_scenes() -> [Boxes; 5] {
    let scene = |n, sizes, placement, extent, seed| Scene { n, sizes, placement, extent, origin: 0.0, seed }.boxes();
    let mut huge: Boxes = scene(4000, Sizes::Mono, Placement::Uniform, 60.0, 4);
    huge[2000] = Aabb::new([-30.0; 3], [30.0; 3]);
    huge.insert(0, Aabb::new([f32::NEG_INFINITY; 3], [f32::INFINITY, f32::INFINITY, 0.0]));
    [
        scene(5000, Sizes::Mono, Placement::Uniform, 30.0, 1),
        scene(4000, Sizes::Poly, Placement::Clustered, 800.0, 2),
        scene(3000, Sizes::LongAndFlat, Placement::Lattice, 60.0, 3),
        huge,
        scene(1100, Sizes::Mono, Placement::Point, 1.0, 5),
    ]
}

#[test]
fn the_set_is_the_same_for_every_number_of_threads() {
    for (number, boxes) in five_scenes().iter().enumerate() {
        let expected = Oracle::detect(boxes);
        for config in [Config::default(), grid_config().cell_size(2.0)] {
            // One engine that sees the pools change, and a new one for each.
            let mut kept = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
            for threads in (1..=16).rev().chain([1, 16]) {
                let context = format!("scene {number}, {threads} threads, {config:?}");
                let mut fresh = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
                assert_same(pool(threads).install(|| fresh.par_detect(boxes)), &expected, &format_args!("{context}, fresh"));
                assert_same(pool(threads).install(|| kept.par_detect(boxes)), &expected, &format_args!("{context}, kept"));
                let workers = kept.stats().workers;
                assert!((1..=threads).contains(&workers), "{context}: {workers} workers");
            }
        }
    }
}

/// `detect` stays on the calling thread, even inside of a pool.
#[test]
fn detect_asks_on_the_calling_thread_only() {
    struct Local(Aabb<f32, 3>, std::thread::ThreadId);
    impl Bounded<f32, 3> for Local {
        fn aabb(&self) -> Aabb<f32, 3> {
            assert_eq!(std::thread::current().id(), self.1);
            self.0
        }
        fn pairs_with(&self, _other: &Self) -> bool {
            assert_eq!(std::thread::current().id(), self.1);
            true
        }
    }
    let [boxes, ..] = five_scenes();
    let expected = Oracle::detect(&boxes);
    let run = || {
        let here = std::thread::current().id();
        let objects: Vec<Local> = boxes.iter().map(|b| Local(*b, here)).collect();
        let mut engine = grid_engine::<f32, 3>();
        assert_same(engine.detect(&objects), &expected, &"detect");
        assert_eq!(engine.stats().workers, 1);
    };
    run();
    pool(4).install(run);
}

#[test]
fn called_from_outside_any_pool() {
    let [boxes, ..] = five_scenes();
    let mut engine = grid_engine::<f32, 3>();
    assert_same(engine.par_detect(&boxes), &Oracle::detect(&boxes), &"in the global pool");
}

/// A simulation steps many worlds at once, each with an engine of its own, all sharing one pool's threads.
#[test]
fn called_from_inside_of_rayon_tasks() {
    let worlds = five_scenes().map(|boxes| {
        let expected = Oracle::detect(&boxes);
        (boxes, expected)
    });
    for threads in [1, 2, 4, 16] {
        let mut engines: Vec<BroadPhase<f32, 3>> = (0..15).map(|_| grid_engine()).collect();
        pool(threads).install(|| {
            for _ in 0..2 {
                engines.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, engine)| {
                    let (boxes, expected) = &worlds[number % worlds.len()];
                    assert_same(engine.par_detect(boxes), expected, &format_args!("world {number}, {threads} threads"));
                });
            }
            let [first, second, ..] = &mut engines[..] else { unreachable!() };
            let ((one, expected_one), (two, expected_two)) = (&worlds[1], &worlds[2]);
            rayon::join(
                || assert_same(first.par_detect(one), expected_one, &"left of a join"),
                || assert_same(second.par_detect(two), expected_two, &"right of a join"),
            );
        });
    }
}

/// Several threads that belong to no pool send their steps into the same one.
#[test]
fn called_from_many_threads_into_one_pool() {
    let [_, boxes, ..] = five_scenes();
    let expected = Oracle::detect(&boxes);
    std::thread::scope(|scope| {
        for caller in 0..6 {
            let (boxes, expected) = (&boxes, &expected);
            scope.spawn(move || {
                let mut engine = grid_engine::<f32, 3>();
                for _ in 0..4 {
                    let found = pool(3).install(|| engine.par_detect(boxes));
                    assert_same(found, expected, &format_args!("caller {caller}"));
                }
            });
        }
    });
}

/// A filter that waits inside of rayon lets its thread steal other parts of the same step meanwhile: a worker may find
/// itself in the midst of detection twice, and must not mix up its buffers.
#[test]
fn a_filter_may_use_rayon_itself() {
    struct Busy(Aabb<f32, 3>);
    impl Busy {
        fn work(&self) -> u64 {
            // Not too often, and long enough for the other threads to steal one half.
            if !self.0.min[0].to_bits().is_multiple_of(8) {
                return 1;
            }
            rayon::join(|| (0..500u64).sum::<u64>(), || (0..500u64).product::<u64>() + 1).1
        }
    }
    impl Bounded<f32, 3> for Busy {
        fn aabb(&self) -> Aabb<f32, 3> {
            assert_eq!(self.work(), 1);
            self.0
        }
        fn pairs_with(&self, other: &Self) -> bool {
            self.work() + other.work() == 2
        }
    }
    let [boxes, ..] = five_scenes();
    let expected = Oracle::detect(&boxes);
    let objects: Vec<Busy> = boxes.iter().map(|b| Busy(*b)).collect();
    for threads in [1, 2, 4, 16] {
        let mut engine = grid_engine::<f32, 3>();
        for _ in 0..3 {
            let found = pool(threads).install(|| engine.par_detect(&objects));
            assert_same(found, &expected, &format_args!("filter with rayon, {threads} threads"));
        }
    }
}

/// An engine may be built here, used there and dropped elsewhere; its pairs may be read anywhere.
#[test]
fn an_engine_moves_between_threads() {
    let scenes = five_scenes();
    let mut engine = grid_engine::<f32, 3>();
    for boxes in &scenes {
        let expected = Oracle::detect(boxes);
        engine = std::thread::scope(|scope| {
            let moved = scope.spawn(|| {
                let mut engine = engine;
                assert_same(engine.detect(boxes), &expected, &"detect on another thread");
                let pairs = engine.par_detect(boxes);
                std::thread::scope(|readers| {
                    for _ in 0..2 {
                        readers.spawn(|| assert_same(pairs, &expected, &"read on a third thread"));
                    }
                });
                engine
            });
            moved.join().expect("the thread finished")
        });
    }
}

#[test]
fn the_public_types_may_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<BroadPhase<f32, 2>>();
    crosses::<BroadPhase<f32, 3>>();
    crosses::<BroadPhase<f64, 2>>();
    crosses::<BroadPhase<f64, 3>>();
    crosses::<Aabb<f32, 3>>();
    crosses::<Pairs<'_>>();
    crosses::<Iter<'_>>();
    crosses::<ParIter<'_>>();
    crosses::<(Pair, Rejected, RejectReason, Stats, LevelStats, PassTimes)>();
    crosses::<(Config, ConfigError, DetectError)>();

    fn common<T: std::fmt::Debug + Clone>() {}
    common::<(Aabb<f64, 2>, Pair, Rejected, Stats, Config, ConfigError, DetectError)>();
    common::<(Pairs<'_>, Iter<'_>, ParIter<'_>)>();
    assert!(!format!("{:?}", BroadPhase::<f64, 2>::default()).is_empty());
}
