//! NEON: four registers of four words. Part of every 64-bit Arm processor.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::four::{FRONT_BYTES, Quads, operations};
use super::{Mask, Work};

/// Proof that the processor has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon(());

impl Neon {
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Neon(()))
    }
}

#[target_feature(enable = "neon")]
#[inline(never)]
fn compiled<W: Work>(work: W) -> W::Outcome {
    work.run()
}

impl Quads for Neon {
    type Words = int32x4_t;
    type Singles = float32x4_t;
    type Doubles = float64x2_t;

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        // SAFETY: NEON was detected.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> int32x4_t {
        // SAFETY: by the caller's promise.
        unsafe { vld1q_s32(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: int32x4_t) {
        // SAFETY: by the caller's promise.
        unsafe { vst1q_s32(to.cast(), words) }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: int32x4_t, b: int32x4_t) {
        // SAFETY: eight words are writable, by the caller's promise.
        unsafe {
            let (a, b) = (vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b));
            vst2q_u32(to, uint32x4x2_t(vminq_u32(a, b), vmaxq_u32(a, b)));
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: [int32x4_t; 4]) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe {
            let low = vcombine_s16(vmovn_s32(words[0]), vmovn_s32(words[1]));
            let high = vcombine_s16(vmovn_s32(words[2]), vmovn_s32(words[3]));
            vst1q_s8(to.cast(), vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
        }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: [int32x4_t; 4]) -> usize {
        let mut at = 0;
        for quarter in 0..4 {
            let set = usize::from(mask >> (4 * quarter) & 15);
            // SAFETY: sixteen words are writable, by the caller's promise; a quarter begins behind at most four words for each
            // quarter before it.
            unsafe {
                let front = vqtbl1q_u8(vreinterpretq_u8_s32(words[quarter]), vld1q_u8(FRONT_BYTES[set].as_ptr()));
                vst1q_u8(to.add(at).cast(), front);
            }
            at += set.count_ones() as usize;
        }
        at
    }

    operations! {
        splat(value: i32) -> int32x4_t { vdupq_n_s32(value) }
        add(a: int32x4_t, b: int32x4_t) -> int32x4_t { vaddq_s32(a, b) }
        sub(a: int32x4_t, b: int32x4_t) -> int32x4_t { vsubq_s32(a, b) }
        and(a: int32x4_t, b: int32x4_t) -> int32x4_t { vandq_s32(a, b) }
        or(a: int32x4_t, b: int32x4_t) -> int32x4_t { vorrq_s32(a, b) }
        min(a: int32x4_t, b: int32x4_t) -> int32x4_t { vminq_s32(a, b) }
        max(a: int32x4_t, b: int32x4_t) -> int32x4_t { vmaxq_s32(a, b) }
        shl(a: int32x4_t, bits: u32) -> int32x4_t { vshlq_s32(a, vdupq_n_s32(bits as i32)) }
        // A shift by a negative number goes right.
        shr(a: int32x4_t, bits: u32) -> int32x4_t { vshlq_s32(a, vdupq_n_s32(-(bits as i32))) }
        power_of_two(a: int32x4_t) -> int32x4_t { vshlq_s32(vdupq_n_s32(1), a) }
        gt(a: int32x4_t, b: int32x4_t) -> int32x4_t { vreinterpretq_s32_u32(vcgtq_s32(a, b)) }
        eq(a: int32x4_t, b: int32x4_t) -> int32x4_t { vreinterpretq_s32_u32(vceqq_s32(a, b)) }
        blend(compared: int32x4_t, yes: int32x4_t, no: int32x4_t) -> int32x4_t {
            vbslq_s32(vreinterpretq_u32_s32(compared), yes, no)
        }
        lookup(table: [int32x4_t; 4], index: int32x4_t) -> int32x4_t {{
            let bytes = uint8x16x4_t(
                vreinterpretq_u8_s32(table[0]),
                vreinterpretq_u8_s32(table[1]),
                vreinterpretq_u8_s32(table[2]),
                vreinterpretq_u8_s32(table[3]),
            );
            // The bytes of word `i` are `4 i` to `4 i + 3`.
            let word = vandq_s32(index, vdupq_n_s32(15));
            let places = vaddq_s32(vmulq_s32(word, vdupq_n_s32(0x0404_0404)), vdupq_n_s32(0x0302_0100));
            vreinterpretq_s32_u8(vqtbl4q_u8(bytes, vreinterpretq_u8_s32(places)))
        }}
        mask(compared: [int32x4_t; 4]) -> Mask {{
            let bits = vld1q_s32([1, 2, 4, 8].as_ptr());
            let mut mask = 0;
            for quarter in 0..4 {
                mask |= (vaddvq_s32(vandq_s32(compared[quarter], bits)) as Mask) << (4 * quarter);
            }
            mask
        }}
        splat_singles(value: f32) -> float32x4_t { vdupq_n_f32(value) }
        add_singles(a: float32x4_t, b: float32x4_t) -> float32x4_t { vaddq_f32(a, b) }
        sub_singles(a: float32x4_t, b: float32x4_t) -> float32x4_t { vsubq_f32(a, b) }
        mul_singles(a: float32x4_t, b: float32x4_t) -> float32x4_t { vmulq_f32(a, b) }
        // If one operand is NaN, `vminnm` and `vmaxnm` return the other, as `floor_to_cell` does.
        cells_of_singles(x: float32x4_t, origin: float32x4_t, inverse: float32x4_t) -> int32x4_t {{
            let limit = vdupq_n_f32(super::CELL_LIMIT as f32);
            let scaled = vmulq_f32(vsubq_f32(x, origin), inverse);
            vcvtmq_s32_f32(vminnmq_f32(vmaxnmq_f32(scaled, vnegq_f32(limit)), limit))
        }}
        min_singles(a: float32x4_t, b: float32x4_t) -> float32x4_t { vminq_f32(a, b) }
        max_singles(a: float32x4_t, b: float32x4_t) -> float32x4_t { vmaxq_f32(a, b) }
        bits_of_singles(a: float32x4_t) -> int32x4_t { vreinterpretq_s32_f32(a) }
        le_singles(a: float32x4_t, b: float32x4_t) -> int32x4_t { vreinterpretq_s32_u32(vcleq_f32(a, b)) }
        gt_singles(a: float32x4_t, b: float32x4_t) -> int32x4_t { vreinterpretq_s32_u32(vcgtq_f32(a, b)) }
        splat_doubles(value: f64) -> float64x2_t { vdupq_n_f64(value) }
        add_doubles(a: float64x2_t, b: float64x2_t) -> float64x2_t { vaddq_f64(a, b) }
        sub_doubles(a: float64x2_t, b: float64x2_t) -> float64x2_t { vsubq_f64(a, b) }
        mul_doubles(a: float64x2_t, b: float64x2_t) -> float64x2_t { vmulq_f64(a, b) }
        cells_of_doubles(x: float64x2_t, origin: float64x2_t, inverse: float64x2_t) -> int32x4_t {{
            let limit = vdupq_n_f64(f64::from(super::CELL_LIMIT));
            let scaled = vmulq_f64(vsubq_f64(x, origin), inverse);
            let cells = vmovn_s64(vcvtmq_s64_f64(vminnmq_f64(vmaxnmq_f64(scaled, vnegq_f64(limit)), limit)));
            vcombine_s32(cells, cells)
        }}
        join(low: int32x4_t, high: int32x4_t) -> int32x4_t { vcombine_s32(vget_low_s32(low), vget_low_s32(high)) }
        min_doubles(a: float64x2_t, b: float64x2_t) -> float64x2_t { vminq_f64(a, b) }
        max_doubles(a: float64x2_t, b: float64x2_t) -> float64x2_t { vmaxq_f64(a, b) }
        le_doubles(a: float64x2_t, b: float64x2_t) -> int32x4_t { vreinterpretq_s32_u64(vcleq_f64(a, b)) }
        gt_doubles(a: float64x2_t, b: float64x2_t) -> int32x4_t { vreinterpretq_s32_u64(vcgtq_f64(a, b)) }
        narrow(low: int32x4_t, high: int32x4_t) -> int32x4_t { vuzp1q_s32(low, high) }
    }

    #[inline(always)]
    unsafe fn load_singles(self, from: *const f32) -> float32x4_t {
        // SAFETY: by the caller's promise.
        unsafe { vld1q_f32(from) }
    }

    #[inline(always)]
    unsafe fn store_singles(self, to: *mut f32, values: float32x4_t) {
        // SAFETY: by the caller's promise.
        unsafe { vst1q_f32(to, values) }
    }

    #[inline(always)]
    unsafe fn load_doubles(self, from: *const f64) -> float64x2_t {
        // SAFETY: by the caller's promise.
        unsafe { vld1q_f64(from) }
    }

    #[inline(always)]
    unsafe fn store_doubles(self, to: *mut f64, values: float64x2_t) {
        // SAFETY: by the caller's promise.
        unsafe { vst1q_f64(to, values) }
    }
}
