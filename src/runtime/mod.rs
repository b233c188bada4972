//! What every pass runs on: a team of workers, memory that may be refused, the user's objects, prefetches, profiler scopes.

pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod prefetch;
pub(crate) mod scope;
pub(crate) mod team;
