//! Rays and moving boxes in a periodic domain, against every object moved by every number of periods.
//!
//! With coordinates that are small multiples of 1/64 and speeds that are powers of two nothing ever rounds, and what is found must be
//! what the oracle finds, to the last bit. With other speeds it must lie between what is found with slightly larger and with
//! slightly smaller boxes.

use std::collections::HashMap;

use crate::common::{Coordinate, Rng, grid_config, pool};
use crate::periodic_queries::{Scene, UNIT, in_each_space_along_all_axes};
use pivotgrid::{Aabb, BoxCast, Config, Hit, Periodic, PeriodicQueries, Ray, Rows, Shifted};
use proptest::prelude::*;

const EXACT_SPEEDS: [f64; 8] = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.25, 4.0];
const OTHER_SPEEDS: [f64; 8] = [0.0, 0.3, -0.77, 3e-6, -1e-4, 1.9, -2.3, 1e-12];

type Met<const D: usize> = Vec<(f64, u32, [i32; D])>;

fn plain<S: Coordinate, const D: usize>(hits: &[Shifted<Hit<S>, D>]) -> Met<D> {
    hits.iter().map(|hit| (hit.found.t.into(), hit.found.index, hit.shift)).collect()
}

impl<S: Coordinate, const D: usize> Scene<S, D> {
    /// Boxes to be moved, some of them hundreds of periods away, and how.
    fn ways(&self, rng: &mut Rng, speeds: &[f64]) -> Vec<BoxCast<S, D>> {
        let far = |rng: &mut Rng, axis: usize| {
            let periods = if self.periodic[axis] { [0.0, 0.0, -500.0, 300.0][rng.below(4)] } else { 0.0 };
            periods * self.period(axis)
        };
        let mut ways = Vec::new();
        for question in &self.questions {
            let by: [f64; D] = std::array::from_fn(|axis| far(rng, axis));
            let moved = |corner: [S; D]| std::array::from_fn(|axis| S::of(corner[axis].into() + by[axis]));
            let bounds = Aabb { min: moved(question.min), max: moved(question.max) };
            ways.push(BoxCast::new(bounds, std::array::from_fn(|_| S::of(speeds[rng.below(speeds.len())]))));
        }
        ways
    }

    /// Neither too many nor too few, in order, each once, and each when it should be.
    fn check_between(&self, hits: &Met<D>, bounds: &Aabb<S, D>, direction: [S; D], max_t: S) {
        let margin = 2e-3;
        let by_key = |met: Met<D>| met.into_iter().map(|(t, index, shift)| ((index, shift), t)).collect::<HashMap<_, _>>();
        let larger = by_key(self.met(bounds, direction, max_t, margin));
        let smaller = by_key(self.met(bounds, direction, max_t, -margin));
        let found = by_key(hits.clone());
        assert_eq!(found.len(), hits.len(), "{bounds:?} by {direction:?} meets something twice");
        assert!(hits.windows(2).all(|two| two[0] < two[1]), "{hits:?} are in no order");
        for (key, t) in &found {
            let earliest = larger.get(key).unwrap_or_else(|| panic!("{bounds:?} by {direction:?} does not meet {key:?}"));
            let latest = smaller.get(key).copied().unwrap_or(f64::INFINITY);
            assert!(earliest - 1e-4 <= *t && *t <= latest + 1e-4, "{key:?} at {t}, not at {earliest} to {latest}");
        }
        for key in smaller.keys() {
            assert!(found.contains_key(key), "{bounds:?} by {direction:?} does meet {key:?}");
        }
    }

    fn check_casts(&self, queries: &PeriodicQueries<'_, S, D>, rng: &mut Rng) {
        let mut found = Vec::new();
        for (speeds, is_exact) in [(EXACT_SPEEDS, true), (OTHER_SPEEDS, false)] {
            let sweeps = self.ways(rng, &speeds);
            for sweep in &sweeps {
                let BoxCast { bounds, translation } = *sweep;
                queries.sweep_hits(sweep, &mut found);
                if is_exact {
                    assert_eq!(plain(&found), self.met(&bounds, translation, S::of(1.0), 0.0), "{sweep:?}");
                } else {
                    self.check_between(&plain(&found), &bounds, translation, S::of(1.0));
                }
                assert_eq!(queries.first_contact(sweep), found.first().copied(), "{sweep:?}");
            }
            let rays: Vec<_> = sweeps.iter().map(|sweep| Ray::new(sweep.bounds.min, sweep.translation)).collect();
            let rays: Vec<_> = rays.iter().map(|ray| ray.up_to(S::of(rng.below(200) as f64 * UNIT))).collect();
            for ray in &rays {
                let rests = ray.direction.iter().all(|&x| x == S::of(0.0));
                let point = Aabb { min: ray.origin, max: ray.origin };
                queries.ray_hits(ray, &mut found);
                match (rests, is_exact) {
                    (true, _) => assert!(found.is_empty(), "{ray:?} goes nowhere"),
                    (_, true) => assert_eq!(plain(&found), self.met(&point, ray.direction, ray.max_t, 0.0), "{ray:?}"),
                    (_, false) => self.check_between(&plain(&found), &point, ray.direction, ray.max_t),
                }
                assert_eq!(queries.first_hit(ray), found.first().copied(), "{ray:?}");
            }
            check_batches(queries, &rays, &sweeps);
        }
    }
}

