//! SSE2: four registers of four words. Part of every 64-bit x86 processor, so this is what "portable" means there: loops over arrays
//! make no use of its masks.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Isa, Lanes, Mask, WIDTH, Work};
use crate::faults::{Fault, injected};

/// Every processor that runs the program has SSE2, so closures are compiled with it as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sse2;

type Words = [__m128i; 4];

/// All quarters of an operation on registers.
#[inline(always)]
fn quarters<T>(f: impl Fn(usize) -> T) -> [T; 4] {
    [f(0), f(1), f(2), f(3)]
}

/// All eighths of an operation on registers.
#[inline(always)]
fn eighths(f: impl Fn(usize) -> __m128d) -> [__m128d; 8] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// A bit per lane of a comparison's result.
#[inline(always)]
fn mask_of(lanes: Words) -> Mask {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe {
        let (low, high) = (_mm_packs_epi32(lanes[0], lanes[1]), _mm_packs_epi32(lanes[2], lanes[3]));
        _mm_movemask_epi8(_mm_packs_epi16(low, high)) as Mask
    }
}

/// A bit per lane of a comparison's result, two lanes at a time.
#[inline(always)]
fn mask_of_twos(lanes: [__m128d; 8]) -> Mask {
    // SAFETY: SSE2 is part of every x86-64. (Every other word of the lanes, which is as good as all of them.)
    mask_of(quarters(|quarter| unsafe {
        let (low, high) = (_mm_castpd_ps(lanes[2 * quarter]), _mm_castpd_ps(lanes[2 * quarter + 1]));
        _mm_castps_si128(_mm_shuffle_ps::<0x88>(low, high))
    }))
}

/// The lanes of `yes` where `mask` has all bits, those of `no` where it has none.
#[inline(always)]
fn blend(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of every x86-64.
    unsafe { _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no)) }
}

#[inline(always)]
fn array(words: Words) -> [u32; WIDTH] {
    let mut array = [0; WIDTH];
    for (quarter, words) in words.into_iter().enumerate() {
        // SAFETY: an array of sixteen words, of which these are four.
        unsafe { _mm_storeu_si128(array.as_mut_ptr().add(4 * quarter).cast(), words) };
    }
    array
}

