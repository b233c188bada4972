//! Neighbor lists against brute force.

use std::fmt::Debug;

use crate::common::{Coordinate, Rng, grid_config, pool};
use pivotgrid::{Aabb, Ball, Bounded, Config, Groups, NeighborRows, Neighbors, RejectReason, Rejected};

/// What the search must find: written a second time, with arithmetic in `S` where the contract says so.
struct Oracle {
    rows: Vec<Vec<u32>>,
    rejected: Vec<usize>,
}

impl Oracle {
    fn new<S: Coordinate, const D: usize>(balls: &[([S; D], S)]) -> Self {
        let bad = |(center, radius): &([S; D], S)| {
            let numbers = center.map(Into::<f64>::into);
            numbers.iter().any(|x| x.is_nan()) || (*radius).into() < 0.0 || (*radius).into().is_nan()
        };
        let rejected: Vec<usize> = (0..balls.len()).filter(|&i| bad(&balls[i])).collect();
        let mut order: Vec<usize> = (0..balls.len()).filter(|&i| !bad(&balls[i])).collect();
        let begin = |i: usize| Into::<f64>::into(balls[i].0[0]) - Into::<f64>::into(balls[i].1) * 1.00001;
        let end = |i: usize| Into::<f64>::into(balls[i].0[0]) + Into::<f64>::into(balls[i].1) * 1.00001;
        order.sort_by(|&i, &j| begin(i).total_cmp(&begin(j)));
        let mut rows = vec![Vec::new(); balls.len()];
        for (place, &i) in order.iter().enumerate() {
            for &j in order[place + 1..].iter().take_while(|&&j| begin(j) <= end(i) + 1e-5 * end(i).abs()) {
                if near(&balls[i], &balls[j]) {
                    rows[i].push(j as u32);
                    rows[j].push(i as u32);
                }
            }
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        Oracle { rows, rejected }
    }
}

fn near<S: Coordinate, const D: usize>((a, r): &([S; D], S), (b, s): &([S; D], S)) -> bool {
    let mut squares = S::of(0.0);
    for axis in 0..D {
        squares = squares + (a[axis] - b[axis]) * (a[axis] - b[axis]);
    }
    squares <= (*r + *s) * (*r + *s)
}

fn sorted<S: Coordinate, const D: usize>(rows: NeighborRows<'_, S, D>) -> Vec<Vec<u32>> {
    let sort = |row: &[u32]| {
        let mut row = row.to_vec();
        row.sort_unstable();
        row
    };
    rows.iter().map(sort).collect()
}

/// A half list and its mirror image together.
fn both_ways<S: Coordinate, const D: usize>(half: NeighborRows<'_, S, D>) -> Vec<Vec<u32>> {
    let mut rows: Vec<Vec<u32>> = half.iter().map(<[u32]>::to_vec).collect();
    for (i, row) in half.iter().enumerate() {
        row.iter().for_each(|&j| rows[j as usize].push(i as u32));
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    rows
}

#[track_caller]
fn assert_rows(found: &[Vec<u32>], expected: &Oracle, what: &dyn Debug) {
    assert_eq!(found.len(), expected.rows.len(), "{what:?}");
    for (i, (found, expected)) in found.iter().zip(&expected.rows).enumerate() {
        assert_eq!(found, expected, "row {i}, {what:?}");
    }
}

/// All ways of reading rows must tell the same.
#[track_caller]
fn assert_consistent<S: Coordinate, const D: usize>(rows: NeighborRows<'_, S, D>, expected: &Oracle) {
    use rayon::prelude::*;
    assert_eq!((rows.len(), rows.is_empty()), (expected.rows.len(), expected.rows.is_empty()));
    assert_eq!((rows.offsets().len(), rows.offsets()[0]), (rows.len() + 1, 0));
    assert_eq!(rows.offsets().last(), Some(&rows.indices().len()));
    assert_eq!(rows.iter().len(), rows.len());
    assert!(rows.iter().enumerate().all(|(i, row)| row == rows.row(i)));
    assert!(rows.into_iter().flatten().eq(rows.indices()));
    assert!(rows.par_iter().map(<[u32]>::len).collect::<Vec<_>>().into_iter().eq(rows.iter().map(<[u32]>::len)));
    assert!(rows.rejected().iter().map(|rejected| rejected.index).eq(expected.rejected.iter().copied()));
}

fn configs() -> [Config; 5] {
    [
        Config::default(),
        grid_config(),
        grid_config().max_levels(1),
        grid_config().exact_cell_size(0.3),
        grid_config().instruction_set(pivotgrid::InstructionSet::Portable),
    ]
}

/// Searches one scene in every layout, with every number of threads, each twice from the same memory.
#[track_caller]
fn check_all<S: Coordinate, const D: usize>(
    expected: &Oracle,
    what: &str,
    search: impl for<'a> Fn(&'a mut Neighbors<S, D>, bool) -> NeighborRows<'a, S, D> + Sync,
) {
    for config in configs() {
        let new = || Neighbors::<S, D>::with_config(config.clone()).expect("a valid config");
        let (mut full, mut half) = (new(), new().half(true));
        let (mut full_sorted, mut half_sorted) = (new().sorted(true), new().half(true).sorted(true));
        for threads in [0, 1, 2, 5] {
            let what = (what, threads, &config);
            pool(threads.max(1)).install(|| {
                let parallel = threads > 0;
                let rows = search(&mut full, parallel);
                assert_consistent(rows, expected);
                assert_rows(&sorted(rows), expected, &what);
                assert_eq!(full.stats().pairs, full.rows().indices().len() / 2);

                let rows = search(&mut half, parallel);
                assert_consistent(rows, expected);
                assert_rows(&both_ways(rows), expected, &what);

                let rows = search(&mut full_sorted, parallel);
                assert!(rows.iter().eq(expected.rows.iter()), "sorted, {what:?}");

                let rows = search(&mut half_sorted, parallel);
                let later = |(i, row): (usize, &Vec<u32>)| row.iter().copied().filter(|&j| j as usize > i).collect();
                let later: Vec<Vec<u32>> = expected.rows.iter().enumerate().map(later).collect();
                assert!(rows.iter().eq(later.iter()), "sorted half, {what:?}");
            });
        }
    }
}

#[track_caller]
fn check_points<S: Coordinate, const D: usize>(points: &[[S; D]], radius: S, what: &str) {
    let half = radius * S::of(0.5);
    let expected = Oracle::new(&points.iter().map(|&point| (point, half)).collect::<Vec<_>>());
    check_all(&expected, what, |neighbors, parallel| match parallel {
        true => neighbors.par_within(points, radius),
        false => neighbors.within(points, radius),
    });
}

#[track_caller]
fn check_balls<S: Coordinate, const D: usize>(balls: &[Ball<S, D>], what: &str) {
    let expected = Oracle::new(&balls.iter().map(|ball| (ball.center, ball.radius)).collect::<Vec<_>>());
    check_all(&expected, what, |neighbors, parallel| match parallel {
        true => neighbors.par_touching(balls),
        false => neighbors.touching(balls),
    });
}

fn centers<S: Coordinate + scenes::Scalar, const D: usize>(scene: scenes::Scene, n: usize) -> Vec<([S; D], f64)> {
    let world = scenes::World::<S, D>::new(scene, n, 3);
    let center = |bounds: &scenes::Bounds<S, D>| {
        let middle = |axis: usize| (bounds.min[axis].into() + bounds.max[axis].into()) / 2.0;
        let edge = bounds.max[1].into() - bounds.min[1].into();
        (std::array::from_fn(|axis| S::of(middle(axis))), edge / 2.0)
    };
    world.boxes().iter().map(center).collect()
}

fn check_scenes<S: Coordinate + scenes::Scalar, const D: usize>() {
    for scene in scenes::Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        let objects = centers::<S, D>(scene, 1500);
        let points: Vec<[S; D]> = objects.iter().map(|(center, _)| *center).collect();
        check_points(&points, S::of(1.3), &format!("{scene}, points"));
        let balls: Vec<Ball<S, D>> = objects.iter().map(|&(center, half)| Ball::new(center, S::of(half * 1.5))).collect();
        check_balls(&balls, &format!("{scene}, balls"));
    }
}

