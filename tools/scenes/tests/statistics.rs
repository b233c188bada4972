//! Every scene has the contacts it promises. To see them:
//! `cargo test -p scenes --test statistics -- --nocapture --test-threads 1`

use scenes::{Bounds, Scalar, Scene, World, terdiman};

/// A sweep along x: short enough to be trusted, fast enough for some ten thousand boxes.
fn pairs<S: Scalar, const D: usize>(boxes: &[Bounds<S, D>]) -> usize {
    let mut sorted = boxes.to_vec();
    sorted.sort_by(|a, b| a.min[0].partial_cmp(&b.min[0]).expect("finite boxes"));
    let mut count = 0;
    for (index, first) in sorted.iter().enumerate() {
        let reached = sorted[index + 1..].iter().take_while(|second| second.min[0] <= first.max[0]);
        count += reached.filter(|second| first.overlaps(second)).count();
    }
    count
}

/// Contacts per object, measured, as a part of what the scene promises for an endless domain.
fn measure<const D: usize>(scene: Scene, n: usize, steps: usize) -> f64 {
    let mut world = World::<f64, D>::new(scene, n, 2024);
    (0..steps).for_each(|_| world.step());
    let contacts = 2.0 * pairs(world.boxes()) as f64 / n as f64;
    let expected = scene.contacts(D);
    println!("{D}D {scene:<10} {n:>6} objects, step {steps:>2}: {contacts:.4} contacts each, promised {expected:.4}");
    contacts / expected
}

fn check<const D: usize>(scene: Scene) {
    // What the open borders take away: most where boxes are large against the domain.
    let border = match scene {
        Scene::Power => 0.65,
        Scene::Koch => 0.2,
        _ => 0.1,
    };
    let check = |n: usize, steps: usize| {
        // Pairs come by chance, so their number scatters like its own root.
        let chance = 4.0 / (scene.contacts(D) * n as f64 / 2.0).sqrt();
        let found = measure::<D>(scene, n, steps);
        let range = 1.0 - border - chance..1.0 + chance;
        assert!(range.contains(&found), "{scene} in {D}D with {n} objects at step {steps}: {found:.3} is not in {range:.3?}");
    };
    check(5_000, 0);
    check(20_000, 0);
    // Motion keeps the density where the density is everywhere the same.
    if !matches!(scene, Scene::Huge | Scene::Clustered | Scene::Pile) {
        check(20_000, 10);
    }
}

#[test]
fn contacts_in_2d() {
    Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&2)).for_each(check::<2>);
}

#[test]
fn contacts_in_3d() {
    Scene::ALL.into_iter().filter(|scene| scene.dimensions().contains(&3)).for_each(check::<3>);
}

#[test]
fn a_pile_has_six_to_eight_contacts() {
    for n in [5_000, 20_000] {
        for steps in [0, 1, 50] {
            let contacts = measure::<3>(Scene::Pile, n, steps) * Scene::Pile.contacts(3);
            assert!((6.0..8.0).contains(&contacts), "{n} objects after {steps} steps: {contacts}");
        }
    }
}

#[test]
fn terdiman_has_11811_pairs() {
    assert_eq!(pairs(&terdiman()), 11_811);
}
