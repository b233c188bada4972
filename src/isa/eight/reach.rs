//! Which of eight or sixteen balls are within reach of one, with AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::Reaching;

/// What a coordinate type must bring along to be within reach.
pub trait ReachScalar: Copy {
    /// A bit for each of eight balls that is within reach. Their centers and radii are read at the pointers.
    ///
    /// # Safety
    ///
    /// AVX2 must be there, and eight values readable at all pointers.
    #[doc(hidden)]
    unsafe fn reaches_avx2<const D: usize>(centers: [*const Self; D], radii: *const Self, own: &Reaching<Self, D>) -> u32;

    /// A bit for each of sixteen balls that is within reach. Their centers and radii are read at the pointers.
    ///
    /// # Safety
    ///
    /// AVX-512F must be there, and sixteen values readable at all pointers.
    #[doc(hidden)]
    unsafe fn reaches_avx512<const D: usize>(centers: [*const Self; D], radii: *const Self, own: &Reaching<Self, D>) -> u32;
}

/// The formula of `Reaching::reach` and the comparison, in the words of a register type.
macro_rules! compare {
    (
        $centers:ident, $radii:ident, $own:ident, $first:expr,
        $zero:ident, $set:ident, $load:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $min:ident
    ) => {{
        let mut distance = $zero();
        for axis in 0..D {
            // SAFETY: so many values are readable at all pointers, by the caller's promise.
            let along = unsafe { $sub($set($own.center[axis]), $load($centers[axis].add($first))) };
            distance = $add(distance, $mul(along, along));
        }
        // SAFETY: as above.
        let radii = unsafe { $load($radii.add($first)) };
        let reach = $min($max(radii, $set($own.floor)), $set($own.cap));
        (distance, $mul(reach, reach))
    }};
}

impl ReachScalar for f32 {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn reaches_avx2<const D: usize>(centers: [*const f32; D], radii: *const f32, own: &Reaching<f32, D>) -> u32 {
        let (distance, limit) = compare!(
            centers,
            radii,
            own,
            0,
            _mm256_setzero_ps,
            _mm256_set1_ps,
            _mm256_loadu_ps,
            _mm256_add_ps,
            _mm256_sub_ps,
            _mm256_mul_ps,
            _mm256_max_ps,
            _mm256_min_ps
        );
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(distance, limit)) as u32
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn reaches_avx512<const D: usize>(centers: [*const f32; D], radii: *const f32, own: &Reaching<f32, D>) -> u32 {
        let (distance, limit) = compare!(
            centers,
            radii,
            own,
            0,
            _mm512_setzero_ps,
            _mm512_set1_ps,
            _mm512_loadu_ps,
            _mm512_add_ps,
            _mm512_sub_ps,
            _mm512_mul_ps,
            _mm512_max_ps,
            _mm512_min_ps
        );
        u32::from(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(distance, limit))
    }
}

impl ReachScalar for f64 {
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn reaches_avx2<const D: usize>(centers: [*const f64; D], radii: *const f64, own: &Reaching<f64, D>) -> u32 {
        let mut near = 0;
        for first in [0, 4] {
            let (distance, limit) = compare!(
                centers,
                radii,
                own,
                first,
                _mm256_setzero_pd,
                _mm256_set1_pd,
                _mm256_loadu_pd,
                _mm256_add_pd,
                _mm256_sub_pd,
                _mm256_mul_pd,
                _mm256_max_pd,
                _mm256_min_pd
            );
            near |= (_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(distance, limit)) as u32) << first;
        }
        near
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn reaches_avx512<const D: usize>(centers: [*const f64; D], radii: *const f64, own: &Reaching<f64, D>) -> u32 {
        let mut near = 0;
        for first in [0, 8] {
            let (distance, limit) = compare!(
                centers,
                radii,
                own,
                first,
                _mm512_setzero_pd,
                _mm512_set1_pd,
                _mm512_loadu_pd,
                _mm512_add_pd,
                _mm512_sub_pd,
                _mm512_mul_pd,
                _mm512_max_pd,
                _mm512_min_pd
            );
            near |= u32::from(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(distance, limit)) << first;
        }
        near
    }
}
