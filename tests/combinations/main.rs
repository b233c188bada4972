//! Every source × every kind of threads × both ways to fail × every sink, against brute force; again after reuse, refusals and panics.

#[path = "../common/mod.rs"]
mod common;
mod scene;
mod threads;

use std::fmt::Debug;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use common::Coordinate;
use pivotgrid::{BroadPhase, Config, CrossPair, DetectError, EitherPair, Host, Pair, Request, Source, StaticSet, Swept};
use scene::{Key, Thing, across, things, within, within_swept};
use threads::{CARRIERS, Carrier};

/// Takes a request by every way to every sink, and compares what comes out with what is expected.
pub(crate) fn check_all<E: Host, Q: Source<E> + Send, K: Ord + Clone + Debug + Send + Sync>(
    label: &str,
    engine: &mut E,
    request: impl for<'e> Fn(&'e mut E) -> Request<'e, 'static, E, Q>,
    stored: impl Fn(Q::Pairs<'_>) -> Vec<K> + Sync,
    key: impl Fn(Q::Pair) -> K + Sync,
    expected: &[K],
) {
    for carrier in CARRIERS {
        let mut sinks: Vec<(&str, Vec<K>)> = Vec::new();
        let all = |count: &mut Vec<K>, pair| {
            count.push(key(pair));
            ControlFlow::Continue(())
        };
        let joined = |mut one: Vec<K>, other: Vec<K>| {
            one.extend(other);
            one
        };
        let grown = |mut list: Vec<K>, pair| {
            list.push(key(pair));
            list
        };
        carrier.run(request(engine), &mut |request| sinks.push(("pairs", stored(request.pairs()))));
        carrier.run(request(engine), &mut |request| sinks.push(("try_pairs", stored(request.try_pairs().expect("memory")))));
        let list = Mutex::new(Vec::new());
        carrier.run(request(engine), &mut |request| request.for_each(|pair| list.lock().unwrap().push(key(pair))));
        sinks.push(("for_each", std::mem::take(&mut *list.lock().unwrap())));
        carrier.run(request(engine), &mut |request| {
            request.try_for_each(|pair| list.lock().unwrap().push(key(pair))).expect("memory")
        });
        sinks.push(("try_for_each", std::mem::take(&mut *list.lock().unwrap())));
        carrier.run(request(engine), &mut |request| sinks.push(("visit", request.visit(Vec::new, all).concat())));
        carrier.run(request(engine), &mut |request| {
            sinks.push(("try_visit", request.try_visit(Vec::new, all).expect("memory").concat()));
        });
        carrier.run(request(engine), &mut |request| sinks.push(("fold", request.fold(Vec::new, grown, joined))));
        carrier.run(request(engine), &mut |request| {
            sinks.push(("try_fold", request.try_fold(Vec::new, grown, joined).expect("memory")));
        });
        for (sink, mut found) in sinks {
            found.sort_unstable();
            assert!(found == expected, "{label}, {sink}, {carrier:?}: {} pairs of {}", found.len(), expected.len());
        }
        check_early_end(label, &carrier, request(engine), expected.len());
        check_panics(label, &carrier, engine, &request);
    }
}

/// After a `Break` no worker sees another pair, and at least one pair has been seen.
fn check_early_end<E: Host, Q: Source<E> + Send>(
    label: &str,
    carrier: &Carrier,
    request: Request<'_, 'static, E, Q>,
    pairs: usize,
) {
    let mut counts = Vec::new();
    let one = |count: &mut usize, _| {
        *count += 1;
        ControlFlow::Break(())
    };
    carrier.run(request, &mut |request| counts = request.visit(|| 0, one));
    let seen: usize = counts.iter().sum();
    assert!(counts.iter().all(|&count| count <= 1) && seen >= usize::from(pairs > 0), "{label}, {carrier:?}: {counts:?}");
}

/// A visitor's panic and a filter's reach the caller with what they carry.
fn check_panics<E: Host, Q: Source<E> + Send>(
    label: &str,
    carrier: &Carrier,
    engine: &mut E,
    request: &impl for<'e> Fn(&'e mut E) -> Request<'e, 'static, E, Q>,
) {
    let visited = catch_unwind(AssertUnwindSafe(|| {
        carrier.run(request(engine), &mut |request| request.for_each(|_| std::panic::resume_unwind(Box::new(7u64))));
    }));
    let payload = visited.expect_err("there are pairs");
    assert_eq!(payload.downcast_ref(), Some(&7u64), "{label}, {carrier:?}");
    let filtered = catch_unwind(AssertUnwindSafe(|| {
        carrier.run(request(engine).filter(|_| std::panic::resume_unwind(Box::new(8u64))), &mut |request| drop(request.pairs()));
    }));
    assert_eq!(filtered.expect_err("there are pairs").downcast_ref(), Some(&8u64), "{label}, {carrier:?}");
}

