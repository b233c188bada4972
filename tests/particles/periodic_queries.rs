//! Questions about a periodic domain, against every object moved by every number of periods.
//!
//! Coordinates are small multiples of 1/64, so for boxes and balls neither the oracle's arithmetic nor the engine's ever rounds. Rays
//! do round: what is found must lie between what is found with slightly larger and with slightly smaller boxes.

use crate::common::{Coordinate, Rng, grid_config, pool};
use pivotgrid::{Aabb, Ball, Config, Hit, Neighbor, Periodic, PeriodicQueries, Ray, Rows, Shifted};
use proptest::prelude::*;

pub(crate) const UNIT: f64 = 1.0 / 64.0;

/// A domain, objects in it and far from it, and where to ask.
#[derive(Debug)]
pub(crate) struct Scene<S, const D: usize> {
    pub(crate) domain: Aabb<S, D>,
    pub(crate) periodic: [bool; D],
    pub(crate) boxes: Vec<Aabb<S, D>>,
    pub(crate) questions: Vec<Aabb<S, D>>,
}

/// An object's index, its shift, and its box where that moves it.
pub(crate) type Moved<const D: usize> = (u32, [i32; D], [(f64, f64); D]);

impl<S: Coordinate, const D: usize> Scene<S, D> {
    pub(crate) fn new(seed: u64, objects: usize, longest: f64) -> Self {
        let rng = &mut Rng(seed);
        let low: [i32; D] = std::array::from_fn(|_| rng.below(500) as i32 - 250);
        let period: [i32; D] = std::array::from_fn(|_| [40, 64, 100, 300][rng.below(4)]);
        let corner = |corner: [i32; D]| corner.map(|x| S::of(f64::from(x) * UNIT));
        let domain = Aabb { min: corner(low), max: corner(std::array::from_fn(|axis| low[axis] + period[axis])) };
        let periodic = std::array::from_fn(|_| rng.below(4) > 0);
        let mut one = |longest: f64| {
            let (mut min, mut max) = ([0; D], [0; D]);
            for axis in 0..D {
                let away = rng.below(5) as i32 - 2;
                let at = if rng.below(8) == 0 { 0 } else { rng.below(period[axis] as usize) as i32 };
                let longest = (f64::from(period[axis]) * longest) as usize;
                min[axis] = low[axis] + at + away * period[axis];
                max[axis] = min[axis] + if rng.below(8) == 0 { longest } else { rng.below(longest + 1) } as i32;
            }
            Aabb { min: corner(min), max: corner(max) }
        };
        let boxes = (0..objects).map(|_| one(longest)).collect();
        // Points, short ones, those of one period, and longer ones.
        let questions = [0.0, 0.2, 1.0, 2.6].into_iter().flat_map(|longest| [longest; 6]).map(&mut one).collect();
        Scene { domain, periodic, boxes, questions }
    }

    pub(crate) fn period(&self, axis: usize) -> f64 {
        self.domain.max[axis].into() - self.domain.min[axis].into()
    }

    /// All moves of all objects that may come as near as `reach` to the box: the object, the shift, and the moved box.
    pub(crate) fn moved(&self, bounds: &Aabb<S, D>, reach: f64) -> Vec<Moved<D>> {
        let mut all = Vec::new();
        for (index, object) in (0..).zip(&self.boxes) {
            let mut shifts = vec![[0; D]];
            for axis in (0..D).filter(|&axis| self.periodic[axis]) {
                let (min, max): (f64, f64) = (object.min[axis].into(), object.max[axis].into());
                let (low, high): (f64, f64) = (bounds.min[axis].into() - reach, bounds.max[axis].into() + reach);
                let first = ((low - max) / self.period(axis)).floor() as i32;
                let last = ((high - min) / self.period(axis)).ceil() as i32;
                let with = |shift: [i32; D], by| std::array::from_fn(|other| if other == axis { by } else { shift[other] });
                shifts = shifts.iter().flat_map(|&shift| (first..=last).map(move |by| with(shift, by))).collect();
            }
            all.extend(shifts.into_iter().map(|shift| {
                let by = |axis: usize| f64::from(shift[axis]) * self.period(axis);
                let interval = |axis: usize| (object.min[axis].into() + by(axis), object.max[axis].into() + by(axis));
                (index, shift, std::array::from_fn(interval))
            }));
        }
        all
    }

