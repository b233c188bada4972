//! Rows of cells lie along the axis that separates the objects best, and whatever reads the grid finds the same along each.

use std::ops::ControlFlow;

use pivotgrid::{Aabb, Ball, BroadPhase, Neighbors, Pair, Ray, StaticSet};

use crate::common::{Coordinate, Oracle, assert_same};
use crate::measure::SEED;

const SIZE: usize = 4_000;

/// Boxes in a bar along one axis, a few of them larger.
fn bar<S: Coordinate, const D: usize>(along: usize) -> Vec<Aabb<S, D>> {
    let mut seed = SEED;
    let mut unit = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f64 / (1 << 24) as f64
    };
    let boxes = (0..SIZE).map(|index| {
        let edge = if index % 50 == 0 { 3.0 } else { 0.3 + 0.6 * unit() };
        // The same boxes whatever the axis: the first number is along the bar.
        let mut corner: [f64; D] = std::array::from_fn(|axis| unit() * if axis == 0 { 2_000.0 } else { 4.0 });
        corner.swap(0, along);
        Aabb::new(corner.map(S::of), corner.map(|x| S::of(x + edge)))
    });
    boxes.collect()
}

fn sorted(mut indices: Vec<u32>) -> Vec<u32> {
    indices.sort_unstable();
    indices
}

/// Of the objects, those that a test says yes to.
fn those<S: Copy, const D: usize>(boxes: &[Aabb<S, D>], is_one: impl Fn(&Aabb<S, D>) -> bool) -> Vec<u32> {
    (0u32..).zip(boxes).filter(|(_, bounds)| is_one(bounds)).map(|(index, _)| index).collect()
}

fn square_of_distance<S: Coordinate, const D: usize>(bounds: &Aabb<S, D>, point: &[S; D]) -> f64 {
    (0..D).fold(0.0, |sum, axis| {
        let [low, high, at]: [f64; 3] = [bounds.min[axis], bounds.max[axis], point[axis]].map(Into::into);
        sum + (low - at).max(at - high).max(0.0).powi(2)
    })
}

fn check<S: Coordinate, const D: usize>() {
    for along in 0..D {
        let boxes = bar::<S, D>(along);
        let mut broad_phase = BroadPhase::<S, D>::new();
        assert_same(broad_phase.detect(&boxes), &Oracle::detect(&boxes), &format_args!("{D}D along axis {along}"));
        let most = broad_phase.stats().levels.iter().max_by_key(|level| level.objects).expect("a level");
        assert_eq!(most.row_axis, along, "rows of {:?}", broad_phase.stats().levels);

        let mut set = StaticSet::<S, D>::new();
        set.build(&boxes);
        for queries in [broad_phase.queries(), set.queries()] {
            for (index, bounds) in boxes.iter().enumerate().step_by(37) {
                let mut found = Vec::new();
                queries.overlapping(bounds, &mut found);
                assert_eq!(sorted(found), those(&boxes, |other| other.overlaps(bounds)), "{index}: overlapping");

                let (ball, mut near) = (Ball::new(bounds.max, S::of(2.5)), Vec::new());
                queries.within(&ball, &mut near);
                let near = sorted(near.iter().map(|neighbor| neighbor.index).collect());
                assert_eq!(near, those(&boxes, |other| square_of_distance(other, &ball.center) <= 6.25), "{index}: within");

                let (mut nearest, mut all) = (Vec::new(), Vec::new());
                queries.nearest(bounds.min, 5, &mut nearest);
                all.extend(boxes.iter().map(|other| square_of_distance(other, &bounds.min)));
                all.sort_unstable_by(f64::total_cmp);
                for (neighbor, square) in nearest.iter().zip(&all) {
                    let found = square_of_distance(&boxes[neighbor.index as usize], &bounds.min);
                    assert!((found - square).abs() <= 1e-4 * square, "{index}: {found} is not nearest, {square} is");
                }

                // Along the bar from outside, so that it meets all that lie around it.
                let (mut origin, mut direction) = (bounds.min, [S::of(0.0); D]);
                (origin[along], direction[along]) = (S::of(-1.0), S::of(1.0));
                let mut hits = Vec::new();
                queries.ray_hits(&Ray::new(origin, direction), &mut hits);
                let is_hit = |other: &Aabb<S, D>| {
                    (0..D).all(|axis| axis == along || (other.min[axis] <= origin[axis] && origin[axis] <= other.max[axis]))
                };
                let hits = sorted(hits.iter().map(|hit| hit.index).collect());
                assert_eq!(hits, those(&boxes, is_hit), "{index}: ray");
            }
            let mut count = 0;
            let everywhere = Aabb::new([S::of(-1e4); D], [S::of(1e4); D]);
            let ControlFlow::Continue(()) = queries.visit_overlapping(&everywhere, |_| {
                count += 1;
                ControlFlow::<std::convert::Infallible>::Continue(())
            });
            assert_eq!(count, SIZE);
        }

        // What lives in a chunk lies behind its lower corner, and begins before its upper one.
        let view = broad_phase.debug_view();
        let chunks: Vec<_> = view.chunks().collect();
        for object in view.objects() {
            let begins_in = |axis: usize, chunk: &Aabb<S, D>| {
                chunk.min[axis] <= object.bounds.min[axis] && object.bounds.min[axis] <= chunk.max[axis]
            };
            let has_chunk = chunks.iter().any(|chunk| (0..D).all(|axis| begins_in(axis, &chunk.bounds)));
            assert!(has_chunk, "{object:?}");
        }

        let mut neighbors = Neighbors::<S, D>::new();
        let rows = neighbors.touching(&boxes);
        let pairs = Oracle::detect(&boxes).pairs;
        assert_eq!((0..SIZE).map(|index| rows.row(index).len()).sum::<usize>(), 2 * pairs.len());
        assert!(pairs.iter().all(|&Pair { a, b }| rows.row(a as usize).contains(&b) && rows.row(b as usize).contains(&a)));
    }
}

#[test]
fn in_single_precision() {
    check::<f32, 2>();
    check::<f32, 3>();
}

#[test]
fn in_double_precision() {
    check::<f64, 2>();
    check::<f64, 3>();
}

/// A scene costs as much as the same scene turned.
#[test]
fn no_axis_is_dearer_than_another() {
    let work = |along: usize| {
        let mut broad_phase = BroadPhase::<f32, 3>::new();
        broad_phase.detect(&bar::<f32, 3>(along));
        crate::bound::work(broad_phase.stats()) as f64
    };
    let along_x = work(0);
    (1..3).for_each(|axis| assert!((0.8..1.25).contains(&(work(axis) / along_x)), "{axis}: {} and {along_x}", work(axis)));
}
