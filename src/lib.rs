//! Every pair of overlapping boxes among up to millions of moving objects, each step, on all cores: a broad phase for physics engines,
//! games and particle codes.
//!
//! ```sh
//! cargo add pivotgrid
//! ```
//!
//! ```
//! use pivotgrid::{Aabb, BroadPhase, Pair};
//!
//! let mut broad_phase = BroadPhase::<f32, 3>::new(); // keep it between steps: its memory is reused
//! let mut boxes = [
//!     Aabb::new([0.0, 0.0, 0.0], [90.0, 90.0, 90.0]),    // a mountain
//!     Aabb::new([40.0, 40.0, 89.9], [40.2, 40.2, 90.1]), // a pebble on its top
//!     Aabb::new([-7.0, 3.0, 5.0], [-6.9, 3.1, 5.0]),     // a leaf beside it
//! ];
//! assert_eq!(broad_phase.par_detect(&boxes).sorted(), [Pair { a: 0, b: 1 }]);
//!
//! boxes[2] = Aabb::new([-0.1, 3.0, 5.0], [0.0, 3.1, 5.0]); // the leaf has drifted to the mountain's foot: touching counts
//! assert_eq!(broad_phase.par_detect(&boxes).len(), 2);
//! ```
//!
//! Each step builds a hierarchy of grids in parallel and without locks, and searches it. It keeps only memory, the plan of the levels, and
//! the order of the objects from the last step. Objects may have any sizes, move any distance, come and go.
//!
//! # I have … → use …
//!
//! | I have | use |
//! |---|---|
//! | a slice of boxes | [`Aabb`], [`BroadPhase::par_detect`] |
//! | a slice of bodies, particles, colliders | [`Bounded`] for that type |
//! | only the calling thread | [`BroadPhase::detect`] |
//! | objects by index, two sets, own threads, pairs that go straight to the narrow phase | [`BroadPhase::over`], a [`Request`] |
//! | too little memory, or input from strangers | [`BroadPhase::try_par_detect`], [`Config::max_bytes`] |
//! | rules for which objects may pair | [`Groups`], checked by the kernels; [`Bounded::pairs_with`], called per pair |
//! | balls that should pair exactly | [`Ball`], [`Bounded::ball`] |
//! | boxes that move far in a step | [`MovingBox`] |
//! | terrain and walls that rarely move | [`StaticSet`] |
//! | a need for events: pairs that started, go on or have ended | [`PairTracker`]; with data that lasts as long as a pair, [`PairMap`] |
//! | objects with handles instead of a slice | [`World`] |
//! | boxes, points, rays, moving boxes, balls to look up | [`BroadPhase::queries`], [`Queries`], [`Ray`], [`BoxCast`] |
//! | particles that need lists of neighbors | [`Neighbors`], [`Reach`] for radii of their own |
//! | a periodic domain | [`Periodic`], [`PeriodicNeighbors`]; sheared, or shorter than its objects: [`Periodic::of_lattice`], [`Lattice`] |
//! | a replay, or lockstep: one order for any number of threads | [`Config::canonical_order`] |
//! | a slow step, or a grid to look at | [`Stats`], [`BroadPhase::debug_view`] |
//!
//! # Promises
//!
//! - Every overlapping pair exactly once, and no other. Boxes are closed: touching counts.
//! - The same set for every number of threads, every instruction set and every history of the engine.
//! - A steady scene allocates nothing, from its third step on.
//! - Bad boxes (NaN, `min > max`) are listed in [`Pairs::rejected`] and cost no other object a pair.
//! - A panic of the user's code passes through; the engine works on the next call.
//!
//! `RELIABILITY.md` in the repository describes how each is tested, `SECURITY.md` what a hostile scene can do.
//!
//! # Types
//!
//! Coordinates are `f32` or `f64`, in two or three dimensions: [`BroadPhase<S, D>`](BroadPhase), with `f32` and 3 unless said otherwise.
//! Anything else does not compile. Points and corners are arrays, or types that convert into arrays, such as the vectors of glam, mint and
//! nalgebra. Objects are identified by their index, a `u32`.
//!
//! # Threads
//!
//! Methods that begin with `par_` run in the rayon pool in which they are called: inside `pool.install(..)` in that pool, otherwise in the
//! global one. Methods without `par_` run the same code with one worker, on the calling thread.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `serde` | no | `Serialize` and `Deserialize` for the plain types, and [`World`] |
//! | `profiling` | no | a scope per pass and worker for profilers such as puffin, Tracy or tracing, through the crate `profiling` |
//!
//! The minimum Rust version is 1.89. x86-64, 64-bit Arm and WebAssembly have vector kernels; every other machine runs portable ones.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod adjacency;
mod broad_phase;
mod build;
mod config;
mod debug_view;
mod detect;
mod engine;
mod faults;
mod geometry;
mod isa;
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
pub mod request;
mod runtime;
mod sorting;
mod statics;
mod stats;
mod tracker;
mod world;

pub use adjacency::{Adjacency, RowsOf, Shift};
pub use broad_phase::BroadPhase;
#[doc(hidden)]
pub use config::costs::Costs;
pub use config::{Config, ConfigError};
pub use debug_view::{DebugBlock, DebugObject, DebugView};
#[cfg(planting)]
pub use faults::planting;
pub use geometry::aabb::Aabb;
pub use geometry::ball::Ball;
pub use geometry::bounded::Bounded;
pub use geometry::groups::Groups;
pub use geometry::moving_box::MovingBox;
pub use isa::InstructionSet;
pub use isa::scalar::Scalar;
pub use neighbors::{NeighborIter, NeighborRows, Neighbors, PeriodicNeighbor, PeriodicNeighbors, PeriodicRows, Reach};
pub use order::{Reorder, SpatialOrder};
pub use pairs::{AnyPair, CrossPair, Iter, Pair, PairSource, Pairs, ParIter};
pub use periodic::{
    AnyPeriodicPair, Lattice, Periodic, PeriodicCrossPair, PeriodicError, PeriodicPair, PeriodicPairs, PeriodicPairsWithStatics,
    PeriodicQueries, PeriodicReason, PeriodicRejected, Shifted, WithoutShifts,
};
pub use query::{BoxCast, Filtered, Hit, InGroups, Neighbor, Queries, QueryFilter, Ray, Rows, Unfiltered};
pub use rejected::{DetectError, MAX_OBJECTS, RejectReason, Rejected};
pub use request::{EitherPair, Host, Request, Source};
pub use runtime::objects::{FnObjects, WithBalls, WithGroups};
pub use runtime::on::On;
pub use runtime::team::ForkJoin;
pub use sorting::PairSorter;
pub use statics::{PairsWithStatics, StaleIndex, StaticSet};
pub use stats::{LevelStats, PassTimes, Predicted, Stats, TrackTimes, WorldTimes};
pub use tracker::{
    Always, ByIndex, Changes, CrossMap, CrossTracker, DataMap, Events, InPeriods, Key, Keyed, KeyedPairs, OneSet, PairKind,
    PairMap, PairTracker, PeriodicCrossMap, PeriodicCrossTracker, PeriodicMap, PeriodicTracker, Touching, Tracker, TwoSets,
    TwoSetsInPeriods,
};
pub use world::{Handle, Mobility, Object, StaleHandle, World, WorldError, WorldHit, WorldNeighbor, WorldQueries};

/// The code of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
