//! Rows of points with radii of their own, by every rule, against every point compared with every other.

use pivotgrid::{Neighbors, Reach};

use crate::common::{Coordinate, Rng, configs, grid_config, pool};

/// How far apart two may be, and the squares of that and of their distance, computed as the documents say.
fn is_near<S: Coordinate, const D: usize>(points: &[[S; D]], reach: &Reach<'_, S>, i: usize, j: usize) -> bool {
    let greater = |a: S, b: S| if a > b { a } else { b };
    let half = S::of(0.5);
    let reach = match *reach {
        Reach::Fixed(radius) => radius,
        Reach::Gather(h) => h[i],
        Reach::Scatter(h) => h[j],
        Reach::Max(h) => greater(h[i], h[j]),
        Reach::Sum(h) => h[i] + h[j],
        Reach::Mean(h) => h[i] * half + h[j] * half,
        _ => unreachable!("there are no others"),
    };
    let square = (0..D).fold(S::of(0.0), |sum, axis| {
        let along = points[i][axis] - points[j][axis];
        sum + along * along
    });
    square <= reach * reach
}

fn expected<S: Coordinate, const D: usize>(points: &[[S; D]], reach: &Reach<'_, S>, half: bool) -> Vec<Vec<u32>> {
    let valid = |i: usize| {
        let radius: f64 = match *reach {
            Reach::Fixed(radius) => radius.into(),
            Reach::Gather(h) | Reach::Scatter(h) | Reach::Max(h) | Reach::Sum(h) | Reach::Mean(h) => h[i].into(),
            _ => unreachable!("there are no others"),
        };
        radius >= 0.0 && points[i].iter().all(|&x| !x.into().is_nan())
    };
    let half = half && !matches!(reach, Reach::Gather(_) | Reach::Scatter(_));
    let row = |i: usize| {
        let others = (0..points.len()).filter(|&j| j != i && valid(i) && valid(j) && !(half && j < i));
        others.filter(|&j| is_near(points, reach, i, j)).map(|j| j as u32).collect()
    };
    (0..points.len()).map(row).collect()
}

fn rules<S>(radii: &[S]) -> [Reach<'_, S>; 5] {
    [Reach::Gather(radii), Reach::Scatter(radii), Reach::Max(radii), Reach::Sum(radii), Reach::Mean(radii)]
}

fn scene<S: Coordinate, const D: usize>(n: usize, edge: f64, mut radius: impl FnMut(&mut Rng) -> f64) -> (Vec<[S; D]>, Vec<S>) {
    let rng = &mut Rng(n as u64);
    let points = (0..n).map(|_| std::array::from_fn(|_| S::of(rng.within(0.0, edge)))).collect();
    (points, (0..n).map(|_| S::of(radius(rng))).collect())
}

fn check<S: Coordinate, const D: usize>(n: usize, edge: f64, radius: impl FnMut(&mut Rng) -> f64) {
    let (points, radii) = scene::<S, D>(n, edge, radius);
    let mut found = 0;
    for reach in rules(&radii) {
        for half in [false, true] {
            let rows = expected(&points, &reach, half);
            found += rows.iter().map(Vec::len).sum::<usize>();
            for config in configs() {
                let mut neighbors = Neighbors::<S, D>::with_config(config.clone()).unwrap().half(half).sorted(true);
                for threads in [1, 3] {
                    let found = pool(threads).install(|| neighbors.par_within(&points, reach));
                    assert!(found.iter().eq(rows.iter().map(Vec::as_slice)), "{threads} threads, half {half}, {config:?}");
                }
            }
            // In any order, each pair once.
            let mut unsorted = Neighbors::<S, D>::with_config(grid_config()).unwrap().half(half);
            assert_eq!(unsorted.within(&points, reach).indices().len(), rows.iter().map(Vec::len).sum::<usize>());
        }
    }
    assert!(found > n, "only {found} neighbors of {n}");
}

#[test]
fn equal_radii() {
    check::<f32, 3>(500, 7.0, |_| 1.25);
    check::<f64, 2>(500, 15.0, |_| 1.25);
}

#[test]
fn radii_of_one_decade() {
    check::<f32, 2>(500, 30.0, |rng| rng.within(0.3, 3.0));
    check::<f64, 3>(500, 12.0, |rng| rng.within(0.3, 3.0));
}

#[test]
fn radii_of_four_decades() {
    check::<f32, 3>(500, 40.0, |rng| 10f64.powf(rng.within(-2.0, 2.0) * rng.unit()));
    check::<f64, 2>(500, 60.0, |rng| 10f64.powf(rng.within(-2.0, 2.0) * rng.unit()));
}

