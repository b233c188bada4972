//! What holds for every scene, number and dimension.

use scenes::{Bounds, Scalar, Scene, World};

fn supported<const D: usize>() -> impl Iterator<Item = Scene> {
    Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&D))
}

fn assert_valid<S: Scalar, const D: usize>(scene: Scene, boxes: &[Bounds<S, D>]) {
    for bounds in boxes {
        for axis in 0..D {
            let (min, max): (f64, f64) = (bounds.min[axis].into(), bounds.max[axis].into());
            assert!(min.is_finite() && max.is_finite() && min < max, "{scene} in {D}D: {bounds:?}");
        }
    }
}

fn any_number<S: Scalar, const D: usize>() {
    for scene in supported::<D>() {
        for n in [0, 1, 2, 100, 1_000] {
            let mut world = World::<S, D>::new(scene, n, 5);
            assert_eq!(world.boxes().len(), n);
            assert_valid(scene, world.boxes());
            assert_valid(scene, &[world.domain()]);
            world.step();
            assert_eq!(world.boxes().len(), n);
            assert_valid(scene, world.boxes());
        }
    }
}

#[test]
fn boxes_are_valid_for_any_number() {
    any_number::<f32, 2>();
    any_number::<f64, 2>();
    any_number::<f32, 3>();
    any_number::<f64, 3>();
}

fn same_and_rounded<const D: usize>() {
    for scene in supported::<D>() {
        let mut first = World::<f64, D>::new(scene, 300, 8);
        let mut second = first.clone();
        let mut again = World::<f64, D>::new(scene, 300, 8);
        let mut single = World::<f32, D>::new(scene, 300, 8);
        let other = World::<f64, D>::new(scene, 300, 9);
        assert_ne!(first.boxes(), other.boxes(), "{scene}");
        for _ in 0..20 {
            [&mut first, &mut second, &mut again].into_iter().for_each(World::step);
            single.step();
            assert_eq!(first.boxes(), second.boxes(), "{scene}");
            assert_eq!(first.boxes(), again.boxes(), "{scene}");
            let round = |corner: [f64; D]| corner.map(|x| x as f32);
            let rounded: Vec<_> =
                first.boxes().iter().map(|bounds| Bounds { min: round(bounds.min), max: round(bounds.max) }).collect();
            assert_eq!(single.boxes(), rounded, "{scene}");
        }
    }
}

#[test]
fn the_same_seed_is_the_same_world_and_f32_is_f64_rounded() {
    same_and_rounded::<2>();
    same_and_rounded::<3>();
}

/// The boxes of a seed must not change from one machine, compiler or commit to the next: recorded results name only the seed.
#[test]
fn seeds_are_for_ever() {
    // FNV-1a, one coordinate at a time.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for scene in Scene::ALL {
        let mut world = World::<f32, 3>::new(scene, 1_000, 42);
        world.step();
        for bounds in world.boxes() {
            for x in [bounds.min, bounds.max].concat() {
                hash = (hash ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    assert_eq!(hash, 0x6f19_d294_d74b_a8b6, "the scenes have changed: old results can no longer be compared ({hash:#x})");
}

fn short_steps<const D: usize>() {
    for scene in supported::<D>() {
        let mut world = World::<f64, D>::new(scene, 1_000, 6);
        let domain = world.domain();
        for _ in 0..10 {
            let before = world.boxes().to_vec();
            world.step();
            for (old, new) in before.iter().zip(world.boxes()) {
                let mut square = 0.0;
                let mut shortest = f64::INFINITY;
                for axis in 0..D {
                    let edge = old.max[axis] - old.min[axis];
                    shortest = shortest.min(edge);
                    let center = (new.max[axis] + new.min[axis]) / 2.0;
                    assert!((-1e-9..=domain.max[axis] + 1e-9).contains(&center), "{scene} in {D}D left its domain: {new:?}");
                    // Around the domain the way is short, however long it looks.
                    let way = new.min[axis] - old.min[axis];
                    let length = domain.max[axis];
                    let way = way - (way / length).round() * length;
                    square += way * way;
                }
                let moved = f64::sqrt(square) / shortest;
                assert!(moved <= 0.2 + 1e-6, "{scene} in {D}D moved by {moved} of its size: {old:?} to {new:?}");
            }
        }
    }
}

#[test]
fn a_step_is_at_most_a_fifth_of_the_size() {
    short_steps::<2>();
    short_steps::<3>();
}

#[test]
fn a_world_can_be_slowed_and_stopped() {
    let world = World::<f64, 3>::new(Scene::Poly12, 100, 1);
    let mut resting = world.clone().slowed(0.0);
    resting.step();
    assert_eq!(resting.boxes(), world.boxes());

    let mut slow = world.clone().slowed(0.05);
    slow.step();
    for (old, new) in world.boxes().iter().zip(slow.boxes()) {
        let edge = old.max[0] - old.min[0];
        let way = (new.min[0] - old.min[0]).abs();
        assert!(way <= 0.01 * edge + 1e-9 || way > edge, "moved by {way} with an edge of {edge}");
    }
}
