//! One engine on one scene, and what it did.

use pivotgrid::{Aabb, BroadPhase, Stats};
use scenes::{Bounds, Hostile};

use crate::bound::{bound, work};
use crate::common::{Coordinate, assert_same};
use crate::oracle;

/// The seed of all scenes in these tests.
pub(crate) const SEED: u64 = 1;

/// The steps that a kept engine sees of a scene that moves; at step 3 some change all at once.
const STEPS: std::ops::Range<u64> = 0..6;

/// With or without history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// A new engine, its first step.
    Fresh,
    /// An engine that has seen a plain scene with as many objects, then this one: twice, or step after step if it moves.
    Kept,
}

/// What an engine did in one step, or in the worst of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) objects: usize,
    pub(crate) pairs: usize,
    pub(crate) work: u64,
    pub(crate) chunks: usize,
    pub(crate) listed: usize,
    pub(crate) repeats: usize,
}

impl Figures {
    fn of(stats: &Stats) -> Self {
        let &Stats { objects, pairs, chunks, oversized, repeats, .. } = stats;
        Figures { objects, pairs, work: work(stats), chunks, listed: oversized, repeats }
    }

    /// How many times the bound: above 1 it is exceeded.
    pub(crate) fn excess(&self) -> f64 {
        self.work as f64 / bound(self.objects, self.pairs).max(1.0)
    }

    fn worse(self, other: Self) -> Self {
        if other.excess() > self.excess() { other } else { self }
    }
}

/// Runs the scene, compares every step's pairs with the oracle's, and returns the worst step.
pub(crate) fn measure<S: Coordinate + scenes::Scalar, const D: usize>(scene: Hostile, n: usize, engine: Engine) -> Figures {
    let mut broad_phase = BroadPhase::<S, D>::new();
    if engine == Engine::Kept {
        broad_phase.detect(&converted(&Hostile::Reshuffled.boxes::<S, D>(n, SEED, 0)));
    }
    let steps = match engine {
        Engine::Fresh => 0..1,
        Engine::Kept if scene.moves() => STEPS,
        Engine::Kept => 0..2,
    };
    let (mut worst, mut known) = (Figures::default(), None);
    for step in steps {
        let boxes = scene.boxes::<S, D>(n, SEED, step);
        let boxes_of_engine = converted(&boxes);
        let found = broad_phase.detect(&boxes_of_engine);
        // What does not move has the same pairs at every step.
        if scene.moves() || known.is_none() {
            known = Some(oracle::expected(&boxes));
        }
        assert_same(
            found,
            known.as_ref().expect("made above"),
            &format_args!("{scene} in {D}D, {n} objects, {engine:?}, step {step}"),
        );
        worst = worst.worse(Figures::of(broad_phase.stats()));
    }
    worst
}

pub(crate) fn converted<S: Coordinate, const D: usize>(boxes: &[Bounds<S, D>]) -> Vec<Aabb<S, D>> {
    boxes.iter().map(|bounds| Aabb { min: bounds.min, max: bounds.max }).collect()
}
