//! Neighbors in sheared domains, against a loop over all images of all points.
//!
//! Coordinates and vectors are multiples of 1/32 and small, so nothing is ever rounded, and the oracle may compute in `f64`.

use pivotgrid::{
    Aabb, Ball, Bounded, Lattice, Neighbors, PeriodicError, PeriodicNeighbors, PeriodicReason, PeriodicRows, Reach, RejectReason,
    Scalar,
};
use rayon::prelude::*;

use crate::common::{Coordinate, Rng, grid_config, pool};

/// A neighbor: its index, its shift, and where it is.
type Near<const D: usize> = (u32, [i32; D], [f64; D]);

/// How far two points may be apart.
type Distance<'a> = dyn Fn(usize, usize) -> f64 + 'a;

fn snapped(x: f64) -> f64 {
    (x * 32.0).floor() / 32.0
}

struct Case<const D: usize> {
    vectors: [[f64; D]; D],
    periodic: [bool; D],
    points: Vec<[f64; D]>,
    radii: Vec<f64>,
}

impl<const D: usize> Case<D> {
    /// Points in the domain and some periods outside of it; along vectors that do not count, in a box of that size.
    fn new(vectors: [[f64; D]; D], periodic: [bool; D], n: usize, radius: f64) -> Self {
        let rng = &mut Rng(n as u64);
        let mut point = || {
            let mut point = [0.0; D];
            for vector in 0..D {
                let away = if periodic[vector] { rng.below(4) as f64 - 1.0 } else { 0.0 };
                let at = rng.unit() + if rng.below(3) == 0 { away } else { 0.0 };
                for axis in 0..D {
                    point[axis] += at * vectors[vector][axis];
                }
            }
            point.map(snapped)
        };
        let points = (0..n).map(|_| point()).collect();
        let radii = (0..n).map(|_| snapped(rng.within(0.3, 1.0) * radius)).collect();
        Case { vectors, periodic, points, radii }
    }

    fn vector(&self, i: usize, j: usize, shift: [i32; D]) -> [f64; D] {
        std::array::from_fn(|axis| {
            let by: f64 = (0..D).map(|vector| f64::from(shift[vector]) * self.vectors[vector][axis]).sum();
            self.points[j][axis] + by - self.points[i][axis]
        })
    }

    /// Everything within reach, as `reach` says of two points, with shifts of up to so many periods.
    fn expected(&self, most: i32, reach: impl Fn(usize, usize) -> f64) -> Vec<Vec<Near<D>>> {
        let mut shifts = vec![[0; D]];
        for vector in (0..D).filter(|&vector| self.periodic[vector]) {
            let along = |shift: &[i32; D]| {
                let shift = *shift;
                (-most..=most).map(move |by| std::array::from_fn(|other| if other == vector { by } else { shift[other] }))
            };
            shifts = shifts.iter().flat_map(along).collect();
        }
        let row = |i: usize| {
            let mut row = Vec::new();
            for j in 0..self.points.len() {
                for &shift in &shifts {
                    let vector = self.vector(i, j, shift);
                    let square: f64 = vector.iter().map(|x| x * x).sum();
                    if (i != j || shift != [0; D]) && square <= reach(i, j).powi(2) {
                        assert!(shift.iter().all(|by| by.abs() < most), "the oracle must look further");
                        row.push((j as u32, shift, vector));
                    }
                }
            }
            row.sort_by_key(|near| (near.0, near.1));
            row
        };
        (0..self.points.len()).map(row).collect()
    }