    fn overlapping(&self, bounds: &Aabb<S, D>) -> Vec<Shifted<u32, D>> {
        let meets = |(min, max): (f64, f64), axis: usize| min <= bounds.max[axis].into() && bounds.min[axis].into() <= max;
        let all = self.moved(bounds, 0.0).into_iter();
        let mut found: Vec<_> = all
            .filter(|(.., moved)| (0..D).all(|axis| meets(moved[axis], axis)))
            .map(|(found, shift, _)| Shifted { found, shift })
            .collect();
        found.sort_unstable();
        found
    }

    fn within(&self, ball: &Ball<S, D>) -> Vec<Shifted<Neighbor<S>, D>> {
        let near = self.near(ball.center, ball.radius.into()).into_iter();
        near.map(|(square, index, shift)| Shifted { found: Neighbor { index, distance_squared: S::of(square) }, shift }).collect()
    }

    /// The squares of the distances of everything within a radius, the nearest first; then by object, then by shift.
    pub(crate) fn near(&self, point: [S; D], radius: f64) -> Vec<(f64, u32, [i32; D])> {
        let square = |moved: &[(f64, f64); D]| -> f64 {
            let gap = |axis: usize| (moved[axis].0 - point[axis].into()).max(point[axis].into() - moved[axis].1).max(0.0);
            (0..D).map(|axis| gap(axis) * gap(axis)).sum()
        };
        let all = self.moved(&Aabb { min: point, max: point }, radius).into_iter();
        let mut near: Vec<_> = all
            .map(|(index, shift, moved)| (square(&moved), index, shift))
            .filter(|(square, ..)| *square <= radius * radius)
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        near
    }

    /// When a ray first meets an object, if all are larger by `margin` on all sides.
    fn first_time(&self, ray: &Ray<S, D>, margin: f64) -> f64 {
        let point = Aabb { min: ray.origin, max: ray.origin };
        self.met(&point, ray.direction, ray.max_t, margin).into_iter().map(|(t, ..)| t).fold(f64::INFINITY, f64::min)
    }

    /// When a moving box meets which object with which shift, if all are larger by `margin` on all sides; sorted.
    pub(crate) fn met(&self, bounds: &Aabb<S, D>, direction: [S; D], max_t: S, margin: f64) -> Vec<(f64, u32, [i32; D])> {
        let (direction, max_t): ([f64; D], f64) = (direction.map(Into::into), max_t.into());
        let (low, high): ([f64; D], [f64; D]) = (bounds.min.map(Into::into), bounds.max.map(Into::into));
        let way = Aabb {
            min: std::array::from_fn(|axis| S::of(low[axis] + (direction[axis] * max_t).min(0.0))),
            max: std::array::from_fn(|axis| S::of(high[axis] + (direction[axis] * max_t).max(0.0))),
        };
        let time = |moved: &[(f64, f64); D]| -> Option<f64> {
            let (mut enter, mut exit) = (0.0_f64, max_t);
            for axis in 0..D {
                let (min, max) = (moved[axis].0 - margin, moved[axis].1 + margin);
                // A flat box has nothing left inside a negative margin.
                if min > max {
                    return None;
                }
                if direction[axis] == 0.0 {
                    if max < low[axis] || high[axis] < min {
                        return None;
                    }
                } else {
                    let (one, other) = ((min - high[axis]) / direction[axis], (max - low[axis]) / direction[axis]);
                    enter = enter.max(one.min(other));
                    exit = exit.min(one.max(other));
                }
            }
            (enter <= exit).then_some(enter)
        };
        let all = self.moved(&way, 1.0).into_iter();
        let mut met: Vec<_> = all.filter_map(|(index, shift, moved)| Some((time(&moved)?, index, shift))).collect();
        met.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        met
    }

