//! What stands around the pairs: static sets, sweeps, events, foreign types, saved types and the debug view.

#[path = "../common/mod.rs"]
mod common;

mod adjacency;
mod debug_view;
mod events;
mod interop;
mod keys;
mod kinds;
mod on;
mod order;
mod pair_data;
#[cfg(feature = "serde")]
mod serde;
mod sorted;
mod stale;
mod statics;
mod swept;
mod times;