    fn check<S: Coordinate>(&self, rows: PeriodicRows<'_, S, D>, expected: &[Vec<Near<D>>], context: &str) {
        assert!(rows.rejected().is_empty() && rows.len() == expected.len(), "{context}");
        assert_eq!(rows.neighbors(), expected.iter().map(Vec::len).sum::<usize>(), "{context}");
        assert_eq!(rows.par_iter().map(|row| row.len()).sum::<usize>(), rows.neighbors());
        for (i, (row, expected)) in rows.iter().zip(expected).enumerate() {
            assert!(
                row.clone().map(|near| (near.index, near.shift)).eq(expected.iter().map(|near| (near.0, near.1))),
                "{context}, {i}"
            );
            let own = rows.offsets()[i]..rows.offsets()[i + 1];
            assert!(rows.indices()[own.clone()].iter().copied().eq(expected.iter().map(|near| near.0)));
            assert!(rows.shifts()[own.clone()].iter().copied().eq(expected.iter().map(|near| near.1)));
            for (at, near) in own.zip(expected) {
                let length = near.2.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert_eq!(rows.vectors()[at].map(Into::into), near.2, "{context}");
                assert!((rows.distances()[at].into() - length).abs() <= 1e-6 * length, "{context}");
            }
        }
    }

    fn neighbors<S: Coordinate>(&self) -> Neighbors<S, D> {
        Neighbors::with_config(grid_config()).expect("a valid config").sorted(true).shifts(true).distances(true).vectors(true)
    }

    fn in_lattice<S: Coordinate>(&self, neighbors: Neighbors<S, D>) -> PeriodicNeighbors<S, D> {
        neighbors.lattice(Lattice::new(self.vectors, self.periodic).expect("a lattice"))
    }

    /// Every rule, on one thread and several, full and half lists, points and balls.
    fn check_all<S: Coordinate>(&self, radius: f64, most: i32) {
        let points: Vec<[S; D]> = self.points.iter().map(|point| point.map(S::of)).collect();
        let radii: Vec<S> = self.radii.iter().map(|&radius| S::of(radius)).collect();
        let h = &self.radii;
        let rules: [(Reach<'_, S>, &Distance<'_>); 6] = [
            (Reach::Fixed(S::of(radius)), &|_, _| radius),
            (Reach::Gather(&radii), &|i, _| h[i]),
            (Reach::Scatter(&radii), &|_, j| h[j]),
            (Reach::Max(&radii), &|i, j| h[i].max(h[j])),
            (Reach::Sum(&radii), &|i, j| h[i] + h[j]),
            (Reach::Mean(&radii), &|i, j| (h[i] + h[j]) / 2.0),
        ];
        let mut across = 0;
        for (reach, distance) in rules {
            let context = format!("{:?} {:?} {reach:.0?}", self.vectors, self.periodic);
            let expected = self.expected(most, distance);
            across += expected.iter().flatten().filter(|near| near.1 != [0; D]).count();
            let mut full = self.in_lattice(self.neighbors::<S>());
            for threads in [1, 3] {
                self.check(pool(threads).install(|| full.par_within(&points, reach)), &expected, &context);
            }
            self.check(full.try_within(&points, reach).expect("enough memory"), &expected, &context);
            if !matches!(reach, Reach::Gather(_) | Reach::Scatter(_)) {
                // Sorted, each pair is in the row of the lesser index, and what a point makes with itself has a positive shift.
                let leads = |i: usize, near: &Near<D>| (near.0 as usize, near.1) > (i, [0; D]);
                let half: Vec<Vec<_>> = expected
                    .iter()
                    .enumerate()
                    .map(|(i, row)| row.iter().copied().filter(|near| leads(i, near)).collect())
                    .collect();
                let mut sorted = self.in_lattice(self.neighbors::<S>().half(true));
                self.check(pool(2).install(|| sorted.par_within(&points, reach)), &half, &context);
                // Unsorted, it is in one of the two.
                let mut unsorted = self.in_lattice(Neighbors::<S, D>::with_config(grid_config()).unwrap().half(true));
                let rows = unsorted.within(&points, reach);
                let mut both = vec![Vec::new(); points.len()];
                for (i, row) in rows.iter().enumerate() {
                    for near in row {
                        both[i].push((near.index, near.shift));
                        both[near.index as usize].push((i as u32, near.shift.map(|by| -by)));
                    }
                }
                both.iter_mut().for_each(|row| row.sort_unstable());
                let expected = expected.iter().map(|row| row.iter().map(|near| (near.0, near.1)));
                assert!(both.iter().zip(expected).all(|(row, expected)| row.iter().copied().eq(expected)), "{context}");
            }
        }
        assert!(across > 0, "no neighbors across a border");
        // Balls that touch.
        let balls: Vec<Ball<S, D>> = points.iter().zip(&radii).map(|(&point, &radius)| Ball::new(point, radius)).collect();
        let expected = self.expected(most, |i, j| h[i] + h[j]);
        let mut touching = self.in_lattice(self.neighbors::<S>());
        self.check(pool(2).install(|| touching.par_touching(&balls)), &expected, "touching");
        self.check(touching.touching(&balls), &expected, "touching");
    }
}

