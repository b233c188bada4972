//! The kernels: boxes against runs of entries, by SIMD, chosen at run time.
//!
//! The step's kernels are written once, with the operations of [`isa`]: [`locate`] finds the cells of staged boxes, [`compare`] turns
//! listed windows into masks and masks into pairs. Queries and neighbor lists have kernels of [`LANES`] lanes, in `portable` and `x86`.

pub(crate) mod compare;
pub(crate) mod hits;
pub(crate) mod list;
pub(crate) mod locate;
mod packed;
mod portable;
mod reach;
pub(crate) mod records;
pub(crate) mod scalar;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::Range;

use crate::faults::{Fault, injected};
use crate::isa::eight::LANES;
use crate::isa::eight::Motion;
use crate::isa::eight::{bits, mask};
use crate::isa::{self, Isa, Work};
use crate::layout::columns::load;
use crate::layout::columns::{Columns, PADDING, ProbeEntry};
use crate::{Aabb, InstructionSet, Scalar};
pub(crate) use packed::Packed;
pub(crate) use portable::{gap, squared_distances};

/// An instruction set to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Whatever the compiler was told to build for.
    Portable,
    /// AVX2 and the bit instructions that came with it.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::HasAvx2, isa::avx2::Avx2),
    /// AVX-512, which has masks and an instruction that moves lanes to the front.
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::HasAvx512, isa::avx512::Avx512),
    /// NEON, part of every 64-bit Arm processor.
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon(isa::neon::Neon),
    /// 128-bit vectors of WebAssembly.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(isa::simd128::Simd128),
}

impl Kernel {
    /// The kernel for an instruction set, if the machine has it.
    pub(crate) fn of(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Portable => Some(Kernel::Portable),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => Some(Kernel::Avx2(x86::HasAvx2::detect()?, isa::avx2::Avx2::detect()?)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => Some(Kernel::Avx512(x86::HasAvx512::detect()?, isa::avx512::Avx512::detect()?)),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            InstructionSet::Neon => isa::neon::Neon::detect().map(Kernel::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => Some(Kernel::Simd128(isa::simd128::Simd128)),
            InstructionSet::Best => {
                use InstructionSet::{Avx2, Avx512, Neon, Portable, Simd128};
                [Avx512, Avx2, Neon, Simd128, Portable].into_iter().find_map(Kernel::of)
            }
            #[allow(unreachable_patterns, reason = "what other machines have")]
            _ => None,
        }
    }

    /// Does work that is written for every instruction set, compiled for this one.
    pub(crate) fn dispatch<W: IsaWork>(self, work: W) -> W::Outcome {
        match self {
            Kernel::Portable => isa::BASELINE.run(Bound { isa: isa::BASELINE, work }),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_, isa) => isa.run(Bound { isa, work }),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(_, isa) => isa.run(Bound { isa, work }),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Kernel::Neon(isa) => isa.run(Bound { isa, work }),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128(isa) => isa.run(Bound { isa, work }),
        }
    }