#[test]
fn all_scenes_in_single_precision() {
    check_scenes::<f32, 2>();
    check_scenes::<f32, 3>();
}

#[test]
fn all_scenes_in_double_precision() {
    check_scenes::<f64, 2>();
    check_scenes::<f64, 3>();
}

/// Every neighbor on an axis is exactly as far as the radius, and on the surface of many other cells.
#[test]
fn lattices_whose_distances_are_the_radius() {
    fn lattice<S: Coordinate, const D: usize>(side: usize, step: f64) -> Vec<[S; D]> {
        let place = |i: usize| std::array::from_fn(|axis| S::of((i / side.pow(axis as u32) % side) as f64 * step));
        (0..side.pow(D as u32)).map(place).collect()
    }
    check_points(&lattice::<f32, 3>(10, 1.0), 1.0, "lattice");
    check_points(&lattice::<f32, 3>(9, 1.0), 5.0, "lattice, (3, 4, 0) away");
    check_points(&lattice::<f64, 3>(9, 0.1), 0.1, "lattice of tenths");
    check_points(&lattice::<f32, 2>(30, 1.0), 2.0, "plane lattice");
    check_points(&lattice::<f64, 2>(30, 0.1), 0.2, "plane lattice of tenths");
    check_points(&lattice::<f32, 2>(30, 1.0), 1.0f32.next_down(), "just too far");
    let expected = 3 * 2 * 10 * 10 * 9;
    assert_eq!(Neighbors::<f32, 3>::new().within(&lattice::<f32, 3>(10, 1.0), 1.0).indices().len(), expected);
}

