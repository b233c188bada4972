//! A panic at a certain call, whichever thread makes it.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[derive(Debug)]
pub struct Fuse {
    left: AtomicUsize,
    is_burnt: AtomicBool,
}

impl Fuse {
    /// Burns through at the call of this number, counted from 0; `usize::MAX` is never reached.
    pub fn new(calls: usize) -> Self {
        Fuse { left: AtomicUsize::new(calls), is_burnt: AtomicBool::new(false) }
    }

    /// Unwinds without the panic hook, because the fuzzer's hook aborts.
    pub fn burn(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.is_burnt.store(true, Ordering::Relaxed);
            resume_unwind(Box::new("a panic on purpose"));
        }
    }

    pub fn is_burnt(&self) -> bool {
        self.is_burnt.load(Ordering::Relaxed)
    }
}
