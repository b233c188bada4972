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

#[cfg(test)]
mod tests {
    use super::roster;
    use crate::check;

    #[test]
    fn every_system_agrees_with_brute_force_through_all_changes() {
        roster::<2>().iter().for_each(check::agrees_through_changes);
        roster::<3>().iter().for_each(check::agrees_through_changes);
    }

    #[test]
    fn every_system_agrees_on_boxes_that_are_not_finite() {
        roster::<2>().iter().for_each(check::agrees_on_boxes_that_are_not_finite);
        roster::<3>().iter().for_each(check::agrees_on_boxes_that_are_not_finite);
    }
}
