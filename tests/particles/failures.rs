//! After a panic in the user's code every accessor tells the truth: there is nothing, until the next search or step.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use pivotgrid::{Aabb, Ball, Bounded, BoxCast, Config, DetectError, Neighbors, Periodic, Ray, Reach};

use crate::common::{Rng, grid_config, pool};

/// Where the user's code panics.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Where {
    Nowhere,
    Bounds,
    Filter,
}

struct Body {
    ball: Ball<f32, 2>,
    panics: AtomicU8,
}

impl Body {
    /// Unwinds without calling the panic hook.
    fn panic_in(&self, place: Where) {
        if self.panics.load(Ordering::Relaxed) == place as u8 {
            resume_unwind(Box::new("planned"));
        }
    }
}

impl Bounded<f32, 2> for Body {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.panic_in(Where::Bounds);
        self.ball.aabb()
    }
    fn ball(&self) -> Option<Ball<f32, 2>> {
        Some(self.ball)
    }
    fn pairs_with(&self, _: &Self) -> bool {
        self.panic_in(Where::Filter);
        true
    }
}

const EDGE: f32 = 40.0;

fn bodies(n: usize) -> Vec<Body> {
    let rng = &mut Rng(n as u64);
    let mut place = || [(); 2].map(|()| rng.within(0.0, EDGE.into()) as f32);
    (0..n).map(|_| Body { ball: Ball::new(place(), 0.9), panics: AtomicU8::new(Where::Nowhere as u8) }).collect()
}

fn domain() -> Aabb<f32, 2> {
    Aabb::new([0.0; 2], [EDGE; 2])
}

/// Runs a step in which one body panics, on one thread or two.
fn failing(bodies: &[Body], place: Where, threads: usize, step: impl FnOnce() + Send) {
    bodies[bodies.len() / 2].panics.store(place as u8, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| pool(threads).install(step))).is_err(), "the panic was swallowed");
    bodies[bodies.len() / 2].panics.store(Where::Nowhere as u8, Ordering::Relaxed);
}

#[test]
fn nothing_is_found_in_a_periodic_domain() {
    for (threads, place) in [(1, Where::Bounds), (2, Where::Bounds), (1, Where::Filter), (2, Where::Filter)] {
        let bodies = bodies(1500);
        let mut periodic = Periodic::<f32, 2>::with_config(domain(), [true; 2], grid_config()).unwrap();
        let expected = periodic.detect(&bodies).sorted();
        failing(&bodies, place, threads, || {
            periodic.par_detect(&bodies);
        });
        let queries = periodic.queries();
        let (mut found, mut near, mut hits) = (Vec::new(), Vec::new(), Vec::new());
        queries.overlapping(&Aabb::new([0.0; 2], [EDGE; 2]), &mut found);
        assert!(found.is_empty(), "{place:?}");
        queries.containing([3.0, 3.0], &mut found);
        assert!(found.is_empty());
        queries.within(&Ball::new([3.0, 3.0], 9.0), &mut near);
        assert!(near.is_empty());
        queries.nearest([1.0, 1.0], 3, &mut near);
        assert!(near.is_empty());
        queries.ray_hits(&Ray::new([0.0, 0.0], [1.0, 0.5]).up_to(100.0), &mut hits);
        assert!(hits.is_empty() && queries.first_hit(&Ray::new([0.0, 0.0], [1.0, 0.5]).up_to(100.0)).is_none());
        let sweep = BoxCast::new(Aabb::new([0.0; 2], [2.0; 2]), [30.0, 30.0]);
        assert!(queries.first_contact(&sweep).is_none());

        assert!(periodic.detect(&bodies).sorted() == expected);
        periodic.queries().overlapping(&Aabb::new([0.0; 2], [EDGE; 2]), &mut found);
        assert!(found.len() >= bodies.len());
    }
}

