//! `Config::max_bytes`: a step that needs more is refused with the need, and never answered in part.

use pivotgrid::{
    Aabb, BroadPhase, Config, DetectError, Handle, Lattice, Neighbors, Object, Periodic, PeriodicNeighbors, StaticSet, World,
};

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
            assert!(engine_holds <= limit as isize + UNCOUNTED, "{engine_holds} bytes with a limit of {limit}");
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

/// Objects of both kinds, handles, grids and pairs; and little more than the ended pairs and the slots when all of it is gone.
#[test]
fn a_world_tells_what_it_holds() {
    let account = Account::open();
    let before = account.live_bytes();
    let mut world = World::<f64, 2>::with_config(grid_config(), 0.1).unwrap();
    let mut handles = Vec::new();
    for (at, center) in (0..9000).map(|at| (at, [f64::from(at % 100), f64::from(at / 100)])) {
        let aabb = Aabb::around(center, [0.5; 2]);
        let handle = world.insert(if at % 3 == 0 { Object::new_static(aabb) } else { Object::new_moving(aabb) });
        handles.push(handle);
    }
    for _ in 0..3 {
        assert!(world.step().ongoing.len() + world.events().started.len() > 20_000);
    }
    let held = account.live_bytes() - before - (handles.capacity() * size_of::<Handle>()) as isize;
    let told = world.bytes() as isize;
    assert!((held - told).abs() < held / 20, "{held} bytes are held, {told} are told");
    world.remove_all(&handles).unwrap();
    world.step();
    world.shrink_to_fit();
    assert!(world.bytes() < told as usize / 5, "{} bytes of {told}", world.bytes());
}

/// What the limit does not follow: figures, and what the arenas of chunks round up, at most a page for each slab. Static objects in a
/// domain make three pools of slabs; 21 kilobytes were seen there, depending on how chunks fall to the workers.
const UNCOUNTED: isize = 40_000;

/// Takes a step, and again, with limits ever larger, until one is enough for all. After each, no more is held than the limit: by what is
/// told, and by what the allocator has given.
fn no_more_is_held_than_the_limit<T: Send>(
    what: &str,
    new: impl Fn(Config) -> T,
    step: impl Fn(&mut T) -> Result<usize, DetectError> + Sync,
    told: impl Fn(&T) -> usize,
) {
    let account = Account::open();
    for (threads, in_order) in [(1, true), (3, false)] {
        let pool = account.pool(threads);
        let config = grid_config().canonical_order(in_order);
        // A structure that holds nothing takes up to two kilobytes.
        let (mut limit, mut refused) = (3_000, 0);
        loop {
            let before = account.live_bytes();
            let mut tried = new(config.clone().max_bytes(limit));
            let mut is_enough = true;
            for round in 0..3 {
                let outcome = pool.install(|| step(&mut tried));
                let context = format!("{what}, {threads} threads, round {round}, limit {limit}");
                let (told, held) = (told(&tried), account.live_bytes() - before);
                assert!(told <= limit, "{told} bytes are told: {context}");
                assert!(held <= limit as isize + UNCOUNTED, "{held} bytes are held: {context}");
                match outcome {
                    Ok(found) => assert!(found > 1000, "{found} found: {context}"),
                    Err(DetectError::OverBudget { needed, max_bytes }) => {
                        assert!(max_bytes == limit && needed > limit, "{needed} needed, {max_bytes} allowed: {context}");
                        (refused, is_enough) = (refused + 1, false);
                    }
                    Err(other) => panic!("{other}: {context}"),
                }
            }
            if is_enough {
                break;
            }
            limit += limit / 30;
        }
        assert!(refused > 100 && limit < 20_000_000, "{what}: {refused} refusals up to {limit} bytes");
    }
}

/// Some in a crowd: many pairs, most of them with the same few objects.
fn crowded() -> Vec<Aabb<f32, 3>> {
    let mut scene = boxes(300);
    scene.extend(vec![Aabb::new([2.0; 3], [4.0; 3]); 60]);
    scene[3] = Aabb::new([0.0; 3], [9.0; 3]);
    scene[5].min[1] = f32::NAN;
    scene
}

#[test]
fn no_step_leaves_more_than_its_limit() {
    let (scene, mut statics) = (crowded(), StaticSet::<f32, 3>::new());
    statics.build(&scene[..200]);
    let new = |config| BroadPhase::<f32, 3>::with_config(config).unwrap();
    let told = |engine: &BroadPhase<f32, 3>| engine.stats().bytes;
    no_more_is_held_than_the_limit("pairs", new, |engine| Ok(engine.try_par_detect(&scene)?.len()), told);
    let between = |engine: &mut BroadPhase<f32, 3>| Ok(engine.over(&scene).against(&scene[100..]).try_pairs()?.len());
    no_more_is_held_than_the_limit("pairs of two sets", new, between, told);
    let with = |engine: &mut BroadPhase<f32, 3>| Ok(engine.over(&scene).with(&statics).try_pairs()?.statics.len());
    no_more_is_held_than_the_limit("pairs with static objects", new, with, told);
    let visit = |engine: &mut BroadPhase<f32, 3>| engine.over(&scene).with(&statics).try_fold(|| 0, |n, _| n + 1, |a, b| a + b);
    no_more_is_held_than_the_limit("visitors", new, visit, told);
}

