//! Every interleaving of the lock-free kit, explored by loom. `README.md` in this package tells what the models show.
//!
//! The kit is compiled into this crate from the shipped files, with loom's atomics in place of std's.

// The models do not use all of the kit.
#[allow(dead_code, unused_imports)]
#[path = "../../src/faults.rs"]
mod faults;
#[allow(dead_code, unused_imports)]
#[path = "../../src/lockfree/mod.rs"]
mod lockfree;
mod models;
mod planted;

pub use models::report;
