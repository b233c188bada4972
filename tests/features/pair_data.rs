//! Data of pairs, against a map.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::common::{Coordinate, Oracle, Rng, grid_config, grid_engine, pool};
use crate::kinds::{PERIOD, scene, stir};
use pivotgrid::{Aabb, CrossMap, PairMap, Periodic, PeriodicMap, StaticSet};

/// Not `Copy`: where it was made, and how many updates it has seen.
#[derive(Clone, Debug, Default, PartialEq)]
struct History(Vec<u32>);

fn born(step: u32, (a, b): (u64, u64)) -> History {
    History(vec![step, (a ^ b) as u32])
}

fn lives<S: Coordinate, const D: usize>() {
    let rng = &mut Rng(5);
    let mut boxes = scene::<S, D>(2500, 4);
    let keys: Vec<u64> = (0..2500u64).map(|index| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 100_003).collect();
    let key = |index: u32| keys[index as usize];
    let mut engine = grid_engine::<S, D>();
    let mut maps: [PairMap<u64, History>; 4] = Default::default();
    let mut twin: BTreeMap<(u64, u64), History> = BTreeMap::new();
    for step in 0..6 {
        let pairs = Oracle::detect(&boxes).pairs;
        let now = pairs.iter().map(|pair| (key(pair.a).min(key(pair.b)), key(pair.a).max(key(pair.b))));
        let mut next = BTreeMap::new();
        let mut started = Vec::new();
        for pair in now {
            let known = twin.remove(&pair);
            if known.is_none() {
                started.push(pair);
            }
            next.insert(pair, known.unwrap_or_else(|| born(step, pair)));
        }
        started.sort_unstable();
        let ended = std::mem::replace(&mut twin, next);
        assert!(!(1..4).contains(&step) || ended.len() > 50 && started.len() > 50 && twin.len() > started.len());
        for (map, threads) in maps.iter_mut().zip([0, 1, 2, 5]) {
            let make = |pair| born(step, pair);
            let changes = match threads {
                0 => map.update(engine.detect(&boxes).keyed_by(key), make),
                _ => pool(threads).install(|| map.par_update(engine.par_detect(&boxes).keyed_by(key), make)),
            };
            assert!(changes.started == started && changes.ended.iter().eq(ended.keys()), "step {step}, {threads} threads");
            assert!(changes.ended_values.iter().eq(ended.values()));
            assert!(map.iter().eq(twin.iter().map(|(pair, history)| (*pair, history))), "step {step}, {threads} threads");
            pool(2).install(|| map.par_for_each(|(a, _), history| history.0.push(a as u32)));
        }
        twin.iter_mut().for_each(|((a, _), history)| history.0.push(*a as u32));
        match step {
            3 => boxes.clear(),
            4 => boxes = scene::<S, D>(2500, 6),
            _ => stir(&mut boxes, rng),
        }
    }
    let [map, ..] = &mut maps;
    let (&(a, b), history) = twin.iter().nth(20).unwrap();
    assert!(map.get((a, b)) == Some(history) && map.get((b, a)) == Some(history) && map.get((a, a)).is_none());
    map.get_mut((b, a)).unwrap().0.clear();
    map.retain(|(one, _), history| one != a || history.0.is_empty());
    twin.retain(|&(one, other), _| one != a || other == b);
    assert!(map.keys().iter().eq(twin.keys()) && map.get((a, b)) == Some(&History::default()));
    let copy: PairMap<u64, History> = map.iter().map(|((a, b), history)| ((b, a), history.clone())).collect();
    assert!(copy.keys() == map.keys() && copy.values() == map.values());
    map.shrink_to_fit();
    assert!(copy.values() == map.values());
    // It goes on.
    map.par_update(engine.par_detect(&boxes).keyed_by(key), |pair| born(9, pair));
    assert_eq!(map.len(), Oracle::detect(&boxes).pairs.len());
}

#[test]
fn in_3d() {
    lives::<f32, 3>();
    lives::<f64, 3>();
}

#[test]
fn in_2d() {
    lives::<f32, 2>();
    lives::<f64, 2>();
}

