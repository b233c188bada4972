//! Errors, which are errors on all ranks.

use std::fmt;

use crate::comm::CommError;

/// Why a collective call failed. It failed on **all** ranks, and no rank waits for another. After all but [`Comm`](Self::Comm) the
/// cluster stays usable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterError {
    /// Something failed on this rank: its memory was refused, the user's code panicked, or its arguments are invalid. If several ranks
    /// failed, it is the first of them.
    Failed {
        /// The rank.
        rank: usize,
        /// The message, of up to 248 bytes.
        message: String,
    },
    /// This rank has other settings, another coordinate type or another dimension than rank 0.
    Configuration {
        /// The first rank that differs.
        rank: usize,
    },
    /// This rank makes another call than rank 0, such as `migrate` instead of `step`.
    Call {
        /// The first rank that differs.
        rank: usize,
    },
    /// A rank was lost, or the message-passing system failed. No later call can succeed.
    Comm(CommError),
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClusterError::Failed { rank, message } => write!(f, "rank {rank} failed: {message}"),
            ClusterError::Configuration { rank } => {
                write!(f, "rank {rank} has another configuration, coordinate type or dimension than rank 0")
            }
            ClusterError::Call { rank } => write!(f, "rank {rank} makes another collective call than rank 0"),
            ClusterError::Comm(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ClusterError {}

impl From<CommError> for ClusterError {
    fn from(error: CommError) -> Self {
        ClusterError::Comm(error)
    }
}
