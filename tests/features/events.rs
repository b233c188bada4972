//! Pairs that start, go on and end, against a state machine on sets.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{Coordinate, Oracle, Rng, grid_engine, pool};
use pivotgrid::{Aabb, BroadPhase, Events, PairTracker};
use scenes::{Scene, World};

/// The twin of the tracker: a set of pairs.
struct Machine<K> {
    current: BTreeSet<(K, K)>,
}

struct Expected<K> {
    started: Vec<(K, K)>,
    ongoing: Vec<(K, K)>,
    ended: Vec<(K, K)>,
}

impl<K: Copy + Ord> Machine<K> {
    fn new() -> Self {
        Machine { current: BTreeSet::new() }
    }

    /// `near` keep a pair going, `touching` start one.
    fn update(&mut self, near: &BTreeSet<(K, K)>, touching: &BTreeSet<(K, K)>) -> Expected<K> {
        let before = std::mem::take(&mut self.current);
        self.current = before.intersection(near).chain(touching).copied().collect();
        Expected {
            started: self.current.difference(&before).copied().collect(),
            ongoing: self.current.intersection(&before).copied().collect(),
            ended: before.difference(&self.current).copied().collect(),
        }
    }
}

/// What brute force says about these boxes, in keys.
fn key_pairs<S: Coordinate, const D: usize, K: Copy + Ord>(boxes: &[Aabb<S, D>], keys: &[K]) -> BTreeSet<(K, K)> {
    let by_key = |a: u32, b: u32| {
        let (one, other) = (keys[a as usize], keys[b as usize]);
        (one.min(other), one.max(other))
    };
    Oracle::detect(boxes).pairs.iter().map(|pair| by_key(pair.a, pair.b)).filter(|(a, b)| a != b).collect()
}

#[track_caller]
fn assert_events<K: Copy + Ord>(found: Events<'_, (K, K)>, expected: &Expected<K>, context: &str) {
    for (name, found, expected) in [
        ("started", found.started, &expected.started),
        ("ongoing", found.ongoing, &expected.ongoing),
        ("ended", found.ended, &expected.ended),
    ] {
        assert!(found == expected, "{context}: {} pairs {name}, expected {}", found.len(), expected.len());
    }
}

/// Trackers that must agree: one on the calling thread, one per pool, and one that sees the pools change.
struct Trackers<K: pivotgrid::Key, S: Coordinate, const D: usize> {
    engine: BroadPhase<S, D>,
    trackers: [PairTracker<K>; 5],
    step: usize,
}

impl<K: pivotgrid::Key, S: Coordinate, const D: usize> Trackers<K, S, D> {
    fn new() -> Self {
        Trackers { engine: grid_engine(), trackers: std::array::from_fn(|_| PairTracker::new()), step: 0 }
    }

    #[track_caller]
    fn check(&mut self, boxes: &[Aabb<S, D>], keys: &[K], expected: &Expected<K>, context: &str) {
        self.step += 1;
        let threads = [1, 2, 5, [5, 1, 2][self.step % 3]];
        let key = |index: u32| keys[index as usize];
        let [alone, in_pools @ ..] = &mut self.trackers;
        assert_events(alone.update(self.engine.detect(boxes).keyed_by(key)), expected, &format!("{context}, alone"));
        for (tracker, threads) in in_pools.iter_mut().zip(threads) {
            let found = pool(threads).install(|| tracker.par_update(self.engine.par_detect(boxes).keyed_by(key)));
            assert_events(found, expected, &format!("{context}, {threads} threads"));
            assert!(tracker.current().is_sorted());
            assert_eq!(tracker.current().len(), expected.started.len() + expected.ongoing.len());
        }
    }