    /// The box of a found object, where it was found.
    fn place(&self, index: u32, shift: [i32; D]) -> [(f64, f64); D] {
        let object = &self.boxes[index as usize];
        let by = |axis: usize| f64::from(shift[axis]) * self.period(axis);
        std::array::from_fn(|axis| (object.min[axis].into() + by(axis), object.max[axis].into() + by(axis)))
    }

    fn check_hit(&self, ray: &Ray<S, D>, hit: Option<Shifted<Hit<S>, D>>) {
        let margin = 1e-3;
        let (earliest, latest) = (self.first_time(ray, margin), self.first_time(ray, -margin));
        let t: f64 = hit.map_or(f64::INFINITY, |hit| hit.found.t.into());
        assert!(earliest <= t && t <= latest, "{ray:?} met at {t}, not at {earliest} to {latest}");
        if let Some(Shifted { found, shift }) = hit {
            for (axis, (min, max)) in self.place(found.index, shift).into_iter().enumerate() {
                let at: f64 = ray.origin[axis].into() + t * ray.direction[axis].into();
                assert!(min - margin <= at && at <= max + margin, "{ray:?} met {found:?} at {at} on axis {axis}, {min}..{max}");
            }
        }
    }

    fn check(&self, queries: &PeriodicQueries<'_, S, D>, rng: &mut Rng) {
        let mut found = Vec::new();
        for question in &self.questions {
            queries.overlapping(question, &mut found);
            found.sort_unstable();
            assert_eq!(found, self.overlapping(question), "{question:?}");
        }
        let points: Vec<[S; D]> = self.questions.iter().map(|question| question.min).collect();
        let mut rows = Rows::new();
        queries.par_containing(&points, &mut rows);
        rows.sort();
        for (point, row) in points.iter().zip(rows.iter()) {
            assert_eq!(row, self.overlapping(&Aabb { min: *point, max: *point }), "{point:?}");
        }
        let radius = |rng: &mut Rng| S::of([0, 3, 20, 40, 64, 110][rng.below(6)] as f64 * UNIT);
        let balls: Vec<_> = points.iter().map(|&point| Ball::new(point, radius(rng))).collect();
        let mut rows = Rows::new();
        queries.par_within(&balls, &mut rows);
        rows.sort();
        for (ball, row) in balls.iter().zip(rows.iter()) {
            assert_eq!(row, self.within(ball), "{ball:?}");
        }
        let direction = |rng: &mut Rng| -> [S; D] { std::array::from_fn(|_| S::of([-1.0, 0.0, 0.3, 0.77, -0.04][rng.below(5)])) };
        let rays: Vec<_> = points.iter().map(|&point| Ray::new(point, direction(rng)).up_to(S::of(rng.unit() * 4.0))).collect();
        let rays: Vec<_> = rays.into_iter().filter(|ray| ray.direction.iter().any(|&x| x != S::of(0.0))).collect();
        let mut hits = Vec::new();
        queries.par_first_hits(&rays, &mut hits);
        rays.iter().zip(hits).for_each(|(ray, hit)| self.check_hit(ray, hit));
    }
}

macro_rules! in_each_space {
    ($($space:ident: $scalar:ty, $dimension:literal;)*) => { $(
        proptest! {
            #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

            #[test]
            fn $space(
                seed in any::<u64>(),
                objects in prop_oneof![0..4usize, 4..60usize],
                longest in prop_oneof![Just(0.0), Just(0.1), Just(0.5), Just(1.0)],
                threads in 1..=4usize,
                grid in any::<bool>(),
            ) {
                let scene = Scene::<$scalar, $dimension>::new(seed, objects, longest);
                let config = if grid { grid_config() } else { Config::default() };
                let mut periodic = Periodic::with_config(scene.domain, scene.periodic, config).unwrap();
                pool(threads).install(|| {
                    periodic.par_detect(&scene.boxes);
                    scene.check(&periodic.queries(), &mut Rng(seed));
                });
            }
        }
    )* };
}

in_each_space! {
    in_2d_f32: f32, 2;
    in_2d_f64: f64, 2;
    in_3d_f32: f32, 3;
    in_3d_f64: f64, 3;
}

