//! The spatial order is a permutation that brings neighbors together, and arrays follow it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Coordinate, grid_config, pool};
use crate::kinds::scene;
use pivotgrid::{Aabb, BroadPhase, Config, Neighbors, Reorder, SpatialOrder};

/// Checks the order and applies it.
fn follow<S: Coordinate, const D: usize>(
    order: SpatialOrder<'_>,
    boxes: &[Aabb<S, D>],
    reorder: &mut Reorder<Aabb<S, D>>,
) -> Vec<Aabb<S, D>> {
    let mut indices = order.as_slice().to_vec();
    indices.sort_unstable();
    assert!(indices.into_iter().eq(0..boxes.len() as u32), "a permutation of {}", boxes.len());
    let (mut alone, mut inverse) = (boxes.to_vec(), Vec::new());
    let mut followed = alone.clone();
    reorder.par_apply(order, &mut followed);
    reorder.apply(order, &mut alone);
    order.inverse_into(&mut inverse);
    let same = |one: &Aabb<S, D>, other: &Aabb<S, D>| format!("{one:?}") == format!("{other:?}");
    assert!(
        (0..boxes.len())
            .all(|new| same(&followed[new], &boxes[order.as_slice()[new] as usize]) && same(&alone[new], &followed[new]))
    );
    assert!((0..boxes.len()).all(|old| order.as_slice()[inverse[old] as usize] as usize == old));
    followed
}

fn jumps<S: Coordinate, const D: usize>(boxes: &[Aabb<S, D>]) -> f64 {
    let distance = |two: &[Aabb<S, D>]| (0..D).map(|axis| (two[0].min[axis].into() - two[1].min[axis].into()).abs()).sum::<f64>();
    boxes.windows(2).map(distance).filter(|distance| *distance < 1e6).sum()
}

fn every_engine<S: Coordinate, const D: usize>() {
    let mut reorder = Reorder::new();
    for config in [Config::default(), grid_config()] {
        let mut engine = BroadPhase::<S, D>::with_config(config.clone()).unwrap();
        let mut neighbors = Neighbors::<S, D>::new();
        assert!(engine.spatial_order().is_none() && neighbors.spatial_order().is_none());
        for n in [1, 5, 3000, 9000, 4, 6000] {
            let mut boxes = scene::<S, D>(n, n as u64);
            if n > 1000 {
                boxes[500].max[0] = S::of(f64::NAN);
                boxes[501] = Aabb::new([S::of(-1e9); D], [S::of(1e9); D]);
            }
            for threads in [1, 3] {
                pool(threads).install(|| {
                    let pairs = engine.par_detect(&boxes).len();
                    let followed = follow(engine.spatial_order().unwrap(), &boxes, &mut reorder);
                    assert!(n < 5000 || jumps(&followed) < 0.7 * jumps(&boxes), "{n}: {} {}", jumps(&followed), jumps(&boxes));
                    assert_eq!(engine.par_detect(&followed).len(), pairs);
                    let points: Vec<[S; D]> = boxes.iter().map(|aabb| aabb.min).collect();
                    neighbors.par_within(&points, S::of(0.5));
                    follow(neighbors.spatial_order().unwrap(), &boxes, &mut reorder);
                });
            }
            let order = engine.spatial_order().unwrap();
            let outcome = catch_unwind(AssertUnwindSafe(|| Reorder::new().apply(order, &mut vec![0u8; n + 1])));
            assert!(outcome.is_err(), "an array of another length");
        }
        engine.shrink_to_fit();
        assert!(engine.spatial_order().is_none());
    }
}

#[test]
fn in_3d() {
    every_engine::<f32, 3>();
    every_engine::<f64, 3>();
}

#[test]
fn in_2d() {
    every_engine::<f32, 2>();
    every_engine::<f64, 2>();
}