/// On a lattice: neighbors exactly as far away as the reach.
#[test]
fn reaches_that_are_met_exactly() {
    let points: Vec<[f32; 3]> = (0..512).map(|i| [i % 8, i / 8 % 8, i / 64].map(|x| x as f32)).collect();
    let radii: Vec<f32> = (0..512).map(|i| [1.0, 2.0, 1.0, 3.0, 0.0, 0.5][i % 6]).collect();
    for reach in rules(&radii) {
        let rows = expected(&points, &reach, false);
        let mut neighbors = Neighbors::<f32, 3>::with_config(grid_config()).unwrap().sorted(true);
        assert!(neighbors.within(&points, reach).iter().eq(rows.iter().map(Vec::as_slice)), "{reach:?}");
    }
}

/// Squares of such radii under- or overflow in `f32`; by the rules they are told apart all the same.
#[test]
fn radii_without_squares() {
    let points: Vec<[f32; 2]> =
        (0..90).map(|i| [i as f32 * 1e-25, 0.0]).chain((0..90).map(|i| [i as f32 * 1e25, 1e25])).collect();
    let radii: Vec<f32> = (0..90).map(|i| (1 + i % 3) as f32 * 1e-25).chain((0..90).map(|i| (i % 4) as f32 * 1e25)).collect();
    for (reach, rule) in rules(&radii).into_iter().zip(["gather", "scatter", "max"]) {
        let near = |i: usize, j: usize| {
            let [a, b] = [i, j].map(|k| (points[k].map(f64::from), f64::from(radii[k])));
            let reach = match rule {
                "gather" => a.1,
                "scatter" => b.1,
                _ => a.1.max(b.1),
            };
            i != j && (a.0[0] - b.0[0]).hypot(a.0[1] - b.0[1]) <= reach * (1.0 + 1e-9)
        };
        let mut neighbors = Neighbors::<f32, 2>::with_config(grid_config()).unwrap().sorted(true);
        let rows = neighbors.within(&points, reach);
        for (i, row) in rows.iter().enumerate() {
            let expected: Vec<u32> = (0..points.len()).filter(|&j| near(i, j)).map(|j| j as u32).collect();
            assert_eq!(row, expected, "{rule}, point {i}");
        }
    }
}

#[test]
fn bad_radii_are_left_out() {
    let (points, mut radii) = scene::<f32, 2>(300, 10.0, |_| 1.0);
    (radii[7], radii[100], radii[200]) = (f32::NAN, -1.0, f32::INFINITY);
    for reach in rules(&radii) {
        let rows = expected(&points, &reach, false);
        let mut neighbors = Neighbors::<f32, 2>::with_config(grid_config()).unwrap().sorted(true);
        let found = neighbors.within(&points, reach);
        assert!(found.rejected().iter().map(|rejected| rejected.index).eq([7, 100]));
        assert!(found.iter().eq(rows.iter().map(Vec::as_slice)), "{reach:?}");
    }
}

#[test]
#[should_panic(expected = "there are 2 points, but 1 radii")]
fn a_radius_for_each() {
    Neighbors::<f32, 2>::new().within(&[[0.0; 2]; 2], Reach::Max(&[1.0]));
}

/// One radius of zero, or an invalid one, changes nothing for the others: also not for those that are exactly as far away as the
/// reach, along no axis. (Found by `fuzz/src/neighbors.rs`.)
#[test]
fn an_odd_radius_costs_nobody_a_neighbor() {
    fn check<S: Coordinate>(unit: f64) {
        // Triples of Pythagoras: the third side is a whole number.
        let sides = [[3, 4, 5], [5, 12, 13], [8, 15, 17], [7, 24, 25], [20, 21, 29], [15, 36, 39], [12, 35, 37]];
        for [x, y, reach] in sides.map(|side| side.map(|x: i32| S::of(f64::from(x) * unit))) {
            for odd in [0.0, -1.0, f64::from_bits(1), 1e-300, f64::INFINITY] {
                let (zero, far) = (S::of(0.0), S::of(1e6 * unit));
                let (points, radii) = ([[zero, zero], [x, y], [far, far]], [reach, S::of(0.25 * unit), S::of(odd)]);
                let mut neighbors = Neighbors::<S, 2>::with_config(grid_config()).unwrap().sorted(true);
                let gathered = neighbors.within(&points, Reach::Gather(&radii)).row(0).contains(&1);
                let scattered = neighbors.within(&points, Reach::Scatter(&radii)).row(1).contains(&0);
                let either = neighbors.within(&points, Reach::Max(&radii)).row(1).contains(&0);
                assert!(gathered && scattered && either, "{x:?}, {y:?} within {reach:?} beside {odd:?}");
            }
        }
    }
    check::<f32>(1.0);
    check::<f32>(1.0 / 16.0);
    check::<f64>(1.0);
    check::<f64>(f64::powi(2.0, 600));
    check::<f64>(f64::powi(2.0, -600));
}