#[test]
fn no_periodic_step_leaves_more_than_its_limit() {
    let (scene, mut statics) = (crowded(), StaticSet::<f32, 3>::new());
    statics.build(&scene[..200]);
    let domain = Aabb::new([0.0; 3], [11.0; 3]);
    let new = |config| Periodic::<f32, 3>::with_config(domain, [true; 3], config).unwrap();
    let told = |periodic: &Periodic<f32, 3>| periodic.stats().bytes;
    no_more_is_held_than_the_limit("periodic pairs", new, |periodic| Ok(periodic.try_par_detect(&scene)?.len()), told);
    let with = |periodic: &mut Periodic<f32, 3>| Ok(periodic.over(&scene).with(&statics).try_pairs()?.statics.len());
    no_more_is_held_than_the_limit("periodic pairs with static objects", new, with, told);
}

#[test]
fn no_search_for_neighbors_leaves_more_than_its_limit() {
    let scene = crowded();
    let points: Vec<[f32; 3]> = scene.iter().map(Aabb::center).collect();
    let new = |config| Neighbors::<f32, 3>::with_config(config).unwrap().distances(true).vectors(true).sorted(true);
    let told = |neighbors: &Neighbors<f32, 3>| neighbors.stats().bytes;
    let touching = |neighbors: &mut Neighbors<f32, 3>| Ok(neighbors.try_par_touching(&scene)?.indices().len());
    no_more_is_held_than_the_limit("boxes that touch", new, touching, told);
    let within = |neighbors: &mut Neighbors<f32, 3>| Ok(neighbors.try_par_within(&points, 1.5)?.indices().len());
    no_more_is_held_than_the_limit("points with a skin", |config| new(config).skin(0.25), within, told);
    let lattice = Lattice::new([[11.0, 0.0, 0.0], [3.0, 11.0, 0.0], [0.0, 0.0, 11.0]], [true; 3]).unwrap();
    let new = |config| new(config).shifts(true).skin(0.25).lattice(lattice);
    let told = |neighbors: &PeriodicNeighbors<f32, 3>| neighbors.stats().bytes;
    let within = |neighbors: &mut PeriodicNeighbors<f32, 3>| Ok(neighbors.try_par_within(&points, 1.5)?.neighbors());
    no_more_is_held_than_the_limit("points in a lattice", new, within, told);
    let touching = |neighbors: &mut PeriodicNeighbors<f32, 3>| Ok(neighbors.try_par_touching(&scene)?.neighbors());
    no_more_is_held_than_the_limit("boxes in a lattice", new, touching, told);
    let lattice = Lattice::new([[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0]], [true; 3]).unwrap();
    let new = |config| Neighbors::<f32, 3>::with_config(config).unwrap().lattice(lattice);
    let within = |neighbors: &mut PeriodicNeighbors<f32, 3>| Ok(neighbors.try_par_within(&points[..8], 2.5)?.neighbors());
    no_more_is_held_than_the_limit("points of many periods", new, within, told);
}

/// Objects go into a static set until it is full, one by one.
#[test]
fn no_static_set_holds_more_than_its_limit() {
    let account = Account::open();
    let pool = account.pool(1);
    let scene = boxes(4000);
    for limit in [3_000, 20_000, 60_000, 150_000, 400_000] {
        let before = account.live_bytes();
        let mut set = StaticSet::<f32, 3>::with_config(Config::default().max_bytes(limit)).unwrap();
        let mut refused = 0;
        for bounds in &scene {
            if refused < 100 {
                refused += usize::from(pool.install(|| set.try_insert(bounds)).is_err());
            }
            let held = account.live_bytes() - before;
            assert!(set.bytes() <= limit, "{} bytes are told, the limit is {limit}", set.bytes());
            assert!(held <= limit as isize + UNCOUNTED, "{held} bytes are held, the limit is {limit}");
        }
        assert!(refused > 0 && !set.is_empty(), "{refused} refusals, {} objects", set.len());
        // Up to 64 objects are a list. The first grid takes a few hundred kilobytes at once: a worker's survey of sizes, above all.
        assert!(limit < 400_000 || set.bytes() > limit / 2, "{} objects in {} bytes", set.len(), set.bytes());
        for number in 0..200 {
            let index = number % set.len() as u32;
            let _ = pool.install(|| set.try_update(index, &scene[number as usize]));
            assert!(set.bytes() <= limit, "{} bytes after an update, the limit is {limit}", set.bytes());
        }
        // A refusal costs the grids, each of which leaves up to two kilobytes behind.
        let _ = pool.install(|| set.try_par_rebuild());
        assert!(set.bytes() <= limit + 4096, "{} bytes after a rebuild, the limit is {limit}", set.bytes());
    }
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
