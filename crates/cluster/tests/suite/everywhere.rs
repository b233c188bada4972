//! What every transport is checked with. `tests/pairs.rs` runs it on threads, `mpi/src/bin/conformance.rs` under MPI.

use pivotgrid::{Aabb, Ball, Config, Groups};
use pivotgrid_cluster::{ClusterConfig, Coordinate};
use scenes::{Scene, World};

use super::{Job, Numbers, Thing, of_world, things};

/// Something that runs jobs.
pub(crate) trait Runner {
    /// Runs a job, on each of the numbers of ranks that are wanted or on those that there are. Objects begin on the ranks that `home`
    /// says.
    fn check<S: Coordinate, const D: usize>(
        &self,
        job: &Job<S, D>,
        ranks: &[usize],
        frames: &[Vec<Thing<S, D>>],
        home: impl Fn(usize) -> usize + Sync,
    );
}

fn moving<S: Coordinate + scenes::Scalar, const D: usize>(scene: Scene, objects: usize, steps: usize) -> Vec<Vec<Thing<S, D>>> {
    let mut world = World::<S, D>::new(scene, objects, 5);
    (0..steps)
        .map(|_| {
            world.step();
            of_world(&world)
        })
        .collect()
}

/// Every scene finds what one engine finds. Objects begin on ranks that have nothing to do with where they are.
pub(crate) fn every_scene<S: Coordinate + scenes::Scalar, const D: usize>(runner: &impl Runner, ranks: &[usize]) {
    for scene in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        runner.check(&Job::new(), ranks, &moving::<S, D>(scene, 1500, 4), |index| index);
    }
}

/// Without migration every object is sent to where it is, each step.
pub(crate) fn without_migration(runner: &impl Runner, ranks: &[usize]) {
    for scene in [Scene::Koch, Scene::Huge, Scene::Clustered] {
        let job = Job { migrates: false, ..Job::new() };
        runner.check(&job, ranks, &moving::<f32, 3>(scene, 2000, 3), |index| index / 100);
    }
}

/// A domain that repeats itself along all axes, or some, against `Periodic`.
pub(crate) fn periodic_scenes(runner: &impl Runner, ranks: &[usize]) {
    for scene in [Scene::Uniform, Scene::Koch, Scene::Pile, Scene::Long] {
        let world = World::<f32, 3>::new(scene, 1200, 5);
        let domain = Aabb::new(world.domain().min, world.domain().max);
        let frames = moving::<f32, 3>(scene, 1200, 3);
        for axes in [[true; 3], [true, false, true], [false, false, true]] {
            runner.check(&Job { periodic: Some((domain, axes)), ..Job::new() }, ranks, &frames, |index| index);
        }
    }
}