    /// With margins: `loose` are detected, and what touches is asked of `tight`.
    #[track_caller]
    fn check_margin(&mut self, tight: &[Aabb<S, D>], margin: S, keys: &[K], expected: &Expected<K>, context: &str) {
        let loose: Vec<_> = tight.iter().map(|tight| tight.with_margin(margin)).collect();
        let key = |index: u32| keys[index as usize];
        let touches = |pair: pivotgrid::Pair| tight[pair.a as usize].overlaps(&tight[pair.b as usize]);
        let [alone, in_pools @ ..] = &mut self.trackers;
        let found = alone.update(self.engine.detect(&loose).keyed_by(key).touching(touches));
        assert_events(found, expected, &format!("{context}, alone"));
        for (tracker, threads) in in_pools.iter_mut().zip([1, 2, 5, 2]) {
            let pairs = pool(threads).install(|| self.engine.par_detect(&loose));
            let found = pool(threads).install(|| tracker.par_update(pairs.keyed_by(key).touching(touches)));
            assert_events(found, expected, &format!("{context}, {threads} threads"));
        }
    }
}

fn boxes_of<S: Coordinate + scenes::Scalar, const D: usize>(world: &World<S, D>) -> Vec<Aabb<S, D>> {
    world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect()
}

fn every_scene<S: Coordinate + scenes::Scalar, const D: usize>(objects: usize) {
    for scene in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        let mut world = World::<S, D>::new(scene, objects, 11);
        let keys: Vec<u32> = (0..objects as u32).collect();
        let (mut machine, mut trackers) = (Machine::new(), Trackers::new());
        for step in 0..4 {
            let boxes = boxes_of(&world);
            let pairs = key_pairs(&boxes, &keys);
            let expected = machine.update(&pairs, &pairs);
            trackers.check(&boxes, &keys, &expected, &format!("{scene}, step {step}"));
            world.step();
        }
    }
}

#[test]
fn every_scene_in_3d() {
    every_scene::<f32, 3>(6000);
    every_scene::<f64, 3>(6000);
}

#[test]
fn every_scene_in_2d() {
    every_scene::<f32, 2>(6000);
    every_scene::<f64, 2>(6000);
}

fn margins<S: Coordinate + scenes::Scalar, const D: usize>() {
    for scene in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)) {
        let mut world = World::<S, D>::new(scene, 5000, 12);
        // Not in order, so that pairs of indices and pairs of keys are different things.
        let keys: Vec<u32> = (0..5000u32).map(|index| index.wrapping_mul(0x9e37_79b1)).collect();
        let margin = S::of(0.07);
        let (mut machine, mut trackers) = (Machine::new(), Trackers::new());
        let mut held = 0;
        for step in 0..6 {
            let tight = boxes_of(&world);
            let loose: Vec<_> = tight.iter().map(|tight| tight.with_margin(margin)).collect();
            let (touching, near) = (key_pairs(&tight, &keys), key_pairs(&loose, &keys));
            let expected = machine.update(&near, &touching);
            held += machine.current.len() - touching.len();
            trackers.check_margin(&tight, margin, &keys, &expected, &format!("{scene}, step {step}"));
            world.step();
        }
        assert!(held > 0 || scene == Scene::Sparse, "{scene}: the margin held no pair");
    }
}

#[test]
fn margins_in_3d() {
    margins::<f32, 3>();
    margins::<f64, 3>();
}

#[test]
fn margins_in_2d() {
    margins::<f32, 2>();
    margins::<f64, 2>();
}

/// A gap that swings around zero, below the margin: one start, no end. Beyond the margin: an end.
#[test]
fn margins_keep_pairs_from_flickering() {
    let (mut engine, mut tracker) = (BroadPhase::<f64, 2>::new(), PairTracker::new());
    let mut update = |gap: f64| {
        let tight = [Aabb::new([0.0, 0.0], [1.0, 1.0]), Aabb::new([1.0 + gap, 0.0], [2.0, 1.0])];
        let loose = tight.map(|tight| tight.with_margin(0.125));
        let touches = |_| tight[0].overlaps(&tight[1]);
        let events = tracker.update(engine.detect(&loose).keyed_by(|index| index).touching(touches));
        (events.started.len(), events.ongoing.len(), events.ended.len())
    };
    assert_eq!(update(0.125), (0, 0, 0));
    assert_eq!(update(0.0), (1, 0, 0));
    for gap in [0.01, -0.01, 0.1, 0.0, 0.25] {
        assert_eq!(update(gap), (0, 1, 0), "{gap}");
    }
    assert_eq!(update(0.25f64.next_up() + 1e-9), (0, 0, 1));
    assert_eq!(update(0.25), (0, 0, 0), "once ended, it takes a touch to start again");
}