/// Pairs in ascending order, whatever the number of threads.
#[test]
fn canonical_order_in_a_periodic_domain() {
    use rayon::prelude::*;
    let bodies = bodies(3000);
    let expected = Periodic::<f32, 2>::new(domain(), [true; 2]).unwrap().detect(&bodies).sorted();
    let mut ordered = Periodic::with_config(domain(), [true; 2], grid_config().canonical_order(true)).unwrap();
    for threads in [1, 3] {
        let pairs = pool(threads).install(|| ordered.par_detect(&bodies));
        assert!(pairs.iter().eq(expected.iter().copied()), "{threads} threads");
        assert!(pairs.iter().len() == expected.len() && pairs.sorted() == expected);
        assert_eq!(pairs.par_iter().filter(|pair| pair.a < pair.b).count(), expected.len());
    }
    assert!(ordered.detect(&bodies).iter().eq(expected));
}

#[test]
fn there_are_no_rows() {
    for (threads, place) in [(1, Where::Bounds), (2, Where::Bounds), (1, Where::Filter), (2, Where::Filter)] {
        let mut bodies = bodies(1500);
        bodies[7].ball.radius = f32::NAN;
        let mut neighbors = Neighbors::<f32, 2>::with_config(grid_config()).unwrap().sorted(true);
        let expected: Vec<Vec<u32>> = neighbors.touching(&bodies).iter().map(<[u32]>::to_vec).collect();
        failing(&bodies, place, threads, || {
            neighbors.par_touching(&bodies);
        });
        let rows = neighbors.rows();
        assert!(rows.is_empty() && rows.indices().is_empty() && rows.offsets() == [0], "{place:?}");
        assert!(rows.rejected().is_empty() && neighbors.rejected().is_empty() && rows.iter().next().is_none());
        assert_eq!((neighbors.stats().objects, neighbors.stats().pairs), (0, 0), "{place:?}");
        assert!(neighbors.touching(&bodies).iter().eq(expected.iter().map(Vec::as_slice)));
    }
}

#[test]
fn there_are_no_rows_in_a_periodic_domain() {
    for (threads, place) in [(1, Where::Bounds), (2, Where::Bounds), (1, Where::Filter), (2, Where::Filter)] {
        let mut bodies = bodies(1500);
        bodies[7].ball.radius = f32::NAN;
        let neighbors = Neighbors::<f32, 2>::with_config(grid_config()).unwrap().sorted(true);
        let mut neighbors = neighbors.periodic(domain(), [true; 2]).unwrap();
        let expected: Vec<Vec<_>> = neighbors.touching(&bodies).iter().map(Iterator::collect).collect();
        failing(&bodies, place, threads, || {
            neighbors.par_touching(&bodies);
        });
        let rows = neighbors.rows();
        assert!(rows.is_empty() && rows.neighbors() == 0 && rows.rejected().is_empty(), "{place:?}");
        assert!(rows.iter().next().is_none());
        assert_eq!((neighbors.stats().objects, neighbors.stats().pairs), (0, 0), "{place:?}");
        let again: Vec<Vec<_>> = neighbors.touching(&bodies).iter().map(Iterator::collect).collect();
        assert!(again == expected);
    }
}

/// A point whose conversion panics when so many have been converted.
#[derive(Clone, Copy)]
struct Touchy<'a>([f32; 2], &'a AtomicUsize);

impl From<Touchy<'_>> for [f32; 2] {
    fn from(point: Touchy<'_>) -> Self {
        if point.1.fetch_sub(1, Ordering::Relaxed) == 0 {
            resume_unwind(Box::new("planned"));
        }
        point.0
    }
}

impl Bounded<f32, 2> for Touchy<'_> {
    fn aabb(&self) -> Aabb<f32, 2> {
        Aabb::around(*self, [0.6; 2])
    }
}

