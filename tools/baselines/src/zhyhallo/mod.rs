//! Zhyhallo & Woźna-Szcześniak: pivots in parallel and in chunks, and what they compare them with. Two-dimensional, as theirs.
//!
//! A pivot says where a cell's objects begin in the data table. The paper stops when the table is built; the search for pairs
//! here is the same for all: an object is in the cell of its `min` corner, and the cells after it that its box can reach are
//! searched.

mod chunked;
mod dense;
mod domain;
mod hash_map;
mod pool;
mod pozzer;
mod records;
mod search;
mod table;
#[cfg(test)]
mod tests;

pub use chunked::ChunkedPivots;
pub use dense::DensePivots;
pub use domain::Domain;
pub use hash_map::HashMapCells;
pub use pozzer::Pozzer;

use crate::Entry;

/// The systems of the paper: two-dimensional, as theirs.
pub fn roster() -> Vec<Entry<2>> {
    let entry = |name, parallel, make| Entry { paper: "zhyhallo", name, parallel, make };
    vec![
        entry("pozzer", false, || Box::new(Pozzer::new())),
        entry("dense_pivots", true, || Box::new(DensePivots::new())),
        entry("chunked_pivots", true, || Box::new(ChunkedPivots::new())),
        entry("hash_map", false, || Box::new(HashMapCells::new())),
    ]
}