const SHEARED: [[f64; 3]; 3] = [[6.0, 0.0, 0.0], [2.5, 5.0, 0.0], [-1.25, 1.5, 7.0]];

#[test]
fn sheared_domains() {
    Case::new(SHEARED, [true; 3], 120, 1.25).check_all::<f32>(1.25, 6);
    Case::new(SHEARED, [true; 3], 120, 1.25).check_all::<f64>(1.25, 6);
    Case::new([[8.0, 0.0], [-3.0, 6.0]], [true; 2], 120, 1.5).check_all::<f32>(1.5, 7);
    Case::new([[8.0, 1.0], [-3.0, 6.0]], [true; 2], 120, 1.5).check_all::<f64>(1.5, 7);
}

#[test]
fn some_vectors_only() {
    for periodic in [[true, false, false], [false, true, true], [false, false, true], [true, true, false]] {
        Case::new(SHEARED, periodic, 90, 1.5).check_all::<f32>(1.5, 7);
    }
    Case::new([[8.0, 1.0], [-3.0, 6.0]], [false, true], 90, 1.5).check_all::<f64>(1.5, 7);
}

/// The reach is longer than the domain: many images, also of the point itself.
#[test]
fn reaches_longer_than_a_period() {
    Case::new([[1.0, 0.0, 0.0], [0.25, 1.5, 0.0], [0.5, -0.5, 2.0]], [true; 3], 5, 2.5).check_all::<f32>(2.5, 17);
    Case::new([[1.0, 0.0], [0.75, 1.0]], [true; 2], 4, 4.0).check_all::<f64>(4.0, 30);
    Case::new([[0.5, 0.0], [0.0, 9.0]], [true, false], 12, 3.0).check_all::<f32>(3.0, 30);
}

/// Small and long ones together, of which only the long ones have several images along a vector.
#[test]
fn a_few_that_reach_over_many_periods() {
    fn check<S: Coordinate, const D: usize>(vectors: [[f64; D]; D], radius: f64, most: i32) {
        let mut case = Case::new(vectors, [true; D], 40, radius);
        for (index, radius) in case.radii.iter_mut().enumerate().filter(|(index, _)| index % 13 != 0) {
            *radius = snapped(*radius / if index % 2 == 0 { 16.0 } else { 4.0 });
        }
        case.check_all::<S>(radius / 2.0, most);
    }
    check::<f32, 3>([[4.0, 0.0, 0.0], [1.0, 5.0, 0.0], [0.0, 1.5, 6.0]], 5.0, 5);
    check::<f64, 2>([[2.0, 0.0], [0.5, 2.0]], 9.0, 13);
}

/// How much was compared, by the number of neighbors and of images.
#[track_caller]
fn assert_proportional<S: Scalar, const D: usize>(neighbors: &PeriodicNeighbors<S, D>, images: u64, context: &str) {
    let (candidates, met) = (neighbors.stats().candidates, neighbors.rows().neighbors() as u64);
    assert!(candidates <= 4 * met + 64 * images, "{context}: {candidates} comparisons, {met} neighbors, {images} images");
}