impl Isa for Sse2 {
    type Words = Words;
    type F32 = [__m128; 4];
    type F64 = [__m128d; 8];

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        compiled(work)
    }

    #[inline(always)]
    fn splat(self, value: i32) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|_| unsafe { _mm_set1_epi32(value) })
    }

    #[inline(always)]
    fn iota(self) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_add_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32(4 * quarter as i32)) })
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> Words {
        // SAFETY: sixteen words are readable, by the caller's promise.
        quarters(|quarter| unsafe { _mm_loadu_si128(from.add(4 * quarter).cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: Words) {
        for (quarter, words) in words.into_iter().enumerate() {
            // SAFETY: sixteen words are writable, by the caller's promise.
            unsafe { _mm_storeu_si128(to.add(4 * quarter).cast(), words) };
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: Words) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe {
            let words = quarters(|quarter| _mm_and_si128(words[quarter], _mm_set1_epi32(0xff)));
            let (low, high) = (_mm_packs_epi32(words[0], words[1]), _mm_packs_epi32(words[2], words[3]));
            _mm_storeu_si128(to.cast(), _mm_packus_epi16(low, high));
        }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Words) -> usize {
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
    unsafe fn store_pairs(self, to: *mut u32, a: Words, b: Words) {
        for quarter in 0..4 {
            // SAFETY: thirty-two words are writable, by the caller's promise; a quarter takes eight of them.
            unsafe {
                // As signed numbers, with the highest bit flipped, they are in the order of unsigned ones.
                let sign = _mm_set1_epi32(i32::MIN);
                let greater = _mm_cmpgt_epi32(_mm_xor_si128(a[quarter], sign), _mm_xor_si128(b[quarter], sign));
                let small = blend(greater, b[quarter], a[quarter]);
                let large = blend(greater, a[quarter], b[quarter]);
                _mm_storeu_si128(to.add(8 * quarter).cast(), _mm_unpacklo_epi32(small, large));
                _mm_storeu_si128(to.add(8 * quarter + 4).cast(), _mm_unpackhi_epi32(small, large));
            }
        }
    }

    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_add_epi32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn sub(self, a: Words, b: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_sub_epi32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_and_si128(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_or_si128(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn min(self, a: Words, b: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { blend(_mm_cmpgt_epi32(a[quarter], b[quarter]), b[quarter], a[quarter]) })
    }

    #[inline(always)]
    fn max(self, a: Words, b: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { blend(_mm_cmpgt_epi32(a[quarter], b[quarter]), a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn shl(self, a: Words, bits: u32) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_sll_epi32(a[quarter], _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn shr(self, a: Words, bits: u32) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_sra_epi32(a[quarter], _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn power_of_two(self, a: Words) -> Words {
        // No shift by lanes: 2^n as a float is n + 127 in the exponent. Converting 2^31, which does not fit, gives its bits.
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe {
            let exponent = _mm_slli_epi32::<23>(_mm_add_epi32(a[quarter], _mm_set1_epi32(127)));
            _mm_cvttps_epi32(_mm_castsi128_ps(exponent))
        })
    }

    #[inline(always)]
    fn gt(self, a: Words, b: Words) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        mask_of(quarters(|quarter| unsafe { _mm_cmpgt_epi32(a[quarter], b[quarter]) }))
    }

    #[inline(always)]
    fn eq(self, a: Words, b: Words) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        mask_of(quarters(|quarter| unsafe { _mm_cmpeq_epi32(a[quarter], b[quarter]) }))
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: Words, no: Words) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe {
            let bits = _mm_setr_epi32(1, 2, 4, 8);
            let set = _mm_and_si128(_mm_set1_epi32(i32::from(mask >> (4 * quarter))), bits);
            blend(_mm_cmpeq_epi32(set, bits), yes[quarter], no[quarter])
        })
    }

    #[inline(always)]
    fn lookup(self, table: Words, index: Words) -> Words {
        let (table, index) = (array(table), array(index));
        let word = |lane: usize| table[index[lane] as usize % WIDTH] as i32;
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe {
            let lane = 4 * quarter;
            _mm_setr_epi32(word(lane), word(lane + 1), word(lane + 2), word(lane + 3))
        })
    }
}

/// A function of its own, as in other instruction sets.
#[inline(never)]
fn compiled<W: Work>(work: W) -> W::Outcome {
    work.run()
}

impl Lanes<f32, Sse2> for [__m128; 4] {
    #[inline(always)]
    unsafe fn load(_: Sse2, from: *const f32) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        quarters(|quarter| unsafe { _mm_loadu_ps(from.add(4 * quarter)) })
    }

    #[inline(always)]
    fn splat(_: Sse2, value: f32) -> Self {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|_| unsafe { _mm_set1_ps(value) })
    }

    #[inline(always)]
    fn cells(self, _: Sse2, origin: Self, inverse: Self) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe {
            let limit = _mm_set1_ps(super::CELL_LIMIT as f32);
            let scaled = _mm_mul_ps(_mm_sub_ps(self[quarter], origin[quarter]), inverse[quarter]);
            // Of a NaN and a number, `max` takes the second operand, as `floor_to_cell` does.
            let inside = _mm_min_ps(_mm_max_ps(scaled, _mm_sub_ps(_mm_setzero_ps(), limit)), limit);
            // No instruction rounds down: truncated, and one less where that is too high.
            let truncated = _mm_cvttps_epi32(inside);
            let too_high = _mm_cmpgt_ps(_mm_cvtepi32_ps(truncated), inside);
            _mm_add_epi32(truncated, _mm_castps_si128(too_high))
        })
    }

    #[inline(always)]
    fn lesser(self, _: Sse2, other: Self) -> Self {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_min_ps(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn greater(self, _: Sse2, other: Self) -> Self {
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_max_ps(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn array(self, _: Sse2) -> [f32; WIDTH] {
        let mut array = [0.0; WIDTH];
        for quarter in 0..4 {
            // SAFETY: an array of sixteen, of which these are four.
            unsafe { _mm_storeu_ps(array.as_mut_ptr().add(4 * quarter), self[quarter]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Sse2, other: Self) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        mask_of(quarters(|quarter| unsafe { _mm_castps_si128(_mm_cmple_ps(self[quarter], other[quarter])) }))
    }

    #[inline(always)]
    fn exceeds(self, _: Sse2, other: Self, most: Self) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        mask_of(quarters(|quarter| unsafe {
            _mm_castps_si128(_mm_cmpgt_ps(_mm_sub_ps(self[quarter], other[quarter]), most[quarter]))
        }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Sse2,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        let all = quarters(|quarter| unsafe {
            let mut all = _mm_castsi128_ps(_mm_set1_epi32(-1));
            for axis in 0..D {
                all = _mm_and_ps(all, _mm_cmple_ps(b_min[axis][quarter], a_max[axis][quarter]));
                all = _mm_and_ps(all, _mm_cmple_ps(a_min[axis][quarter], b_max[axis][quarter]));
                if injected(Fault::TouchIsNoOverlap) {
                    all = _mm_and_ps(all, _mm_cmpneq_ps(b_min[axis][quarter], a_max[axis][quarter]));
                }
            }
            _mm_castps_si128(all)
        });
        mask_of(all) & mask
    }
}

impl Lanes<f64, Sse2> for [__m128d; 8] {
    #[inline(always)]
    unsafe fn load(_: Sse2, from: *const f64) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        eighths(|eighth| unsafe { _mm_loadu_pd(from.add(2 * eighth)) })
    }

    #[inline(always)]
    fn splat(_: Sse2, value: f64) -> Self {
        // SAFETY: SSE2 is part of every x86-64.
        eighths(|_| unsafe { _mm_set1_pd(value) })
    }

    #[inline(always)]
    fn cells(self, _: Sse2, origin: Self, inverse: Self) -> Words {
        // SAFETY: SSE2 is part of every x86-64.
        let two = |eighth: usize| unsafe {
            let limit = _mm_set1_pd(f64::from(super::CELL_LIMIT));
            let scaled = _mm_mul_pd(_mm_sub_pd(self[eighth], origin[eighth]), inverse[eighth]);
            let inside = _mm_min_pd(_mm_max_pd(scaled, _mm_sub_pd(_mm_setzero_pd(), limit)), limit);
            let truncated = _mm_cvtepi32_pd(_mm_cvttpd_epi32(inside));
            let too_high = _mm_and_pd(_mm_cmpgt_pd(truncated, inside), _mm_set1_pd(1.0));
            _mm_cvttpd_epi32(_mm_sub_pd(truncated, too_high))
        };
        // SAFETY: SSE2 is part of every x86-64.
        quarters(|quarter| unsafe { _mm_unpacklo_epi64(two(2 * quarter), two(2 * quarter + 1)) })
    }

    #[inline(always)]
    fn lesser(self, _: Sse2, other: Self) -> Self {
        // SAFETY: SSE2 is part of every x86-64.
        eighths(|eighth| unsafe { _mm_min_pd(self[eighth], other[eighth]) })
    }

    #[inline(always)]
    fn greater(self, _: Sse2, other: Self) -> Self {
        // SAFETY: SSE2 is part of every x86-64.
        eighths(|eighth| unsafe { _mm_max_pd(self[eighth], other[eighth]) })
    }

    #[inline(always)]
    fn array(self, _: Sse2) -> [f64; WIDTH] {
        let mut array = [0.0; WIDTH];
        for eighth in 0..8 {
            // SAFETY: an array of sixteen, of which these are two.
            unsafe { _mm_storeu_pd(array.as_mut_ptr().add(2 * eighth), self[eighth]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Sse2, other: Self) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        mask_of_twos(eighths(|eighth| unsafe { _mm_cmple_pd(self[eighth], other[eighth]) }))
    }

    #[inline(always)]
    fn exceeds(self, _: Sse2, other: Self, most: Self) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        mask_of_twos(eighths(|eighth| unsafe { _mm_cmpgt_pd(_mm_sub_pd(self[eighth], other[eighth]), most[eighth]) }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Sse2,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // SAFETY: SSE2 is part of every x86-64.
        let all = eighths(|eighth| unsafe {
            let mut all = _mm_castsi128_pd(_mm_set1_epi32(-1));
            for axis in 0..D {
                all = _mm_and_pd(all, _mm_cmple_pd(b_min[axis][eighth], a_max[axis][eighth]));
                all = _mm_and_pd(all, _mm_cmple_pd(a_min[axis][eighth], b_max[axis][eighth]));
                if injected(Fault::TouchIsNoOverlap) {
                    all = _mm_and_pd(all, _mm_cmpneq_pd(b_min[axis][eighth], a_max[axis][eighth]));
                }
            }
            all
        });
        mask_of_twos(all) & mask
    }
}