/// A generational handle, ordered by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Handle {
    slot: u32,
    generation: u64,
}

/// Objects that come and go, as an engine keeps them: removed by swapping with the last one, so that indices change hands, and
/// with slots that are used again.
struct Population {
    rng: Rng,
    boxes: Vec<Aabb<f32, 3>>,
    handles: Vec<Handle>,
    free: Vec<u32>,
    slots: u32,
    generation: u64,
}

impl Population {
    fn new() -> Self {
        Population { rng: Rng(3), boxes: Vec::new(), handles: Vec::new(), free: Vec::new(), slots: 0, generation: 0 }
    }

    fn add(&mut self, count: usize) {
        for _ in 0..count {
            let slot = self.free.pop().unwrap_or_else(|| {
                self.slots += 1;
                self.slots - 1
            });
            self.generation += 1;
            self.handles.push(Handle { slot, generation: self.generation });
            let place: [f32; 3] = std::array::from_fn(|_| self.rng.within(0.0, 24.0) as f32);
            self.boxes.push(Aabb::around(place, [0.6; 3]));
        }
    }

    fn remove(&mut self, count: usize) {
        for _ in 0..count.min(self.boxes.len()) {
            let index = self.rng.below(self.boxes.len());
            self.boxes.swap_remove(index);
            self.free.push(self.handles.swap_remove(index).slot);
        }
    }

    fn shift(&mut self) {
        for aabb in &mut self.boxes {
            let by: [f32; 3] = std::array::from_fn(|_| self.rng.within(-0.1, 0.1) as f32);
            for axis in 0..3 {
                aabb.min[axis] += by[axis];
                aabb.max[axis] += by[axis];
            }
        }
    }
}

#[test]
fn objects_come_and_go() {
    let mut population = Population::new();
    let (mut machine, mut trackers) = (Machine::new(), Trackers::new());
    // How many leave and how many come: a few, none, many, all of them, everything at once.
    for (step, (leaving, coming)) in
        [(0, 5000), (10, 10), (0, 0), (1, 0), (3000, 2000), (0, 300), (9999, 0), (0, 0), (0, 6000), (6000, 6000), (5, 7)]
            .into_iter()
            .enumerate()
    {
        population.remove(leaving);
        population.add(coming);
        population.shift();
        let pairs = key_pairs(&population.boxes, &population.handles);
        let expected = machine.update(&pairs, &pairs);
        trackers.check(&population.boxes, &population.handles, &expected, &format!("step {step}"));
    }
}

/// The same objects in another order every step: nothing happens to their pairs.
#[test]
fn indices_do_not_matter() {
    let mut population = Population::new();
    population.add(5000);
    let (mut machine, mut trackers) = (Machine::new(), Trackers::new());
    for step in 0..5 {
        let (mut boxes, mut handles) = (population.boxes.clone(), population.handles.clone());
        Rng(step).shuffle(&mut boxes);
        Rng(step).shuffle(&mut handles);
        let pairs = key_pairs(&boxes, &handles);
        let expected = machine.update(&pairs, &pairs);
        assert!(step == 0 || expected.started.is_empty() && expected.ended.is_empty());
        trackers.check(&boxes, &handles, &expected, &format!("step {step}"));
    }
}

/// Bodies of several boxes: a pair of bodies lasts as long as any of their boxes meet, and a body does not meet itself.
#[test]
fn objects_that_share_a_key_are_one() {
    let mut population = Population::new();
    population.add(6000);
    for bodies in [1, 2, 50, 2000] {
        let (mut machine, mut trackers) = (Machine::new(), Trackers::new());
        let (mut loose_machine, mut loose_trackers) = (Machine::new(), Trackers::new());
        for step in 0..4 {
            population.shift();
            let keys: Vec<i16> = (0..6000).map(|index| (index % bodies) as i16 - 7).collect();
            let context = format!("{bodies} bodies, step {step}");
            let touching = key_pairs(&population.boxes, &keys);
            let expected = machine.update(&touching, &touching);
            assert!(bodies > 1 || touching.is_empty());
            trackers.check(&population.boxes, &keys, &expected, &context);
            let loose: Vec<_> = population.boxes.iter().map(|tight| tight.with_margin(0.05)).collect();
            let expected = loose_machine.update(&key_pairs(&loose, &keys), &touching);
            loose_trackers.check_margin(&population.boxes, 0.05, &keys, &expected, &format!("{context}, margin"));
        }
    }
}

