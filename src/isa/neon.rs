//! NEON: four registers of four words. Part of every 64-bit Arm processor.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{FRONT_BYTES, Isa, Lanes, Mask, Work};

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

type Words = [int32x4_t; 4];

/// All quarters of an operation on registers.
#[inline(always)]
fn quarters<T>(f: impl Fn(usize) -> T) -> [T; 4] {
    std::array::from_fn(f)
}

/// A bit per lane of a comparison's result.
#[inline(always)]
fn mask_of(lanes: [uint32x4_t; 4]) -> Mask {
    // SAFETY: a proof of NEON exists wherever words do; the array has four words.
    let quarter = |quarter: usize| unsafe {
        let bits = vld1q_u32([1u32, 2, 4, 8].as_ptr());
        vaddvq_u32(vandq_u32(lanes[quarter], bits)) as Mask
    };
    quarter(0) | quarter(1) << 4 | quarter(2) << 8 | quarter(3) << 12
}

/// All bits of a lane, for each lane of a mask, in a quarter.
#[inline(always)]
fn lanes_of(mask: Mask, quarter: usize) -> uint32x4_t {
    // SAFETY: as above.
    unsafe {
        let bits = vld1q_u32([1u32, 2, 4, 8].as_ptr());
        vtstq_u32(vdupq_n_u32(u32::from(mask >> (4 * quarter))), bits)
    }
}

impl Isa for Neon {
    type Words = Words;
    type F32 = [float32x4_t; 4];
    type F64 = [float64x2_t; 8];

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        // SAFETY: NEON was detected.
        unsafe { compiled(work) }
    }

    #[inline(always)]
    fn splat(self, value: i32) -> Words {
        // SAFETY: NEON was detected.
        quarters(|_| unsafe { vdupq_n_s32(value) })
    }

    #[inline(always)]
    fn iota(self) -> Words {
        const IOTA: [i32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        // SAFETY: an array of sixteen words.
        quarters(|quarter| unsafe { vld1q_s32(IOTA.as_ptr().add(4 * quarter)) })
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> Words {
        // SAFETY: sixteen words are readable, by the caller's promise.
        quarters(|quarter| unsafe { vld1q_s32(from.cast::<i32>().add(4 * quarter)) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: Words) {
        for (quarter, words) in words.into_iter().enumerate() {
            // SAFETY: sixteen words are writable, by the caller's promise.
            unsafe { vst1q_s32(to.cast::<i32>().add(4 * quarter), words) };
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: Words) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe {
            let narrow = |a: int32x4_t, b: int32x4_t| vcombine_s16(vmovn_s32(a), vmovn_s32(b));
            let bytes = vcombine_s8(vmovn_s16(narrow(words[0], words[1])), vmovn_s16(narrow(words[2], words[3])));
            vst1q_s8(to.cast(), bytes);
        }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Words) -> usize {
        let mut at = 0;
        for (quarter, words) in words.into_iter().enumerate() {
            let set = usize::from(mask >> (4 * quarter) & 15);
            // SAFETY: sixteen words are writable, by the caller's promise; a quarter begins behind at most four words for each
            // quarter before it.
            unsafe {
                let front = vqtbl1q_u8(vreinterpretq_u8_s32(words), vld1q_u8(FRONT_BYTES[set].as_ptr()));
                vst1q_u8(to.add(at).cast(), front);
            }
            at += set.count_ones() as usize;
        }
        at
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: Words, b: Words) {
        for quarter in 0..4 {
            // SAFETY: thirty-two words are writable, by the caller's promise; a quarter takes eight of them.
            unsafe {
                let (a, b) = (vreinterpretq_u32_s32(a[quarter]), vreinterpretq_u32_s32(b[quarter]));
                vst2q_u32(to.add(8 * quarter), uint32x4x2_t(vminq_u32(a, b), vmaxq_u32(a, b)));
            }
        }
    }

    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vaddq_s32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn sub(self, a: Words, b: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vsubq_s32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vandq_s32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vorrq_s32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn min(self, a: Words, b: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vminq_s32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn max(self, a: Words, b: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vmaxq_s32(a[quarter], b[quarter]) })
    }

    #[inline(always)]
    fn shl(self, a: Words, bits: u32) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vshlq_s32(a[quarter], vdupq_n_s32(bits as i32)) })
    }

    #[inline(always)]
    fn shr(self, a: Words, bits: u32) -> Words {
        // SAFETY: NEON was detected. (A shift by a negative number goes right.)
        quarters(|quarter| unsafe { vshlq_s32(a[quarter], vdupq_n_s32(-(bits as i32))) })
    }

    #[inline(always)]
    fn power_of_two(self, a: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vshlq_s32(vdupq_n_s32(1), a[quarter]) })
    }

    #[inline(always)]
    fn gt(self, a: Words, b: Words) -> Mask {
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vcgtq_s32(a[quarter], b[quarter]) }))
    }

    #[inline(always)]
    fn eq(self, a: Words, b: Words) -> Mask {
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vceqq_s32(a[quarter], b[quarter]) }))
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: Words, no: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vbslq_s32(lanes_of(mask, quarter), yes[quarter], no[quarter]) })
    }

    #[inline(always)]
    fn lookup(self, table: Words, index: Words) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe {
            let bytes = uint8x16x4_t(
                vreinterpretq_u8_s32(table[0]),
                vreinterpretq_u8_s32(table[1]),
                vreinterpretq_u8_s32(table[2]),
                vreinterpretq_u8_s32(table[3]),
            );
            // The bytes of word `i` are `4 i` to `4 i + 3`.
            let word = vandq_s32(index[quarter], vdupq_n_s32(15));
            let places = vaddq_s32(vmulq_s32(word, vdupq_n_s32(0x0404_0404)), vdupq_n_s32(0x0302_0100));
            vreinterpretq_s32_u8(vqtbl4q_u8(bytes, vreinterpretq_u8_s32(places)))
        })
    }
}

