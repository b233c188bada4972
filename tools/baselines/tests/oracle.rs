//! Every system against brute force, on every scene, step after step, and after the scene has changed completely.

use baselines::{Bounds, Entry, Pairs, roster_2d, roster_3d};
use pivotgrid::Pair;
use scenes::{Scene, World};

fn boxes<const D: usize>(world: &World<f32, D>) -> Vec<Bounds<D>> {
    world.boxes().iter().map(|bounds| Bounds { min: bounds.min, max: bounds.max }).collect()
}

fn brute_force<const D: usize>(boxes: &[Bounds<D>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (b, second) in boxes.iter().enumerate() {
        for (a, first) in boxes[..b].iter().enumerate() {
            if (0..D).all(|axis| first.min[axis] <= second.max[axis] && second.min[axis] <= first.max[axis]) {
                pairs.push(Pair { a: a as u32, b: b as u32 });
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn check<const D: usize>(entry: &Entry<D>, scenes: &[(Scene, usize)]) {
    let mut system = (entry.make)();
    let mut pairs = Pairs::default();
    for &(scene, n) in scenes {
        let mut world = World::<f32, D>::new(scene, n, 5);
        for step in 0..4 {
            let boxes = boxes(&world);
            pairs.clear();
            system.update(&boxes);
            system.report(&boxes, &mut pairs);
            pairs.found.sort_unstable();
            assert!(pairs.found == brute_force(&boxes), "{} on {scene} with {n} objects, step {step}", entry.name);
            world.step();
        }
    }
}

fn all_scenes(dimension: usize) -> Vec<(Scene, usize)> {
    let mut sizes = [1500, 700, 0, 1100, 1, 2, 1500].into_iter().cycle();
    Scene::ALL
        .into_iter()
        .filter(|scene| scene.dimensions().contains(&dimension))
        .map(|scene| (scene, sizes.next().unwrap_or(9)))
        .collect()
}

#[test]
fn all_agree_with_brute_force_in_2d() {
    roster_2d().iter().for_each(|entry| check(entry, &all_scenes(2)));
}

#[test]
fn all_agree_with_brute_force_in_3d() {
    roster_3d().iter().for_each(|entry| check(entry, &all_scenes(3)));
}

#[test]
fn each_scene_alone_agrees_as_well() {
    for scene in all_scenes(2) {
        roster_2d().iter().for_each(|entry| check(entry, &[(scene.0, 900)]));
    }
    for scene in all_scenes(3) {
        roster_3d().iter().for_each(|entry| check(entry, &[(scene.0, 900)]));
    }
}
