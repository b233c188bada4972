//! AVX2: two registers of eight words. Lanes move to the front by a permutation from a table.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::eight::LANES;
use super::{Isa, Lanes, Mask, Work};

/// Proof that the processor has AVX2 and the bit instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        has.then_some(Avx2(()))
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline(never)]
fn compiled<W: Work>(work: W) -> W::Outcome {
    work.run()
}

/// For each set of eight lanes, their numbers in ascending order, a byte each.
static FRONT: [u64; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut place) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                table[set] |= lane << (8 * place);
                place += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

type Words = [__m256i; 2];

/// The masks of four quarters as one.
#[inline(always)]
fn joined(quarters: [i32; 4]) -> Mask {
    (quarters[0] | quarters[1] << 4 | quarters[2] << 8 | quarters[3] << 12) as Mask
}

/// The sign bits of both halves.
#[inline(always)]
fn signs(words: Words) -> Mask {
    // SAFETY: words exist only beside the proof of the features.
    let halves = registers!(2, half => unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(words[half])) });
    (halves[0] | halves[1] << 8) as Mask
}

impl Isa for Avx2 {
    type Words = Words;
    type F32 = [__m256; 2];
    type F64 = [__m256d; 4];

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        // SAFETY: the features were detected.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn splat(self, value: i32) -> Words {
        // SAFETY: the features were detected.
        unsafe { [_mm256_set1_epi32(value); 2] }
    }

    #[inline(always)]
    fn iota(self) -> Words {
        // SAFETY: the features were detected.
        unsafe { [_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)] }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> Words {
        // SAFETY: sixteen words are readable, by the caller's promise.
        unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(8).cast())] }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: Words) {
        // SAFETY: sixteen words are writable, by the caller's promise.
        unsafe {
            _mm256_storeu_si256(to.cast(), words[0]);
            _mm256_storeu_si256(to.add(8).cast(), words[1]);
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: Words) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe {
            let low_byte = _mm256_set1_epi32(0xff);
            let words = registers!(2, half => _mm256_and_si256(words[half], low_byte));
            // Packing works within halves of a register: 0-3, 8-11, 4-7, 12-15.
            let sixteens = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(words[0], words[1]));
            let (low, high) = (_mm256_castsi256_si128(sixteens), _mm256_extracti128_si256::<1>(sixteens));
            _mm_storeu_si128(to.cast(), _mm_packus_epi16(low, high));
        }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Words) -> usize {
        // SAFETY: sixteen words are writable, by the caller's promise; the second half begins behind at most eight words.
        unsafe {
            let first = mask as u8;
            _mm256_storeu_si256(to.cast(), front(words[0], first));
            _mm256_storeu_si256(to.add(first.count_ones() as usize).cast(), front(words[1], (mask >> 8) as u8));
        }
        mask.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: Words, b: Words) {
        for half in 0..2 {
            // SAFETY: thirty-two words are writable, by the caller's promise; a half takes sixteen of them.
            unsafe {
                let (small, large) = (_mm256_min_epu32(a[half], b[half]), _mm256_max_epu32(a[half], b[half]));
                let (even, odd) = (_mm256_unpacklo_epi32(small, large), _mm256_unpackhi_epi32(small, large));
                let to = to.add(16 * half);
                _mm256_storeu_si256(to.cast(), _mm256_permute2x128_si256::<0x20>(even, odd));
                _mm256_storeu_si256(to.add(8).cast(), _mm256_permute2x128_si256::<0x31>(even, odd));
            }
        }
    }

    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_add_epi32(a[half], b[half]) })
    }

    #[inline(always)]
    fn sub(self, a: Words, b: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_sub_epi32(a[half], b[half]) })
    }

    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_and_si256(a[half], b[half]) })
    }

    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_or_si256(a[half], b[half]) })
    }

    #[inline(always)]
    fn min(self, a: Words, b: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_min_epi32(a[half], b[half]) })
    }

    #[inline(always)]
    fn max(self, a: Words, b: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_max_epi32(a[half], b[half]) })
    }

    #[inline(always)]
    fn shl(self, a: Words, bits: u32) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_sll_epi32(a[half], _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn shr(self, a: Words, bits: u32) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_sra_epi32(a[half], _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn power_of_two(self, a: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_sllv_epi32(_mm256_set1_epi32(1), a[half]) })
    }

    #[inline(always)]
    fn gt(self, a: Words, b: Words) -> Mask {
        // SAFETY: the features were detected.
        signs(registers!(2, half => unsafe { _mm256_cmpgt_epi32(a[half], b[half]) }))
    }

    #[inline(always)]
    fn eq(self, a: Words, b: Words) -> Mask {
        // SAFETY: the features were detected.
        signs(registers!(2, half => unsafe { _mm256_cmpeq_epi32(a[half], b[half]) }))
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: Words, no: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = _mm256_and_si256(_mm256_set1_epi32(i32::from(mask >> (8 * half))), bits);
            _mm256_blendv_epi8(no[half], yes[half], _mm256_cmpeq_epi32(set, bits))
        })
    }

    #[inline(always)]
    fn lookup(self, table: Words, index: Words) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe {
            // The permutation looks at the lowest three bits; the fourth chooses the half of the table.
            let low = _mm256_permutevar8x32_epi32(table[0], index[half]);
            let high = _mm256_permutevar8x32_epi32(table[1], index[half]);
            let upper = _mm256_slli_epi32::<28>(index[half]);
            _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _mm256_castsi256_ps(upper)))
        })
    }
}

