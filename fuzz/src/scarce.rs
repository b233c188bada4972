//! An allocator that fails on demand, once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// How many more allocations of this thread succeed before one fails. Constant and without a destructor: reading it allocates nothing.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Scarce;

#[global_allocator]
static ALLOCATOR: Scarce = Scarce;

/// Fewer bytes are always there: unwinding takes some, and ends the process if they are refused.
const FEW: usize = 200;

impl Scarce {
    fn grants(bytes: usize) -> bool {
        let left = LEFT.get();
        if left == usize::MAX || bytes < FEW {
            return true;
        }
        LEFT.set(left.wrapping_sub(1));
        left > 0
    }
}

// SAFETY: every call goes to `System` unchanged, or fails, which an allocator may at any time.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is passed on.
        if Self::grants(layout.size()) { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if Self::grants(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do; `size` is the caller's promise.
        if Self::grants(size) { unsafe { System.realloc(pointer, layout, size) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `work` on this thread, and lets the allocation of this number fail, counted from 0; later ones do not.
pub fn with_failing<R>(number: usize, work: impl FnOnce() -> R) -> R {
    LEFT.set(number);
    let outcome = work();
    LEFT.set(usize::MAX);
    outcome
}
