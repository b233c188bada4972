//! The atomics of the lock-free kit: std's (and the `atomic` crate's generic one), loom's when the kit is compiled into `loom_tests`, or
//! shuttle's in `checks/shuttle_tests`. The kit takes its atomics from here and from nowhere else, so the models run the shipped code.

#[cfg(not(loom))]
mod imp {
    pub(crate) use atomic::Atomic;
    pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    /// What loom watches for leaks; here it is the value itself.
    pub(crate) type Tracked<T> = T;

    pub(crate) fn tracked<T>(value: T) -> Tracked<T> {
        value
    }
}

#[cfg(loom)]
mod imp {
    #[cfg(not(shuttle))]
    pub(crate) use loom::alloc::Track as Tracked;
    pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

    #[cfg(not(shuttle))]
    pub(crate) fn tracked<T>(value: T) -> Tracked<T> {
        Tracked::new(value)
    }

    /// Shuttle goes by loom's name here, and has all of it but this.
    #[cfg(shuttle)]
    pub(crate) type Tracked<T> = T;

    #[cfg(shuttle)]
    pub(crate) fn tracked<T>(value: T) -> Tracked<T> {
        value
    }
}

pub(crate) use imp::*;
