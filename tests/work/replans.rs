//! A plan follows the scene without oscillating.

use pivotgrid::BroadPhase;
use rayon::prelude::*;
use scenes::Hostile;

use crate::measure::{SEED, converted};

const SIZE: usize = 4_000;
const STEPS: u64 = 200;

/// The most plans in 200 steps, the first one included. Beside it what the engine of 2026-11-18 needed, in 2D and 3D; limits are
/// generous because a planner that looks before it searches may plan sooner, but should not plan more often than the scene changes.
const LIMITS: [(Hostile, usize); 16] = [
    // The law of sizes and densities never changes: 1 and 1 each.
    (Hostile::Tiles, 2),
    (Hostile::Rain, 4),
    (Hostile::Teleport, 2),
    (Hostile::Reshuffled, 2),
    // It changes once: 2 and 2 each.
    (Hostile::Implosion, 4),
    (Hostile::Explosion, 4),
    (Hostile::Shrink, 4),
    // The two clumps meet and part: 3 and 3.
    (Hostile::Collision, 8),
    // Slow change by a factor of 100, 2 % per step: 25 and 31, 25 and 32.
    (Hostile::SlowImplosion, 50),
    (Hostile::SlowExplosion, 50),
    // One in a hundred grows and shrinks: 2 and 19.
    (Hostile::Bubbles, 50),
    // The clump is elsewhere at every step: 4 and 61.
    (Hostile::Comet, 100),
    // 24 % per step, up and down: 100 and 100.
    (Hostile::Breathing, 150),
    // An axis disappears and comes back, 25 times: 64 and 51.
    (Hostile::Press, 100),
    // Another scene at every other step: 100 and 100.
    (Hostile::Flicker, 150),
    // Another scene at every step: 200 and 200.
    (Hostile::TurningRods, 200),
];

/// The steps at which the levels were chosen anew.
fn replans<const D: usize>(scene: Hostile, steps: u64) -> Vec<u64> {
    let mut broad_phase = BroadPhase::<f32, D>::new();
    let mut replanned = |&step: &u64| {
        broad_phase.detect(&converted(&scene.boxes::<f32, D>(SIZE, SEED, step)));
        broad_phase.stats().replanned
    };
    (0..steps).filter(|step| replanned(step)).collect()
}

#[test]
fn a_moving_scene_is_not_planned_more_often_than_it_changes() {
    LIMITS.into_par_iter().for_each(|(scene, limit)| {
        let plans = (replans::<2>(scene, STEPS).len(), replans::<3>(scene, STEPS).len());
        println!("{scene}: {plans:?} plans in {STEPS} steps, at most {limit}");
        assert!(plans.0 <= limit && plans.1 <= limit, "{scene}: {plans:?} plans in {STEPS} steps, at most {limit}");
    });
}

/// Every scene that moves has a limit.
#[test]
fn no_moving_scene_is_forgotten() {
    for scene in Hostile::ALL.iter().filter(|scene| scene.moves()) {
        assert!(LIMITS.iter().any(|limit| limit.0 == *scene), "{scene} has no limit");
    }
}

/// What rests gives no reason for another plan, once the first has been mended.
#[test]
fn a_resting_scene_is_planned_once() {
    const MENDED: u64 = 2;
    let resting: Vec<Hostile> = Hostile::ALL.iter().copied().filter(|scene| !scene.moves()).collect();
    resting.into_par_iter().for_each(|scene| {
        if scene.dimensions().contains(&2) {
            let late = replans::<2>(scene, 12).into_iter().find(|&step| step > MENDED);
            assert_eq!(late, None, "{scene} in 2D was planned anew at that step");
        }
        let late = replans::<3>(scene, 12).into_iter().find(|&step| step > MENDED);
        assert_eq!(late, None, "{scene} in 3D was planned anew at that step");
    });
}
