//! pivotgrid across ranks: every pair of overlapping boxes of a scene that is shared out among many processes, each pair once, without
//! a ghost width.
//!
//! - [`Cluster`] takes the steps, one on each rank. [`Step`] is the result on a rank.
//! - [`Comm`] is its interface to a message-passing system. [`ThreadComm`] has the ranks as threads of one process; the package in
//!   `crates/cluster/mpi` has them as MPI processes. Nothing else depends on the choice.
//! - [`Partition`] maps a point of space to the rank that owns it.
//! - [`Cluster::migrate`] moves payloads to the ranks that own their objects.
//!
//! `docs/cluster.md` explains the scheme, proves that each pair is reported once, and has the figures.
//!
//! # The scheme
//!
//! Space is cut along a Morton curve into one interval per rank, by predicted work. Each box goes to every rank whose part of space
//! it touches. Each rank runs the ordinary step of [`BroadPhase`](pivotgrid::BroadPhase) on what it holds. A pair is reported by the rank
//! that owns the componentwise maximum of the two `min` corners: that point lies in both boxes, so that rank has both, and a point has
//! one owner.
//!
//! # A program
//!
//! ```
//! use pivotgrid::Aabb;
//! use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, Comm, ThreadComm};
//!
//! fn simulate<C: Comm>(comm: C) -> Result<usize, ClusterError> {
//!     let rank = comm.rank() as u64;
//!     // Ids and positions of the objects that this rank begins with, wherever they are.
//!     let mut ids: Vec<u64> = (0..500).map(|i| rank * 500 + i).collect();
//!     let mut positions: Vec<[f32; 2]> = ids.iter().map(|&id| [(id * 37 % 101) as f32, (id * 61 % 97) as f32]).collect();
//!     let mut cluster = Cluster::<f32, 2, C>::new(comm, ClusterConfig::default())?;
//!     let mut pairs = 0;
//!     for _ in 0..3 {
//!         let boxes: Vec<_> = positions.iter().map(|&center| Aabb::around(center, [0.6; 2])).collect();
//!         let step = cluster.step(&ids, &boxes)?;
//!         pairs = step.pairs().count(); // here the narrow phase goes
//!         positions.iter_mut().for_each(|position| position[0] += 0.1);
//!         cluster.migrate(&mut ids)?;
//!         cluster.migrate(&mut positions)?;
//!     }
//!     Ok(pairs)
//! }
//!
//! let pairs = |ranks| -> usize { ThreadComm::run(ranks, simulate).into_iter().map(|rank| rank.unwrap().unwrap()).sum() };
//! assert_eq!(pairs(4), {
//!     // The same objects on one rank.
//!     let ids: Vec<u64> = (0..2000).collect();
//!     let boxes: Vec<_> = ids.iter().map(|&id| Aabb::<f32, 2>::around([(id * 37 % 101) as f32 + 0.2, (id * 61 % 97) as f32], [0.6; 2])).collect();
//!     pivotgrid::BroadPhase::<f32, 2>::new().detect(&boxes).len()
//! });
//! ```

#![deny(unsafe_code)]
#![warn(missing_docs)]

mod agree;
mod bits;
mod cluster;
mod comm;
mod config;
mod coordinate;
mod core;
mod curve;
mod cut;
mod error;
mod held;
mod local;
mod migrate;
mod post;
mod recut;
mod route;
mod space;
mod stats;
mod step;
mod summary;
mod sync;
mod threads;
#[allow(unsafe_code)]
mod unfiltered;
mod wire;

pub use cluster::Cluster;
pub use comm::{Comm, CommError};
pub use config::ClusterConfig;
pub use coordinate::Coordinate;
pub use cut::Partition;
pub use error::ClusterError;
pub use stats::{ClusterStats, Phases};
pub use step::{GlobalPair, GlobalRejected, ShiftedPair, Step};
pub use threads::ThreadComm;
