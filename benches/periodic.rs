//! What periods cost: a step over the same boxes without periods, in a periodic box, in a cell with the same sides as vectors, and in a
//! sheared one. Prints medians of wall times; rounds are interleaved.

mod common;

use std::hint::black_box;
use std::time::Instant;

use common::measuring;
use pivotgrid::{Aabb, BroadPhase, Lattice, Periodic};
use scenes::{Scene, World};

type Step = (&'static str, Box<dyn FnMut() -> usize + Send>);

fn steps(count: usize) -> Vec<Step> {
    let world = World::<f32, 3>::new(Scene::Uniform, count, 1);
    let boxes: Vec<Aabb<f32, 3>> = world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect();
    // All centers are inside, and what reaches beyond comes in on the other side.
    let center = |aabb: &Aabb<f32, 3>, axis: usize| 0.5 * (aabb.min[axis] + aabb.max[axis]);
    let low: [f32; 3] = std::array::from_fn(|axis| boxes.iter().map(|aabb| center(aabb, axis)).fold(f32::INFINITY, f32::min));
    let high: [f32; 3] =
        std::array::from_fn(|axis| boxes.iter().map(|aabb| center(aabb, axis)).fold(f32::NEG_INFINITY, f32::max));
    let edge: [f64; 3] = std::array::from_fn(|axis| f64::from(high[axis] - low[axis]));
    // A lattice begins at zero.
    let boxes: Vec<Aabb<f32, 3>> = boxes
        .iter()
        .map(|aabb| {
            Aabb::new(
                std::array::from_fn(|axis| aabb.min[axis] - low[axis]),
                std::array::from_fn(|axis| aabb.max[axis] - low[axis]),
            )
        })
        .collect();
    let cell = |lean: f64| Lattice::new([[edge[0], 0.0, 0.0], [lean * edge[0], edge[1], 0.0], [0.0, 0.0, edge[2]]], [true; 3]);
    let domain = Aabb { min: [0.0; 3], max: edge.map(|edge| edge as f32) };
    let (mut plain, mut in_box) = (BroadPhase::<f32, 3>::new(), Periodic::<f32, 3>::new(domain, [true; 3]).expect("a domain"));
    let mut upright = Periodic::<f32, 3>::of_lattice(cell(0.0).expect("a lattice"));
    let mut sheared = Periodic::<f32, 3>::of_lattice(cell(0.3).expect("a lattice"));
    let [own, of_box, of_upright] = [boxes.clone(), boxes.clone(), boxes.clone()];
    vec![
        ("without periods", Box::new(move || plain.par_detect(&own).len())),
        ("periodic box", Box::new(move || in_box.par_detect(&of_box).len())),
        ("lattice, upright", Box::new(move || upright.par_detect(&of_upright).len())),
        ("lattice, sheared", Box::new(move || sheared.par_detect(&boxes).len())),
    ]
}

fn main() {
    let (count, rounds) = if measuring() { (1_000_000, 11) } else { (2000, 1) };
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| {
            let mut steps = steps(count);
            let mut times = vec![Vec::new(); steps.len()];
            for round in 0..rounds + 3 {
                for ((_, step), times) in steps.iter_mut().zip(&mut times) {
                    let begin = Instant::now();
                    black_box(step());
                    if round >= 3 {
                        times.push(begin.elapsed().as_secs_f64() * 1e3);
                    }
                }
            }
            let medians: Vec<f64> = times
                .iter_mut()
                .map(|times| {
                    times.sort_by(f64::total_cmp);
                    times.get(times.len() / 2).copied().unwrap_or_default()
                })
                .collect();
            for ((name, step), median) in steps.iter_mut().zip(&medians) {
                println!("periodic/{threads}t {name:<18} {median:9.3} ms {:6.3}x {:9} pairs", median / medians[0], step());
            }
        });
    }
}
