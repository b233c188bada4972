//! Data of pairs, sorted pairs, adjacency and reordering: in a scene that no longer grows they allocate nothing.

use pivotgrid::{Adjacency, PairMap, PairSorter, Reorder, RowsOf};

use crate::account::Account;
use crate::common::{Placement, Scene, Sizes, grid_engine};

const OBJECTS: usize = 20_000;
const WARM_UP: usize = 4;
const MEASURED: usize = 12;

#[test]
fn nothing_is_allocated() {
    for threads in [1, 2, 4] {
        let account = Account::open();
        let pool = account.lasting_pool(threads);
        let (sizes, placement) = (Sizes::Mono, Placement::Uniform);
        let boxes = Scene { n: OBJECTS, sizes, placement, extent: 40.0, origin: 0.0, seed: 9 }.boxes::<f32, 3>();
        let moved: Vec<_> = (0..).zip(&boxes).map(|(index, aabb)| aabb.with_margin(-0.03 * (index % 5) as f32)).collect();
        let mut engine = grid_engine::<f32, 3>();
        let (mut map, mut sorter, mut adjacency, mut reorder) =
            (PairMap::new(), PairSorter::new(), Adjacency::new(), Reorder::new());
        let mut array: Vec<u64> = (0..OBJECTS as u64).collect();
        let mut counted = [0; WARM_UP + MEASURED];
        pool.install(|| {
            for (step, counted) in counted.iter_mut().enumerate() {
                engine.par_detect(if step % 2 == 0 { &boxes } else { &moved });
                let before = account.allocations();
                reorder.par_apply(engine.spatial_order().expect("there was a step"), &mut array);
                let pairs = engine.debug_view().pairs();
                let changes = map.par_update(pairs.keyed_by(|index| index), |(a, b)| [a, b, 0, 0]);
                assert!(changes.started.len() + changes.ended.len() > 0, "nothing happened in step {step}");
                sorter.par_sort(pairs);
                adjacency.par_build(pairs, OBJECTS, RowsOf::Both);
                *counted = account.allocations() - before;
            }
        });
        assert!(counted[0] > 0, "the counter counts");
        assert_eq!(counted[WARM_UP..], [0; MEASURED], "{threads} threads");
    }
}
