//! The work of queries. Other tests compare results; these fail if a change keeps the results but makes them more expensive.

use std::cell::Cell;
use std::convert::Infallible;
use std::ops::ControlFlow;

use super::chunks::InDirectory;
use super::place_order::PlaceOrder;
use super::view::GridView;
use super::within::Reach;
use super::{Queries, Ray, Unfiltered};
use crate::kernel::NearLanes;
use crate::{Aabb, Ball, BroadPhase};

thread_local! {
    /// How many chunks and nodes of the tree were looked at, and steps of eight entries that a search for the nearest read.
    static LOOKS: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn count_look() {
    count_looks(1);
}

pub(super) fn count_looks(looks: usize) {
    LOOKS.set(LOOKS.get() + looks);
}

pub(super) const OBJECTS: usize = 20_000;
const EXTENT: f64 = 60.0;
const QUERIES: usize = 400;

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
fn places(view: &GridView<'_, f64, 3>) -> Vec<[f64; 3]> {
    let columns = &view.columns;
    let near = |entry: usize| std::array::from_fn(|axis| columns.min(axis)[entry] - 0.3 * (axis + 1) as f64);
    (0..QUERIES).map(|i| near(i * 7919 % OBJECTS)).collect()
}

/// Looks, and steps of eight entries, of some queries.
pub(super) fn work(search: impl FnOnce(&mut usize)) -> usize {
    LOOKS.set(0);
    let mut entries = 0;
    search(&mut entries);
    LOOKS.get() + entries.div_ceil(8)
}

pub(super) fn box_work<const D: usize>(view: &GridView<'_, f64, D>, bounds: &Aabb<f64, D>) -> usize {
    work(|entries| {
        if view.tree_for(bounds).is_some() {
            let ControlFlow::Continue(()) =
                view.visit_overlapping(bounds, &Unfiltered, &mut |_| ControlFlow::<Infallible>::Continue(()));
            return;
        }
        let ControlFlow::Continue(()) = view.try_for_each_run(bounds, &mut InDirectory, |run| {
            *entries += run.len();
            ControlFlow::<Infallible>::Continue(())
        });
    })
}

pub(super) fn ball_work<const D: usize>(view: &GridView<'_, f64, D>, ball: &Ball<f64, D>) -> usize {
    work(|entries| {
        let reach = Reach { point: &ball.center, limit: ball.radius * ball.radius };
        if view.tree_for(&reach.around()).is_some() {
            let mut visit = |_| ControlFlow::<Infallible>::Continue(());
            let ControlFlow::Continue(()) =
                view.visit_within(&reach, &Unfiltered, &mut InDirectory, &mut NearLanes::new(), &mut visit);
            return;
        }
        let ControlFlow::Continue(()) = view.search(&reach, &mut InDirectory, |steps| {
            *entries += steps.iter().map(|(_, len)| len).sum::<usize>();
            ControlFlow::<Infallible>::Continue(())
        });
    })
}

/// Measures both scenes, and compares with what it was when this was written.
#[track_caller]
fn check(what: &str, was: [f64; 2], figure: impl Fn(&Queries<'_, f64, 3>, &GridView<'_, f64, 3>) -> f64) {
    for ((name, engine), was) in scenes().iter().zip(was) {
        let queries = engine.queries();
        let view = queries.target.views().next().expect("there has been a step");
        let is = figure(&queries, view);
        println!("{what}, {name}: {is}");
        assert!(is <= was * 1.1, "{what}, {name}: {is}, and was {was}");
    }
}

fn mean(total: usize) -> f64 {
    total as f64 / QUERIES as f64
}

#[test]
fn boxes_look_at_what_is_near() {
    check("work per box of 3", [18.91, 22.18], |_, view| {
        mean(places(view).into_iter().map(|place| box_work(view, &Aabb::around(place, [1.5; 3]))).sum())
    });
}

#[test]
fn balls_look_at_what_is_near() {
    check("work per ball of radius 2", [25.39, 26.35], |_, view| {
        mean(places(view).into_iter().map(|place| ball_work(view, &Ball::new(place, 2.0))).sum())
    });
}

#[test]
fn a_search_for_the_nearest_ends_soon() {
    check("looks for 8 nearest", [51.71, 52.02], |queries, view| {
        let mut found = Vec::new();
        mean(places(view).into_iter().map(|place| work(|_| queries.nearest(place, 8, &mut found))).sum())
    });
}

#[test]
fn rays_look_at_few_nodes() {
    let directions = [[1.0, 0.9, 0.8], [-1.0, 0.1, 0.3], [0.2, -0.7, -0.1], [-0.3, -0.4, 1.0]];
    check("nodes per first hit", [16.35, 12.64], |queries, view| {
        let places = places(view).into_iter().enumerate();
        mean(places.map(|(i, place)| work(|_| _ = queries.first_hit(&Ray::new(place, directions[i % 4])))).sum())
    });
}

#[test]
fn a_batch_goes_from_place_to_place() {
    check("distance from one to the next", [16.06, 67.02], |queries, view| {
        let places = places(view);
        let order = PlaceOrder::of(&queries.target).order(places.iter().copied());
        let distance = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
        order.windows(2).map(|two| distance(&places[two[0] as usize], &places[two[1] as usize])).sum::<f64>() / QUERIES as f64
    });
}
