//! Queries to a static set between all sorts of changes: they see the large grid, the small grid and the list as one.

use std::collections::BTreeMap;

use pivotgrid::{Config, StaticSet};

use crate::brute::Brute;
use crate::check::check_all;
use crate::common::{Coordinate, Rng, grid_config, pool};
use crate::filters::{Member, Predicate, admit, members, random_groups};
use crate::generate::QuerySet;

fn check_set<S: Coordinate, const D: usize>(
    set: &StaticSet<S, D>,
    expected: &BTreeMap<u32, Member<S, D>>,
    rng: &mut Rng,
    what: &str,
) {
    let boxes: Vec<_> = expected.values().map(|member| member.bounds).collect();
    let queries = QuerySet::new(rng, &boxes, 6);
    let all = || expected.iter().map(|(&index, member)| (index, *member));
    let brute = Brute::indexed(all().map(|(index, member)| (index, member.bounds)));
    check_all(set.queries(), &brute, &queries, what);
    let groups = random_groups(rng);
    let admitted = all().filter(|(index, member)| admit(groups, member.groups) && !index.is_multiple_of(3));
    let brute = Brute::indexed(admitted.map(|(index, member)| (index, member.bounds)));
    let is_wanted: Predicate<'_> = &|index| !index.is_multiple_of(3);
    check_all(set.queries().in_groups(groups).filtered(is_wanted), &brute, &queries, what);
}

fn changes<S: Coordinate, const D: usize>(config: Config, start: usize, rounds: usize) {
    let mut set = StaticSet::<S, D>::with_config(config).expect("a valid config");
    let rng = &mut Rng(start as u64 + 1);
    check_set(&set, &BTreeMap::new(), rng, "empty");
    let built = members::<S, D>(start, 1);
    pool(2).install(|| set.par_build(&built));
    let mut expected: BTreeMap<u32, Member<S, D>> = (0..).zip(built).collect();
    check_set(&set, &expected, rng, "built");
    let mut fresh = members::<S, D>(rounds * 50, 2).into_iter();
    for round in 0..rounds {
        // From one change to more than the list holds.
        let count = [1, 3, 20, 50][rng.below(4)];
        for object in fresh.by_ref().take(count) {
            let known = expected.keys().nth(rng.below(expected.len().max(1))).copied();
            match (rng.below(4), known) {
                (0, Some(index)) => {
                    set.remove(index).unwrap();
                    expected.remove(&index);
                }
                (1 | 2, Some(index)) => {
                    set.update(index, &object).unwrap();
                    expected.insert(index, object);
                }
                _ => _ = expected.insert(set.insert(&object), object),
            }
        }
        check_set(&set, &expected, rng, &format!("round {round}"));
        if round % 10 == 9 {
            match round % 20 {
                9 => set.par_rebuild(),
                _ => set.rebuild(),
            }
            check_set(&set, &expected, rng, &format!("rebuilt in round {round}"));
        }
    }
}

#[test]
fn queries_see_every_change_at_once() {
    changes::<f32, 3>(grid_config(), 600, 35);
    changes::<f32, 2>(Config::default(), 300, 25);
    changes::<f64, 3>(Config::default(), 0, 25);
    changes::<f64, 2>(grid_config(), 300, 25);
}

/// A set whose grid was refused memory is searched object by object.
#[test]
fn queries_do_without_a_grid() {
    let objects = members::<f32, 3>(3000, 5);
    let mut set = StaticSet::<f32, 3>::with_config(Config::default().max_bytes(250_000)).expect("a valid config");
    let (mut expected, rng) = (BTreeMap::new(), &mut Rng(6));
    for object in objects {
        match set.try_insert(&object) {
            Ok(index) => _ = expected.insert(index, object),
            Err(_) => break,
        }
    }
    assert!(expected.len() > 100 && expected.len() < 3000, "{}", expected.len());
    check_set(&set, &expected, rng, "after a refusal");
}

/// Queries of a set that does not change are for many threads at once.
#[test]
fn threads_share_a_set() {
    let objects = members::<f32, 3>(2000, 9);
    let mut set = StaticSet::<f32, 3>::new();
    set.par_build(&objects);
    let mut expected: BTreeMap<_, _> = (0..).zip(objects).collect();
    for index in 0..40 {
        set.remove(index).unwrap();
        expected.remove(&index);
    }
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (set, expected) = (&set, &expected);
            scope.spawn(move || check_set(set, expected, &mut Rng(seed), "from a thread"));
        }
    });
}
