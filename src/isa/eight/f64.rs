//! Eight `f64` at once, which are two registers of AVX2.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::f32::ranked;
use super::{KernelScalar, Motion};

impl KernelScalar for f64 {
    #[inline(always)]
    fn cells(x: [f64; 4], origin: [f64; 4], inverse: [f64; 4]) -> [i32; 4] {
        super::cells(x, origin, inverse)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn overlaps_avx2<const D: usize>(min: [*const f64; D], max: [*const f64; D], low: &[f64; D], high: &[f64; D]) -> u32 {
        let mut all = [_mm256_castsi256_pd(_mm256_set1_epi64x(-1)); 2];
        for axis in 0..D {
            for (half, all) in all.iter_mut().enumerate() {
                // SAFETY: eight values are readable at all pointers, by the caller's promise; these are four of them.
                let (min, max) = unsafe { (_mm256_loadu_pd(min[axis].add(4 * half)), _mm256_loadu_pd(max[axis].add(4 * half))) };
                *all = _mm256_and_pd(*all, _mm256_cmp_pd::<_CMP_LE_OQ>(min, _mm256_set1_pd(high[axis])));
                *all = _mm256_and_pd(*all, _mm256_cmp_pd::<_CMP_GE_OQ>(max, _mm256_set1_pd(low[axis])));
            }
        }
        (_mm256_movemask_pd(all[0]) | _mm256_movemask_pd(all[1]) << 4) as u32
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn touches_avx2<const D: usize>(
        centers: [*const f64; D],
        radii: *const f64,
        (center, radius): ([f64; D], f64),
    ) -> u32 {
        let mut mask = 0;
        for half in 0..2 {
            let mut distance = _mm256_setzero_pd();
            for axis in 0..D {
                // SAFETY: eight values are readable at all pointers, by the caller's promise; these are four of them.
                let along = unsafe { _mm256_sub_pd(_mm256_set1_pd(center[axis]), _mm256_loadu_pd(centers[axis].add(4 * half))) };
                distance = _mm256_add_pd(distance, _mm256_mul_pd(along, along));
            }
            // SAFETY: as above.
            let reach = unsafe { _mm256_add_pd(_mm256_set1_pd(radius), _mm256_loadu_pd(radii.add(4 * half))) };
            mask |= _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(distance, _mm256_mul_pd(reach, reach))) << (4 * half);
        }
        mask as u32
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn near_avx2<const D: usize>(
        min: [*const f64; D],
        max: [*const f64; D],
        point: &[f64; D],
        limit: f64,
    ) -> ([f64; 8], u32) {
        let (mut squares, mut mask) = ([0.0; 8], 0);
        for half in 0..2 {
            let mut sum = _mm256_setzero_pd();
            for axis in 0..D {
                let x = _mm256_set1_pd(point[axis]);
                // SAFETY: eight values are readable at all pointers, by the caller's promise; these are four of them.
                let (min, max) = unsafe { (_mm256_loadu_pd(min[axis].add(4 * half)), _mm256_loadu_pd(max[axis].add(4 * half))) };
                let (before, behind) = (_mm256_sub_pd(min, x), _mm256_sub_pd(x, max));
                let gap = _mm256_max_pd(behind, _mm256_max_pd(before, _mm256_setzero_pd()));
                sum = _mm256_add_pd(sum, _mm256_mul_pd(gap, gap));
            }
            // SAFETY: there is room for eight, and these are four of them.
            unsafe { _mm256_storeu_pd(squares.as_mut_ptr().add(4 * half), sum) };
            mask |= (_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(sum, _mm256_set1_pd(limit))) as u32) << (4 * half);
        }
        (squares, mask)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn meets_avx2<const D: usize, const RESTS: bool>(
        near: [*const f64; D],
        far: [*const f64; D],
        motion: &Motion<f64, D>,
        to: f64,
    ) -> ([f64; 8], u32) {
        let (mut times, mut mask) = ([0.0; 8], 0);
        for half in 0..2 {
            // SAFETY: by the caller's promise.
            let (enter, exit) = unsafe { meeting::<D, RESTS>(near, far, motion, to, half) };
            // SAFETY: there is room for eight, and these are four of them.
            unsafe { _mm256_storeu_pd(times.as_mut_ptr().add(4 * half), enter) };
            mask |= (_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(enter, exit)) as u32) << (4 * half);
        }
        (times, mask)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn ranks_avx2<const D: usize, const RESTS: bool>(
        near: [*const f64; D],
        far: [*const f64; D],
        motion: &Motion<f64, D>,
        to: f64,
    ) -> [u32; 8] {
        let [(low, low_met), (high, high_met)] = [0, 1].map(|half| {
            // SAFETY: by the caller's promise.
            let (enter, exit) = unsafe { meeting::<D, RESTS>(near, far, motion, to, half) };
            let met = _mm256_castpd_ps(_mm256_cmp_pd::<_CMP_LE_OQ>(enter, exit));
            // Every other word of the mask, which is as good as all of it.
            let met = _mm_shuffle_ps::<0x88>(_mm256_castps256_ps128(met), _mm256_extractf128_ps::<1>(met));
            (_mm256_cvtpd_ps(enter), met)
        });
        ranked(_mm256_set_m128(high, low), _mm256_set_m128(high_met, low_met))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn touches_avx512<const D: usize>(
        centers: [*const f64; D],
        radii: *const f64,
        (center, radius): ([f64; D], f64),
    ) -> u32 {
        let mut all = 0;
        for first in [0, 8] {
            let mut distance = _mm512_setzero_pd();
            for axis in 0..D {
                // SAFETY: sixteen values are readable at all pointers, by the caller's promise.
                let along = unsafe { _mm512_sub_pd(_mm512_set1_pd(center[axis]), _mm512_loadu_pd(centers[axis].add(first))) };
                distance = _mm512_add_pd(distance, _mm512_mul_pd(along, along));
            }
            // SAFETY: as above.
            let reach = unsafe { _mm512_add_pd(_mm512_set1_pd(radius), _mm512_loadu_pd(radii.add(first))) };
            all |= u32::from(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(distance, _mm512_mul_pd(reach, reach))) << first;
        }
        all
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    #[inline]
    unsafe fn overlaps_avx512<const D: usize>(
        min: [*const f64; D],
        max: [*const f64; D],
        low: &[f64; D],
        high: &[f64; D],
    ) -> u32 {
        let mut all = 0xff;
        for axis in 0..D {
            // SAFETY: eight values are readable at all pointers, by the caller's promise.
            let (min, max) = unsafe { (_mm512_loadu_pd(min[axis]), _mm512_loadu_pd(max[axis])) };
            all = _mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(all, min, _mm512_set1_pd(high[axis]));
            all = _mm512_mask_cmp_pd_mask::<_CMP_GE_OQ>(all, max, _mm512_set1_pd(low[axis]));
        }
        u32::from(all)
    }
}

/// From when to when a moving box meets each of four boxes, the first or the second of eight; not at all, if that ends before it
/// begins.
///
/// # Safety
///
/// AVX2 must be there, and eight values readable at all pointers.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn meeting<const D: usize, const RESTS: bool>(
    near: [*const f64; D],
    far: [*const f64; D],
    motion: &Motion<f64, D>,
    to: f64,
    half: usize,
) -> (__m256d, __m256d) {
    let (mut enter, mut exit) = (_mm256_set1_pd(motion.from), _mm256_set1_pd(to));
    for axis in 0..D {
        // SAFETY: eight values are readable at all pointers, by the caller's promise; these are four of them.
        let (near, far) = unsafe { (_mm256_loadu_pd(near[axis].add(4 * half)), _mm256_loadu_pd(far[axis].add(4 * half))) };
        let (front, back) = (_mm256_set1_pd(motion.front[axis]), _mm256_set1_pd(motion.back[axis]));
        if RESTS && motion.rests[axis] {
            let (reaches, is_reached) = (_mm256_cmp_pd::<_CMP_LE_OQ>(near, front), _mm256_cmp_pd::<_CMP_LE_OQ>(back, far));
            exit = _mm256_blendv_pd(_mm256_set1_pd(f64::NEG_INFINITY), exit, _mm256_and_pd(reaches, is_reached));
            continue;
        }
        let inverse = _mm256_set1_pd(motion.inverse[axis]);
        // Of a NaN and a number, these take the second.
        enter = _mm256_max_pd(_mm256_mul_pd(_mm256_sub_pd(near, front), inverse), enter);
        exit = _mm256_min_pd(_mm256_mul_pd(_mm256_sub_pd(far, back), inverse), exit);
    }
    (enter, exit)
}
