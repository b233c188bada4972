//! The times of the parts add up to the time of the call.

use std::time::{Duration, Instant};

use crate::common::grid_config;
use crate::kinds::{PERIOD, scene};
use pivotgrid::{
    Aabb, Adjacency, BroadPhase, Config, Lattice, Neighbors, Object, PairMap, PairSorter, PairTracker, Periodic, Reorder, Rows,
    RowsOf, StaticSet, World,
};

/// The best share of several calls: a loaded machine may stop a thread between two readings of the clock, but not each time. A thread that
/// is stopped within a pass counts for both.
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

fn cell() -> Lattice<3> {
    let period = PERIOD;
    Lattice::new([[period, 0.0, 0.0], [0.3 * period, period, 0.0], [0.0, 0.2 * period, period]], [true; 3]).unwrap()
}

fn sheared() -> Periodic<f32, 3> {
    Periodic::of_lattice_with_config(cell(), grid_config()).unwrap()
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
        assert_accounted("static sets in a periodic domain", || {
            domain.over(&boxes).with(&statics).pairs();
            domain.stats().times.total()
        });
        assert_accounted("two sets in a periodic domain", || {
            domain.over(&boxes).against(&walls).pairs();
            domain.stats().times.total()
        });
        assert_accounted("a visitor in a periodic domain", || {
            domain.over(&boxes).with(&statics).for_each(|_| {});
            domain.stats().times.total()
        });
        assert_accounted("pairs shown", || {
            engine.over(&boxes).for_each(|_| {});
            engine.stats().times.total()
        });
        assert_accounted("pairs with static objects shown", || {
            engine.over(&boxes).with(&statics).for_each(|_| {});
            engine.stats().times.total()
        });
    }
    let mut lattice = sheared();
    assert_accounted("a lattice", || {
        lattice.par_detect(&boxes);
        lattice.stats().times.total()
    });
    assert_accounted("images of another static set, in a lattice", || {
        lattice.set_lattice(cell());
        lattice.over(&boxes).with(&statics).pairs();
        lattice.stats().times.total()
    });
    assert_accounted("building a static set", || {
        statics.par_build(&walls);
        statics.stats().times.total()
    });
    let mut engine = BroadPhase::<f32, 3>::new();
    assert_accounted("two sets", || {
        engine.over(&boxes).against(&walls).pairs();
        engine.stats().times.total()
    });
    let points: Vec<[f32; 3]> = boxes.iter().map(|aabb| aabb.min).collect();
    for skin in [0.0, 0.1] {
        let mut neighbors = Neighbors::<f32, 3>::new().sorted(true).skin(skin);
        assert_accounted("neighbors", || {
            neighbors.par_within(&points, 1.0);
            neighbors.stats().times.total()
        });
        let domain = Aabb::new([0.0; 3], [PERIOD as f32; 3]);
        let mut neighbors = neighbors.periodic(domain, [true; 3]).unwrap();
        assert_accounted("neighbors in a periodic domain", || {
            neighbors.par_within(&points, 1.0);
            neighbors.stats().times.total()
        });
        assert!(neighbors.stats().times.images > Duration::ZERO);
    }
    engine.par_detect(&boxes);
    let mut rows = Rows::new();
    assert_accounted("queries", || {
        engine.queries().par_overlapping(&walls, &mut rows);
        rows.time()
    });
    assert_accounted("queries of static sets", || {
        statics.queries().par_overlapping(&walls, &mut rows);
        rows.time()
    });
    let mut shifted = Rows::new();
    assert_accounted("queries in a lattice", || {
        lattice.queries().par_overlapping(&walls, &mut shifted);
        shifted.time()
    });
    let mut nearest = Rows::new();
    assert_accounted("the nearest", || {
        engine.queries().par_nearest(&points, 4, &mut nearest);
        nearest.time()
    });
    let order = engine.spatial_order().expect("there was a step");
    let (mut reorder, mut array) = (Reorder::new(), points);
    assert_accounted("reordering", || {
        reorder.par_apply(order, &mut array);
        reorder.time()
    });
    let pairs = engine.par_detect(&boxes);
    let (mut sorter, mut adjacency) = (PairSorter::new(), Adjacency::new());
    assert_accounted("sorting", || {
        sorter.par_sort(pairs);
        sorter.time()
    });
    assert_accounted("rows", || {
        adjacency.par_build(pairs, boxes.len(), RowsOf::Both);
        adjacency.time()
    });
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
    let mut of_world = Rows::new();
    assert_accounted("queries of a world", || {
        world.queries().par_overlapping(&walls, &mut of_world);
        of_world.time()
    });
}
