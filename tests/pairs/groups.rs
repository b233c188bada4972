//! Groups, bodies and balls are checked by the kernels as their documentation says, and sinks see every pair once.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::common::{Coordinate, Placement, Rng, Scene, Sizes, configs, grid_config, pool};
use pivotgrid::{Aabb, Ball, Bounded, BroadPhase, Config, Groups, InstructionSet, Pair};

/// A box or a ball in some groups.
#[derive(Clone, Copy, Debug)]
struct Thing<S, const D: usize> {
    bounds: Aabb<S, D>,
    groups: Groups,
    ball: Option<Ball<S, D>>,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Thing<S, D> {
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

/// What the documentation says, written a second time.
fn wanted<S: Coordinate, const D: usize>(a: &Thing<S, D>, b: &Thing<S, D>) -> bool {
    let overlap = (0..D).all(|axis| a.bounds.min[axis] <= b.bounds.max[axis] && b.bounds.min[axis] <= a.bounds.max[axis]);
    let groups = (a.groups.member & b.groups.mask) > 0 && (b.groups.member & a.groups.mask) > 0;
    let same_body = a.groups.body != 0 && a.groups.body == b.groups.body;
    let touch = match (a.ball, b.ball) {
        (Some(a), Some(b)) => {
            let mut distance = S::of(0.0);
            for axis in 0..D {
                let along = a.center[axis] - b.center[axis];
                distance = distance + along * along;
            }
            distance <= (a.radius + b.radius) * (a.radius + b.radius)
        }
        _ => true,
    };
    overlap && groups && !same_body && touch
}

fn oracle<S: Coordinate, const D: usize>(things: &[Thing<S, D>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for b in 0..things.len() {
        pairs.extend((0..b).filter(|&a| wanted(&things[a], &things[b])).map(|a| Pair { a: a as u32, b: b as u32 }));
    }
    pairs.sort_unstable();
    pairs
}

/// Boxes and balls of different groups and bodies, or only some of these.
fn things<S: Coordinate, const D: usize>(n: usize, grouped: bool, round: bool, seed: u64) -> Vec<Thing<S, D>> {
    let scene = Scene { n, sizes: Sizes::Poly, placement: Placement::Clustered, extent: 40.0, origin: 0.0, seed };
    let mut rng = Rng(seed);
    let mut thing = |bounds: Aabb<S, D>| {
        let (kind, body) = (rng.below(5), rng.below(40) as u32);
        let ball = Ball::new(bounds.min, bounds.max[0] - bounds.min[0]);
        let is_ball = round && kind % 2 == 0;
        let groups = match kind {
            0 => Groups::ALL.of_body(body),
            1 => Groups::new(1, 2),
            2 => Groups::new(2, 3).of_body(body),
            3 => Groups::new(1 << 31, 1 << 31),
            _ => Groups::NONE,
        };
        Thing {
            bounds: if is_ball { ball.aabb() } else { bounds },
            groups: if grouped { groups } else { Groups::ALL },
            ball: is_ball.then_some(ball),
        }
    };
    scene.boxes().into_iter().map(&mut thing).collect()
}

fn check<S: Coordinate, const D: usize>() {
    let mut engines: Vec<_> = configs().into_iter().map(|config| BroadPhase::<S, D>::with_config(config).unwrap()).collect();
    // The same engines see scenes with and without groups and balls in turn: what is left of the last must not count.
    for (seed, n) in [(1, 400), (2, 40), (3, 900)] {
        for (grouped, round) in [(true, false), (false, false), (false, true), (true, true)] {
            let things = things::<S, D>(n, grouped, round, seed);
            let expected = oracle(&things);
            for engine in &mut engines {
                assert_eq!(engine.detect(&things).sorted(), expected, "{n} things, {grouped} {round}, {:?}", engine.stats());
                assert_eq!(pool(3).install(|| engine.par_detect(&things).sorted()), expected);
            }
        }
    }
}

#[test]
fn groups_and_balls_decide_next_to_the_boxes() {
    check::<f32, 2>();
    check::<f32, 3>();
    check::<f64, 2>();
    check::<f64, 3>();
}

/// Columns of groups and balls that the last scene had are shorter than the table of a larger scene. Two sizes make two levels, and the boxes
/// around chunks are found before this scene's groups and balls are filled in.
#[test]
fn a_larger_scene_after_one_with_groups_or_balls() {
    let rng = &mut Rng(5);
    let cubes = |n: usize, edge: f32, rng: &mut Rng| -> Vec<Thing<f32, 3>> {
        let cube = |_| {
            let min = std::array::from_fn(|_| rng.within(0.0, 20.0) as f32);
            Thing { bounds: Aabb::new(min, min.map(|x| x + edge)), groups: Groups::ALL, ball: None }
        };
        (0..n).map(cube).collect()
    };
    let larger = [cubes(4000, 0.3, rng), cubes(300, 8.0, rng)].concat();
    let expected = oracle(&larger);
    for (grouped, round) in [(true, false), (false, true), (true, true)] {
        let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
        engine.detect(&things(100, grouped, round, 1));
        assert_eq!(engine.detect(&larger).sorted(), expected, "{grouped} {round}");
        assert!(engine.stats().levels.iter().filter(|level| level.objects > 0).count() > 1, "{:?}", engine.stats().levels);
        engine.detect(&things(100, grouped, round, 1));
        assert_eq!(pool(3).install(|| engine.par_detect(&larger).sorted()), expected, "{grouped} {round}");
    }
}

#[test]
fn balls_that_touch_exactly_are_pairs_on_every_instruction_set() {
    let sets = [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];
    for config in sets.map(|set| grid_config().instruction_set(set)) {
        let Ok(mut engine) = BroadPhase::<f32, 3>::with_config(config) else { continue };
        // A lattice of balls that touch along the axes only, and far from the origin, where boxes are coarse.
        for origin in [0.0, 1000.0, -123_456.0] {
            let balls: Vec<_> =
                (0..512).map(|i| Ball::new([i % 8, i / 8 % 8, i / 64].map(|k| origin + 0.5 * k as f32), 0.25f32)).collect();
            assert_eq!(engine.detect(&balls).len(), 3 * 7 * 64);
        }
    }
}

#[test]
fn balls_with_a_bad_radius_are_rejected_and_cost_nobody_else_anything() {
    let mut balls: Vec<_> = (0..300).map(|i| Ball::new([i as f32, 0.0], 0.5)).collect();
    balls[17].radius = -0.1;
    balls[18].radius = f32::NAN;
    balls[19].center[1] = f32::NAN;
    let mut engine = BroadPhase::<f32, 2>::new();
    let pairs = engine.detect(&balls);
    assert_eq!(pairs.len(), 299 - 4);
    assert_eq!(pairs.rejected().iter().map(|rejected| rejected.index).collect::<Vec<_>>(), [17, 18, 19]);
}

#[test]
fn a_thousand_in_one_place_that_ignore_one_another_store_nothing() {
    let pile = |groups| vec![Thing { bounds: Aabb::new([0.0f32; 3], [1.0; 3]), groups, ball: None }; 1000];
    let mut engine = BroadPhase::<f32, 3>::new();
    assert!(engine.detect(&pile(Groups::new(1, !1))).is_empty());
    assert!(engine.detect(&pile(Groups::ALL.of_body(9))).is_empty());
    let bytes = engine.stats().bytes;
    assert!(bytes < 1_000_000, "{bytes} bytes for no pair");
    assert_eq!(engine.detect(&pile(Groups::ALL)).len(), 1000 * 999 / 2);
}

#[test]
fn visitors_see_every_pair_once() {
    for (grouped, round) in [(false, false), (true, true)] {
        let things = things::<f32, 3>(900, grouped, round, 8);
        let expected = oracle(&things);
        for config in [Config::default(), grid_config()] {
            let mut engine = BroadPhase::<f32, 3>::with_config(config).unwrap();
            for threads in [1, 2, 5] {
                let visit = |seen: &mut Vec<Pair>, pair| {
                    seen.push(pair);
                    ControlFlow::Continue(())
                };
                let mut all = pool(threads).install(|| engine.over(&things).visit(Vec::new, visit)).concat();
                all.sort_unstable();
                assert_eq!(all, expected);
            }
            assert_eq!(engine.detect(&things).sorted(), expected);
        }
    }
}

#[test]
fn visitors_that_break_are_left_alone_soon() {
    let pile = vec![Aabb::new([0.0f32; 3], [1.0; 3]); 3000];
    let mut engine = BroadPhase::<f32, 3>::new();
    for threads in [1, 4] {
        let break_at_once = |count: &mut usize, _| {
            *count += 1;
            ControlFlow::Break(())
        };
        let counts = pool(threads).install(|| engine.over(&pile).visit(|| 0, break_at_once));
        assert!(counts.iter().all(|&count| count <= 1), "a worker went on: {counts:?}");
        assert!(counts.iter().sum::<usize>() >= 1);
        assert_eq!(engine.detect(&pile).len(), 3000 * 2999 / 2);
    }
}

#[test]
fn a_function_of_the_index_is_as_good_as_a_slice() {
    let things = things::<f64, 2>(700, false, false, 4);
    let mut engine = BroadPhase::<f64, 2>::with_config(grid_config()).unwrap();
    let by_index = pool(2).install(|| engine.over_fn(things.len(), |i| things[i].bounds).pairs().sorted());
    assert_eq!(by_index, oracle(&things));
}

#[test]
fn two_sets_pair_across_and_not_within() {
    for (grouped, round) in [(false, false), (true, false), (false, true), (true, true)] {
        for (n, m) in [(400, 30), (30, 400), (0, 50), (50, 0), (1, 1)] {
            let (first, second) = (things::<f32, 3>(n, grouped, round, 1), things::<f32, 3>(m, grouped, round, 2));
            let mut expected = BTreeSet::new();
            for (a, one) in first.iter().enumerate() {
                expected
                    .extend(second.iter().enumerate().filter(|(_, other)| wanted(one, other)).map(|(b, _)| (a as u32, b as u32)));
            }
            for config in [Config::default(), grid_config()] {
                let mut engine = BroadPhase::<f32, 3>::with_config(config).unwrap();
                for threads in [1, 3] {
                    let pairs = pool(threads).install(|| engine.over(&first).against(&second).pairs().sorted());
                    assert_eq!(engine.over(&first).against(&second).serial().pairs().sorted(), pairs);
                    assert!(pairs.iter().map(|pair| (pair.first, pair.second)).eq(expected.iter().copied()), "{n} × {m}");
                }
            }
        }
    }
}
