//! Smoothed particles: the density of a fluid in a periodic box, from neighbor lists. `cargo run --release --example sph_neighbors`

use pivotgrid::{Aabb, Neighbors, PeriodicError};
use rayon::prelude::*;

/// As far as a particle reaches.
const RADIUS: f32 = 0.1;

/// The poly6 kernel (Müller et al. 2003) of a squared distance.
fn kernel(squared: f32) -> f32 {
    let reach = RADIUS * RADIUS - squared;
    315.0 / (64.0 * std::f32::consts::PI * RADIUS.powi(9)) * reach.max(0.0).powi(3)
}

fn main() -> Result<(), PeriodicError> {
    // A cube of fluid, slightly stirred; its opposite faces are the same.
    let side = 30;
    let at = |k: usize, stir: usize| (k as f32 + 0.4 * (stir as f32 * 1.7).sin()) / side as f32;
    let mut particles: Vec<[f32; 3]> = (0..side * side * side)
        .map(|i| (i % side, i / side % side, i / side / side))
        .map(|(x, y, z)| [at(x, y + z), at(y, z + x), at(z, x + y)])
        .collect();
    let mass = 1000.0 / particles.len() as f32;

    let unit_cube = Aabb::new([0.0; 3], [1.0; 3]);
    // Kept between steps: it reuses its memory.
    let mut neighbors = Neighbors::<f32, 3>::new().periodic(unit_cube, [true; 3])?;
    for step in 0..3 {
        let rows = neighbors.par_within(&particles, RADIUS);
        let density = |(particle, row): (&[f32; 3], _)| {
            let of_others = Iterator::map(row, |other: pivotgrid::PeriodicNeighbor<3>| {
                let there = particles[other.index as usize];
                let along = |axis: usize| there[axis] + other.shift[axis] as f32 - particle[axis];
                kernel((0..3).map(|axis| along(axis).powi(2)).sum())
            });
            mass * (kernel(0.0) + of_others.sum::<f32>())
        };
        let densities: Vec<f32> = particles.par_iter().zip(rows.par_iter()).map(density).collect();

        let mean = densities.iter().sum::<f32>() / densities.len() as f32;
        let most = densities.iter().copied().fold(0.0, f32::max);
        let each = rows.neighbors() as f32 / rows.len() as f32;
        println!("step {step}: {each:.1} neighbors each, density {mean:.0} on average, {most:.0} at most");

        // They drift, and need not be put back into the box.
        particles.iter_mut().for_each(|[x, y, _]| *x += 0.4 * (*y * std::f32::consts::TAU).sin());
    }
    Ok(())
}
