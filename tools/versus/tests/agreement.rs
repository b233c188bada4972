//! Every rival finds the same pairs as the exhaustive search: otherwise its time says nothing.

use scenes::{Hostile, Scene, World};
use versus::{Bounds, Entry, Settings, contest, exhaustive, hostile_contest, literature_2d, literature_3d, roster_2d, roster_3d};

const STEPS: usize = 4;

/// Everybody, the papers' systems included.
fn everybody_3d() -> Vec<Entry<3>> {
    roster_3d().into_iter().chain(literature_3d()).collect()
}

fn everybody_2d() -> Vec<Entry<2>> {
    roster_2d().into_iter().chain(literature_2d()).collect()
}

fn boxes<const D: usize>(world: &World<f32, D>) -> Vec<Bounds<D>> {
    world.boxes().iter().map(|bounds| Bounds { min: bounds.min, max: bounds.max }).collect()
}

/// All rivals over several steps, so that those with a history use it.
fn all_agree<const D: usize>(roster: &[Entry<D>], steps: &[Vec<Bounds<D>>], threads: usize, what: &str) {
    let expected: Vec<_> = steps.iter().map(|boxes| exhaustive(boxes)).collect();
    for entry in roster.iter().filter(|entry| threads == 1 || entry.parallel) {
        let mut rival = entry.make(threads);
        for (step, (boxes, expected)) in steps.iter().zip(&expected).enumerate() {
            let found = rival.step(boxes);
            assert_eq!(found.pairs(), expected.len(), "{} in step {step} of {what}", entry.name);
            assert_eq!(found.sorted(), *expected, "{} in step {step} of {what}", entry.name);
        }
    }
}

fn on_all_scenes<const D: usize>(roster: &[Entry<D>], threads: usize) {
    for (place, scene) in Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D)).enumerate() {
        let mut world = World::new(scene, 500 + 100 * place, 5);
        let steps: Vec<_> = (0..STEPS)
            .map(|_| {
                world.step();
                boxes(&world)
            })
            .collect();
        all_agree(roster, &steps, threads, &format!("{scene} in {D}D on {threads} threads"));
    }
}

fn on_threads(threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        on_all_scenes(&everybody_3d(), threads);
        on_all_scenes(&everybody_2d(), threads);
    });
}

#[test]
fn on_one_thread() {
    on_threads(1);
}

#[test]
fn on_two_threads() {
    on_threads(2);
}

/// Unit boxes side by side: all contacts are touches, across faces, edges and corners. Then the whole block moves by its own
/// grid, so that they stay so.
fn touching<const D: usize>(side: usize, shift: f32) -> Vec<Bounds<D>> {
    let place = |index: usize, axis: usize| (index / side.pow(axis as u32) % side) as f32 + shift;
    let corner = |index: usize, far: f32| std::array::from_fn(|axis| place(index, axis) + far);
    (0..side.pow(D as u32)).map(|index| Bounds { min: corner(index, 0.0), max: corner(index, 1.0) }).collect()
}

#[test]
fn on_boxes_that_touch() {
    let steps = [touching::<3>(8, -4.0), touching(8, -3.0), touching(8, 0.5)];
    all_agree(&everybody_3d(), &steps, 1, "touching boxes in 3D");
    let steps = [touching::<2>(22, -4.0), touching(22, -3.0), touching(22, 0.5)];
    all_agree(&everybody_2d(), &steps, 1, "touching boxes in 2D");
}

#[test]
fn the_contest_gives_a_table() {
    let settings = Settings { steps: 2, ..Settings::default() };
    let table = contest(Scene::Poly12, 1_000, &roster_3d(), &settings);
    assert!(table.all_agree(), "{table}");
    assert_eq!(table.rows.len(), roster_3d().len());
    assert!(table.fastest_by_cpu().is_some() && table.pairs > 500, "{table}");
    assert_eq!(table.csv().lines().count(), table.rows.len());
}

#[test]
fn the_literature_takes_part_by_name() {
    let rivals = vec!["schornbaum/hash_grid_refill".to_owned()];
    let table = contest(Scene::Power, 1_000, &everybody_3d(), &Settings { steps: 1, rivals, ..Settings::default() });
    let names: Vec<&str> = table.rows.iter().map(|row| row.rival.as_str()).collect();
    assert_eq!(names, ["pivotgrid", "schornbaum/hash_grid_refill"]);
    assert!(table.all_agree(), "{table}");
}

/// Flat, infinite, tiny and moving: the lines of the hostile contest. Three rivals are enough, and all that is run by default.
#[test]
fn the_hostile_contest_gives_lines() {
    let settings = Settings { steps: 4, ..Settings::default() };
    for &scene in Hostile::ALL {
        let line = hostile_contest(scene, 600, &roster_3d(), &settings);
        let names: Vec<&str> = line.times.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["pivotgrid", "sweep", "parry_rebuild"]);
        assert!(line.agrees && line.ratio("sweep").is_some(), "{line:?}");
        if scene.dimensions().contains(&2) {
            let line = hostile_contest(scene, 600, &roster_2d(), &settings);
            assert!(line.agrees, "{line:?}");
        }
    }
}
