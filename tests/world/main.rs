//! Worlds: handles that come and go, events, queries, saving and restoring, all against a twin made of maps and brute force.

#[path = "../common/mod.rs"]
mod common;

mod bulk;
mod data;
mod fleet;
mod handles;
mod margins;
mod queries;
mod random;
#[cfg(feature = "serde")]
mod saved;
mod sweeps;
mod twin;
