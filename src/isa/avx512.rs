//! AVX-512: a register holds sixteen words, a mask register selects lanes, `vpcompressd` moves lanes to the front.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2::{doubles, singles};
use super::eight::LANES;
use super::{Isa, Lanes, Mask, Work};

/// Proof that the processor has AVX-512 F, BW, DQ, VL and the bit instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub(crate) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        has.then_some(Avx512(()))
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline(never)]
fn compiled<W: Work>(work: W) -> W::Outcome {
    work.run()
}

impl Isa for Avx512 {
    type Words = __m512i;
    type F32 = __m512;
    type F64 = [__m512d; 2];

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        // SAFETY: the features were detected.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn splat(self, value: i32) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_set1_epi32(value) }
    }

    #[inline(always)]
    fn iota(self) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> __m512i {
        // SAFETY: sixteen words are readable, by the caller's promise.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: __m512i) {
        // SAFETY: sixteen words are writable, by the caller's promise.
        unsafe { _mm512_storeu_si512(to.cast(), words) }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: __m512i) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe { _mm_storeu_si128(to.cast(), _mm512_cvtepi32_epi8(words)) }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: __m512i) -> usize {
        // SAFETY: sixteen words are writable, by the caller's promise. (Compressing in a register and storing all of it is faster
        // than a compressing store.)
        unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(mask, words)) };
        mask.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: __m512i, b: __m512i) {
        // SAFETY: thirty-two words are writable, by the caller's promise.
        unsafe {
            let low_half = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high_half = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            let (small, large) = (_mm512_min_epu32(a, b), _mm512_max_epu32(a, b));
            _mm512_storeu_si512(to.cast(), _mm512_permutex2var_epi32(small, low_half, large));
            _mm512_storeu_si512(to.add(16).cast(), _mm512_permutex2var_epi32(small, high_half, large));
        }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_min_epi32(a, b) }
    }

    #[inline(always)]
    fn max(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_max_epi32(a, b) }
    }

    #[inline(always)]
    fn shl(self, a: __m512i, bits: u32) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_sll_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    #[inline(always)]
    fn shr(self, a: __m512i, bits: u32) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_sra_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
    }

    #[inline(always)]
    fn power_of_two(self, a: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_sllv_epi32(_mm512_set1_epi32(1), a) }
    }

    #[inline(always)]
    fn gt(self, a: __m512i, b: __m512i) -> Mask {
        // SAFETY: the features were detected.
        unsafe { _mm512_cmpgt_epi32_mask(a, b) }
    }

    #[inline(always)]
    fn eq(self, a: __m512i, b: __m512i) -> Mask {
        // SAFETY: the features were detected.
        unsafe { _mm512_cmpeq_epi32_mask(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_mask_blend_epi32(mask, no, yes) }
    }

    #[inline(always)]
    fn lookup(self, table: __m512i, index: __m512i) -> __m512i {
        // SAFETY: the features were detected.
        unsafe { _mm512_permutexvar_epi32(index, table) }
    }
}

/// Where registers of `LANES` lanes hold a column of as many records of `width` values each: for each register a mask of
/// the column's lanes in it, and for each record the lane.
const fn column_of<const LANES: usize>(width: usize, number: usize) -> ([Mask; MOST_VALUES], [i32; LANES]) {
    let (mut masks, mut lanes) = ([0; MOST_VALUES], [0; LANES]);
    let mut record = 0;
    while record < LANES {
        let at = record * width + number;
        masks[at / LANES] |= 1 << record;
        lanes[record] = (at % LANES) as i32;
        record += 1;
    }
    (masks, lanes)
}

/// The most values of a record: two per axis.
const MOST_VALUES: usize = 6;

/// For records of two, four and six values: where sixteen of them have their columns.
const COLUMNS: [[([Mask; MOST_VALUES], [i32; 16]); MOST_VALUES]; 3] = columns();
/// The same for eight.
const COLUMNS_OF_EIGHT: [[([Mask; MOST_VALUES], [i32; 8]); MOST_VALUES]; 3] = columns();

const fn columns<const LANES: usize>() -> [[([Mask; MOST_VALUES], [i32; LANES]); MOST_VALUES]; 3] {
    let mut columns = [[([0; MOST_VALUES], [0; LANES]); MOST_VALUES]; 3];
    let mut axes = 1;
    while axes <= 3 {
        let mut number = 0;
        while number < 2 * axes {
            columns[axes - 1][number] = column_of(2 * axes, number);
            number += 1;
        }
        axes += 1;
    }
    columns
}

