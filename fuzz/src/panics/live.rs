//! What lives on from step to step: maps of pairs, and worlds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pivotgrid::{Aabb, BroadPhase, Handle, Object, PairMap, Ray, World};

use super::engines::everything;
use super::{MOST_OBJECTS, MOST_STEPS, config, plain};
use crate::bytes::Bytes;
use crate::fuse::Fuse;
use crate::number::Number;
use crate::plain::Plain;
use crate::settings::pool;

type Key = u8;

/// A value that knows whose it is, in memory of its own.
#[derive(Clone, Debug, Default, PartialEq)]
struct Value(Vec<(Key, Key)>);

/// The panic is there if the fuse has burnt, and no other.
fn attempt<R>(fuse: &Fuse, call: impl FnOnce() -> R) -> Option<R> {
    let outcome = catch_unwind(AssertUnwindSafe(call));
    assert_eq!(outcome.is_err(), fuse.is_burnt(), "a panic that is not ours, or one of ours that was lost");
    outcome.ok()
}

/// Keys that are shared, functions that panic: every value stays with its pair.
pub(super) fn maps<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::with_config(config(bytes)).expect("a valid config");
    let mut map = PairMap::<Key, Value>::new();
    let mut known: BTreeMap<(Key, Key), Value> = BTreeMap::new();
    for _ in 0..2 * MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let (way, calls, keys) = (bytes.byte(), bytes.byte(), 1 + bytes.byte() % 64);
        let fuse = Fuse::new(if calls == 255 { usize::MAX } else { calls.into() });
        let pool = pool(usize::from(way >> 6));
        match way & 3 {
            0 => {
                let drops = |(a, b): (Key, Key)| a.wrapping_add(b) % 3 == keys % 3;
                let kept = attempt(&fuse, || {
                    map.retain(|pair, _| {
                        fuse.burn();
                        !drops(pair)
                    });
                });
                let judged = if kept.is_some() { known.len() } else { usize::from(calls) };
                let gone: Vec<_> = known.keys().copied().take(judged).filter(|&pair| drops(pair)).collect();
                gone.iter().for_each(|pair| _ = known.remove(pair));
            }
            1 => {
                let work = |pair, value: &mut Value| {
                    fuse.burn();
                    assert_eq!(value.0.first(), Some(&pair));
                };
                attempt(&fuse, || pool.install(|| map.par_for_each(work)));
            }
            _ => {
                let count = bytes.below(MOST_OBJECTS);
                let objects = Plain::<S, D>::several(bytes, count, false);
                let touchy = |what: u8| {
                    if way >> 2 & what != 0 {
                        fuse.burn()
                    }
                };
                let key = |index: u32| {
                    touchy(1);
                    (index % u32::from(keys)) as Key
                };
                let make = |pair| {
                    touchy(2);
                    Value(vec![pair])
                };
                let pairs = engine.detect(&objects);
                let keyed = pairs.keyed_by(key);
                let told = (map.changes().started.to_vec(), map.changes().ended.to_vec(), map.changes().ended_values.to_vec());
                let outcome = attempt(&fuse, || match way & 0x10 {
                    0 => map.update(keyed, make).started.len(),
                    _ => pool.install(|| map.try_par_update(keyed, make).expect("enough memory").started.len()),
                });
                if outcome.is_none() {
                    let changes = map.changes();
                    assert_eq!((changes.started, changes.ended, &*changes.ended_values), (&told.0[..], &told.1[..], &told.2[..]));
                } else {
                    let code = |index: u32| (index % u32::from(keys)) as Key;
                    let ordered = |a: Key, b: Key| (a != b).then_some((a.min(b), a.max(b)));
                    let now: BTreeSet<_> =
                        plain::pairs(&objects).iter().filter_map(|pair| ordered(code(pair.a), code(pair.b))).collect();
                    let changes = map.changes();
                    assert!(changes.started.iter().eq(now.iter().filter(|pair| !known.contains_key(pair))));
                    let ended: Vec<_> = known.iter().filter(|(pair, _)| !now.contains(pair)).collect();
                    assert!(changes.ended.iter().zip(&*changes.ended_values).eq(ended));
                    known.retain(|pair, _| now.contains(pair));
                    now.into_iter().for_each(|pair| _ = known.entry(pair).or_insert(Value(vec![pair])));
                }
            }
        }
        assert_eq!(map.len(), known.len());
        assert!(map.keys().iter().eq(known.keys()) && map.values().iter().eq(known.values()), "{map:?} is not {known:?}");
        if calls & 15 == 15 {
            map.shrink_to_fit();
        }
    }
}

