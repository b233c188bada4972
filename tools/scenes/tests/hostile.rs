//! What holds for every hostile scene. To see the pairs: `cargo test -p scenes --test hostile -- --nocapture --test-threads 1`

use std::collections::HashSet;

use scenes::{Bounds, Hostile, Scalar};

fn supported<const D: usize>() -> impl Iterator<Item = Hostile> {
    Hostile::ALL.iter().copied().filter(|scene| scene.dimensions().contains(&D))
}

#[test]
fn names_read_back() {
    let names: HashSet<&str> = Hostile::ALL.iter().map(|scene| scene.name()).collect();
    assert_eq!(names.len(), Hostile::ALL.len());
    for &scene in Hostile::ALL {
        assert_eq!(scene.to_string().parse(), Ok(scene));
        assert!(scene.describe().ends_with('.') && !scene.describe().contains('\n'), "{scene}");
    }
    let error = "flta".parse::<Hostile>().unwrap_err().to_string();
    assert!(error.contains("flta") && error.contains("flat, wire"), "{error}");
}

#[test]
#[should_panic(expected = "the scene weave exists in [3] dimensions, not in 2")]
fn a_scene_without_a_2d_form_says_so() {
    Hostile::Weave.boxes::<f32, 2>(10, 0, 0);
}

fn any_number<S: Scalar, const D: usize>() {
    for scene in supported::<D>() {
        for n in [0, 1, 2, 3, 100, 1_000] {
            for step in [0, 1, 3, 8, 1_000_000] {
                let boxes = scene.boxes::<S, D>(n, 5, step);
                assert_eq!(boxes.len(), n);
                for bounds in boxes {
                    let ordered = (0..D).all(|axis| bounds.min[axis] <= bounds.max[axis]);
                    assert!(ordered, "{scene} in {D}D, {n} objects, step {step}: {bounds:?}");
                }
            }
        }
    }
}

#[test]
fn boxes_are_valid_for_any_number_and_step() {
    any_number::<f32, 2>();
    any_number::<f64, 2>();
    any_number::<f32, 3>();
    any_number::<f64, 3>();
}

fn same_and_rounded<const D: usize>() {
    for scene in supported::<D>() {
        let boxes = scene.boxes::<f64, D>(300, 8, 2);
        assert_eq!(boxes, scene.boxes(300, 8, 2), "{scene}");
        let round = |corner: [f64; D]| corner.map(|x| x as f32);
        let rounded: Vec<_> = boxes.iter().map(|bounds| Bounds { min: round(bounds.min), max: round(bounds.max) }).collect();
        assert_eq!(scene.boxes::<f32, D>(300, 8, 2), rounded, "{scene}");
        let changed = (1..5).any(|step| scene.boxes::<f64, D>(300, 8, step) != scene.boxes(300, 8, 0));
        assert_eq!(changed, scene.moves(), "{scene} in {D}D");
    }
}

#[test]
fn the_same_seed_is_the_same_scene_and_f32_is_f64_rounded() {
    same_and_rounded::<2>();
    same_and_rounded::<3>();
}

/// The boxes of a seed must not change from one machine, compiler or commit to the next: the list of cliffs names only the scene.
#[test]
fn seeds_are_for_ever() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |x: f32| hash = (hash ^ u64::from(x.to_bits())).wrapping_mul(0x0100_0000_01b3);
    for scene in supported::<3>() {
        scene.boxes::<f32, 3>(1_000, 42, 5).iter().flat_map(|bounds| [bounds.min, bounds.max].concat()).for_each(&mut add);
    }
    for scene in supported::<2>() {
        scene.boxes::<f32, 2>(1_000, 42, 5).iter().flat_map(|bounds| [bounds.min, bounds.max].concat()).for_each(&mut add);
    }
    assert_eq!(hash, 0xe5e9_bbb0_34ba_2948, "the scenes have changed: old results can no longer be compared ({hash:#x})");
}

/// A sweep along x; quadratic in some of the scenes, and fast enough for some thousand boxes.
fn pairs<const D: usize>(boxes: &[Bounds<f32, D>]) -> usize {
    let mut sorted = boxes.to_vec();
    sorted.sort_by(|a, b| a.min[0].total_cmp(&b.min[0]));
    let mut count = 0;
    for (index, first) in sorted.iter().enumerate() {
        let reached = sorted[index + 1..].iter().take_while(|second| second.min[0] <= first.max[0]);
        count += reached.filter(|second| first.overlaps(second)).count();
    }
    count
}

fn bounded<const D: usize>() {
    const N: usize = 4_000;
    for scene in supported::<D>() {
        let steps = if scene.moves() { &[0, 3, 8, 24][..] } else { &[0] };
        for &step in steps {
            let per_object = pairs(&scene.boxes::<f32, D>(N, 1, step)) as f64 / N as f64;
            println!("{D}D {scene:<18} step {step:>2}: {per_object:.3} pairs per object");
            assert!(scene.is_crowded() || per_object <= 20.0, "{scene} in {D}D at step {step}: {per_object} pairs per object");
        }
    }
}

#[test]
fn pairs_are_bounded() {
    bounded::<2>();
    bounded::<3>();
}