/// With static sets, and in periodic domains.
#[test]
fn other_kinds() {
    let (boxes, walls) = (scene::<f64, 3>(2000, 7), scene::<f64, 3>(1500, 8));
    let mut statics = StaticSet::new();
    statics.par_build(&walls);
    let mut engine = grid_engine::<f64, 3>();
    let mut with_walls = CrossMap::<u32, i8, u32>::new();
    let domain = Aabb::new([0.0; 3], [PERIOD; 3]);
    let mut domain = Periodic::<f64, 3>::with_config(domain, [true; 3], grid_config()).unwrap();
    let mut across = PeriodicMap::<u32, [i32; 3]>::new();
    for _ in 0..3 {
        let pairs = engine.over(&boxes).with(&statics).serial().pairs().statics;
        with_walls.par_update(pairs.keyed_by(|index| index, |wall| (wall % 100) as i8), |(body, wall)| body + wall as u32);
        with_walls.par_for_each(|_, value| *value += 1);
        let found = domain.par_detect(&boxes);
        across.par_update(found.keyed_by(|index| index), |(_, _, shift)| shift);
    }
    assert!(with_walls.len() > 500 && with_walls.iter().all(|((body, wall), value)| *value == body + wall as u32 + 3));
    assert!(across.len() > 500 && across.iter().all(|((.., shift), value)| shift == *value));
}

/// A panic of `make` or of `key` in any call leaves everything as it was.
#[test]
fn panics_change_nothing() {
    let (one, other) = (scene::<f32, 2>(700, 1), scene::<f32, 2>(700, 2));
    let mut engines = [&one, &other].map(|boxes| {
        let mut engine = grid_engine::<f32, 2>();
        engine.detect(boxes);
        engine
    });
    let [before, after] = engines.each_mut().map(|engine| engine.debug_view().pairs());
    let mut map = PairMap::new();
    map.update(before.keyed_by(|index| index), |pair| vec![pair]);
    let twin = map.clone();
    for threads in [1, 3] {
        for victim in [0, 5, 300, 650] {
            let make = |pair: (u32, u32)| if pair.0 >= victim { panic!("enough") } else { vec![pair] };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool(threads).install(|| map.par_update(after.keyed_by(|index| index), make).started.len())
            }));
            assert!(outcome.is_err() && map.keys() == twin.keys() && map.values() == twin.values());
            let key = |index: u32| if index == victim { panic!("enough") } else { index };
            let outcome = catch_unwind(AssertUnwindSafe(|| map.update(after.keyed_by(key), |pair| vec![pair]).started.len()));
            assert!(outcome.is_err() && map.keys() == twin.keys() && map.values() == twin.values());
        }
    }
    map.update(after.keyed_by(|index| index), |pair| vec![pair]);
    assert!(map.len() == after.len() && map.iter().all(|(pair, value)| value == &[pair]));
}

/// A panic of the function that says what stays: what it let go is gone, and each other pair has its own data.
#[test]
fn a_panic_while_entries_are_dropped_leaves_each_pair_its_data() {
    let mut engine = grid_engine::<f32, 2>();
    engine.detect(&scene::<f32, 2>(700, 1));
    let pairs = engine.debug_view().pairs();
    let mut map = PairMap::new();
    map.update(pairs.keyed_by(|index| index), |pair| vec![pair]);
    let mut expected: Vec<(u32, u32)> = map.keys().to_vec();
    assert!(expected.len() > 300);
    for victim in [0, 1, 40, 150] {
        let mut calls = 0;
        let keep = |(a, _): (u32, u32), _: &mut Vec<(u32, u32)>| {
            calls += 1;
            if calls > victim { resume_unwind(Box::new("enough")) } else { a % 3 != 0 }
        };
        assert!(catch_unwind(AssertUnwindSafe(|| map.retain(keep))).is_err());
        let mut judged = 0;
        expected.retain(|&(a, _)| {
            judged += 1;
            judged > victim || a % 3 != 0
        });
        assert!(map.keys() == expected, "{} entries, not {}", map.len(), expected.len());
        assert!(map.iter().all(|(pair, value)| value == &[pair]) && map.values().len() == map.len());
    }
    let (before, found) = (map.len(), pairs.len());
    let changes = map.update(pairs.keyed_by(|index| index), |pair| vec![pair]);
    assert!(changes.started.len() == found - before && changes.ended.is_empty());
    assert!(map.iter().all(|(pair, value)| value == &[pair]));
}

#[cfg(feature = "serde")]
#[test]
fn maps_are_saved_and_restored() {
    let boxes = scene::<f32, 2>(500, 3);
    let mut engine = grid_engine::<f32, 2>();
    let mut map = PairMap::new();
    map.update(engine.detect(&boxes).keyed_by(|index| index), |(a, b)| [a as f32, b as f32]);
    let text = serde_json::to_string(&map).unwrap();
    let restored: PairMap<u32, [f32; 2]> = serde_json::from_str(&text).unwrap();
    assert!(restored.keys() == map.keys() && restored.values() == map.values() && map.len() > 100);
    for damaged in ["[[[1,1],0]]", "[[[2,1],0]]", "[[[1,2],0],[[0,1],0]]", "[[[1,2],0],[[1,2],0]]"] {
        assert!(serde_json::from_str::<PairMap<u32, u8>>(damaged).is_err(), "{damaged}");
    }
}
