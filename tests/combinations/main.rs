//! Every source × every kind of threads × both ways to fail × every sink, against brute force; again after reuse, refusals and panics.

mod check;
#[path = "../common/mod.rs"]
mod common;
mod scene;
mod threads;

use std::panic::{AssertUnwindSafe, catch_unwind};

use check::{check_all, check_refused, sorted};
use common::Coordinate;
use pivotgrid::{BroadPhase, Config, CrossPair, EitherPair, MovingBox, Pair, StaticSet};
use scene::{Key, Thing, across, things, within, within_swept};
use threads::CARRIERS;

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

fn sources_of_a_broad_phase<S: Coordinate, const D: usize>() {
    let (ones, others) = (things::<S, D>(160, 1), things::<S, D>(140, 2));
    let swept: Vec<MovingBox<S, D>> =
        ones.iter().zip(&others).map(|(one, other)| MovingBox::new(one.bounds, other.bounds)).collect();
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

for_all_types! {
    broad_phase: sources_of_a_broad_phase;
    refusals: refusals_of_a_broad_phase;
    panics: panics_of_objects;
}
