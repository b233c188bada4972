//! `aabb` and `pairs_with` are asked as their documentation promises, and the filter's answer counts.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{Oracle, Placement, Scene, Sizes, assert_same, configs, grid_config, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, Config};

/// Counts every question, by asker and asked.
struct Protocol {
    boxes: Vec<AtomicU32>,
    pairs: Vec<AtomicU32>,
}

impl Protocol {
    fn new(n: usize) -> Self {
        let zeros = |count| (0..count).map(|_| AtomicU32::new(0)).collect();
        Protocol { boxes: zeros(n), pairs: zeros(n * n) }
    }
}

struct Member<'a> {
    bounds: Aabb<f32, 3>,
    index: usize,
    protocol: &'a Protocol,
}

/// Symmetric, and refuses about a third.
fn wanted(i: usize, j: usize) -> bool {
    !(i + j).is_multiple_of(3)
}

impl Bounded<f32, 3> for Member<'_> {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.protocol.boxes[self.index].fetch_add(1, Ordering::Relaxed);
        self.bounds
    }
    fn pairs_with(&self, other: &Self) -> bool {
        let n = self.protocol.boxes.len();
        self.protocol.pairs[self.index * n + other.index].fetch_add(1, Ordering::Relaxed);
        wanted(self.index, other.index)
    }
}

fn members<'a>(boxes: &[Aabb<f32, 3>], protocol: &'a Protocol) -> Vec<Member<'a>> {
    boxes.iter().enumerate().map(|(index, bounds)| Member { bounds: *bounds, index, protocol }).collect()
}

/// Small and large ones, an infinite one, and two that are invalid and must be left in peace.
fn scene(n: usize) -> Vec<Aabb<f32, 3>> {
    let scene = Scene { n, sizes: Sizes::Poly, placement: Placement::Clustered, extent: 90.0, origin: 0.0, seed: 9 };
    let mut boxes = scene.boxes();
    if n > 20 {
        boxes[7] = Aabb::around([0.0; 3], [60.0; 3]);
        boxes[8] = Aabb::new([f32::NEG_INFINITY; 3], [f32::INFINITY, f32::INFINITY, 0.0]);
        boxes[9].min[0] = f32::NAN;
        boxes[10].min[1] = boxes[10].max[1].next_up();
    }
    boxes
}

/// Every question of one step, against the oracle's list of overlapping boxes.
fn check_questions(protocol: &Protocol, overlapping: &Oracle<3>, context: &str) {
    let n = protocol.boxes.len();
    for (index, asked) in protocol.boxes.iter().enumerate() {
        assert_eq!(asked.swap(0, Ordering::Relaxed), 1, "{context}: questions for the box of {index}");
    }
    let mut pairs = overlapping.pairs.iter().map(|p| (p.a as usize, p.b as usize)).peekable();
    for i in 0..n {
        let itself = protocol.pairs[i * n + i].swap(0, Ordering::Relaxed);
        assert_eq!(itself, 0, "{context}: {i} asked about itself");
        for j in i + 1..n {
            let asked =
                protocol.pairs[i * n + j].swap(0, Ordering::Relaxed) + protocol.pairs[j * n + i].swap(0, Ordering::Relaxed);
            let overlap = pairs.next_if_eq(&(i, j)).is_some();
            assert_eq!(asked, u32::from(overlap), "{context}: questions about ({i}, {j}), overlapping: {overlap}");
        }
    }
}

fn check_filtered(n: usize, configs: &[Config], threads: &[usize]) {
    let boxes = scene(n);
    let overlapping = Oracle::detect(&boxes);
    assert!(!overlapping.pairs.is_empty(), "a filter is only asked about pairs");
    let mut expected = Oracle::detect(&boxes);
    expected.pairs.retain(|pair| wanted(pair.a as usize, pair.b as usize));
    assert!(expected.pairs.len() < overlapping.pairs.len() && !expected.pairs.is_empty());

    let protocol = Protocol::new(n);
    let members = members(&boxes, &protocol);
    for config in configs {
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        // Twice each: the first step plans, the later ones may not.
        for round in 0..2 {
            let context = format!("{n} members, detect, round {round}, {config:?}");
            assert_same(engine.detect(&members), &expected, &context);
            check_questions(&protocol, &overlapping, &context);
        }
        for &threads in threads {
            let context = format!("{n} members, {threads} threads, {config:?}");
            assert_same(pool(threads).install(|| engine.par_detect(&members)), &expected, &context);
            assert_eq!(engine.stats().pairs, expected.pairs.len(), "{context}: stats count what was wanted");
            check_questions(&protocol, &overlapping, &context);
        }
    }
}

#[test]
fn asked_once_about_each_overlapping_pair() {
    check_filtered(400, &configs(), &[1, 2, 7]);
}

#[test]
fn asked_once_when_there_is_no_grid() {
    check_filtered(50, &[Config::default(), grid_config()], &[1, 2]);
}

#[test]
fn asked_once_in_a_scene_that_uses_threads_by_default() {
    check_filtered(1300, &[Config::default(), grid_config().cell_size(1.0)], &[1, 2, 16]);
}

/// References have the same box and the same filter as what they refer to.
#[test]
fn references_ask_what_they_refer_to() {
    let boxes = scene(200);
    let protocol = Protocol::new(boxes.len());
    let members = members(&boxes, &protocol);
    let references: Vec<&Member<'_>> = members.iter().collect();
    let mut expected = Oracle::detect(&boxes);
    expected.pairs.retain(|pair| wanted(pair.a as usize, pair.b as usize));
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
    assert_same(engine.par_detect(&references), &expected, &"references");
    check_questions(&protocol, &Oracle::detect(&boxes), "references");
}

/// A filter that wants nothing, and one that changes its mind between steps.
#[test]
fn the_answer_of_this_step_counts() {
    struct Moody<'a>(Aabb<f32, 3>, &'a AtomicU32);
    impl Bounded<f32, 3> for Moody<'_> {
        fn aabb(&self) -> Aabb<f32, 3> {
            self.0
        }
        fn pairs_with(&self, _other: &Self) -> bool {
            self.1.load(Ordering::Relaxed) == 1
        }
    }
    let boxes = scene(500);
    let expected = Oracle::detect(&boxes);
    let mind = AtomicU32::new(0);
    let moody: Vec<Moody<'_>> = boxes.iter().map(|b| Moody(*b, &mind)).collect();
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
    for step in 0..4 {
        mind.store(step % 2, Ordering::Relaxed);
        let pairs = pool(2).install(|| engine.par_detect(&moody));
        if step % 2 == 0 {
            assert!(pairs.is_empty() && pairs.slices().next().is_none());
            assert_eq!(pairs.rejected(), expected.rejected);
        } else {
            assert_same(pairs, &expected, &"all wanted");
        }
    }
}
