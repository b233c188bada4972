//! The pairs of one set against the oracle: every space, scalar, scene, number of threads and way to spoil the input.
//!
//! One binary, because the engine is generic: each binary compiles all of it again. A part of it: `cargo test --test pairs borders::`.

#[path = "../common/mod.rs"]
mod common;

mod bad_boxes;
mod bad_input;
mod balls;
mod borders;
mod canonical;
mod crowded;
mod extremes;
mod filters;
mod golden;
mod groups;
mod numbers;
mod one_set;
mod oracle;
mod panics;
mod properties;
mod threads;
