//! A tracker of pairs with keys, against sets: keys that are shared, come, go and change places, with and without margins, with objects
//! that are forgotten, and with closures that panic.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pivotgrid::{BroadPhase, Events, PairTracker};

use crate::bytes::Bytes;
use crate::fuse::Fuse;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::settings::{config, pool};

const MOST_STEPS: usize = 8;

/// Unlike an index, so that the two cannot be confused, and not in the order of indices.
type Key = (u8, i16);
type Set = BTreeSet<(Key, Key)>;

pub fn run(data: &[u8]) {
    crate::in_some_space!(live, data);
}

fn live<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let mut engine = BroadPhase::<S, D>::with_config(config(bytes)).expect("a valid config");
    let (mut tracker, mut current): (PairTracker<Key>, Set) = match bytes.below(3) {
        0 => {
            let pairs: Vec<(Key, Key)> = (0..bytes.below(9)).map(|_| (key(bytes), key(bytes))).collect();
            let current = pairs.iter().filter_map(|&(a, b)| ordered(a, b)).collect();
            (PairTracker::with_current(pairs), current)
        }
        _ => (PairTracker::new(), Set::new()),
    };
    let mut objects: Vec<(Key, Plain<S, D>)> = Vec::new();
    for _ in 0..MOST_STEPS {
        if bytes.is_empty() {
            break;
        }
        change(&mut objects, bytes);
        match bytes.below(8) {
            0 => {
                let gone = key(bytes);
                tracker.forget(gone);
                current.retain(|pair| pair.0 != gone && pair.1 != gone);
            }
            1 => {
                let least = key(bytes);
                tracker.retain(|(_, second)| second >= least);
                current.retain(|pair| pair.1 >= least);
            }
            2 => tracker.shrink_to_fit(),
            _ => {}
        }
        assert!(tracker.current().iter().eq(&current));
        step(&mut engine, &mut tracker, &mut current, &objects, bytes);
    }
}

fn key(bytes: &mut Bytes<'_>) -> Key {
    let byte = bytes.byte();
    (byte & 3, i16::from(byte >> 2 & 7) - 4)
}

fn ordered(a: Key, b: Key) -> Option<(Key, Key)> {
    (a != b).then_some((a.min(b), a.max(b)))
}

fn change<S: Number, const D: usize>(objects: &mut Vec<(Key, Plain<S, D>)>, bytes: &mut Bytes<'_>) {
    let (what, count) = (bytes.below(6), bytes.below(40));
    match what {
        0 => objects.clear(),
        1 => objects.truncate(count),
        2 => objects.reverse(),
        3 => {
            let by = count.min(objects.len());
            objects.rotate_left(by);
        }
        _ => {}
    }
    while objects.len() < count && !bytes.is_empty() {
        objects.push((key(bytes), Plain::new(bytes, false)));
    }
    if what == 5 && count < objects.len() {
        objects[count] = (key(bytes), Plain::new(bytes, false));
    }
}

fn sets(events: Events<'_, (Key, Key)>) -> [Vec<(Key, Key)>; 3] {
    [events.started, events.ongoing, events.ended].map(<[_]>::to_vec)
}

fn step<S: Number, const D: usize>(
    engine: &mut BroadPhase<S, D>,
    tracker: &mut PairTracker<Key>,
    current: &mut Set,
    objects: &[(Key, Plain<S, D>)],
    bytes: &mut Bytes<'_>,
) {
    let way = bytes.byte();
    let with_margin = way & 1 != 0;
    let margin = S::of(0.25);
    let grown =
        |plain: &Plain<S, D>| Plain { low: plain.low.map(|x| x - margin), high: plain.high.map(|x| x + margin), ..*plain };
    let detected: Vec<Plain<S, D>> = objects.iter().map(|(_, plain)| if with_margin { grown(plain) } else { *plain }).collect();
    let (mut reported, mut may_start) = (Set::new(), Set::new());
    for pair in plain::pairs(&detected) {
        let [(a, one), (b, other)] = [pair.a, pair.b].map(|index| &objects[index as usize]);
        if let Some(keys) = ordered(*a, *b) {
            reported.insert(keys);
            if !with_margin || one.touches(other) {
                may_start.insert(keys);
            }
        }
    }
    let fuse = Fuse::new(if way & 6 == 6 { bytes.byte() as usize } else { usize::MAX });
    let key = |index: u32| {
        fuse.burn();
        objects[index as usize].0
    };
    let touches = |pair: pivotgrid::Pair| {
        fuse.burn();
        objects[pair.a as usize].1.touches(&objects[pair.b as usize].1)
    };
    let pairs = engine.detect(&detected);
    let before = (sets(tracker.events()), tracker.current().to_vec());
    let pool = pool(usize::from(way >> 5));
    let (keyed, judged) = (pairs.keyed_by(key), pairs.keyed_by(key).touching(touches));
    let outcome = catch_unwind(AssertUnwindSafe(|| match (with_margin, way >> 3 & 3) {
        (false, 0) => sets(tracker.update(keyed)),
        (false, 1) => sets(tracker.try_update(keyed).expect("enough memory")),
        (false, 2) => pool.install(|| sets(tracker.par_update(keyed))),
        (false, _) => pool.install(|| sets(tracker.try_par_update(keyed).expect("enough memory"))),
        (true, 0) => sets(tracker.update(judged)),
        (true, 1) => sets(tracker.try_update(judged).expect("enough memory")),
        (true, 2) => pool.install(|| sets(tracker.par_update(judged))),
        (true, _) => pool.install(|| sets(tracker.try_par_update(judged).expect("enough memory"))),
    }));
    let Ok(found) = outcome else {
        assert!(fuse.is_burnt(), "a panic that is not ours");
        assert_eq!((sets(tracker.events()), tracker.current().to_vec()), before, "as if nothing had been called");
        return;
    };
    assert!(!fuse.is_burnt(), "our panic was swallowed");
    let now: Set = reported.iter().filter(|pair| current.contains(pair) || may_start.contains(pair)).copied().collect();
    assert!(found[0].iter().eq(now.difference(current)), "started: {found:?}, {objects:?}");
    assert!(found[1].iter().eq(now.intersection(current)), "ongoing: {found:?}, {objects:?}");
    assert!(found[2].iter().eq(current.difference(&now)), "ended: {found:?}, {objects:?}");
    assert!(tracker.current().iter().eq(&now));
    assert_eq!(sets(tracker.events()), found);
    *current = now;
}
