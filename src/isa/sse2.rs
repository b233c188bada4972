//! SSE2: four registers of four words. Part of every 64-bit x86 processor, so this is what "portable" means there. Loops over arrays would
//! not use its masks.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::four::{Quads, operations};
use super::{Mask, WIDTH, Work};

/// Every processor that runs the program has SSE2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sse2;

/// The lanes as an array.
#[inline(always)]
fn array(words: [__m128i; 4]) -> [u32; WIDTH] {
    let mut array = [0; WIDTH];
    for quarter in 0..4 {
        // SAFETY: an array of sixteen words, of which these are four.
        unsafe { _mm_storeu_si128(array.as_mut_ptr().add(4 * quarter).cast(), words[quarter]) };
    }
    array
}

/// The lanes of `yes` where `compared` has all bits, those of `no` where it has none.
#[inline(always)]
fn blend(compared: __m128i, yes: __m128i, no: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe { _mm_or_si128(_mm_and_si128(compared, yes), _mm_andnot_si128(compared, no)) }
}

/// A function of its own, as in other instruction sets.
#[inline(never)]
fn compiled<W: Work>(work: W) -> W::Outcome {
    work.run()
}

impl Quads for Sse2 {
    type Words = __m128i;
    type Singles = __m128;
    type Doubles = __m128d;

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        compiled(work)
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> __m128i {
        // SAFETY: by the caller's promise.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: __m128i) {
        // SAFETY: by the caller's promise.
        unsafe { _mm_storeu_si128(to.cast(), words) }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: __m128i, b: __m128i) {
        // SAFETY: eight words are writable, by the caller's promise.
        unsafe {
            // As signed numbers, with the highest bit flipped, they are in the order of unsigned ones.
            let sign = _mm_set1_epi32(i32::MIN);
            let greater = _mm_cmpgt_epi32(_mm_xor_si128(a, sign), _mm_xor_si128(b, sign));
            let (small, large) = (blend(greater, b, a), blend(greater, a, b));
            _mm_storeu_si128(to.cast(), _mm_unpacklo_epi32(small, large));
            _mm_storeu_si128(to.add(4).cast(), _mm_unpackhi_epi32(small, large));
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: [__m128i; 4]) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe {
            let low_byte = _mm_set1_epi32(0xff);
            let low = _mm_packs_epi32(_mm_and_si128(words[0], low_byte), _mm_and_si128(words[1], low_byte));
            let high = _mm_packs_epi32(_mm_and_si128(words[2], low_byte), _mm_and_si128(words[3], low_byte));
            _mm_storeu_si128(to.cast(), _mm_packus_epi16(low, high));
        }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: [__m128i; 4]) -> usize {
        let words = array(words);
        if mask & mask.wrapping_sub(1) == 0 {
            // None, or one: most masks of hits.
            // SAFETY: sixteen words are writable, by the caller's promise.
            unsafe { to.write(words[mask.trailing_zeros() as usize % WIDTH]) };
            return usize::from(mask != 0);
        }
        // Without a branch: a word that does not count is overwritten by the next one.
        let mut at = 0;
        for lane in 0..WIDTH {
            // SAFETY: sixteen words are writable, by the caller's promise, and `at <= lane`.
            unsafe { to.add(at).write(words[lane]) };
            at += usize::from(mask >> lane & 1);
        }
        at
    }

    #[inline(always)]
    fn lookup(self, table: [__m128i; 4], index: __m128i) -> __m128i {
        let table = array(table);
        let mut found = [0; 4];
        // SAFETY: arrays of four words.
        unsafe {
            _mm_storeu_si128(found.as_mut_ptr().cast(), index);
            for word in &mut found {
                *word = table[*word as usize % WIDTH];
            }
            _mm_loadu_si128(found.as_ptr().cast())
        }
    }

