//! Eight `f32` at once.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{KernelScalar, Motion};

impl KernelScalar for f32 {
    #[inline(always)]
    fn cells(x: [f32; 4], origin: [f32; 4], inverse: [f32; 4]) -> [i32; 4] {
        use bytemuck::cast;
        // SAFETY: SSE2 is part of every x86-64, and nothing here touches memory.
        unsafe {
            let limit = _mm_set1_ps(crate::isa::CELL_LIMIT as f32);
            let scaled = _mm_mul_ps(_mm_sub_ps(cast(x), cast(origin)), cast(inverse));
            let inside = _mm_min_ps(_mm_max_ps(scaled, _mm_sub_ps(_mm_setzero_ps(), limit)), limit);
            let truncated = _mm_cvttps_epi32(inside);
            let too_high = _mm_cmpgt_ps(_mm_cvtepi32_ps(truncated), inside);
            cast(_mm_add_epi32(truncated, _mm_castps_si128(too_high)))
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn overlaps_avx2<const D: usize>(min: [*const f32; D], max: [*const f32; D], low: &[f32; D], high: &[f32; D]) -> u32 {
        let mut all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
        for axis in 0..D {
            // SAFETY: eight values are readable at all pointers, by the caller's promise.
            let (min, max) = unsafe { (_mm256_loadu_ps(min[axis]), _mm256_loadu_ps(max[axis])) };
            all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_LE_OQ>(min, _mm256_set1_ps(high[axis])));
            all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_GE_OQ>(max, _mm256_set1_ps(low[axis])));
        }
        _mm256_movemask_ps(all) as u32
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn touches_avx2<const D: usize>(
        centers: [*const f32; D],
        radii: *const f32,
        (center, radius): ([f32; D], f32),
    ) -> u32 {
        let mut distance = _mm256_setzero_ps();
        for axis in 0..D {
            // SAFETY: eight values are readable at all pointers, by the caller's promise.
            let along = unsafe { _mm256_sub_ps(_mm256_set1_ps(center[axis]), _mm256_loadu_ps(centers[axis])) };
            distance = _mm256_add_ps(distance, _mm256_mul_ps(along, along));
        }
        // SAFETY: as above.
        let reach = unsafe { _mm256_add_ps(_mm256_set1_ps(radius), _mm256_loadu_ps(radii)) };
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(distance, _mm256_mul_ps(reach, reach))) as u32
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn near_avx2<const D: usize>(
        min: [*const f32; D],
        max: [*const f32; D],
        point: &[f32; D],
        limit: f32,
    ) -> ([f32; 8], u32) {
        let mut sum = _mm256_setzero_ps();
        for axis in 0..D {
            let x = _mm256_set1_ps(point[axis]);
            // SAFETY: eight values are readable at all pointers, by the caller's promise.
            let (before, behind) =
                unsafe { (_mm256_sub_ps(_mm256_loadu_ps(min[axis]), x), _mm256_sub_ps(x, _mm256_loadu_ps(max[axis]))) };
            let gap = _mm256_max_ps(behind, _mm256_max_ps(before, _mm256_setzero_ps()));
            sum = _mm256_add_ps(sum, _mm256_mul_ps(gap, gap));
        }
        let mut squares = [0.0; 8];
        // SAFETY: there is room for eight.
        unsafe { _mm256_storeu_ps(squares.as_mut_ptr(), sum) };
        (squares, _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(sum, _mm256_set1_ps(limit))) as u32)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn meets_avx2<const D: usize, const RESTS: bool>(
        near: [*const f32; D],
        far: [*const f32; D],
        motion: &Motion<f32, D>,
        to: f32,
    ) -> ([f32; 8], u32) {
        // SAFETY: by the caller's promise.
        let (enter, exit) = unsafe { meeting::<D, RESTS>(near, far, motion, to) };
        let mut times = [0.0; 8];
        // SAFETY: there is room for eight.
        unsafe { _mm256_storeu_ps(times.as_mut_ptr(), enter) };
        (times, _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(enter, exit)) as u32)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn ranks_avx2<const D: usize, const RESTS: bool>(
        near: [*const f32; D],
        far: [*const f32; D],
        motion: &Motion<f32, D>,
        to: f32,
    ) -> [u32; 8] {
        // SAFETY: by the caller's promise.
        let (enter, exit) = unsafe { meeting::<D, RESTS>(near, far, motion, to) };
        ranked(enter, _mm256_cmp_ps::<_CMP_LE_OQ>(enter, exit))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn touches_avx512<const D: usize>(
        centers: [*const f32; D],
        radii: *const f32,
        (center, radius): ([f32; D], f32),
    ) -> u32 {
        let mut distance = _mm512_setzero_ps();
        for axis in 0..D {
            // SAFETY: sixteen values are readable at all pointers, by the caller's promise.
            let along = unsafe { _mm512_sub_ps(_mm512_set1_ps(center[axis]), _mm512_loadu_ps(centers[axis])) };
            distance = _mm512_add_ps(distance, _mm512_mul_ps(along, along));
        }
        // SAFETY: as above.
        let reach = unsafe { _mm512_add_ps(_mm512_set1_ps(radius), _mm512_loadu_ps(radii)) };
        u32::from(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(distance, _mm512_mul_ps(reach, reach)))
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    unsafe fn overlaps_avx512<const D: usize>(
        min: [*const f32; D],
        max: [*const f32; D],
        low: &[f32; D],
        high: &[f32; D],
    ) -> u32 {
        let mut all = 0xff;
        for axis in 0..D {
            // SAFETY: eight values are readable at all pointers, by the caller's promise.
            let (min, max) = unsafe { (_mm256_loadu_ps(min[axis]), _mm256_loadu_ps(max[axis])) };
            all = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(all, min, _mm256_set1_ps(high[axis]));
            all = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(all, max, _mm256_set1_ps(low[axis]));
        }
        u32::from(all)
    }
}

/// From when to when a moving box meets each of eight boxes; not at all, if that ends before it begins.
///
/// # Safety
///
/// AVX2 must be there, and eight values readable at all pointers.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn meeting<const D: usize, const RESTS: bool>(
    near: [*const f32; D],
    far: [*const f32; D],
    motion: &Motion<f32, D>,
    to: f32,
) -> (__m256, __m256) {
    let (mut enter, mut exit) = (_mm256_set1_ps(motion.from), _mm256_set1_ps(to));
    for axis in 0..D {
        // SAFETY: eight values are readable at all pointers, by the caller's promise.
        let (near, far) = unsafe { (_mm256_loadu_ps(near[axis]), _mm256_loadu_ps(far[axis])) };
        let (front, back) = (_mm256_set1_ps(motion.front[axis]), _mm256_set1_ps(motion.back[axis]));
        if RESTS && motion.rests[axis] {
            let (reaches, is_reached) = (_mm256_cmp_ps::<_CMP_LE_OQ>(near, front), _mm256_cmp_ps::<_CMP_LE_OQ>(back, far));
            exit = _mm256_blendv_ps(_mm256_set1_ps(f32::NEG_INFINITY), exit, _mm256_and_ps(reaches, is_reached));
            continue;
        }
        let inverse = _mm256_set1_ps(motion.inverse[axis]);
        // Of a NaN and a number, these take the second.
        enter = _mm256_max_ps(_mm256_mul_ps(_mm256_sub_ps(near, front), inverse), enter);
        exit = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(far, back), inverse), exit);
    }
    (enter, exit)
}

/// `rank` of eight lanes: of those that are met, by when they are.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn ranked(times: __m256, met: __m256) -> [u32; 8] {
    let lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    let bits = _mm256_castps_si256(_mm256_add_ps(times, _mm256_setzero_ps()));
    let ranks = _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(7), bits), lanes);
    let missed = _mm256_xor_si256(_mm256_castps_si256(met), _mm256_set1_epi32(-1));
    bytemuck::cast(_mm256_or_si256(ranks, missed))
}
