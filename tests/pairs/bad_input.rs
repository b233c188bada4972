//! Bad input is reported, costs no other object its pairs, and is forgotten in the next step.

use crate::common::{Oracle, Placement, Rng, Scene, Sizes, assert_same, grid_config, grid_engine, pool};
use pivotgrid::{Aabb, BroadPhase, Config, RejectReason, Rejected};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

fn good(n: usize) -> Vec<Aabb<f32, 3>> {
    Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 60.0, origin: 0.0, seed: 4 }.boxes()
}

/// Every way in which a box can be invalid for one reason, made out of a valid box.
fn spoilt(aabb: &Aabb<f32, 3>, kind: usize) -> (Aabb<f32, 3>, RejectReason) {
    let (mut bad, axis, way) = (*aabb, kind % 3, kind / 3 % 8);
    match way {
        0 => bad.min[axis] = NAN,
        1 => bad.max[axis] = NAN,
        2 => (bad.min[axis], bad.max[axis]) = (NAN, NAN),
        3 => bad = Aabb::new([NAN; 3], [-NAN; 3]),
        4 => (bad.min[axis], bad.max[axis]) = (bad.max[axis].next_up(), bad.min[axis]),
        5 => bad = Aabb::new(bad.max.map(f32::next_up), bad.min),
        6 => (bad.min[axis], bad.max[axis]) = (INF, -INF),
        // Inverted by the least there is.
        _ => bad.max[axis] = bad.min[axis].next_down(),
    }
    (bad, if way < 4 { RejectReason::NotANumber } else { RejectReason::Inverted })
}
const KINDS: usize = 24;

#[test]
fn each_kind_of_bad_box_is_named() {
    let scene = good(100);
    let mut engine = grid_engine::<f32, 3>();
    for kind in 0..KINDS {
        for index in [0, 57, 99] {
            let mut boxes = scene.clone();
            let (bad, reason) = spoilt(&scene[index], kind);
            boxes[index] = bad;
            let pairs = engine.par_detect(&boxes);
            assert_eq!(pairs.rejected(), [Rejected { index, reason }], "kind {kind}: {bad:?}");
            assert_same(pairs, &Oracle::detect(&boxes), &format_args!("kind {kind}: {bad:?}"));
            assert_eq!(engine.stats().rejected, 1);
            assert_eq!(engine.stats().objects, 100);
        }
    }
}

/// Both reasons apply; either may be given, but only one, and once.
#[test]
fn a_box_that_is_wrong_in_two_ways_is_listed_once() {
    let boxes = [Aabb::new([NAN, 5.0, 0.0], [1.0, -5.0, 1.0]), Aabb::new([0.0; 3], [1.0; 3]), Aabb::new([0.5; 3], [9.0; 3])];
    let mut engine = grid_engine::<f32, 3>();
    let pairs = engine.detect(&boxes);
    assert_eq!(pairs.len(), 1);
    assert_eq!(pairs.rejected().len(), 1);
    assert_eq!(pairs.rejected()[0].index, 0);
}

/// Few and many, together with infinite boxes that are valid and must not be taken for bad ones.
#[test]
fn bad_boxes_cost_nobody_else_a_pair() {
    let scene = good(1000);
    let clean = Oracle::detect(&scene);
    assert!(clean.pairs.len() > 1000, "a scene worth the test has pairs: {}", clean.pairs.len());
    for count in [1, 10, 50, 200] {
        let rng = &mut Rng(count as u64);
        let mut order: Vec<usize> = (0..scene.len()).collect();
        rng.shuffle(&mut order);
        let (mut boxes, mut listed) = (scene.clone(), Vec::new());
        for (number, &index) in order[..count].iter().enumerate() {
            let (bad, reason) = spoilt(&scene[index], number * 7 + 1);
            boxes[index] = bad;
            listed.push(Rejected { index, reason });
        }
        listed.sort_unstable();
        boxes[order[count]].max[0] = INF;
        boxes[order[count + 1]] = Aabb::new([-INF, -INF, -INF], [INF, INF, -10.0]);
        boxes[order[count + 2]] = Aabb::new([INF; 3], [INF; 3]);
        let expected = Oracle::detect(&boxes);

        for config in [Config::default(), grid_config(), grid_config().cell_size(1.0), grid_config().max_levels(1)] {
            let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
            assert_same(engine.detect(&boxes), &expected, &format_args!("{count} bad, {config:?}"));
            for threads in [1, 2, 16] {
                let context = format!("{count} bad, {threads} threads, {config:?}");
                let pairs = pool(threads).install(|| engine.par_detect(&boxes));
                assert_eq!(pairs.rejected(), listed, "{context}");
                assert_same(pairs, &expected, &context);
                assert_eq!(engine.stats().rejected, count, "{context}");

                let pairs = pool(threads).install(|| engine.par_detect(&scene));
                assert!(pairs.rejected().is_empty(), "{context}, then a clean step");
                assert_same(pairs, &clean, &format_args!("{context}, then a clean step"));
                assert_eq!(engine.stats().rejected, 0);
            }
        }
    }
}

