//! Huge pages for large arrays: fewer entries of the processor's address cache, and fewer page faults when an array is first used.

/// Arrays below this size are left alone.
const LARGE: usize = 1 << 18;

/// Asks the system to use huge pages for an array that is about to be used for the first time. A hint: where the system has no huge pages,
/// or ignores the hint, nothing happens.
pub(crate) fn advise_huge<T>(array: *const T, len: usize) {
    let bytes = len.saturating_mul(size_of::<T>());
    if bytes >= LARGE {
        advise(array.cast(), bytes);
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[allow(unsafe_code)]
fn advise(first: *const u8, bytes: usize) {
    unsafe extern "C" {
        fn madvise(address: *mut std::ffi::c_void, length: usize, advice: std::ffi::c_int) -> std::ffi::c_int;
    }
    /// From the system's `mman-common.h`.
    const MADV_HUGEPAGE: std::ffi::c_int = 14;
    /// The least size of pages there. Where pages are larger, the call fails, and the hint is ignored.
    const PAGE: usize = 4096;
    // Whole pages. Other data on the first page is advised as well, which changes nothing but its speed.
    let before = first.addr() % PAGE;
    // SAFETY: the advice changes neither contents nor rights of any page, so it may be given for memory of others, too, and
    // for memory that is not there; then the call fails.
    unsafe { madvise(first.wrapping_sub(before).cast_mut().cast(), bytes + before, MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
fn advise(_: *const u8, _: usize) {}
