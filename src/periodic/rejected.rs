//! Errors in a domain, and in an object of it.

use std::fmt;

use crate::{ConfigError, MAX_OBJECTS, RejectReason, Rejected};

/// An object that was left out of a step in a periodic domain, and why. The pairs of all other objects are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PeriodicRejected {
    /// The object's index in the slice.
    pub index: usize,
    /// What was wrong with it.
    pub reason: PeriodicReason,
}

/// Why an object was left out of a periodic domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PeriodicReason {
    /// A reason that also holds without periods. (Ghosts count among the objects for [`RejectReason::BeyondIndex`].)
    Box(RejectReason),
    /// It is longer than the period along this axis, so it overlaps itself. In a [`Lattice`](crate::Lattice), and in the search for
    /// neighbors: it is longer than 98 periods along this vector, or would have more than 4096 images, most of them along this one.
    LargerThanPeriod {
        /// 0 is x, or the first vector.
        axis: u8,
    },
    /// It lies more than 2^29 periods outside of the domain along this axis, infinitely far away included.
    TooFarOut {
        /// 0 is x.
        axis: u8,
    },
}

impl PeriodicRejected {
    /// Whether it stands for this object and all objects after it.
    pub(super) fn is_beyond_index(&self) -> bool {
        self.reason == PeriodicReason::Box(RejectReason::BeyondIndex)
    }
}

impl fmt::Display for PeriodicRejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.index;
        match self.reason {
            PeriodicReason::Box(RejectReason::BeyondIndex) => {
                write!(f, "object {index} and all after it: more than {MAX_OBJECTS} objects and ghosts; split the scene")
            }
            PeriodicReason::Box(reason) => Rejected { index, reason }.fmt(f),
            PeriodicReason::LargerThanPeriod { axis } => {
                write!(f, "object {index}: its box is too long for the period along axis {axis}; enlarge the domain")
            }
            PeriodicReason::TooFarOut { axis } => {
                write!(f, "object {index}: its box is too many periods away along axis {axis}; wrap positions now and then")
            }
        }
    }
}

/// Why a periodic domain was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PeriodicError {
    /// Along this axis the domain is empty, not finite, or so long that the domain beside it is not.
    Period {
        /// 0 is x.
        axis: usize,
        /// Where the domain begins.
        low: f64,
        /// Where it ends.
        high: f64,
    },
    /// The vectors of a [`Lattice`](crate::Lattice) are not finite, or depend on each other.
    Lattice,
    /// The engine's settings are refused.
    Config(ConfigError),
}

impl fmt::Display for PeriodicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PeriodicError::Period { axis, low, high } => {
                write!(
                    f,
                    "the domain is {low}..{high} along periodic axis {axis}, but must be finite and not empty, with room for "
                )?;
                write!(f, "one more period on either side")
            }
            PeriodicError::Lattice => write!(f, "the vectors of a lattice must be finite, and none in the space of the others"),
            PeriodicError::Config(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PeriodicError {}

impl From<ConfigError> for PeriodicError {
    fn from(error: ConfigError) -> Self {
        PeriodicError::Config(error)
    }
}