/// Many questions at once have the same answers, whoever answers them.
fn check_batches<S: Coordinate, const D: usize>(
    queries: &PeriodicQueries<'_, S, D>,
    rays: &[Ray<S, D>],
    sweeps: &[BoxCast<S, D>],
) {
    let (mut rows, mut firsts, mut found) = (Rows::new(), Vec::new(), Vec::new());
    for threads in [1, 2] {
        pool(threads).install(|| queries.par_ray_hits(rays, &mut rows));
        assert_eq!(rows.len(), rays.len());
        for (ray, row) in rays.iter().zip(rows.iter()) {
            queries.ray_hits(ray, &mut found);
            assert_eq!(row, found, "{ray:?} on {threads} threads");
        }
        pool(threads).install(|| queries.par_first_hits(rays, &mut firsts));
        assert!(firsts.iter().copied().eq(rays.iter().map(|ray| queries.first_hit(ray))));

        pool(threads).install(|| queries.par_sweep_hits(sweeps, &mut rows));
        assert_eq!(rows.len(), sweeps.len());
        for (sweep, row) in sweeps.iter().zip(rows.iter()) {
            queries.sweep_hits(sweep, &mut found);
            assert_eq!(row, found, "{sweep:?} on {threads} threads");
        }
        pool(threads).install(|| queries.par_first_contacts(sweeps, &mut firsts));
        assert!(firsts.iter().copied().eq(sweeps.iter().map(|sweep| queries.first_contact(sweep))));
    }
}

in_each_space_along_all_axes!(check_casts, 30usize);

/// Slow along one axis, so that where it crosses that axis' border is known only roughly: the others are not to suffer.
#[test]
fn the_first_is_the_first_however_slow_along_some_axis() {
    let mut periodic = Periodic::<f32, 3>::new(Aabb::new([0.0; 3], [10.0; 3]), [true; 3]).unwrap();
    // The one is met in the next copy of the domain, the other reaches there from this one and is met later.
    let early = Aabb::new([0.5, 6.0, 4.0], [1.0, 6.6, 6.0]);
    let late = Aabb::new([9.0, 7.0, 4.0], [13.0, 8.0, 6.0]);
    periodic.detect(&[late, early]);
    let ray = Ray::new([0.0, 1.0, 5.0], [1.0, 0.5, 3e-6]).up_to(30.0);
    let hit = periodic.queries().first_hit(&ray).unwrap();
    assert_eq!((hit.found.index, hit.found.t, hit.shift), (1, 10.5, [1, 0, 0]));
}

/// What begins at a border belongs to the copy behind it: where a way ends there, and where it comes past an edge, downwards on one
/// axis and upwards on another.
#[test]
fn borders_and_edges_are_touched() {
    let mut periodic = Periodic::<f32, 2>::new(Aabb::new([0.0; 2], [10.0; 2]), [true; 2]).unwrap();
    periodic.detect(&[Aabb::new([0.0, 0.0], [0.0, 0.0])]);
    let rays =
        [([5.0, 0.0], [1.0, 0.0], 5.0, [1, 0]), ([5.0, 5.0], [-1.0, 1.0], 9.0, [0, 1]), ([5.0, 5.0], [1.0, -1.0], 5.0, [1, 0])];
    for (origin, direction, max_t, shift) in rays {
        let hit = periodic.queries().first_hit(&Ray::new(origin, direction).up_to(max_t));
        assert_eq!(hit, Some(Shifted { found: Hit { index: 0, t: 5.0 }, shift }), "from {origin:?} by {direction:?}");
    }
}

/// The period is no number of the binary system, so borders that are far away are rounded: none may be crossed unseen.
#[test]
fn nothing_is_lost_between_two_legs() {
    fn check<S: Coordinate>(numbers: impl Iterator<Item = i32>) {
        let (low, high) = (S::of(0.1), S::of(0.7));
        let mut periodic = Periodic::new(Aabb::new([low, low], [high, high]), [true, false]).unwrap();
        periodic.detect(&[Aabb::new([low, S::of(0.0)], [low, S::of(1.0)])]);
        let (queries, period) = (periodic.queries(), high.into() - low.into());
        for number in numbers {
            let origin = S::of(low.into() + (f64::from(number) + 0.5) * period);
            for speed in [1.0, -1.0] {
                let ray = Ray::new([origin, S::of(0.5)], [S::of(speed), S::of(0.01)]).up_to(S::of(period));
                let mut found = Vec::new();
                queries.ray_hits(&ray, &mut found);
                let shifts: Vec<_> = found.iter().map(|hit| hit.shift[0]).collect();
                assert_eq!(shifts, [number + i32::from(speed > 0.0)], "from {number} periods away by {speed}");
            }
        }
    }
    check::<f32>(-2000..2000);
    check::<f64>((-200..200).map(|i| i * 1_234_567));
}

