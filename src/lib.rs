#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod broad_phase;
mod build;
mod config;
mod debug_view;
mod detect;
mod engine;
mod faults;
mod geometry;
mod kernel;
mod layout;
#[allow(unsafe_code)]
mod lockfree;
mod neighbors;
mod pairs;
mod periodic;
mod query;
mod rejected;
mod request;
mod runtime;
mod sorting;
mod statics;
mod stats;
mod tracker;
mod world;

pub use broad_phase::BroadPhase;
#[doc(hidden)]
pub use build::plan::costs::Costs;
pub use build::plan::costs::Predicted;
pub use config::{Config, ConfigError, InstructionSet};
pub use debug_view::{DebugBlock, DebugObject, DebugView};
#[cfg(planting)]
pub use faults::planting;
pub use geometry::aabb::Aabb;
pub use geometry::ball::Ball;
pub use geometry::bounded::Bounded;
pub use geometry::groups::Groups;
pub use geometry::scalar::Scalar;
pub use geometry::swept::Swept;
pub use neighbors::{NeighborIter, NeighborRows, Neighbors, PeriodicNeighbor, PeriodicNeighbors, PeriodicRows, Reach};
pub use pairs::{AnyPair, CrossPair, Iter, Pair, Pairs, ParIter};
pub use periodic::{
    Lattice, Periodic, PeriodicError, PeriodicPair, PeriodicPairs, PeriodicQueries, PeriodicReason, PeriodicRejected, Shifted,
};
pub use query::{Hit, Neighbor, Queries, Ray, Rows, Sweep};
pub use rejected::{DetectError, MAX_OBJECTS, RejectReason, Rejected};
pub use request::{EitherPair, Filtered, Host, OneSet, Request, Source, TwoSets, WithStatics};
pub use runtime::objects::{FnObjects, WithBalls, WithGroups};
pub use runtime::team::ForkJoin;
pub use statics::{PairsWithStatics, StaticSet};
pub use stats::{LevelStats, PassTimes, Stats};
pub use tracker::{Events, PairTracker};
pub use world::{Handle, Mobility, Object, StaleHandle, World, WorldError, WorldHit, WorldQueries};
