//! Sorted pairs of every kind, in reused memory, against a plain sort.

use crate::common::{Coordinate, grid_config, grid_engine, pool};
use crate::kinds::{PERIOD, scene};
use pivotgrid::{Aabb, CrossPair, Pair, PairSorter, Periodic, PeriodicPair, StaticSet};

fn every_kind<S: Coordinate, const D: usize>() {
    let mut engine = grid_engine::<S, D>();
    let (mut sorter, mut cross, mut periodic) = (PairSorter::<Pair>::new(), PairSorter::<CrossPair>::new(), PairSorter::new());
    let domain = Aabb::new([S::of(0.0); D], [S::of(PERIOD); D]);
    for (step, n) in [300, 4000, 9000, 0, 1, 5000].into_iter().enumerate() {
        let (boxes, walls) = (scene::<S, D>(n, step as u64), scene::<S, D>(n / 2, 99));
        let mut statics = StaticSet::new();
        statics.par_build(&walls);
        for threads in [1, 2, 5] {
            pool(threads).install(|| {
                let pairs = engine.par_detect(&boxes);
                let mut expected: Vec<Pair> = pairs.iter().collect();
                expected.sort_unstable();
                assert!(pairs.sorted() == expected);
                assert!(sorter.par_sort(pairs) == expected && sorter.sort(pairs) == expected);
                let mut into = vec![Pair::default(); 7];
                pairs.par_sorted_into(&mut into);
                assert!(into == expected, "{n} boxes, {threads} threads");

                let found = engine.over(&boxes).with(&statics).pairs().statics;
                let mut expected: Vec<CrossPair> = found.iter().collect();
                expected.sort_unstable();
                assert!(cross.par_sort(found) == expected && cross.try_sort(found).unwrap() == expected);

                for config in [grid_config(), grid_config().canonical_order(true)] {
                    let mut domain = Periodic::<S, D>::with_config(domain, [true; D], config).unwrap();
                    let found = domain.par_detect(&boxes);
                    let mut expected: Vec<PeriodicPair<D>> = found.iter().collect();
                    expected.sort_unstable();
                    let mut into = Vec::new();
                    found.par_sorted_into(&mut into);
                    assert!(into == expected && found.sorted() == expected && periodic.par_sort(found) == expected);
                    assert!(
                        n < 4000
                            || expected.iter().any(|pair| pair.shift[0] < 0) && expected.iter().any(|pair| pair.shift[0] > 0)
                    );
                }
            });
        }
    }
}

#[test]
fn in_3d() {
    every_kind::<f32, 3>();
    every_kind::<f64, 3>();
}

#[test]
fn in_2d() {
    every_kind::<f32, 2>();
    every_kind::<f64, 2>();
}

/// One object with nearly all pairs: its bucket is sorted by all workers.
#[test]
fn a_crowd() {
    let mut boxes: Vec<Aabb<f32, 2>> = (0..150_000).map(|i| Aabb::around([i as f32 * 2.0, 0.0], [0.5, 0.5])).collect();
    boxes[70_000] = Aabb::new([-1.0, 0.4], [4e5, 0.5]);
    let mut engine = grid_engine::<f32, 2>();
    pool(3).install(|| {
        let pairs = engine.par_detect(&boxes);
        let sorted = PairSorter::new().par_sort(pairs).to_vec();
        assert_eq!(sorted.len(), 149_999);
        assert!(sorted.is_sorted_by(|one, next| one < next));
    });
}
