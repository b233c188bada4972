//! Random schedules of 64 threads over the lock-free kit, by [shuttle](https://docs.rs/shuttle): what loom, which goes through all
//! schedules of up to five threads, cannot reach. Sequentially consistent only, so weak orderings are left to loom.
//!
//! `cargo test -p shuttle_tests` runs some thousand schedules; `SCHEDULES=100000` sets the number.

// The models do not use all of the kit.
#[allow(dead_code, unused_imports)]
#[path = "../../../src/faults.rs"]
mod faults;
#[allow(dead_code, unused_imports)]
#[path = "../../../src/lockfree/mod.rs"]
mod lockfree;

/// Which bug is planted in the kit just now.
mod planted {
    use std::cell::Cell;

    use crate::faults::Fault;

    // std's, not shuttle's: all threads of a schedule are coroutines on one thread, and so they all see it.
    thread_local! {
        pub(crate) static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    pub(crate) fn injected(bug: Fault) -> bool {
        PLANTED.get() == Some(bug)
    }
}

#[cfg(test)]
mod tests;
