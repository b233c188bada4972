//! Events of every kind of pairs, against sets.

use std::collections::BTreeSet;

use crate::common::{Coordinate, Oracle, Placement, Rng, Scene, Sizes, grid_config, grid_engine, pool};
use pivotgrid::{
    Aabb, CrossTracker, Events, PairTracker, Periodic, PeriodicCrossMap, PeriodicCrossTracker, PeriodicTracker, StaticSet,
};

/// The edge of the periodic domain of these tests.
pub(crate) const PERIOD: f64 = 12.0;

/// Boxes around and in the domain.
pub(crate) fn scene<S: Coordinate, const D: usize>(n: usize, seed: u64) -> Vec<Aabb<S, D>> {
    let extent = PERIOD * 1.5;
    Scene { n, sizes: Sizes::Mono, placement: Placement::Uniform, extent, origin: -3.0, seed }.boxes()
}

/// Moves boxes a little.
pub(crate) fn stir<S: Coordinate, const D: usize>(boxes: &mut [Aabb<S, D>], rng: &mut Rng) {
    for aabb in boxes {
        let by: [f64; D] = std::array::from_fn(|_| rng.within(-0.3, 0.3));
        for axis in 0..D {
            aabb.min[axis] = S::of(aabb.min[axis].into() + by[axis]);
            aabb.max[axis] = S::of(aabb.max[axis].into() + by[axis]);
        }
    }
}

#[track_caller]
fn check<Q: Copy + Ord + std::fmt::Debug>(found: Events<'_, Q>, before: &BTreeSet<Q>, now: &BTreeSet<Q>) {
    assert!(found.started.iter().eq(now.difference(before)));
    assert!(found.ongoing.iter().eq(now.intersection(before)));
    assert!(found.ended.iter().eq(before.difference(now)));
}

fn cross_keys(first: u32, second: u32) -> (i64, [u8; 4]) {
    (1000 - i64::from(first), (second ^ 0x55).to_be_bytes())
}

/// Two sets and static sets, with keys of different types, in an order of their own.
fn two_sets<S: Coordinate, const D: usize>() {
    let rng = &mut Rng(1);
    let (mut bodies, walls) = (scene::<S, D>(1500, 1), scene::<S, D>(900, 2));
    let mut statics = StaticSet::new();
    statics.par_build(&walls);
    let mut engine = grid_engine::<S, D>();
    let mut trackers: [CrossTracker<i64, [u8; 4]>; 4] = Default::default();
    let mut before = BTreeSet::new();
    for step in 0..5 {
        let both: Vec<_> = bodies.iter().chain(&walls).copied().collect();
        let cross = Oracle::detect(&both).pairs;
        let cross = cross.iter().filter(|pair| (pair.a as usize) < bodies.len() && pair.b as usize >= bodies.len());
        let now: BTreeSet<_> = cross.map(|pair| cross_keys(pair.a, pair.b - bodies.len() as u32)).collect();
        assert!(now.len() > 300);
        let (first, second) = (|index| cross_keys(index, 0).0, |index| cross_keys(0, index).1);
        let [alone, in_pool, with_statics, statics_in_pool] = &mut trackers;
        check(alone.update(engine.over(&bodies).against(&walls).serial().pairs().keyed_by(first, second)), &before, &now);
        check(
            with_statics.update(engine.over(&bodies).with(&statics).serial().pairs().statics.keyed_by(first, second)),
            &before,
            &now,
        );
        pool(3).install(|| {
            check(in_pool.par_update(engine.over(&bodies).against(&walls).pairs().keyed_by(first, second)), &before, &now);
            let pairs = engine.over(&bodies).with(&statics).pairs().statics.keyed_by(first, second);
            check(statics_in_pool.try_par_update(pairs).unwrap(), &before, &now);
        });
        before = now;
        stir(&mut bodies, rng);
        if step == 2 {
            bodies.truncate(1000);
        }
    }
    let [tracker, ..] = &mut trackers;
    let (gone, stays) = (tracker.current()[0], tracker.current().len());
    tracker.forget_first(gone.0);
    assert!(tracker.current().len() < stays && tracker.current().iter().all(|pair| pair.0 != gone.0));
    let other = tracker.current()[0];
    tracker.forget_second(other.1);
    assert!(tracker.current().iter().all(|pair| pair.1 != other.1));
}

#[test]
fn two_sets_in_3d() {
    two_sets::<f32, 3>();
    two_sets::<f64, 3>();
}

#[test]
fn two_sets_in_2d() {
    two_sets::<f32, 2>();
    two_sets::<f64, 2>();
}

