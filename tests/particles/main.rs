//! Particles: neighbors within a radius, and pairs, questions and neighbors in a periodic domain.

#[path = "../common/mod.rs"]
mod common;

mod failures;
mod lattice;
mod lattice_queries;
mod long;
mod neighbors;
mod periodic;
mod periodic_casts;
mod periodic_nearest;
mod periodic_queries;
mod periodic_statics;
mod reach;
mod skin;
mod work;
