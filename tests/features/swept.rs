//! Boxes in motion, against an oracle in exact arithmetic: coordinates are integers to it, times are fractions of integers.

use std::cmp::Ordering;

use crate::common::{Coordinate, Oracle, Rng, configs, grid_config, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, MovingBox, Pair, RejectReason};
use proptest::prelude::*;

/// A moment as numerator and positive denominator.
#[derive(Clone, Copy, Debug)]
struct Moment(i128, i128);

impl Moment {
    fn cmp(self, other: Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }
    fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// A box in motion as the oracle sees it: by axis, lower and upper bound at the beginning and at the end.
type Motion<const D: usize> = [[[i128; 2]; 2]; D];

/// When the two meet first and last, exactly; `None` if one order of bounds never holds.
fn exact_window<const D: usize>(a: &Motion<D>, b: &Motion<D>) -> Option<(Moment, Moment)> {
    let (mut first, mut last) = (Moment(0, 1), Moment(1, 1));
    for axis in 0..D {
        for (low, high) in [(a[axis][0], b[axis][1]), (b[axis][0], a[axis][1])] {
            // high(t) - low(t) = start + t * change >= 0
            let (start, change) = (high[0] - low[0], (high[1] - low[1]) - (high[0] - low[0]));
            match change.signum() {
                0 if start < 0 => return None,
                0 => {}
                1 if first.cmp(Moment(-start, change)).is_lt() => first = Moment(-start, change),
                -1 if last.cmp(Moment(start, -change)).is_gt() => last = Moment(start, -change),
                _ => {}
            }
        }
    }
    Some((first, last))
}

/// Coordinates are these integers times `unit`, a power of two, so that all of them are exact.
fn swept<S: Coordinate, const D: usize>(motion: &Motion<D>, unit: f64) -> MovingBox<S, D> {
    let corner = |bound: usize, end: usize| std::array::from_fn(|axis| S::of(motion[axis][bound][end] as f64 * unit));
    let at = |end: usize| Aabb { min: corner(0, end), max: corner(1, end) };
    MovingBox::new(at(0), at(1))
}

/// Starts within `extent`, moves by up to `reach`, is up to `size` large at either end.
#[derive(Clone, Copy, Debug)]
struct Scene {
    n: usize,
    extent: usize,
    reach: usize,
    size: usize,
    origin: i128,
    unit: f64,
    seed: u64,
}

impl Scene {
    fn motions<const D: usize>(&self) -> Vec<Motion<D>> {
        (0..self.n).map(|index| self.motion(&mut Rng(self.seed ^ (index as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)))).collect()
    }

