//! The foundation of every pass: a team of workers, memory that may be refused, results that can be read only when complete, the user's
//! objects, prefetches, huge pages, clocks, profiler scopes.

pub(crate) mod busy;
pub(crate) mod clock;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod on;
pub(crate) mod outcome;
mod pages;
pub(crate) mod prefetch;
pub(crate) mod scope;
pub(crate) mod team;
