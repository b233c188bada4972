//! What an engine may have been through before a query.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pivotgrid::{Aabb, Ball, Bounded, BoxCast, BroadPhase, Queries, Ray};

use crate::brute::Brute;
use crate::check::check_all;
use crate::common::{Placement, Rng, Scene, Sizes, grid_engine, pool};
use crate::generate::QuerySet;

fn scene(n: usize, seed: u64) -> Vec<Aabb<f32, 3>> {
    Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 50.0, origin: 0.0, seed }.boxes()
}

#[track_caller]
fn check(engine: &BroadPhase<f32, 3>, boxes: &[Aabb<f32, 3>], what: &str) {
    let set = QuerySet::new(&mut Rng(77), boxes, 40);
    check_all(engine.queries(), &Brute::new(boxes), &set, what);
}

#[test]
fn nothing_is_found_before_the_first_step_and_in_an_empty_scene() {
    let mut engine = grid_engine();
    check(&engine, &[], "new");
    engine.par_detect(&scene(0, 0));
    check(&engine, &[], "empty scene");
    let invalid = [Aabb::new([f32::NAN; 3], [1.0; 3]); 3];
    engine.par_detect(&invalid);
    check(&engine, &invalid, "only rejected objects");
}

#[test]
fn the_last_step_counts() {
    let mut engine = grid_engine();
    for (seed, n) in [300, 1000, 20, 0, 5, 1000].into_iter().enumerate() {
        let boxes = scene(n, seed as u64);
        pool(1 + seed % 3).install(|| engine.par_detect(&boxes));
        check(&engine, &boxes, &format!("{n} objects"));
    }
    engine.shrink_to_fit();
    check(&engine, &[], "shrunk");
    let boxes = scene(400, 9);
    engine.detect(&boxes);
    check(&engine, &boxes, "after shrinking");
}

struct Body {
    bounds: Aabb<f32, 3>,
    has_no_box: bool,
    has_no_friends: bool,
}

impl Bounded<f32, 3> for Body {
    fn aabb(&self) -> Aabb<f32, 3> {
        if self.has_no_box { resume_unwind(Box::new("no box")) } else { self.bounds }
    }
    fn pairs_with(&self, _: &Self) -> bool {
        if self.has_no_friends { resume_unwind(Box::new("no friends")) } else { true }
    }
}

#[test]
fn a_panic_leaves_nothing_to_be_found() {
    let boxes = scene(500, 3);
    let mut bodies: Vec<Body> = boxes.iter().map(|&bounds| Body { bounds, has_no_box: false, has_no_friends: false }).collect();
    let mut engine = grid_engine();
    engine.par_detect(&bodies);
    check(&engine, &boxes, "before the panic");

    bodies[250].has_no_box = true;
    assert!(catch_unwind(AssertUnwindSafe(|| engine.par_detect(&bodies).len())).is_err());
    check(&engine, &[], "a panic before the grid was built");

    bodies[250].has_no_box = false;
    bodies.iter_mut().for_each(|body| body.has_no_friends = true);
    assert!(catch_unwind(AssertUnwindSafe(|| engine.par_detect(&bodies).len())).is_err());
    check(&engine, &[], "a panic after the grid was built");
}

/// Queries can be copied, sent and shared; threads may query at once.
#[test]
fn many_threads_may_query() {
    fn assert_plain<T: Copy + Send + Sync>(_: &T) {}
    let boxes = scene(800, 4);
    let mut engine = grid_engine();
    engine.par_detect(&boxes);
    let queries: Queries<'_, f32, 3> = engine.queries();
    assert_plain(&queries);
    let brute = Brute::new(&boxes);
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (brute, boxes) = (&brute, &boxes);
            scope.spawn(move || check_all(queries, brute, &QuerySet::new(&mut Rng(seed), boxes, 20), "from a thread"));
        }
    });
}

/// By hand, so that the chain of trust ends here.
#[test]
fn the_results_agree_with_a_drawing() {
    let boxes = [
        Aabb::new([0.0, 0.0], [2.0, 2.0]),
        Aabb::new([4.0, 1.0], [5.0, 3.0]),
        Aabb::new([4.0, 5.0], [6.0, 6.0]),
        Aabb::new([f64::NEG_INFINITY, -9.0], [f64::INFINITY, -8.0]),
    ];
    let mut engine = grid_engine::<f64, 2>();
    engine.detect(&boxes);
    let queries = engine.queries();
    let (mut hits, mut near) = (Vec::new(), Vec::new());
    let pairs = |hits: &[pivotgrid::Hit<f64>]| hits.iter().map(|hit| (hit.index, hit.t)).collect::<Vec<_>>();

    queries.ray_hits(&Ray::new([-2.0, 2.0], [2.0, 0.0]), &mut hits); // along the upper face of 0
    assert_eq!(pairs(&hits), [(0, 1.0), (1, 3.0)]);
    queries.ray_hits(&Ray::segment([4.5, 2.0], [4.5, -14.0]), &mut hits);
    assert_eq!(pairs(&hits), [(1, 0.0), (3, 0.625)]);
    assert_eq!(queries.first_hit(&Ray::new([3.0, 0.0], [0.0, 1.0])), None);

    // The union of beginning and end covers 1 and touches 2; the way itself passes below 2.
    queries.sweep_hits(&BoxCast::new(Aabb::new([0.0, 3.0], [1.0, 4.0]), [8.0, -1.0]), &mut hits);
    assert_eq!(pairs(&hits), [(1, 0.375)]);

    queries.within(&Ball::new([3.0, 2.0], 1.0), &mut near);
    near.sort();
    assert_eq!(near.iter().map(|near| (near.index, near.distance_squared)).collect::<Vec<_>>(), [(0, 1.0), (1, 1.0)]);
    queries.nearest([5.0, 4.0], 3, &mut near);
    assert_eq!(near.iter().map(|near| (near.index, near.distance_squared)).collect::<Vec<_>>(), [(1, 1.0), (2, 1.0), (0, 13.0)]);
}
