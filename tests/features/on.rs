//! Own threads give the results of the calling thread, in every type that has both.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Coordinate, grid_config, grid_engine};
use crate::kinds::scene;
use pivotgrid::{
    Aabb, Adjacency, ForkJoin, Groups, Neighbors, Object, PairMap, PairSorter, PairTracker, Reorder, RowsOf, StaticSet, World,
};

/// As many threads as workers, for each pass anew; counts the passes.
struct Spawned(usize, AtomicUsize);

impl ForkJoin for Spawned {
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        self.1.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| (0..self.0).for_each(|worker| _ = scope.spawn(move || work(worker))));
    }
}

/// Leaves out some workers, and runs others twice.
struct Careless(usize);

impl ForkJoin for Careless {
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(|| (0..self.0 + 3).step_by(2).for_each(work))));
    }
}

fn around_the_pairs<S: Coordinate, const D: usize>(threads: &dyn ForkJoin) {
    let boxes = scene::<S, D>(9000, 5);
    let mut engine = grid_engine::<S, D>();
    engine.par_detect(&boxes);
    let order = engine.spatial_order().unwrap();
    let (mut one, mut other) = (boxes.clone(), boxes.clone());
    Reorder::new().apply(order, &mut one);
    Reorder::new().on(threads).apply(order, &mut other);
    assert!(one == other);

    let pairs = engine.par_detect(&boxes);
    assert!(pairs.len() > 5000, "too few for several threads: {}", pairs.len());
    assert!(PairSorter::new().on(threads).sort(pairs) == PairSorter::new().sort(pairs));
    let (mut one, mut other) = (Adjacency::new(), Adjacency::new());
    one.build(pairs, boxes.len(), RowsOf::Both);
    other.on(threads).build(pairs, boxes.len(), RowsOf::Both);
    assert!(one.offsets() == other.offsets() && one.partners() == other.partners());

    let (mut one, mut other) = (PairTracker::new(), PairTracker::new());
    let key = |index: u32| index.wrapping_mul(0x9e37_79b1);
    assert_eq!(other.on(threads).update(pairs.keyed_by(key)), one.update(pairs.keyed_by(key)));
    assert_eq!(other.on(threads).update(pairs.keyed_by(key)), one.update(pairs.keyed_by(key)));
    let (mut one, mut other) = (PairMap::new(), PairMap::new());
    one.update(pairs.by_index(), |pair| pair);
    other.on(threads).update(pairs.by_index(), |pair| pair);
    one.iter_mut().for_each(|(_, value)| value.0 += 1);
    other.on(threads).for_each(|_, value| value.0 += 1);
    assert!(one.keys() == other.keys() && one.values() == other.values());
}

fn sets_and_worlds<S: Coordinate, const D: usize>(threads: &dyn ForkJoin) {
    let (boxes, walls) = (scene::<S, D>(6000, 5), scene::<S, D>(5000, 6));
    let mut engine = grid_engine::<S, D>();
    let (mut one, mut other) =
        (StaticSet::with_config(grid_config()).unwrap(), StaticSet::<S, D>::with_config(grid_config()).unwrap());
    one.build(&walls);
    other.on(threads).build(&walls);
    for (index, wall) in (0..200).zip(boxes.iter()) {
        one.update(2 * index, wall).unwrap();
        other.on(threads).update(2 * index, wall).unwrap();
        assert_eq!(one.insert(wall), other.on(threads).insert(wall));
    }
    assert!(other.on(threads).update(99_999, &boxes[0]).is_err());
    let expected = engine.over(&boxes).with(&one).serial().pairs().statics.sorted();
    assert!(engine.over(&boxes).with(&other).on(threads).pairs().statics.sorted() == expected);
    other.on(threads).rebuild();
    assert!(engine.over(&boxes).with(&other).pairs().statics.sorted() == expected);
    assert!(engine.over(&boxes).with(&other.clone()).pairs().statics.sorted() == expected);
    other.shrink_to_fit();
    assert!(engine.over(&boxes).with(&other).pairs().statics.sorted() == expected);

    let mut worlds: [World<S, D>; 2] = [(); 2].map(|()| World::with_config(grid_config(), S::of(0.0)).unwrap());
    let objects = boxes.iter().map(|&aabb| Object::new_moving(aabb)).chain(walls.iter().map(|&aabb| Object::new_static(aabb)));
    let objects: Vec<_> = objects.collect();
    let mut handles = Vec::new();
    worlds.iter_mut().for_each(|world| world.insert_all(&objects, &mut handles));
    for round in 0..3 {
        let [one, other] = &mut worlds;
        assert_eq!(other.on(threads).step(), one.step());
        for (number, &handle) in handles.iter().enumerate().skip(round).step_by(7) {
            let object = objects[(number + 31) % objects.len()].with_groups(Groups::new(1 + round as u32, !0));
            worlds.iter_mut().for_each(|world| world.update(handle, object).unwrap());
        }
    }
}

fn particles<S: Coordinate, const D: usize>(threads: &dyn ForkJoin) {
    let points: Vec<[S; D]> = scene::<S, D>(6000, 5).iter().map(|aabb| aabb.min).collect();
    let new = || Neighbors::<S, D>::with_config(grid_config()).unwrap().sorted(true).skin(S::of(0.2));
    let (mut one, mut other) = (new(), new());
    let rows = one.within(&points, S::of(1.0));
    assert!(other.on(threads).within(&points, S::of(1.0)).indices() == rows.indices());
    assert!(!other.needs_rebuild(&points));
    let balls: Vec<_> = points.iter().map(|&point| pivotgrid::Ball::new(point, S::of(0.4))).collect();
    let rows = one.touching(&balls);
    assert!(other.on(threads).try_touching(&balls).unwrap().indices() == rows.indices());

    let domain = Aabb::new([S::of(0.0); D], [S::of(9.0); D]);
    let new = || new().shifts(true).periodic(domain, [true; D]).unwrap();
    let (mut one, mut other) = (new(), new());
    let rows = one.within(&points, S::of(1.0));
    assert!(rows.shifts().iter().any(|shift| shift[0] != 0));
    let found = other.on(threads).within(&points, S::of(1.0));
    assert!(found.offsets() == rows.offsets() && found.indices() == rows.indices() && found.shifts() == rows.shifts());
    let found = other.on(threads).try_within(&points, S::of(1.0)).unwrap();
    assert!(found.indices() == rows.indices() && !one.needs_rebuild(&points));
    let rows = one.touching(&balls);
    let found = other.on(threads).touching(&balls);
    assert!(found.offsets() == rows.offsets() && found.indices() == rows.indices() && found.shifts() == rows.shifts());
    assert!(other.on(threads).try_touching(&balls).unwrap().indices() == rows.indices());
}

#[test]
fn own_threads_find_what_the_calling_thread_finds() {
    let spawned = Spawned(3, AtomicUsize::new(0));
    let all: [&dyn ForkJoin; 2] = [&spawned, &Careless(4)];
    for threads in all {
        around_the_pairs::<f32, 3>(threads);
        around_the_pairs::<f64, 2>(threads);
        sets_and_worlds::<f32, 2>(threads);
        sets_and_worlds::<f64, 3>(threads);
        particles::<f32, 3>(threads);
        particles::<f64, 2>(threads);
    }
    assert!(spawned.1.into_inner() > 100, "these threads were asked");
}