impl Lanes<f32, Neon> for [float32x4_t; 4] {
    #[inline(always)]
    unsafe fn load(_: Neon, from: *const f32) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        quarters(|quarter| unsafe { vld1q_f32(from.add(4 * quarter)) })
    }

    #[inline(always)]
    fn splat(_: Neon, value: f32) -> Self {
        // SAFETY: NEON was detected.
        quarters(|_| unsafe { vdupq_n_f32(value) })
    }

    #[inline(always)]
    fn cells(self, _: Neon, origin: Self, inverse: Self) -> Words {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe {
            let limit = vdupq_n_f32(super::CELL_LIMIT as f32);
            let scaled = vmulq_f32(vsubq_f32(self[quarter], origin[quarter]), inverse[quarter]);
            // Of a NaN and a number, these take the number, as `floor_to_cell` does.
            vcvtmq_s32_f32(vminnmq_f32(vmaxnmq_f32(scaled, vnegq_f32(limit)), limit))
        })
    }

    #[inline(always)]
    fn lesser(self, _: Neon, other: Self) -> Self {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vminq_f32(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn greater(self, _: Neon, other: Self) -> Self {
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vmaxq_f32(self[quarter], other[quarter]) })
    }

    #[inline(always)]
    fn array(self, _: Neon) -> [f32; 16] {
        let mut array = [0.0; 16];
        for quarter in 0..4 {
            // SAFETY: an array of sixteen, of which these are four.
            unsafe { vst1q_f32(array.as_mut_ptr().add(4 * quarter), self[quarter]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Neon, other: Self) -> Mask {
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vcleq_f32(self[quarter], other[quarter]) }))
    }

    #[inline(always)]
    fn exceeds(self, _: Neon, other: Self, most: Self) -> Mask {
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vcgtq_f32(vsubq_f32(self[quarter], other[quarter]), most[quarter]) }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Neon,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // SAFETY: NEON was detected.
        let all = quarters(|quarter| unsafe {
            let mut all = vdupq_n_u32(u32::MAX);
            for axis in 0..D {
                all = vandq_u32(all, vcleq_f32(b_min[axis][quarter], a_max[axis][quarter]));
                all = vandq_u32(all, vcleq_f32(a_min[axis][quarter], b_max[axis][quarter]));
            }
            all
        });
        mask_of(all) & mask
    }
}

impl Lanes<f64, Neon> for [float64x2_t; 8] {
    #[inline(always)]
    unsafe fn load(_: Neon, from: *const f64) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        std::array::from_fn(|two| unsafe { vld1q_f64(from.add(2 * two)) })
    }

    #[inline(always)]
    fn splat(_: Neon, value: f64) -> Self {
        // SAFETY: NEON was detected.
        std::array::from_fn(|_| unsafe { vdupq_n_f64(value) })
    }

    #[inline(always)]
    fn cells(self, _: Neon, origin: Self, inverse: Self) -> Words {
        // SAFETY: NEON was detected.
        let two = |two: usize| unsafe {
            let limit = vdupq_n_f64(f64::from(super::CELL_LIMIT));
            let scaled = vmulq_f64(vsubq_f64(self[two], origin[two]), inverse[two]);
            vmovn_s64(vcvtmq_s64_f64(vminnmq_f64(vmaxnmq_f64(scaled, vnegq_f64(limit)), limit)))
        };
        // SAFETY: NEON was detected.
        quarters(|quarter| unsafe { vcombine_s32(two(2 * quarter), two(2 * quarter + 1)) })
    }

    #[inline(always)]
    fn lesser(self, _: Neon, other: Self) -> Self {
        // SAFETY: NEON was detected.
        std::array::from_fn(|two| unsafe { vminq_f64(self[two], other[two]) })
    }

    #[inline(always)]
    fn greater(self, _: Neon, other: Self) -> Self {
        // SAFETY: NEON was detected.
        std::array::from_fn(|two| unsafe { vmaxq_f64(self[two], other[two]) })
    }

    #[inline(always)]
    fn array(self, _: Neon) -> [f64; 16] {
        let mut array = [0.0; 16];
        for two in 0..8 {
            // SAFETY: an array of sixteen, of which these are two.
            unsafe { vst1q_f64(array.as_mut_ptr().add(2 * two), self[two]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, _: Neon, other: Self) -> Mask {
        // SAFETY: NEON was detected.
        let two = |two: usize| unsafe { vmovn_u64(vcleq_f64(self[two], other[two])) };
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vcombine_u32(two(2 * quarter), two(2 * quarter + 1)) }))
    }

    #[inline(always)]
    fn exceeds(self, _: Neon, other: Self, most: Self) -> Mask {
        // SAFETY: NEON was detected.
        let two = |two: usize| unsafe { vmovn_u64(vcgtq_f64(vsubq_f64(self[two], other[two]), most[two])) };
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vcombine_u32(two(2 * quarter), two(2 * quarter + 1)) }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Neon,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        // SAFETY: NEON was detected.
        let two = |two: usize| unsafe {
            let mut all = vdupq_n_u64(u64::MAX);
            for axis in 0..D {
                all = vandq_u64(all, vcleq_f64(b_min[axis][two], a_max[axis][two]));
                all = vandq_u64(all, vcleq_f64(a_min[axis][two], b_max[axis][two]));
            }
            vmovn_u64(all)
        };
        // SAFETY: NEON was detected.
        mask_of(quarters(|quarter| unsafe { vcombine_u32(two(2 * quarter), two(2 * quarter + 1)) })) & mask
    }
}
