//! A static set through all sorts of changes, against a map.

use std::collections::BTreeMap;

use pivotgrid::{Aabb, BroadPhase, CrossPair, StaticSet};

use crate::bytes::Bytes;
use crate::number::Number;
use crate::plain::{self, Plain};
use crate::settings::{config, pool};

/// Enough for the changes to move through all tiers.
const MOST_CHANGES: usize = 120;

pub fn run(data: &[u8]) {
    crate::in_some_space!(changes, data);
}

fn changes<S: Number, const D: usize>(bytes: &mut Bytes<'_>) {
    let config = config(bytes);
    let mut set = StaticSet::<S, D>::with_config(config.clone()).expect("a valid config");
    let mut engine = BroadPhase::<S, D>::with_config(config).expect("a valid config");
    let mut known: BTreeMap<u32, Plain<S, D>> = BTreeMap::new();
    for _ in 0..MOST_CHANGES {
        if bytes.is_empty() {
            break;
        }
        let what = bytes.byte();
        let index = u32::from(bytes.byte() % 80);
        match what % 16 {
            0..=3 => {
                let object = Plain::new(bytes, true);
                let index = set.insert(&object);
                assert!(known.insert(index, object).is_none(), "index {index} was given out twice");
            }
            // Many for few bytes.
            4 => {
                let object = Plain::<S, D>::new(bytes, true);
                for copy in 0..bytes.below(90) {
                    let shift = S::of(copy as f64);
                    let copied = Plain { low: object.low.map(|x| x + shift), high: object.high.map(|x| x + shift), ..object };
                    assert!(known.insert(set.insert(&copied), copied).is_none());
                }
            }
            5..=7 => assert_eq!(set.remove(index).is_ok(), known.remove(&index).is_some(), "index {index}"),
            8..=10 => {
                let object = Plain::new(bytes, true);
                let is_known = known.contains_key(&index);
                assert_eq!(set.update(index, &object).is_ok(), is_known, "index {index}");
                if is_known {
                    known.insert(index, object);
                }
            }
            11 => pool(index as usize).install(|| set.par_rebuild()),
            12 => {
                let objects: Vec<Plain<S, D>> = Plain::several(bytes, index as usize, true);
                set.par_build(&objects);
                known = (0..).zip(objects).collect();
            }
            13 => {
                let asked = Plain::<S, D>::new(bytes, false);
                let mut found = Vec::new();
                set.queries().overlapping(&Aabb { min: asked.low, max: asked.high }, &mut found);
                found.sort_unstable();
                let meets = |object: &Plain<S, D>| object.flaw().is_none() && object.touches(&asked);
                let makes_sense = asked.flaw().is_none();
                let expected: Vec<u32> =
                    known.iter().filter(|(_, object)| makes_sense && meets(object)).map(|(index, _)| *index).collect();
                assert_eq!(found, expected, "{asked:?} in {known:?}");
            }
            _ => {
                let moving: Vec<Plain<S, D>> = Plain::several(bytes, index as usize / 4, true);
                meet(&mut engine, &moving, &set, &known, what >> 4);
            }
        }
        assert_eq!(set.len(), known.len());
        let same = |bounds: &Aabb<S, D>, object: &Plain<S, D>| {
            bits(&bounds.min) == bits(&object.low) && bits(&bounds.max) == bits(&object.high)
        };
        assert!(match (set.get(index).ok(), known.get(&index)) {
            (Some(bounds), Some(object)) => same(bounds, object),
            (None, None) => true,
            _ => false,
        });
    }
    let first: Vec<Plain<S, D>> = known.values().copied().take(20).collect();
    meet(&mut engine, &first, &set, &known, 0);
}

fn meet<S: Number, const D: usize>(
    engine: &mut BroadPhase<S, D>,
    moving: &[Plain<S, D>],
    set: &StaticSet<S, D>,
    known: &BTreeMap<u32, Plain<S, D>>,
    threads: u8,
) {
    let found = pool(threads.into()).install(|| engine.over(moving).with(set).pairs());
    let mut expected = Vec::new();
    for (a, one) in moving.iter().enumerate().filter(|(_, one)| one.flaw().is_none()) {
        let partners = known.iter().filter(|(_, other)| other.flaw().is_none() && one.touches(other) && one.admits(other));
        expected.extend(partners.map(|(&b, _)| CrossPair { first: a as u32, second: b }));
    }
    assert_eq!(found.statics.sorted(), expected, "{moving:?} against {known:?}");
    assert_eq!(found.moving.sorted(), plain::pairs(moving), "{moving:?}");
}

fn bits<S: Number, const D: usize>(corner: &[S; D]) -> [u64; D] {
    corner.map(|x| x.into().to_bits())
}
