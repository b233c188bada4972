//! All schedules of the thread transport, by loom. The file is the shipped one, compiled once more with loom's lock.

#[allow(dead_code, unreachable_pub)]
#[path = "../src/comm.rs"]
mod comm;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/threads.rs"]
mod threads;
/// What `src/sync.rs` is in the library.
mod sync {
    pub(crate) use loom::sync::{Arc, Condvar, Mutex};
}

use std::sync::atomic::{AtomicBool, Ordering};

use comm::{Comm, CommError};
use threads::{SLOTS, ThreadComm};

/// Runs a job on loom's threads, in every schedule with a bounded number of preemptions, or in all. Ranks that do not leave are dropped when
/// all have ended.
fn model(ranks: usize, slots: usize, preemptions: Option<usize>, work: fn(ThreadComm) -> Option<ThreadComm>) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 20_000;
    builder.check(move || {
        let mut jobs = ThreadComm::ranks_with_slots(ranks, slots).into_iter();
        let first = jobs.next().unwrap();
        let threads: Vec<_> = jobs.map(|comm| loom::thread::spawn(move || work(comm))).collect();
        let _first = work(first);
        let _others: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    });
}

/// Sends its rank and the number of the call to all, and checks what comes.
fn call(comm: &mut ThreadComm, number: u64) -> Result<(), CommError> {
    let size = comm.size();
    let mut all = vec![u64::MAX; size];
    comm.all_gather(&[number << 8 | comm.rank() as u64], &mut all)?;
    assert!(all.iter().enumerate().all(|(rank, &word)| word == number << 8 | rank as u64), "{all:?} in call {number}");
    Ok(())
}

/// Every message comes to its call, however far ahead a rank is.
fn three_calls(mut comm: ThreadComm) -> Option<ThreadComm> {
    (0..3).for_each(|number| call(&mut comm, number).unwrap());
    Some(comm)
}

fn two_calls(mut comm: ThreadComm) -> Option<ThreadComm> {
    (0..2).for_each(|number| call(&mut comm, number).unwrap());
    Some(comm)
}

#[test]
fn messages_come_to_their_calls() {
    model(2, SLOTS, None, three_calls);
    model(3, SLOTS, Some(2), two_calls);
}

/// With one slot a rank overtakes another in some schedule, and the model sees it.
#[test]
fn one_slot_is_not_enough() {
    static OVERTAKEN: AtomicBool = AtomicBool::new(false);
    model(2, 1, None, |mut comm| {
        let outcome = (0..3).try_for_each(|number| call(&mut comm, number));
        OVERTAKEN.fetch_or(matches!(outcome, Err(CommError::System(_))), Ordering::Relaxed);
        Some(comm)
    });
    assert!(OVERTAKEN.load(Ordering::Relaxed));
}

/// One rank leaves after its first call. The others get an error in their second, and none waits forever (loom reports that).
fn one_leaves(mut comm: ThreadComm) -> Option<ThreadComm> {
    call(&mut comm, 0).unwrap();
    if comm.rank() + 1 == comm.size() {
        return None;
    }
    assert!(matches!(call(&mut comm, 1), Err(CommError::Left { .. })));
    assert!(matches!(call(&mut comm, 2), Err(CommError::Left { .. })));
    // It is not dropped until the others have ended: what frees them is that it has left.
    Some(comm)
}

#[test]
fn a_rank_that_leaves_is_missed() {
    model(2, SLOTS, None, one_leaves);
    model(3, SLOTS, Some(2), one_leaves);
}

/// The last rank sends one word too many to rank 0, and to rank 0 only. That rank has an error in this call, the others have none; they
/// learn of it in the next, although rank 0 makes no further call and is not dropped.
fn one_has_an_error(mut comm: ThreadComm) -> Option<ThreadComm> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut counts = vec![1; size];
    if rank + 1 == size {
        counts[0] = 2;
    }
    let send = vec![7; counts.iter().sum()];
    let outcome = comm.exchange(&send, &counts, &mut vec![0; size], &vec![1; size]);
    if rank == 0 {
        assert_eq!(outcome, Err(CommError::Length { rank: size - 1, sent: 2, expected: 1 }));
    } else {
        assert_eq!(outcome, Ok(()));
        assert!(matches!(call(&mut comm, 1), Err(CommError::Left { .. })));
    }
    Some(comm)
}

#[test]
fn an_error_on_one_rank_frees_all() {
    model(2, SLOTS, None, one_has_an_error);
    model(3, SLOTS, Some(2), one_has_an_error);
}
