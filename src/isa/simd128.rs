//! WebAssembly's 128-bit vectors: four registers of four words. The program is compiled with them or without; there is no detection.

#![allow(unsafe_code)]

use std::arch::wasm32::*;

use super::{FRONT_BYTES, Isa, Lanes, Mask, Work};

/// The program was compiled with `simd128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Simd128;

type Words = [v128; 4];

/// All quarters of an operation on registers.
#[inline(always)]
fn quarters(f: impl Fn(usize) -> v128) -> Words {
    [f(0), f(1), f(2), f(3)]
}

/// A bit per lane of a comparison's result.
#[inline(always)]
fn mask_of(lanes: Words) -> Mask {
    (0..4).fold(0, |mask, quarter| mask | Mask::from(i32x4_bitmask(lanes[quarter])) << (4 * quarter))
}

impl Isa for Simd128 {
    type Words = Words;
    type F32 = [v128; 4];
    type F64 = Doubles;

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        work.run()
    }

    #[inline(always)]
    fn splat(self, value: i32) -> Words {
        [i32x4_splat(value); 4]
    }

    #[inline(always)]
    fn iota(self) -> Words {
        [i32x4(0, 1, 2, 3), i32x4(4, 5, 6, 7), i32x4(8, 9, 10, 11), i32x4(12, 13, 14, 15)]
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> Words {
        // SAFETY: sixteen words are readable, by the caller's promise.
        quarters(|quarter| unsafe { v128_load(from.add(4 * quarter).cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: Words) {
        for (quarter, words) in words.into_iter().enumerate() {
            // SAFETY: sixteen words are writable, by the caller's promise.
            unsafe { v128_store(to.add(4 * quarter).cast(), words) };
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: Words) {
        let words = words.map(|word| v128_and(word, i32x4_splat(0xff)));
        let (low, high) = (i16x8_narrow_i32x4(words[0], words[1]), i16x8_narrow_i32x4(words[2], words[3]));
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe { v128_store(to.cast(), u8x16_narrow_i16x8(low, high)) };
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Words) -> usize {
        let mut at = 0;
        for (quarter, words) in words.into_iter().enumerate() {
            let set = usize::from(mask >> (4 * quarter) & 15);
            // SAFETY: sixteen words are writable, by the caller's promise; a quarter begins behind at most four words for each
            // quarter before it. The table's rows have sixteen bytes.
            unsafe {
                let front = i8x16_swizzle(words, v128_load(FRONT_BYTES[set].as_ptr().cast()));
                v128_store(to.add(at).cast(), front);
            }
            at += set.count_ones() as usize;
        }
        at
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: Words, b: Words) {
        for quarter in 0..4 {
            let (small, large) = (u32x4_min(a[quarter], b[quarter]), u32x4_max(a[quarter], b[quarter]));
            // SAFETY: thirty-two words are writable, by the caller's promise; a quarter takes eight of them.
            unsafe {
                v128_store(to.add(8 * quarter).cast(), i32x4_shuffle::<0, 4, 1, 5>(small, large));
                v128_store(to.add(8 * quarter + 4).cast(), i32x4_shuffle::<2, 6, 3, 7>(small, large));
            }
        }
    }

    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        quarters(|quarter| i32x4_add(a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn sub(self, a: Words, b: Words) -> Words {
        quarters(|quarter| i32x4_sub(a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        quarters(|quarter| v128_and(a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        quarters(|quarter| v128_or(a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn min(self, a: Words, b: Words) -> Words {
        quarters(|quarter| i32x4_min(a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn max(self, a: Words, b: Words) -> Words {
        quarters(|quarter| i32x4_max(a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn shl(self, a: Words, bits: u32) -> Words {
        quarters(|quarter| i32x4_shl(a[quarter], bits))
    }

    #[inline(always)]
    fn shr(self, a: Words, bits: u32) -> Words {
        quarters(|quarter| i32x4_shr(a[quarter], bits))
    }

    #[inline(always)]
    fn power_of_two(self, a: Words) -> Words {
        // No shift by lanes: 2^n as a float is n + 127 in the exponent. 2^31 does not fit a signed word and saturates to the wrong
        // side as signed, so the conversion is the unsigned one.
        quarters(|quarter| {
            let exponent = i32x4_shl(i32x4_add(v128_and(a[quarter], i32x4_splat(31)), i32x4_splat(127)), 23);
            u32x4_trunc_sat_f32x4(exponent)
        })
    }

    #[inline(always)]
    fn gt(self, a: Words, b: Words) -> Mask {
        mask_of(quarters(|quarter| i32x4_gt(a[quarter], b[quarter])))
    }

    #[inline(always)]
    fn eq(self, a: Words, b: Words) -> Mask {
        mask_of(quarters(|quarter| i32x4_eq(a[quarter], b[quarter])))
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: Words, no: Words) -> Words {
        let bits = i32x4(1, 2, 4, 8);
        quarters(|quarter| {
            let set = v128_and(i32x4_splat(i32::from(mask >> (4 * quarter))), bits);
            v128_bitselect(yes[quarter], no[quarter], i32x4_eq(set, bits))
        })
    }

    #[inline(always)]
    fn lookup(self, table: Words, index: Words) -> Words {
        quarters(|quarter| {
            // The bytes of word `i` are `4 i` to `4 i + 3`; a swizzle gives 0 for bytes beyond its table.
            let word = v128_and(index[quarter], i32x4_splat(15));
            let places = i32x4_add(i32x4_mul(word, i32x4_splat(0x0404_0404)), i32x4_splat(0x0302_0100));
            (0..4).fold(i32x4_splat(0), |found, part| {
                let places = i8x16_sub(places, i8x16_splat(16 * part as i8));
                v128_or(found, i8x16_swizzle(table[part], places))
            })
        })
    }
}

impl Lanes<f32, Simd128> for [v128; 4] {
    #[inline(always)]
    unsafe fn load(_: Simd128, from: *const f32) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        quarters(|quarter| unsafe { v128_load(from.add(4 * quarter).cast()) })
    }

    #[inline(always)]
    fn splat(_: Simd128, value: f32) -> Self {
        [f32x4_splat(value); 4]
    }

    #[inline(always)]
    fn cells(self, _: Simd128, origin: Self, inverse: Self) -> Words {
        let limit = f32x4_splat(super::CELL_LIMIT as f32);
        quarters(|quarter| {
            let scaled = f32x4_mul(f32x4_sub(self[quarter], origin[quarter]), inverse[quarter]);
            // `pmax(a, b)` is `a < b ? b : a`: of a NaN as the second operand it takes the first, as `floor_to_cell` does.
            let inside = f32x4_pmin(limit, f32x4_pmax(f32x4_neg(limit), scaled));
            i32x4_trunc_sat_f32x4(f32x4_floor(inside))
        })
    }

    #[inline(always)]
    fn lesser(self, _: Simd128, other: Self) -> Self {
        quarters(|quarter| f32x4_pmin(self[quarter], other[quarter]))
    }

    #[inline(always)]
    fn greater(self, _: Simd128, other: Self) -> Self {
        quarters(|quarter| f32x4_pmax(self[quarter], other[quarter]))
    }

    #[inline(always)]
    fn array(self, _: Simd128) -> [f32; 16] {
        let mut array = [0.0f32; 16];
        for quarter in 0..4 {
            // SAFETY: an array of sixteen, of which these are four.
            unsafe { v128_store(array.as_mut_ptr().add(4 * quarter).cast(), self[quarter]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Simd128, other: Self) -> Mask {
        mask_of(quarters(|quarter| f32x4_le(self[quarter], other[quarter])))
    }

    #[inline(always)]
    fn exceeds(self, _: Simd128, other: Self, most: Self) -> Mask {
        mask_of(quarters(|quarter| f32x4_gt(f32x4_sub(self[quarter], other[quarter]), most[quarter])))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Simd128,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        let all = quarters(|quarter| {
            (0..D).fold(i32x4_splat(-1), |all, axis| {
                let low = f32x4_le(b_min[axis][quarter], a_max[axis][quarter]);
                let high = f32x4_le(a_min[axis][quarter], b_max[axis][quarter]);
                v128_and(all, v128_and(low, high))
            })
        });
        mask_of(all) & mask
    }
}

/// Sixteen `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Doubles([v128; 8]);

/// A bit per lane of comparisons, two lanes at a time.
#[inline(always)]
fn mask_of_twos(f: impl Fn(usize) -> v128) -> Mask {
    (0..8).fold(0, |mask, two| mask | Mask::from(i64x2_bitmask(f(two))) << (2 * two))
}

impl Lanes<f64, Simd128> for Doubles {
    #[inline(always)]
    unsafe fn load(_: Simd128, from: *const f64) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        Doubles(std::array::from_fn(|two| unsafe { v128_load(from.add(2 * two).cast()) }))
    }

    #[inline(always)]
    fn splat(_: Simd128, value: f64) -> Self {
        Doubles([f64x2_splat(value); 8])
    }

    #[inline(always)]
    fn cells(self, _: Simd128, origin: Self, inverse: Self) -> Words {
        let limit = f64x2_splat(f64::from(super::CELL_LIMIT));
        let two = |two: usize| {
            let scaled = f64x2_mul(f64x2_sub(self.0[two], origin.0[two]), inverse.0[two]);
            i32x4_trunc_sat_f64x2_zero(f64x2_floor(f64x2_pmin(limit, f64x2_pmax(f64x2_neg(limit), scaled))))
        };
        quarters(|quarter| i64x2_shuffle::<0, 2>(two(2 * quarter), two(2 * quarter + 1)))
    }

    #[inline(always)]
    fn lesser(self, _: Simd128, other: Self) -> Self {
        Doubles(std::array::from_fn(|two| f64x2_pmin(self.0[two], other.0[two])))
    }

    #[inline(always)]
    fn greater(self, _: Simd128, other: Self) -> Self {
        Doubles(std::array::from_fn(|two| f64x2_pmax(self.0[two], other.0[two])))
    }

    #[inline(always)]
    fn array(self, _: Simd128) -> [f64; 16] {
        let mut array = [0.0f64; 16];
        for two in 0..8 {
            // SAFETY: an array of sixteen, of which these are two.
            unsafe { v128_store(array.as_mut_ptr().add(2 * two).cast(), self.0[two]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Simd128, other: Self) -> Mask {
        mask_of_twos(|two| f64x2_le(self.0[two], other.0[two]))
    }

    #[inline(always)]
    fn exceeds(self, _: Simd128, other: Self, most: Self) -> Mask {
        mask_of_twos(|two| f64x2_gt(f64x2_sub(self.0[two], other.0[two]), most.0[two]))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Simd128,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        let all = mask_of_twos(|two| {
            (0..D).fold(i64x2_splat(-1), |all, axis| {
                let low = f64x2_le(b_min[axis].0[two], a_max[axis].0[two]);
                let high = f64x2_le(a_min[axis].0[two], b_max[axis].0[two]);
                v128_and(all, v128_and(low, high))
            })
        });
        all & mask
    }
}
