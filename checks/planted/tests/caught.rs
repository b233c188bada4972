//! Plants every bug, one at a time, and takes steps on one scene after another until the oracle objects. Prints the table
//! bug → caught by → after how many steps; a bug that no check catches fails the test.
//!
//! `cargo test -p planted -- --nocapture` shows the table.

extern crate planted as pivotgrid;

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::panic::{self, AssertUnwindSafe};

use common::{Oracle, Placement, Rng, Scene, Sizes, difference, grid_config, pool};
use pivotgrid::{Aabb, Bounded, BroadPhase, Config, Costs, Groups, InstructionSet, planting};

/// A scene and how to step it.
struct Trial {
    name: &'static str,
    boxes: Boxes,
    threads: usize,
    set: InstructionSet,
    /// Whether some of the objects are in groups, from the second step on.
    grouped: bool,
}

enum Boxes {
    /// Objects per unit of volume, about.
    Random(Sizes, Placement, f64),
    /// Small ones, and among the first of them some that are longer.
    FewLong,
    /// Most of them in one chunk, too many for one worker to sort; the others around it.
    Crowd,
    /// One in forty is a hundred times as large as the others, and the planner counts the cost of comparisons only.
    TwoLevels,
}

const PLAIN: Trial = Trial {
    name: "uniform",
    boxes: Boxes::Random(Sizes::Mono, Placement::Uniform, 0.2),
    threads: 1,
    set: InstructionSet::Best,
    grouped: false,
};

const TRIALS: &[Trial] = &[
    PLAIN,
    Trial { name: "mixed sizes", boxes: Boxes::Random(Sizes::Poly, Placement::Uniform, 0.01), ..PLAIN },
    Trial { name: "mixed sizes, 4 threads", boxes: Boxes::Random(Sizes::Poly, Placement::Uniform, 0.01), threads: 4, ..PLAIN },
    Trial { name: "twelve decades", boxes: Boxes::Random(Sizes::Hyper, Placement::Uniform, 1e-4), ..PLAIN },
    Trial {
        name: "corners on integers",
        boxes: Boxes::Random(Sizes::Mono, Placement::Lattice, 0.2),
        set: InstructionSet::Portable,
        ..PLAIN
    },
    Trial { name: "clusters", boxes: Boxes::Random(Sizes::Mono, Placement::Clustered, 0.001), threads: 2, ..PLAIN },
    Trial { name: "long boxes in a plane", boxes: Boxes::Random(Sizes::LongAndFlat, Placement::Plane, 0.02), ..PLAIN },
    Trial { name: "a few long ones", boxes: Boxes::FewLong, ..PLAIN },
    Trial { name: "a crowd", boxes: Boxes::Crowd, threads: 2, ..PLAIN },
    Trial { name: "two levels", boxes: Boxes::TwoLevels, ..PLAIN },
    Trial {
        name: "groups",
        boxes: Boxes::Random(Sizes::Mono, Placement::Uniform, 1.0),
        grouped: true,
        set: InstructionSet::Portable,
        ..PLAIN
    },
];

const OBJECTS: usize = 1400;
const STEPS: usize = 6;
/// More than `CROWDED` in `src/build/sort/crowd.rs`.
const CROWD: usize = 9000;

struct Body {
    bounds: Aabb<f32, 3>,
    groups: Groups,
}

impl Bounded<f32, 3> for Body {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
}

/// The same as the oracle sees it, with the rule of the groups written a second time.
struct Seen<'a>(&'a Body);

impl Bounded<f32, 3> for Seen<'_> {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.0.bounds
    }
    fn pairs_with(&self, other: &Self) -> bool {
        let (one, other) = (self.0.groups, other.0.groups);
        let wants = |a: Groups, b: Groups| a.mask & b.member > 0;
        wants(one, other) && wants(other, one)
    }
}

impl Trial {
    /// The objects of a step: they jump about, some come, and a few are not right.
    fn bodies(&self, step: usize) -> Vec<Body> {
        let rng = &mut Rng(step as u64);
        let mut bodies: Vec<Body> = self.boxes(step).into_iter().map(|bounds| Body { bounds, groups: Groups::ALL }).collect();
        if self.grouped && step > 0 {
            for body in &mut bodies {
                body.groups = Groups::new(1 << rng.below(3), 1 << rng.below(3) | 1 << rng.below(3));
            }
        }
        for bad in [11, 500] {
            bodies[bad].bounds.min[bad % 3] = bodies[bad].bounds.max[bad % 3] + 2.0;
        }
        bodies[70].bounds.max[1] = f32::INFINITY;
        bodies[71].bounds.max = [f32::MAX; 3];
        bodies
    }

