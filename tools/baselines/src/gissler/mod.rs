//! Gissler et al.: parallel uniform grids. A box is referenced from every cell that it overlaps, and two boxes are compared in
//! every cell that both overlap; the one cell that holds the least corner of their intersection reports the pair.
//!
//! All structures use cells of the same size, chosen as the paper does: [`CellSize`].

mod cuckoo;
mod index_sort;
mod numbering;
mod partition;
mod raster;
mod references;
mod spatial_hashing;
#[cfg(test)]
mod tests;

pub use cuckoo::CuckooHashing;
pub use index_sort::{CellOrder, IndexSort, Sorting};
pub use raster::CellSize;
pub use spatial_hashing::SpatialHashing;

use crate::Entry;

/// The systems of the paper.
pub fn roster<const D: usize>() -> Vec<Entry<D>> {
    let entry = |name, parallel, make| Entry { paper: "gissler", name, parallel, make };
    vec![
        entry("index_sort", true, || Box::new(IndexSort::new(Sorting::Comparison, CellOrder::Rows, CellSize::Edges))),
        entry("index_sort_radix", true, || Box::new(IndexSort::new(Sorting::Radix, CellOrder::Rows, CellSize::Edges))),
        entry("index_sort_z", true, || Box::new(IndexSort::new(Sorting::Comparison, CellOrder::Z, CellSize::Edges))),
        entry("cuckoo", true, || Box::new(CuckooHashing::new(CellSize::Edges))),
        entry("spatial_hashing", false, || Box::new(SpatialHashing::new(CellSize::Edges))),
    ]
}
