//! The interface to a message-passing system.

use std::fmt;

/// The ranks of a job, as one of them sees the others. Every call is *collective*: all ranks make the same calls in the same order, and a
/// call returns on a rank only after that rank has received everything.
///
/// Words are `u64`: all messages of this crate are whole numbers of them, so they are aligned on both sides.
///
/// One transport ships with the crate, [`ThreadComm`](crate::ThreadComm); the other, MPI, is a package of its own (`crates/cluster/mpi`),
/// because its build needs an MPI installation. An implementation promises one thing beyond the obvious: **no rank waits for a rank that
/// has left**. It gets a [`CommError`] instead, and so does every later call on that rank.
pub trait Comm {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Sends `send_counts[r]` words to each rank `r` and receives `receive_counts[r]` words from it. Both buffers hold the parts in
    /// the order of the ranks, without gaps. A rank sends to itself too.
    fn exchange(
        &mut self,
        send: &[u64],
        send_counts: &[usize],
        receive: &mut [u64],
        receive_counts: &[usize],
    ) -> Result<(), CommError>;

    /// Sends an equal part of `send` to each rank; `receive` gets one part of each.
    fn all_to_all(&mut self, send: &[u64], receive: &mut [u64]) -> Result<(), CommError> {
        let counts = vec![send.len() / self.size(); self.size()];
        self.exchange(send, &counts, receive, &counts)
    }

    /// Sends all of `mine` to each rank; `all` gets the words of each, in the order of the ranks.
    fn all_gather(&mut self, mine: &[u64], all: &mut [u64]) -> Result<(), CommError> {
        let counts = vec![mine.len(); self.size()];
        self.exchange(&mine.repeat(self.size()), &counts, all, &counts)
    }
}

/// Why a collective call failed. The communicator is useless afterwards: every later call fails as well.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommError {
    /// A rank has left: it panicked, ended early, or lost another rank itself.
    Left {
        /// The rank that is missing.
        rank: usize,
    },
    /// A rank sent a number of words that this one does not expect: the ranks do not make the same calls.
    Length {
        /// The rank that sent them.
        rank: usize,
        /// Words that came.
        sent: usize,
        /// Words that were expected.
        expected: usize,
    },
    /// An error of the message-passing system.
    System(String),
}

impl fmt::Display for CommError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommError::Left { rank } => write!(f, "rank {rank} has left the job"),
            CommError::Length { rank, sent, expected } => {
                write!(f, "rank {rank} sent {sent} words where {expected} were expected: the ranks do not make the same calls")
            }
            CommError::System(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for CommError {}