    fn boxes(&self, step: usize) -> Vec<Aabb<f32, 3>> {
        let (n, seed) = (OBJECTS + 40 * step, 7 + step as u64 / 2);
        let rng = &mut Rng(seed);
        match self.boxes {
            Boxes::Random(sizes, placement, density) => {
                let extent = (OBJECTS as f64 / density).cbrt();
                Scene { n, sizes, placement, extent, origin: -3.0, seed }.boxes()
            }
            Boxes::FewLong => (0..n)
                .map(|index| {
                    let center: [f32; 3] = std::array::from_fn(|_| rng.within(-15.0, 15.0) as f32);
                    Aabb::around(center, if index < 40 { [2.0, 0.3, 0.3] } else { [0.1, 0.3, 0.3] })
                })
                .collect(),
            Boxes::Crowd => (0..CROWD + n)
                .map(|index| {
                    let (extent, half) = if index < CROWD { (0.45, 0.01) } else { (20.0, 0.2) };
                    let center: [f32; 3] = std::array::from_fn(|_| rng.within(-extent, extent) as f32);
                    Aabb::around(center, [half; 3])
                })
                .collect(),
            // Fewer objects get one level and a list at most, whatever the costs.
            Boxes::TwoLevels => (0..4 * n)
                .map(|index| {
                    let center: [f32; 3] = std::array::from_fn(|_| rng.within(-30.0, 30.0) as f32);
                    Aabb::around(center, [if index % 40 == 0 { 5.0 } else { 0.05 }; 3])
                })
                .collect(),
        }
    }

    fn config(&self) -> Config {
        let mut config = grid_config().instruction_set(self.set);
        if let Boxes::Crowd = self.boxes {
            config = config.max_levels(1).cell_size(1.0);
        }
        if let Boxes::TwoLevels = self.boxes {
            config.costs = Costs { row: 0.0, run: 0.0, chunk: 0.0, look: 0.0, ..Costs::default() };
        }
        config
    }

    /// The step in which the engine is wrong, or panics.
    fn first_failure(&self) -> Option<usize> {
        let mut engine = BroadPhase::<f32, 3>::with_config(self.config()).expect("a valid config");
        (0..STEPS).find(|&step| {
            let bodies = self.bodies(step);
            let expected = Oracle::detect(&bodies.iter().map(Seen).collect::<Vec<_>>());
            let step = || pool(self.threads).install(|| difference(engine.par_detect(&bodies), &expected).is_some());
            panic::catch_unwind(AssertUnwindSafe(step)).unwrap_or(true)
        })
    }
}

/// Where the planted bug is caught: the trial, and after how many steps in all.
fn hunt() -> Option<(&'static str, usize)> {
    TRIALS.iter().enumerate().find_map(|(before, trial)| Some((trial.name, before * STEPS + trial.first_failure()? + 1)))
}

/// Or it would be no trial of what goes on between levels.
fn the_trial_of_two_levels_has_two() {
    let trial = TRIALS.iter().find(|trial| trial.name == "two levels").expect("there is one");
    let mut engine = BroadPhase::<f32, 3>::with_config(trial.config()).expect("a valid config");
    engine.detect(&trial.bodies(0));
    assert!(engine.stats().levels.len() >= 2, "{:?}", engine.stats().levels);
}

/// One test, since a planted bug is everywhere.
#[test]
fn every_planted_bug_is_caught() {
    the_trial_of_two_levels_has_two();
    assert_eq!(hunt(), None, "without a bug no check may fail");

    let usual = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    println!("\n{:22} {:28} steps", "planted", "caught by");
    let mut survivors = Vec::new();
    for bug in planting::passes() {
        planting::plant(Some(&bug));
        match hunt() {
            Some((trial, steps)) => println!("{bug:22} {trial:28} {steps:5}"),
            None => survivors.push(bug),
        }
    }
    planting::plant(None);
    panic::set_hook(usual);
    assert!(survivors.is_empty(), "survived: {survivors:?}");
    assert_eq!(hunt(), None, "a bug was left behind");
}