/// One object that meets all others, as the first, the last and in the middle of the keys.
#[test]
fn one_that_meets_everybody() {
    let mut population = Population::new();
    population.add(80_000);
    population.boxes[40_000] = Aabb::new([-100.0; 3], [100.0; 3]);
    for (number, aabb) in population.boxes.iter_mut().enumerate().filter(|(number, _)| *number != 40_000) {
        *aabb = Aabb::around([aabb.min[0], aabb.min[1], number as f32 * 1e-3 - 40.0], [0.01; 3]);
    }
    for key_of_the_large in [0, 40_000, 80_000] {
        let mut keys: Vec<u32> = (1..=80_000).collect();
        keys.swap(40_000, 0);
        keys[40_000] = key_of_the_large;
        let (mut machine, mut trackers) = (Machine::new(), Trackers::new());
        for step in 0..2 {
            let pairs = key_pairs(&population.boxes, &keys);
            assert!(pairs.len() > 70_000);
            let expected = machine.update(&pairs, &pairs);
            trackers.check(&population.boxes, &keys, &expected, &format!("{key_of_the_large}, step {step}"));
        }
    }
}

#[test]
fn nothing_at_all() {
    let mut engine = BroadPhase::<f32, 2>::new();
    let mut tracker = PairTracker::new();
    let nobody: [Aabb<f32, 2>; 0] = [];
    for _ in 0..2 {
        let events = tracker.par_update(engine.par_detect(&nobody).keyed_by(|index| index));
        assert_eq!(events, Events { started: &[], ongoing: &[], ended: &[] });
    }
    let two = [Aabb::new([0.0, 0.0], [1.0, 1.0]); 2];
    assert_eq!(tracker.update(engine.detect(&two).keyed_by(|index| index)).started, [(0, 1)]);
    assert_eq!(tracker.update(engine.detect(&nobody).keyed_by(|index| index)).ended, [(0, 1)]);
    assert_eq!(tracker.update(engine.detect(&nobody).keyed_by(|index| index)).ended, []);
}

#[test]
fn a_tracker_goes_on_from_what_was_saved() {
    let boxes = |shift: f32| -> Vec<Aabb<f32, 2>> {
        (0..60).map(|i| Aabb::around([i as f32 * (1.0 + shift), (i % 7) as f32 * shift], [0.9, 0.5])).collect()
    };
    let mut engine = grid_engine::<f32, 2>();
    let mut lasting = PairTracker::new();
    lasting.update(engine.detect(&boxes(0.0)).keyed_by(|index| index));

    // In any order and direction, twice, and with what is no pair.
    let mut saved: Vec<_> = lasting.current().iter().rev().flat_map(|&(a, b)| [(b, a), (a, b)]).collect();
    saved.push((5, 5));
    let mut restored = PairTracker::with_current(saved);
    assert_eq!(restored.current(), lasting.current());
    let before = lasting.current().len();
    let found = restored.update(engine.detect(&boxes(0.6)).keyed_by(|index| index));
    let found = [found.started, found.ongoing, found.ended].map(<[_]>::to_vec);
    let events = lasting.update(engine.detect(&boxes(0.6)).keyed_by(|index| index));
    assert_eq!(found, [events.started, events.ongoing, events.ended].map(<[_]>::to_vec));
    assert!(!found[2].is_empty() && found[2].len() < before, "some end, some go on: {found:?}");
}

