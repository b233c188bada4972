//! A scene that moves: one engine, step after step, and what it says about itself. `cargo run --release --example every_frame`

use pivotgrid::{Aabb, BroadPhase};

const OBJECTS: usize = 50_000;
const WORLD: f32 = 60.0;

fn main() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let mut places: Vec<[f32; 3]> = (0..OBJECTS).map(|_| [(); 3].map(|_| WORLD * random())).collect();
    let velocities: Vec<[f32; 3]> = (0..OBJECTS).map(|_| [(); 3].map(|_| 0.2 * random() - 0.1)).collect();
    let mut boxes = Vec::with_capacity(OBJECTS);
    let mut broad_phase = BroadPhase::<f32, 3>::new();

    for frame in 0..10 {
        for (place, velocity) in places.iter_mut().zip(&velocities) {
            *place = std::array::from_fn(|axis| (place[axis] + velocity[axis]).rem_euclid(WORLD));
        }
        boxes.clear();
        boxes.extend(places.iter().map(|&place| Aabb::around(place, [0.5; 3])));

        let pairs = broad_phase.par_detect(&boxes).len();
        let stats = broad_phase.stats();
        let (time, levels) = (stats.times.total(), stats.levels.len());
        println!("frame {frame}: {pairs} pairs in {time:.1?}, {levels} level(s), {} bytes held", stats.bytes);
    }
}