/// Whichever conversion panics, the last one included, which only remembers where the points of a list with a margin are.
#[test]
fn no_panic_of_a_point_leaves_anything() {
    let places: Vec<[f32; 2]> = bodies(40).iter().map(|body| body.ball.center).collect();
    for margin in [0.0, 0.5] {
        let list = || Neighbors::<f32, 2>::with_config(grid_config()).unwrap().sorted(true).distances(true).skin(margin);
        let (mut neighbors, mut periodic) = (list(), list().periodic(domain(), [true; 2]).unwrap());
        for calls in 0.. {
            let left = AtomicUsize::new(calls);
            let points: Vec<_> = places.iter().map(|&place| Touchy(place, &left)).collect();
            let plain = catch_unwind(AssertUnwindSafe(|| neighbors.within(&points, 3.0).len())).is_err();
            if plain {
                let rows = neighbors.rows();
                assert!(rows.is_empty() && rows.indices().is_empty() && rows.distances().is_empty(), "{calls} calls");
                assert!(neighbors.stats().objects == 0 && neighbors.stats().pairs == 0, "{calls} calls");
                assert!(neighbors.needs_rebuild(&places));
            }
            left.store(calls, Ordering::Relaxed);
            let in_periods = catch_unwind(AssertUnwindSafe(|| periodic.within(&points, 3.0).len())).is_err();
            if in_periods {
                assert!(periodic.rows().is_empty() && periodic.rows().neighbors() == 0, "{calls} calls");
                assert!(periodic.stats().objects == 0 && periodic.stats().pairs == 0, "{calls} calls");
            }
            if !plain && !in_periods {
                assert!(calls > places.len());
                break;
            }
        }
    }
}

/// The user's code is asked once more why a particle was left out. If it panics then, nothing is left of the search either.
#[test]
fn no_panic_about_what_is_left_out_leaves_anything() {
    let domain = Aabb::new([0.0; 2], [8.0; 2]);
    let list = || {
        let list = Neighbors::<f32, 2>::with_config(grid_config()).unwrap().distances(true).vectors(true).shifts(true).skin(0.5);
        list.periodic(domain, [true; 2]).unwrap()
    };
    let places: Vec<[f32; 2]> = (0..12u8).map(|i| [f32::from(i) / 2.0, if i == 5 { f32::NAN } else { 1.0 }]).collect();
    for touching in [false, true] {
        let mut periodic = list();
        for calls in 0.. {
            let left = AtomicUsize::new(calls);
            let points: Vec<_> = places.iter().map(|&place| Touchy(place, &left)).collect();
            let outcome = catch_unwind(AssertUnwindSafe(|| match touching {
                true => periodic.touching(&points).rejected().len(),
                false => periodic.within(&points, 1.0).rejected().len(),
            }));
            let rows = periodic.rows();
            match outcome {
                Ok(rejected) => {
                    assert!(rejected == 1 && rows.neighbors() > 10 && periodic.stats().objects > 0);
                    assert!(calls > places.len(), "the last call is about what was left out");
                    break;
                }
                Err(_) => {
                    assert!(rows.is_empty() && rows.neighbors() == 0 && rows.rejected().is_empty(), "{calls} calls");
                    assert!(rows.indices().is_empty() && rows.shifts().is_empty() && rows.offsets().len() <= 1, "{calls} calls");
                    assert!(rows.distances().is_empty() && rows.vectors().is_empty(), "{calls} calls");
                    assert!(periodic.stats().objects == 0 && periodic.stats().pairs == 0, "{calls} calls");
                    assert!(periodic.needs_rebuild(&places));
                }
            }
        }
    }
}

/// However small a negative radius is, its point is left out.
#[test]
fn the_least_negative_radius_is_rejected() {
    let (points, least) = ([[2.0, 9.25], [2.0, 9.0], [2.5, 9.0]], -f32::from_bits(1));
    let radii = [least, 1.0, 1.0];
    for config in [Config::default(), grid_config()] {
        let mut neighbors = Neighbors::<f32, 2>::with_config(config).unwrap();
        let (gather, scatter, max) = (Reach::Gather(&radii), Reach::Scatter(&radii), Reach::Max(&radii));
        for reach in [gather, scatter, max, Reach::Sum(&radii), Reach::Mean(&radii)] {
            let rows = neighbors.within(&points, reach);
            assert_eq!(rows.rejected().iter().map(|rejected| rejected.index).collect::<Vec<_>>(), [0], "{reach:?}");
            assert_eq!(rows.iter().collect::<Vec<_>>(), [&[][..], &[2], &[1]], "{reach:?}");
        }
    }
}

