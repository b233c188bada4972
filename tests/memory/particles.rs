//! Every allocation of a neighbor search and of a step in a periodic domain fails once: an error, never an abort or a partial answer.

use pivotgrid::{Aabb, Ball, DetectError, Lattice, Neighbors, Periodic, PeriodicNeighbors, Reach, Rejected, StaticSet};

use crate::account::Account;
use crate::common::{Rng, grid_config};

const EDGE: f64 = 30.0;

/// Several levels, an infinite one, a bad one, and some across the border.
fn balls(n: usize) -> Vec<Ball<f32, 3>> {
    let rng = &mut Rng(3);
    let mut ball = |index: usize| {
        let radius = if index.is_multiple_of(300) { 5.0 } else { rng.within(0.2, 0.9) };
        Ball::new([(); 3].map(|()| rng.within(0.0, EDGE) as f32), if index == 7 { f32::NAN } else { radius as f32 })
    };
    (0..n).map(&mut ball).collect()
}

fn domain() -> Aabb<f32, 3> {
    Aabb::new([0.0; 3], [EDGE as f32; 3])
}

/// A digest that does not depend on the order and allocates nothing.
fn digest(pairs: impl Iterator<Item = (usize, u32, [i32; 3])>) -> u64 {
    let one = |(a, b, shift): (usize, u32, [i32; 3])| {
        let shift = shift.iter().fold(0, |code: i64, &by| code * 1000 + i64::from(by));
        Rng((a as u64) << 32 ^ u64::from(b) ^ (shift as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).next()
    };
    pairs.map(one).fold(0, u64::wrapping_add)
}

/// Fails the first allocation of `attempt` on a new `T`, then the second one, until there are no more.
fn every_allocation_fails_once<T: Send>(
    threads: usize,
    new: impl Fn() -> T,
    attempt: impl Fn(&mut T) -> Result<u64, DetectError> + Sync,
    is_empty: impl Fn(&T) -> bool,
) {
    let account = Account::open();
    let pool = account.pool(threads);
    let expected = attempt(&mut new());
    assert!(expected.is_ok());
    let mut refused = 0;
    for number in 1.. {
        let mut tried = new();
        let (outcome, failed) = pool.install(|| account.with_failing(number, || attempt(&mut tried)));
        match outcome {
            Err(DetectError::OutOfMemory { needed }) => {
                assert!(failed && needed > 0 && is_empty(&tried), "allocation {number}");
                refused += 1;
            }
            // What is only kept in store for the next step may be refused without harm.
            outcome => assert!(outcome == expected, "allocation {number}: {outcome:?}"),
        }
        assert!(pool.install(|| attempt(&mut tried)) == expected, "after allocation {number}");
        if !failed {
            assert!(refused > 20, "only {refused} allocations were refused");
            return;
        }
    }
}

#[test]
fn in_a_search_for_neighbors() {
    let balls = balls(2500);
    for (threads, half) in [(1, false), (3, false), (2, true)] {
        let new = || Neighbors::<f32, 3>::with_config(grid_config()).unwrap().half(half).sorted(true);
        let attempt = |neighbors: &mut Neighbors<f32, 3>| {
            let rows = neighbors.try_par_touching(&balls)?;
            assert!(matches!(rows.rejected(), [Rejected { index: 7, .. }]));
            Ok(digest(rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&j| (i, j, [0; 3])))))
        };
        every_allocation_fails_once(threads, new, attempt, |neighbors| neighbors.rows().is_empty());
    }
}

#[test]
fn in_a_periodic_step() {
    let balls = balls(2500);
    for (threads, in_order) in [(1, false), (3, false), (2, true)] {
        let config = grid_config().canonical_order(in_order);
        let new = || Periodic::<f32, 3>::with_config(domain(), [true, true, false], config.clone()).unwrap();
        let attempt = |periodic: &mut Periodic<f32, 3>| {
            let pairs = periodic.try_par_detect(&balls)?;
            assert!(pairs.rejected().len() == 1);
            Ok(digest(pairs.iter().map(|pair| (pair.a as usize, pair.b, pair.shift))))
        };
        every_allocation_fails_once(threads, new, attempt, tells_nothing);
    }
}

/// A periodic domain after a step that did not come to its end.
fn tells_nothing(periodic: &Periodic<f32, 3>) -> bool {
    let mut found = Vec::new();
    periodic.queries().overlapping(&domain(), &mut found);
    let stats = periodic.stats();
    found.is_empty() && periodic.rejected().is_empty() && (stats.objects, stats.pairs, stats.chunks) == (0, 0, 0)
}

/// A sheared cell, static objects with images, and all pairs in order.
#[test]
fn in_a_step_with_statics_in_a_lattice() {
    let balls = balls(1200);
    let mut statics = StaticSet::<f32, 3>::new();
    statics.build(&balls[..300]);
    let lattice = Lattice::new([[EDGE, 0.0, 0.0], [9.0, EDGE, 0.0], [0.0, -5.0, EDGE]], [true, true, false]).unwrap();
    for threads in [1, 2] {
        let config = grid_config().canonical_order(true);
        let new = || Periodic::<f32, 3>::of_lattice_with_config(lattice, config.clone()).unwrap();
        let attempt = |periodic: &mut Periodic<f32, 3>| {
            let found = periodic.over(&balls).with(&statics).try_pairs()?;
            let moving = found.moving.iter().map(|pair| (pair.a as usize, pair.b, pair.shift));
            Ok(digest(moving.chain(found.statics.iter().map(|pair| (pair.first as usize, pair.second, pair.shift)))))
        };
        every_allocation_fails_once(threads, new, attempt, tells_nothing);
    }
}

