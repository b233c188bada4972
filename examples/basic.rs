//! Boxes in, pairs out. `cargo run --example basic`

use pivotgrid::{Aabb, BroadPhase};

fn main() {
    let names = ["house", "chimney", "bird"];
    let boxes = [
        Aabb::new([0.0, 0.0, 0.0], [9.0, 9.0, 6.0]),
        Aabb::new([4.0, 4.0, 5.5], [4.5, 4.5, 8.0]),
        Aabb::new([-7.0, 3.0, 5.0], [-6.9, 3.1, 5.1]),
    ];

    // Keep the engine between steps: its memory is reused.
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    for pair in broad_phase.par_detect(&boxes) {
        println!("{} and {} overlap", names[pair.a as usize], names[pair.b as usize]);
    }
}
