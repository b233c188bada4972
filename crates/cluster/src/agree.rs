//! An error on one rank becomes an error on all.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

use crate::comm::Comm;
use crate::error::ClusterError;

/// The collective calls, as every rank announces them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    New = 1,
    Step,
    Migrate,
    Gather,
}

/// Words of an agreement: one for the call and whether this rank failed, and three for the call's own use.
pub(crate) const WORDS: usize = 4;
const FAILED: u64 = 1 << 32;
/// Words of a message: its length in bytes, and its bytes.
const MESSAGE: usize = 32;

/// Runs a part of a step that may fail or panic.
pub(crate) fn attempt<R>(part: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    panic::catch_unwind(AssertUnwindSafe(part)).unwrap_or_else(|payload| Err(said(payload.as_ref())))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.map_or_else(|| "a panic".to_owned(), |text| format!("a panic: {text}"))
}

/// Sends the state of this rank, and three words, to all ranks. Returns the outcome if no rank failed, with the words of all ranks in
/// `all`.
pub(crate) fn agree<C: Comm, R>(
    comm: &mut C,
    call: Call,
    outcome: Result<R, String>,
    words: [u64; WORDS - 1],
    all: &mut Vec<u64>,
) -> Result<R, ClusterError> {
    let first = call as u64 | if outcome.is_err() { FAILED } else { 0 };
    all.clear();
    all.resize(comm.size() * WORDS, 0);
    comm.all_gather(&[first, words[0], words[1], words[2]], all)?;
    let heads = || all.chunks_exact(WORDS).map(|rank| rank[0]);
    let calls = |head: u64| head & !FAILED;
    if let Some(rank) = heads().position(|head| calls(head) != calls(all[0])) {
        return Err(ClusterError::Call { rank });
    }
    match (heads().position(|head| head & FAILED != 0), outcome) {
        (None, Ok(result)) => Ok(result),
        (rank, outcome) => Err(tell(comm, rank.unwrap_or(comm.rank()), &outcome.err().unwrap_or_default())?),
    }
}

/// Sends the message of a failed rank to all ranks.
fn tell<C: Comm>(comm: &mut C, rank: usize, message: &str) -> Result<ClusterError, ClusterError> {
    let mut mine = [0; MESSAGE];
    let room = (MESSAGE - 1) * size_of::<u64>();
    let length = (0..=room.min(message.len())).rev().find(|&length| message.is_char_boundary(length)).unwrap_or(0);
    mine[0] = length as u64;
    bytemuck::cast_slice_mut::<u64, u8>(&mut mine[1..])[..length].copy_from_slice(&message.as_bytes()[..length]);
    let mut all = vec![0; MESSAGE * comm.size()];
    comm.all_gather(&mine, &mut all)?;
    let told = &all[rank * MESSAGE..][..MESSAGE];
    let bytes = &bytemuck::cast_slice::<u64, u8>(&told[1..])[..room.min(told[0] as usize)];
    Ok(ClusterError::Failed { rank, message: String::from_utf8_lossy(bytes).into_owned() })
}
