//! A data race on purpose. A sanitizer that stays silent about it was not switched on, and its silence about the rest means nothing.

use std::cell::UnsafeCell;
use std::sync::Barrier;

/// Promises what it does not keep.
struct Shared(UnsafeCell<u64>);

// SAFETY: none; that is the point. Two threads write without order, and nothing but a sanitizer run comes here.
unsafe impl Sync for Shared {}

pub(crate) fn run() {
    let shared = Shared(UnsafeCell::new(0));
    let shared = &shared;
    // Both at once: if one has ended before the other begins, starting the other may happen to put them in order.
    let start = Barrier::new(2);
    let count = || {
        start.wait();
        for _ in 0..100_000 {
            // SAFETY: none, see above. Volatile, so that the compiler does not make one addition of all of them.
            unsafe { shared.0.get().write_volatile(shared.0.get().read_volatile() + 1) };
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(count);
        scope.spawn(count);
    });
    // SAFETY: the threads are joined.
    println!("raced: {} of 200000 additions", unsafe { *shared.0.get() });
}
