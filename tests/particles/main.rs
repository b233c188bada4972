//! Particles: neighbours within a radius, and pairs, questions and neighbours in a periodic domain.

#[path = "../common/mod.rs"]
mod common;

mod neighbours;
mod periodic;
mod periodic_casts;
mod periodic_nearest;
mod periodic_queries;
mod work;
