//! The canonical order: ascending, and the same for every number of threads, history and kind of step.

use crate::common::{Oracle, Placement, Rng, Scene, Sizes, grid_config, pool};
use pivotgrid::{Aabb, BroadPhase, StaticSet};

fn boxes(n: usize, seed: u64) -> Vec<Aabb<f32, 3>> {
    Scene { n, sizes: Sizes::Poly, placement: Placement::Clustered, extent: 60.0, origin: 0.0, seed }.boxes()
}

fn in_order<P: PartialOrd>(pairs: &[P]) -> bool {
    pairs.windows(2).all(|two| two[0] < two[1])
}

#[test]
fn pairs_ascend_whatever_the_threads_and_the_history() {
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config().canonical_order(true)).unwrap();
    for (n, seed) in [(3000, 1), (17, 2), (0, 3), (5000, 4), (1, 5), (4000, 6)] {
        let boxes = boxes(n, seed);
        let expected = Oracle::detect(&boxes).pairs;
        for threads in [1, 2, 3, 8, 16] {
            let pairs = pool(threads).install(|| engine.par_detect(&boxes));
            assert!(pairs.iter().eq(expected.iter().copied()), "{n} boxes on {threads} threads");
            assert_eq!(pairs.slices().flatten().copied().collect::<Vec<_>>(), expected);
        }
        assert!(engine.detect(&boxes).iter().eq(expected));
    }
}

#[test]
fn two_sets_and_static_sets_are_in_order_too() {
    let (first, second) = (boxes(900, 1), boxes(1100, 2));
    let mut engine = BroadPhase::<f32, 3>::with_config(grid_config().canonical_order(true)).unwrap();
    let mut statics = StaticSet::new();
    statics.par_build(&second);
    let mut rng = Rng(7);
    let mut last = None;
    for threads in [1, 2, 5] {
        for _ in 0..3 {
            let across: Vec<_> = pool(threads).install(|| engine.over(&first).against(&second).pairs().iter().collect());
            assert!(in_order(&across) && across.len() > 100);
            let pairs = pool(threads).install(|| engine.over(&first).with(&statics).pairs());
            assert!(pairs.statics.iter().eq(across.iter().copied()));
            assert!(in_order(&pairs.moving.iter().collect::<Vec<_>>()));
            assert!(last.replace(across.clone()).is_none_or(|last| last == across));
            // Something else in between.
            pool(2).install(|| engine.par_detect(&boxes(100 + rng.below(3000), 9)).len());
        }
    }
}