/// A particle of many periods meets itself everywhere, but most pairs of its images are not compared.
#[test]
fn many_periods_cost_no_more_than_their_neighbors() {
    fn check<S: Coordinate, const D: usize>(all: &[usize]) {
        let domain = Aabb::new([S::of(0.0); D], [S::of(1.0); D]);
        let mut neighbors = Neighbors::<S, D>::new().periodic(domain, [true; D]).expect("a domain");
        for &periods in all {
            let long = Aabb::new([S::of(0.25); D], [S::of(0.5 + periods as f64); D]);
            let met = (2 * periods + 1).pow(D as u32) - 1;
            assert_eq!(neighbors.touching(&[long]).row(0).len(), met);
            let images = (periods as u64 + 1).pow(D as u32);
            assert_proportional(&neighbors, images, &format!("{periods} periods"));
            let ball = Ball::new([S::of(0.5); D], S::of(periods as f64 / 2.0));
            let expected = (-(periods as i64)..=periods as i64).map(|x| x * x);
            let sums = (1..D).fold(expected.clone().collect::<Vec<_>>(), |sums, _| {
                sums.iter().flat_map(|sum| expected.clone().map(move |x| x + sum)).collect()
            });
            let near = sums.iter().filter(|&&square| square <= (periods * periods) as i64).count() - 1;
            assert_eq!(neighbors.touching(&[ball]).neighbors(), near);
            assert_eq!(neighbors.within(&[ball.center], S::of(periods as f64)).neighbors(), near);
            assert_eq!(neighbors.within(&[ball.center], Reach::Max(&[S::of(periods as f64)])).neighbors(), near);
        }
    }
    check::<f32, 3>(&[1, 2, 3, 4, 6, 12, 20]);
    check::<f64, 2>(&[1, 2, 5, 12, 40, 90]);
}

/// Rods that are long along one vector: each meets those that are near along the others.
#[test]
fn many_rods_cost_no_more_than_their_neighbors() {
    let rng = &mut Rng(5);
    let rods: Vec<Aabb<f32, 3>> = (0..300)
        .map(|_| {
            let min = [rng.unit(), 8.0 * rng.unit(), 8.0 * rng.unit()].map(|x| snapped(x) as f32);
            Aabb::new(min, [min[0] + 30.5, min[1] + 0.5, min[2] + 0.5])
        })
        .collect();
    let domain = Aabb::new([0.0; 3], [1.0, 8.0, 8.0]);
    let mut neighbors = Neighbors::<f32, 3>::new().periodic(domain, [true, false, false]).expect("a domain");
    let rows = neighbors.touching(&rods);
    let near = |a: &Aabb<f32, 3>, b: &Aabb<f32, 3>| (1..3).all(|axis| (a.min[axis] - b.min[axis]).abs() <= 0.5);
    for (rod, row) in rods.iter().zip(rows.iter()) {
        // All shifts from -30 to 30, and one more on a side, or on both.
        let shifts =
            |other: &Aabb<f32, 3>| (-40..=40).filter(|&by| (rod.min[0] - other.min[0] - by as f32).abs() <= 30.5).count();
        let expected = rods.iter().filter(|other| near(rod, other)).map(shifts).sum::<usize>() - 1;
        assert_eq!(row.len(), expected);
    }
    assert_proportional(&neighbors, 300 * 32, "rods");
}

/// Very flat cells, whose images that are near are many numbers away.
#[test]
fn strongly_sheared_domains() {
    Case::new([[4.0, 0.0], [15.0, 3.0]], [true; 2], 80, 1.5).check_all::<f64>(1.5, 40);
}

/// Boxes, filters and groups work across sheared borders, too; mixed with balls, boxes count.
#[test]
fn bodies_in_a_sheared_domain() {
    struct Grain(Aabb<f64, 2>, u32);
    impl Bounded<f64, 2> for Grain {
        fn aabb(&self) -> Aabb<f64, 2> {
            self.0
        }
        fn pairs_with(&self, other: &Self) -> bool {
            self.1 != other.1
        }
    }
    let case = Case::new([[8.0, 0.0], [3.0, 6.0]], [true, true], 150, 0.7);
    let grains: Vec<Grain> = (0..150).map(|i| Grain(Aabb::around(case.points[i], [case.radii[i], 0.25]), i as u32 % 4)).collect();
    let overlap = |i: usize, j: usize, vector: [f64; 2]| {
        i % 4 != j % 4 && vector[0].abs() <= case.radii[i] + case.radii[j] && vector[1].abs() <= 0.5
    };
    // As far as boxes reach at most, and then those that overlap.
    let mut expected = case.expected(7, |_, _| 3.0);
    for (i, row) in expected.iter_mut().enumerate() {
        row.retain(|near| overlap(i, near.0 as usize, near.2));
    }
    let mut neighbors = case.in_lattice(case.neighbors::<f64>());
    for threads in [1, 3] {
        case.check(pool(threads).install(|| neighbors.par_touching(&grains)), &expected, "boxes");
    }
}

