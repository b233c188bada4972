//! Queries to a world: every kind, over moving and static objects at once, with and without filters.

use std::ops::ControlFlow;

use pivotgrid::{Aabb, Handle, Hit, Mobility, Neighbor, Object, QueryFilter, Rows, World, WorldHit, WorldNeighbor, WorldQueries};

use crate::brute::Brute;
use crate::check::{first_refined, refined, same_set};
use crate::common::{Coordinate, Rng};
use crate::filters::{admit, members, random_groups};
use crate::generate::QuerySet;

/// Handles of a world from which nothing was removed are in the order of their indices.
fn index(handle: Handle) -> u32 {
    assert_eq!(handle.generation, 0);
    handle.index
}

fn hit<S>(hit: WorldHit<S>) -> Hit<S> {
    Hit { index: index(hit.handle), t: hit.t }
}

fn neighbor<S>(near: WorldNeighbor<S>) -> Neighbor<S> {
    Neighbor { index: index(near.handle), distance_squared: near.distance_squared }
}

fn all<T, U: Clone>(found: &[U], f: impl Fn(U) -> T) -> Vec<T> {
    found.iter().cloned().map(f).collect()
}

fn visited<T>(visit_all: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) -> ControlFlow<()>) -> Vec<T> {
    let mut seen = Vec::new();
    let end = visit_all(&mut |one| {
        seen.push(one);
        ControlFlow::Continue(())
    });
    assert!(end.is_continue());
    seen
}

#[track_caller]
fn check<S: Coordinate, const D: usize, F: QueryFilter<Handle> + Copy + Sync>(
    queries: WorldQueries<'_, S, D, F>,
    brute: &Brute<S, D>,
    set: &QuerySet<S, D>,
    what: &str,
) {
    let (mut found, mut hits, mut near) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rows, mut hit_rows, mut near_rows) = (Rows::new(), Rows::new(), Rows::new());
    let (mut firsts, mut contacts) = (Vec::new(), Vec::new());

    queries.par_overlapping(&set.boxes, &mut rows);
    for (number, bounds) in set.boxes.iter().enumerate() {
        let expected = brute.overlapping(bounds);
        queries.overlapping(bounds, &mut found);
        assert_eq!(all(&found, index), expected, "{what}: {bounds:?}");
        assert_eq!(rows.row(number), found);
        let seen = visited(|visit| queries.visit_overlapping(bounds, visit));
        same_set(&mut all(&seen, index), &expected, what, bounds);
        assert_eq!(queries.visit_overlapping(bounds, ControlFlow::Break).is_break(), !expected.is_empty());
    }
    queries.par_containing(&set.points, &mut rows);
    queries.par_nearest(&set.points, 5, &mut near_rows);
    for (number, point) in set.points.iter().enumerate() {
        let expected = brute.overlapping(&Aabb { min: *point, max: *point });
        queries.containing(*point, &mut found);
        assert_eq!(all(&found, index), expected, "{what}: {point:?}");
        assert_eq!(rows.row(number), found);
        let seen = visited(|visit| queries.visit_containing(*point, visit));
        same_set(&mut all(&seen, index), &expected, what, point);
        let expected = brute.neighbors(point);
        for k in [0, 1, 5, 10_000] {
            queries.nearest(*point, k, &mut near);
            assert_eq!(all(&near, neighbor), expected[..k.min(expected.len())], "{what}: the {k} nearest to {point:?}");
            assert!(k != 5 || near_rows.row(number) == near);
        }
    }
    queries.par_within(&set.balls, &mut near_rows);
    for (number, ball) in set.balls.iter().enumerate() {
        let expected = brute.within(ball);
        queries.within(ball, &mut near);
        assert_eq!(all(&near, neighbor), expected, "{what}: {ball:?}");
        assert_eq!(near_rows.row(number), near);
        let seen = visited(|visit| queries.visit_within(ball, visit));
        same_set(&mut all(&seen, neighbor), &expected, what, ball);
    }
    queries.par_ray_hits(&set.rays, &mut hit_rows);
    queries.par_first_hits(&set.rays, &mut firsts);
    for (number, ray) in set.rays.iter().enumerate() {
        let expected = brute.ray_hits(ray);
        queries.ray_hits(ray, &mut hits);
        assert_eq!(all(&hits, hit), expected, "{what}: {ray:?}");
        assert_eq!(hit_rows.row(number), hits);
        same_set(&mut all(&visited(|visit| queries.visit_ray(ray, visit)), hit), &expected, what, ray);
        assert_eq!(queries.first_hit(ray).map(hit), expected.first().copied(), "{what}: {ray:?}");
        assert_eq!(firsts[number], queries.first_hit(ray));
        let first = queries.first_hit_by(ray, |handle| refined(&expected, index(handle)));
        assert_eq!(first.map(hit), first_refined(&expected, ray.max_t), "{what}: {ray:?}");
    }
    queries.par_sweep_hits(&set.sweeps, &mut hit_rows);
    queries.par_first_contacts(&set.sweeps, &mut contacts);
    for (number, sweep) in set.sweeps.iter().enumerate() {
        let expected = brute.sweep_hits(sweep);
        queries.sweep_hits(sweep, &mut hits);
        assert_eq!(all(&hits, hit), expected, "{what}: {sweep:?}");
        assert_eq!(hit_rows.row(number), hits);
        same_set(&mut all(&visited(|visit| queries.visit_sweep(sweep, visit)), hit), &expected, what, sweep);
        assert_eq!(queries.first_contact(sweep).map(hit), expected.first().copied(), "{what}: {sweep:?}");
        assert_eq!(contacts[number], queries.first_contact(sweep));
        let first = queries.first_contact_by(sweep, |handle| refined(&expected, index(handle)));
        assert_eq!(first.map(hit), first_refined(&expected, S::of(1.0)), "{what}: {sweep:?}");
    }
}

