//! Every way to query, compared with brute force.

use std::fmt::Debug;
use std::ops::ControlFlow;

use pivotgrid::{Hit, Neighbor, Queries, QueryFilter, Rows};

use crate::brute::Brute;
use crate::common::Coordinate;
use crate::generate::QuerySet;

/// How many nearest ones to find.
const NEAREST: [usize; 5] = [0, 1, 3, 20, 100_000];

#[track_caller]
pub(crate) fn check_all<S: Coordinate, const D: usize, F: QueryFilter<u32> + Copy + Sync>(
    queries: Queries<'_, S, D, F>,
    brute: &Brute<S, D>,
    set: &QuerySet<S, D>,
    what: &str,
) {
    let (mut found, mut hits, mut neighbors) = (Vec::new(), Vec::new(), Vec::new());
    for bounds in &set.boxes {
        let expected = brute.overlapping(bounds);
        queries.overlapping(bounds, &mut found);
        same_set(&mut found, &expected, what, bounds);
        every_visit(|visit| queries.visit_overlapping(bounds, visit), &expected, what, bounds);
    }
    for point in &set.points {
        let expected = brute.overlapping(&pivotgrid::Aabb { min: *point, max: *point });
        queries.containing(*point, &mut found);
        same_set(&mut found, &expected, what, point);
        every_visit(|visit| queries.visit_containing(*point, visit), &expected, what, point);
        let expected = brute.neighbors(point);
        for k in NEAREST {
            queries.nearest(*point, k, &mut neighbors);
            assert_eq!(neighbors, expected[..k.min(expected.len())], "{what}: the {k} nearest to {point:?}");
        }
    }
    for ray in &set.rays {
        let expected = brute.ray_hits(ray);
        queries.ray_hits(ray, &mut hits);
        assert_eq!(hits, expected, "{what}: {ray:?}");
        every_visit(|visit| queries.visit_ray(ray, visit), &expected, what, ray);
        assert_eq!(queries.first_hit(ray), expected.first().copied(), "{what}: first of {ray:?}");
        let first = queries.first_hit_by(ray, |index| refined(&expected, index));
        assert_eq!(first, first_refined(&expected, ray.max_t), "{what}: first refined of {ray:?}");
    }
    for sweep in &set.sweeps {
        let expected = brute.sweep_hits(sweep);
        queries.sweep_hits(sweep, &mut hits);
        assert_eq!(hits, expected, "{what}: {sweep:?}");
        every_visit(|visit| queries.visit_sweep(sweep, visit), &expected, what, sweep);
        assert_eq!(queries.first_contact(sweep), expected.first().copied(), "{what}: first of {sweep:?}");
        let first = queries.first_contact_by(sweep, |index| refined(&expected, index));
        assert_eq!(first, first_refined(&expected, S::of(1.0)), "{what}: first refined of {sweep:?}");
    }
    for ball in &set.balls {
        let expected = brute.within(ball);
        queries.within(ball, &mut neighbors);
        same_set(&mut neighbors, &expected, what, ball);
        every_visit(|visit| queries.visit_within(ball, visit), &expected, what, ball);
    }
    check_batches(queries, brute, set, what);
}

#[track_caller]
pub(crate) fn same_set<T: Ord + Clone + Debug>(found: &mut [T], expected: &[T], what: &str, query: &dyn Debug) {
    found.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected, "{what}: {query:?}");
}

/// A visitor sees everything once; and no more than it wants to see.
#[track_caller]
pub(crate) fn every_visit<T: Ord + Copy + Debug>(
    ask: impl Fn(&mut dyn FnMut(T) -> ControlFlow<T>) -> ControlFlow<T>,
    expected: &[T],
    what: &str,
    query: &dyn Debug,
) {
    let mut seen = Vec::new();
    let end = ask(&mut |one| {
        seen.push(one);
        ControlFlow::Continue(())
    });
    assert_eq!(end, ControlFlow::Continue(()));
    same_set(&mut seen.clone(), expected, what, query);
    for enough in [1, seen.len() / 2 + 1] {
        let mut count = 0;
        let end = ask(&mut |one| {
            count += 1;
            if count == enough { ControlFlow::Break(one) } else { ControlFlow::Continue(()) }
        });
        let expected = if enough <= seen.len() { ControlFlow::Break(seen[enough - 1]) } else { ControlFlow::Continue(()) };
        assert_eq!((end, count), (expected, enough.min(seen.len())), "{what}: {query:?} until the {enough}th");
    }
}