/// A limit gives an error and no rows, and the next search that fits is complete.
#[test]
fn a_limit_gives_an_error() {
    let bodies = bodies(4000);
    let config = grid_config().max_bytes(600_000);
    let refused = |error: DetectError| matches!(error, DetectError::OverBudget { max_bytes: 600_000, .. });
    let few = Neighbors::<f32, 2>::new().touching(&bodies[..300]).indices().len();
    let new = || Neighbors::<f32, 2>::with_config(config.clone()).unwrap();
    let mut neighbors = new();
    assert!(refused(neighbors.try_par_touching(&bodies).unwrap_err()));
    assert!(neighbors.rows().is_empty());
    assert_eq!(neighbors.try_touching(&bodies[..300]).unwrap().indices().len(), few);
    assert!(refused(neighbors.try_touching(&bodies).unwrap_err()));
    let points: Vec<[f32; 2]> = bodies.iter().map(|body| body.ball.center).collect();
    assert!(refused(neighbors.try_within(&points, 9.0).unwrap_err()));
    assert!(refused(neighbors.try_par_within(&points, 9.0).unwrap_err()));
    assert_eq!(neighbors.try_within(&points[..300], 1.8).unwrap().indices().len(), few);

    let mut periodic = Periodic::<f32, 2>::with_config(domain(), [true; 2], config.clone()).unwrap();
    assert!(refused(periodic.try_par_detect(&bodies).unwrap_err()) && refused(periodic.try_detect(&bodies).unwrap_err()));
    assert!(periodic.try_detect(&bodies[..100]).is_ok());
    let message = catch_unwind(AssertUnwindSafe(|| new().par_touching(&bodies).len())).unwrap_err();
    assert!(message.downcast_ref::<String>().unwrap().contains("max_bytes is 600000"));
}

/// Rows that are much longer than expected count against the limit as they grow, and not only when all of them have been found.
#[test]
fn a_limit_ends_a_search_with_long_rows_early() {
    let points = vec![[0.0f32; 2]; 4000]; // each is near each: rows of 64 MB
    let limit = 4_000_000;
    let mut neighbors = Neighbors::<f32, 2>::with_config(Config::default().max_bytes(limit)).unwrap();
    for _ in 0..2 {
        match neighbors.try_within(&points, 1.0).map(|rows| rows.len()) {
            Err(DetectError::OverBudget { needed, .. }) => assert!(needed > limit && needed < 4 * limit, "{needed} bytes"),
            other => panic!("{other:?}"),
        }
    }
}

/// Infinite points and radii are no reason to leave a point out.
#[test]
fn an_infinite_point_within_an_infinite_radius() {
    let infinite = f32::INFINITY;
    let points = [[0.0, 0.0], [infinite, 1.0], [infinite, 2.0], [-infinite, 0.0], [5.0, f32::NAN]];
    for config in [Config::default(), grid_config()] {
        let mut neighbors = Neighbors::<f32, 2>::with_config(config).unwrap().sorted(true);
        let rows = neighbors.within(&points, infinite);
        assert_eq!(rows.rejected().iter().map(|rejected| rejected.index).collect::<Vec<_>>(), [4]);
        assert_eq!(rows.iter().collect::<Vec<_>>(), [&[1, 2, 3][..], &[0, 3], &[0, 3], &[0, 1, 2], &[]]);
        let rows = neighbors.within(&points, 1e30);
        assert!(rows.iter().all(<[u32]>::is_empty) && rows.rejected().len() == 1);
        assert_eq!(neighbors.within(&points, f32::NAN).rejected().len(), points.len());
    }
}
