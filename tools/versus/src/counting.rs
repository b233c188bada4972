//! An allocator that counts.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

static COUNTS: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, which counts bytes while a rival is measured and otherwise costs one relaxed load. Binaries make it
/// their `#[global_allocator]`; without it the table shows no memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting;

// Safety: hands every call on to `System`; the counters touch no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // Safety: the caller's promises are those that `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // Safety: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // Safety: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // Safety: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[inline]
fn count(bytes: isize) {
    if COUNTS.load(Relaxed) {
        let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
        if bytes > 0 {
            PEAK.fetch_max(live, Relaxed);
        }
    }
}

/// Bytes that some code has allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// And not freed again.
    pub(crate) live: usize,
    /// At the worst moment.
    pub(crate) peak: usize,
}

/// What `work` returns and what it allocates, on all threads. Not for two callers at once.
pub(crate) fn measured<R>(work: impl FnOnce() -> R) -> (R, Memory) {
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
    let result = work();
    COUNTS.store(false, Relaxed);
    (result, Memory { live: LIVE.load(Relaxed).max(0) as usize, peak: PEAK.load(Relaxed).max(0) as usize })
}
