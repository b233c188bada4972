//! What the planner takes things to cost, and what it expects of the levels it chose.

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
    /// Looking from a chunk into a coarser level.
    pub look: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Costs { row: 4.0, run: 8.0, compare: 3.0, chunk: 250.0, look: 150.0 }
    }
}

/// What the planner expected a step with its levels to cost, in nanoseconds of one core: the sum it made as small as it could.
///
/// Only what depends on the choice of levels is in it, and not what every step does for every object whatever the levels are,
/// such as reading its box and writing its entry. All 0 where there was nothing to choose: see
/// [`Config::all_pairs_up_to`](crate::Config::all_pairs_up_to).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Predicted {
    /// Counting in and placing the objects, cell by cell.
    pub runs: f64,
    /// Counting, summing, clearing and visiting the chunks.
    pub chunks: f64,
    /// Comparing objects with those of their own level.
    pub within: f64,
    /// Comparing objects with those of coarser levels, and looking for them from every finer chunk.
    pub across: f64,
    /// Comparing with the objects that are meant to have no level.
    pub listed: f64,
}

impl Predicted {
    /// The parts with their names.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        let Predicted { runs, chunks, within, across, listed } = *self;
        [("runs", runs), ("chunks", chunks), ("within", within), ("across", across), ("listed", listed)]
    }

    /// All parts together.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, cost)| cost).sum()
    }
}
