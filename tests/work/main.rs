//! No cliffs: on every hostile scene of `tools/scenes` the engine finds the pairs that a tree finds, and its *work* is bounded.
//!
//! The bound and the scenes that still exceed it are in `bound.rs`; `docs/hostile-scenes.md` has the figures of each scene, and
//! how to print them anew. Timings are never asserted.

#[path = "../common/mod.rs"]
mod common;

mod bound;
mod features;
mod measure;
mod oracle;
mod pairs;
mod replans;
mod rows;
mod search;
mod table;
mod work;