/// Moves the lanes of a set to the front.
#[inline(always)]
fn front(words: __m256i, set: u8) -> __m256i {
    // SAFETY: whoever has words has the proof of the features.
    unsafe {
        let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(FRONT[usize::from(set)] as i64));
        _mm256_permutevar8x32_epi32(words, order)
    }
}

impl Lanes<f32, Avx2> for [__m256; 2] {
    #[inline(always)]
    unsafe fn load(_: Avx2, from: *const f32) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
    }

    #[inline(always)]
    fn splat(_: Avx2, value: f32) -> Self {
        // SAFETY: the features were detected.
        unsafe { [_mm256_set1_ps(value); 2] }
    }

    #[inline(always)]
    fn cells(self, _: Avx2, origin: Self, inverse: Self) -> Words {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe {
            let limit = _mm256_set1_ps(super::CELL_LIMIT as f32);
            let scaled = _mm256_mul_ps(_mm256_sub_ps(self[half], origin[half]), inverse[half]);
            // If an operand is NaN, `max` returns the second operand, as `floor_to_cell` does.
            let inside = _mm256_min_ps(_mm256_max_ps(scaled, _mm256_sub_ps(_mm256_setzero_ps(), limit)), limit);
            _mm256_cvttps_epi32(_mm256_floor_ps(inside))
        })
    }

    #[inline(always)]
    fn add(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_add_ps(self[half], other[half]) })
    }

    #[inline(always)]
    fn sub(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_sub_ps(self[half], other[half]) })
    }

    #[inline(always)]
    fn mul(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_mul_ps(self[half], other[half]) })
    }

    #[inline(always)]
    fn lesser(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_min_ps(self[half], other[half]) })
    }

    #[inline(always)]
    fn greater(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_max_ps(self[half], other[half]) })
    }

    #[inline(always)]
    fn array(self, _: Avx2) -> [f32; 16] {
        bytemuck::cast(self)
    }

    #[inline(always)]
    fn le(self, _: Avx2, other: Self) -> Mask {
        // SAFETY: the features were detected.
        signs(registers!(2, half => unsafe { _mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(self[half], other[half])) }))
    }

    #[inline(always)]
    fn exceeds(self, _: Avx2, other: Self, most: Self) -> Mask {
        // SAFETY: the features were detected.
        signs(registers!(2, half => unsafe {
            _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GT_OQ>(_mm256_sub_ps(self[half], other[half]), most[half]))
        }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Avx2,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // SAFETY: the features were detected.
        let all = registers!(2, half => unsafe {
            let mut all = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
            for axis in 0..D {
                all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_LE_OQ>(b_min[axis][half], a_max[axis][half]));
                all = _mm256_and_ps(all, _mm256_cmp_ps::<_CMP_LE_OQ>(a_min[axis][half], b_max[axis][half]));
            }
            _mm256_castps_si256(all)
        });
        signs(all) & mask
    }

    #[inline(always)]
    fn met(_: Avx2, enter: &[f32; LANES], exit: &[f32; LANES]) -> u32 {
        singles::met(enter, exit)
    }

    #[inline(always)]
    fn ranks(_: Avx2, enter: &[f32; LANES], exit: &[f32; LANES]) -> [u32; LANES] {
        singles::ranks(enter, exit)
    }
}