/// Functions that move objects and that see what is found panic. The world has the boxes that they left, and the next step is about those.
pub(super) fn world<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut world = World::<S, D>::with_config(config(bytes), S::of(0.0)).expect("a valid config");
    let mut known: BTreeMap<Handle, (Plain<S, D>, bool)> = BTreeMap::new();
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        let (way, calls, count) = (bytes.byte(), bytes.byte(), bytes.below(MOST_OBJECTS / 2));
        for plain in Plain::<S, D>::several(bytes, count, false) {
            let bounds = Aabb { min: plain.low, max: plain.high };
            let moves = way & 1 != 0;
            let handle = world.insert(if moves { Object::new_moving(bounds) } else { Object::new_static(bounds) });
            known.insert(handle, (plain, moves));
        }
        let fuse = Fuse::new(if calls == 255 { usize::MAX } else { calls.into() });
        let (pool, by) = (pool(usize::from(way >> 6)), S::of(f64::from(calls % 8)));
        let mut alone = true;
        match way >> 1 & 3 {
            0 | 1 => {
                alone = false;
                attempt(&fuse, || {
                    pool.install(|| {
                        world.par_for_each_moving(|_, bounds| {
                            fuse.burn();
                            (bounds.min[0], bounds.max[0]) = (bounds.min[0] + by, bounds.max[0] + by);
                        });
                    });
                });
            }
            2 => {
                world.step();
                attempt(&fuse, || {
                    let _ = world.queries().visit_overlapping(&everything(), |_| {
                        fuse.burn();
                        ControlFlow::<()>::Continue(())
                    });
                });
            }
            _ => {
                world.step();
                let ray = Ray::new([S::of(0.0); D], [S::of(1.0); D]);
                attempt(&fuse, || {
                    world.queries().first_hit_by(&ray, |_| {
                        fuse.burn();
                        None
                    })
                });
            }
        }
        assert_eq!(world.len(), known.len());
        for (handle, (plain, moves)) in &mut known {
            let bounds = world.get(*handle).expect("nobody has removed it").aabb;
            let bits = |low: [S; D], high: [S; D]| [low, high].map(|corner| corner.map(|x| x.into().to_bits()));
            let (now, then) = (bits(bounds.min, bounds.max), bits(plain.low, plain.high));
            (plain.low[0], plain.high[0]) = (plain.low[0] + by, plain.high[0] + by);
            let moved = !alone && *moves && now == bits(plain.low, plain.high);
            let is_number = |x: &S| *x == *x;
            assert!(now == then || moved || !bounds.min.iter().chain(&bounds.max).all(is_number), "{bounds:?}");
            (plain.low, plain.high) = (bounds.min, bounds.max);
        }
        match way & 8 {
            0 => world.step(),
            _ => pool.install(|| world.par_step()),
        };
        let valid: Vec<_> = known.iter().filter(|(_, (plain, _))| plain.flaw().is_none()).collect();
        let mut pairs = Vec::new();
        for (place, (a, (one, one_moves))) in valid.iter().enumerate() {
            let others = valid[place + 1..].iter().filter(|(_, (other, moves))| (*one_moves || *moves) && one.touches(other));
            pairs.extend(others.map(|(b, _)| (**a, **b)));
        }
        assert_eq!(world.pairs(), pairs);
        let mut found = Vec::new();
        world.queries().overlapping(&everything(), &mut found);
        found.sort_unstable();
        assert!(valid.iter().map(|(handle, _)| *handle).eq(&found));
    }
}