impl Lanes<f32, Avx512> for __m512 {
    #[inline(always)]
    unsafe fn load(_: Avx512, from: *const f32) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn column(_: Avx512, records: *const f32, width: usize, number: usize) -> Self {
        let (masks, lanes) = COLUMNS[width / 2 - 1][number];
        // SAFETY: sixteen records are `width` registers, readable by the caller's promise. The features were detected.
        unsafe {
            let lanes = _mm512_loadu_si512(lanes.as_ptr().cast());
            let mut column = _mm512_setzero_ps();
            for register in 0..width {
                let values = _mm512_loadu_ps(records.add(16 * register));
                column = _mm512_mask_permutexvar_ps(column, masks[register], lanes, values);
            }
            column
        }
    }

    #[inline(always)]
    unsafe fn copy_to_columns<const D: usize>(_: Avx512, records: &[*const f32; 16], min: [*mut f32; D], max: [*mut f32; D]) {
        // SAFETY: eight values are readable at each record, and sixteen writable in each column, by the caller's promise. The
        // features were detected.
        unsafe {
            let mut rows = [_mm512_setzero_ps(); 8];
            for (record, row) in rows.iter_mut().enumerate() {
                let (low, high) = (_mm256_loadu_ps(records[record]), _mm256_loadu_ps(records[record + 8]));
                *row = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high);
            }
            // Within each half: eight rows of eight, first pairs of rows, then fours, then the quarters of the register.
            let mut pairs = [_mm512_setzero_ps(); 8];
            for pair in 0..4 {
                pairs[2 * pair] = _mm512_unpacklo_ps(rows[2 * pair], rows[2 * pair + 1]);
                pairs[2 * pair + 1] = _mm512_unpackhi_ps(rows[2 * pair], rows[2 * pair + 1]);
            }
            let mut fours = [_mm512_setzero_ps(); 8];
            for four in 0..2 {
                for column in 0..2 {
                    let (low, high) = (pairs[4 * four + column], pairs[4 * four + column + 2]);
                    fours[4 * four + 2 * column] = _mm512_shuffle_ps::<0b01_00_01_00>(low, high);
                    fours[4 * four + 2 * column + 1] = _mm512_shuffle_ps::<0b11_10_11_10>(low, high);
                }
            }
            let first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
            let second = _mm512_setr_epi32(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
            for value in 0..2 * D {
                let quarters = if value < 4 { first } else { second };
                let column = _mm512_permutex2var_ps(fours[value % 4], quarters, fours[4 + value % 4]);
                _mm512_storeu_ps(if value < D { min[value] } else { max[value - D] }, column);
            }
        }
    }

    #[inline(always)]
    fn splat(_: Avx512, value: f32) -> Self {
        // SAFETY: the features were detected.
        unsafe { _mm512_set1_ps(value) }
    }

    #[inline(always)]
    fn cells(self, _: Avx512, origin: Self, inverse: Self) -> __m512i {
        // SAFETY: the features were detected.
        unsafe {
            let limit = _mm512_set1_ps(super::CELL_LIMIT as f32);
            let scaled = _mm512_mul_ps(_mm512_sub_ps(self, origin), inverse);
            // If an operand is NaN, `max` returns the second operand, as `floor_to_cell` does.
            let inside = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_sub_ps(_mm512_setzero_ps(), limit)), limit);
            _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(inside)
        }
    }

    #[inline(always)]
    fn add(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    fn sub(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        unsafe { _mm512_sub_ps(self, other) }
    }

    #[inline(always)]
    fn mul(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        unsafe { _mm512_mul_ps(self, other) }
    }

    #[inline(always)]
    fn lesser(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        unsafe { _mm512_min_ps(self, other) }
    }

    #[inline(always)]
    fn greater(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        unsafe { _mm512_max_ps(self, other) }
    }

    #[inline(always)]
    fn array(self, _: Avx512) -> [f32; 16] {
        let mut array = [0.0; 16];
        // SAFETY: an array of sixteen.
        unsafe { _mm512_storeu_ps(array.as_mut_ptr(), self) };
        array
    }

    #[inline(always)]
    fn le(self, _: Avx512, other: Self) -> Mask {
        // SAFETY: the features were detected.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self, other) }
    }

    #[inline(always)]
    fn exceeds(self, _: Avx512, other: Self, most: Self) -> Mask {
        // SAFETY: the features were detected.
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(_mm512_sub_ps(self, other), most) }
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Avx512,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // Two chains of masked comparisons, which the processor runs side by side.
        let (mut low, mut high) = (mask, Mask::MAX);
        for axis in 0..D {
            // SAFETY: the features were detected.
            unsafe {
                low = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(low, b_min[axis], a_max[axis]);
                high = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(high, a_min[axis], b_max[axis]);
            }
        }
        low & high
    }

    #[inline(always)]
    fn met(_: Avx512, enter: &[f32; LANES], exit: &[f32; LANES]) -> u32 {
        singles::met(enter, exit)
    }

    #[inline(always)]
    fn ranks(_: Avx512, enter: &[f32; LANES], exit: &[f32; LANES]) -> [u32; LANES] {
        singles::ranks(enter, exit)
    }
}

