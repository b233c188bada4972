//! Meetings in a periodic domain, against every box compared with every shifted other one, where the user has them.
//!
//! The oracle knows nothing of wrapping and ghosts. It is exact: coordinates are multiples of 1/64 and small, so neither its
//! arithmetic nor the engine's ever rounds. What rounding does is looked at in tests of its own.

use crate::common::{Coordinate, Rng, configs, grid_config, pool};
use pivotgrid::{
    Aabb, Ball, Bounded, BroadPhase, Config, ConfigError, Groups, Pair, Periodic, PeriodicError, PeriodicPair, PeriodicReason,
    RejectReason,
};
use proptest::prelude::*;
use rayon::prelude::*;

/// A scene by its properties; see `Scene` of the common tests.
#[derive(Clone, Debug)]
struct Scene<const D: usize> {
    n: usize,
    low: [i32; D],
    period: [i32; D],
    periodic: [bool; D],
    /// The longest edge, as a part of the period.
    longest: f64,
    /// How many periods objects are away from the domain at most.
    away: i32,
    seed: u64,
}

const UNIT: f64 = 1.0 / 64.0;

impl<const D: usize> Scene<D> {
    fn domain<S: Coordinate>(&self) -> Aabb<S, D> {
        let corner = |high: i32| std::array::from_fn(|axis| S::of((self.low[axis] + high * self.period[axis]) as f64 * UNIT));
        Aabb { min: corner(0), max: corner(1) }
    }

    fn boxes<S: Coordinate>(&self) -> Vec<Aabb<S, D>> {
        (0..self.n).map(|index| self.object(index)).collect()
    }

    fn object<S: Coordinate>(&self, index: usize) -> Aabb<S, D> {
        let rng = &mut Rng(self.seed ^ (index as u64).wrapping_mul(0xd6e8_feb8_6659_fd93));
        let mut aabb = Aabb { min: [S::of(0.0); D], max: [S::of(0.0); D] };
        for axis in 0..D {
            let period = self.period[axis];
            let away = rng.below(2 * self.away as usize + 1) as i32 - self.away;
            // Now and then exactly at a border, or exactly as long as the period allows.
            let at = if rng.below(8) == 0 { 0 } else { rng.below(period as usize) as i32 };
            let longest = (f64::from(period) * self.longest) as i32;
            let edge = if rng.below(8) == 0 { longest } else { (f64::from(longest) * rng.unit().powi(2)) as i32 };
            let min = self.low[axis] + at + away * period;
            (aabb.min[axis], aabb.max[axis]) = (S::of(f64::from(min) * UNIT), S::of(f64::from(min + edge) * UNIT));
        }
        aabb
    }
}

/// By how many periods to move `b` so that it meets `a` on one axis.
fn shifts(a: (f64, f64), b: (f64, f64), period: Option<f64>) -> Vec<i32> {
    let meets = |shift: i32| {
        let by = f64::from(shift) * period.unwrap_or(0.0);
        a.0 <= b.1 + by && b.0 + by <= a.1
    };
    let Some(period) = period else { return (0..=0).filter(|&shift| meets(shift)).collect() };
    let (first, last) = ((a.0 - b.1) / period, (a.1 - b.0) / period);
    (first.floor() as i32 - 1..=last.ceil() as i32 + 1).filter(|&shift| meets(shift)).collect()
}

/// All meetings, sorted.
fn oracle<S: Coordinate, const D: usize>(boxes: &[Aabb<S, D>], domain: Aabb<S, D>, periodic: [bool; D]) -> Vec<PeriodicPair<D>> {
    let interval = |aabb: &Aabb<S, D>, axis: usize| -> (f64, f64) { (aabb.min[axis].into(), aabb.max[axis].into()) };
    let mut found = Vec::new();
    for b in 0..boxes.len() {
        for a in 0..b {
            let mut meetings = vec![[0; D]];
            for axis in 0..D {
                let (low, high) = interval(&domain, axis);
                let along = shifts(interval(&boxes[a], axis), interval(&boxes[b], axis), periodic[axis].then_some(high - low));
                let with = |shift: [i32; D], by: i32| std::array::from_fn(|other| if other == axis { by } else { shift[other] });
                meetings = meetings.iter().flat_map(|&shift| along.iter().map(move |&by| with(shift, by))).collect();
            }
            found.extend(meetings.into_iter().map(|shift| PeriodicPair { a: a as u32, b: b as u32, shift }));
        }
    }
    found.sort_unstable();
    found
}