/// Some objects are missed although their boxes are met, some are met later than their boxes, some never end.
pub(crate) fn refined<S: Coordinate>(hits: &[Hit<S>], index: u32) -> Option<S> {
    let box_t = hits.iter().find(|hit| hit.index == index).expect("only objects whose boxes are met are passed on").t;
    match index % 7 {
        0 | 1 => None,
        2 => Some(S::of(f64::NAN)),
        3 => Some(S::of(box_t.into() + 0.3)),
        4 => Some(S::of(box_t.into() * 1.5 + 0.01)),
        _ => Some(box_t),
    }
}

pub(crate) fn first_refined<S: Coordinate>(hits: &[Hit<S>], max_t: S) -> Option<Hit<S>> {
    let refined = hits.iter().filter_map(|hit| refined(hits, hit.index).map(|t| Hit { t, ..*hit }));
    refined.filter(|hit| hit.t <= max_t).min_by(|a, b| a.t.partial_cmp(&b.t).expect("no NaN").then(a.index.cmp(&b.index)))
}

/// What all batches find.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Batches<S: Coordinate> {
    overlapping: Vec<Vec<u32>>,
    containing: Vec<Vec<u32>>,
    hits: [Vec<Vec<Hit<S>>>; 2],
    first: [Vec<Option<Hit<S>>>; 2],
    neighbors: [Vec<Vec<Neighbor<S>>>; 2],
}

pub(crate) fn batches<S: Coordinate, const D: usize, F: QueryFilter<u32> + Sync>(
    queries: Queries<'_, S, D, F>,
    set: &QuerySet<S, D>,
) -> Batches<S> {
    let (mut found, mut hits, mut near) = (Rows::new(), Rows::new(), Rows::new());
    let [mut first, mut contacts] = [Vec::new(), Vec::new()];
    queries.par_overlapping(&set.boxes, &mut found);
    found.sort();
    let overlapping = as_vectors(&found);
    queries.par_containing(&set.points, &mut found);
    found.sort();
    let containing = as_vectors(&found);
    queries.par_ray_hits(&set.rays, &mut hits);
    let ray_hits = as_vectors(&hits);
    queries.par_sweep_hits(&set.sweeps, &mut hits);
    let sweep_hits = as_vectors(&hits);
    queries.par_first_hits(&set.rays, &mut first);
    queries.par_first_contacts(&set.sweeps, &mut contacts);
    queries.par_within(&set.balls, &mut near);
    near.sort();
    let within = as_vectors(&near);
    queries.par_nearest(&set.points, 5, &mut near);
    let neighbors = [within, as_vectors(&near)];
    Batches { overlapping, containing, hits: [ray_hits, sweep_hits], first: [first, contacts], neighbors }
}

fn as_vectors<T: Clone + PartialEq + Debug>(rows: &Rows<T>) -> Vec<Vec<T>> {
    assert_eq!(rows.offsets().len(), rows.len() + 1);
    assert_eq!(rows.offsets().last(), Some(&rows.items().len()));
    let vectors: Vec<Vec<T>> = rows.iter().map(<[T]>::to_vec).collect();
    assert_eq!((rows.len(), rows.is_empty()), (vectors.len(), vectors.is_empty()));
    assert!((0..rows.len()).all(|row| rows.row(row) == vectors[row]));
    vectors
}

#[track_caller]
fn check_batches<S: Coordinate, const D: usize, F: QueryFilter<u32> + Sync>(
    queries: Queries<'_, S, D, F>,
    brute: &Brute<S, D>,
    set: &QuerySet<S, D>,
    what: &str,
) {
    let nearest = |point: &[S; D]| {
        let mut all = brute.neighbors(point);
        all.truncate(5);
        all
    };
    let hits = [
        set.rays.iter().map(|ray| brute.ray_hits(ray)).collect::<Vec<_>>(),
        set.sweeps.iter().map(|sweep| brute.sweep_hits(sweep)).collect(),
    ];
    let expected = Batches {
        overlapping: set.boxes.iter().map(|bounds| brute.overlapping(bounds)).collect(),
        containing: set.points.iter().map(|p| brute.overlapping(&pivotgrid::Aabb { min: *p, max: *p })).collect(),
        first: hits.each_ref().map(|rows| rows.iter().map(|row| row.first().copied()).collect()),
        hits,
        neighbors: [set.balls.iter().map(|ball| brute.within(ball)).collect(), set.points.iter().map(nearest).collect()],
    };
    assert_eq!(batches(queries, set), expected, "{what}: batches");
}