fn worlds<S: Coordinate, const D: usize>(seed: u64) {
    let rng = &mut Rng(seed);
    let mut world = World::<S, D>::new();
    let mut objects = members::<S, D>(350, seed);
    let handles: Vec<_> = objects
        .iter()
        .map(|member| {
            let mobility = if rng.below(2) == 0 { Mobility::Static } else { Mobility::Moving };
            world.insert(Object { aabb: member.bounds, groups: member.groups, ..object_of(mobility, member.bounds) })
        })
        .collect();
    for round in 0..4 {
        world.par_step();
        let boxes: Vec<_> = objects.iter().map(|member| member.bounds).collect();
        let set = QuerySet::new(rng, &boxes, 20);
        check(world.queries(), &Brute::new(&boxes), &set, &format!("round {round}"));
        let groups = random_groups(rng);
        let is_wanted = |index: u32| index % 4 != 1;
        let both = |index: u32| is_wanted(index) && admit(groups, objects[index as usize].groups);
        let queries = world.queries().in_groups(groups).filtered(|handle| is_wanted(handle.index));
        check(queries, &Brute::filtered(&boxes, both), &set, &format!("round {round}, {groups:?}"));
        // Some of both kinds move: static ones go to the list of the set, or to its small grid.
        for (at, member) in members::<S, D>(30, seed + 10 + round).into_iter().enumerate() {
            let index = (at * 11 + round as usize) % objects.len();
            objects[index].bounds = member.bounds;
            world.set_aabb(handles[index], member.bounds).expect("it is there");
        }
    }
}

fn object_of<S: Coordinate, const D: usize>(mobility: Mobility, aabb: Aabb<S, D>) -> Object<S, D> {
    match mobility {
        Mobility::Static => Object::new_static(aabb),
        Mobility::Moving => Object::new_moving(aabb),
    }
}

#[test]
fn a_world_finds_moving_and_static_objects() {
    worlds::<f32, 3>(1);
    worlds::<f32, 2>(2);
    worlds::<f64, 3>(3);
    worlds::<f64, 2>(4);
}
