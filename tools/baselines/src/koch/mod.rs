//! Christian Koch, "Implementation and Evaluation of Acceleration Structures for Inhomogeneous and Polydisperse Particle
//! Dynamics", Bachelorarbeit, Erlangen 2020: the structures of the waLBerla framework.

mod domain;
mod linked_cells;
mod octree;
mod tree;

pub use linked_cells::LinkedCells;
pub use octree::Octree;

use crate::Entry;
use crate::schornbaum::{HierarchicalHashGrid, Settings, Update};

/// The hash grid of sections 2.6 and 3.2: Schornbaum's with refilling, but with grids that keep their size, and without
/// all-pair tests for few objects. In space 128×128×128 cells, as in most of the benchmarks; in the plane, which the thesis
/// does not have, 1024×1024.
pub const HASH_GRID: Settings = Settings { factor: 2.0, bits: 21, cells_per_object: 0, all_pairs_up_to: 0, in_order: true };

/// The systems of the paper.
pub fn roster<const D: usize>() -> Vec<Entry<D>> {
    let entry = |name, make| Entry { paper: "koch", name, parallel: false, make };
    vec![
        entry("linked_cells", || Box::new(LinkedCells::<D>::default())),
        entry("octree", || Box::new(Octree::<D>::default())),
        entry("hash_grid_fixed", || Box::new(HierarchicalHashGrid::<D>::new(Update::Refill, HASH_GRID))),
    ]
}
