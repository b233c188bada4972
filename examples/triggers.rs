//! Two sets: which bodies are in which trigger volumes. Bodies do not meet bodies here, nor triggers triggers.
//!
//! ```text
//! cargo run --release --example triggers
//! ```

use pivotgrid::{Aabb, Ball, BroadPhase};

fn main() {
    let triggers = [("door", Aabb::new([0.0, 0.0], [2.0, 3.0])), ("lift", Aabb::new([8.0, 0.0], [10.0, 9.0]))];
    let volumes = triggers.map(|(_, volume)| volume);
    let mut bodies: Vec<_> = (0..8).map(|i| Ball::new([-1.0 - 1.5 * i as f32, 1.0], 0.5)).collect();

    let mut broad_phase = BroadPhase::<f32, 2>::new();
    for step in 0..5 {
        println!("step {step}");
        for pair in broad_phase.over(&volumes).against(&bodies).pairs().sorted() {
            println!("  body {} is at the {}", pair.second, triggers[pair.first as usize].0);
        }
        bodies.iter_mut().for_each(|body| body.center[0] += 2.5);
    }
}
