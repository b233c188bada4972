//! An update of a scene that no longer grows allocates nothing.

use pivotgrid::{Aabb, Pair, PairTracker};

use crate::account::Account;
use crate::common::{Placement, Rng, Scene, Sizes, grid_engine};

const OBJECTS: usize = 20_000;
const WARM_UP: usize = 4;
const MEASURED: usize = 20;

/// Two states that a scene swings between.
fn swing() -> [Vec<Aabb<f32, 3>>; 2] {
    let (sizes, placement) = (Sizes::Mono, Placement::Uniform);
    let boxes = Scene { n: OBJECTS, sizes, placement, extent: 40.0, origin: 0.0, seed: 9 }.boxes::<f32, 3>();
    let moved = boxes.iter().enumerate().map(|(index, aabb)| aabb.with_margin(-0.03 * (index % 5) as f32)).collect();
    [boxes, moved]
}

/// Takes steps and updates with this many threads, and with keys by step and index.
fn assert_no_allocation<K: Copy + Ord + Send + Sync>(threads: usize, margin: f32, key: impl Fn(usize, u32) -> K + Sync) {
    let account = Account::open();
    let pool = account.lasting_pool(threads);
    let tight = swing();
    let loose = tight.each_ref().map(|boxes| boxes.iter().map(|aabb| aabb.with_margin(margin)).collect::<Vec<_>>());
    let mut engine = grid_engine::<f32, 3>();
    let mut tracker = PairTracker::new();
    let mut counted = [0; WARM_UP + MEASURED];
    // Inside of the pool, because the way in allocates.
    pool.install(|| {
        for (step, counted) in counted.iter_mut().enumerate() {
            let (tight, pairs) = (&tight[step % 2], engine.par_detect(&loose[step % 2]));
            let touches = |pair: Pair| tight[pair.a as usize].overlaps(&tight[pair.b as usize]);
            let before = account.allocations();
            let events = match threads {
                1 => tracker.update(pairs.keyed_by(|index| key(step % 2, index)).touching(touches)),
                _ => tracker.par_update(pairs.keyed_by(|index| key(step % 2, index)).touching(touches)),
            };
            let (started, ended) = (events.started.len(), events.ended.len());
            *counted = account.allocations() - before;
            assert!(started + ended > 0, "nothing happened in step {step}");
        }
    });
    assert!(counted[0] > 0, "the counter counts");
    assert_eq!(counted[WARM_UP..], [0; MEASURED], "{threads} threads, margin {margin}");
}

#[test]
fn indices_as_keys() {
    for threads in [1, 2, 4] {
        assert_no_allocation(threads, 0.0, |_, index| index);
        assert_no_allocation(threads, 0.02, |_, index| index);
    }
}

#[test]
fn keys_in_no_order() {
    let mut keys: Vec<u64> = (0..OBJECTS as u64).collect();
    Rng(4).shuffle(&mut keys);
    for threads in [1, 2, 4] {
        assert_no_allocation(threads, 0.02, |_, index| keys[index as usize]);
    }
}

/// A part of the objects goes and others come in their place, again and again.
#[test]
fn keys_that_change() {
    let mut keys: Vec<u64> = (0..OBJECTS as u64).collect();
    Rng(5).shuffle(&mut keys);
    for threads in [1, 2, 4] {
        let changing = |phase: usize, index: u32| (keys[index as usize], if index.is_multiple_of(3) { phase } else { 0 });
        assert_no_allocation(threads, 0.0, changing);
    }
}
