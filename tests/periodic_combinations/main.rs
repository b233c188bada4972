//! The combinations of `tests/combinations` in periodic domains: every source × threads × sinks × failure, against brute force over all
//! shifts. Boxes with sides along the axes, sheared cells, and cells that are shorter than their objects.

#[path = "../combinations/check.rs"]
mod check;
#[path = "../common/mod.rs"]
mod common;
mod oracle;
#[path = "../combinations/scene.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod scene;
#[path = "../combinations/threads.rs"]
mod threads;

use std::panic::{AssertUnwindSafe, catch_unwind};

use check::{check_all, check_refused, sorted};
use common::{Coordinate, grid_config};
use oracle::{Cell, Key, exact_things, of_cross, of_either, of_pair};
use pivotgrid::{Config, EitherPair, MovingBox, Periodic, PeriodicPairsWithStatics, StaticSet};
use scene::Thing;
use threads::CARRIERS;

fn stored_both<const D: usize>(found: PeriodicPairsWithStatics<'_, D>) -> Vec<Key<D>> {
    let moving = found.moving.iter().map(of_pair);
    moving.chain(found.statics.iter().map(|pair| of_either(EitherPair::Static(pair)))).collect()
}

fn sources<S: Coordinate, const D: usize>(cell: &Cell<D>, count: usize) {
    let (ones, others) = (exact_things::<S, D>(count, 1, cell), exact_things::<S, D>(count - 5, 2, cell));
    let swept: Vec<MovingBox<S, D>> =
        ones.iter().zip(&others).map(|(one, other)| MovingBox::new(one.bounds, other.bounds)).collect();
    let mut statics = StaticSet::<S, D>::new();
    statics.build(&others);
    let is_odd = |key: &Key<D>| (key.1 + key.2) % 2 == 1;
    let only_odd = |keys: &[Key<D>]| keys.iter().copied().filter(is_odd).collect::<Vec<_>>();

    let pairs = cell.within(&ones, true);
    let crossing = cell.across(&ones, &others);
    let both = sorted(pairs.iter().copied().chain(cell.with_statics(&ones, &others)).collect());

    let mut engine = cell.engine::<S>(grid_config());
    let engine = &mut engine;
    check_all("slice", engine, |e| e.over(&ones), |p| p.iter().map(of_pair).collect(), of_pair, &pairs);
    check_all(
        "by index",
        engine,
        |e| e.over_fn(ones.len(), |i| ones[i].bounds).groups(|i| ones[i].groups).balls(|i| ones[i].ball),
        |p| p.iter().map(of_pair).collect(),
        of_pair,
        &cell.within(&ones, false),
    );
    check_all("two sets", engine, |e| e.over(&ones).against(&others), |p| p.iter().map(of_cross).collect(), of_cross, &crossing);
    check_all("with statics", engine, |e| e.over(&ones).with(&statics), stored_both, of_either, &both);
    let in_time = cell.within_swept(&swept);
    check_all("swept", engine, |e| e.over(&swept), |p| p.iter().map(of_pair).collect(), of_pair, &in_time);
    check_all(
        "with statics, filtered",
        engine,
        |e| e.over(&ones).with(&statics).filter(|pair| is_odd(&of_either(pair))),
        stored_both,
        of_either,
        &only_odd(&both),
    );
    check_rejected(cell, engine, &ones);
}

fn check_rejected<S: Coordinate, const D: usize>(cell: &Cell<D>, engine: &mut Periodic<S, D>, things: &[Thing<S, D>]) {
    let rejected: Vec<usize> = engine.over(things).pairs().rejected().iter().map(|rejected| rejected.index).collect();
    assert_eq!(rejected, cell.rejected(things));
    assert_eq!(engine.rejected().len(), rejected.len());
}

fn in_boxes<S: Coordinate, const D: usize>() {
    sources::<S, D>(&Cell::along_axes([true; D]), 70);
    sources::<S, D>(&Cell::along_axes(std::array::from_fn(|axis| axis == 0)), 40);
}

fn in_sheared_cells<S: Coordinate, const D: usize>() {
    sources::<S, D>(&Cell::sheared([true; D]), 50);
    sources::<S, D>(&Cell::sheared(std::array::from_fn(|axis| axis != 0)), 40);
}

/// Objects are up to three periods long, and meet each other in many places.
fn in_short_cells<S: Coordinate, const D: usize>() {
    sources::<S, D>(&Cell::short(), if D == 2 { 30 } else { 12 });
}

fn refusals<S: Coordinate, const D: usize>() {
    for cell in [Cell::along_axes([true; D]), Cell::sheared([true; D])] {
        let (few, many) = (exact_things::<S, D>(30, 3, &cell), exact_things::<S, D>(60_000, 4, &cell));
        let (pairs, crossing) = (cell.within(&few, true), cell.across(&few, &few));
        let (mut statics, mut many_statics) = (StaticSet::<S, D>::new(), StaticSet::<S, D>::new());
        statics.build(&few);
        many_statics.par_build(&many);
        let limited = grid_config().max_bytes(2_000_000);
        let mut engine = cell.engine::<S>(limited);
        let engine = &mut engine;
        for _ in 0..2 {
            check_refused("slice", engine, |e| e.over(&many));
            assert_nothing(engine);
            check_all("slice", engine, |e| e.over(&few), |p| p.iter().map(of_pair).collect(), of_pair, &pairs);
            check_refused("two sets", engine, |e| e.over(&few).against(&many));
            check_all(
                "two sets",
                engine,
                |e| e.over(&few).against(&few),
                |p| p.iter().map(of_cross).collect(),
                of_cross,
                &crossing,
            );
            check_refused("with statics", engine, |e| e.over(&many).with(&statics));
            check_refused("with many statics", engine, |e| e.over(&few).with(&many_statics));
            assert_nothing(engine);
        }
    }
}

