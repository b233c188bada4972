//! WebAssembly's 128-bit vectors: four registers of four words. A program is compiled with or without them; there is no detection at run
//! time.

#![allow(unsafe_code)]

use std::arch::wasm32::*;

use super::four::{FRONT_BYTES, Quads, operations};
use super::{Mask, Work};

/// The program was compiled with `simd128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Simd128;

impl Quads for Simd128 {
    type Words = v128;
    type Singles = v128;
    type Doubles = v128;

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        work.run()
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> v128 {
        // SAFETY: by the caller's promise.
        unsafe { v128_load(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: v128) {
        // SAFETY: by the caller's promise.
        unsafe { v128_store(to.cast(), words) }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: v128, b: v128) {
        let (small, large) = (u32x4_min(a, b), u32x4_max(a, b));
        // SAFETY: eight words are writable, by the caller's promise.
        unsafe {
            v128_store(to.cast(), i32x4_shuffle::<0, 4, 1, 5>(small, large));
            v128_store(to.add(4).cast(), i32x4_shuffle::<2, 6, 3, 7>(small, large));
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: [v128; 4]) {
        let low_byte = i32x4_splat(0xff);
        let low = i16x8_narrow_i32x4(v128_and(words[0], low_byte), v128_and(words[1], low_byte));
        let high = i16x8_narrow_i32x4(v128_and(words[2], low_byte), v128_and(words[3], low_byte));
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe { v128_store(to.cast(), u8x16_narrow_i16x8(low, high)) };
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: [v128; 4]) -> usize {
        let mut at = 0;
        for quarter in 0..4 {
            let set = usize::from(mask >> (4 * quarter) & 15);
            // SAFETY: sixteen words are writable, by the caller's promise; a quarter begins behind at most four words for each
            // quarter before it. The table's rows have sixteen bytes.
            unsafe {
                let front = i8x16_swizzle(words[quarter], v128_load(FRONT_BYTES[set].as_ptr().cast()));
                v128_store(to.add(at).cast(), front);
            }
            at += set.count_ones() as usize;
        }
        at
    }

    operations! {
        splat(value: i32) -> v128 { i32x4_splat(value) }
        add(a: v128, b: v128) -> v128 { i32x4_add(a, b) }
        sub(a: v128, b: v128) -> v128 { i32x4_sub(a, b) }
        and(a: v128, b: v128) -> v128 { v128_and(a, b) }
        or(a: v128, b: v128) -> v128 { v128_or(a, b) }
        min(a: v128, b: v128) -> v128 { i32x4_min(a, b) }
        max(a: v128, b: v128) -> v128 { i32x4_max(a, b) }
        shl(a: v128, bits: u32) -> v128 { i32x4_shl(a, bits) }
        shr(a: v128, bits: u32) -> v128 { i32x4_shr(a, bits) }
        // No shift by lanes: 2^n as a float is n + 127 in the exponent. 2^31 does not fit a signed word and saturates to the wrong
        // side as signed, so the conversion is the unsigned one.
        power_of_two(a: v128) -> v128 {
            u32x4_trunc_sat_f32x4(i32x4_shl(i32x4_add(v128_and(a, i32x4_splat(31)), i32x4_splat(127)), 23))
        }
        gt(a: v128, b: v128) -> v128 { i32x4_gt(a, b) }
        eq(a: v128, b: v128) -> v128 { i32x4_eq(a, b) }
        blend(compared: v128, yes: v128, no: v128) -> v128 { v128_bitselect(yes, no, compared) }
        lookup(table: [v128; 4], index: v128) -> v128 {{
            // The bytes of word `i` are `4 i` to `4 i + 3`; a swizzle gives 0 for bytes beyond its table.
            let word = v128_and(index, i32x4_splat(15));
            let places = i32x4_add(i32x4_mul(word, i32x4_splat(0x0404_0404)), i32x4_splat(0x0302_0100));
            let mut found = i32x4_splat(0);
            for part in 0..4 {
                found = v128_or(found, i8x16_swizzle(table[part], i8x16_sub(places, i8x16_splat(16 * part as i8))));
            }
            found
        }}
        mask(compared: [v128; 4]) -> Mask {{
            let mut mask = 0;
            for quarter in 0..4 {
                mask |= Mask::from(i32x4_bitmask(compared[quarter])) << (4 * quarter);
            }
            mask
        }}
        splat_singles(value: f32) -> v128 { f32x4_splat(value) }
        add_singles(a: v128, b: v128) -> v128 { f32x4_add(a, b) }
        sub_singles(a: v128, b: v128) -> v128 { f32x4_sub(a, b) }
        mul_singles(a: v128, b: v128) -> v128 { f32x4_mul(a, b) }
        // `pmax(a, b)` is `a < b ? b : a`: of a NaN as the second operand it takes the first, as `floor_to_cell` does.
        cells_of_singles(x: v128, origin: v128, inverse: v128) -> v128 {{
            let limit = f32x4_splat(super::CELL_LIMIT as f32);
            let scaled = f32x4_mul(f32x4_sub(x, origin), inverse);
            i32x4_trunc_sat_f32x4(f32x4_floor(f32x4_pmin(limit, f32x4_pmax(f32x4_neg(limit), scaled))))
        }}
        min_singles(a: v128, b: v128) -> v128 { f32x4_pmin(a, b) }
        max_singles(a: v128, b: v128) -> v128 { f32x4_pmax(a, b) }
        bits_of_singles(a: v128) -> v128 { a }
        le_singles(a: v128, b: v128) -> v128 { f32x4_le(a, b) }
        gt_singles(a: v128, b: v128) -> v128 { f32x4_gt(a, b) }
        splat_doubles(value: f64) -> v128 { f64x2_splat(value) }
        add_doubles(a: v128, b: v128) -> v128 { f64x2_add(a, b) }
        sub_doubles(a: v128, b: v128) -> v128 { f64x2_sub(a, b) }
        mul_doubles(a: v128, b: v128) -> v128 { f64x2_mul(a, b) }
        cells_of_doubles(x: v128, origin: v128, inverse: v128) -> v128 {{
            let limit = f64x2_splat(f64::from(super::CELL_LIMIT));
            let scaled = f64x2_mul(f64x2_sub(x, origin), inverse);
            i32x4_trunc_sat_f64x2_zero(f64x2_floor(f64x2_pmin(limit, f64x2_pmax(f64x2_neg(limit), scaled))))
        }}
        join(low: v128, high: v128) -> v128 { i64x2_shuffle::<0, 2>(low, high) }
        min_doubles(a: v128, b: v128) -> v128 { f64x2_pmin(a, b) }
        max_doubles(a: v128, b: v128) -> v128 { f64x2_pmax(a, b) }
        le_doubles(a: v128, b: v128) -> v128 { f64x2_le(a, b) }
        gt_doubles(a: v128, b: v128) -> v128 { f64x2_gt(a, b) }
        narrow(low: v128, high: v128) -> v128 { i32x4_shuffle::<0, 2, 4, 6>(low, high) }
    }

    #[inline(always)]
    unsafe fn load_singles(self, from: *const f32) -> v128 {
        // SAFETY: by the caller's promise.
        unsafe { v128_load(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_singles(self, to: *mut f32, values: v128) {
        // SAFETY: by the caller's promise.
        unsafe { v128_store(to.cast(), values) }
    }

    #[inline(always)]
    unsafe fn load_doubles(self, from: *const f64) -> v128 {
        // SAFETY: by the caller's promise.
        unsafe { v128_load(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store_doubles(self, to: *mut f64, values: v128) {
        // SAFETY: by the caller's promise.
        unsafe { v128_store(to.cast(), values) }
    }
}
