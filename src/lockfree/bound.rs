//! A float that only grows.

use std::fmt;

use super::sync::{Atomic, Ordering};
use crate::faults::{Fault, injected};

/// The largest of all values it was raised to, by many threads. Generic over the float, which is what the `atomic` crate is for.
///
/// Relaxed throughout: the bound is read after the join, and until then only the value itself matters.
#[allow(dead_code, reason = "as above, in `mod.rs`")]
pub(crate) struct Bound<S>(Atomic<S>);

#[allow(dead_code, reason = "as above, in `mod.rs`")]
impl<S> Bound<S>
where
    S: Copy + PartialOrd + bytemuck::NoUninit + bytemuck::AnyBitPattern,
{
    pub(crate) fn new(lowest: S) -> Self {
        Bound(Atomic::new(lowest))
    }

    /// Raises the bound to `value` if that is larger. Lock-free: the exchange fails only if another thread raised the bound.
    pub(crate) fn raise(&self, value: S) {
        let mut seen = self.0.load(Ordering::Relaxed);
        while value > seen {
            if injected(Fault::BoundTorn) {
                return self.0.store(value, Ordering::Relaxed);
            }
            match self.0.compare_exchange_weak(seen, value, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }

    pub(crate) fn get(&self) -> S {
        self.0.load(Ordering::Relaxed)
    }
}

impl<S> fmt::Debug for Bound<S>
where
    S: Copy + PartialOrd + bytemuck::NoUninit + bytemuck::AnyBitPattern + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bound").field(&self.get()).finish()
    }
}
