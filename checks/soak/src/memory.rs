//! Watching memory: the bytes that are allocated, by an allocator that counts, and those that the system says we hold.
//!
//! What is resident but not live is held by the system's allocator for the next request. With glibc, whose threshold for giving memory
//! back grows with what was freed, that is most of it; `MALLOC_MMAP_THRESHOLD_=65536 MALLOC_ARENA_MAX=1` in the environment fixes the
//! threshold, and resident memory then follows live memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

static LIVE: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, counting.
#[derive(Debug)]
pub(crate) struct Counting;

// SAFETY: hands every call on to `System`; the counter touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as isize, Relaxed);
        // SAFETY: the caller's promises are those that `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as isize, Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size as isize - layout.size() as isize, Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

const MEBI: f64 = 1024.0 * 1024.0;

/// So many rounds show what the soak needs; after them nothing may grow for good.
const WARM_UP: u64 = 30;

/// Memory between rounds, when the engines hold next to nothing: what was lost would add up here.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    warm_live: isize,
    warm_resident: usize,
    live: isize,
    resident: usize,
    most_live: isize,
    most_resident: usize,
}

impl Watch {
    /// Looks at the memory after a round; says so if it has grown beyond what the warm-up has shown.
    pub(crate) fn look(&mut self, round: u64) -> Result<(), String> {
        self.live = LIVE.load(Relaxed);
        let resident = resident_bytes().unwrap_or(0);
        self.resident = resident;
        self.most_live = self.most_live.max(self.live);
        self.most_resident = self.most_resident.max(resident);
        if round <= WARM_UP {
            (self.warm_live, self.warm_resident) = (self.most_live, self.most_resident);
        } else if self.live > self.warm_live + self.warm_live / 2 + (1 << 20) {
            return Err(format!("round {round}: {} bytes are live, {} after the warm-up", self.live, self.warm_live));
        } else if resident > 2 * self.warm_resident + (256 << 20) {
            return Err(format!("round {round}: {resident} bytes are resident, {} after the warm-up", self.warm_resident));
        }
        Ok(())
    }
}

impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebi = |bytes: f64| bytes / MEBI;
        write!(
            f,
            "MiB between rounds: {:.2} live (most {:.2}, warm-up {:.2}), resident {:.0} (most {:.0}, warm-up {:.0})",
            mebi(self.live as f64),
            mebi(self.most_live as f64),
            mebi(self.warm_live as f64),
            mebi(self.resident as f64),
            mebi(self.most_resident as f64),
            mebi(self.warm_resident as f64)
        )
    }
}

/// From Linux; elsewhere nothing is known.
fn resident_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
