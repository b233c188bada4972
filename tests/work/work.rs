//! The work of a step is bounded, except where the lists of `bound.rs` say that it is not yet.

use rayon::prelude::*;
use scenes::Hostile;

use crate::bound::{Cliff, KNOWN_CLIFFS, KNOWN_LARGE_CLIFFS, LARGE_SIZE, SIZE};
use crate::measure::{Engine, Figures, measure};

/// No scene but a crowded one has more pairs per object.
const MOST_PAIRS: usize = 20;

/// Scenes of all kinds that are not too expensive with 100 000 objects.
const LARGE: [Hostile; 13] = [
    Hostile::Sheets,
    Hostile::Sediment,
    Hostile::LogUniform,
    Hostile::Quadtree,
    Hostile::Levy,
    Hostile::Plates,
    Hostile::Weave,
    Hostile::Combs,
    Hostile::Stairs,
    Hostile::Hairline,
    Hostile::Threads,
    Hostile::Galaxy,
    Hostile::Stragglers,
];

fn measured(scene: Hostile, n: usize, dimensions: usize, engine: Engine) -> Figures {
    let figures = match dimensions {
        2 => measure::<f32, 2>(scene, n, engine),
        _ => measure::<f32, 3>(scene, n, engine),
    };
    let bounded = scene.is_crowded() || figures.pairs <= MOST_PAIRS * n;
    assert!(bounded, "{scene} in {dimensions}D has {} pairs among {n} objects: the scene is wrong", figures.pairs);
    figures
}

/// A scene, its dimension, and an engine.
type Case = (Hostile, usize, Engine);

/// Measures all cases, and compares those that exceed the bound with those that are listed.
fn assert_exactly(listed: &[Cliff], n: usize, cases: Vec<Case>) {
    let excess: Vec<f64> =
        cases.par_iter().map(|&(scene, dimensions, engine)| measured(scene, n, dimensions, engine).excess()).collect();
    let (mut wrong, mut truth) = (Vec::new(), Vec::<(Hostile, String)>::new());
    for (&(scene, dimensions, engine), excess) in cases.iter().zip(excess) {
        let cliff = listed.iter().find(|cliff| cliff.0 == scene.name());
        let known = cliff.is_some_and(|cliff| cliff.1.contains(&(dimensions, engine)));
        match (excess > 1.0, known) {
            (true, false) => wrong.push(format!("{scene} ({dimensions}, {engine:?}) is not listed: {excess:.2} of the bound")),
            (false, true) => wrong.push(format!("{scene} ({dimensions}, {engine:?}) is mended: {excess:.2} of the bound")),
            _ => {}
        }
        if excess > 1.0 {
            if truth.last().is_none_or(|last| last.0 != scene) {
                truth.push((scene, String::new()));
            }
            let case = format!("({dimensions}, {engine:?}), ");
            truth.last_mut().expect("pushed above").1 += &case;
        }
    }
    let list: String =
        truth.iter().map(|(scene, cases)| format!("    (\"{scene}\", &[{}]),\n", cases.trim_end_matches(", "))).collect();
    assert!(wrong.is_empty(), "with {n} objects:\n{}\n\nThe list that would be true:\n{list}", wrong.join("\n"));
}

fn cases(scenes: &[Hostile], engines: &[Engine]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &scene in scenes {
        for &dimensions in scene.dimensions() {
            cases.extend(engines.iter().map(|&engine| (scene, dimensions, engine)));
        }
    }
    cases
}

/// Every scene, dimension and engine in which the bound is exceeded is in the list, and nothing else.
#[test]
fn the_known_cliffs_are_all_there_are() {
    assert_exactly(KNOWN_CLIFFS, SIZE, cases(Hostile::ALL, &[Engine::Fresh, Engine::Kept]));
}

/// The same for larger numbers: what grows faster than the bound shows there.
#[test]
fn the_known_large_cliffs_are_all_there_are() {
    assert_exactly(KNOWN_LARGE_CLIFFS, LARGE_SIZE, cases(&LARGE, &[Engine::Fresh]));
}

/// A name that no scene has would never be noticed otherwise.
#[test]
fn the_lists_name_scenes_that_exist() {
    for list in [KNOWN_CLIFFS, KNOWN_LARGE_CLIFFS] {
        for (index, (name, cases)) in list.iter().enumerate() {
            let scene: Hostile = name.parse().expect("a scene of that name");
            for (dimensions, engine) in *cases {
                assert!(scene.dimensions().contains(dimensions), "{name} ({dimensions}, {engine:?})");
            }
            assert!(list[..index].iter().all(|other| other.0 != *name), "{name} is listed twice");
        }
    }
}
