//! Static sets: what moves meets what does not, through all sorts of changes, against brute force.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::common::{Coordinate, Placement, Rng, Scene, Sizes, grid_config, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, CrossPair, Groups, Pair, StaticSet};

#[derive(Clone, Copy, Debug)]
struct Wall<S, const D: usize> {
    bounds: Aabb<S, D>,
    groups: Groups,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Wall<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
}

fn overlap<S: Coordinate, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> bool {
    (0..D).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

fn pairs_with<S: Coordinate, const D: usize>(moving: &[Wall<S, D>], statics: &BTreeMap<u32, Wall<S, D>>) -> Vec<CrossPair> {
    let mut pairs = Vec::new();
    for (a, one) in moving.iter().enumerate() {
        for (&b, wall) in statics {
            let groups = one.groups.member & wall.groups.mask != 0 && wall.groups.member & one.groups.mask != 0;
            if groups && overlap(&one.bounds, &wall.bounds) {
                pairs.push(CrossPair { first: a as u32, second: b });
            }
        }
    }
    pairs
}

fn walls<S: Coordinate, const D: usize>(n: usize, seed: u64) -> Vec<Wall<S, D>> {
    let scene = Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 60.0, origin: 0.0, seed };
    let groups = |i: usize| if i.is_multiple_of(7) { Groups::new(1, 2) } else { Groups::ALL };
    scene.boxes().into_iter().enumerate().map(|(i, bounds)| Wall { bounds, groups: groups(i) }).collect()
}

fn changes<S: Coordinate, const D: usize>(start: usize, rounds: usize) {
    let mut statics = StaticSet::<S, D>::with_config(grid_config()).unwrap();
    let built = walls::<S, D>(start, 1);
    pool(2).install(|| statics.par_build(&built));
    let mut expected: BTreeMap<u32, Wall<S, D>> = (0..).zip(built).collect();
    let mut engine = BroadPhase::<S, D>::with_config(grid_config()).unwrap();
    let mut rng = Rng(3);
    let mut fresh = walls::<S, D>(rounds * 40, 2).into_iter();
    for round in 0..rounds {
        for wall in fresh.by_ref().take(40) {
            let known = expected.keys().nth(rng.below(expected.len().max(1))).copied();
            match (rng.below(3), known) {
                (0, Some(index)) => {
                    assert_eq!(statics.remove(index).ok(), expected.get(&index).map(|wall| wall.aabb()));
                    assert_eq!(statics.remove(index).unwrap_err().index, index);
                    assert_eq!(statics.update(index, &wall).unwrap_err().index, index);
                    assert_eq!(statics.get(index).unwrap_err().index, index);
                    expected.remove(&index);
                }
                (1, Some(index)) => {
                    statics.update(index, &wall).unwrap();
                    expected.insert(index, wall);
                }
                _ => assert!(expected.insert(statics.insert(&wall), wall).is_none(), "an index was given out twice"),
            }
        }
        assert_eq!(statics.len(), expected.len());
        let moving = walls::<S, D>(200, 100 + round as u64);
        let wanted = pairs_with(&moving, &expected);
        for threads in [1, 3] {
            let pairs = pool(threads).install(|| engine.over(&moving).with(&statics).pairs());
            assert_eq!(pairs.statics.sorted(), wanted, "round {round}, {threads} threads");
            let both = (0..moving.len() as u32).flat_map(|b| (0..b).map(move |a| Pair { a, b }));
            let wanted = both.filter(|pair| {
                let (a, b) = (&moving[pair.a as usize], &moving[pair.b as usize]);
                a.groups.admit(b.groups) && overlap(&a.bounds, &b.bounds)
            });
            assert_eq!(pairs.moving.len(), wanted.count());
        }
        assert_eq!(
            engine.over(&moving).with(&statics).serial().pairs().statics.sorted(),
            wanted,
            "round {round}, on the calling thread"
        );
        if round % 4 == 3 {
            let everywhere = Aabb::new([S::of(-1e9); D], [S::of(1e9); D]);
            let mut found = Vec::new();
            statics.queries().overlapping(&everywhere, &mut found);
            found.sort_unstable();
            assert!(found.iter().eq(expected.keys()), "queries see what there is");
        }
    }
}

#[test]
fn moving_objects_meet_static_ones_through_all_changes() {
    changes::<f32, 3>(1500, 30);
    changes::<f32, 2>(1500, 12);
    changes::<f64, 3>(300, 30);
    changes::<f64, 2>(0, 12);
}

#[test]
fn so_many_changes_that_everything_is_built_anew() {
    changes::<f32, 3>(100, 90);
}

#[test]
fn empty_sets_and_bad_boxes() {
    let mut statics = StaticSet::<f32, 3>::new();
    let mut engine = BroadPhase::<f32, 3>::new();
    let moving = walls::<f32, 3>(100, 5);
    assert!(engine.over(&moving).with(&statics).pairs().statics.is_empty());
    assert!(statics.is_empty() && statics.remove(0).is_err() && statics.get(7).is_err() && !statics.contains(7));

    let bad = Aabb::new([f32::NAN; 3], [1.0; 3]);
    let everywhere = Aabb::new([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
    statics.par_build(&[bad, everywhere, bad]);
    let also_bad = statics.insert(&bad);
    let inverted = statics.insert(&Aabb::new([30.0; 3], [-30.0; 3]));
    let pairs = engine.over(&moving).with(&statics).pairs().statics;
    assert_eq!(pairs.len(), 100);
    assert!(pairs.iter().all(|pair| pair.second == 1));
    assert!([also_bad, inverted, 1].into_iter().all(|index| statics.remove(index).is_ok()));
    assert!(engine.over(&moving).with(&statics).pairs().statics.is_empty());
    assert!(engine.over::<Aabb<f32, 3>>(&[]).with(&statics).pairs().statics.is_empty());

    let mut moving: Vec<_> = moving.iter().map(|wall| wall.bounds).collect();
    moving[3] = bad;
    statics.insert(&everywhere);
    let pairs = engine.over(&moving).with(&statics).pairs();
    assert_eq!((pairs.statics.len(), pairs.moving.rejected().len()), (99, 1));
}

/// A wall that panics when it is asked for its box.
struct Trap(Option<Aabb<f32, 2>>);

impl Bounded<f32, 2> for Trap {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.0.unwrap_or_else(|| resume_unwind(Box::new("a trap")))
    }
}

#[test]
fn a_panic_of_an_object_leaves_the_set_as_it_was() {
    let wall = |x: f32| Trap(Some(Aabb::new([x, 0.0], [x + 0.5, 1.0])));
    let mut statics = StaticSet::<f32, 2>::new();
    statics.par_build(&[wall(0.0), wall(1.0), wall(2.0)]);
    let loose = statics.insert(&wall(3.0));
    statics.remove(1).unwrap();

    let traps = [Trap(None), wall(9.0)];
    assert!(catch_unwind(AssertUnwindSafe(|| statics.par_build(&traps))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| statics.insert(&Trap(None)))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| statics.update(0, &Trap(None)))).is_err());

    assert_eq!(statics.len(), 3);
    let mut engine = BroadPhase::<f32, 2>::new();
    let everywhere = [Aabb::new([-9.0, -9.0], [9.0, 9.0])];
    let found = engine.over(&everywhere).with(&statics).pairs().statics.sorted();
    assert_eq!(found, [0, 2, loose].map(|second| CrossPair { first: 0, second }));
    assert_eq!(statics.insert(&wall(4.0)), 1, "the free index was not lost");
}
