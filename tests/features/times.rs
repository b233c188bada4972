//! The times of the parts add up to the time of the call.

use std::time::{Duration, Instant};

use crate::common::grid_config;
use crate::kinds::{PERIOD, scene};
use pivotgrid::{Aabb, BroadPhase, Config, Object, PairMap, PairTracker, Periodic, StaticSet, World};

/// The best share of several calls: a loaded machine may stop a thread between two readings of the clock, but not each time.
#[track_caller]
fn assert_accounted(what: &str, mut call: impl FnMut() -> Duration) {
    let mut best = 0.0f64;
    for _ in 0..60 {
        let begin = Instant::now();
        let told = call();
        let share = told.as_secs_f64() / begin.elapsed().as_secs_f64();
        assert!(share < 1.01, "{what}: more than there was, {share}");
        best = best.max(share);
        if best > 0.97 {
            return;
        }
    }
    assert!(best > 0.95, "{what}: {:.1} % of the time is accounted for", 100.0 * best);
}

#[test]
fn parts_add_up_to_the_call() {
    let (boxes, walls) = (scene::<f32, 3>(20_000, 1), scene::<f32, 3>(20_000, 2));
    let mut statics = StaticSet::new();
    statics.par_build(&walls);
    for config in [Config::default(), grid_config().canonical_order(true)] {
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        assert_accounted("one set", || {
            engine.par_detect(&boxes);
            engine.stats().times.total()
        });
        assert_accounted("static sets", || {
            engine.over(&boxes).with(&statics).pairs();
            engine.stats().times.total()
        });
        assert!(engine.stats().times.statics > Duration::ZERO);
        let domain = Aabb::new([0.0; 3], [PERIOD as f32; 3]);
        let mut domain = Periodic::<f32, 3>::with_config(domain, [true; 3], config).unwrap();
        assert_accounted("a periodic domain", || {
            domain.par_detect(&boxes);
            domain.stats().times.total()
        });
        assert!(domain.stats().times.images > Duration::ZERO);
    }
    let mut engine = BroadPhase::<f32, 3>::new();
    let pairs = engine.par_detect(&boxes);
    let (mut tracker, mut map) = (PairTracker::new(), PairMap::new());
    assert_accounted("a tracker", || {
        tracker.par_update(pairs.keyed_by(|index| index));
        tracker.times().total()
    });
    assert_accounted("a map", || {
        map.par_update(pairs.keyed_by(|index| index), |_| [0.0f32; 4]);
        map.times().total()
    });
    let mut world = World::<f32, 3>::new();
    let objects = boxes.iter().map(|&aabb| Object::new_moving(aabb)).chain(walls.iter().map(|&aabb| Object::new_static(aabb)));
    world.insert_all(&objects.collect::<Vec<_>>(), &mut Vec::new());
    assert_accounted("a world", || {
        world.par_step();
        world.times().total()
    });
}