#[test]
fn points_on_top_of_each_other() {
    check_points(&[[1.5f32, 2.0, -3.0]; 300], 0.0, "one place, no radius");
    check_points(&[[0.0f64; 2]; 300], 1.0, "the origin");
    let five: Vec<[f32; 3]> = (0..500).map(|i| [(i % 5) as f32; 3]).collect();
    check_points(&five, 0.0, "five places");
}

/// Most are tiny, few are huge: several levels, and some that fit none.
#[test]
fn radii_over_four_decades() {
    fn balls<S: Coordinate, const D: usize>(n: usize, extent: f64) -> Vec<Ball<S, D>> {
        let rng = &mut Rng(5);
        let radius = |rng: &mut Rng| 10f64.powf(-2.0 + 4.0 * rng.unit().powi(3));
        (0..n)
            .map(|_| Ball { center: std::array::from_fn(|_| S::of(rng.within(0.0, extent))), radius: S::of(radius(rng)) })
            .collect()
    }
    check_balls(&balls::<f32, 3>(3000, 300.0), "four decades");
    check_balls(&balls::<f64, 2>(3000, 300.0), "four decades, plane");
    let mut levels = Neighbors::<f32, 3>::new();
    levels.touching(&balls::<f32, 3>(60_000, 900.0));
    assert!(levels.stats().levels.len() > 1, "{:?}", levels.stats());
}

/// Large enough for several levels by the planner's choice, and with all threads.
#[test]
fn a_large_scene_with_several_levels() {
    let rng = &mut Rng(6);
    let ball = |i: usize| {
        let radius = match i % 1000 {
            0 => 40.0,
            1..20 => 5.0,
            _ => rng.within(0.2, 0.4),
        };
        Ball::new([(); 3].map(|()| rng.within(0.0, 120.0) as f32), radius as f32)
    };
    let balls: Vec<Ball<f32, 3>> = (0..20_000).map(ball).collect();
    let expected = Oracle::new(&balls.iter().map(|ball| (ball.center, ball.radius)).collect::<Vec<_>>());
    let (mut full, mut half) = (Neighbors::<f32, 3>::new().sorted(true), Neighbors::<f32, 3>::new().half(true));
    for threads in [1, 2, 5] {
        pool(threads).install(|| {
            assert!(full.par_touching(&balls).iter().eq(expected.rows.iter()));
            assert_rows(&both_ways(half.par_touching(&balls)), &expected, &threads);
        });
    }
    assert!(full.stats().levels.len() + full.stats().oversized.min(1) > 1, "{:?}", full.stats());
}

#[test]
fn memory_of_another_scene_changes_nothing() {
    let rng = &mut Rng(9);
    let mut engines = [Neighbors::<f32, 3>::new(), Neighbors::<f32, 3>::new().half(true)];
    for (n, extent, radius) in
        [(3000, 20.0, 1.0), (10, 1.0, 0.5), (0, 1.0, 1.0), (5000, 1e6, 1e4), (700, 1.0, 2.0), (3000, 9.0, 0.5)]
    {
        let points: Vec<[f32; 3]> = (0..n).map(|_| [(); 3].map(|()| rng.within(-extent, extent) as f32)).collect();
        let expected = Oracle::new(&points.iter().map(|&point| (point, radius / 2.0)).collect::<Vec<_>>());
        for threads in [5, 1] {
            let [full, half] = &mut engines;
            pool(threads).install(|| {
                assert_rows(&sorted(full.par_within(&points, radius)), &expected, &(n, threads));
                assert_rows(&both_ways(half.par_within(&points, radius)), &expected, &(n, threads));
            });
        }
    }
    let [mut full, _] = engines;
    full.shrink_to_fit();
    assert!(full.rows().is_empty() && full.rows().iter().next().is_none() && full.rows().indices().is_empty());
    assert_eq!(full.within(&[[0.0; 3], [1.0; 3]], 2.0).indices(), [1, 0]);
}