/// After a step that did not come to its end, all figures but the memory held are 0.
fn assert_nothing<S: Coordinate, const D: usize>(engine: &Periodic<S, D>) {
    let stats = engine.stats();
    assert_eq!((stats.objects, stats.pairs, stats.rejected, stats.chunks, stats.levels.len()), (0, 0, 0, 0, 0));
    assert!(stats.times.total().is_zero() && engine.rejected().is_empty());
}

/// A panic of the user's boxes while images are made, then a step that finds everything.
fn panics<S: Coordinate, const D: usize>() {
    for cell in [Cell::along_axes([true; D]), Cell::sheared([true; D])] {
        let ones = exact_things::<S, D>(200, 5, &cell);
        let mut bad: Vec<Thing<S, D>> = ones.clone();
        bad[137].panics = true;
        let pairs = cell.within(&ones, true);
        let mut engine = cell.engine::<S>(grid_config());
        for carrier in CARRIERS {
            let mut found = Vec::new();
            carrier.run(engine.over(&ones), &mut |request| found = request.pairs().iter().map(of_pair).collect());
            assert_eq!(sorted(found), pairs, "{carrier:?}");
            assert_eq!(engine.stats().pairs, pairs.len());
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                carrier.run(engine.over(&bad), &mut |request| drop(request.try_pairs()));
            }));
            assert_eq!(outcome.expect_err("a box that panics").downcast_ref(), Some(&scene::PANIC), "{carrier:?}");
            assert_nothing(&engine);
        }
    }
}

/// One order for all kinds of pairs, whatever the threads.
fn canonical_order<S: Coordinate, const D: usize>() {
    for cell in [Cell::along_axes([true; D]), Cell::sheared([true; D])] {
        let (ones, others) = (exact_things::<S, D>(100, 6, &cell), exact_things::<S, D>(90, 7, &cell));
        let (pairs, crossing) = (cell.within(&ones, true), cell.across(&ones, &others));
        let met: Vec<Key<D>> = cell.with_statics(&ones, &others);
        let mut statics = StaticSet::<S, D>::new();
        statics.build(&others);
        let mut engine = cell.engine::<S>(grid_config().canonical_order(true));
        for carrier in CARRIERS {
            let mut found = Vec::new();
            carrier.run(engine.over(&ones), &mut |request| found = request.pairs().iter().map(of_pair).collect());
            assert_eq!(found, pairs, "{carrier:?}");
            carrier.run(engine.over(&ones).against(&others), &mut |r| found = r.pairs().iter().map(of_cross).collect());
            assert_eq!(found, crossing, "{carrier:?}");
            carrier.run(engine.over(&ones).with(&statics), &mut |request| found = stored_both(request.pairs()));
            assert_eq!(found, [&pairs[..], &met].concat(), "{carrier:?}");
        }
    }
}

/// Threads that panic themselves are the caller's affair; the domain stays usable.
#[test]
fn threads_that_panic() {
    let cell = Cell::<2>::along_axes([true; 2]);
    let ones = exact_things::<f32, 2>(200, 10, &cell);
    let pairs = cell.within(&ones, true);
    let mut engine = cell.engine::<f32>(grid_config());
    for calls in 0..20 {
        let panicking = threads::PanicsAfter::new(calls);
        match catch_unwind(AssertUnwindSafe(|| engine.over(&ones).on(&panicking).pairs().len())) {
            Ok(found) => assert_eq!(found, pairs.len()),
            Err(payload) => {
                assert_eq!(payload.downcast_ref(), Some(&"threads"), "after {calls} passes");
                assert_nothing(&engine);
            }
        }
        assert_eq!(sorted(engine.over(&ones).on(&threads::Spawned(2)).pairs().iter().map(of_pair).collect()), pairs);
    }
}

/// A static set that changes, that is replaced by another one, and one whose objects have no place.
#[test]
fn static_sets_that_change() {
    let cell = Cell::<2>::sheared([true; 2]);
    let (ones, mut others) = (exact_things::<f32, 2>(100, 8, &cell), exact_things::<f32, 2>(80, 9, &cell));
    let mut engine = cell.engine::<f32>(Config::default());
    let mut statics = StaticSet::<f32, 2>::new();
    statics.build(&others);
    for step in (0..others.len()).step_by(7) {
        if step % 3 == 1 {
            others[step] = others[(step + 7) % 80].clone();
            statics.update(step as u32, &others[step]).expect("it is there");
        } else if step % 3 == 2 {
            others[step].bounds.min[0] = f32::NAN;
            statics.remove(step as u32).expect("it is there");
        }
        let found: Vec<Key<2>> =
            engine.over(&ones).with(&statics).pairs().statics.iter().map(of_cross).map(|k| (true, k.1, k.2, k.3)).collect();
        assert_eq!(sorted(found), cell.with_statics(&ones, &others), "step {step}");
    }
    let mut long = StaticSet::<f32, 2>::new();
    long.build(&[ones[0].bounds, pivotgrid::Aabb::new([f32::NEG_INFINITY, 0.0], [f32::INFINITY, 1.0])]);
    let found = engine.over(&ones).with(&long).pairs();
    assert_eq!(found.rejected_statics.iter().map(|rejected| rejected.index).collect::<Vec<_>>(), [1]);
    assert!(found.statics.iter().all(|pair| pair.second == 0));
}

for_all_types! {
    boxes: in_boxes;
    sheared_cells: in_sheared_cells;
    short_cells: in_short_cells;
    refused: refusals;
    panicking: panics;
    ordered: canonical_order;
}
