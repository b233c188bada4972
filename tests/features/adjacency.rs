//! Rows made of pairs, against lists.

use crate::common::{Coordinate, grid_config, grid_engine, pool};
use crate::kinds::{PERIOD, scene};
use pivotgrid::{Aabb, Adjacency, CrossPair, Periodic, PeriodicPair, RowsOf, Shift, StaticSet};

/// Rows of partners, with shifts where there are some.
type Lists<Z> = Vec<Vec<(u32, Z)>>;

fn expected<Z: Copy + Ord>(
    ends: impl Iterator<Item = (u32, u32, Z)>,
    rows: usize,
    of: RowsOf,
    back: impl Fn(Z) -> Z,
) -> Lists<Z> {
    let mut lists = vec![Vec::new(); rows];
    for (one, other, shift) in ends {
        if of != RowsOf::Second {
            lists[one as usize].push((other, shift));
        }
        if of != RowsOf::First {
            lists[other as usize].push((one, back(shift)));
        }
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    lists
}

fn every_kind<S: Coordinate, const D: usize>() {
    let mut engine = grid_engine::<S, D>();
    let (mut one_set, mut two_sets, mut in_periods) =
        (Adjacency::new(), Adjacency::<CrossPair>::new(), Adjacency::<PeriodicPair<D>>::new());
    let domain = Aabb::new([S::of(0.0); D], [S::of(PERIOD); D]);
    let mut domain = Periodic::<S, D>::with_config(domain, [true; D], grid_config()).unwrap();
    for (step, n) in [5000, 40, 0, 1, 6000, 300].into_iter().enumerate() {
        let (boxes, walls) = (scene::<S, D>(n, step as u64), scene::<S, D>(n / 3, 99));
        let mut statics = StaticSet::new();
        statics.par_build(&walls);
        for (threads, of) in
            [1, 2, 5].into_iter().flat_map(|threads| [RowsOf::First, RowsOf::Second, RowsOf::Both].map(|of| (threads, of)))
        {
            let context = format!("{n} objects, {threads} threads, {of:?}");
            pool(threads).install(|| {
                let pairs = engine.par_detect(&boxes);
                let lists = expected(pairs.iter().map(|pair| (pair.a, pair.b, ())), n, of, |()| ());
                one_set.par_build(pairs, n, of);
                assert!(one_set.len() == n && one_set.offsets().len() == if n == 0 { 0 } else { n + 1 }, "{context}");
                let rows = one_set.iter().map(<[u32]>::to_vec);
                assert!(
                    rows.eq(lists.iter().map(|list| list.iter().map(|&(partner, ())| partner).collect::<Vec<_>>())),
                    "{context}"
                );
                assert_eq!(one_set.partners().len(), lists.iter().map(Vec::len).sum::<usize>());

                if of != RowsOf::Both {
                    let pairs = engine.over(&boxes).with(&statics).pairs().statics;
                    let rows = if of == RowsOf::First { n } else { walls.len() };
                    let lists = expected(pairs.iter().map(|pair| (pair.first, pair.second, ())), rows, of, |()| ());
                    two_sets.try_par_build(pairs, rows, of).unwrap();
                    let rows = two_sets.iter().map(<[u32]>::to_vec);
                    assert!(
                        rows.eq(lists.iter().map(|list| list.iter().map(|&(partner, ())| partner).collect::<Vec<_>>())),
                        "{context}"
                    );
                }

                let pairs = domain.par_detect(&boxes);
                let ends = pairs.iter().map(|pair| (pair.a, pair.b, pair.shift));
                let lists = expected(ends, n, of, |shift| shift.map(|periods| -periods));
                in_periods.build(pairs, n, of);
                let found =
                    in_periods.partners().iter().zip(in_periods.shifts()).map(|(&partner, &Shift(shift))| (partner, shift));
                assert!(found.eq(lists.iter().flatten().copied()), "{context}");
                assert!(in_periods.iter().map(<[u32]>::len).eq(lists.iter().map(Vec::len)), "{context}");
            });
        }
    }
    // More objects than rows were asked for.
    let boxes = scene::<S, D>(900, 1);
    let pairs = engine.detect(&boxes);
    one_set.build(pairs, 3, RowsOf::Both);
    assert_eq!(one_set.len(), pairs.iter().map(|pair| pair.b as usize + 1).max().unwrap());
    one_set.shrink_to_fit();
    assert_eq!(one_set.partners().len(), 2 * pairs.len());
}

#[test]
fn in_3d() {
    every_kind::<f32, 3>();
    every_kind::<f64, 3>();
}

#[test]
fn in_2d() {
    every_kind::<f32, 2>();
    every_kind::<f64, 2>();
}
