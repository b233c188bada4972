//! Contacts that remember: a spring that stretches while two grains slide along each other, kept for as long as they touch.
//! `cargo run --example contact_history`

use pivotgrid::{Ball, BroadPhase, PairMap};

/// What a contact law keeps of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Spring {
    stretch: f32,
    age: u32,
}

fn main() {
    let mut broad_phase = BroadPhase::<f32, 2>::new();
    let mut springs = PairMap::new();
    let mut places: Vec<[f32; 2]> = (0..5).map(|grain| [grain as f32 * 0.9, 0.0]).collect();
    let speeds = [0.3, 0.0, -0.1, 0.0, 0.2];
    for step in 0..8 {
        let grains: Vec<_> = places.iter().map(|&place| Ball::new(place, 0.5)).collect();
        let pairs = broad_phase.par_detect(&grains).keyed_by(|grain| grain);
        let changes = springs.par_update(pairs, |_new_contact| Spring::default());
        for (pair, spring) in changes.ended.iter().zip(changes.ended_values.iter()) {
            println!("step {step}: {pair:?} part after {} steps, stretched by {:.2}", spring.age, spring.stretch);
        }
        springs.par_for_each(|(a, b), spring| {
            spring.stretch += speeds[a as usize] - speeds[b as usize];
            spring.age += 1;
        });
        places.iter_mut().zip(speeds).for_each(|(place, speed)| place[1] += speed);
    }
    println!("{} contacts are left", springs.len());
}
