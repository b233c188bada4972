//! Other variants of the systems, and the limits of their memory.

use super::*;
use crate::check::{Noise, agrees_through_changes, brute_force, pairs_of};
use crate::{Bounds, Entry, System};

#[test]
fn other_variants_agree_as_well() {
    let entry = |name, make| Entry { paper: "gissler", name, parallel: true, make };
    let variants: [Entry<2>; 5] = [
        entry("radix in z order", || Box::new(IndexSort::new(Sorting::Radix, CellOrder::Z, CellSize::Edges))),
        entry("fine cells", || Box::new(IndexSort::new(Sorting::Comparison, CellOrder::Rows, CellSize::Fixed(0.1)))),
        entry("coarse cells", || Box::new(IndexSort::new(Sorting::Comparison, CellOrder::Z, CellSize::Fixed(5.0)))),
        entry("cuckoo hashing with fine cells", || Box::new(CuckooHashing::new(CellSize::Fixed(0.1)))),
        entry("spatial hashing with coarse cells", || Box::new(SpatialHashing::new(CellSize::Fixed(5.0)))),
    ];
    variants.iter().for_each(agrees_through_changes);
}

/// Its references are too many to be looked up one by one.
#[test]
fn a_huge_box_may_move() {
    for entry in roster::<3>() {
        let mut system = (entry.make)();
        let mut boxes = Noise::new(3).boxes::<3>(1500, 300.0, 1.0..1.0);
        boxes[13] = Bounds { min: [-120.0; 3], max: [130.0; 3] };
        for step in 0..5 {
            assert!(pairs_of(&mut *system, &boxes) == brute_force(&boxes), "{}, step {step}", entry.name);
            boxes[13].min[0] += 9.0;
            boxes[13].max[0] += 9.0;
        }
    }
}

/// Buckets for a scene in which cells are shared are far too few for one in which they are not.
#[test]
fn cuckoo_hashing_survives_a_wrong_guess() {
    let mut noise = Noise::new(8);
    let mut system = CuckooHashing::<2>::new(CellSize::Fixed(1.0));
    for extent in [5.0, 5000.0] {
        let boxes = noise.boxes(4000, extent, 0.1..0.2);
        assert!(pairs_of(&mut system, &boxes) == brute_force(&boxes), "an extent of {extent}");
    }
}

/// With cells as fine as the configuration allows.
#[test]
fn memory_is_bounded_by_the_objects() {
    let mut boxes = Noise::new(9).boxes::<3>(2000, 1e5, 1e-3..2e-3);
    boxes[5].max = [4e4; 3];
    let systems: [Box<dyn System<3>>; 4] = [
        Box::new(IndexSort::new(Sorting::Comparison, CellOrder::Z, CellSize::Fixed(1e-3))),
        Box::new(IndexSort::new(Sorting::Radix, CellOrder::Rows, CellSize::Fixed(1e-3))),
        Box::new(CuckooHashing::new(CellSize::Fixed(1e-3))),
        Box::new(SpatialHashing::new(CellSize::Fixed(1e-3))),
    ];
    for mut system in systems {
        assert!(pairs_of(&mut *system, &boxes) == brute_force(&boxes));
        assert!(system.bytes() < 2000 * 1500, "{} bytes", system.bytes());
    }
}
