//! Who allocated how much; and an allocation that fails.
#![allow(dead_code, reason = "two test binaries compile this module, and each uses its own part of it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

#[derive(Default)]
pub(crate) struct Account {
    allocations: AtomicUsize,
    live_bytes: AtomicIsize,
    /// While nobody should allocate: who does.
    pub(crate) watched: AtomicBool,
    pub(crate) caught: Mutex<Vec<Backtrace>>,
    /// The allocation of this number fails, counted from 1; later ones do not.
    failing: AtomicUsize,
}

thread_local! {
    /// Constant and without a destructor: reading it allocates nothing, also while a thread begins or ends.
    static ACCOUNT: Cell<Option<&'static Account>> = const { Cell::new(None) };
}

pub(crate) struct Counting;

impl Counting {
    /// Books an allocation and tells whether there may be one.
    fn book(bytes: isize) -> bool {
        let Some(account) = ACCOUNT.get() else { return true };
        let number = account.allocations.fetch_add(1, Ordering::Relaxed) + 1;
        if account.watched.load(Ordering::Relaxed) {
            // A backtrace allocates, too.
            ACCOUNT.set(None);
            account.caught.lock().expect("nobody panics with it").push(Backtrace::force_capture());
            ACCOUNT.set(Some(account));
        }
        let granted = account.failing.load(Ordering::Relaxed) != number;
        if granted {
            account.live_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        granted
    }
}

// SAFETY: every call goes to `System` unchanged, or fails, which an allocator may at any time; the bookkeeping around it touches no
// memory but its own counters.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::book(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !Self::book(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !Self::book(size as isize - layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: `pointer` came from `System` with this layout, because all our pointers do; `size` is the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if let Some(account) = ACCOUNT.get() {
            account.live_bytes.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        }
        // SAFETY: as for `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

impl Account {
    /// An account for this test, with the calling thread enlisted. Leaked, since threads may outlive the test.
    pub(crate) fn open() -> &'static Account {
        let account: &'static Account = Box::leak(Box::default());
        ACCOUNT.set(Some(account));
        account
    }

    /// A pool whose threads count for this account, after it has run some joins: a thread's first turn at stealing registers
    /// it with crossbeam's epochs, which is rayon's allocation and not ours.
    pub(crate) fn pool(&'static self, threads: usize) -> ThreadPool {
        let enlist = move |_| ACCOUNT.set(Some(self));
        let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(enlist).build().expect("a thread pool");
        fn fork(depth: usize) {
            if depth > 0 {
                rayon::join(|| fork(depth - 1), || fork(depth - 1));
            } else {
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
        }
        pool.install(|| fork(9));
        pool.broadcast(|_| ());
        pool
    }

    /// The same for good: what the queues of a pool that ends leave behind, crossbeam's epochs clear away later on any thread, also on
    /// one whose every allocation is counted.
    pub(crate) fn lasting_pool(&'static self, threads: usize) -> &'static ThreadPool {
        Box::leak(Box::new(self.pool(threads)))
    }

    pub(crate) fn allocations(&self) -> usize {
        self.allocations.load(Ordering::Relaxed)
    }

    pub(crate) fn live_bytes(&self) -> isize {
        self.live_bytes.load(Ordering::Relaxed)
    }

    /// Runs `work` and lets the allocation of this number fail, counted from 1. Also returns whether it came to that.
    pub(crate) fn with_failing<R>(&self, number: usize, work: impl FnOnce() -> R) -> (R, bool) {
        let failing = self.allocations() + number;
        self.failing.store(failing, Ordering::Relaxed);
        let result = work();
        self.failing.store(0, Ordering::Relaxed);
        (result, self.allocations() >= failing)
    }
}