/// Periodic pairs, with their shifts and without.
fn periodic<S: Coordinate, const D: usize>() {
    let rng = &mut Rng(2);
    let mut boxes = scene::<S, D>(1500, 3);
    // Not in order, so that the smaller key is often that of the larger index.
    let keys: Vec<u32> = (0..1500u32).map(|index| index.wrapping_mul(0x9e37_79b1)).collect();
    let key = |index: u32| keys[index as usize];
    let domain = Aabb::new([S::of(0.0); D], [S::of(PERIOD); D]);
    let mut domain = Periodic::<S, D>::with_config(domain, [true; D], grid_config()).unwrap();
    let mut trackers: [PeriodicTracker<u32, D>; 3] = Default::default();
    let mut plain = PairTracker::new();
    let (mut before, mut plain_before) = (BTreeSet::new(), BTreeSet::new());
    for step in 0..5 {
        let found = domain.detect(&boxes);
        let in_keys = |pair: pivotgrid::PeriodicPair<D>| match (key(pair.a), key(pair.b)) {
            (a, b) if a < b => (a, b, pair.shift),
            (a, b) => (b, a, pair.shift.map(|periods| -periods)),
        };
        let now: BTreeSet<_> = found.iter().map(in_keys).collect();
        let plain_now: BTreeSet<_> = now.iter().map(|&(a, b, _)| (a, b)).collect();
        assert!(now.iter().any(|pair| pair.2[0] != 0) && now.len() == found.len());
        let [alone, few, many] = &mut trackers;
        check(alone.update(found.keyed_by(key)), &before, &now);
        check(pool(2).install(|| few.par_update(found.keyed_by(key))), &before, &now);
        check(pool(5).install(|| many.try_par_update(found.keyed_by(key).touching(|_| true))).unwrap(), &before, &now);
        check(pool(2).install(|| plain.par_update(found.without_shifts().keyed_by(key))), &plain_before, &plain_now);
        (before, plain_before) = (now, plain_now);
        if step == 1 {
            // A period on: other shifts, and the same pairs.
            let by = S::of(PERIOD);
            for aabb in boxes.iter_mut().step_by(7) {
                aabb.min[0] = aabb.min[0] + by;
                aabb.max[0] = aabb.max[0] + by;
            }
        } else {
            stir(&mut boxes, rng);
        }
    }
    let (a, b, shift) = trackers[0].current()[0];
    let restored = PeriodicTracker::with_current(vec![(b, a, shift.map(|periods| -periods)), (a, b, shift), (a, a, shift)]);
    assert_eq!(restored.current(), [(a, b, shift)]);
}

#[test]
fn periodic_in_3d() {
    periodic::<f32, 3>();
    periodic::<f64, 3>();
}

#[test]
fn periodic_in_2d() {
    periodic::<f32, 2>();
    periodic::<f64, 2>();
}

/// Two sets and static sets in a periodic domain, with their shifts, against sets.
fn periodic_two_sets<S: Coordinate, const D: usize>() {
    let rng = &mut Rng(3);
    let (mut bodies, walls) = (scene::<S, D>(1500, 4), scene::<S, D>(900, 5));
    let mut statics = StaticSet::new();
    statics.par_build(&walls);
    let domain = Aabb::new([S::of(0.0); D], [S::of(PERIOD); D]);
    let mut domain = Periodic::<S, D>::with_config(domain, [true; D], grid_config()).unwrap();
    let mut trackers: [PeriodicCrossTracker<i64, [u8; 4], D>; 4] = Default::default();
    let mut by_index = PeriodicCrossTracker::new();
    let mut map = PeriodicCrossMap::<u32, u32, i32, D>::new();
    let mut before = BTreeSet::new();
    for step in 0..5 {
        let (first, second) = (|index| cross_keys(index, 0).0, |index| cross_keys(0, index).1);
        let found = domain.over(&bodies).against(&walls).serial().pairs();
        let now: BTreeSet<_> = found.iter().map(|pair| (first(pair.first), second(pair.second), pair.shift)).collect();
        assert!(now.iter().any(|pair| pair.2[0] != 0) && now.len() == found.len() && now.len() > 300);
        let indices: BTreeSet<_> = found.iter().map(|pair| (pair.first, pair.second, pair.shift)).collect();
        let [alone, in_pool, with_statics, statics_in_pool] = &mut trackers;
        check(alone.update(found.keyed_by(first, second)), &before, &now);
        check(pool(3).install(|| in_pool.par_update(found.keyed_by(first, second).touching(|_| true))), &before, &now);
        pool(2).install(|| map.par_update(found.by_index(), |(_, _, shift)| shift[0]));
        assert!(map.keys().iter().eq(&indices) && map.iter().all(|((_, _, shift), value)| shift[0] == *value));
        let found = domain.over(&bodies).with(&statics).pairs().statics;
        check(with_statics.update(found.keyed_by(first, second)), &before, &now);
        check(pool(5).install(|| statics_in_pool.try_par_update(found.keyed_by(first, second))).unwrap(), &before, &now);
        by_index.update(found.by_index());
        assert!(by_index.current().iter().eq(&indices));
        before = now;
        if step == 1 {
            // A period on: other shifts, and the same objects.
            let by = S::of(PERIOD);
            for aabb in bodies.iter_mut().step_by(7) {
                aabb.min[0] = aabb.min[0] + by;
                aabb.max[0] = aabb.max[0] + by;
            }
        } else {
            stir(&mut bodies, rng);
        }
    }
    let [tracker, ..] = &mut trackers;
    assert_eq!(PeriodicCrossTracker::with_current(tracker.current().to_vec()).current(), tracker.current());
    let gone = tracker.current()[0];
    tracker.forget_first(gone.0);
    let other = tracker.current()[0];
    tracker.forget_second(other.1);
    before.retain(|pair| pair.0 != gone.0 && pair.1 != other.1);
    assert!(tracker.current().iter().eq(&before));
}

#[test]
fn periodic_two_sets_in_3d() {
    periodic_two_sets::<f32, 3>();
    periodic_two_sets::<f64, 3>();
}

#[test]
fn periodic_two_sets_in_2d() {
    periodic_two_sets::<f32, 2>();
    periodic_two_sets::<f64, 2>();
}
