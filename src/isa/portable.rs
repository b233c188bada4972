//! Arrays and loops, which the compiler vectorizes for the target.

#![allow(unsafe_code)]

use super::Scalar;
use super::{Isa, Lanes, Mask, WIDTH, Work};
use crate::faults::{Fault, injected};

/// The instructions that the program is compiled for.
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "what the tests compare with; SSE2 is in its place"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

type Words = [i32; WIDTH];

#[inline(always)]
fn each(f: impl Fn(usize) -> i32) -> Words {
    let mut words = [0; WIDTH];
    for lane in 0..WIDTH {
        words[lane] = f(lane);
    }
    words
}

#[inline(always)]
fn mask(f: impl Fn(usize) -> bool) -> Mask {
    // Two steps: the comparisons become vectors, the bits a short loop over bytes.
    let mut bits = [0u8; WIDTH];
    for lane in 0..WIDTH {
        bits[lane] = u8::from(f(lane));
    }
    // Eight bytes of 0 or 1 become eight bits by one multiplication: byte i goes to bit 56 + i, and nothing carries.
    let eight = |half: usize| {
        let bytes = u64::from_le_bytes(*bits[8 * half..].first_chunk().expect("two halves of eight"));
        (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
    };
    eight(0) | eight(1) << 8
}

impl Isa for Portable {
    type Words = Words;
    type F32 = [f32; WIDTH];
    type F64 = [f64; WIDTH];

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        work.run()
    }

    #[inline(always)]
    fn splat(self, value: i32) -> Words {
        [value; WIDTH]
    }

    #[inline(always)]
    fn iota(self) -> Words {
        each(|lane| lane as i32)
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> Words {
        // SAFETY: sixteen words are readable, by the caller's promise.
        unsafe { from.cast::<Words>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: Words) {
        // SAFETY: sixteen words are writable, by the caller's promise.
        unsafe { to.cast::<Words>().write_unaligned(words) }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: Words) {
        // SAFETY: sixteen bytes are writable, by the caller's promise.
        unsafe { to.cast::<[u8; WIDTH]>().write(words.map(|word| word as u8)) }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Words) -> usize {
        let (mut left, mut at) = (mask, 0);
        while left != 0 {
            // SAFETY: sixteen words are writable, by the caller's promise, and a mask has at most sixteen lanes.
            unsafe { to.add(at).write_unaligned(words[left.trailing_zeros() as usize % WIDTH] as u32) };
            left &= left - 1;
            at += 1;
        }
        at
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: Words, b: Words) {
        let mut pairs = [0; 2 * WIDTH];
        for lane in 0..WIDTH {
            let (a, b) = (a[lane] as u32, b[lane] as u32);
            (pairs[2 * lane], pairs[2 * lane + 1]) = (a.min(b), a.max(b));
        }
        // SAFETY: thirty-two words are writable, by the caller's promise.
        unsafe { to.cast::<[u32; 2 * WIDTH]>().write_unaligned(pairs) }
    }

    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        each(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    fn sub(self, a: Words, b: Words) -> Words {
        each(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    fn and(self, a: Words, b: Words) -> Words {
        each(|lane| a[lane] & b[lane])
    }

    #[inline(always)]
    fn or(self, a: Words, b: Words) -> Words {
        each(|lane| a[lane] | b[lane])
    }

    #[inline(always)]
    fn min(self, a: Words, b: Words) -> Words {
        each(|lane| a[lane].min(b[lane]))
    }

    #[inline(always)]
    fn max(self, a: Words, b: Words) -> Words {
        each(|lane| a[lane].max(b[lane]))
    }

    #[inline(always)]
    fn shl(self, a: Words, bits: u32) -> Words {
        each(|lane| a[lane] << bits)
    }

    #[inline(always)]
    fn shr(self, a: Words, bits: u32) -> Words {
        each(|lane| a[lane] >> bits)
    }

    #[inline(always)]
    fn power_of_two(self, a: Words) -> Words {
        each(|lane| 1i32.wrapping_shl(a[lane] as u32))
    }

    #[inline(always)]
    fn gt(self, a: Words, b: Words) -> Mask {
        mask(|lane| a[lane] > b[lane])
    }

    #[inline(always)]
    fn eq(self, a: Words, b: Words) -> Mask {
        mask(|lane| a[lane] == b[lane])
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: Words, no: Words) -> Words {
        each(|lane| if mask >> lane & 1 != 0 { yes[lane] } else { no[lane] })
    }

    #[inline(always)]
    fn lookup(self, table: Words, index: Words) -> Words {
        each(|lane| table[index[lane] as usize % WIDTH])
    }
}

impl<S: Scalar> Lanes<S, Portable> for [S; WIDTH] {
    #[inline(always)]
    unsafe fn load(_: Portable, from: *const S) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        unsafe { from.cast::<Self>().read_unaligned() }
    }

    #[inline(always)]
    fn splat(_: Portable, value: S) -> Self {
        [value; WIDTH]
    }

    #[inline(always)]
    fn cells(self, _: Portable, origin: Self, inverse: Self) -> Words {
        each(|lane| ((self[lane] - origin[lane]) * inverse[lane]).floor_to_cell())
    }

    #[inline(always)]
    fn add(mut self, _: Portable, other: Self) -> Self {
        for lane in 0..WIDTH {
            self[lane] = self[lane] + other[lane];
        }
        self
    }

    #[inline(always)]
    fn sub(mut self, _: Portable, other: Self) -> Self {
        for lane in 0..WIDTH {
            self[lane] = self[lane] - other[lane];
        }
        self
    }

    #[inline(always)]
    fn mul(mut self, _: Portable, other: Self) -> Self {
        for lane in 0..WIDTH {
            self[lane] = self[lane] * other[lane];
        }
        self
    }

    #[inline(always)]
    fn lesser(mut self, _: Portable, other: Self) -> Self {
        for lane in 0..WIDTH {
            self[lane] = if self[lane] < other[lane] { self[lane] } else { other[lane] };
        }
        self
    }

    #[inline(always)]
    fn greater(mut self, _: Portable, other: Self) -> Self {
        for lane in 0..WIDTH {
            self[lane] = if self[lane] > other[lane] { self[lane] } else { other[lane] };
        }
        self
    }

    #[inline(always)]
    fn array(self, _: Portable) -> Self {
        self
    }

    #[inline(always)]
    fn le(self, _: Portable, other: Self) -> Mask {
        mask(|lane| self[lane] <= other[lane])
    }

    #[inline(always)]
    fn exceeds(self, _: Portable, other: Self, most: Self) -> Mask {
        mask(|lane| self[lane] - other[lane] > most[lane])
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        _: Portable,
        lanes: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        let mut hit = [true; WIDTH];
        for axis in 0..D {
            for lane in 0..WIDTH {
                hit[lane] &= (b_min[axis][lane] <= a_max[axis][lane]) & (a_min[axis][lane] <= b_max[axis][lane]);
                if injected(Fault::TouchIsNoOverlap) {
                    hit[lane] &= b_min[axis][lane] != a_max[axis][lane];
                }
            }
        }
        mask(|lane| hit[lane]) & lanes
    }
}
