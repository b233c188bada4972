//! Pouchol et al. 2009: hierarchical hashing for broad phases and neighbor search, and what they compare it with.
//!
//! All of them also answer queries, for the paper's figures 4 and 5: [`Queries`].

mod classes;
mod hierarchical;
mod kd_tree;
mod multilevel;
mod queries;
mod table;
#[cfg(test)]
mod tests;
mod uniform;

pub use hierarchical::HierarchicalHashing;
pub use kd_tree::KdTree;
pub use multilevel::MultilevelHashing;
pub use queries::{Queries, path};
pub use uniform::UniformHashing;

use crate::Entry;

/// The systems of the paper.
pub fn roster<const D: usize>() -> Vec<Entry<D>> {
    let entry = |name, make| Entry { paper: "pouchol", name, parallel: false, make };
    vec![
        entry("multilevel_hashing", || Box::new(MultilevelHashing::new())),
        entry("hierarchical_hashing", || Box::new(HierarchicalHashing::new())),
        entry("kd_tree", || Box::new(KdTree::new())),
        entry("uniform_hashing", || Box::new(UniformHashing::new())),
    ]
}
