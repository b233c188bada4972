//! The pairs are right in every space; the tests of work have single precision only.

use pivotgrid::BroadPhase;
use rayon::prelude::*;
use scenes::{Hostile, Scalar};

use crate::common::{Coordinate, assert_same};
use crate::measure::{Engine, SEED, converted, measure};
use crate::oracle;

const SIZE: usize = 3_000;

fn check<S: Coordinate + Scalar, const D: usize>() {
    let scenes = Hostile::ALL.par_iter().filter(|scene| scene.dimensions().contains(&D));
    scenes.for_each(|&scene| {
        measure::<S, D>(scene, SIZE, Engine::Kept);
    });
}

#[test]
fn in_single_precision() {
    check::<f32, 2>();
    check::<f32, 3>();
}

#[test]
fn in_double_precision() {
    check::<f64, 2>();
    check::<f64, 3>();
}

/// One engine sees all scenes, one after the other, twice: each has the plan of the last one behind it.
fn one_for_all<const D: usize>() {
    let mut broad_phase = BroadPhase::<f32, D>::new();
    for round in 0..2 {
        for scene in Hostile::ALL.iter().filter(|scene| scene.dimensions().contains(&D)) {
            let boxes = scene.boxes::<f32, D>(SIZE, SEED, round);
            let objects = converted(&boxes);
            assert_same(broad_phase.detect(&objects), &oracle::expected(&boxes), &format_args!("{scene} in {D}D, round {round}"));
        }
    }
}

#[test]
fn with_one_engine_for_all_scenes() {
    one_for_all::<2>();
    one_for_all::<3>();
}