    operations! {
        splat(value: i32) -> __m128i { _mm_set1_epi32(value) }
        add(a: __m128i, b: __m128i) -> __m128i { _mm_add_epi32(a, b) }
        sub(a: __m128i, b: __m128i) -> __m128i { _mm_sub_epi32(a, b) }
        and(a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(a, b) }
        or(a: __m128i, b: __m128i) -> __m128i { _mm_or_si128(a, b) }
        min(a: __m128i, b: __m128i) -> __m128i { blend(_mm_cmpgt_epi32(a, b), b, a) }
        max(a: __m128i, b: __m128i) -> __m128i { blend(_mm_cmpgt_epi32(a, b), a, b) }
        shl(a: __m128i, bits: u32) -> __m128i { _mm_sll_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
        shr(a: __m128i, bits: u32) -> __m128i { _mm_sra_epi32(a, _mm_cvtsi32_si128(bits as i32)) }
        // No shift by lanes: 2^n as a float is n + 127 in the exponent. Converting 2^31, which does not fit, gives its bits.
        power_of_two(a: __m128i) -> __m128i {
            _mm_cvttps_epi32(_mm_castsi128_ps(_mm_slli_epi32::<23>(_mm_add_epi32(a, _mm_set1_epi32(127)))))
        }
        gt(a: __m128i, b: __m128i) -> __m128i { _mm_cmpgt_epi32(a, b) }
        eq(a: __m128i, b: __m128i) -> __m128i { _mm_cmpeq_epi32(a, b) }
        blend(compared: __m128i, yes: __m128i, no: __m128i) -> __m128i { blend(compared, yes, no) }
        mask(compared: [__m128i; 4]) -> Mask {{
            let (low, high) = (_mm_packs_epi32(compared[0], compared[1]), _mm_packs_epi32(compared[2], compared[3]));
            _mm_movemask_epi8(_mm_packs_epi16(low, high)) as Mask
        }}
        splat_singles(value: f32) -> __m128 { _mm_set1_ps(value) }
        add_singles(a: __m128, b: __m128) -> __m128 { _mm_add_ps(a, b) }
        sub_singles(a: __m128, b: __m128) -> __m128 { _mm_sub_ps(a, b) }
        mul_singles(a: __m128, b: __m128) -> __m128 { _mm_mul_ps(a, b) }
        cells_of_singles(x: __m128, origin: __m128, inverse: __m128) -> __m128i {{
            let limit = _mm_set1_ps(super::CELL_LIMIT as f32);
            let scaled = _mm_mul_ps(_mm_sub_ps(x, origin), inverse);
            // If an operand is NaN, `max` returns the second operand, as `floor_to_cell` does.
            let inside = _mm_min_ps(_mm_max_ps(scaled, _mm_sub_ps(_mm_setzero_ps(), limit)), limit);
            // No instruction rounds down: truncated, and one less where that is too high.
            let truncated = _mm_cvttps_epi32(inside);
            let too_high = _mm_cmpgt_ps(_mm_cvtepi32_ps(truncated), inside);
            _mm_add_epi32(truncated, _mm_castps_si128(too_high))
        }}
        min_singles(a: __m128, b: __m128) -> __m128 { _mm_min_ps(a, b) }
        max_singles(a: __m128, b: __m128) -> __m128 { _mm_max_ps(a, b) }
        bits_of_singles(a: __m128) -> __m128i { _mm_castps_si128(a) }
        le_singles(a: __m128, b: __m128) -> __m128i { _mm_castps_si128(_mm_cmple_ps(a, b)) }
        gt_singles(a: __m128, b: __m128) -> __m128i { _mm_castps_si128(_mm_cmpgt_ps(a, b)) }
        splat_doubles(value: f64) -> __m128d { _mm_set1_pd(value) }
        add_doubles(a: __m128d, b: __m128d) -> __m128d { _mm_add_pd(a, b) }
        sub_doubles(a: __m128d, b: __m128d) -> __m128d { _mm_sub_pd(a, b) }
        mul_doubles(a: __m128d, b: __m128d) -> __m128d { _mm_mul_pd(a, b) }
        cells_of_doubles(x: __m128d, origin: __m128d, inverse: __m128d) -> __m128i {{
            let limit = _mm_set1_pd(f64::from(super::CELL_LIMIT));
            let scaled = _mm_mul_pd(_mm_sub_pd(x, origin), inverse);
            let inside = _mm_min_pd(_mm_max_pd(scaled, _mm_sub_pd(_mm_setzero_pd(), limit)), limit);
            let truncated = _mm_cvtepi32_pd(_mm_cvttpd_epi32(inside));
            let too_high = _mm_and_pd(_mm_cmpgt_pd(truncated, inside), _mm_set1_pd(1.0));
            _mm_cvttpd_epi32(_mm_sub_pd(truncated, too_high))
        }}
        join(low: __m128i, high: __m128i) -> __m128i { _mm_unpacklo_epi64(low, high) }
        min_doubles(a: __m128d, b: __m128d) -> __m128d { _mm_min_pd(a, b) }
        max_doubles(a: __m128d, b: __m128d) -> __m128d { _mm_max_pd(a, b) }
        le_doubles(a: __m128d, b: __m128d) -> __m128i { _mm_castpd_si128(_mm_cmple_pd(a, b)) }
        gt_doubles(a: __m128d, b: __m128d) -> __m128i { _mm_castpd_si128(_mm_cmpgt_pd(a, b)) }
        // Every other word, which is as good as all of them.
        narrow(low: __m128i, high: __m128i) -> __m128i {
            _mm_castps_si128(_mm_shuffle_ps::<0x88>(_mm_castsi128_ps(low), _mm_castsi128_ps(high)))
        }
    }

    #[inline(always)]
    unsafe fn load_singles(self, from: *const f32) -> __m128 {
        // SAFETY: by the caller's promise.
        unsafe { _mm_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store_singles(self, to: *mut f32, values: __m128) {
        // SAFETY: by the caller's promise.
        unsafe { _mm_storeu_ps(to, values) }
    }

    #[inline(always)]
    unsafe fn load_doubles(self, from: *const f64) -> __m128d {
        // SAFETY: by the caller's promise.
        unsafe { _mm_loadu_pd(from) }
    }

    #[inline(always)]
    unsafe fn store_doubles(self, to: *mut f64, values: __m128d) {
        // SAFETY: by the caller's promise.
        unsafe { _mm_storeu_pd(to, values) }
    }
}
