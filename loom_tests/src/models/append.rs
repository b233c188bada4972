//! New elements behind a vector's: all are written, each by one thread, and the vector has them afterwards.

use super::{fork, model};
use crate::lockfree::{Room, append};

/// Two threads fill room for three elements in blocks of two. All are there, behind the one that was there before.
///
/// Catches blocks that are claimed, or elements that are counted, by load and store.
fn two_threads() {
    let mut numbers = vec![7];
    numbers.reserve(3);
    append(&mut numbers, 3, 2, |room| {
        // SAFETY: only the lifetimes change. `fork` joins its threads before it returns, and `append` lends the room for longer.
        let room: &'static Room<'static, u32> = unsafe { std::mem::transmute(room) };
        fork(2, move |_| room.fill(|number| number as u32));
    });
    assert_eq!(numbers, [7, 0, 1, 2]);
}
model!(
    two_threads,
    Complete,
    55,
    catches { CursorTorn: "not all elements were filled", FilledTorn: "not all elements were filled" }
);
