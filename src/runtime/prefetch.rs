//! Prefetches: memory is requested before it is needed.

/// Asks the processor to fetch an element that will be read soon. A hint: nothing depends on it, and where there is no such
/// instruction (or no stable way to it) nothing happens.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = slice.as_ptr().wrapping_add(index).cast::<i8>();
        // An element may span two cache lines.
        let last = first.wrapping_add(size_of::<T>().saturating_sub(1));
        // SAFETY: SSE is part of every x86-64, and prefetching reads nothing and never faults, wherever the pointer points.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(last);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// Asks the processor to fetch a slice that will be read soon. A hint, as [`prefetch`].
#[inline(always)]
pub(crate) fn prefetch_all<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // From the beginning of the first cache line, so that each line is fetched once.
        let first = slice.as_ptr().cast::<i8>();
        let before = first.addr() % 64;
        for at in (0..before + size_of_val(slice)).step_by(64) {
            // SAFETY: as in `prefetch`.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_sub(before).wrapping_add(at)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}

/// Asks the processor for the memory of an element that will be written soon. A hint, as [`prefetch`].
#[inline(always)]
pub(crate) fn prefetch_write<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        // SAFETY: as in `prefetch`.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(slice.as_ptr().wrapping_add(index).cast::<i8>()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
