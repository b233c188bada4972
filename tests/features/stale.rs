//! After a panic, a refusal or a shrink, what can be read is empty or true: never the last step's, and reading never panics.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::common::grid_config;
use pivotgrid::{Aabb, Bounded, BroadPhase, Config, Groups, Ray, StaticSet, Stats};

/// Touching boxes in a row.
fn row(n: usize) -> Vec<Aabb<f32, 2>> {
    (0..n).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect()
}

/// What an engine can be asked without a step.
#[derive(Debug, PartialEq)]
struct Told {
    found: usize,
    first_hit: bool,
    nearest: usize,
    chunks: usize,
    cells: usize,
    objects: usize,
    pairs: usize,
    lines: usize,
    rejected: usize,
}

const NOTHING: Told =
    Told { found: 0, first_hit: false, nearest: 0, chunks: 0, cells: 0, objects: 0, pairs: 0, lines: 0, rejected: 0 };

fn told(engine: &BroadPhase<f32, 2>) -> Told {
    let (queries, view) = (engine.queries(), engine.debug_view());
    let (mut found, mut nearest) = (Vec::new(), Vec::new());
    queries.overlapping(&Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]), &mut found);
    queries.nearest([0.0, 0.0], 5, &mut nearest);
    Told {
        found: found.len(),
        first_hit: queries.first_hit(&Ray::new([-1.0, 0.5], [1.0, 0.0])).is_some(),
        nearest: nearest.len(),
        chunks: view.chunks().count(),
        cells: view.cells().count(),
        objects: view.objects().count(),
        pairs: view.pairs().len(),
        lines: view.pair_lines().count(),
        rejected: engine.rejected().len(),
    }
}

#[track_caller]
fn assert_nothing(engine: &BroadPhase<f32, 2>) {
    assert_eq!(told(engine), NOTHING);
    let Stats { bytes, .. } = *engine.stats();
    let mut expected = Stats::default();
    expected.bytes = bytes;
    assert_eq!(*engine.stats(), expected);
}

#[test]
fn pairs_that_were_shown_are_not_stored() {
    for config in [Config::default(), Config::default().canonical_order(true), grid_config().canonical_order(true)] {
        let mut engine = BroadPhase::<f32, 2>::with_config(config).unwrap();
        assert_eq!(engine.par_detect(&row(1000)).len(), 999);
        assert_eq!((engine.debug_view().pairs().len(), engine.debug_view().pair_lines().count()), (999, 999));
        engine.over(&row(3)).visit(|| (), |(), _| ControlFlow::Continue(()));
        let told = told(&engine);
        assert_eq!((told.objects, told.pairs, told.lines), (3, 0, 0));
    }
}

#[test]
fn nothing_is_found_after_a_shrink() {
    for n in [1, 3, 64, 65, 1000] {
        for config in [Config::default(), Config::default().canonical_order(true), grid_config()] {
            let mut engine = BroadPhase::<f32, 2>::with_config(config).unwrap();
            engine.par_detect(&row(n));
            assert_eq!(told(&engine).found, n);
            engine.shrink_to_fit();
            assert_eq!(told(&engine), NOTHING, "{n} objects");
            assert_eq!(engine.par_detect(&row(n)).len(), n - 1);
        }
    }
}

/// Where an object's code panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Where {
    Nowhere,
    Bounds,
    Groups,
    Filter,
}

struct Body(Aabb<f32, 2>, Where);

impl Body {
    fn panic_if(&self, place: Where) {
        if self.1 == place {
            resume_unwind(Box::new(()));
        }
    }
}

impl Bounded<f32, 2> for Body {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.panic_if(Where::Bounds);
        self.0
    }
    fn groups(&self) -> Groups {
        self.panic_if(Where::Groups);
        Groups::ALL
    }
    fn pairs_with(&self, other: &Self) -> bool {
        self.panic_if(Where::Filter);
        other.panic_if(Where::Filter);
        true
    }
}

#[test]
fn nothing_can_be_read_after_a_panic() {
    let mut walls = StaticSet::<f32, 2>::new();
    walls.par_build(&row(50));
    for n in [2, 40, 70, 3000] {
        for config in [Config::default(), grid_config(), grid_config().canonical_order(true)] {
            let mut engine = BroadPhase::<f32, 2>::with_config(config).unwrap();
            for (round, place) in [Where::Bounds, Where::Groups, Where::Filter].into_iter().cycle().take(12).enumerate() {
                let mut bodies: Vec<Body> = row(n).into_iter().map(|bounds| Body(bounds, Where::Nowhere)).collect();
                bodies[0].0 = Aabb::new([f32::NAN; 2], [0.0; 2]);
                assert_eq!(engine.over(&bodies).with(&walls).pairs().moving.len(), n - 2);
                assert_eq!((told(&engine).rejected, engine.stats().pairs), (1, n - 2));
                let culprit = if place == Where::Filter && n == 2 { continue } else { n - 1 };
                bodies[culprit].1 = place;
                let outcome = catch_unwind(AssertUnwindSafe(|| match round / 3 {
                    0 => engine.par_detect(&bodies).len(),
                    1 => engine.over(&bodies).with(&walls).serial().pairs().statics.len(),
                    2 if place == Where::Filter => resume_unwind(Box::new(())), // two sets have no filter
                    2 => engine.over(&bodies).against(&bodies).pairs().len(),
                    _ => engine.over(&bodies).visit(|| (), |(), _| ControlFlow::Continue(())).len(),
                }));
                assert!(outcome.is_err(), "{n} objects, {place:?}, round {round}");
                if round / 3 != 2 || place != Where::Filter {
                    assert_nothing(&engine);
                }
            }
        }
    }
}

/// The groups of a moving object are asked for again when it is compared with static ones: by then its pairs are stored.
#[test]
fn nothing_can_be_read_after_a_panic_in_the_search_of_statics() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Counted<'a>(Aabb<f32, 2>, &'a AtomicUsize);
    impl Bounded<f32, 2> for Counted<'_> {
        fn aabb(&self) -> Aabb<f32, 2> {
            self.0
        }
        fn groups(&self) -> Groups {
            if self.1.fetch_sub(1, Ordering::Relaxed) == 0 {
                resume_unwind(Box::new(()));
            }
            Groups::ALL
        }
    }
    let (mut walls, left) = (StaticSet::<f32, 2>::new(), AtomicUsize::new(usize::MAX));
    walls.par_build(&row(50));
    let bodies: Vec<Counted<'_>> = row(300).into_iter().map(|bounds| Counted(bounds, &left)).collect();
    let mut engine = BroadPhase::<f32, 2>::new();
    engine.over(&bodies).with(&walls).serial().pairs();
    let asked = usize::MAX - left.load(Ordering::Relaxed);
    for calls in 0..asked {
        left.store(calls, Ordering::Relaxed);
        assert!(catch_unwind(AssertUnwindSafe(|| engine.over(&bodies).with(&walls).serial().pairs().statics.len())).is_err());
        assert_nothing(&engine);
    }
}

#[test]
fn nothing_can_be_read_after_a_refusal() {
    for config in [Config::default(), Config::default().canonical_order(true)] {
        let mut engine = BroadPhase::<f32, 2>::with_config(config.max_bytes(400_000)).unwrap();
        assert_eq!(engine.try_par_detect(&row(500)).unwrap().len(), 499);
        engine.try_par_detect(&row(100_000)).unwrap_err();
        assert_nothing(&engine);
        assert_eq!(engine.try_par_detect(&row(500)).unwrap().len(), 499);
    }
}
