//! Filters in a periodic domain. `tests/particles` compares queries without filters with brute force; what is filtered must be what
//! these find, less what is left out.

use std::ops::ControlFlow;

use pivotgrid::{Aabb, Ball, BoxCast, Periodic, PeriodicQueries, QueryFilter, Ray, Rows};

use crate::common::{Coordinate, Rng};
use crate::filters::{Member, admit, random_groups};

const EDGE: f64 = 10.0;

fn visited<T>(visit_all: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) -> ControlFlow<()>) -> Vec<T> {
    let mut seen = Vec::new();
    let end = visit_all(&mut |one| {
        seen.push(one);
        ControlFlow::Continue(())
    });
    assert!(end.is_continue());
    seen
}

fn check<S: Coordinate, const D: usize, F: QueryFilter<u32> + Copy + Sync>(
    everything: PeriodicQueries<'_, S, D>,
    queries: PeriodicQueries<'_, S, D, F>,
    is_wanted: impl Fn(u32) -> bool,
    rng: &mut Rng,
) {
    let mut point = |reach: f64| -> [S; D] { std::array::from_fn(|_| S::of(rng.within(-reach, reach))) };
    for _ in 0..20 {
        let (center, direction, half) =
            (point(25.0), point(1.0), point(1.5).map(|x| if x < S::of(0.0) { S::of(0.4) } else { x }));
        let (bounds, ball) = (Aabb::around(center, half), Ball::new(center, half[0]));
        let (ray, sweep) =
            (Ray::new(center, direction).up_to(S::of(30.0)), BoxCast::new(bounds, direction.map(|x| x * S::of(12.0))));

        let (mut expected, mut found) = (Vec::new(), Vec::new());
        everything.overlapping(&bounds, &mut expected);
        expected.retain(|one| is_wanted(one.found));
        queries.overlapping(&bounds, &mut found);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        let mut seen = visited(|visit| queries.visit_overlapping(&bounds, visit));
        seen.sort_unstable();
        assert_eq!(seen, expected);
        let mut rows = Rows::new();
        queries.par_overlapping(&[bounds], &mut rows);
        rows.sort();
        assert_eq!(rows.row(0), expected);
        everything.containing(center, &mut expected);
        expected.retain(|one| is_wanted(one.found));
        queries.containing(center, &mut found);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(visited(|visit| queries.visit_containing(center, visit)).len(), expected.len());

        let (mut expected, mut found) = (Vec::new(), Vec::new());
        everything.within(&ball, &mut expected);
        expected.retain(|one| is_wanted(one.found.index));
        queries.within(&ball, &mut found);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(visited(|visit| queries.visit_within(&ball, visit)).len(), expected.len());
        everything.nearest(center, 400, &mut expected);
        expected.retain(|one| is_wanted(one.found.index));
        queries.nearest(center, 6, &mut found);
        assert_eq!(found[..], expected[..found.len()]);
        assert!(found.len() == 6 || expected.is_empty(), "{} of {}", found.len(), expected.len());

        let (mut expected, mut found) = (Vec::new(), Vec::new());
        everything.ray_hits(&ray, &mut expected);
        expected.retain(|one| is_wanted(one.found.index));
        queries.ray_hits(&ray, &mut found);
        assert_eq!(found, expected);
        assert_eq!(visited(|visit| queries.visit_ray(&ray, visit)), expected);
        assert_eq!(queries.first_hit(&ray), expected.first().copied());
        let later = queries.first_hit_by(&ray, |one| {
            expected
                .iter()
                .find(|met| (met.found.index, met.shift) == (one.found, one.shift))
                .map(|met| met.found.t * S::of(0.5) + S::of(1.0))
        });
        assert_eq!(
            later.map(|met| met.found.index).is_some(),
            expected.first().is_some_and(|met| met.found.t * S::of(0.5) + S::of(1.0) <= S::of(30.0))
        );
        everything.sweep_hits(&sweep, &mut expected);
        expected.retain(|one| is_wanted(one.found.index));
        queries.sweep_hits(&sweep, &mut found);
        assert_eq!(found, expected);
        assert_eq!(visited(|visit| queries.visit_sweep(&sweep, visit)), expected);
        assert_eq!(queries.first_contact(&sweep), expected.first().copied());
        assert_eq!(queries.first_contact_by(&sweep, |_| None), None);
        let mut firsts = Vec::new();
        queries.par_first_contacts(&[sweep], &mut firsts);
        assert_eq!(firsts, [expected.first().copied()]);
    }
}

fn domains<S: Coordinate, const D: usize>(periodic: [bool; D], seed: u64) {
    let rng = &mut Rng(seed);
    let domain = Aabb::new([S::of(0.0); D], [S::of(EDGE); D]);
    let mut engine = Periodic::<S, D>::new(domain, periodic).expect("a domain");
    let objects: Vec<Member<S, D>> = (0..120)
        .map(|_| {
            let min: [S; D] = std::array::from_fn(|_| S::of(rng.within(-5.0, 15.0)));
            let edge = rng.within(0.1, 1.5);
            Member { bounds: Aabb::new(min, min.map(|x| x + S::of(edge))), groups: random_groups(rng) }
        })
        .collect();
    engine.par_detect(&objects);
    let queries = engine.queries();
    check(queries, queries, |_| true, rng);
    check(queries, queries.filtered(|index| index.is_multiple_of(3)), |index| index.is_multiple_of(3), rng);
    for _ in 0..3 {
        let groups = random_groups(rng);
        let both = |index: u32| !index.is_multiple_of(5) && admit(groups, objects[index as usize].groups);
        check(queries, queries.in_groups(groups).filtered(|index| !index.is_multiple_of(5)), both, rng);
    }
}

#[test]
fn filters_leave_out_objects_with_all_their_images() {
    domains::<f32, 3>([true, true, false], 1);
    domains::<f64, 2>([true, true], 2);
    domains::<f32, 2>([true, false], 3);
    domains::<f64, 3>([true; 3], 4);
}