    fn motion<const D: usize>(&self, rng: &mut Rng) -> Motion<D> {
        std::array::from_fn(|_| {
            let from = self.origin + rng.below(self.extent) as i128;
            let to = from + rng.below(2 * self.reach + 1) as i128 - self.reach as i128;
            [[from, to], [from + rng.below(self.size + 1) as i128, to + rng.below(self.size + 1) as i128]]
        })
    }
}

fn a_scene() -> impl Strategy<Value = Scene> {
    // Small integers, where moments coincide and boxes graze each other all the time; and large ones, where no two do.
    let coarse = (Just(30usize), 0..40usize, 0..6usize, prop_oneof![Just(0i128), Just(-7), Just(100_000)], Just(1.0));
    let fine =
        (Just(1usize << 20), 0..1usize << 20, 0..1usize << 16, Just(0i128), prop_oneof![Just(1.0 / 65536.0), Just(1024.0)]);
    (1..140usize, prop_oneof![coarse, fine], any::<u64>()).prop_map(|(n, (extent, reach, size, origin, unit), seed)| Scene {
        n,
        extent,
        reach,
        size,
        origin,
        unit,
        seed,
    })
}

/// What a step must find, and what it may.
struct Expected<const D: usize> {
    motions: Vec<Motion<D>>,
    meet: Vec<Pair>,
    /// So close to it that rounding may keep them.
    close: Vec<Pair>,
}

fn oracle<const D: usize>(motions: Vec<Motion<D>>) -> Expected<D> {
    let (mut meet, mut close) = (Vec::new(), Vec::new());
    for a in 0..motions.len() {
        for b in a + 1..motions.len() {
            if let Some((first, last)) = exact_window(&motions[a], &motions[b]) {
                let pair = Pair { a: a as u32, b: b as u32 };
                match first.cmp(last) {
                    Ordering::Greater if first.value() - last.value() < 1e-13 => close.push(pair),
                    Ordering::Greater => {}
                    _ => meet.push(pair),
                }
            }
        }
    }
    Expected { motions, meet, close }
}

#[track_caller]
fn assert_same<const D: usize>(found: &[Pair], expected: &Expected<D>, context: &str) {
    let Expected { motions, meet, close } = expected;
    let explain = |pair: &Pair| (*pair, motions[pair.a as usize], motions[pair.b as usize]);
    let missing: Vec<_> = meet.iter().filter(|pair| found.binary_search(pair).is_err()).map(explain).collect();
    assert!(missing.is_empty(), "{context}: {} of {} missing, such as {:?}", missing.len(), meet.len(), missing[0]);
    let known = |pair: &Pair| meet.binary_search(pair).is_ok() || close.contains(pair);
    let surplus: Vec<_> = found.iter().filter(|pair| !known(pair)).map(explain).collect();
    assert!(surplus.is_empty(), "{context}: {} beside {} surplus, such as {:?}", surplus.len(), meet.len(), surplus[0]);
    assert!(found.windows(2).all(|two| two[0] < two[1]), "{context}: a pair twice");
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

macro_rules! in_each_space {
    ($($space:ident: $scalar:ty, $dimension:literal;)*) => { $(
        mod $space {
            use super::*;

            proptest! {
                #![proptest_config(cases(120))]

                #[test]
                fn pairs_that_meet_in_time(scene in a_scene(), threads in 1..=8usize) {
                    let motions = scene.motions::<$dimension>();
                    let objects: Vec<_> = motions.iter().map(|motion| swept::<$scalar, $dimension>(motion, scene.unit)).collect();
                    let expected = oracle(motions);
                    let mut engine = BroadPhase::<$scalar, $dimension>::with_config(grid_config()).unwrap();
                    for _ in 0..2 {
                        assert_same(&pool(threads).install(|| engine.par_detect(&objects)).sorted(), &expected, "par_detect");
                        assert_same(&engine.detect(&objects).sorted(), &expected, "detect");
                    }
                }

                /// Of the first object with each other one: when they meet, from both sides.
                #[test]
                fn times_of_contact(scene in a_scene()) {
                    let motions = scene.motions::<$dimension>();
                    let objects: Vec<_> = motions.iter().map(|motion| swept::<$scalar, $dimension>(motion, scene.unit)).collect();
                    for (motion, object) in motions.iter().zip(&objects) {
                        let time = objects[0].time_of_contact(object);
                        prop_assert_eq!(time, object.time_of_contact(&objects[0]));
                        prop_assert_eq!(time.is_some(), objects[0].pairs_with(object));
                        match exact_window(&motions[0], motion) {
                            Some((first, last)) if first.cmp(last).is_le() => {
                                let time = f64::from(time.expect("they meet"));
                                let error = (time - first.value()).abs();
                                let rounding = f64::from(<$scalar>::EPSILON) * 4.0 * first.value();
                                prop_assert!(error <= rounding, "{time}, not {first:?}");
                                prop_assert!((0.0..=1.0).contains(&time));
                            }
                            Some((first, last)) if first.value() - last.value() < 1e-13 => {}
                            _ => prop_assert_eq!(time, None),
                        }
                    }
                }
            }
        }
    )* };
}

in_each_space! {
    f32_in_2d: f32, 2;
    f32_in_3d: f32, 3;
    f64_in_2d: f64, 2;
    f64_in_3d: f64, 3;
}

#[test]
fn a_larger_scene_with_every_configuration() {
    let scene =
        Scene { n: 2000, extent: 1 << 20, reach: 1 << 18, size: 1 << 17, origin: -(1 << 19), unit: 1.0 / 4096.0, seed: 3 };
    let motions = scene.motions::<3>();
    let objects: Vec<MovingBox<f32, 3>> = motions.iter().map(|motion| swept(motion, scene.unit)).collect();
    let expected = oracle(motions);
    // The filter in time is what makes the difference: by their unions, many more pair.
    let unions: Vec<_> = objects.iter().map(MovingBox::aabb).collect();
    let (meet, overlap) = (expected.meet.len(), Oracle::detect(&unions).pairs.len());
    assert!(meet > 1000 && meet * 2 < overlap, "{meet} of {overlap}");
    for config in configs() {
        let mut engine = BroadPhase::<f32, 3>::with_config(config.clone()).unwrap();
        for threads in [1, 2, 5] {
            let found = pool(threads).install(|| engine.par_detect(&objects)).sorted();
            assert_same(&found, &expected, &format!("{threads} threads, {config:?}"));
        }
    }
}

/// A point passes through a point, at a moment that no floating-point number is: the last moment of one axis is the first of the
/// other, and both are rounded.
#[test]
fn a_contact_of_a_single_moment_is_found() {
    let still: Motion<2> = [[[0, 0]; 2]; 2];
    for (numerator, denominator) in (1..200i128).flat_map(|d| (1..d).map(move |n| (n, d))) {
        let x = [-numerator, denominator - numerator];
        let passing: Motion<2> = [[x.map(|value| value * 3); 2], [x.map(|value| -value * 7); 2]];
        let (first, last) = exact_window(&still, &passing).expect("a window");
        assert!(first.cmp(last).is_eq() && first.cmp(Moment(numerator, denominator)).is_eq());
        for unit in [1.0, 1.0 / 1024.0] {
            let time = swept::<f32, 2>(&still, unit).time_of_contact(&swept(&passing, unit)).expect("they meet for a moment");
            assert!((f64::from(time) - first.value()).abs() < 1e-7);
            assert!(swept::<f64, 2>(&still, unit).pairs_with(&swept(&passing, unit)));
        }
    }
}

/// The same with distances of 54 bits, which `f64` rounds before it divides: what widening the last moment is for. Without it, a
/// part of these is lost.
#[test]
fn a_single_moment_is_found_where_distances_are_rounded() {
    let rng = &mut Rng(6);
    for _ in 0..20_000 {
        let denominator = 2 + rng.below(1 << 20) as i128;
        let numerator = 1 + rng.below(denominator as usize - 1) as i128;
        // Half of the distance is the one point's position, the rest the other's: these are exact.
        let mut axis = |sign: i128| {
            let most = (1usize << 54) / numerator.max(denominator - numerator) as usize;
            let scale = sign * (most - rng.below(most / 4)) as i128;
            let distance = [-numerator * scale, (denominator - numerator) * scale];
            let one = distance.map(|distance| distance.div_euclid(2));
            ([one; 2], [[one[0] - distance[0], one[1] - distance[1]]; 2])
        };
        let (x, y) = (axis(1), axis(-1));
        let (one, other): (Motion<2>, Motion<2>) = ([x.0, y.0], [x.1, y.1]);
        let (first, last) = exact_window(&one, &other).expect("a window");
        assert!(first.cmp(last).is_eq() && first.cmp(Moment(numerator, denominator)).is_eq());
        let time = swept::<f64, 2>(&one, 1.0).time_of_contact(&swept(&other, 1.0)).expect("they meet for a moment");
        assert!((time - first.value()).abs() <= 4.0 * f64::EPSILON * first.value());
    }
}

/// A bad box at either end is the engine's business, with the engine's reasons, even if the union of the two would be fine.
#[test]
fn an_invalid_end_makes_the_whole_invalid() {
    let fine = Aabb::new([0.0f32, 0.0], [4.0, 4.0]);
    let nan = Aabb::new([1.0, f32::NAN], [2.0, 2.0]);
    let nan_max = Aabb::new([1.0, 1.0], [f32::NAN, 2.0]);
    let inverted = Aabb::new([2.0, 1.0], [1.0, 2.0]);
    let objects = [
        MovingBox::new(fine, fine),
        MovingBox::new(nan, fine),
        MovingBox::new(fine, nan),
        MovingBox::new(fine, nan_max),
        MovingBox::new(inverted, fine),
        MovingBox::new(fine, inverted),
        MovingBox::new(inverted, nan),
        MovingBox::new(nan_max, inverted),
        MovingBox::new(inverted, inverted),
        MovingBox::new(fine, fine),
    ];
    use RejectReason::{Inverted, NotANumber};
    let mut engine = BroadPhase::<f32, 2>::new();
    let pairs = engine.detect(&objects);
    assert_eq!(pairs.sorted(), [Pair { a: 0, b: 9 }]);
    let reasons: Vec<_> = pairs.rejected().iter().map(|rejected| rejected.reason).collect();
    assert_eq!(reasons, [NotANumber, NotANumber, NotANumber, Inverted, Inverted, NotANumber, NotANumber, Inverted]);
    for bad in &objects[1..9] {
        assert_eq!((objects[0].time_of_contact(bad), bad.time_of_contact(&objects[0])), (None, None));
    }
}

/// Infinite bounds, and gaps that `f64` has no number for, restrict nothing; the others still do.
#[test]
fn infinite_and_overflowing_motions_are_kept() {
    let infinity = f64::INFINITY;
    let ball = |x: f64, y: f64| Aabb::around([x, y], [0.5, 0.5]);
    let ground = Aabb::new([-infinity, -infinity], [infinity, 0.0]);
    let falling = MovingBox::new(ball(0.0, 9.5), ball(0.0, -0.5));
    assert_eq!(MovingBox::new(ground, ground).time_of_contact(&falling), Some(0.9));
    assert_eq!(MovingBox::new(ground, ground).time_of_contact(&MovingBox::new(ball(0.0, 9.0), ball(5.0, 2.0))), None);

    let opening = MovingBox::new(ground, Aabb::new([-1.0, -1.0], [1.0, 0.0]));
    assert_eq!(opening.time_of_contact(&falling), Some(0.9));

    let huge = |x: f64| Aabb::new([x, 0.0], [x, 1.0]);
    let (right, left) = (MovingBox::new(huge(-f64::MAX), huge(f64::MAX)), MovingBox::new(huge(f64::MAX), huge(-f64::MAX)));
    assert!(right.pairs_with(&left));
    let above = MovingBox::new(Aabb::new([f64::MAX, 2.0], [f64::MAX, 3.0]), Aabb::new([-f64::MAX, 2.0], [-f64::MAX, 3.0]));
    assert!(!right.pairs_with(&above));
}

/// Something that does not move is its box.
#[test]
fn standing_still_is_plain_overlap() {
    let rng = &mut Rng(1);
    let boxes: Vec<Aabb<f32, 3>> =
        (0..500).map(|_| Aabb::around([0; 3].map(|_| rng.within(0.0, 8.0) as f32), [rng.unit() as f32; 3])).collect();
    let still: Vec<_> = boxes.iter().map(|&aabb| MovingBox::new(aabb, aabb)).collect();
    let found = BroadPhase::<f32, 3>::new().par_detect(&still).sorted();
    assert_eq!(found, Oracle::detect(&boxes).pairs);
    assert!(found.iter().all(|pair| still[pair.a as usize].time_of_contact(&still[pair.b as usize]) == Some(0.0)));
}
