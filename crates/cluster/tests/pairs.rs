//! Jobs of threads against one engine.

mod suite;

use pivotgrid::Aabb;
use pivotgrid_cluster::{Coordinate, ThreadComm};
use proptest::prelude::*;
use suite::everywhere::{self, Runner};
use suite::{Job, Thing, things};

/// Each number of ranks in turn.
struct Threads;

impl Runner for Threads {
    fn check<S: Coordinate, const D: usize>(
        &self,
        job: &Job<S, D>,
        ranks: &[usize],
        frames: &[Vec<Thing<S, D>>],
        home: impl Fn(usize) -> usize + Sync,
    ) {
        for &ranks in ranks {
            let outcomes = ThreadComm::run(ranks, |comm| job.check(comm, frames, &home));
            for outcome in outcomes {
                outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).expect("no error");
            }
        }
    }
}

const ALL: [usize; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

#[test]
fn every_scene_on_1_to_16_ranks() {
    everywhere::every_scene::<f32, 3>(&Threads, &ALL);
}

#[test]
fn every_scene_in_double_precision() {
    everywhere::every_scene::<f64, 3>(&Threads, &[2, 7]);
}

#[test]
fn every_scene_in_the_plane() {
    everywhere::every_scene::<f32, 2>(&Threads, &[1, 3, 8]);
    everywhere::every_scene::<f64, 2>(&Threads, &[4, 13]);
}

#[test]
fn without_migration() {
    everywhere::without_migration(&Threads, &[2, 6]);
}

#[test]
fn periodic_scenes() {
    everywhere::periodic_scenes(&Threads, &[1, 2, 5, 16]);
}

#[test]
fn few_objects() {
    everywhere::few_objects(&Threads, &[1, 2, 8, 16]);
}

#[test]
fn random_scenes() {
    for seed in 0..100 {
        let ranks = [1 + seed as usize % 16];
        everywhere::random::<f32, 3>(&Threads, &ranks, seed);
        everywhere::random::<f64, 2>(&Threads, &ranks, seed + 1000);
        everywhere::random::<f32, 2>(&Threads, &ranks, seed + 2000);
        everywhere::random::<f64, 3>(&Threads, &ranks, seed + 3000);
    }
}

/// Bounds with few different values, so that boxes touch; some infinite.
fn boxes() -> impl Strategy<Value = Vec<Aabb<f32, 3>>> {
    let bound = prop_oneof![
        12 => (0..8i32).prop_map(|x| x as f32),
        2 => 0.0..8.0f32,
        1 => Just(f32::INFINITY),
        1 => Just(f32::NEG_INFINITY),
    ];
    let bounds = [bound.clone(), bound.clone(), bound.clone(), bound.clone(), bound.clone(), bound];
    let of = |x: [f32; 6]| {
        Aabb::new([x[0].min(x[1]), x[2].min(x[3]), x[4].min(x[5])], [x[0].max(x[1]), x[2].max(x[3]), x[4].max(x[5])])
    };
    prop::collection::vec(bounds.prop_map(of), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_boxes_on_any_ranks(first in boxes(), second in boxes(), ranks in 1..17usize, home in 1..17usize) {
        // The same number of objects in both steps, somewhere else.
        let count = first.len().min(second.len());
        let frames = [things(first[..count].to_vec()), things(second[..count].to_vec())];
        Threads.check(&Job::new(), &[ranks], &frames, |index| index % home);
    }
}
