//! The handles of the header. A handle is a number; 0 is no handle. A destroyed handle is always detected, whatever was created after it.

/// Finds all pairs of overlapping boxes of a scene, step after step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_broad_phase {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}

/// Objects that hardly ever move.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_static_set {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}

/// Turns the pairs of successive steps into pairs that started, go on, and ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_tracker {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}

/// A scene that the library keeps.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_world {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}

/// A broad phase in a domain that repeats itself.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_periodic {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}

/// Neighbor lists of particles.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_neighbors {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}

/// A place for the results of queries.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pg_results {
    /// For `pg_error_of`; 0 is no handle.
    pub id: u64,
}
