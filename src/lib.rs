#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod adjacency;
mod between;
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
mod order;
mod pairs;
mod periodic;
mod query;
mod rejected;
mod runtime;
mod sorting;
mod statics;
mod stats;
mod tracker;
mod world;

pub use adjacency::{Adjacency, RowsOf, Shift};
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
pub use order::{Reorder, SpatialOrder};
pub use pairs::{AnyPair, CrossPair, Iter, Pair, PairSource, Pairs, ParIter};
pub use periodic::{
    Lattice, Periodic, PeriodicError, PeriodicPair, PeriodicPairs, PeriodicQueries, PeriodicReason, PeriodicRejected, Shifted,
    WithoutShifts,
};
pub use query::{Hit, Neighbor, Queries, Ray, Rows, Sweep};
pub use rejected::{DetectError, MAX_OBJECTS, RejectReason, Rejected};
pub use sorting::PairSorter;
pub use statics::{PairsWithStatics, StaticSet};
pub use stats::{LevelStats, PassTimes, Stats, TrackTimes, WorldTimes};
pub use tracker::{
    Always, Changes, CrossMap, CrossTracker, DataMap, Events, InPeriods, Key, Keyed, KeyedPairs, OneSet, PairKind, PairMap,
    PairTracker, PeriodicMap, PeriodicTracker, Touching, Tracker, TwoSets,
};
pub use world::{Handle, Mobility, Object, StaleHandle, World, WorldError, WorldHit, WorldQueries};