impl Lanes<f64, Avx2> for [__m256d; 4] {
    #[inline(always)]
    unsafe fn load(_: Avx2, from: *const f64) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        registers!(4, quarter => unsafe { _mm256_loadu_pd(from.add(4 * quarter)) })
    }

    #[inline(always)]
    fn splat(_: Avx2, value: f64) -> Self {
        // SAFETY: the features were detected.
        unsafe { [_mm256_set1_pd(value); 4] }
    }

    #[inline(always)]
    fn cells(self, _: Avx2, origin: Self, inverse: Self) -> Words {
        // SAFETY: the features were detected.
        let quarters = registers!(4, quarter => unsafe {
            let limit = _mm256_set1_pd(f64::from(super::CELL_LIMIT));
            let scaled = _mm256_mul_pd(_mm256_sub_pd(self[quarter], origin[quarter]), inverse[quarter]);
            let inside = _mm256_min_pd(_mm256_max_pd(scaled, _mm256_sub_pd(_mm256_setzero_pd(), limit)), limit);
            _mm256_cvttpd_epi32(_mm256_floor_pd(inside))
        });
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm256_set_m128i(quarters[2 * half + 1], quarters[2 * half]) })
    }

    #[inline(always)]
    fn add(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(4, quarter => unsafe { _mm256_add_pd(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn sub(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(4, quarter => unsafe { _mm256_sub_pd(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn mul(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(4, quarter => unsafe { _mm256_mul_pd(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn lesser(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(4, quarter => unsafe { _mm256_min_pd(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn greater(self, _: Avx2, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(4, quarter => unsafe { _mm256_max_pd(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn array(self, _: Avx2) -> [f64; 16] {
        bytemuck::cast(self)
    }

    #[inline(always)]
    fn le(self, _: Avx2, other: Self) -> Mask {
        // SAFETY: the features were detected.
        joined(registers!(4, quarter => unsafe {
            _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(self[quarter], other[quarter]))
        }))
    }

    #[inline(always)]
    fn exceeds(self, _: Avx2, other: Self, most: Self) -> Mask {
        // SAFETY: the features were detected.
        joined(registers!(4, quarter => unsafe {
            _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(_mm256_sub_pd(self[quarter], other[quarter]), most[quarter]))
        }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Avx2,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // SAFETY: the features were detected.
        let hits = registers!(4, quarter => unsafe {
                let mut all = _mm256_castsi256_pd(_mm256_set1_epi32(-1));
                for axis in 0..D {
                    all = _mm256_and_pd(all, _mm256_cmp_pd::<_CMP_LE_OQ>(b_min[axis][quarter], a_max[axis][quarter]));
                    all = _mm256_and_pd(all, _mm256_cmp_pd::<_CMP_LE_OQ>(a_min[axis][quarter], b_max[axis][quarter]));
                }
                _mm256_movemask_pd(all)
        });
        joined(hits) & mask
    }

    #[inline(always)]
    fn met(_: Avx2, enter: &[f64; LANES], exit: &[f64; LANES]) -> u32 {
        doubles::met(enter, exit)
    }

    #[inline(always)]
    fn ranks(_: Avx2, enter: &[f64; LANES], exit: &[f64; LANES]) -> [u32; LANES] {
        doubles::ranks(enter, exit)
    }
}

/// Eight intervals of `f32`, for AVX-512 as well. (The compiler would take the array apart and treat each lane on its own, which makes
/// casts 1.3 times as slow.)
pub(super) mod singles {
    use super::*;

    #[inline(always)]
    pub(in crate::isa) fn met(enter: &[f32; LANES], exit: &[f32; LANES]) -> u32 {
        // SAFETY: the callers have the proof of the features.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(bytemuck::cast(*enter), bytemuck::cast(*exit))) as u32 }
    }

    #[inline(always)]
    pub(in crate::isa) fn ranks(enter: &[f32; LANES], exit: &[f32; LANES]) -> [u32; LANES] {
        let (enter, exit) = (bytemuck::cast(*enter), bytemuck::cast(*exit));
        // SAFETY: the callers have the proof of the features.
        unsafe { ranked(enter, _mm256_cmp_ps::<_CMP_LE_OQ>(enter, exit)) }
    }
}

/// The same of `f64`.
pub(super) mod doubles {
    use super::*;

    #[inline(always)]
    fn halves(times: &[f64; LANES]) -> [__m256d; 2] {
        bytemuck::cast(*times)
    }

    #[inline(always)]
    pub(in crate::isa) fn met(enter: &[f64; LANES], exit: &[f64; LANES]) -> u32 {
        let (enter, exit) = (halves(enter), halves(exit));
        // SAFETY: the callers have the proof of the features.
        let met = registers!(2, half => unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(enter[half], exit[half])) });
        (met[0] | met[1] << 4) as u32
    }

    #[inline(always)]
    pub(in crate::isa) fn ranks(enter: &[f64; LANES], exit: &[f64; LANES]) -> [u32; LANES] {
        let (enter, exit) = (halves(enter), halves(exit));
        // SAFETY: the callers have the proof of the features.
        unsafe {
            let met = registers!(2, half => {
                let met = _mm256_castpd_ps(_mm256_cmp_pd::<_CMP_LE_OQ>(enter[half], exit[half]));
                // Every other word of the mask, which is as good as all of it.
                _mm_shuffle_ps::<0x88>(_mm256_castps256_ps128(met), _mm256_extractf128_ps::<1>(met))
            });
            ranked(_mm256_set_m128(_mm256_cvtpd_ps(enter[1]), _mm256_cvtpd_ps(enter[0])), _mm256_set_m128(met[1], met[0]))
        }
    }
}

/// The ranks of eight times, of those that are met.
#[inline(always)]
fn ranked(times: __m256, met: __m256) -> [u32; LANES] {
    // SAFETY: the callers have the proof of the features.
    unsafe {
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let bits = _mm256_castps_si256(_mm256_add_ps(times, _mm256_setzero_ps()));
        let ranks = _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(LANES as i32 - 1), bits), lanes);
        let missed = _mm256_xor_si256(_mm256_castps_si256(met), _mm256_set1_epi32(-1));
        bytemuck::cast(_mm256_or_si256(ranks, missed))
    }
}