/// Where a wall reaches around the whole domain, every period is another meeting.
#[test]
fn one_object_with_many_shifts() {
    let mut periodic = Periodic::<f64, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false]).unwrap();
    periodic.detect(&[Aabb::new([8.0, 0.0], [12.0, 1.0])]);
    let queries = periodic.queries();
    let mut found = Vec::new();
    queries.ray_hits(&Ray::new([0.0, 0.5], [1.0, 0.0]).up_to(30.0), &mut found);
    assert_eq!(plain(&found), [(0.0, 0, [-1, 0]), (8.0, 0, [0, 0]), (18.0, 0, [1, 0]), (28.0, 0, [2, 0])]);

    let wide = BoxCast::new(Aabb::new([-25.0, 3.0], [0.0, 4.0]), [0.0, -4.0]);
    queries.sweep_hits(&wide, &mut found);
    assert_eq!(plain(&found), [(0.5, 0, [-3, 0]), (0.5, 0, [-2, 0]), (0.5, 0, [-1, 0])]);
    assert_eq!(queries.first_contact(&wide), found.first().copied());

    // A box without end along the axis that is none of the periodic ones.
    let pillar = BoxCast::new(Aabb::new([3.0, f64::NEG_INFINITY], [4.0, f64::INFINITY]), [8.0, 0.0]);
    queries.sweep_hits(&pillar, &mut found);
    assert_eq!(plain(&found), [(0.5, 0, [0, 0])]);
}

/// Nothing is found, and nothing panics or takes for ever.
#[test]
fn ways_without_answer() {
    let mut periodic = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, true]).unwrap();
    let mut found = vec![Shifted::default()];
    let ray = Ray::new([0.0, 5.0], [1.0, 0.0]);
    let sweep = BoxCast::new(Aabb::new([0.0, 5.0], [1.0, 6.0]), [20.0, 0.0]);
    periodic.queries().ray_hits(&ray.up_to(20.0), &mut found);
    assert!(found.is_empty(), "before the first step");
    periodic.queries().sweep_hits(&sweep, &mut found);
    assert!(found.is_empty(), "before the first step");

    periodic.detect(&[Aabb::new([4.0, 4.0], [6.0, 6.0]), Aabb::new([f32::NAN; 2], [1.0, 1.0])]);
    let queries = periodic.queries();
    let nan = Ray::new([f32::NAN, 5.0], [1.0, 0.0]).up_to(9.0);
    let still = Ray::new([5.0, 5.0], [0.0, 0.0]).up_to(9.0);
    let far = Ray::new([1e12, 5.0], [1.0, 0.0]).up_to(9.0);
    for ray in [ray, nan, still, far, ray.up_to(-1.0), ray.up_to(f32::NAN)] {
        queries.ray_hits(&ray, &mut found);
        assert!(found.is_empty() && queries.first_hit(&ray).is_none(), "{ray:?}");
    }
    let still = [0.0, 0.0];
    let endless = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
    let half_endless = Aabb::new([0.0, 5.0], [f32::INFINITY, 6.0]);
    let bad = [
        BoxCast::new(endless, still),
        BoxCast::new(half_endless, still),
        BoxCast::new(Aabb::new([6.0, 6.0], [4.0, 4.0]), still),
        BoxCast::new(Aabb::new([f32::NAN; 2], [9.0; 2]), still),
        BoxCast::new(Aabb::new([1e12, 0.0], [1e12, 10.0]), still),
        BoxCast::new(Aabb::new([-1e6; 2], [1e6; 2]), still),
        BoxCast { translation: [f32::INFINITY, 0.0], ..sweep },
        BoxCast { translation: [0.0, f32::NAN], ..sweep },
    ];
    for sweep in bad {
        queries.sweep_hits(&sweep, &mut found);
        assert!(found.is_empty() && queries.first_contact(&sweep).is_none(), "{sweep:?}");
    }
}

/// Up to where the work is limited, everything is found.
#[test]
fn a_way_that_is_too_long_is_followed_for_65_536_copies() {
    let mut periodic = Periodic::<f64, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, true]).unwrap();
    periodic.detect(&[Aabb::new([4.0, 4.0], [6.0, 6.0])]);
    let mut found = Vec::new();
    periodic.queries().ray_hits(&Ray::new([0.0, 5.0], [1.0, 0.0]).up_to(f64::MAX), &mut found);
    assert_eq!(found.len(), 1 << 16);
    assert!((0..).zip(&found).all(|(number, hit)| hit.shift == [number, 0]));
    // The way of a box that is seldom in one copy only.
    periodic.queries().sweep_hits(&BoxCast::new(Aabb::new([0.0, 5.0], [5.0, 5.0]), [1e9, 0.0]), &mut found);
    assert!((1 << 15..1 << 16).contains(&found.len()), "{}", found.len());
    assert!((0..).zip(&found).all(|(number, hit)| hit.shift == [number, 0]));
}
