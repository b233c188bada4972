//! Two dimensions, double precision, an infinite ground, and a box that is broken. `cargo run --example two_dimensions`

use pivotgrid::{Aabb, BroadPhase};

fn main() {
    let infinite = f64::INFINITY;
    let boxes = [
        Aabb::new([-infinite, -infinite], [infinite, 0.0]), // the ground: everything below y = 0
        Aabb::new([1.0, 0.0], [2.0, 1.0]),                  // stands on it: boxes that touch overlap
        Aabb::new([1e30, -1.0], [1e30, 5.0]),               // a pole, without width, very far away
        Aabb::new([1.5, 1.5], [1.7, 1.6]),                  // in the air
        Aabb::new([0.0, 0.0], [f64::NAN, 1.0]),             // broken
    ];

    let mut broad_phase = BroadPhase::<f64, 2>::new();
    let pairs = broad_phase.par_detect(&boxes);
    for pair in pairs.sorted() {
        println!("{} overlaps {}", pair.a, pair.b);
    }
    for rejected in pairs.rejected() {
        println!("left out: {rejected}");
    }
}
