//! Bad boxes among good ones: ten kinds × four shares × five scenes × three pools, 600 scenes per type of coordinate.
//!
//! Whatever the kind, no step panics or hangs, every bad index is reported with its reason and no other is, and no valid pair is
//! lost. The oracle here shares nothing with the engine, nor with the oracle of the other tests: it works on plain arrays of `f64`,
//! to which both types of coordinates convert exactly. (A mutant once survived because engine and oracle shared a validity check.)

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::Neg;

use pivotgrid::{Aabb, BroadPhase, Config, RejectReason, Scalar};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};

const OBJECTS: usize = 1000;
const SCENES: [Scene; 5] = [Scene::Uniform, Scene::Koch, Scene::Clustered, Scene::Pile, Scene::Power];
const SHARES: [usize; 4] = [1, 10, 50, 200];
const POOLS: [usize; 3] = [1, 2, 16];

#[derive(Clone, Copy, Debug)]
enum Kind {
    NanInOneBound,
    NanInAllBounds,
    Infinite,
    InvertedOnOneAxis,
    InvertedOnAllAxes,
    HugeButFinite,
    Denormal,
    NegativeZero,
    AllEqual,
    ZeroSize,
}

const KINDS: [Kind; 10] = [
    Kind::NanInOneBound,
    Kind::NanInAllBounds,
    Kind::Infinite,
    Kind::InvertedOnOneAxis,
    Kind::InvertedOnAllAxes,
    Kind::HugeButFinite,
    Kind::Denormal,
    Kind::NegativeZero,
    Kind::AllEqual,
    Kind::ZeroSize,
];

/// What differs between the types of coordinates.
trait Number: Scalar + scenes::Scalar + Neg<Output = Self> + Debug {
    const NAN: Self;
    const LARGEST: Self;
    /// The least positive number, which is a denormal one.
    const LEAST: Self;
}

impl Number for f32 {
    const NAN: f32 = f32::NAN;
    const LARGEST: f32 = f32::MAX;
    const LEAST: f32 = f32::from_bits(1);
}

impl Number for f64 {
    const NAN: f64 = f64::NAN;
    const LARGEST: f64 = f64::MAX;
    const LEAST: f64 = f64::from_bits(1);
}

fn number<S: Number>(value: f64) -> S {
    <S as scenes::Scalar>::from_f64(value)
}

/// The `variant`th box of a kind, made out of a good one.
fn spoilt<S: Number, const D: usize>(good: &Aabb<S, D>, kind: Kind, variant: usize) -> Aabb<S, D> {
    let (mut bad, axis, way) = (*good, variant % D, variant / D);
    let infinity: S = number(f64::INFINITY);
    let zero: S = number(0.0);
    match kind {
        Kind::NanInOneBound if way.is_multiple_of(2) => bad.min[axis] = S::NAN,
        Kind::NanInOneBound => bad.max[axis] = S::NAN,
        Kind::NanInAllBounds => (bad.min, bad.max) = ([S::NAN; D], [-S::NAN; D]),
        Kind::Infinite => match way % 5 {
            0 => bad.max[axis] = infinity,
            1 => bad.min[axis] = -infinity,
            2 => (bad.min, bad.max) = ([-infinity; D], [infinity; D]),
            3 => (bad.min[axis], bad.max[axis]) = (infinity, infinity),
            _ => (bad.min, bad.max) = ([-infinity; D], [-infinity; D]),
        },
        Kind::InvertedOnOneAxis => match way % 3 {
            0 => (bad.min[axis], bad.max[axis]) = (good.max[axis], good.min[axis]),
            1 => (bad.min[axis], bad.max[axis]) = (infinity, -infinity),
            // By the least there is.
            _ => (bad.min[axis], bad.max[axis]) = (S::LEAST, zero),
        },
        Kind::InvertedOnAllAxes => (bad.min, bad.max) = (good.max, good.min),
        Kind::HugeButFinite => match way % 4 {
            // Its extent is no finite number.
            0 => (bad.min, bad.max) = ([-S::LARGEST; D], [S::LARGEST; D]),
            1 => (bad.min[axis], bad.max[axis]) = (number(-1e30), number(1e30)),
            2 => (bad.min, bad.max) = ([S::LARGEST; D], [S::LARGEST; D]),
            // Small, but out where neighboring numbers are many cells apart.
            _ => (bad.min[axis], bad.max[axis]) = (number(1e30), number(1e30)),
        },
        Kind::Denormal => match way % 3 {
            0 => (bad.min, bad.max) = ([-S::LEAST; D], [S::LEAST; D]),
            1 => (bad.min[axis], bad.max[axis]) = (zero, S::LEAST),
            _ => (bad.min, bad.max) = ([S::LEAST; D], [S::LEAST; D]),
        },
        Kind::NegativeZero => match way % 3 {
            0 => (bad.min, bad.max) = ([zero; D], [-zero; D]),
            1 => (bad.min[axis], bad.max[axis]) = (-zero, zero),
            _ => bad.min[axis] = -zero,
        },
        Kind::AllEqual => (bad.min, bad.max) = ([number(1.0); D], [number(2.0); D]),
        Kind::ZeroSize => bad.max = bad.min,
    }
    bad
}

/// What a step must say, by plain arrays: lower bounds, upper bounds.
#[derive(Debug, PartialEq)]
struct Answer {
    pairs: Vec<(u32, u32)>,
    rejected: Vec<(usize, RejectReason)>,
}