#[track_caller]
fn assert_same<const D: usize>(found: &[PeriodicPair<D>], expected: &[PeriodicPair<D>], context: &str) {
    if found != expected {
        let lacks = |list: &[PeriodicPair<D>], of: &[PeriodicPair<D>]| -> Vec<_> {
            of.iter().filter(|pair| list.binary_search(pair).is_err()).take(5).copied().collect()
        };
        let twice: Vec<_> = found.windows(2).filter(|two| two[0] == two[1]).take(5).map(|two| two[0]).collect();
        let (missing, surplus) = (lacks(found, expected), lacks(expected, found));
        panic!("{context}: missing {missing:?}, surplus {surplus:?}, twice {twice:?} (up to five of each)");
    }
}

fn a_scene<const D: usize>() -> impl Strategy<Value = Scene<D>> {
    let axis =
        (-2000..2000i32, prop_oneof![Just(1), Just(64), 2..100i32, 100..3000i32], prop_oneof![3 => Just(true), 1 => Just(false)]);
    let axes: [_; D] = std::array::from_fn(|_| axis.clone());
    let longest = prop_oneof![1 => Just(0.0), 2 => Just(0.05), 2 => Just(0.3), 1 => Just(1.0)];
    let n = prop_oneof![1 => 0..4usize, 3 => 4..60usize, 1 => 60..160usize];
    (axes, longest, n, prop_oneof![Just(0), Just(1), Just(5)], any::<u64>()).prop_map(|(axes, longest, n, away, seed)| Scene {
        n,
        low: axes.map(|(low, ..)| low),
        period: axes.map(|(_, period, _)| period),
        periodic: axes.map(|(.., periodic)| periodic),
        longest,
        away,
        seed,
    })
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

macro_rules! in_each_space {
    ($($space:ident: $scalar:ty, $dimension:literal;)*) => { $(
        mod $space {
            use super::*;

            proptest! {
                #![proptest_config(cases(150))]

                /// Any domain, any subset of its axes, any sizes up to the period, one thread and many, and again on the same
                /// engine with half of the objects.
                #[test]
                fn every_meeting_once(scene in a_scene::<$dimension>(), threads in 1..=8usize, grid in any::<bool>()) {
                    let config = if grid { grid_config() } else { Config::default() };
                    let (domain, boxes) = (scene.domain::<$scalar>(), scene.boxes::<$scalar>());
                    let mut periodic = Periodic::with_config(domain, scene.periodic, config).unwrap();
                    for boxes in [&boxes[..], &boxes[..boxes.len() / 2], &boxes[..]] {
                        let expected = oracle(boxes, domain, scene.periodic);
                        let pairs = pool(threads).install(|| periodic.par_detect(boxes));
                        assert_same(&pairs.sorted(), &expected, "par_detect");
                        prop_assert!(pairs.rejected().is_empty());
                        prop_assert_eq!((pairs.len(), pairs.iter().len()), (expected.len(), expected.len()));
                        prop_assert_eq!(pairs.is_empty(), expected.is_empty());
                        let mut parallel: Vec<_> = pairs.par_iter().collect();
                        parallel.sort_unstable();
                        assert_same(&parallel, &expected, "par_iter");
                        assert_same(&periodic.detect(boxes).sorted(), &expected, "detect");
                        prop_assert_eq!(periodic.stats().pairs, expected.len());
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

/// Many blocks of objects and of ghosts, every configuration.
#[test]
fn a_larger_scene_with_every_configuration() {
    let scene =
        Scene { n: 2500, low: [-640, 64, 0], period: [1280, 640, 960], periodic: [true; 3], longest: 0.2, away: 2, seed: 5 };
    let (domain, boxes) = (scene.domain::<f32>(), scene.boxes::<f32>());
    for periodic in [[true, true, true], [false, true, false], [false; 3]] {
        let expected = oracle(&boxes, domain, periodic);
        for config in configs() {
            let mut engine = Periodic::with_config(domain, periodic, config.clone()).unwrap();
            for threads in [1, 2, 5] {
                let found = pool(threads).install(|| engine.par_detect(&boxes)).sorted();
                assert_same(&found, &expected, &format!("{threads} threads, {config:?}, {periodic:?}"));
            }
        }
    }
}

/// Without periodic axes it is the plain engine, whatever the domain.
#[test]
fn no_periodic_axis() {
    let scene = Scene { n: 300, low: [0; 2], period: [640; 2], periodic: [false; 2], longest: 0.2, away: 1, seed: 9 };
    let boxes = scene.boxes::<f64>();
    let mut periodic = Periodic::new(Aabb::new([f64::NAN; 2], [0.0; 2]), [false; 2]).unwrap();
    let found: Vec<Pair> = periodic.detect(&boxes).sorted().iter().map(|pair| Pair { a: pair.a, b: pair.b }).collect();
    assert_eq!(found, BroadPhase::<f64, 2>::new().detect(&boxes).sorted());
    assert!(!found.is_empty());
}

/// Long objects meet in several places; one as long as the period touches itself, which is not reported.
#[test]
fn meetings_in_several_places() {
    let mut ring = Periodic::<f32, 2>::new(Aabb::new([0.0; 2], [8.0; 2]), [true, false]).unwrap();
    let boxes = [Aabb::new([1.0, 0.0], [9.0, 1.0]), Aabb::new([0.0, 1.0], [5.0, 1.0]), Aabb::new([1.0, 1.0], [1.0, 1.0])];
    let shift = |a, b, x| PeriodicPair { a, b, shift: [x, 0] };
    let expected = [shift(0, 1, 0), shift(0, 1, 1), shift(0, 2, 0), shift(0, 2, 1), shift(1, 2, 0)];
    assert_eq!(ring.detect(&boxes).sorted(), expected);
    assert!(ring.detect(&boxes[..1]).is_empty());
}

#[test]
fn bad_objects_are_listed_and_cost_nobody_anything() {
    let scene = Scene { n: 1500, low: [0; 3], period: [640; 3], periodic: [true, true, false], longest: 0.2, away: 1, seed: 3 };
    let domain = scene.domain::<f32>();
    let mut boxes = scene.boxes::<f32>();
    let good: Vec<_> = (0..boxes.len()).filter(|index| index % 100 != 7).collect();
    let reasons = [
        PeriodicReason::Box(RejectReason::NotANumber),
        PeriodicReason::Box(RejectReason::Inverted),
        PeriodicReason::LargerThanPeriod { axis: 1 },
        PeriodicReason::LargerThanPeriod { axis: 0 },
        PeriodicReason::TooFarOut { axis: 0 },
        PeriodicReason::TooFarOut { axis: 1 },
    ];
    let bad = [
        Aabb::new([0.0, f32::NAN, 0.0], [1.0; 3]),
        Aabb::new([0.0, 0.0, 1.0], [1.0, 1.0, 0.0]),
        Aabb::new([0.0; 3], [1.0, 10.0f32.next_up(), 1.0]),
        Aabb::new([f32::NEG_INFINITY, 0.0, 0.0], [1.0, 99.0, 1.0]),
        Aabb::new([1e20, 0.0, 0.0], [1e20, 1.0, 1.0]),
        Aabb::new([0.0, f32::INFINITY, 0.0], [1.0, f32::INFINITY, 1.0]),
    ];
    let mut expected_rejected = Vec::new();
    for (place, index) in (0..boxes.len()).filter(|index| index % 100 == 7).enumerate() {
        boxes[index] = bad[place % bad.len()];
        expected_rejected.push((index, reasons[place % bad.len()]));
    }
    let only_good: Vec<_> = good.iter().map(|&index| boxes[index]).collect();
    let named = |place: u32| good[place as usize] as u32;
    let expected: Vec<_> = oracle(&only_good, domain, scene.periodic)
        .into_iter()
        .map(|PeriodicPair { a, b, shift }| PeriodicPair { a: named(a), b: named(b), shift })
        .collect();

    let mut periodic = Periodic::with_config(domain, scene.periodic, grid_config()).unwrap();
    for threads in [1, 4] {
        let pairs = pool(threads).install(|| periodic.par_detect(&boxes));
        assert_same(&pairs.sorted(), &expected, "among bad objects");
        let rejected: Vec<_> = pairs.rejected().iter().map(|rejected| (rejected.index, rejected.reason)).collect();
        assert_eq!(rejected, expected_rejected);
    }
    let messages: Vec<String> = periodic.detect(&boxes).rejected().iter().map(ToString::to_string).collect();
    assert_eq!(messages[0], "object 7: a bound of its box is NaN");
    assert_eq!(messages[2], "object 207: its box is too long for the period along axis 1; enlarge the domain");
}

/// An axis that is not periodic takes what the engine takes everywhere: infinite boxes, huge ones.
#[test]
fn anything_goes_on_other_axes() {
    let mut channel = Periodic::<f32, 2>::new(Aabb::new([0.0; 2], [10.0, 0.0]), [true, false]).unwrap();
    let ground = Aabb::new([9.0, f32::NEG_INFINITY], [12.0, f32::INFINITY]);
    let boxes = [ground, Aabb::new([1.0, 1e30], [1.5, 2e30]), Aabb::new([3.0, 0.0], [4.0, 1e9])];
    assert_eq!(channel.detect(&boxes).sorted(), [PeriodicPair { a: 0, b: 1, shift: [1, 0] }]);
}

#[test]
fn bad_domains_are_refused() {
    let new = |low: f32, high: f32| Periodic::new(Aabb::new([0.0, low], [1.0, high]), [true, true]).map(|_| ());
    assert_eq!(new(0.0, 1.0), Ok(()));
    for (low, high) in [(1.0, 1.0), (1.0, 0.0), (0.0, f32::INFINITY), (f32::MIN, f32::MAX)] {
        assert_eq!(new(low, high), Err(PeriodicError::Period { axis: 1, low: low.into(), high: high.into() }));
    }
    assert!(matches!(new(f32::NAN, 1.0), Err(PeriodicError::Period { axis: 1, .. })));
    let config = Config::default().max_levels(0);
    let refused = Periodic::<f32, 2>::with_config(Aabb::new([0.0; 2], [1.0; 2]), [true; 2], config).unwrap_err();
    assert_eq!(refused, PeriodicError::Config(ConfigError::MaxLevels(0)));
    let message = new(2.0, 1.0).unwrap_err().to_string();
    assert!(message.starts_with("the domain is 2..1 along periodic axis 1"), "{message}");
}

struct Body {
    aabb: Aabb<f32, 2>,
    team: u32,
    groups: Groups,
}

impl Bounded<f32, 2> for Body {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.aabb
    }
    fn pairs_with(&self, other: &Self) -> bool {
        self.team != other.team
    }
    fn groups(&self) -> Groups {
        self.groups
    }
}

#[test]
fn filters_are_asked_about_objects() {
    let scene = Scene { n: 1200, low: [0; 2], period: [960; 2], periodic: [true; 2], longest: 0.1, away: 1, seed: 8 };
    let (domain, boxes) = (scene.domain::<f32>(), scene.boxes::<f32>());
    let body = |(index, &aabb): (usize, &Aabb<f32, 2>)| {
        let groups = Groups::new(1 << (index % 2), 3).of_body(index as u32 / 50);
        Body { aabb, team: index as u32 % 3, groups: if index % 7 == 0 { Groups::NONE } else { groups } }
    };
    let bodies: Vec<Body> = boxes.iter().enumerate().map(body).collect();
    let wanted = |pair: &PeriodicPair<2>| {
        let of = [pair.a, pair.b];
        let (same_team, same_body) = (of[0] % 3 == of[1] % 3, of[0] / 50 == of[1] / 50 && of[0] / 50 != 0);
        !same_team && !same_body && of.iter().all(|index| index % 7 != 0)
    };
    let expected: Vec<_> = oracle(&boxes, domain, [true; 2]).into_iter().filter(wanted).collect();
    let mut periodic = Periodic::with_config(domain, [true; 2], grid_config()).unwrap();
    for threads in [1, 3] {
        assert_same(&pool(threads).install(|| periodic.par_detect(&bodies)).sorted(), &expected, "filtered");
        assert_eq!(periodic.stats().pairs, expected.len());
    }
}

/// Balls meet as balls across the border, too.
#[test]
fn balls_are_compared_where_they_meet() {
    let rng = &mut Rng(4);
    let balls: Vec<Ball<f64, 3>> =
        (0..600).map(|_| Ball::new(std::array::from_fn(|_| rng.within(-10.0, 30.0)), rng.within(0.2, 1.5))).collect();
    let domain = Aabb::new([0.0; 3], [10.0; 3]);
    let around: Vec<_> = balls.iter().map(Ball::aabb).collect();
    let distance = |pair: &PeriodicPair<3>| {
        let (a, b) = (&balls[pair.a as usize], &balls[pair.b as usize]);
        let along = |axis: usize| a.center[axis] - b.center[axis] - 10.0 * f64::from(pair.shift[axis]);
        (0..3).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt() - a.radius - b.radius
    };
    let candidates = oracle(&around, domain, [true; 3]);
    let expected: Vec<_> = candidates.iter().copied().filter(|pair| distance(pair) <= 0.0).collect();
    assert!(expected.len() > 1000 && expected.len() < candidates.len());
    assert!(candidates.iter().all(|pair| distance(pair).abs() > 1e-9), "no close call: rounding decides nothing here");
    assert_same(&Periodic::new(domain, [true; 3]).unwrap().par_detect(&balls).sorted(), &expected, "balls");
}

/// Coordinates and a period of which no sum is exact: what clearly meets is found, what clearly does not is not.
#[test]
fn rounding_decides_close_calls_only() {
    let rng = &mut Rng(12);
    let domain = Aabb::new([-0.1f32, 0.3], [1.0 / 3.0, 1.1]);
    let boxes: Vec<Aabb<f32, 2>> = (0..700)
        .map(|_| {
            let min: [f64; 2] = std::array::from_fn(|_| rng.within(-4.0, 4.0));
            Aabb::new(min.map(|min| min as f32), min.map(|min| (min + rng.within(0.0, 0.1)) as f32))
        })
        .collect();
    let grown = |by: f32| -> Vec<_> {
        boxes.iter().map(|aabb| Aabb::new(aabb.min.map(|min| min - by), aabb.max.map(|max| max + by))).collect()
    };
    let found = Periodic::new(domain, [true; 2]).unwrap().par_detect(&boxes).sorted();
    assert!(found.windows(2).all(|two| two[0] < two[1]), "one of them twice");
    let (clearly, possibly) = (oracle(&grown(-1e-6), domain, [true; 2]), oracle(&grown(1e-6), domain, [true; 2]));
    assert!(clearly.iter().all(|pair| found.binary_search(pair).is_ok()));
    assert!(found.iter().all(|pair| possibly.binary_search(pair).is_ok()));
    assert!(found.len() > 1000 && possibly.len() - clearly.len() < 100, "{} of {}", possibly.len(), clearly.len());
}

struct Explosive(Aabb<f32, 2>, bool);

impl Bounded<f32, 2> for Explosive {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.0
    }
    fn pairs_with(&self, other: &Self) -> bool {
        assert!(!self.1 && !other.1, "boom");
        true
    }
}

#[test]
fn it_survives_a_panic_of_the_filter() {
    let scene = Scene { n: 1500, low: [0; 2], period: [640; 2], periodic: [true; 2], longest: 0.1, away: 0, seed: 2 };
    let (domain, boxes) = (scene.domain::<f32>(), scene.boxes::<f32>());
    let expected = oracle(&boxes, domain, [true; 2]);
    let mut periodic = Periodic::with_config(domain, [true; 2], grid_config()).unwrap();
    let objects =
        |armed: bool| -> Vec<_> { boxes.iter().enumerate().map(|(i, &aabb)| Explosive(aabb, armed && i == 70)).collect() };
    for threads in [1, 4] {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            pool(threads).install(|| periodic.par_detect(&objects(true)).len())
        }));
        assert!(result.is_err());
        assert_same(&pool(threads).install(|| periodic.par_detect(&objects(false))).sorted(), &expected, "after a panic");
    }
}
