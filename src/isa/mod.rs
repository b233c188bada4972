//! Instruction sets: the operations on sixteen lanes that the kernels use, implemented once per set.
//!
//! Every operation works on [`WIDTH`] lanes, whatever the width of the registers, and masks have a bit per lane. So a kernel is written
//! once, and a new instruction set is one new file. All sets give the same bits.
//!
//! A value of an [`Isa`] is the proof that the processor has the instructions. Its methods are `inline(always)`: they become
//! single instructions inside [`Isa::run`], which is compiled for the set.

/// An operation on each of 2, 4 or 8 registers, as an array. Not a function of a closure: a closure that is not inlined is compiled without
/// the instruction set, and every instruction in it becomes a call.
macro_rules! registers {
    (2, $number:ident => $value:expr) => { registers!([0, 1], $number => $value) };
    (4, $number:ident => $value:expr) => { registers!([0, 1, 2, 3], $number => $value) };
    (8, $number:ident => $value:expr) => { registers!([0, 1, 2, 3, 4, 5, 6, 7], $number => $value) };
    ([$($each:literal),*], $number:ident => $value:expr) => {
        [$({
            let $number: usize = $each;
            $value
        }),*]
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod eight;
pub(crate) mod four;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(crate) mod neon;
pub(crate) mod portable;
pub(crate) mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod simd128;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;

/// The set that every processor of the target has.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const BASELINE: portable::Portable = portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) const BASELINE: sse2::Sse2 = sse2::Sse2;

use eight::LANES;
pub(crate) use scalar::Scalar;

/// Lanes of every operation.
pub(crate) const WIDTH: usize = 16;

// Masks have a bit per lane.
const _: () = assert!(Mask::BITS as usize == WIDTH);

/// Cell coordinates saturate at plus and minus this. Saturation is monotone, so far-away objects are slow to handle, never
/// lost. Twice this, and a few spans more, fit into 32 bits; and it is exact in `f32`.
pub(crate) const CELL_LIMIT: i32 = (1 << 30) - 128;
const _: () = assert!(CELL_LIMIT as f32 as i32 == CELL_LIMIT, "`f32` saturates at the same cell");
const _: () = assert!(CELL_LIMIT <= i32::MAX / 2 - 64, "the distance of two cells and a few spans fit into 32 bits");

/// A bit per lane.
pub(crate) type Mask = u16;

/// Work made of loops over arrays, which the compiler turns into whatever vector instructions it may use.
#[allow(unreachable_pub, reason = "an instruction set, public in name only, does it")]
pub trait Work {
    type Outcome;

    /// To be `inline(always)`, like all that it calls: only what is inlined is compiled for the caller's instruction set.
    fn run(self) -> Self::Outcome;
}

/// The instructions that boxes are compared with. All sets find the same pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum InstructionSet {
    /// The best set of the machine, detected at run time.
    #[default]
    Best,
    /// Only what the program was compiled for.
    Portable,
    /// AVX2, BMI2 and POPCNT (x86-64).
    Avx2,
    /// AVX-512 F, BW, DQ and VL (x86-64).
    Avx512,
    /// NEON (64-bit Arm).
    Neon,
    /// 128-bit vectors of WebAssembly, if the program was compiled with them.
    Simd128,
}

// Public in name only: `Scalar` is sealed by a trait that names them.
/// An instruction set: operations on sixteen 32-bit integers, and the types of sixteen floats.
///
/// # Safety of the memory operations
///
/// `load`, `store`, `append` and their like read or write sixteen lanes at the pointer, whatever the mask is.
#[allow(unsafe_code, reason = "operations on memory take pointers; each call states why they are valid")]
pub trait Isa: Copy + Send + Sync {
    /// Sixteen integers.
    type Words: Copy;
    /// Sixteen `f32`.
    type F32: Lanes<f32, Self>;
    /// Sixteen `f64`.
    type F64: Lanes<f64, Self>;

    /// Does work compiled for this instruction set.
    fn run<W: Work>(self, work: W) -> W::Outcome;

    /// All lanes the same.
    fn splat(self, value: i32) -> Self::Words;
    /// 0, 1, 2, …
    fn iota(self) -> Self::Words;

    /// # Safety
    ///
    /// Sixteen words must be readable.
    unsafe fn load(self, from: *const u32) -> Self::Words;
    /// Reads sixteen words.
    #[inline(always)]
    fn words(self, from: &[u32; WIDTH]) -> Self::Words {
        // SAFETY: an array of sixteen words.
        unsafe { self.load(from.as_ptr()) }
    }

    /// The lanes as an array.
    #[inline(always)]
    fn array(self, words: Self::Words) -> [u32; WIDTH] {
        let mut array = [0; WIDTH];
        // SAFETY: an array of sixteen words.
        unsafe { self.store(array.as_mut_ptr(), words) };
        array
    }

    /// Writes the low byte of each lane.
    #[inline(always)]
    fn bytes(self, words: Self::Words, to: &mut [u8; WIDTH]) {
        // SAFETY: an array of sixteen bytes.
        unsafe { self.store_bytes(to.as_mut_ptr(), words) };
    }

    /// # Safety
    ///
    /// Sixteen words must be writable.
    unsafe fn store(self, to: *mut u32, words: Self::Words);
    /// Writes the low byte of each lane.
    ///
    /// # Safety
    ///
    /// Sixteen bytes must be writable.
    unsafe fn store_bytes(self, to: *mut u8, words: Self::Words);
    /// Moves the lanes of a mask to the front and writes all lanes; those behind the moved ones are unspecified. Returns how many
    /// lanes the mask has.
    ///
    /// # Safety
    ///
    /// Sixteen words must be writable.
    unsafe fn append(self, to: *mut u32, mask: Mask, words: Self::Words) -> usize;
    /// Writes sixteen pairs: in each the smaller of two words (as unsigned numbers), then the larger one.
    ///
    /// # Safety
    ///
    /// Thirty-two words must be writable.
    unsafe fn store_pairs(self, to: *mut u32, a: Self::Words, b: Self::Words);

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
    fn gt(self, a: Self::Words, b: Self::Words) -> Mask;
    fn eq(self, a: Self::Words, b: Self::Words) -> Mask;
    /// The lanes of a mask from `yes`, the others from `no`.
    fn select(self, mask: Mask, yes: Self::Words, no: Self::Words) -> Self::Words;
    /// For each lane of `index`, taken modulo 16, that lane of `table`.
    fn lookup(self, table: Self::Words, index: Self::Words) -> Self::Words;
}

/// Sixteen floats of an instruction set.
#[allow(unsafe_code, reason = "operations on memory take pointers; each call states why they are valid")]
pub trait Lanes<S, I: Isa>: Copy {
    /// # Safety
    ///
    /// Sixteen values must be readable.
    unsafe fn load(isa: I, from: *const S) -> Self;
    /// A column of sixteen records of `width` values each: value `number` of each record. `width` is a constant where this is inlined.
    ///
    /// # Safety
    ///
    /// Sixteen records must be readable, and `number` must be below `width`.
    #[inline(always)]
    unsafe fn column(isa: I, records: *const S, width: usize, number: usize) -> Self
    where
        S: Copy,
    {
        // SAFETY: values of sixteen records, by the caller's promise.
        let mut values = [unsafe { *records.add(number) }; WIDTH];
        for (record, value) in values.iter_mut().enumerate() {
            // SAFETY: as above.
            *value = unsafe { *records.add(record * width + number) };
        }
        // SAFETY: an array of sixteen.
        unsafe { Self::load(isa, values.as_ptr()) }
    }

    /// Copies sixteen boxes, `2 * D` values each, to columns: value `axis` of each to `min[axis]`, value `D + axis` to `max[axis]`.
    ///
    /// # Safety
    ///
    /// [`READABLE`] values must be readable at each record, and sixteen writable in each column.
    #[inline(always)]
    unsafe fn copy_to_columns<const D: usize>(_isa: I, records: &[*const S; WIDTH], min: [*mut S; D], max: [*mut S; D])
    where
        S: Copy,
    {
        for (lane, record) in records.iter().enumerate() {
            for axis in 0..D {
                // SAFETY: by the caller's promise.
                unsafe {
                    *min[axis].add(lane) = *record.add(axis);
                    *max[axis].add(lane) = *record.add(D + axis);
                }
            }
        }
    }

    /// All lanes the same.
    fn splat(isa: I, value: S) -> Self;
    /// `floor_to_cell((x - origin) * inverse)`, bit by bit the same.
    fn cells(self, isa: I, origin: Self, inverse: Self) -> I::Words;
    fn add(self, isa: I, other: Self) -> Self;
    fn sub(self, isa: I, other: Self) -> Self;
    fn mul(self, isa: I, other: Self) -> Self;
    /// The lesser of the two, lane by lane; unspecified where one of them is NaN.
    fn lesser(self, isa: I, other: Self) -> Self;
    /// The greater of the two, lane by lane; unspecified where one of them is NaN.
    fn greater(self, isa: I, other: Self) -> Self;
    /// The lanes as an array.
    fn array(self, isa: I) -> [S; WIDTH];
    /// Where it is at most the other. False where one of them is NaN.
    fn le(self, isa: I, other: Self) -> Mask;
    /// Where it lies more than `most` above the other. False where one of them, or their difference, is NaN.
    fn exceeds(self, isa: I, other: Self, most: Self) -> Mask;
    /// The lanes of a mask in which `a` overlaps `b`.
    fn overlaps<const D: usize>(
        isa: I,
        mask: Mask,
        a_min: &[Self; D],
        a_max: &[Self; D],
        b_min: &[Self; D],
        b_max: &[Self; D],
    ) -> Mask;

    /// A bit for each of eight intervals of time that is not empty, that is, does not end before it begins.
    #[inline(always)]
    fn met(_isa: I, enter: &[S; LANES], exit: &[S; LANES]) -> u32
    where
        S: Scalar,
    {
        eight::met(enter, exit)
    }

    /// The [`rank`](eight::rank)s of eight intervals by their start, with the lane in the low bits; [`UNRANKED`](eight::UNRANKED) for the
    /// empty ones.
    #[inline(always)]
    fn ranks(_isa: I, enter: &[S; LANES], exit: &[S; LANES]) -> [u32; LANES]
    where
        S: Scalar,
    {
        eight::ranks(enter, exit)
    }
}

/// How many values are read at a record, however short it is: a register of eight.
pub(crate) const READABLE: usize = 8;

/// The mask of the first `count` lanes.
#[inline(always)]
pub(crate) fn first_lanes(count: usize) -> Mask {
    ((1u32 << count.min(WIDTH)) - 1) as Mask
}
