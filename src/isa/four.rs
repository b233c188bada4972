//! Sets of 128-bit registers: sixteen lanes are four registers of four words, or eight of two `f64`.
//!
//! Such a set implements each operation once, on one register ([`Quads`]). This file builds the operations on sixteen lanes from these, for
//! all such sets.

#![allow(unsafe_code)]

use super::eight::{LANES, UNRANKED};
use super::{Isa, Lanes, Mask, WIDTH, Work};
use crate::faults::{Fault, injected};

/// The operations of an instruction set with 128-bit registers.
///
/// A value is the proof that the processor has the instructions. The functions are to be `inline(always)`. A comparison sets all bits
/// of the lanes where it is true.
#[allow(unreachable_pub, reason = "an instruction set, public in name only, has its types")]
pub trait Quads: Copy + Send + Sync {
    /// Four integers, or the result of a comparison.
    type Words: Copy;
    /// Four `f32`.
    type Singles: Copy;
    /// Two `f64`.
    type Doubles: Copy;

    /// Does work compiled for this instruction set.
    fn run<W: Work>(self, work: W) -> W::Outcome;

    /// All lanes the same.
    fn splat(self, value: i32) -> Self::Words;
    /// # Safety
    ///
    /// Four words must be readable.
    unsafe fn load(self, from: *const u32) -> Self::Words;
    /// # Safety
    ///
    /// Four words must be writable.
    unsafe fn store(self, to: *mut u32, words: Self::Words);
    /// Writes four pairs: in each the smaller of two words (as unsigned numbers), then the larger one.
    ///
    /// # Safety
    ///
    /// Eight words must be writable.
    unsafe fn store_pairs(self, to: *mut u32, a: Self::Words, b: Self::Words);
    /// [`Isa::store_bytes`].
    ///
    /// # Safety
    ///
    /// Sixteen bytes must be writable.
    unsafe fn store_bytes(self, to: *mut u8, words: [Self::Words; 4]);
    /// [`Isa::append`].
    ///
    /// # Safety
    ///
    /// Sixteen words must be writable.
    unsafe fn append(self, to: *mut u32, mask: Mask, words: [Self::Words; 4]) -> usize;