fn oracle<S: Number, const D: usize>(boxes: &[Aabb<S, D>]) -> Answer {
    let plain: Vec<([f64; D], [f64; D])> = boxes.iter().map(|b| (b.min.map(Into::into), b.max.map(Into::into))).collect();
    let mut answer = Answer { pairs: Vec::new(), rejected: Vec::new() };
    let mut good = vec![true; plain.len()];
    for (index, (low, high)) in plain.iter().enumerate() {
        let reason = match (0..D).any(|axis| low[axis].is_nan() || high[axis].is_nan()) {
            true => Some(RejectReason::NotANumber),
            false => (0..D).any(|axis| high[axis] < low[axis]).then_some(RejectReason::Inverted),
        };
        good[index] = reason.is_none();
        answer.rejected.extend(reason.map(|reason| (index, reason)));
    }
    for (a, (low, high)) in plain.iter().enumerate().filter(|(index, _)| good[*index]) {
        for (b, (from, to)) in plain.iter().enumerate().skip(a + 1).filter(|(index, _)| good[*index]) {
            let apart = (0..D).any(|axis| high[axis] < from[axis] || to[axis] < low[axis]);
            if !apart {
                answer.pairs.push((a as u32, b as u32));
            }
        }
    }
    answer
}

/// A step's answer, in the oracle's words.
fn step<S: Number, const D: usize>(engine: &mut BroadPhase<S, D>, pool: &ThreadPool, boxes: &[Aabb<S, D>]) -> Answer {
    let found = pool.install(|| engine.par_detect(boxes));
    Answer {
        pairs: found.sorted().iter().map(|pair| (pair.a, pair.b)).collect(),
        rejected: found.rejected().iter().map(|rejected| (rejected.index, rejected.reason)).collect(),
    }
}

/// So many different indices, anywhere in the scene.
fn chosen(count: usize, seed: usize) -> Vec<usize> {
    // 617 has no factor in common with 1000, so the multiples are different indices.
    (0..count).map(|number| (seed * 31 + number * 617) % OBJECTS).collect()
}

fn all_scenes<S: Number, const D: usize>() {
    // The grid and the threads, however few objects there are.
    let config = Config::default().all_pairs_up_to(0).serial_up_to(0);
    let pools = POOLS.map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool"));
    // Engines that live through all scenes of their pool: what a bad box leaves behind would show in the next scene.
    let mut engines = POOLS.map(|_| BroadPhase::<S, D>::with_config(config.clone()).expect("a valid config"));
    let (mut ran, mut reported) = (0, BTreeSet::new());
    for scene in SCENES {
        let world = World::<S, D>::new(scene, OBJECTS, 5);
        let clean: Vec<Aabb<S, D>> = world.boxes().iter().map(|b| Aabb { min: b.min, max: b.max }).collect();
        let wanted_clean = oracle(&clean);
        assert!(wanted_clean.rejected.is_empty() && wanted_clean.pairs.len() > 50, "{scene}: {}", wanted_clean.pairs.len());
        for (kind_number, kind) in KINDS.into_iter().enumerate() {
            for share in SHARES {
                let mut boxes = clean.clone();
                let spoilt_ones = chosen(share, kind_number);
                for (variant, &index) in spoilt_ones.iter().enumerate() {
                    boxes[index] = spoilt(&clean[index], kind, variant);
                }
                let wanted = oracle(&boxes);
                let untouched =
                    |pair: &&(u32, u32)| !spoilt_ones.contains(&(pair.0 as usize)) && !spoilt_ones.contains(&(pair.1 as usize));
                for (pool, engine) in pools.iter().zip(&mut engines) {
                    let context = || format!("{share} × {kind:?} in {scene}, {} threads, {D}D", pool.current_num_threads());
                    let found = step(engine, pool, &boxes);
                    assert!(found == wanted, "{}:\n{}", context(), difference(&found, &wanted));
                    assert!(
                        wanted_clean.pairs.iter().filter(untouched).all(|pair| found.pairs.binary_search(pair).is_ok()),
                        "{}: a pair of two untouched boxes is gone",
                        context()
                    );
                    assert_eq!(engine.stats().rejected, wanted.rejected.len(), "{}", context());
                    ran += 1;
                }
                if !wanted.rejected.is_empty() {
                    assert_eq!(wanted.rejected.len(), share, "{kind:?}: all of them are bad");
                    reported.insert(kind_number);
                }
            }
        }
        for (pool, engine) in pools.iter().zip(&mut engines) {
            let found = step(engine, pool, &clean);
            assert!(found == wanted_clean, "{scene} without bad boxes:\n{}", difference(&found, &wanted_clean));
        }
    }
    assert_eq!(ran, 600);
    assert_eq!(reported.into_iter().collect::<Vec<_>>(), [0, 1, 3, 4], "NaN and inverted boxes are rejected, nothing else is");
}

/// The first few of what differs.
fn difference(found: &Answer, wanted: &Answer) -> String {
    let (has, needs): (BTreeSet<_>, BTreeSet<_>) = (found.pairs.iter().collect(), wanted.pairs.iter().collect());
    let missing: Vec<_> = needs.difference(&has).take(5).collect();
    let surplus: Vec<_> = has.difference(&needs).take(5).collect();
    let twice = found.pairs.len() - has.len();
    let (rejected, expected) = (&found.rejected, &wanted.rejected);
    format!("missing {missing:?}, surplus {surplus:?}, {twice} twice; rejected {rejected:?} instead of {expected:?}")
}

#[test]
fn in_f32_and_three_dimensions() {
    all_scenes::<f32, 3>();
}

#[test]
fn in_f64_and_two_dimensions() {
    all_scenes::<f64, 2>();
}