/// No objects at all, fewer objects than ranks, all objects on one rank, all in one place, all but one far away.
pub(crate) fn few_objects(runner: &impl Runner, ranks: &[usize]) {
    let unit = |x: f32| Aabb::new([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
    let frames = |count: usize| vec![things((0..count).map(|index| unit(index as f32))); 3];
    for count in [0, 1, 2, 5, 300] {
        runner.check(&Job::new(), ranks, &frames(count), |index| index);
        runner.check(&Job::new(), ranks, &frames(count), |_| 0);
        runner.check(&Job::new(), ranks, &frames(count), |_| usize::MAX / 64 * 64 + 63);
    }
    let same = vec![things(vec![unit(3.0); 60]); 3];
    runner.check(&Job::new(), ranks, &same, |index| index);
    let mut far = things((0..200).map(|index| unit(index as f32)));
    far[7].bounds = Aabb::new([1e30, -1e30, 0.0], [2e30, 1e30, 1.0]);
    runner.check(&Job::new(), ranks, &vec![far; 4], |index| index);
}

/// Random scenes on a small lattice, where boxes touch and corners lie on cuts: with infinite and invalid boxes, groups, balls, huge
/// coordinates, periodic axes, and objects that are anywhere else in the next step.
pub(crate) fn random<S: Coordinate, const D: usize>(runner: &impl Runner, ranks: &[usize], seed: u64) {
    let mut numbers = Numbers(seed);
    let count = [3, 40, 150, 400][numbers.below(4)];
    let edge = [4.0, 12.0, 40.0][numbers.below(3)];
    let kind = Kind {
        has_groups: numbers.below(2) == 0,
        has_balls: numbers.below(2) == 0,
        has_infinite: numbers.below(3) == 0,
        has_invalid: numbers.below(3) == 0,
        has_huge: numbers.below(4) == 0,
        is_lattice: numbers.below(3) > 0,
        edge,
    };
    let is_periodic = numbers.below(3) == 0;
    let axes = std::array::from_fn(|_| numbers.below(2) == 0);
    let domain = Aabb { min: [S::rounded(0.0); D], max: [S::rounded(edge); D] };
    let engine = Config::default().serial_up_to(100).all_pairs_up_to(8).canonical_order(numbers.below(2) == 0);
    let job = Job {
        periodic: is_periodic.then_some((domain, axes)),
        config: ClusterConfig::default().engine(engine).imbalance(1.05 + numbers.unit()),
        migrates: numbers.below(2) == 0,
    };
    let frames: Vec<_> = (0..3).map(|_| things((0..count).map(|_| kind.bounds(&mut numbers)))).collect();
    let frames: Vec<Vec<_>> =
        frames.into_iter().map(|frame| frame.into_iter().map(|thing| kind.thing(thing, &mut numbers)).collect()).collect();
    let home = [1, 64, 3][numbers.below(3)];
    runner.check(&job, ranks, &frames, |index| index % home);
}

/// What a random scene has in it.
struct Kind {
    has_groups: bool,
    has_balls: bool,
    has_infinite: bool,
    has_invalid: bool,
    has_huge: bool,
    is_lattice: bool,
    edge: f64,
}

impl Kind {
    fn bounds<S: Coordinate, const D: usize>(&self, numbers: &mut Numbers) -> Aabb<S, D> {
        let mut bounds = Aabb { min: [S::rounded(0.0); D], max: [S::rounded(0.0); D] };
        let far = self.has_huge && numbers.below(20) == 0;
        for axis in 0..D {
            let x = numbers.unit() * self.edge * 1.2 - self.edge * 0.1;
            let length = numbers.unit() * if numbers.below(10) == 0 { self.edge } else { 2.0 };
            let (x, length) = if self.is_lattice { (x.floor(), length.floor()) } else { (x, length) };
            let x = if far { x * 1e25 } else { x };
            (bounds.min[axis], bounds.max[axis]) = (S::rounded(x), S::rounded(x + length));
            if self.has_infinite && numbers.below(12) == 0 {
                bounds.min[axis] = S::rounded(f64::NEG_INFINITY);
            }
            if self.has_infinite && numbers.below(12) == 0 {
                bounds.max[axis] = S::rounded(f64::INFINITY);
            }
            if self.has_invalid && numbers.below(20) == 0 {
                bounds.min[axis] = if numbers.below(2) == 0 { S::NAN } else { S::rounded(x + length + 1.0) };
            }
        }
        bounds
    }

    fn thing<S: Coordinate, const D: usize>(&self, mut thing: Thing<S, D>, numbers: &mut Numbers) -> Thing<S, D> {
        if self.has_groups && numbers.below(2) == 0 {
            thing.groups = Groups::new(1 << numbers.below(3), 1 + numbers.below(7) as u32).of_body(numbers.below(4) as u32);
        }
        let center: [f64; D] = std::array::from_fn(|axis| thing.bounds.min[axis].into());
        if self.has_balls && numbers.below(4) > 0 && center.iter().all(|x| x.is_finite()) {
            let ball = Ball::new(center.map(S::rounded), S::rounded(numbers.unit()));
            (thing.ball, thing.bounds) = (Some(ball), ball.aabb());
        }
        thing
    }
}
