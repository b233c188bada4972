//! Which mutant is on. `checks/mutants` puts this file into the copy of the library that it tests.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// No mutant has this number: all are off, and record that they were reached.
const RECORD: u32 = u32::MAX;
const WORDS: usize = 1 << 10;

static ACTIVE: AtomicU32 = AtomicU32::new(0);
static RECORDED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
static FILE: AtomicU32 = AtomicU32::new(0);

/// Whether this mutant is on.
#[inline(always)]
pub(crate) fn on(id: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    active == id || (active == RECORD && record(id))
}

#[cold]
#[inline(never)]
fn record(id: u32) -> bool {
    let (word, bit) = (id as usize / 64, 1 << (id % 64));
    if RECORDED[word].load(Relaxed) & bit == 0 && RECORDED[word].fetch_or(bit, Relaxed) & bit == 0 {
        let bytes = id.to_le_bytes();
        // SAFETY: the file was opened for appending before `main`.
        unsafe { write(FILE.load(Relaxed) as i32, bytes.as_ptr(), bytes.len()) };
    }
    false
}

unsafe extern "C" {
    fn getenv(name: *const std::ffi::c_char) -> *const std::ffi::c_char;
    fn atoi(text: *const std::ffi::c_char) -> i32;
    fn open(path: *const std::ffi::c_char, flags: i32, mode: u32) -> i32;
    fn write(file: i32, bytes: *const u8, len: usize) -> isize;
}

/// Before `main`, and without an allocation: tests count them.
extern "C" fn start() {
    /// O_WRONLY, O_CREAT and O_APPEND of Linux.
    const APPEND: i32 = 0o2101;
    // SAFETY: no other thread runs yet that could change the environment; the strings end with zero.
    unsafe {
        let active = getenv(c"MUTANT".as_ptr());
        if !active.is_null() {
            ACTIVE.store(atoi(active) as u32, Relaxed);
        }
        let path = getenv(c"MUTANTS_REACHED".as_ptr());
        if !path.is_null() {
            FILE.store(open(path, APPEND, 0o644) as u32, Relaxed);
            ACTIVE.store(RECORD, Relaxed);
        }
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;
