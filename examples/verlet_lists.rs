//! Molecular dynamics in a sheared box: Lennard-Jones atoms, and neighbor lists with a margin that are made again only when some atom has
//! moved far enough. `cargo run --release --example verlet_lists`

use pivotgrid::{Lattice, Neighbors, PeriodicError};
use rayon::prelude::*;

const CUTOFF: f64 = 2.5;
const STEP: f64 = 0.004;

fn main() -> Result<(), PeriodicError> {
    let (side, spacing) = (14, 1.12);
    let edge = side as f64 * spacing;
    let lattice = Lattice::new([[edge, 0.0, 0.0], [0.25 * edge, edge, 0.0], [0.0, 0.1 * edge, edge]], [true; 3])?;
    let mut positions: Vec<[f64; 3]> = (0..side * side * side)
        .map(|i| [i % side, i / side % side, i / side / side].map(|k| (k as f64 + 0.5) / side as f64))
        .map(|at| std::array::from_fn(|axis| (0..3).map(|vector| at[vector] * lattice.vectors()[vector][axis]).sum()))
        .collect();
    let stir = |i: usize, axis: usize| 1.2 * ((i * 7 + axis * 13) as f64 * 1.7).sin();
    let mut velocities: Vec<[f64; 3]> = (0..positions.len()).map(|i| std::array::from_fn(|axis| stir(i, axis))).collect();

    // Kept between steps: it reuses its memory.
    let mut neighbors = Neighbors::<f64, 3>::new().skin(0.4).lattice(lattice);
    let (mut searches, steps) = (0, 100);
    for _ in 0..steps {
        if neighbors.par_needs_rebuild(&positions) {
            neighbors.par_within(&positions, CUTOFF);
            searches += 1;
        }
        let rows = neighbors.rows();
        let force = |i: usize| {
            let mut force = [0.0; 3];
            for near in rows.row(i) {
                let by = lattice.translation(near.shift);
                let to: [f64; 3] =
                    std::array::from_fn(|axis| positions[near.index as usize][axis] + by[axis] - positions[i][axis]);
                let square: f64 = to.iter().map(|x| x * x).sum();
                // The list has neighbors beyond the cutoff, too.
                if square <= CUTOFF * CUTOFF {
                    let inverse = 1.0 / (square * square * square);
                    let pull = 24.0 * inverse * (1.0 - 2.0 * inverse) / square;
                    force = std::array::from_fn(|axis| force[axis] + pull * to[axis]);
                }
            }
            force
        };
        let forces: Vec<[f64; 3]> = (0..rows.len()).into_par_iter().map(force).collect();
        for ((position, velocity), force) in positions.iter_mut().zip(&mut velocities).zip(&forces) {
            for axis in 0..3 {
                velocity[axis] += STEP * force[axis];
                position[axis] += STEP * velocity[axis];
            }
        }
    }
    println!("{steps} steps of {} atoms with {searches} searches", positions.len());
    Ok(())
}
