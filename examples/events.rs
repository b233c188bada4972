//! Pairs that begin and pairs that end, as boxes move through one another. `cargo run --example events`

use pivotgrid::{Aabb, BroadPhase, PairTracker};

fn main() {
    let names = ["cat", "dog", "fence", "mouse"];
    let speeds = [1.0, 0.5, 0.0, -1.0];
    let mut places = [0.0, 4.0, 8.0, 12.0];

    let mut broad_phase = BroadPhase::<f32, 2>::new();
    let mut tracker = PairTracker::new();
    for step in 0..16 {
        let boxes = places.map(|x| Aabb::around([x, 0.0], [0.8, 0.8]));
        let events = tracker.par_update(broad_phase.par_detect(&boxes).keyed_by(|index| names[index as usize]));
        for (one, other) in events.started {
            println!("step {step:2}: {one} and {other} meet");
        }
        for (one, other) in events.ended {
            println!("step {step:2}: {one} and {other} part");
        }
        for (place, speed) in places.iter_mut().zip(speeds) {
            *place += speed;
        }
    }
}