#[test]
fn bad_particles_cost_nobody_anything() {
    let rng = &mut Rng(4);
    let mut balls: Vec<Ball<f32, 2>> =
        (0..400).map(|_| Ball::new([(); 2].map(|()| rng.within(0.0, 9.0) as f32), rng.within(0.0, 1.0) as f32)).collect();
    for (i, bad) in [f32::NAN, -1.0, -0.0, -1e-30, 0.0].into_iter().enumerate() {
        balls[10 * i].radius = bad;
    }
    balls[100].center[1] = f32::NAN;
    balls[101].center[0] = f32::INFINITY;
    balls[102].radius = f32::INFINITY;
    balls[103] = Ball::new([f32::NEG_INFINITY, f32::NAN], f32::NAN);
    check_balls(&balls, "bad balls");

    let mut neighbors = Neighbors::<f32, 2>::new();
    let rejected = neighbors.touching(&balls).rejected();
    assert_eq!(rejected[0], Rejected { index: 0, reason: RejectReason::NotANumber });
    assert_eq!(rejected[1], Rejected { index: 10, reason: RejectReason::Inverted });
    assert_eq!(neighbors.rejected().len(), 5);

    let points = [[0.0f32, 0.0], [f32::NAN, 0.0], [0.5, 0.0]];
    for radius in [-1.0, f32::NAN] {
        let rows = neighbors.par_within(&points, radius);
        assert_eq!((rows.len(), rows.indices().len(), rows.rejected().len()), (3, 0, 3));
    }
    check_points(&points, 1.0, "a bad point");
    check_points::<f64, 3>(&[], 1.0, "nobody");
}

/// Boxes, groups and a filter count as in detection.
#[test]
fn particles_that_are_not_only_balls() {
    struct Grain {
        ball: Ball<f32, 2>,
        square: bool,
        kind: u32,
    }
    impl Bounded<f32, 2> for Grain {
        fn aabb(&self) -> Aabb<f32, 2> {
            self.ball.aabb()
        }
        fn ball(&self) -> Option<Ball<f32, 2>> {
            (!self.square).then_some(self.ball)
        }
        fn groups(&self) -> Groups {
            Groups::new(1 << (self.kind % 3), !(1 << (self.kind % 3)))
        }
        fn pairs_with(&self, other: &Self) -> bool {
            !(self.kind + other.kind).is_multiple_of(5)
        }
    }
    let rng = &mut Rng(8);
    let grains: Vec<Grain> = (0..2000)
        .map(|i| Grain {
            ball: Ball::new([(); 2].map(|()| rng.within(0.0, 30.0) as f32), rng.within(0.1, 0.9) as f32),
            square: i % 7 == 0,
            kind: rng.below(30) as u32,
        })
        .collect();
    let pairs = pivotgrid::BroadPhase::<f32, 2>::new().detect(&grains).sorted();
    assert!(pairs.len() > 2000);
    let mut expected = Oracle { rows: vec![Vec::new(); grains.len()], rejected: Vec::new() };
    for pair in pairs {
        expected.rows[pair.a as usize].push(pair.b);
        expected.rows[pair.b as usize].push(pair.a);
    }
    expected.rows.iter_mut().for_each(|row| row.sort_unstable());
    check_all(&expected, "grains", |neighbors, parallel| match parallel {
        true => neighbors.par_touching(&grains),
        false => neighbors.touching(&grains),
    });
}

