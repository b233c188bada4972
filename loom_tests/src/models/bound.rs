//! The bound: the maximum is never lost.

use std::sync::Arc;

use super::{fork, model};
use crate::lockfree::Bound;

/// Two threads raise a bound, each to some values. It ends at the largest.
///
/// Catches a bound that is raised by load and store.
fn two_threads() {
    ends_at_maximum(f64::NEG_INFINITY, [&[-1.0, 3.0, 5.0], &[4.0, 2.0]], 5.0);
}
model!(two_threads, Complete, 302, catches { BoundTorn: "the maximum was lost" });

/// Three threads do.
///
/// Catches the same.
fn three_threads() {
    ends_at_maximum(f32::NEG_INFINITY, [&[-1.0, 3.0], &[2.0, 1.0], &[4.0, 0.5]], 4.0);
}
model!(three_threads, Preemptions(3), 2_572, catches { BoundTorn: "the maximum was lost" });

fn ends_at_maximum<S, const THREADS: usize>(lowest: S, values: [&'static [S]; THREADS], maximum: S)
where
    S: Copy + PartialOrd + bytemuck::NoUninit + bytemuck::AnyBitPattern + std::fmt::Debug + Send + Sync,
{
    let bound = Arc::new(Bound::new(lowest));
    let shared = bound.clone();
    fork(THREADS, move |worker| {
        for value in values[worker] {
            shared.raise(*value);
        }
    });
    assert_eq!(bound.get(), maximum, "the maximum was lost");
}
