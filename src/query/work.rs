//! How much questions look at. Answers are compared elsewhere; here, what keeps the answer but makes it dearer fails.

use std::cell::Cell;
use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use super::nearest::Nearest;
use super::places::Places;
use super::{Queries, Ray, Scene};
use crate::{Aabb, Ball, BroadPhase};

thread_local! {
    /// How many nodes and runs of the tree were looked at.
    pub(super) static LOOKS: Cell<usize> = const { Cell::new(0) };
}

const OBJECTS: usize = 20_000;
const EXTENT: f64 = 60.0;
const QUESTIONS: usize = 400;

/// Low-discrepancy points in a cube.
fn points(count: usize) -> impl Iterator<Item = [f64; 3]> {
    (0..count).map(|i| [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(|step| (step * i as f64).fract() * EXTENT))
}

/// Objects that are spread evenly, and others in clusters far apart.
fn scenes() -> [(&'static str, BroadPhase<f64, 3>); 2] {
    let clusters = points(40).map(|point| point.map(|x| 20.0 * x)).collect::<Vec<_>>();
    let clustered = |i: usize, point: [f64; 3]| std::array::from_fn(|axis| clusters[i % 40][axis] + point[axis] / 6.0);
    let engine = |points: Vec<[f64; 3]>| {
        let mut engine = BroadPhase::new();
        engine.detect(&points.into_iter().map(|point| Aabb::around(point, [0.5; 3])).collect::<Vec<_>>());
        engine
    };
    let even = engine(points(OBJECTS).collect());
    let uneven = engine(points(OBJECTS).enumerate().map(|(i, point)| clustered(i, point)).collect());
    [("even", even), ("clustered", uneven)]
}

/// Where objects are, and a little beside them.
fn places(scene: &Scene<'_, f64, 3>) -> Vec<[f64; 3]> {
    let columns = &scene.columns;
    let near = |entry: usize| std::array::from_fn(|axis| columns.min(axis)[entry] - 0.3 * (axis + 1) as f64);
    (0..QUESTIONS).map(|i| near(i * 7919 % OBJECTS)).collect()
}

/// How many entries each question looks at, on average; `ask` has runs looked at.
fn entries_per_question(scene: &Scene<'_, f64, 3>, mut ask: impl FnMut([f64; 3], &mut dyn FnMut(Range<usize>))) -> f64 {
    let mut entries = 0;
    for place in places(scene) {
        ask(place, &mut |run| entries += run.len());
    }
    entries as f64 / QUESTIONS as f64
}

/// Asks `figure` of both scenes, and compares with what it was when this was written.
#[track_caller]
fn check(what: &str, was: [f64; 2], figure: impl Fn(&Queries<'_, f64, 3>, &Scene<'_, f64, 3>) -> f64) {
    for ((name, engine), was) in scenes().iter().zip(was) {
        let queries = engine.queries();
        let scene = queries.scene.as_ref().expect("there has been a step");
        let is = figure(&queries, scene);
        assert!(is <= was * 1.1, "{what}, {name}: {is}, and was {was}");
    }
}

#[test]
fn boxes_look_at_what_is_near() {
    check("entries per box of 3", [95.9, 187.5], |_, scene| {
        entries_per_question(scene, |place, look| {
            let ControlFlow::Continue(()) = scene.try_for_each_run(&Aabb::around(place, [1.5; 3]), |run| {
                look(run);
                ControlFlow::<Infallible>::Continue(())
            });
        })
    });
}

#[test]
fn balls_look_at_what_is_near() {
    check("entries per ball of radius 2", [122.6, 221.9], |_, scene| {
        entries_per_question(scene, |place, look| {
            let ControlFlow::Continue(()) = scene.search(&place, 4.0, |run, limit| {
                look(run);
                ControlFlow::<Infallible, f64>::Continue(limit)
            });
        })
    });
}

#[test]
fn the_nearest_are_looked_for_where_they_are_likely() {
    check("likely distance of the 8 nearest", [4.232, 5.791], |queries, scene| {
        let mut sum = 0.0;
        for place in places(scene) {
            let radius = scene.likely_limit(&place, 8).map_or(0.0, f64::sqrt);
            let mut found = Vec::new();
            queries.within(&Ball::new(place, radius), &mut found);
            // Not enough: all that was for nothing.
            sum += if found.len() < 8 { 10.0 } else { radius };
        }
        sum / QUESTIONS as f64
    });
}

#[test]
fn the_nearest_are_likely_where_the_density_says() {
    // Ten by ten to the unit of area.
    let boxes: Vec<_> =
        (0..40_000).map(|i| Aabb::around([(i % 200) as f64 / 10.0, (i / 200) as f64 / 10.0], [0.01; 2])).collect();
    let mut engine = BroadPhase::<f64, 2>::new();
    engine.detect(&boxes);
    let queries = engine.queries();
    let scene = queries.scene.as_ref().expect("there has been a step");
    for k in [8, 100] {
        let found = 100.0 * std::f64::consts::PI * scene.likely_limit(&[10.0, 10.0], k).expect("there are objects");
        assert!((1.2..2.2).contains(&(found / k as f64)), "{found} instead of {k}");
    }
}

#[test]
fn a_search_outwards_ends_soon() {
    check("entries until 8 are found", [475.1, 276.0], |_, scene| {
        entries_per_question(scene, |place, look| {
            let mut nearest = Nearest::new(8, Vec::new());
            let mut one_by_one = scene.one_by_one(&place, |neighbor| nearest.add(Some(neighbor), f64::INFINITY));
            let ControlFlow::Continue(()) = scene.expand(&place, |run, limit| {
                look(run.clone());
                one_by_one(run, limit)
            });
        })
    });
}

#[test]
fn rays_look_at_few_nodes() {
    let directions = [[1.0, 0.9, 0.8], [-1.0, 0.1, 0.3], [0.2, -0.7, -0.1], [-0.3, -0.4, 1.0]];
    check("nodes and runs per first hit", [19.74, 15.3], |queries, scene| {
        LOOKS.set(0);
        for (i, place) in places(scene).into_iter().enumerate() {
            queries.first_hit(&Ray::new(place, directions[i % 4]));
        }
        LOOKS.get() as f64 / QUESTIONS as f64
    });
}

#[test]
fn a_batch_goes_from_place_to_place() {
    check("way from one to the next", [12.46, 55.23], |_, scene| {
        let places = places(scene);
        let order = Places::of(scene).order(places.iter().copied());
        let distance = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
        order.windows(2).map(|two| distance(&places[two[0] as usize], &places[two[1] as usize])).sum::<f64>() / QUESTIONS as f64
    });
}