/// A panic of the user's code arrives, and the next search is complete.
#[test]
fn a_panicking_filter_leaves_the_memory_usable() {
    struct Touchy([f32; 2], std::sync::atomic::AtomicBool);
    impl Bounded<f32, 2> for Touchy {
        fn aabb(&self) -> Aabb<f32, 2> {
            Ball::new(self.0, 1.0).aabb()
        }
        fn ball(&self) -> Option<Ball<f32, 2>> {
            Some(Ball::new(self.0, 1.0))
        }
        fn pairs_with(&self, _: &Self) -> bool {
            assert!(!self.1.load(std::sync::atomic::Ordering::Relaxed), "touched");
            true
        }
    }
    let rng = &mut Rng(2);
    let particles: Vec<Touchy> =
        (0..3000).map(|_| Touchy([(); 2].map(|()| rng.within(0.0, 60.0) as f32), false.into())).collect();
    let expected = Oracle::new(&particles.iter().map(|particle| (particle.0, 1.0)).collect::<Vec<_>>());
    let mut neighbors = Neighbors::<f32, 2>::new();
    for at in [1500, 3, 2999] {
        particles[at].1.store(true, std::sync::atomic::Ordering::Relaxed);
        let search = std::panic::AssertUnwindSafe(|| pool(2).install(|| neighbors.par_touching(&particles).len()));
        assert!(std::panic::catch_unwind(search).is_err());
        particles[at].1.store(false, std::sync::atomic::Ordering::Relaxed);
        assert_rows(&sorted(pool(2).install(|| neighbors.par_touching(&particles))), &expected, &at);
    }
}

/// Coordinates and periods are multiples of 1/32, so that nothing is ever rounded and the oracle may compute in `f64`.
fn check_periodic<S: Coordinate, const D: usize>(periods: [f64; D], periodic: [bool; D], radius: f64, n: usize) {
    let rng = &mut Rng(n as u64);
    let low = -2.5;
    let place = |rng: &mut Rng, axis: usize| {
        let inside = low + (rng.within(0.0, periods[axis]) * 32.0).floor() / 32.0;
        if periodic[axis] { inside + (rng.below(4) as f64 - 1.0) * periods[axis] } else { inside }
    };
    let points: Vec<[f64; D]> = (0..n).map(|_| std::array::from_fn(|axis| place(rng, axis))).collect();
    let shifts = |axis: usize| if periodic[axis] { -6..=6 } else { 0..=0 };
    let mut expected = vec![Vec::new(); n];
    let reached = |i: usize, j: usize, axis: usize| {
        let distance =
            move |shift: i32, points: &[[f64; D]]| points[i][axis] - points[j][axis] - f64::from(shift) * periods[axis];
        let points = &points;
        shifts(axis).map(move |shift| (shift, distance(shift, points))).filter(move |(_, distance)| distance.abs() <= radius)
    };
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let mut partial: Vec<([i32; D], f64)> = vec![([0; D], 0.0)];
            for axis in 0..D {
                let mut longer = Vec::new();
                for (shift, squares) in &partial {
                    for (along, distance) in reached(i, j, axis) {
                        let mut shift = *shift;
                        shift[axis] = along;
                        longer.push((shift, squares + distance * distance));
                    }
                }
                partial = longer;
            }
            let near = partial.into_iter().filter(|(_, squares)| *squares <= radius * radius);
            expected[i].extend(near.map(|(shift, _)| (j as u32, shift)));
        }
        expected[i].sort_unstable();
    }
    assert!(expected.iter().any(|row| row.iter().any(|(_, shift)| *shift != [0; D])), "nobody meets across a border");

    let points: Vec<[S; D]> = points.iter().map(|point| point.map(S::of)).collect();
    let balls: Vec<Ball<S, D>> = points.iter().map(|&point| Ball::new(point, S::of(radius / 2.0))).collect();
    let domain = Aabb::new([S::of(low); D], std::array::from_fn(|axis| S::of(low + periods[axis])));
    let read = |rows: pivotgrid::PeriodicRows<'_, S, D>| -> Vec<Vec<(u32, [i32; D])>> {
        use rayon::prelude::*;
        assert_eq!(rows.iter().map(Iterator::count).sum::<usize>(), rows.neighbors());
        assert_eq!(rows.par_iter().map(Iterator::count).sum::<usize>(), rows.neighbors());
        assert!(rows.rejected().is_empty() && rows.len() == n);
        let sorted = |particle| {
            let mut row: Vec<_> = rows.row(particle).map(|neighbor| (neighbor.index, neighbor.shift)).collect();
            row.sort_unstable();
            row
        };
        (0..n).map(sorted).collect()
    };
    for config in [Config::default(), grid_config()] {
        let new = || Neighbors::<S, D>::with_config(config.clone()).expect("a valid config");
        let mut full = new().periodic(domain, periodic).expect("a domain");
        let mut half = new().half(true).periodic(domain, periodic).expect("a domain");
        let mut canonical = new().half(true).sorted(true).periodic(domain, periodic).expect("a domain");
        let mut first: Option<Vec<_>> = None;
        for threads in [1, 2, 5] {
            pool(threads).install(|| {
                assert!(read(full.par_within(&points, S::of(radius))) == expected, "{threads} threads");
                assert!(read(full.par_touching(&balls)) == expected, "{threads} threads");
                let mut both = read(half.par_within(&points, S::of(radius)));
                for (i, row) in both.clone().iter().enumerate() {
                    row.iter().for_each(|(j, shift)| both[*j as usize].push((i as u32, shift.map(|s| -s))));
                }
                both.iter_mut().for_each(|row| row.sort_unstable());
                assert!(both == expected, "half, {threads} threads");
                let rows = canonical.par_touching(&balls);
                let rows: Vec<Vec<_>> = rows.iter().map(Iterator::collect).collect();
                assert_eq!(first.get_or_insert_with(|| rows.clone()), &rows, "{threads} threads");
            });
        }
        assert!(read(full.within(&points, S::of(radius))) == expected && read(full.touching(&balls)) == expected);
    }
}

