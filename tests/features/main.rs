//! What stands around the pairs: static sets, sweeps, events, foreign types, saved types and the debug view.

#[path = "../common/mod.rs"]
mod common;

mod debug_view;
mod events;
mod interop;
#[cfg(feature = "serde")]
mod serde;
mod stale;
mod statics;
mod swept;
