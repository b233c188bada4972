//! The atomics of the lock-free kit: std's (and the `atomic` crate's generic one), or loom's when the kit is compiled into
//! `loom_tests`, and shuttle's in `crates/shuttle_tests`. The kit takes its atomics from here and from nowhere else, so the models run the shipped code.

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

    /// Stands in for the `atomic` crate's generic atomic, which loom cannot see into.
    #[derive(Debug)]
    pub(crate) struct Atomic<T>(AtomicU64, std::marker::PhantomData<T>);

    impl<T: bytemuck::NoUninit + bytemuck::AnyBitPattern> Atomic<T> {
        pub(crate) fn new(value: T) -> Self {
            Atomic(AtomicU64::new(widen(value)), std::marker::PhantomData)
        }
        pub(crate) fn load(&self, order: Ordering) -> T {
            narrow(self.0.load(order))
        }
        pub(crate) fn store(&self, value: T, order: Ordering) {
            self.0.store(widen(value), order);
        }
        pub(crate) fn compare_exchange_weak(&self, old: T, new: T, success: Ordering, failure: Ordering) -> Result<T, T> {
            self.0.compare_exchange_weak(widen(old), widen(new), success, failure).map(narrow).map_err(narrow)
        }
    }

    fn widen<T: bytemuck::NoUninit>(value: T) -> u64 {
        let mut bytes = [0; 8];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        u64::from_le_bytes(bytes)
    }

    fn narrow<T: bytemuck::AnyBitPattern>(value: u64) -> T {
        bytemuck::pod_read_unaligned(&value.to_le_bytes()[..size_of::<T>()])
    }
}

pub(crate) use imp::*;