impl Lanes<f64, Avx512> for [__m512d; 2] {
    #[inline(always)]
    unsafe fn load(_: Avx512, from: *const f64) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        unsafe { [_mm512_loadu_pd(from), _mm512_loadu_pd(from.add(8))] }
    }

    #[inline(always)]
    unsafe fn column(_: Avx512, records: *const f64, width: usize, number: usize) -> Self {
        let (masks, lanes) = COLUMNS_OF_EIGHT[width / 2 - 1][number];
        // SAFETY: eight records are `width` registers, and there are sixteen records, by the caller's promise. The features were
        // detected.
        unsafe {
            let lanes = _mm512_cvtepi32_epi64(_mm256_loadu_si256(lanes.as_ptr().cast()));
            registers!(2, half => {
                let mut column = _mm512_setzero_pd();
                for register in 0..width {
                    let values = _mm512_loadu_pd(records.add(8 * (half * width + register)));
                    column = _mm512_mask_permutexvar_pd(column, masks[register] as u8, lanes, values);
                }
                column
            })
        }
    }

    #[inline(always)]
    fn splat(_: Avx512, value: f64) -> Self {
        // SAFETY: the features were detected.
        unsafe { [_mm512_set1_pd(value); 2] }
    }

    #[inline(always)]
    fn cells(self, _: Avx512, origin: Self, inverse: Self) -> __m512i {
        // SAFETY: the features were detected.
        unsafe {
            let limit = _mm512_set1_pd(f64::from(super::CELL_LIMIT));
            let halves = registers!(2, half => {
                let scaled = _mm512_mul_pd(_mm512_sub_pd(self[half], origin[half]), inverse[half]);
                let inside = _mm512_min_pd(_mm512_max_pd(scaled, _mm512_sub_pd(_mm512_setzero_pd(), limit)), limit);
                _mm512_cvt_roundpd_epi32::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(inside)
            });
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(halves[0]), halves[1])
        }
    }

    #[inline(always)]
    fn add(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm512_add_pd(self[half], other[half]) })
    }

    #[inline(always)]
    fn sub(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm512_sub_pd(self[half], other[half]) })
    }

    #[inline(always)]
    fn mul(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm512_mul_pd(self[half], other[half]) })
    }

    #[inline(always)]
    fn lesser(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm512_min_pd(self[half], other[half]) })
    }

    #[inline(always)]
    fn greater(self, _: Avx512, other: Self) -> Self {
        // SAFETY: the features were detected.
        registers!(2, half => unsafe { _mm512_max_pd(self[half], other[half]) })
    }

    #[inline(always)]
    fn array(self, _: Avx512) -> [f64; 16] {
        let mut array = [0.0; 16];
        // SAFETY: an array of sixteen.
        unsafe {
            _mm512_storeu_pd(array.as_mut_ptr(), self[0]);
            _mm512_storeu_pd(array.as_mut_ptr().add(8), self[1]);
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Avx512, other: Self) -> Mask {
        // SAFETY: the features were detected.
        let halves = registers!(2, half => unsafe { Mask::from(_mm512_cmp_pd_mask::<_CMP_LE_OQ>(self[half], other[half])) });
        halves[0] | halves[1] << 8
    }

    #[inline(always)]
    fn exceeds(self, _: Avx512, other: Self, most: Self) -> Mask {
        // SAFETY: the features were detected.
        let halves = registers!(2, half => unsafe {
            Mask::from(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(_mm512_sub_pd(self[half], other[half]), most[half]))
        });
        halves[0] | halves[1] << 8
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Avx512,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        let halves = registers!(2, half => {
            let (mut low, mut high) = ((mask >> (8 * half)) as u8, u8::MAX);
            for axis in 0..D {
                // SAFETY: the features were detected.
                unsafe {
                    low = _mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(low, b_min[axis][half], a_max[axis][half]);
                    high = _mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(high, a_min[axis][half], b_max[axis][half]);
                }
            }
            Mask::from(low & high)
        });
        halves[0] | halves[1] << 8
    }

    #[inline(always)]
    fn met(_: Avx512, enter: &[f64; LANES], exit: &[f64; LANES]) -> u32 {
        doubles::met(enter, exit)
    }

    #[inline(always)]
    fn ranks(_: Avx512, enter: &[f64; LANES], exit: &[f64; LANES]) -> [u32; LANES] {
        doubles::ranks(enter, exit)
    }
}