#[test]
fn forgotten_pairs_do_not_end() {
    let mut engine = BroadPhase::<f32, 2>::new();
    let mut tracker = PairTracker::new();
    let three = [Aabb::new([0.0, 0.0], [1.0, 1.0]); 3];
    let key = |index: u32| ["a", "b", "c"][index as usize];
    tracker.update(engine.detect(&three).keyed_by(key));
    tracker.forget("c");
    assert_eq!(tracker.current(), [("a", "b")]);
    assert_eq!(tracker.events().started.len(), 3, "what happened has happened");
    let events = tracker.update(engine.detect(&three[..1]).keyed_by(key));
    assert_eq!(events, Events { started: &[], ongoing: &[], ended: &[("a", "b")] });

    tracker.update(engine.detect(&three).keyed_by(key));
    tracker.retain(|(one, _)| one != "a");
    tracker.shrink_to_fit();
    let events = tracker.update(engine.detect(&three).keyed_by(key));
    assert_eq!(events, Events { started: &[("a", "b"), ("a", "c")], ongoing: &[("b", "c")], ended: &[] });
}

/// A panic in a closure is as if the update had not been called.
#[test]
fn a_panic_leaves_the_tracker_as_it_was() {
    let mut population = Population::new();
    population.add(6000);
    let keys = population.handles.clone();
    for threads in [1, 2, 5] {
        let (mut machine, mut tracker) = (Machine::new(), PairTracker::new());
        let mut engine = grid_engine::<f32, 3>();
        pool(threads).install(|| {
            for step in 0..4 {
                let pairs = key_pairs(&population.boxes, &keys);
                let expected = machine.update(&pairs, &pairs);
                let found = tracker.par_update(engine.par_detect(&population.boxes).keyed_by(|index| keys[index as usize]));
                assert_events(found, &expected, &format!("{threads} threads, step {step}"));

                population.shift();
                let bad_key = |index: u32| if index == 3000 { panic!("bad key") } else { keys[index as usize] };
                let pairs = engine.par_detect(&population.boxes);
                assert!(catch_unwind(AssertUnwindSafe(|| tracker.par_update(pairs.keyed_by(bad_key)).started.len())).is_err());
                assert_events(tracker.events(), &expected, "after a bad key");
                // The keys are reversed, so what is known of their order changes before the panic.
                let (key, touches) = (|index: u32| keys[5999 - index as usize], |_| panic!("bad touch"));
                let update = || tracker.par_update(pairs.keyed_by(key).touching(touches)).started.len();
                assert!(catch_unwind(AssertUnwindSafe(update)).is_err());
                assert_events(tracker.events(), &expected, "after a bad touch");
            }
        });
    }
}

/// Keys whose comparison panics when told to: the tracker is as it was or as new, and works on.
#[test]
fn a_panic_in_a_comparison_leaves_the_tracker_usable() {
    use std::cmp::Ordering;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    static COMPARISONS_LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Touchy(u32);
    impl Ord for Touchy {
        fn cmp(&self, other: &Self) -> Ordering {
            assert!(COMPARISONS_LEFT.fetch_sub(1, Relaxed) > 0, "enough");
            self.0.cmp(&other.0)
        }
    }
    impl PartialOrd for Touchy {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    let mut population = Population::new();
    population.add(300);
    let boxes = &population.boxes;
    let mut engine = grid_engine::<f32, 3>();
    let pairs = engine.detect(boxes);
    let all = pairs.len();
    let (forth, back) = (|index: u32| Touchy(index ^ 5), |index: u32| Touchy(1000 - index));
    let mut finished = false;
    for patience in (0..).step_by(7) {
        let mut tracker = PairTracker::new();
        COMPARISONS_LEFT.store(usize::MAX, Relaxed);
        tracker.update(pairs.keyed_by(forth));
        COMPARISONS_LEFT.store(patience, Relaxed);
        finished = catch_unwind(AssertUnwindSafe(|| tracker.update(pairs.keyed_by(back)).started.len())).is_ok();
        COMPARISONS_LEFT.store(usize::MAX, Relaxed);
        if finished {
            break;
        }
        let left = tracker.current().len();
        assert!(left == all || left == 0, "{left} of {all} pairs left");
        let events = tracker.update(pairs.keyed_by(back));
        assert_eq!((events.started.len() + events.ongoing.len(), events.ended.len() + events.ongoing.len()), (all, left));
        assert!(events.started.is_sorted_by_key(|(a, b)| (a.0, b.0)));
    }
    assert!(finished);
}
