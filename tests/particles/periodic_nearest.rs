//! The nearest in a periodic domain, against every object moved by every number of periods. Nothing rounds, as in
//! `periodic_queries.rs`.

use crate::common::{Coordinate, Rng, grid_config, pool};
use crate::periodic_queries::{Scene, in_each_space_along_all_axes};
use pivotgrid::{Aabb, Config, Neighbor, Periodic, PeriodicQueries, Rows, Shifted};
use proptest::prelude::*;

fn plain<S: Coordinate, const D: usize>(found: &[Shifted<Neighbor<S>, D>]) -> Vec<(f64, u32, [i32; D])> {
    found.iter().map(|one| (one.found.distance_squared.into(), one.found.index, one.shift)).collect()
}

impl<S: Coordinate, const D: usize> Scene<S, D> {
    /// The nearest within a radius that is doubled until there are enough.
    fn nearest(&self, point: [S; D], k: usize) -> Vec<(f64, u32, [i32; D])> {
        let repeats = self.periodic.contains(&true);
        let enough = if repeats { k } else { k.min(self.boxes.len()) };
        let mut radius = 0.5;
        loop {
            let mut near = self.near(point, radius);
            if near.len() >= enough || self.boxes.is_empty() {
                near.truncate(k);
                return near;
            }
            radius *= 2.0;
        }
    }

    fn check_nearest(&self, queries: &PeriodicQueries<'_, S, D>, rng: &mut Rng) {
        let far = |rng: &mut Rng, axis: usize| {
            let periods = if self.periodic[axis] { [0.0, 0.0, -500.0, 300.0][rng.below(4)] } else { 0.0 };
            periods * self.period(axis)
        };
        let mut place = |point: [S; D]| std::array::from_fn(|axis| S::of(point[axis].into() + far(rng, axis)));
        let points: Vec<[S; D]> = self.questions.iter().map(|question| place(question.min)).collect();
        let (mut found, mut rows) = (Vec::new(), Rows::new());
        for k in [0, 1, 4, 20] {
            for &point in &points {
                queries.nearest(point, k, &mut found);
                assert_eq!(plain(&found), self.nearest(point, k), "the {k} nearest to {point:?}");
            }
            for threads in [1, 2] {
                pool(threads).install(|| queries.par_nearest(&points, k, &mut rows));
                assert_eq!(rows.len(), points.len());
                for (&point, row) in points.iter().zip(rows.iter()) {
                    queries.nearest(point, k, &mut found);
                    assert_eq!(row, found, "the {k} nearest to {point:?} on {threads} threads");
                }
            }
        }
    }
}

in_each_space_along_all_axes!(check_nearest, 60usize);

/// As far away from the walls as anybody likes: only along the periodic axis is there a limit.
#[test]
fn far_from_a_channel() {
    let mut channel = Periodic::<f64, 2>::new(Aabb::new([0.0, 0.0], [10.0, 3.0]), [true, false]).unwrap();
    channel.detect(&[Aabb::new([9.0, 1.0], [9.5, 2.0]), Aabb::new([4.0, 1.0], [5.0, 2.0])]);
    let mut found = Vec::new();
    channel.queries().nearest([1.0, 100_002.0], 3, &mut found);
    let squares = [1.5, 3.0, 6.0].map(|gap| 1e10 + gap * gap);
    assert_eq!(plain(&found), [(squares[0], 0, [-1, 0]), (squares[1], 1, [0, 0]), (squares[2], 1, [-1, 0])]);
}

/// Objects are found once for every shift, as far as the search goes.
#[test]
fn as_many_as_there_are() {
    let domain = Aabb::new([0.0; 3], [1.0; 3]);
    for (axes, expected) in
        [([false; 3], 1), ([true, false, false], 2001), ([true, true, false], 255 * 255), ([true; 3], 39 * 39 * 39)]
    {
        let mut periodic = Periodic::<f32, 3>::new(domain, axes).unwrap();
        periodic.detect(&[Aabb::new([0.25; 3], [0.5; 3])]);
        let mut found = Vec::new();
        periodic.queries().nearest([0.375; 3], usize::MAX, &mut found);
        assert_eq!(found.len(), expected, "{axes:?}");
        assert!(found.windows(2).all(|two| two[0].found.distance_squared <= two[1].found.distance_squared));
        let mut shifts: Vec<_> = found.iter().map(|one| one.shift).collect();
        shifts.sort_unstable();
        shifts.dedup();
        assert_eq!(shifts.len(), expected);
    }
}

/// Nothing is found, and nothing panics or takes for ever.
#[test]
fn points_without_answer() {
    let mut periodic = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false]).unwrap();
    let mut found = vec![Shifted::default()];
    periodic.queries().nearest([5.0, 5.0], 3, &mut found);
    assert!(found.is_empty(), "before the first step");
    periodic.detect(&[Aabb::new([f32::NAN; 2], [1.0, 1.0])]);
    periodic.queries().nearest([5.0, 5.0], 3, &mut found);
    assert!(found.is_empty(), "nothing but a box that was rejected");

    periodic.detect(&[Aabb::new([4.0, 4.0], [6.0, 6.0])]);
    let queries = periodic.queries();
    let infinite = f32::INFINITY;
    for point in [[f32::NAN, 0.0], [0.0, f32::NAN], [infinite, 0.0], [0.0, infinite], [0.0, -infinite], [1e12, 0.0]] {
        queries.nearest(point, 3, &mut found);
        assert!(found.is_empty(), "{point:?}");
    }
    queries.nearest([5.0, 5.0], 0, &mut found);
    assert!(found.is_empty());
    let mut rows = Rows::new();
    queries.par_nearest(&[(5.0, 5.0), (5.0, f32::NAN)], 1, &mut rows);
    assert_eq!(rows.iter().map(<[_]>::len).collect::<Vec<_>>(), [1, 0]);
    let mut rows = Rows::new();
    queries.par_containing(&[(15.0, 5.0), (0.0, 0.0)], &mut rows);
    assert_eq!(rows.items(), [Shifted { found: 0, shift: [1, 0] }]);
}
