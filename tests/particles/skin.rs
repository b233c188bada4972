//! Lists with a margin: complete as long as they say that they are.

use pivotgrid::{Aabb, Neighbors, Reach};

use crate::common::{Coordinate, Rng, grid_config, pool};

/// Points that wander, and rows that are made again only when they have to be: never a neighbor less than brute force finds.
fn check<S: Coordinate, const D: usize>(edge: f64, radius: f64, skin: f64, periodic: bool) {
    let (n, rng) = (300, &mut Rng(D as u64));
    let mut points: Vec<[f64; D]> = (0..n).map(|_| [(); D].map(|()| rng.within(0.0, edge))).collect();
    let radii: Vec<S> = (0..n).map(|_| S::of(rng.within(0.4, 1.0) * radius)).collect();
    let new = || Neighbors::<S, D>::with_config(grid_config()).unwrap().skin(S::of(skin));
    let mut plain = new();
    let mut wrapped = new().periodic(Aabb::new([S::of(0.0); D], [S::of(edge); D]), [true; D]).unwrap();
    let (mut searches, steps) = (0, 60);
    for step in 0..steps {
        let now: Vec<[S; D]> = points.iter().map(|point| point.map(S::of)).collect();
        let reach = Reach::Max(&radii);
        let needed = if periodic { wrapped.needs_rebuild(&now) } else { plain.needs_rebuild(&now) };
        let parallel = pool(2).install(|| if periodic { wrapped.par_needs_rebuild(&now) } else { plain.par_needs_rebuild(&now) });
        assert_eq!(needed, parallel);
        if needed {
            searches += 1;
            if periodic {
                wrapped.par_within(&now, reach);
                assert!(!wrapped.needs_rebuild(&now));
            } else {
                plain.par_within(&now, reach);
                assert!(!plain.needs_rebuild(&now));
            }
        }
        for i in 0..n {
            let rows = |j: usize, shift: [i32; D]| match periodic {
                true => wrapped.rows().row(i).any(|near| near.index as usize == j && near.shift == shift),
                false => plain.rows().row(i).contains(&(j as u32)),
            };
            for j in (0..n).filter(|&j| j != i) {
                let along: [f64; D] = std::array::from_fn(|axis| now[j][axis].into() - now[i][axis].into());
                let shift = along.map(|x| if periodic { -(x / edge).round() as i32 } else { 0 });
                let square: f64 = (0..D).map(|axis| (along[axis] + f64::from(shift[axis]) * edge).powi(2)).sum();
                let reach: f64 = radii[i].into().max(radii[j].into());
                assert!(square > reach.powi(2) || rows(j, shift), "step {step}: {i} lacks {j}, {} away", square.sqrt());
            }
        }
        for point in &mut points {
            *point = point.map(|x| x + rng.within(-0.1, 0.1) * skin);
        }
        points[step].iter_mut().for_each(|x| *x += 0.1 * skin);
    }
    assert!((2..=steps / 2).contains(&searches), "{searches} searches in {steps} steps");
}

#[test]
fn rows_stay_complete() {
    check::<f32, 2>(12.0, 1.0, 0.6, false);
    check::<f64, 3>(6.0, 1.0, 0.6, false);
}

#[test]
fn rows_stay_complete_across_borders() {
    check::<f32, 3>(6.0, 1.0, 0.6, true);
    check::<f64, 2>(12.0, 1.0, 0.6, true);
}

#[test]
fn when_there_is_nothing_to_be_kept() {
    let points = [[0.0f32, 0.0], [1.0, 0.0]];
    let mut neighbors = Neighbors::<f32, 2>::new().skin(0.5);
    assert!(neighbors.needs_rebuild(&points), "before the first search");
    neighbors.within(&points, 1.0);
    assert!(!neighbors.needs_rebuild(&points) && neighbors.needs_rebuild(&points[..1]));
    assert!(neighbors.needs_rebuild(&[[0.0, 0.0], [f32::NAN, 0.0]]) && neighbors.needs_rebuild(&[[0.0, 0.0], [1.0, 0.26]]));
    assert!(!neighbors.needs_rebuild(&[[0.0, 0.24], [1.0, 0.24]]));
    neighbors.shrink_to_fit();
    assert!(neighbors.needs_rebuild(&points), "there are no rows");
    let mut without = Neighbors::<f32, 2>::new();
    without.within(&points, 1.0);
    assert!(without.needs_rebuild(&points), "there is no margin");
    // So little that it is lost in rounding.
    let mut tiny = Neighbors::<f32, 2>::new().skin(1e-9);
    tiny.within(&points, 1.0);
    assert!(tiny.needs_rebuild(&points));
}

/// A margin makes no valid radius of a negative one. (Found by `fuzz/src/neighbors.rs`.)
#[test]
fn a_negative_radius_stays_invalid_with_a_margin() {
    let (points, radii) = ([[0.0f32, 0.0], [0.5, 0.0], [1.0, 0.0]], [1.0, -0.25, 1.0]);
    for reach in [Reach::Gather(&radii[..]), Reach::Scatter(&radii), Reach::Max(&radii), Reach::Sum(&radii), Reach::Mean(&radii)]
    {
        let mut plain = Neighbors::<f32, 2>::new().sorted(true).skin(1.0);
        let rows = plain.within(&points, reach);
        assert_eq!(rows.rejected().iter().map(|one| one.index).collect::<Vec<_>>(), [1], "{reach:?}");
        assert_eq!(rows.iter().collect::<Vec<_>>(), [&[2][..], &[], &[0]], "{reach:?}");
        let mut periodic =
            Neighbors::<f32, 2>::new().skin(1.0).periodic(Aabb::new([0.0; 2], [9.0; 2]), [true; 2]).expect("a domain");
        assert_eq!(periodic.within(&points, reach).rejected().len(), 1, "{reach:?}");
    }
    // Half of the least negative number is zero.
    for radius in [-0.25, -f32::from_bits(1)] {
        assert_eq!(Neighbors::<f32, 2>::new().skin(1.0).within(&points, radius).rejected().len(), 3);
        assert_eq!(Neighbors::<f32, 2>::new().within(&points, radius).rejected().len(), 3);
        assert_eq!(Neighbors::<f32, 2>::new().within(&points, Reach::Mean(&[radius; 3])).rejected().len(), 3);
    }
}