    /// Appends the objects of a run of entries of `others` that make a pair with an entry of `table`, which may be in the run itself.
    #[inline]
    pub(crate) fn partners<S: Scalar, const D: usize>(
        self,
        table: &Columns<'_, S, D>,
        entry: usize,
        others: &Columns<'_, S, D>,
        run: Range<usize>,
        out: &mut Vec<u32>,
    ) {
        match (self, table.all_round) {
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2(has, _), false) => has.partners::<_, _, true>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2(has, _), true) => has.partners::<_, _, false>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512(has, _), false) => has.partners::<_, _, true>(table, entry, others, run, out),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx512(has, _), true) => has.partners::<_, _, false>(table, entry, others, run, out),
            (_, false) => portable::partners::<_, _, true>(table, entry, others, run, out),
            (_, true) => portable::partners::<_, _, false>(table, entry, others, run, out),
        }
    }

    /// Appends the entries of a run that overlap a box.
    pub(crate) fn hits<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        bounds: &Aabb<S, D>,
        run: Range<usize>,
        out: &mut Vec<u32>,
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has, _) => has.hits(columns, bounds, run, out),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has, _) => has.hits(columns, bounds, run, out),
            _ => portable::hits(columns, bounds, run, out),
        }
    }

    /// Calls `f` with the objects of a run whose boxes are no further from a point than `limit`, a square, and with the squares of their
    /// distances.
    #[inline]
    pub(crate) fn near<S: Scalar, const D: usize>(
        self,
        columns: &Columns<'_, S, D>,
        point: &[S; D],
        limit: S,
        run: Range<usize>,
        f: impl FnMut(u32, S),
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has, _) => has.near(columns, point, limit, run, f),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has, _) => has.near(columns, point, limit, run, f),
            _ => portable::near(columns, point, limit, run, f),
        }
    }

    /// When a moving box meets each of eight boxes, at `to` at the latest, and a bit for each that it meets. `RESTS`: it may
    /// rest along some axis.
    #[inline(always)]
    pub(crate) fn meets<S: Scalar, const D: usize, const RESTS: bool>(
        self,
        boxes: Faces<'_, S, D>,
        motion: &Motion<S, D>,
        to: S,
    ) -> ([S; LANES], u32) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has, _) => has.meets::<S, D, RESTS>(boxes, motion, to),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has, _) => has.meets::<S, D, RESTS>(boxes, motion, to),
            _ => portable::meets::<S, D, RESTS>(boxes, motion, to),
        }
    }

    /// The [`rank`]s of eight boxes, by when a moving box meets them; those that it does not meet until `to` are [`UNRANKED`]. `RESTS`: it
    /// may rest along some axis.
    #[inline(always)]
    pub(crate) fn ranks<S: Scalar, const D: usize, const RESTS: bool>(
        self,
        boxes: Faces<'_, S, D>,
        motion: &Motion<S, D>,
        to: S,
    ) -> [u32; LANES] {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has, _) => has.ranks::<S, D, RESTS>(boxes, motion, to),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has, _) => has.ranks::<S, D, RESTS>(boxes, motion, to),
            _ => portable::ranks::<S, D, RESTS>(boxes, motion, to),
        }
    }

    /// Does work that names no instruction set, compiled for this one.
    #[inline]
    pub(crate) fn compiled_for<W: Work>(self, work: W) -> W::Outcome {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(has, _) => has.compiled_for(work),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(has, _) => has.compiled_for(work),
            _ => work.run(),
        }
    }
}

/// The rank of what is not met.
pub(crate) const UNRANKED: u32 = u32::MAX;

/// What is met at this time in lane 0 has this rank, and in other lanes so much more: what is met earlier has a lesser rank, no two
/// lanes have the same, and a rank tells its lane. What is met at nearly the same time may be ranked in any order.
#[inline(always)]
pub(crate) fn rank<S: Scalar>(time: S) -> u32 {
    // Not negative (a negative zero becomes a positive one), so the bits are in the order of the numbers. The conversion keeps it.
    (time.to_f64() as f32 + 0.0).to_bits() & !(LANES as u32 - 1)
}

/// Work written with the operations of any instruction set.
pub(crate) trait IsaWork {
    type Outcome;

    /// To be `inline(always)`, as [`Work::run`].
    fn run<I: Isa>(self, isa: I) -> Self::Outcome;
}

/// Work bound to an instruction set.
struct Bound<I, W> {
    isa: I,
    work: W,
}

impl<I: Isa, W: IsaWork> Work for Bound<I, W> {
    type Outcome = W::Outcome;

    #[inline(always)]
    fn run(self) -> W::Outcome {
        self.work.run(self.isa)
    }
}

/// Eight boxes: along each axis, their faces that something meets first, and those that it leaves last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faces<'a, S, const D: usize> {
    pub(crate) near: [&'a [S; LANES]; D],
    pub(crate) far: [&'a [S; LANES]; D],
}

/// A bit for each of so many lanes that is still inside the run.
#[inline(always)]
fn lanes_below<const WIDTH: usize>(remaining: usize) -> u32 {
    if injected(Fault::MaskShort) {
        return (1 << remaining.saturating_sub(1).min(WIDTH)) - 1;
    }
    if injected(Fault::MaskFull) {
        return (1 << WIDTH) - 1;
    }
    (1 << remaining.min(WIDTH)) - 1
}
