//! The value that is made when first needed: published once, complete, and freed once.

use std::sync::Arc;

use loom::alloc::Track;
use loom::sync::atomic::{AtomicU32, Ordering};

use super::{fork, model};
use crate::lockfree::Once;

/// A value that its maker fills after it was made, as a tree is built. Loom watches that it is freed.
struct Value {
    filled: AtomicU32,
    _tracked: Track<()>,
}

impl Value {
    fn new() -> Box<Self> {
        Box::new(Value { filled: AtomicU32::new(0), _tracked: Track::new(()) })
    }

    /// Relaxed: only publishing orders it.
    fn fill(&self, maker: u32) {
        self.filled.store(maker + 1, Ordering::Relaxed);
    }

    fn maker(&self) -> u32 {
        self.filled.load(Ordering::Relaxed).checked_sub(1).expect("an unfinished value was seen")
    }
}

/// What a query does: it takes what is published, or makes it, in the memory of the spare if there is one.
fn get(once: &Once<Value>, maker: u32) -> u32 {
    let make = || {
        let value = once.take_spare().unwrap_or_else(Value::new);
        value.fill(maker);
        once.publish(value)
    };
    let seen = once.get().unwrap_or_else(make).maker();
    let again = once.get().expect("what is published stays").maker();
    assert_eq!(seen, again, "two values were published");
    seen
}

/// Two threads need the value. Both may make it; both see the same one, complete. Loom watches that the loser's is freed, too.
///
/// Catches a value published by a plain store, without release, or read without acquire, by the loser or later; a loser's value
/// that is lost.
fn two_threads() {
    one_value(2);
}
model!(
    two_threads,
    Complete,
    39,
    catches {
        OnceByStore: "two values were published",
        OncePublishRelaxed: "Causality violation",
        OnceReadRelaxed: "Causality violation",
        OnceLoserRelaxed: "Causality violation",
        OnceLoserLeaked: "leaked",
    }
);

/// Three threads do.
///
/// Catches a value published by a plain store.
fn three_threads() {
    one_value(3);
}
model!(three_threads, Preemptions(3), 1_594, catches { OnceByStore: "two values were published" });

fn one_value(threads: usize) {
    let once = Arc::new(Once::new());
    let shared = once.clone();
    let seen = fork(threads, move |worker| get(&shared, worker as u32));
    assert!(seen.iter().all(|maker| *maker == seen[0]), "two values were published: {seen:?}");
}

/// The value of the step before is the spare. Two threads need the next one: only one gets the spare's memory.
///
/// Catches a value that is read without acquire.
fn next_step() {
    let mut once = Once::new();
    get(&once, 7);
    once.retire();
    let once = Arc::new(once);
    let shared = once.clone();
    let seen = fork(2, move |worker| get(&shared, worker as u32));
    assert!(seen[0] == seen[1] && seen[0] < 2, "an old value was seen: {seen:?}");
}
model!(next_step, Complete, 39, catches { OnceReadRelaxed: "an old value was seen" });

/// Two threads want the spare. One gets it.
///
/// Catches a spare that is taken by load and store.
fn one_spare() {
    let mut once = Once::new();
    get(&once, 7);
    once.retire();
    let once = Arc::new(once);
    // As pointers: two boxes of one value must not be dropped.
    let taken = fork(2, move |_| once.take_spare().map(|spare| Box::into_raw(spare) as usize));
    let taken: Vec<usize> = taken.into_iter().flatten().collect();
    assert_eq!(taken.len(), 1, "one spare went to two threads");
    // SAFETY: the pointer came from `Box::into_raw`, and there is only this one.
    drop(unsafe { Box::from_raw(taken[0] as *mut Value) });
}
model!(one_spare, Complete, 4, catches { OnceSpareTorn: "one spare went to two threads" });

/// One thread loses the race and leaves its value as the spare, while another takes a spare: it gets a complete one, or none.
///
/// Catches a spare that is taken without acquire.
fn spare_of_a_loser() {
    let once = Arc::new(Once::new());
    once.publish(Value::new());
    let shared = once.clone();
    fork(2, move |worker| {
        if worker == 0 {
            let mine = Value::new();
            mine.fill(5);
            shared.publish(mine);
        } else if let Some(spare) = shared.take_spare() {
            assert_eq!(spare.maker(), 5);
        }
    });
}
model!(spare_of_a_loser, Complete, 4, catches { OnceSpareRelaxed: "Causality violation" });