#[test]
fn neighbors_across_periodic_borders() {
    check_periodic::<f32, 2>([10.0, 7.0], [true, true], 1.25, 400);
    check_periodic::<f64, 2>([10.0, 7.0], [true, false], 1.0, 400);
    check_periodic::<f32, 3>([5.0, 6.0, 7.0], [true, true, true], 1.5, 300);
    check_periodic::<f64, 3>([5.0, 6.0, 7.0], [false, true, true], 1.5, 300);
}

/// More than half a period: a particle meets another in several places.
#[test]
fn neighbors_in_domains_that_are_small() {
    check_periodic::<f32, 2>([4.0, 4.0], [true, true], 3.0, 40);
    check_periodic::<f64, 3>([3.0, 2.0, 4.0], [true, true, true], 1.75, 30);
}

#[test]
fn bad_particles_in_a_periodic_domain() {
    let domain = Aabb::new([0.0f32; 2], [10.0; 2]);
    let mut neighbors = Neighbors::<f32, 2>::new().periodic(domain, [true, true]).expect("a domain");
    let mut balls =
        [Ball::new([9.9f32, 5.0], 0.5), Ball::new([0.1, 5.0], 0.5), Ball::new([5.0, 5.0], 0.5), Ball::new([5.0, 5.0], 900.0)];
    balls[2].center[0] = f32::NAN;
    let rows = neighbors.touching(&balls);
    assert_eq!(rows.row(0).collect::<Vec<_>>(), [pivotgrid::PeriodicNeighbor { index: 1, shift: [1, 0] }]);
    assert_eq!((rows.row(2).count(), rows.row(3).count()), (0, 0));
    assert!(rows.rejected().iter().map(|rejected| rejected.index).eq([2, 3]));
    assert!(neighbors.within(&[[1.0f32, 1.0]], f32::NAN).rejected().len() == 1);
    neighbors.shrink_to_fit();
    assert!(neighbors.rows().is_empty());
    assert!(Neighbors::<f32, 2>::new().periodic(domain, [true, true]).is_ok());
    assert!(Neighbors::<f32, 2>::new().periodic(Aabb::new([0.0, 1.0], [1.0, 1.0]), [true, true]).is_err());
}

/// Rows of 99 neighbors each, so many that a share of the work for each 2^14 neighbors leaves nothing for the last share: a row is never
/// cut, so each share is some neighbors longer.
#[test]
fn shares_of_whole_rows_may_leave_nothing_for_the_last() {
    let points: Vec<[f32; 2]> = (0..8300).map(|index| [10.0 * (index / 100) as f32, 0.0]).collect();
    for threads in [1, 2, 3] {
        let mut neighbors = Neighbors::<f32, 2>::with_config(grid_config()).unwrap().sorted(true);
        let rows = pool(threads).install(|| neighbors.par_within(&points, 1.0));
        assert_eq!(rows.indices().len(), 8300 * 99);
        for (index, row) in (0u32..).zip(rows.iter()) {
            let first = index / 100 * 100;
            assert!(row.iter().copied().eq((first..first + 100).filter(|&other| other != index)), "row {index}");
        }
    }
}
