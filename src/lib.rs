#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod aabb;
mod bounded;
mod broad_phase;
mod build;
mod config;
mod detect;
mod engine;
mod grid;
#[allow(unsafe_code)]
mod lockfree;
mod pairs;
mod passes;
mod prefetch;
mod rejected;
mod scalar;
mod stats;
mod sync;
mod workers;

pub use aabb::Aabb;
pub use bounded::Bounded;
pub use broad_phase::BroadPhase;
#[doc(hidden)]
pub use build::costs::Costs;
pub use config::{Config, ConfigError, InstructionSet};
pub use pairs::{Iter, Pair, Pairs, ParIter};
pub use rejected::{DetectError, MAX_OBJECTS, RejectReason, Rejected};
pub use scalar::Scalar;
pub use stats::{LevelStats, PassTimes, Stats};