/// A check of random scenes with so many objects at most, in each space and with each subset of the axes periodic.
macro_rules! in_each_space_along_all_axes {
    ($check:ident, $most:literal) => {
        in_each_space_along_all_axes! {
            $check, $most,
            in_2d_f32: f32, 2;
            in_2d_f64: f64, 2;
            in_3d_f32: f32, 3;
            in_3d_f64: f64, 3;
        }
    };
    ($check:ident, $most:literal, $($space:ident: $scalar:ty, $dimension:literal;)*) => { $(
        proptest! {
            #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

            #[test]
            fn $space(
                seed in any::<u64>(),
                objects in prop_oneof![0..4usize, 4..$most],
                longest in prop_oneof![Just(0.0), Just(0.1), Just(0.5), Just(1.0)],
                grid in any::<bool>(),
            ) {
                let mut scene = Scene::<$scalar, $dimension>::new(seed, objects, longest);
                let config = if grid { grid_config() } else { Config::default() };
                for axes in 0..1 << $dimension {
                    scene.periodic = std::array::from_fn(|axis| axes >> axis & 1 != 0);
                    let mut periodic = Periodic::with_config(scene.domain, scene.periodic, config.clone()).unwrap();
                    periodic.detect(&scene.boxes);
                    scene.$check(&periodic.queries(), &mut Rng(seed));
                }
            }
        }
    )* };
}
pub(crate) use in_each_space_along_all_axes;

/// Nothing is found, and nothing panics or takes for ever.
#[test]
fn questions_without_answer() {
    let domain = Aabb::new([0.0, 0.0], [10.0, 10.0]);
    let mut periodic = Periodic::<f32, 2>::new(domain, [true, true]).unwrap();
    let mut found = vec![Shifted { found: 7, shift: [0, 0] }];
    periodic.queries().containing([5.0, 5.0], &mut found);
    assert!(found.is_empty(), "before the first step");

    periodic.detect(&[Aabb::new([4.0, 4.0], [6.0, 6.0]), Aabb::new([f32::NAN; 2], [1.0, 1.0])]);
    let queries = periodic.queries();
    let (infinite, far) = (Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]), Aabb::new([1e12, 0.0], [1e12, 10.0]));
    for bounds in [infinite, far, Aabb::new([6.0, 6.0], [4.0, 4.0]), Aabb::new([f32::NAN; 2], [1.0, 1.0])] {
        queries.overlapping(&bounds, &mut found);
        assert!(found.is_empty(), "{bounds:?}");
    }
    let mut near = Vec::new();
    for ball in [Ball::new([5.0, 5.0], -1.0), Ball::new([f32::NAN; 2], 1.0), Ball::new([5.0, 5.0], f32::INFINITY)] {
        queries.within(&ball, &mut near);
        assert!(near.is_empty(), "{ball:?}");
    }
    let (endless, still) = (Ray::new([0.0, 5.0], [1.0, 0.0]), Ray::new([0.0, 5.0], [0.0, 0.0]).up_to(9.0));
    let past = Ray::new([0.0, 1.0], [1.0, 0.0]).up_to(f32::MAX);
    for ray in [endless, still, past, Ray::new([f32::NAN; 2], [1.0, 0.0]).up_to(1.0), endless.up_to(-1.0)] {
        assert_eq!(queries.first_hit(&ray), None, "{ray:?}");
    }
    assert!(queries.first_hit(&endless.up_to(5.0)).is_some());
}

/// Many periods on, and still found where it is.
#[test]
fn a_long_way() {
    let domain = Aabb::new([0.0, 0.0], [10.0, 10.0]);
    let mut periodic = Periodic::<f64, 2>::new(domain, [true, true]).unwrap();
    periodic.detect(&[Aabb::new([4.0, 9.5], [6.0, 9.6])]);
    let hit = periodic.queries().first_hit(&Ray::new([0.0, 0.0], [1.0, 0.001]).up_to(1e6)).unwrap();
    assert_eq!(hit.shift, [950, 0]);
    assert!((hit.found.t - 9504.0).abs() < 1e-6, "{hit:?}");
}
