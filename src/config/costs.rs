//! The prices that the planner calculates with.

/// Costs in nanoseconds, measured on one core (`cargo bench --bench planner` sweeps them); only their ratios matter, and only for
/// speed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Costs {
    /// Looking up a row's run of entries and starting on it.
    pub row: f64,
    /// Counting in and placing a run of objects of one cell.
    pub run: f64,
    /// Comparing a box with as many others as a kernel takes at once.
    pub compare: f64,
    /// Counting, summing, clearing and visiting a chunk.
    pub chunk: f64,
    /// Looking from a chunk for a chunk of another level.
    pub look: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Costs { row: 4.0, run: 8.0, compare: 3.0, chunk: 250.0, look: 40.0 }
    }
}
