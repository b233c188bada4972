//! The native half of the Python package `pivotgrid`. The other half, in `pivotgrid/`, checks and converts arguments and has the
//! documentation; this one has the loops.
//!
//! Arrays come in as slices (`arrays.rs`) and are never copied here. The interpreter is released while the engine works (`threads.rs`).
//! Types that the engine has at compile time, scalar and dimension, are behind a `dyn` trait here: one in `broad_phase.rs`, one in
//! `neighbors.rs`, one in `statics.rs` and one in `recording.rs`.

mod arrays;
mod broad_phase;
mod errors;
mod lists;
mod neighbors;
mod objects;
mod queries;
mod recording;
mod statics;
mod threads;
mod tracker;
mod write;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::broad_phase::PyBroadPhase;
    #[pymodule_export]
    use super::lists::rows_to_lists;
    #[pymodule_export]
    use super::neighbors::PyNeighbors;
    #[pymodule_export]
    use super::recording::{PyRecorder, PyRecording};
    #[pymodule_export]
    use super::statics::PyStaticSet;
    #[pymodule_export]
    use super::tracker::PyTracker;
}