#[test]
fn what_has_no_place_in_a_lattice() {
    let lattice = Lattice::new([[4.0, 0.0], [1.0, 4.0]], [true, false]).expect("a lattice");
    let mut neighbors = Neighbors::<f32, 2>::new().lattice(lattice);
    let infinite = f32::INFINITY;
    let points = [[0.0, 0.0], [1.0, infinite], [infinite, 0.0], [1e20, 0.0], [f32::NAN, 0.0], [4.5, 0.0]];
    let rows = neighbors.within(&points, 1.0);
    let rejected: Vec<_> = rows.rejected().iter().map(|rejected| (rejected.index, rejected.reason)).collect();
    let far = PeriodicReason::TooFarOut { axis: 0 };
    assert_eq!(rejected, [(2, far), (3, far), (4, PeriodicReason::Box(RejectReason::NotANumber))]);
    assert_eq!(rows.row(0).map(|near| (near.index, near.shift)).collect::<Vec<_>>(), [(5, [-1, 0])]);
    let rejected = neighbors.within(&points[..1], 500.0).rejected().to_vec();
    assert!(matches!(rejected[..], [one] if one.reason == PeriodicReason::LargerThanPeriod { axis: 0 }), "{rejected:?}");
    assert_eq!(neighbors.within(&points[..1], 90.0).neighbors(), 2 * 22);
    assert!(neighbors.space().translation([2, 0]) == [8.0, 0.0]);
    neighbors.set_lattice(Lattice::new([[40.0, 0.0], [1.0, 4.0]], [true, false]).expect("a lattice"));
    assert!(neighbors.rows().is_empty() && neighbors.rejected().is_empty());
    assert_eq!(neighbors.within(&points[..1], 90.0).neighbors(), 4);
    // Upright again: 4.5 is 0.5, and the second bounds count for nothing.
    neighbors.set_domain(Aabb::new([0.0, infinite], [4.0, -1.0]), [true, false]).expect("a domain");
    assert!(neighbors.rows().is_empty());
    assert_eq!(neighbors.within(&points, 1.0).neighbors(), 2);
    assert_eq!(neighbors.rejected().iter().map(|rejected| rejected.index).collect::<Vec<_>>(), [2, 3, 4]);
    let error = neighbors.set_domain(Aabb::new([0.0, 0.0], [4.0, infinite]), [true, true]).expect_err("no period");
    assert!(matches!(error, PeriodicError::Period { axis: 1, .. }), "{error}");
    assert_eq!(neighbors.rows().neighbors(), 2);
}

/// Distances and vectors of plain lists.
#[test]
fn measures_of_plain_lists() {
    let case = Case::new(SHEARED, [false; 3], 200, 2.0);
    let expected = case.expected(1, |_, _| 2.0);
    let points: Vec<[f32; 3]> = case.points.iter().map(|point| point.map(|x| x as f32)).collect();
    let mut neighbors = case.neighbors::<f32>();
    for threads in [1, 3] {
        let rows = pool(threads).install(|| neighbors.par_within(&points, 2.0));
        assert!(rows.vectors().iter().map(|vector| vector.map(f64::from)).eq(expected.iter().flatten().map(|near| near.2)));
        let lengths = expected.iter().flatten().map(|near| near.2.iter().map(|x| x * x).sum::<f64>().sqrt() as f32);
        assert!(rows.distances().iter().copied().eq(lengths));
    }
    let balls: Vec<Ball<f32, 3>> = points.iter().map(|&point| Ball::new(point, 1.0)).collect();
    assert_eq!(neighbors.touching(&balls).vectors().len(), expected.iter().flatten().count());
    let mut without = Neighbors::<f32, 3>::new();
    assert!(without.within(&points, 2.0).vectors().is_empty() && without.rows().distances().is_empty());
}
