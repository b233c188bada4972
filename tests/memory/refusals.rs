//! Every allocation of a step fails once. The step says so, nothing aborts, and the engine goes on as if nothing had been.
//!
//! Rayon's own allocations are left out: the steps run inside of a pool whose threads have done all of theirs.

use std::fmt::Debug;

use pivotgrid::{Aabb, Ball, Bounded, BroadPhase, Config, DetectError, Groups, Pair};

use crate::account::Account;
use crate::common::{Coordinate, Rng, grid_config};

/// Something that makes the engine use all the memory it has: groups, balls, several levels, a list, bad boxes.
#[derive(Clone, Debug)]
struct Body<S, const D: usize> {
    bounds: Aabb<S, D>,
    groups: Groups,
    ball: Option<Ball<S, D>>,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Body<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
}

fn bodies<S: Coordinate, const D: usize>(n: usize) -> Vec<Body<S, D>> {
    let rng = &mut Rng(31);
    let edge = 2.0 * (n as f64).powf(1.0 / D as f64);
    (0..n)
        .map(|index| {
            let radius = if index % 300 == 0 { 6.0 } else { rng.within(0.2, 1.2) };
            let center: [S; D] = std::array::from_fn(|_| S::of(rng.within(0.0, edge)));
            let mut bounds = Aabb::around(center, [S::of(radius); D]);
            match index % 1000 {
                7 => bounds.min[0] = S::of(f64::NAN),
                8 => bounds.max[1] = S::of(f64::INFINITY),
                _ => {}
            }
            let groups = if index % 5 == 0 { Groups::new(2, !2) } else { Groups::ALL };
            Body { bounds, groups, ball: (index % 3 == 0).then(|| Ball::new(center, S::of(radius))) }
        })
        .collect()
}

/// Fails the first allocation of a step, then the second one, until there are no more. `used` takes an engine up to the step.
fn every_allocation_fails_once<S: Coordinate + Debug, const D: usize>(
    threads: usize,
    config: &Config,
    used: impl Fn(&mut BroadPhase<S, D>, &[Body<S, D>]) + Sync,
) {
    let account = Account::open();
    let pool = account.pool(threads);
    let bodies = bodies::<S, D>(3000);
    // What is right is told elsewhere; here it must be the same.
    let expected = BroadPhase::<S, D>::new().detect(&bodies).sorted();
    let (mut refused, mut granted) = (0, 0);
    for number in 1.. {
        let mut engine = BroadPhase::<S, D>::with_config(config.clone()).expect("a valid config");
        // Room for a copy of the pairs, which the test makes and not the engine.
        let mut found: Vec<Pair> = Vec::with_capacity(2 * expected.len());
        let (outcome, failed) = pool.install(|| {
            used(&mut engine, &bodies);
            account.with_failing(number, || engine.try_par_detect(&bodies).map(|pairs| found.extend(pairs)))
        });
        match outcome {
            Err(DetectError::OutOfMemory { needed }) => {
                assert!(failed && needed > 0, "allocation {number}");
                assert!(engine.queries().overlapping_count() == 0, "something is left to be found");
                refused += 1;
            }
            Err(other) => panic!("allocation {number}: {other}"),
            // What is only kept in store for the next step may be refused without harm.
            Ok(()) => {
                found.sort_unstable();
                assert!(found == expected, "allocation {number}: wrong pairs");
                granted += usize::from(failed);
            }
        }
        let again = pool.install(|| engine.try_par_detect(&bodies).map(|pairs| pairs.sorted()));
        assert!(again.as_ref() == Ok(&expected), "after allocation {number}: {:?}", again.map(|pairs| pairs.len()));
        if !failed {
            println!("{threads} threads: {refused} refusals reported, {granted} did no harm");
            assert!(refused > 20, "only {refused} allocations were refused");
            return;
        }
    }
}

trait Asks {
    fn overlapping_count(&self) -> usize;
}

impl<S: Coordinate, const D: usize> Asks for pivotgrid::Queries<'_, S, D> {
    fn overlapping_count(&self) -> usize {
        let mut found = Vec::new();
        self.overlapping(&Aabb::new([S::of(-1e9); D], [S::of(1e9); D]), &mut found);
        found.len()
    }
}

#[test]
fn in_the_first_step() {
    for threads in [1, 3] {
        every_allocation_fails_once::<f32, 3>(threads, &grid_config(), |_, _| ());
        every_allocation_fails_once::<f64, 2>(threads, &grid_config(), |_, _| ());
    }
}

#[test]
fn in_a_step_with_pairs_in_order() {
    every_allocation_fails_once::<f32, 3>(2, &grid_config().canonical_order(true), |_, _| ());
}

/// The scene before was smaller, elsewhere and without groups and balls, so everything has to grow.
#[test]
fn in_a_step_after_others() {
    let small = |engine: &mut BroadPhase<f32, 3>, bodies: &[Body<f32, 3>]| {
        let moved =
            |body: &Body<f32, 3>| Aabb { min: body.bounds.min.map(|x| x + 500.0), max: body.bounds.max.map(|x| x + 500.0) };
        engine.par_detect(&bodies[..900].iter().map(moved).collect::<Vec<_>>());
    };
    every_allocation_fails_once(2, &grid_config(), small);
}

#[test]
fn in_a_step_without_a_grid() {
    every_allocation_fails_once::<f32, 2>(1, &grid_config().all_pairs_up_to(usize::MAX), |_, _| ());
}