#[test]
fn nothing_but_bad_boxes() {
    let scene = good(300);
    let bad: Vec<_> = scene.iter().enumerate().map(|(index, aabb)| spoilt(aabb, index).0).collect();
    for config in [Config::default(), grid_config(), grid_config().cell_size(0.5)] {
        let mut engine = BroadPhase::<f32, 3>::with_config(config).unwrap();
        for threads in [1, 2, 16] {
            let pairs = pool(threads).install(|| engine.par_detect(&bad));
            assert!(pairs.is_empty());
            assert!(pairs.rejected().iter().map(|r| r.index).eq(0..300));
            let pairs = pool(threads).install(|| engine.par_detect(&scene));
            assert_same(pairs, &Oracle::detect(&scene), &"after a step with nothing valid");
        }
    }
}

#[test]
fn bad_boxes_in_two_dimensions_and_f64() {
    let scene = Scene { n: 500, sizes: Sizes::Mono, placement: Placement::Lattice, extent: 30.0, origin: 0.0, seed: 1 };
    let mut boxes = scene.boxes::<f64, 2>();
    boxes[0].min[1] = f64::NAN;
    boxes[250].max[0] = f64::NEG_INFINITY;
    boxes[251].max[0] = f64::INFINITY;
    boxes[499].max[1] = boxes[499].min[1].next_down();
    let mut engine = grid_engine::<f64, 2>();
    let pairs = engine.par_detect(&boxes);
    assert_eq!(pairs.rejected().iter().map(|r| r.index).collect::<Vec<_>>(), [0, 250, 499]);
    assert_same(pairs, &Oracle::detect(&boxes), &"in 2D");
}

#[test]
fn the_report_can_be_read() {
    let text = |reason| Rejected { index: 17, reason }.to_string();
    assert!(text(RejectReason::NotANumber).contains("17") && text(RejectReason::NotANumber).contains("NaN"));
    assert!(text(RejectReason::Inverted).contains("17") && text(RejectReason::Inverted).contains("min > max"));
    assert!(text(RejectReason::BeyondIndex).contains("all after it"));
}

/// More objects than a pair can name, without the memory for them: a type of size zero makes slices of any length.
#[cfg(target_pointer_width = "64")]
mod too_many {
    use super::*;
    use pivotgrid::{Bounded, DetectError, MAX_OBJECTS};

    #[derive(Clone, Copy)]
    struct Nothing;

    impl Bounded<f32, 3> for Nothing {
        fn aabb(&self) -> Aabb<f32, 3> {
            panic!("a step with too many objects must be refused before any of them is asked")
        }
    }

    const TOO_MANY: usize = MAX_OBJECTS + 1;
    static OBJECTS: [Nothing; TOO_MANY] = [Nothing; TOO_MANY];

    #[test]
    fn are_refused_at_once() {
        assert_eq!(MAX_OBJECTS, u32::MAX as usize);
        let scene = good(500);
        for mut engine in [BroadPhase::<f32, 3>::new(), grid_engine()] {
            assert_eq!(engine.try_detect(&OBJECTS).unwrap_err(), DetectError::TooManyObjects(TOO_MANY));
            for threads in [1, 2, 16] {
                let refused = pool(threads).install(|| engine.try_par_detect(&OBJECTS).unwrap_err());
                assert_eq!(refused, DetectError::TooManyObjects(TOO_MANY));
                let pairs = pool(threads).install(|| engine.try_par_detect(&scene)).expect("not too many");
                assert_same(pairs, &Oracle::detect(&scene), &"after too many objects");
            }
        }
        assert!(DetectError::TooManyObjects(TOO_MANY).to_string().contains("4294967296"));
    }
}

/// A third of the boxes bad, step after step: the plan is made for those that are not, and kept.
#[test]
fn many_bad_boxes_do_not_make_every_step_plan_anew() {
    let boxes: Vec<Aabb<f32, 3>> = (0..9000)
        .map(|i| {
            let corner = [i % 20, i / 20 % 20, i / 400].map(|k| k as f32 * 1.5);
            if i % 3 == 0 { Aabb::new([f32::NAN; 3], corner) } else { Aabb::new(corner, corner.map(|x| x + 1.0)) }
        })
        .collect();
    let mut engine = BroadPhase::<f32, 3>::new();
    for step in 0..4 {
        assert_eq!(engine.detect(&boxes).rejected().len(), 3000);
        assert_eq!(engine.stats().replanned, step == 0, "step {step}");
    }
}
