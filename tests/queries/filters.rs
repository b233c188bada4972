//! Filters by groups and by predicates: a query finds what it would find if the others were not there.

use pivotgrid::{Aabb, Bounded, BroadPhase, Groups};

use crate::brute::Brute;
use crate::check::check_all;
use crate::common::{Coordinate, Placement, Rng, Scene, Sizes, configs, grid_config};
use crate::generate::QuerySet;

/// A box in groups.
#[derive(Clone, Copy)]
pub(crate) struct Member<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) groups: Groups,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Member<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
}

pub(crate) fn random_groups(rng: &mut Rng) -> Groups {
    match rng.below(6) {
        0 => Groups::ALL,
        1 => Groups::NONE,
        2 => Groups::ALL.of_body(1 + rng.below(3) as u32),
        _ => Groups::new(1 << rng.below(4), rng.below(16) as u32),
    }
}

pub(crate) fn members<S: Coordinate, const D: usize>(n: usize, seed: u64) -> Vec<Member<S, D>> {
    let scene = Scene { n, sizes: Sizes::Poly, placement: Placement::Clustered, extent: 80.0, origin: 0.0, seed };
    let rng = &mut Rng(seed);
    scene.boxes().into_iter().map(|bounds| Member { bounds, groups: random_groups(rng) }).collect()
}

/// The rule of `Groups`, written a second time.
pub(crate) fn admit(a: Groups, b: Groups) -> bool {
    let one_sees_other = a.mask & b.member != 0;
    let other_sees_one = b.mask & a.member != 0;
    one_sees_other && other_sees_one && !(a.body != 0 && a.body == b.body)
}

fn check<S: Coordinate, const D: usize>(config: pivotgrid::Config, seed: u64) {
    let members = members::<S, D>(400, seed);
    let boxes: Vec<_> = members.iter().map(|member| member.bounds).collect();
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a valid config");
    engine.par_detect(&members);
    let (queries, rng) = (engine.queries(), &mut Rng(seed));
    let set = QuerySet::new(rng, &boxes, 15);
    for number in 0..4 {
        let groups = if number == 0 { Groups::ALL } else { random_groups(rng) };
        let is_wanted: Predicate<'_> = if number == 1 { &|_| true } else { &|index| index % 2 == 1 };
        let both = |index: u32| is_wanted(index) && admit(groups, members[index as usize].groups);
        let queries = queries.in_groups(groups).filtered(is_wanted);
        check_all(queries, &Brute::filtered(&boxes, both), &set, &format!("{groups:?}"));
    }
}

/// One type for all predicates, so that the compiler has less to do.
pub(crate) type Predicate<'a> = &'a (dyn Fn(u32) -> bool + Sync);

/// Filters are added in any order, and all count.
#[test]
fn filters_can_be_combined() {
    let members = members::<f32, 3>(400, 3);
    let boxes: Vec<_> = members.iter().map(|member| member.bounds).collect();
    let mut engine = BroadPhase::<f32, 3>::new();
    engine.par_detect(&members);
    let (is_odd, is_far): (Predicate<'_>, Predicate<'_>) = (&|index| index % 2 == 1, &|index| index > 100);
    let (set, groups) = (QuerySet::new(&mut Rng(4), &boxes, 15), Groups::new(3, 7));
    let all = |index: u32| is_odd(index) && is_far(index) && admit(groups, members[index as usize].groups);
    let queries = engine.queries().filtered(is_odd).in_groups(groups).filtered(is_far);
    check_all(queries, &Brute::filtered(&boxes, all), &set, "three filters");
}

#[test]
fn filters_leave_out_what_they_do_not_admit() {
    for (number, config) in configs().into_iter().enumerate().step_by(3) {
        check::<f32, 3>(config.clone(), number as u64);
        check::<f64, 2>(config, number as u64 + 100);
    }
    check::<f32, 2>(grid_config(), 7);
    check::<f64, 3>(grid_config(), 8);
}

/// Without groups among the objects all are admitted that anything with groups pairs with.
#[test]
fn objects_without_groups_are_in_all() {
    let boxes: Vec<Aabb<f32, 2>> = (0..200).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.5, 1.0])).collect();
    let mut engine = BroadPhase::<f32, 2>::new();
    engine.detect(&boxes);
    let count = |groups: Groups| {
        let mut found = Vec::new();
        engine.queries().in_groups(groups).overlapping(&Aabb::new([10.0, 0.0], [19.0, 1.0]), &mut found);
        found.len()
    };
    assert_eq!((count(Groups::ALL), count(Groups::new(1, 2)), count(Groups::NONE)), (11, 11, 0));
}

/// Objects that a filter leaves out are not shown to `exact`, nor those that are not met to a predicate.
#[test]
fn predicates_see_candidates_and_exact_sees_the_admitted() {
    let boxes: Vec<Aabb<f32, 2>> = (0..500).map(|i| Aabb::new([2.0 * i as f32, 0.0], [2.0 * i as f32 + 1.0, 1.0])).collect();
    let mut engine = BroadPhase::<f32, 2>::new();
    engine.detect(&boxes);
    let met = |index: u32| {
        assert!(index >= 50, "the ray begins behind {index}");
        index % 10 == 5
    };
    let queries = engine.queries().filtered(met);
    let hit = queries.first_hit_by(&pivotgrid::Ray::new([100.0, 0.5], [1.0, 0.0]), |index| {
        assert_eq!(index % 10, 5);
        (index > 60).then_some(2.0 * index as f32 - 100.0)
    });
    assert_eq!(hit.map(|hit| hit.index), Some(65));
}
