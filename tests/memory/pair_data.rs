//! Maps, sorters and rows that are refused memory, in every allocation once: a map is as if the update had not been, and all go on.

use pivotgrid::{Adjacency, BroadPhase, DetectError, PairMap, PairSorter, RowsOf};

use crate::account::Account;
use crate::common::{Placement, Scene, Sizes, grid_config};

#[test]
fn every_allocation_fails_once() {
    let account = Account::open();
    for threads in [1, 3] {
        let pool = account.pool(threads);
        let mut engines = [1, 2].map(|seed| {
            let mut engine = BroadPhase::<f32, 3>::with_config(grid_config()).unwrap();
            let (sizes, placement) = (Sizes::Poly, Placement::Uniform);
            engine.detect(&Scene { n: 2500, sizes, placement, extent: 18.0, origin: 0.0, seed }.boxes::<f32, 3>());
            engine
        });
        let [before, after] = engines.each_mut().map(|engine| engine.debug_view().pairs());
        let mut map = PairMap::new();
        pool.install(|| map.par_update(before.keyed_by(|index| index), |pair| pair));
        let expected = after.sorted();
        let mut refused = 0;
        for number in 1.. {
            let (mut copy, mut sorter, mut adjacency) = (map.clone(), PairSorter::new(), Adjacency::new());
            let (outcome, failed) = pool.install(|| {
                account.with_failing(number, || {
                    copy.try_par_update(after.keyed_by(|index| index), |pair| pair)?;
                    sorter.try_par_sort(after)?;
                    adjacency.try_par_build(after, 2500, RowsOf::First)
                })
            });
            if let Err(error) = outcome {
                assert!(failed && matches!(error, DetectError::OutOfMemory { .. }), "{error}");
                refused += 1;
                assert!(copy.len() == after.len() || copy.keys() == map.keys() && copy.values() == map.values());
                pool.install(|| copy.par_update(after.keyed_by(|index| index), |pair| pair));
                pool.install(|| adjacency.par_build(after, 2500, RowsOf::First));
                assert!(pool.install(|| sorter.par_sort(after) == expected));
            }
            assert!(copy.iter().map(|(pair, _)| pair).eq(expected.iter().map(|pair| (pair.a, pair.b))));
            assert!(copy.iter().all(|(pair, value)| pair == *value) && adjacency.partners().len() == after.len());
            if !failed {
                println!("{threads} threads: {refused} of {} allocations were refused", number - 1);
                assert!(refused > 5);
                break;
            }
        }
    }
}
