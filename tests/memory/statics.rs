//! Static sets that are refused memory: by a limit, and by the system in every allocation once. A change that is refused changes
//! nothing, and what is found is complete.

use std::collections::BTreeMap;

use pivotgrid::{Aabb, BroadPhase, Config, CrossPair, DetectError, StaticSet};

use crate::account::Account;
use crate::common::{Placement, Scene, Sizes, grid_config};

type Objects = BTreeMap<u32, Aabb<f32, 3>>;

fn boxes(n: usize, seed: u64) -> Vec<Aabb<f32, 3>> {
    Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 40.0, origin: 0.0, seed }.boxes()
}

fn overlap(a: &Aabb<f32, 3>, b: &Aabb<f32, 3>) -> bool {
    (0..3).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

/// The set has these objects, and finds all of them: as pairs, and by questions.
#[track_caller]
fn assert_has(statics: &mut StaticSet<f32, 3>, objects: &Objects, context: &str) {
    assert_eq!(statics.len(), objects.len(), "{context}");
    for (&index, bounds) in objects {
        assert_eq!(statics.get(index), Ok(bounds), "{context}");
    }
    let moving = boxes(100, 99);
    let mut expected = Vec::new();
    for (a, one) in (0..).zip(&moving) {
        expected
            .extend(objects.iter().filter(|(_, other)| overlap(one, other)).map(|(&second, _)| CrossPair { first: a, second }));
    }
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
    let found = engine.over(&moving).with(statics).pairs().statics.sorted();
    assert!(found == expected, "{context}: {} pairs instead of {}", found.len(), expected.len());
    let mut found = Vec::new();
    statics.queries().overlapping(&Aabb::new([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]), &mut found);
    found.sort_unstable();
    assert!(found.iter().eq(objects.keys()), "{context}: {} found instead of {}", found.len(), objects.len());
}

#[test]
fn a_set_that_is_refused_is_what_it_was() {
    let (few, many) = (boxes(300, 1), boxes(20_000, 2));
    for start in [0, 300] {
        let mut statics = StaticSet::<f32, 3>::with_config(Config::default().max_bytes(300_000)).unwrap();
        statics.try_par_build(&few[..start]).unwrap();
        let objects: Objects = (0..).zip(few[..start].iter().copied()).collect();
        for round in 0..2 {
            let error = if round == 0 { statics.try_par_build(&many) } else { statics.try_build(&many) }.unwrap_err();
            assert!(matches!(error, DetectError::OverBudget { max_bytes: 300_000, .. }), "{error}");
            assert!(statics.bytes() <= 300_000, "{} bytes", statics.bytes());
            assert_has(&mut statics, &objects, "after a refused build");
        }
    }
}

#[test]
fn a_change_that_is_refused_is_not_made() {
    for limit in [120_000, 200_000, 300_000] {
        let mut statics = StaticSet::<f32, 3>::with_config(Config::default().max_bytes(limit)).unwrap();
        let (mut objects, mut refused) = (Objects::new(), 0);
        for (number, bounds) in boxes(6000, 3).into_iter().enumerate() {
            let known = objects.keys().nth(number % objects.len().max(1)).copied().filter(|_| number % 3 == 0);
            let outcome = match known {
                Some(index) => statics.try_update(index, &bounds).map(|outcome| outcome.map(|()| index).unwrap()),
                None => statics.try_insert(&bounds),
            };
            match outcome {
                Ok(index) => _ = objects.insert(index, bounds),
                Err(DetectError::OverBudget { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
            if number % 64 == 0 || refused == 1 {
                assert_has(&mut statics, &objects, &format!("change {number}, limit {limit}"));
            }
            if refused == 20 {
                break;
            }
        }
        assert!(refused > 0 && objects.len() > 100, "{refused} refused, {} objects", objects.len());
        // There is always a way back.
        let last: Vec<u32> = objects.keys().copied().skip(50).collect();
        assert!(last.iter().all(|&index| statics.remove(index).is_ok()));
        objects.retain(|index, _| !last.contains(index));
        statics.try_par_rebuild().unwrap();
        assert_has(&mut statics, &objects, "after a way back");
    }
}

/// Something done to a set. It allocates nothing but what the set does.
type Change<'a> = &'a (dyn Fn(&mut StaticSet<f32, 3>) -> Result<(), DetectError> + Sync);

/// A set with all kinds of objects: in both grids, in the list, and gone.
fn used() -> (StaticSet<f32, 3>, Objects) {
    let mut statics = StaticSet::<f32, 3>::with_config(grid_config()).unwrap();
    let built = boxes(1500, 4);
    statics.par_build(&built);
    let mut objects: Objects = (0..).zip(built).collect();
    for (number, bounds) in (0..).zip(boxes(128, 5)) {
        let index = 7 * number;
        statics.update(index, &bounds).unwrap();
        objects.insert(index, bounds);
    }
    assert!(statics.remove(3).is_ok() && statics.remove(7).is_ok());
    objects.retain(|&index, _| index != 3 && index != 7);
    (statics, objects)
}

fn every_allocation_fails_once(threads: usize, what: &str, change: Change<'_>, replaced_by: Option<&Objects>) {
    let account = Account::open();
    let pool = account.pool(threads);
    let mut refused = 0;
    for number in 1.. {
        let (mut statics, before) = pool.install(used);
        let after = replaced_by.unwrap_or(&before);
        let (outcome, failed) = pool.install(|| account.with_failing(number, || change(&mut statics)));
        let context = format!("{what}, allocation {number}");
        match outcome {
            Ok(()) => pool.install(|| assert_has(&mut statics, after, &context)),
            Err(DetectError::OutOfMemory { needed }) => {
                assert!(failed && needed > 0, "{context}");
                pool.install(|| assert_has(&mut statics, &before, &context));
                refused += 1;
            }
            Err(other) => panic!("{context}: {other}"),
        }
        if !failed {
            println!("{what}, {threads} threads: {refused} refusals reported of {} allocations", number - 1);
            // A set with a small grid besides has memory to spare for a second attempt.
            assert!(refused > 10 || replaced_by.is_none());
            return;
        }
    }
}

#[test]
fn every_allocation_of_a_change_fails_once() {
    let new = boxes(2500, 6);
    let objects: Objects = (0..).zip(new.iter().copied()).collect();
    for threads in [1, 3] {
        every_allocation_fails_once(threads, "build", &|statics| statics.try_par_build(&new), Some(&objects));
        every_allocation_fails_once(threads, "build alone", &|statics| statics.try_build(&new), Some(&objects));
        every_allocation_fails_once(threads, "rebuild", &|statics| statics.try_par_rebuild(), None);
    }
}

/// As many changes as it takes to fill the list, the small grid, and to build everything anew.
#[test]
fn every_allocation_of_many_changes_fails_once() {
    let account = Account::open();
    let pool = account.pool(2);
    let fresh = boxes(1300, 7);
    for number in 1.. {
        let (mut statics, before) = pool.install(used);
        let mut done: Vec<(u32, Aabb<f32, 3>)> = Vec::with_capacity(fresh.len());
        let (outcome, failed) = pool.install(|| {
            account.with_failing(number, || {
                for (at, bounds) in (0..).zip(&fresh) {
                    let index = match at % 4 {
                        0 => statics.try_update(at, bounds)?.ok().map(|()| at),
                        _ => Some(statics.try_insert(bounds)?),
                    };
                    done.extend(index.map(|index| (index, *bounds)));
                }
                Ok::<(), DetectError>(())
            })
        });
        let mut objects = before;
        objects.extend(done);
        assert!(outcome.is_ok() || failed, "{outcome:?}");
        pool.install(|| assert_has(&mut statics, &objects, &format!("allocation {number}")));
        if !failed {
            println!("{number} allocations");
            assert!(number > 30);
            return;
        }
    }
}

#[test]
fn every_allocation_of_a_step_with_statics_fails_once() {
    let account = Account::open();
    for (threads, in_order) in [(1, false), (3, true)] {
        let pool = account.pool(threads);
        let ((statics, _), moving) = (used(), boxes(1200, 8));
        let config = grid_config().canonical_order(in_order);
        let expected = BroadPhase::<f32, 3>::new().over(&moving).with(&statics).serial().pairs().statics.sorted();
        for number in 1.. {
            let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
            let mut found: Vec<CrossPair> = Vec::with_capacity(2 * expected.len());
            let (outcome, failed) = pool.install(|| {
                account.with_failing(number, || {
                    engine.over(&moving).with(&statics).try_pairs().map(|pairs| found.extend(pairs.statics))
                })
            });
            found.sort_unstable();
            match outcome {
                Ok(()) => assert!(found == expected, "allocation {number}"),
                Err(error) => assert!(failed && engine.debug_view().pairs().is_empty(), "allocation {number}: {error}"),
            }
            let again = pool.install(|| engine.over(&moving).with(&statics).pairs().statics.sorted());
            assert!(again == expected, "after allocation {number}");
            if !failed {
                assert!(number > 20);
                break;
            }
        }
    }
}
