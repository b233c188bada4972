//! Indices without an object.

use std::fmt;

/// The error for an index that no object of a [`StaticSet`](crate::StaticSet) has: its object was removed, or the index was never given
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StaleIndex {
    /// The index.
    pub index: u32,
}

impl fmt::Display for StaleIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no object of the static set has the index {}: it was removed, or never given out", self.index)
    }
}

impl std::error::Error for StaleIndex {}