/// Too little memory is an error for one who asked for errors, and a panic for others.
pub(crate) fn check_refused<E: Host, Q: Source<E> + Send>(
    label: &str,
    engine: &mut E,
    request: impl for<'e> Fn(&'e mut E) -> Request<'e, 'static, E, Q>,
) {
    for carrier in CARRIERS {
        let mut errors = Vec::new();
        carrier.run(request(engine), &mut |request| errors.push(request.try_pairs().err()));
        carrier.run(request(engine), &mut |request| errors.push(request.try_for_each(drop).err()));
        carrier.run(request(engine), &mut |request| {
            errors.push(request.try_visit(|| (), |(), _| ControlFlow::Continue(())).err());
        });
        carrier.run(request(engine), &mut |request| errors.push(request.try_fold(|| 0, |n, _| n + 1, |n, m| n + m).err()));
        let is_refused = |error: &Option<DetectError>| matches!(error, Some(DetectError::OverBudget { .. }));
        assert!(errors.iter().all(is_refused), "{label}, {carrier:?}: {errors:?}");
        let panicking = catch_unwind(AssertUnwindSafe(|| carrier.run(request(engine), &mut |request| drop(request.pairs()))));
        assert!(panicking.is_err(), "{label}, {carrier:?}");
    }
}

pub(crate) fn config() -> Config {
    common::grid_config()
}

fn of_pair(Pair { a, b }: Pair) -> Key {
    assert!(a < b);
    (false, a, b)
}

fn of_cross(CrossPair { first, second }: CrossPair) -> Key {
    (false, first, second)
}

fn of_either(pair: EitherPair) -> Key {
    match pair {
        EitherPair::Moving(pair) => of_pair(pair),
        EitherPair::Static(CrossPair { first, second }) => (true, first, second),
    }
}

pub(crate) fn sorted<K: Ord + Debug>(mut keys: Vec<K>) -> Vec<K> {
    keys.sort_unstable();
    keys
}

fn sources_of_a_broad_phase<S: Coordinate, const D: usize>() {
    let (ones, others) = (things::<S, D>(160, 1), things::<S, D>(140, 2));
    let swept: Vec<Swept<S, D>> = ones.iter().zip(&others).map(|(one, other)| Swept::new(one.bounds, other.bounds)).collect();
    let mut statics = StaticSet::<S, D>::new();
    statics.build(&others);
    let is_odd = |key: &Key| (key.1 + key.2) % 2 == 1;
    let only_odd = |keys: &[Key]| keys.iter().copied().filter(is_odd).collect::<Vec<_>>();

    let pairs = within(&ones, true);
    let crossing = across(&ones, &others);
    let both = sorted(pairs.iter().copied().chain(scene::with_statics(&ones, &others)).collect());
    let by_index = within(&ones, false);
    let in_time = within_swept(&swept);
    let stored_both = |found: pivotgrid::PairsWithStatics<'_>| {
        let moving = found.moving.iter().map(of_pair);
        moving.chain(found.statics.iter().map(|pair| of_either(EitherPair::Static(pair)))).collect::<Vec<_>>()
    };

    let mut engine = BroadPhase::<S, D>::with_config(config()).expect("a config");
    let engine = &mut engine;
    check_all("slice", engine, |e| e.over(&ones), |p| p.iter().map(of_pair).collect(), of_pair, &pairs);
    check_all(
        "by index",
        engine,
        |e| e.over_fn(ones.len(), |i| ones[i].bounds).groups(|i| ones[i].groups).balls(|i| ones[i].ball),
        |p| p.iter().map(of_pair).collect(),
        of_pair,
        &by_index,
    );
    check_all("two sets", engine, |e| e.over(&ones).against(&others), |p| p.iter().map(of_cross).collect(), of_cross, &crossing);
    check_all("with statics", engine, |e| e.over(&ones).with(&statics), stored_both, of_either, &both);
    check_all("swept", engine, |e| e.over(&swept), |p| p.iter().map(of_pair).collect(), of_pair, &in_time);
    check_all(
        "slice, filtered",
        engine,
        |e| e.over(&ones).filter(|pair| (pair.a + pair.b) % 2 == 1),
        |p| p.iter().map(of_pair).collect(),
        of_pair,
        &only_odd(&pairs),
    );
    check_all(
        "two sets, filtered",
        engine,
        |e| e.over(&ones).against(&others).filter(|pair| (pair.first + pair.second) % 2 == 1),
        |p| p.iter().map(of_cross).collect(),
        of_cross,
        &only_odd(&crossing),
    );
    check_all(
        "with statics, filtered",
        engine,
        |e| e.over(&ones).with(&statics).filter(|pair| is_odd(&of_either(pair))),
        stored_both,
        of_either,
        &only_odd(&both),
    );
    let boxes: Vec<_> = ones.iter().map(|thing| thing.bounds).collect();
    let other_boxes: Vec<_> = others.iter().map(|thing| thing.bounds).collect();
    check_all(
        "two sets by index",
        engine,
        |e| e.over_fn(boxes.len(), |i| boxes[i]).against_fn(other_boxes.len(), |i| other_boxes[i]),
        |p| p.iter().map(of_cross).collect(),
        of_cross,
        &scene::boxes_across(&boxes, &other_boxes),
    );
}

