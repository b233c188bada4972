//! Steps with far more and far fewer objects than the one before: those that come are presorted alone, those that are gone leave the order.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Oracle, Rng, assert_same, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, Groups};

/// A box in groups that counts how often it is read.
struct Counted<'a> {
    bounds: Aabb<f32, 3>,
    groups: Groups,
    calls: &'a AtomicUsize,
}

impl Bounded<f32, 3> for Counted<'_> {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
}

/// The same as the oracle reads it.
struct Wanted(Aabb<f32, 3>, Groups);

impl Bounded<f32, 3> for Wanted {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.0
    }
    fn pairs_with(&self, other: &Self) -> bool {
        self.1.mask & other.1.member != 0 && other.1.mask & self.1.member != 0
    }
}

/// `grouped`: the objects from this one on are in groups of their own.
fn check(grouped: usize) {
    const ALL: usize = 30_000;
    let rng = &mut Rng(5);
    let calls = AtomicUsize::new(0);
    let objects: Vec<Counted<'_>> = (0..ALL)
        .map(|index| {
            let center: [f32; 3] = std::array::from_fn(|_| rng.within(0.0, 30.0) as f32);
            let own = Groups::new(1 << (index % 3), 0b11 << (index % 2));
            let groups = if index < grouped { Groups::ALL } else { own };
            Counted { bounds: Aabb::around(center, [0.4; 3]), groups, calls: &calls }
        })
        .collect();
    for threads in [1, 3] {
        let mut engine = BroadPhase::<f32, 3>::new();
        // Few and many more, within a plan and beyond it; some gone, most gone; both ways below the size from which presort pays.
        for len in [9000, 14_000, ALL, 29_000, 18_000, 23_000, 3000, 8000, 200, ALL] {
            calls.store(0, Ordering::Relaxed);
            let found = pool(threads).install(|| engine.par_detect(&objects[..len]));
            let wanted: Vec<Wanted> = objects[..len].iter().map(|object| Wanted(object.bounds, object.groups)).collect();
            assert_same(found, &Oracle::detect(&wanted), &format_args!("{len} objects, {threads} threads"));
            assert_eq!(calls.load(Ordering::Relaxed), len, "boxes are read once");
        }
    }
}

#[test]
fn objects_come_and_go() {
    check(usize::MAX);
}

/// What comes is the first to be in groups.
#[test]
fn objects_in_groups_come_and_go() {
    check(20_000);
}
