//! The C interface of pivotgrid. The header, `include/pivotgrid.h`, is made from this crate, and `README.md` describes its use.
//!
//! A call passes the border (`border.rs`, where panics end), finds its handle in the table (`table.rs`), turns the caller's pointers
//! into checked views (`memory.rs`, the only module with unsafe code, and `objects.rs`) and calls the engine (one module for each kind
//! of handle). Types that the engine has at compile time, scalar and dimension, are behind a `dyn` trait here.
#![allow(non_camel_case_types, reason = "the names of the header")]
#![allow(private_bounds, reason = "pointers of the header are made by C")]

mod border;
mod broad_phase;
mod handles;
mod memory;
mod neighbors;
mod objects;
mod periodic;
mod query;
mod settings;
mod statics;
mod status;
mod table;
mod tracker;
mod types;
mod world;

pub use border::*;
pub use broad_phase::*;
pub use handles::*;
pub use memory::{In, Out, User};
pub use neighbors::*;
pub use periodic::*;
pub use query::*;
pub use settings::*;
pub use statics::*;
pub use status::pg_status;
pub use tracker::*;
pub use types::*;
pub use world::*;