    /// Lane by lane, wrapping.
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn sub(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn and(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn or(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn min(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn max(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn shl(self, a: Self::Words, bits: u32) -> Self::Words;
    /// Shifts the sign in.
    fn shr(self, a: Self::Words, bits: u32) -> Self::Words;
    /// Two to the power of each lane, which must be from 0 to 31.
    fn power_of_two(self, a: Self::Words) -> Self::Words;
    fn gt(self, a: Self::Words, b: Self::Words) -> Self::Words;
    fn eq(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The lanes of `yes` where a comparison is true, those of `no` elsewhere.
    fn blend(self, compared: Self::Words, yes: Self::Words, no: Self::Words) -> Self::Words;
    /// For each lane of `index`, taken modulo 16, that lane of `table`.
    fn lookup(self, table: [Self::Words; 4], index: Self::Words) -> Self::Words;
    /// A bit per lane of comparisons.
    fn mask(self, compared: [Self::Words; 4]) -> Mask;

    fn splat_singles(self, value: f32) -> Self::Singles;
    /// # Safety
    ///
    /// Four values must be readable.
    unsafe fn load_singles(self, from: *const f32) -> Self::Singles;
    /// # Safety
    ///
    /// Four values must be writable.
    unsafe fn store_singles(self, to: *mut f32, values: Self::Singles);
    fn add_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    fn sub_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    fn mul_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// [`Lanes::cells`].
    fn cells_of_singles(self, x: Self::Singles, origin: Self::Singles, inverse: Self::Singles) -> Self::Words;
    /// [`Lanes::lesser`].
    fn min_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// [`Lanes::greater`].
    fn max_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Singles;
    /// The bits of the numbers.
    fn bits_of_singles(self, a: Self::Singles) -> Self::Words;
    fn le_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Words;
    fn gt_singles(self, a: Self::Singles, b: Self::Singles) -> Self::Words;

    fn splat_doubles(self, value: f64) -> Self::Doubles;
    /// # Safety
    ///
    /// Two values must be readable.
    unsafe fn load_doubles(self, from: *const f64) -> Self::Doubles;
    /// # Safety
    ///
    /// Two values must be writable.
    unsafe fn store_doubles(self, to: *mut f64, values: Self::Doubles);
    fn add_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn sub_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn mul_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// [`Lanes::cells`], in the first two lanes.
    fn cells_of_doubles(self, x: Self::Doubles, origin: Self::Doubles, inverse: Self::Doubles) -> Self::Words;
    /// The first two lanes of both.
    fn join(self, low: Self::Words, high: Self::Words) -> Self::Words;
    fn min_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn max_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// True in two words of each lane.
    fn le_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Words;
    fn gt_doubles(self, a: Self::Doubles, b: Self::Doubles) -> Self::Words;
    /// Of two comparisons of `f64`, a word per lane.
    fn narrow(self, low: Self::Words, high: Self::Words) -> Self::Words;
}

/// Spells functions of [`Quads`] that do nothing but use the set's instructions.
#[allow(unused_macros, reason = "portable targets have no such set")]
macro_rules! operations {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $value:expr })*) => {
        $(
            #[inline(always)]
            #[allow(unused_unsafe, reason = "WebAssembly's instructions are safe")]
            fn $name(self, $($argument: $type),*) -> $result {
                // SAFETY: instructions without memory, and `self` is the proof that the processor has them.
                unsafe { $value }
            }
        )*
    };
}
#[allow(unused_imports, reason = "portable targets have no such set")]
pub(super) use operations;

/// The numbers of the lanes, and of the bits in a quarter of a mask.
static NUMBERS: [u32; WIDTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
static BITS: [u32; 4] = [1, 2, 4, 8];

impl<Q: Quads> Isa for Q {
    type Words = [Q::Words; 4];
    type F32 = Singles<Q>;
    type F64 = Doubles<Q>;

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Outcome {
        Quads::run(self, work)
    }

    #[inline(always)]
    fn splat(self, value: i32) -> Self::Words {
        [Quads::splat(self, value); 4]
    }

    #[inline(always)]
    fn iota(self) -> Self::Words {
        // SAFETY: sixteen words, of which these are four.
        registers!(4, quarter => unsafe { Quads::load(self, NUMBERS.as_ptr().add(4 * quarter)) })
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u32) -> Self::Words {
        // SAFETY: sixteen words are readable, by the caller's promise.
        registers!(4, quarter => unsafe { Quads::load(self, from.add(4 * quarter)) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32, words: Self::Words) {
        for quarter in 0..4 {
            // SAFETY: sixteen words are writable, by the caller's promise.
            unsafe { Quads::store(self, to.add(4 * quarter), words[quarter]) };
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8, words: Self::Words) {
        // SAFETY: by the caller's promise.
        unsafe { Quads::store_bytes(self, to, words) }
    }

    #[inline(always)]
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Self::Words) -> usize {
        // SAFETY: by the caller's promise.
        unsafe { Quads::append(self, to, mask, words) }
    }

    #[inline(always)]
    unsafe fn store_pairs(self, to: *mut u32, a: Self::Words, b: Self::Words) {
        for quarter in 0..4 {
            // SAFETY: thirty-two words are writable, by the caller's promise; a quarter takes eight of them.
            unsafe { Quads::store_pairs(self, to.add(8 * quarter), a[quarter], b[quarter]) };
        }
    }

    #[inline(always)]
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::add(self, a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn sub(self, a: Self::Words, b: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::sub(self, a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn and(self, a: Self::Words, b: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::and(self, a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn or(self, a: Self::Words, b: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::or(self, a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn min(self, a: Self::Words, b: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::min(self, a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn max(self, a: Self::Words, b: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::max(self, a[quarter], b[quarter]))
    }

    #[inline(always)]
    fn shl(self, a: Self::Words, bits: u32) -> Self::Words {
        registers!(4, quarter => Quads::shl(self, a[quarter], bits))
    }

    #[inline(always)]
    fn shr(self, a: Self::Words, bits: u32) -> Self::Words {
        registers!(4, quarter => Quads::shr(self, a[quarter], bits))
    }

    #[inline(always)]
    fn power_of_two(self, a: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::power_of_two(self, a[quarter]))
    }

    #[inline(always)]
    fn gt(self, a: Self::Words, b: Self::Words) -> Mask {
        self.mask(registers!(4, quarter => Quads::gt(self, a[quarter], b[quarter])))
    }

    #[inline(always)]
    fn eq(self, a: Self::Words, b: Self::Words) -> Mask {
        self.mask(registers!(4, quarter => Quads::eq(self, a[quarter], b[quarter])))
    }

    #[inline(always)]
    fn select(self, mask: Mask, yes: Self::Words, no: Self::Words) -> Self::Words {
        // SAFETY: four words.
        let bits = unsafe { Quads::load(self, BITS.as_ptr()) };
        registers!(4, quarter => {
            let set = Quads::and(self, Quads::splat(self, i32::from(mask >> (4 * quarter))), bits);
            self.blend(Quads::eq(self, set, bits), yes[quarter], no[quarter])
        })
    }

    #[inline(always)]
    fn lookup(self, table: Self::Words, index: Self::Words) -> Self::Words {
        registers!(4, quarter => Quads::lookup(self, table, index[quarter]))
    }
}

/// Sixteen `f32`.
#[allow(unreachable_pub, reason = "as `Quads`")]
#[derive(Clone, Copy, Debug)]
pub struct Singles<Q: Quads>([Q::Singles; 4]);

impl<Q: Quads> Lanes<f32, Q> for Singles<Q> {
    #[inline(always)]
    unsafe fn load(isa: Q, from: *const f32) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        Singles(registers!(4, quarter => unsafe { isa.load_singles(from.add(4 * quarter)) }))
    }

    #[inline(always)]
    fn splat(isa: Q, value: f32) -> Self {
        Singles([isa.splat_singles(value); 4])
    }

    #[inline(always)]
    fn cells(self, isa: Q, origin: Self, inverse: Self) -> [Q::Words; 4] {
        registers!(4, quarter => isa.cells_of_singles(self.0[quarter], origin.0[quarter], inverse.0[quarter]))
    }

    #[inline(always)]
    fn add(self, isa: Q, other: Self) -> Self {
        Singles(registers!(4, quarter => isa.add_singles(self.0[quarter], other.0[quarter])))
    }

    #[inline(always)]
    fn sub(self, isa: Q, other: Self) -> Self {
        Singles(registers!(4, quarter => isa.sub_singles(self.0[quarter], other.0[quarter])))
    }

    #[inline(always)]
    fn mul(self, isa: Q, other: Self) -> Self {
        Singles(registers!(4, quarter => isa.mul_singles(self.0[quarter], other.0[quarter])))
    }

    #[inline(always)]
    fn lesser(self, isa: Q, other: Self) -> Self {
        Singles(registers!(4, quarter => isa.min_singles(self.0[quarter], other.0[quarter])))
    }

    #[inline(always)]
    fn greater(self, isa: Q, other: Self) -> Self {
        Singles(registers!(4, quarter => isa.max_singles(self.0[quarter], other.0[quarter])))
    }

    #[inline(always)]
    fn array(self, isa: Q) -> [f32; WIDTH] {
        let mut array = [0.0; WIDTH];
        for quarter in 0..4 {
            // SAFETY: an array of sixteen, of which these are four.
            unsafe { isa.store_singles(array.as_mut_ptr().add(4 * quarter), self.0[quarter]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, isa: Q, other: Self) -> Mask {
        isa.mask(registers!(4, quarter => isa.le_singles(self.0[quarter], other.0[quarter])))
    }

    #[inline(always)]
    fn exceeds(self, isa: Q, other: Self, most: Self) -> Mask {
        isa.mask(registers!(4, quarter => {
            isa.gt_singles(isa.sub_singles(self.0[quarter], other.0[quarter]), most.0[quarter])
        }))
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        isa: Q,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        let all = registers!(4, quarter => {
            let mut all = Quads::splat(isa, -1);
            for axis in 0..D {
                all = Quads::and(isa, all, isa.le_singles(b_min[axis].0[quarter], a_max[axis].0[quarter]));
                all = Quads::and(isa, all, isa.le_singles(a_min[axis].0[quarter], b_max[axis].0[quarter]));
                if injected(Fault::TouchIsNoOverlap) {
                    all = Quads::and(isa, all, isa.gt_singles(a_max[axis].0[quarter], b_min[axis].0[quarter]));
                }
            }
            all
        });
        isa.mask(all) & mask
    }

    #[inline(always)]
    fn met(isa: Q, enter: &[f32; LANES], exit: &[f32; LANES]) -> u32 {
        // SAFETY: arrays of eight, of which these are four.
        let [low, high] = registers!(2, half => unsafe {
            isa.le_singles(isa.load_singles(enter.as_ptr().add(4 * half)), isa.load_singles(exit.as_ptr().add(4 * half)))
        });
        let none = Quads::splat(isa, 0);
        u32::from(isa.mask([low, high, none, none]))
    }

    #[inline(always)]
    fn ranks(isa: Q, enter: &[f32; LANES], exit: &[f32; LANES]) -> [u32; LANES] {
        let mut ranks = [0; LANES];
        for half in 0..2 {
            // SAFETY: arrays of eight, and more numbers of lanes, of which these are four.
            unsafe {
                let (enter, exit) =
                    (isa.load_singles(enter.as_ptr().add(4 * half)), isa.load_singles(exit.as_ptr().add(4 * half)));
                let bits = isa.bits_of_singles(isa.add_singles(enter, isa.splat_singles(0.0)));
                let lanes = Quads::load(isa, NUMBERS.as_ptr().add(4 * half));
                let ranked = Quads::or(isa, Quads::and(isa, bits, Quads::splat(isa, !(LANES as i32 - 1))), lanes);
                let ranked = isa.blend(isa.le_singles(enter, exit), ranked, Quads::splat(isa, UNRANKED as i32));
                Quads::store(isa, ranks.as_mut_ptr().add(4 * half), ranked);
            }
        }
        ranks
    }
}

/// Sixteen `f64`.
#[allow(unreachable_pub, reason = "as `Quads`")]
#[derive(Clone, Copy, Debug)]
pub struct Doubles<Q: Quads>([Q::Doubles; 8]);

/// Of comparisons of `f64`, a bit per lane.
#[inline(always)]
fn mask_of_doubles<Q: Quads>(isa: Q, compared: [Q::Words; 8]) -> Mask {
    isa.mask(registers!(4, quarter => isa.narrow(compared[2 * quarter], compared[2 * quarter + 1])))
}

impl<Q: Quads> Lanes<f64, Q> for Doubles<Q> {
    #[inline(always)]
    unsafe fn load(isa: Q, from: *const f64) -> Self {
        // SAFETY: sixteen values are readable, by the caller's promise.
        Doubles(registers!(8, eighth => unsafe { isa.load_doubles(from.add(2 * eighth)) }))
    }

    #[inline(always)]
    fn splat(isa: Q, value: f64) -> Self {
        Doubles([isa.splat_doubles(value); 8])
    }

    #[inline(always)]
    fn cells(self, isa: Q, origin: Self, inverse: Self) -> [Q::Words; 4] {
        let twos = registers!(8, eighth => isa.cells_of_doubles(self.0[eighth], origin.0[eighth], inverse.0[eighth]));
        registers!(4, quarter => isa.join(twos[2 * quarter], twos[2 * quarter + 1]))
    }

    #[inline(always)]
    fn add(self, isa: Q, other: Self) -> Self {
        Doubles(registers!(8, eighth => isa.add_doubles(self.0[eighth], other.0[eighth])))
    }

    #[inline(always)]
    fn sub(self, isa: Q, other: Self) -> Self {
        Doubles(registers!(8, eighth => isa.sub_doubles(self.0[eighth], other.0[eighth])))
    }

    #[inline(always)]
    fn mul(self, isa: Q, other: Self) -> Self {
        Doubles(registers!(8, eighth => isa.mul_doubles(self.0[eighth], other.0[eighth])))
    }

    #[inline(always)]
    fn lesser(self, isa: Q, other: Self) -> Self {
        Doubles(registers!(8, eighth => isa.min_doubles(self.0[eighth], other.0[eighth])))
    }

    #[inline(always)]
    fn greater(self, isa: Q, other: Self) -> Self {
        Doubles(registers!(8, eighth => isa.max_doubles(self.0[eighth], other.0[eighth])))
    }

    #[inline(always)]
    fn array(self, isa: Q) -> [f64; WIDTH] {
        let mut array = [0.0; WIDTH];
        for eighth in 0..8 {
            // SAFETY: an array of sixteen, of which these are two.
            unsafe { isa.store_doubles(array.as_mut_ptr().add(2 * eighth), self.0[eighth]) };
        }
        array
    }

    #[inline(always)]
    fn le(self, isa: Q, other: Self) -> Mask {
        mask_of_doubles(isa, registers!(8, eighth => isa.le_doubles(self.0[eighth], other.0[eighth])))
    }

    #[inline(always)]
    fn exceeds(self, isa: Q, other: Self, most: Self) -> Mask {
        let all = registers!(8, eighth => {
            isa.gt_doubles(isa.sub_doubles(self.0[eighth], other.0[eighth]), most.0[eighth])
        });
        mask_of_doubles(isa, all)
    }

    #[inline(always)]
    fn overlaps<const D: usize>(
        isa: Q,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask {
        let all = registers!(8, eighth => {
            let mut all = Quads::splat(isa, -1);
            for axis in 0..D {
                all = Quads::and(isa, all, isa.le_doubles(b_min[axis].0[eighth], a_max[axis].0[eighth]));
                all = Quads::and(isa, all, isa.le_doubles(a_min[axis].0[eighth], b_max[axis].0[eighth]));
                if injected(Fault::TouchIsNoOverlap) {
                    all = Quads::and(isa, all, isa.gt_doubles(a_max[axis].0[eighth], b_min[axis].0[eighth]));
                }
            }
            all
        });
        mask_of_doubles(isa, all) & mask
    }
}

/// Four cells by one register: [`Lanes::cells`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn cells_of_singles<Q: Quads>(isa: Q, x: [f32; 4], origin: [f32; 4], inverse: [f32; 4]) -> [i32; 4] {
    let mut cells = [0; 4];
    // SAFETY: arrays of four.
    unsafe {
        let (x, origin) = (isa.load_singles(x.as_ptr()), isa.load_singles(origin.as_ptr()));
        let inverse = isa.load_singles(inverse.as_ptr());
        Quads::store(isa, cells.as_mut_ptr().cast(), isa.cells_of_singles(x, origin, inverse));
    }
    cells
}

/// For each set of four lanes, the bytes of their words in ascending order: how a shuffle of bytes moves them to the front.
#[cfg(any(all(target_arch = "aarch64", target_endian = "little"), all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) static FRONT_BYTES: [[u8; 16]; 16] = {
    let mut table = [[0; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut lane, mut place) = (0, 0);
        while lane < 4 {
            if set >> lane & 1 == 1 {
                let mut byte = 0;
                while byte < 4 {
                    table[set][4 * place + byte] = (4 * lane + byte) as u8;
                    byte += 1;
                }
                place += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};
