//! Florian Schornbaum, "Hierarchical Hash Grids for Coarse Collision Detection", Studienarbeit, Erlangen 2009.
//!
//! The hierarchical hash grid with both of its update strategies, and the two that it is measured against in section 4.5:
//! exhaustive search, and sweep and prune.

mod containers;
mod crowd;
mod detection;
mod exhaustive;
mod hash_grid;
mod hierarchical;
mod hierarchy;
mod offsets;
mod size;
mod sweep_and_prune;
mod unbounded;

pub(crate) use crowd::Crowd;
pub use exhaustive::Exhaustive;
pub use hierarchical::{HierarchicalHashGrid, Settings, Update};
pub(crate) use size::size;
pub use sweep_and_prune::SweepAndPrune;
pub(crate) use unbounded::Unbounded;

use crate::Entry;

/// The systems of the paper.
pub fn roster<const D: usize>() -> Vec<Entry<D>> {
    let entry = |name, make| Entry { paper: "schornbaum", name, parallel: false, make };
    vec![
        entry("hash_grid_refill", || Box::new(HierarchicalHashGrid::<D>::new(Update::Refill, Settings::default()))),
        entry("hash_grid_update", || Box::new(HierarchicalHashGrid::<D>::new(Update::MoveChanged, Settings::default()))),
        entry("exhaustive", || Box::new(Exhaustive)),
        entry("sweep_and_prune", || Box::new(SweepAndPrune::<D>::new())),
    ]
}