fn refusals_of_a_broad_phase<S: Coordinate, const D: usize>() {
    let (few, many) = (things::<S, D>(30, 3), things::<S, D>(60_000, 4));
    let (pairs, crossing) = (within(&few, true), across(&few, &few));
    let mut statics = StaticSet::<S, D>::new();
    statics.build(&few);
    let limited = config().max_bytes(2_000_000);
    let mut engine = BroadPhase::<S, D>::with_config(limited).expect("a config");
    let engine = &mut engine;
    for _ in 0..2 {
        check_refused("slice", engine, |e| e.over(&many));
        check_all("slice", engine, |e| e.over(&few), |p| p.iter().map(of_pair).collect(), of_pair, &pairs);
        check_refused("by index", engine, |e| e.over_fn(many.len(), |i| many[i].bounds));
        check_refused("two sets", engine, |e| e.over(&few).against(&many));
        check_all("two sets", engine, |e| e.over(&few).against(&few), |p| p.iter().map(of_cross).collect(), of_cross, &crossing);
        check_refused("with statics", engine, |e| e.over(&many).with(&statics));
    }
}

/// A panic of the user's boxes, then a step that finds everything.
fn panics_of_objects<S: Coordinate, const D: usize>() {
    let ones = things::<S, D>(200, 5);
    let mut bad: Vec<Thing<S, D>> = ones.clone();
    bad[137].panics = true;
    let pairs = within(&ones, true);
    let mut engine = BroadPhase::<S, D>::with_config(config()).expect("a config");
    for carrier in CARRIERS {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            carrier.run(engine.over(&bad), &mut |request| drop(request.try_pairs()));
        }));
        assert_eq!(outcome.expect_err("a box that panics").downcast_ref(), Some(&scene::PANIC), "{carrier:?}");
        assert!(engine.rejected().is_empty());
        let mut found = Vec::new();
        carrier.run(engine.over(&ones), &mut |request| found = request.pairs().iter().map(of_pair).collect());
        assert_eq!(sorted(found), pairs, "{carrier:?}");
    }
}

/// Threads that panic themselves are the caller's affair; the engine stays usable.
#[test]
fn threads_that_panic() {
    let ones = things::<f32, 3>(300, 6);
    let pairs = within(&ones, true);
    let mut engine = BroadPhase::<f32, 3>::with_config(config()).expect("a config");
    for calls in 0..30 {
        let panicking = threads::PanicsAfter::new(calls);
        let outcome = catch_unwind(AssertUnwindSafe(|| engine.over(&ones).on(&panicking).pairs().len()));
        match outcome {
            Ok(found) => assert_eq!(found, pairs.len()),
            Err(payload) => assert_eq!(payload.downcast_ref(), Some(&"threads"), "after {calls} passes"),
        }
        assert_eq!(sorted(engine.over(&ones).on(&threads::Spawned(2)).pairs().iter().map(of_pair).collect()), pairs);
    }
}

macro_rules! for_all_types {
    ($($name:ident: $check:ident;)*) => {
        $(mod $name {
            #[test]
            fn f32_2() {
                super::$check::<f32, 2>();
            }
            #[test]
            fn f32_3() {
                super::$check::<f32, 3>();
            }
            #[test]
            fn f64_2() {
                super::$check::<f64, 2>();
            }
            #[test]
            fn f64_3() {
                super::$check::<f64, 3>();
            }
        })*
    };
}

for_all_types! {
    broad_phase: sources_of_a_broad_phase;
    refusals: refusals_of_a_broad_phase;
    panics: panics_of_objects;
}
