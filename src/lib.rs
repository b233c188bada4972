#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod aabb;
mod ball;
mod between;
mod bounded;
mod broad_phase;
mod build;
mod config;
mod debug_view;
mod detect;
mod engine;
mod grid;
mod groups;
#[allow(unsafe_code)]
mod lockfree;
mod memory;
mod neighbours;
mod objects;
mod pairs;
mod passes;
mod periodic;
#[allow(unsafe_code)]
mod plain;
mod prefetch;
mod query;
mod rejected;
mod scalar;
mod scope;
mod slips;
mod sorting;
mod statics;
mod stats;
mod step;
mod swept;
mod sync;
mod tracker;
mod workers;
mod world;

pub use aabb::Aabb;
pub use ball::Ball;
pub use bounded::Bounded;
pub use broad_phase::BroadPhase;
#[doc(hidden)]
pub use build::costs::Costs;
pub use build::costs::Predicted;
pub use config::{Config, ConfigError, InstructionSet};
pub use debug_view::{DebugBlock, DebugObject, DebugView};
pub use groups::Groups;
pub use neighbours::{NeighbourIter, NeighbourRows, Neighbours, PeriodicNeighbour, PeriodicNeighbours, PeriodicRows};
pub use pairs::{Iter, Pair, Pairs, ParIter};
pub use periodic::{
    Periodic, PeriodicError, PeriodicPair, PeriodicPairs, PeriodicQueries, PeriodicReason, PeriodicRejected, Shifted,
};
pub use query::{Hit, Neighbor, Queries, Ray, Rows, Sweep};
pub use rejected::{DetectError, MAX_OBJECTS, RejectReason, Rejected};
pub use scalar::Scalar;
#[cfg(planting)]
pub use slips::planting;
pub use statics::{PairsWithStatics, StaticSet};
pub use stats::{LevelStats, PassTimes, Stats};
pub use swept::Swept;
pub use tracker::{Events, PairTracker};
pub use world::{Handle, Mobility, Object, StaleHandle, World, WorldError, WorldHit, WorldQueries};