/// A static set with images changes here and there, and an allocation of the step after it is refused: the step ends with an error or does
/// without, and the next one is right.
#[test]
fn in_a_step_after_changes_of_statics() {
    let (balls, account) = (balls(900), Account::open());
    for threads in [1, 2] {
        let (pool, config) = (account.pool(threads), grid_config());
        let attempt = |periodic: &mut Periodic<f32, 3>, statics: &StaticSet<f32, 3>| {
            let found = periodic.over(&balls[..400]).with(statics).try_pairs()?.statics;
            Ok(digest(found.iter().map(|pair| (pair.first as usize, pair.second, pair.shift))))
        };
        for number in 1.. {
            let mut periodic = Periodic::<f32, 3>::with_config(domain(), [true; 3], config.clone()).unwrap();
            let mut statics = StaticSet::<f32, 3>::new();
            statics.build(&balls[400..700]);
            attempt(&mut periodic, &statics).unwrap();
            for (index, ball) in (0..).zip(&balls[700..800]) {
                match index % 3 {
                    0 => statics.update(index, ball).unwrap(),
                    1 => _ = statics.insert(ball),
                    _ => _ = statics.remove(index).unwrap(),
                }
            }
            let expected = attempt(&mut Periodic::with_config(domain(), [true; 3], config.clone()).unwrap(), &statics);
            let (outcome, failed) = pool.install(|| account.with_failing(number, || attempt(&mut periodic, &statics)));
            match outcome {
                Err(DetectError::OutOfMemory { .. }) => assert!(failed && tells_nothing(&periodic), "allocation {number}"),
                outcome => assert!(outcome == expected, "allocation {number}: {outcome:?}"),
            }
            assert!(pool.install(|| attempt(&mut periodic, &statics)) == expected, "after allocation {number}");
            if !failed {
                assert!(number > 5, "only {number} allocations");
                break;
            }
        }
    }
}

#[test]
fn in_a_search_with_everything_beside() {
    let balls = balls(2500);
    let (points, radii): (Vec<[f32; 3]>, Vec<f32>) = balls.iter().map(|ball| (ball.center, ball.radius)).unzip();
    let new = || Neighbors::<f32, 3>::with_config(grid_config()).unwrap().distances(true).vectors(true).skin(0.1);
    let attempt = |neighbors: &mut Neighbors<f32, 3>| {
        let rows = neighbors.try_par_within(&points, Reach::Max(&radii))?;
        assert!(rows.distances().len() == rows.indices().len() && rows.vectors().len() == rows.indices().len());
        Ok(digest(rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&j| (i, j, [0; 3])))))
    };
    every_allocation_fails_once(2, new, attempt, |neighbors| neighbors.rows().is_empty() && neighbors.needs_rebuild(&points));
}

/// Objects that are so long that images are searched by kind.
#[test]
fn with_many_periods() {
    let points = [[0.1, 0.2, 0.3], [0.4, 0.9, 0.5], [0.8, 0.3, 0.7f32]];
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0]], [true; 3]).unwrap();
    let new = || Neighbors::<f32, 3>::with_config(grid_config()).unwrap().lattice(lattice);
    let attempt = |neighbors: &mut PeriodicNeighbors<f32, 3>| {
        let rows = neighbors.try_par_within(&points, Reach::Max(&[3.0, 4.0, 0.5]))?;
        Ok(digest(rows.iter().enumerate().flat_map(|(i, row)| row.map(move |near| (i, near.index, near.shift)))))
    };
    every_allocation_fails_once(2, new, attempt, |neighbors| neighbors.rows().is_empty());
    let boxes = points.map(|point| Aabb::around(point, [5.0; 3]));
    let new = || Periodic::<f32, 3>::of_lattice_with_config(lattice, grid_config()).unwrap();
    let attempt = |periodic: &mut Periodic<f32, 3>| {
        Ok(digest(periodic.try_par_detect(&boxes)?.iter().map(|pair| (pair.a as usize, pair.b, pair.shift))))
    };
    every_allocation_fails_once(2, new, attempt, tells_nothing);
}

#[test]
fn in_a_search_in_a_lattice() {
    let balls = balls(2000);
    let points: Vec<[f32; 3]> = balls.iter().map(|ball| ball.center).collect();
    for (threads, touching) in [(1, false), (3, false), (2, true)] {
        let lattice = Lattice::new([[EDGE, 0.0, 0.0], [9.0, EDGE, 0.0], [0.0, -5.0, EDGE]], [true, true, false]).unwrap();
        let new = || {
            let neighbors = Neighbors::<f32, 3>::with_config(grid_config()).unwrap().sorted(true);
            neighbors.shifts(true).distances(true).vectors(true).skin(0.1).lattice(lattice)
        };
        let attempt = |neighbors: &mut PeriodicNeighbors<f32, 3>| {
            let rows = match touching {
                true => neighbors.try_par_touching(&balls)?,
                false => neighbors.try_par_within(&points, 2.0)?,
            };
            assert!(rows.rejected().len() == usize::from(touching) && rows.shifts().len() == rows.neighbors());
            Ok(digest(rows.iter().enumerate().flat_map(|(i, row)| row.map(move |near| (i, near.index, near.shift)))))
        };
        every_allocation_fails_once(threads, new, attempt, |neighbors| neighbors.rows().is_empty());
    }
}
