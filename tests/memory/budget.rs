//! `Config::max_bytes`: a step that needs more is refused with the need, and never answered in part.

use pivotgrid::{Aabb, BroadPhase, Config, DetectError, StaticSet};

use crate::account::Account;
use crate::common::{Oracle, Placement, Rng, Scene, Sizes, grid_config};

fn boxes(n: usize) -> Vec<Aabb<f32, 3>> {
    let extent = 1.6 * (n as f64).cbrt();
    Scene { n, sizes: Sizes::Poly, placement: Placement::Uniform, extent, origin: 0.0, seed: 5 }.boxes()
}

#[test]
fn any_limit_gives_all_pairs_or_an_error_with_the_need() {
    let account = Account::open();
    for (threads, in_order) in [(1, false), (4, false), (1, true), (4, true)] {
        let config = grid_config().canonical_order(in_order);
        let pool = account.pool(threads);
        let (scene, other) = (boxes(4000), boxes(50));
        let (expected, expected_other) = (Oracle::detect(&scene).pairs, Oracle::detect(&other).pairs);
        let (mut refused, mut limit) = (0, 50_000);
        loop {
            let held = account.live_bytes();
            let mut engine = BroadPhase::<f32, 3>::with_config(config.clone().max_bytes(limit)).unwrap();
            let outcome = pool.install(|| engine.try_par_detect(&scene).map(|pairs| pairs.sorted()));
            let engine_holds = account.live_bytes() - held - outcome.as_ref().map_or(0, |pairs| size_of_val(&pairs[..]) as isize);
            assert!(engine_holds <= limit as isize * 11 / 10, "{engine_holds} bytes with a limit of {limit}");
            match outcome {
                Ok(pairs) => {
                    assert!(pairs == expected, "a limit of {limit} lost pairs");
                    break;
                }
                Err(DetectError::OverBudget { needed, max_bytes }) => {
                    assert!(max_bytes == limit && needed > limit, "{needed} needed, the limit is {limit}");
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
            // A smaller scene still goes, where there is room for one.
            if limit > 400_000 {
                let found = pool.install(|| engine.try_par_detect(&other).map(|pairs| pairs.sorted()));
                assert!(found.as_ref() == Ok(&expected_other), "after a refusal: {found:?}");
            }
            limit += limit / 10;
        }
        assert!(
            refused > 5 && limit < 40 * expected.len() + 5_000_000,
            "{refused} refusals, {limit} bytes are enough on {threads} threads"
        );
    }
}

/// Who does what the error says gets an answer after a few tries, however many pairs there are.
#[test]
fn the_need_leads_to_a_limit_that_is_enough() {
    let rng = &mut Rng(6);
    let crowd: Vec<Aabb<f32, 2>> = (0..2000).map(|_| Aabb::around([rng.within(0.0, 3.0) as f32; 2], [1.0; 2])).collect();
    let expected = Oracle::detect(&crowd).pairs;
    let mut limit = 1;
    for attempt in 1.. {
        let mut engine = BroadPhase::<f32, 2>::with_config(Config::default().max_bytes(limit)).unwrap();
        match engine.try_par_detect(&crowd) {
            Ok(pairs) => {
                assert!(pairs.sorted() == expected);
                break;
            }
            Err(DetectError::OverBudget { needed, .. }) => limit = needed,
            Err(error) => panic!("{error}"),
        }
        assert!(attempt < 12, "still not enough: {limit} bytes");
    }
    assert!(limit >= 8 * expected.len() && limit < 12 * expected.len() + 1_000_000, "{limit} bytes");
}

/// What an engine says that it holds is what the allocator has given it, up to some hundredths that arenas round up.
#[test]
fn the_statistics_tell_how_much_is_held() {
    let account = Account::open();
    let rng = &mut Rng(8);
    // So far apart that nearly each has a chunk, and the directory counts; and so many in one place that there are many pairs.
    let mut scene: Vec<Aabb<f64, 2>> =
        (0..6000).map(|_| Aabb::around([rng.within(0.0, 1e6), rng.within(0.0, 1e6)], [0.5; 2])).collect();
    scene.extend(vec![Aabb::around([5.0, 5.0], [1.0; 2]); 300]);
    scene[7].min[0] = f64::NAN;
    let told = [false, true].map(|in_order| {
        let config = grid_config().exact_cell_size(1.0).max_levels(1).canonical_order(in_order);
        let before = account.live_bytes();
        let mut engine = BroadPhase::<f64, 2>::with_config(config).unwrap();
        for _ in 0..2 {
            assert_eq!(engine.detect(&scene).rejected().len(), 1);
        }
        assert!(engine.stats().chunks > 5000 && engine.stats().pairs > 40_000, "{:?}", engine.stats());
        let (held, told) = (account.live_bytes() - before, engine.stats().bytes as isize);
        assert!((held - told).abs() < held / 25, "{held} bytes are held, {told} are told");
        told
    });
    // Pairs in order are there twice, with two codes of 64 bits each.
    assert!(told[1] - told[0] > 40_000 * (8 + 16), "{told:?}");
}

/// The first refusal tells what all objects will take, and not only what the first of their columns does.
#[test]
fn the_first_need_is_that_of_all_columns() {
    let mut engine = BroadPhase::<f32, 3>::with_config(Config::default().max_bytes(1)).unwrap();
    match engine.try_par_detect(&boxes(4000)) {
        // A box as it is read with its segment's successor and its cell, twice its index, and its bounds in the table.
        Err(DetectError::OverBudget { needed, .. }) => assert!(needed >= 4000 * (24 + 4 + 1 + 8 + 24), "{needed} bytes"),
        other => panic!("{other:?}"),
    }
}

/// The other entries have no error to return: they panic with the same words, and the engine goes on.
#[test]
#[should_panic(expected = "but max_bytes is 100000")]
fn par_detect_panics_with_the_error() {
    let mut engine = BroadPhase::<f32, 3>::with_config(Config::default().max_bytes(100_000)).unwrap();
    engine.par_detect(&boxes(4000));
}

#[test]
#[should_panic(expected = "but max_bytes is 100000")]
fn detect_with_panics_with_the_error() {
    let mut engine = BroadPhase::<f32, 3>::with_config(Config::default().max_bytes(100_000)).unwrap();
    engine.over(&boxes(4000)).with(&StaticSet::new()).serial().pairs();
}
