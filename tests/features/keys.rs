//! A tracker whose keys are indices, functions of them, others in other steps, and functions that panic: against sets.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::common::{Rng, grid_engine, pool};
use crate::kinds::{scene, stir};
use pivotgrid::{PairMap, PairTracker};

/// Keys of a step: by index, or by a function of its own.
#[derive(Clone, Copy, Debug)]
enum Keys {
    Index,
    Identity,
    Raised,
    Shuffled,
    OneSwapped,
    Shared,
}

impl Keys {
    fn key(self, index: u32) -> u32 {
        match self {
            Keys::Index | Keys::Identity => index,
            Keys::Raised => index + 3,
            Keys::Shuffled => index ^ 0x155,
            Keys::OneSwapped => match index {
                4 => 5,
                5 => 4,
                _ => index,
            },
            Keys::Shared => index / 2,
        }
    }
}

#[test]
fn keys_may_change_from_step_to_step() {
    let all = [Keys::Index, Keys::Identity, Keys::Raised, Keys::Shuffled, Keys::OneSwapped, Keys::Shared];
    let (mut rng, mut boxes) = (Rng(8), scene::<f32, 3>(3000, 4));
    let mut engine = grid_engine::<f32, 3>();
    let mut trackers: [PairTracker; 2] = Default::default();
    let mut map = PairMap::new();
    let mut before = BTreeSet::new();
    for round in 0..120 {
        // Mostly the keys of the step before.
        let keys = all[if round % 12 < 3 { rng.below(6) } else { round / 12 % 6 }];
        stir(&mut boxes, &mut rng);
        let count = if round % 5 == 4 { 2500 + rng.below(500) } else { 3000 };
        let pairs = engine.par_detect(&boxes[..count]);
        let in_order = |a: u32, b: u32| (a.min(b), a.max(b));
        let now: BTreeSet<(u32, u32)> =
            pairs.iter().map(|pair| in_order(keys.key(pair.a), keys.key(pair.b))).filter(|(a, b)| a != b).collect();
        if round % 7 == 3 {
            // An update that does not come to its end, with keys that nothing may remember.
            for tracker in &mut trackers {
                let keyed = pairs.keyed_by(|index| index + 1).touching(|pair| match pair.a == 17 {
                    true => resume_unwind(Box::new(())),
                    false => true,
                });
                let has_one = pairs.iter().any(|pair| pair.a == 17);
                assert_eq!(catch_unwind(AssertUnwindSafe(|| _ = tracker.update(keyed))).is_err(), has_one);
                if !has_one {
                    *tracker = PairTracker::with_current(before.iter().copied().collect());
                }
            }
        }
        if round % 9 == 2 {
            before.retain(|(a, _)| a % 3 != 0);
            trackers.iter_mut().for_each(|tracker| tracker.retain(|(a, _)| a % 3 != 0));
            map.retain(|(a, _), _: &mut (u32, u32)| a % 3 != 0);
        }
        let [alone, in_pool] = &mut trackers;
        match keys {
            Keys::Index => {
                alone.update(pairs.by_index());
                pool(3).install(|| _ = in_pool.par_update(pairs.by_index()));
                map.update(pairs.by_index(), |pair| pair);
            }
            _ => {
                alone.update(pairs.keyed_by(|index| keys.key(index)));
                pool(3).install(|| _ = in_pool.par_update(pairs.keyed_by(|index| keys.key(index))));
                map.update(pairs.keyed_by(|index| keys.key(index)), |pair| pair);
            }
        }
        for tracker in &trackers {
            let events = tracker.events();
            assert!(events.started.iter().eq(now.difference(&before)), "round {round}, {keys:?}");
            assert!(events.ongoing.iter().eq(now.intersection(&before)), "round {round}, {keys:?}");
            assert!(events.ended.iter().eq(before.difference(&now)), "round {round}, {keys:?}");
        }
        assert!(map.keys().iter().eq(&now) && map.iter().all(|(pair, value)| pair == *value), "round {round}, {keys:?}");
        before = now;
    }
}
