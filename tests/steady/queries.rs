//! Once the caller's vectors are large enough, no question allocates.

use std::ops::ControlFlow;

use pivotgrid::{Aabb, Ball, BoxCast, Hit, Neighbor, Queries, Ray};

use crate::account::Account;
use crate::common::{Placement, Rng, Scene, Sizes, grid_engine};

#[derive(Default)]
struct Buffers {
    found: Vec<u32>,
    hits: Vec<Hit<f32>>,
    near: Vec<Neighbor<f32>>,
}

/// Asks one question of each kind around a point. Returns how much was found.
fn ask(queries: Queries<'_, f32, 3>, point: [f32; 3], buffers: &mut Buffers) -> usize {
    let Buffers { found, hits, near } = buffers;
    let mut count = 0;
    queries.overlapping(&Aabb::around(point, [4.0; 3]), found);
    count += found.len();
    queries.containing(point, found);
    count += found.len();
    let ray = Ray::new(point, [0.3, -1.0, 0.1]);
    queries.ray_hits(&ray, hits);
    count += hits.len() + usize::from(queries.first_hit(&ray).is_some());
    let sweep = BoxCast::new(Aabb::around(point, [1.0; 3]), [20.0, 5.0, -3.0]);
    queries.sweep_hits(&sweep, hits);
    count += hits.len() + usize::from(queries.first_contact(&sweep).is_some());
    queries.within(&Ball::new(point, 5.0), near);
    count += near.len();
    queries.nearest(point, 12, near);
    count += near.len();
    let visited = queries.visit_overlapping(&Aabb::around(point, [9.0; 3]), ControlFlow::Break);
    count + usize::from(visited.is_break())
}

#[test]
fn warm_buffers_are_enough() {
    let account = Account::open();
    let scene = Scene { n: 3000, sizes: Sizes::Poly, placement: Placement::Uniform, extent: 120.0, origin: 0.0, seed: 1 };
    let mut engine = grid_engine();
    engine.detect(&scene.boxes::<f32, 3>());
    let rng = &mut Rng(2);
    let points: Vec<[f32; 3]> = (0..200).map(|_| std::array::from_fn(|_| rng.within(-90.0, 90.0) as f32)).collect();

    let mut buffers = Buffers::default();
    let mut ask_all = |queries: Queries<'_, f32, 3>| points.iter().map(|&point| ask(queries, point, &mut buffers)).sum::<usize>();
    let found = ask_all(engine.queries());
    let before = account.allocations();
    assert_eq!(ask_all(engine.queries()), found);
    assert_eq!(account.allocations() - before, 0, "allocations");
    assert!(before > 0 && found > 4_000, "{found} found, {before} allocations before");

    // What rays want to know of a step is found out anew, in the memory of the step before.
    engine.detect(&scene.boxes::<f32, 3>());
    let before = account.allocations();
    assert_eq!(ask_all(engine.queries()), found);
    assert_eq!(account.allocations() - before, 0, "allocations after another step");
}
