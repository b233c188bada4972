//! Who takes part.

use crate::Entry;
use crate::house::{SortedGrid, Sweep};
use crate::literature::Literature;
use crate::rivals::{BroccoliTree, BvhCrate, ObvhsPloc, ParryRebuild, ParryRefit, Pivotgrid, RapierBvh, RstarTree};

/// One line of a roster: name, type, and whether there is a parallel form.
macro_rules! entry {
    ($name:literal, $rival:ty, parallel: $parallel:literal) => {
        Entry {
            name: $name.to_owned(),
            parallel: $parallel,
            make: Box::new(|resources| Box::new(<$rival>::new(resources.threads))),
        }
    };
    ($name:literal, $rival:ty, any instructions) => {
        Entry { name: $name.to_owned(), parallel: true, make: Box::new(|resources| Box::new(<$rival>::new(resources))) }
    };
}

/// Everybody who works in three dimensions, pivotgrid first.
pub fn roster_3d() -> Vec<Entry<3>> {
    vec![
        entry!("pivotgrid", Pivotgrid<3>, any instructions),
        entry!("sorted_grid", SortedGrid<3>, any instructions),
        entry!("sweep", Sweep<3>, any instructions),
        entry!("parry_rebuild", ParryRebuild, parallel: true),
        entry!("parry_refit", ParryRefit, parallel: true),
        entry!("rapier", RapierBvh, parallel: false),
        entry!("obvhs", ObvhsPloc, parallel: true),
        entry!("rstar", RstarTree<3>, parallel: true),
        entry!("bvh", BvhCrate<3>, parallel: true),
    ]
}

/// Everybody who works in two dimensions, pivotgrid first.
pub fn roster_2d() -> Vec<Entry<2>> {
    vec![
        entry!("pivotgrid", Pivotgrid<2>, any instructions),
        entry!("sorted_grid", SortedGrid<2>, any instructions),
        entry!("sweep", Sweep<2>, any instructions),
        entry!("rstar", RstarTree<2>, parallel: true),
        entry!("bvh", BvhCrate<2>, parallel: true),
        entry!("broccoli", BroccoliTree, parallel: false),
    ]
}

/// The systems of the papers that work in three dimensions, by paper and name: `schornbaum/hash_grid_refill`.
pub fn literature_3d() -> Vec<Entry<3>> {
    baselines::roster_3d().into_iter().map(Literature::entry).collect()
}

/// The systems of the papers that work in two dimensions.
pub fn literature_2d() -> Vec<Entry<2>> {
    baselines::roster_2d().into_iter().map(Literature::entry).collect()
}
