//! The kernels: loops over entries and boxes, compiled for an instruction set that is chosen at run time.
//!
//! They are written once, with the operations of [`isa`], and [`Kernel::dispatch`] compiles them for each set. [`locate`] finds the cells
//! of staged boxes, [`compare`] turns listed windows into masks and masks into pairs. `append`, `partners` and `reach` compare an entry or
//! a box with runs of entries, for queries and neighbor lists; `near` compares a point with some [`steps`]. Descents of a tree test eight
//! children at a time, in arrays (`casts`); [`Kernel::compiled_for`] compiles code that uses no operation of a set.

mod append;
mod casts;
pub(crate) mod compare;
pub(crate) mod hits;
pub(crate) mod list;
pub(crate) mod locate;
mod near;
mod packed;
mod partners;
mod reach;
pub(crate) mod records;
pub(crate) mod scalar;
pub(crate) mod steps;
#[cfg(test)]
mod tests;

use crate::InstructionSet;
use crate::isa::{self, Isa, Work};
pub(crate) use casts::{Faces, Motion, meets, ranks};
pub(crate) use near::{NearLanes, gap};
pub(crate) use packed::Packed;
pub(crate) use reach::Reaching;

/// An instruction set to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// The instructions that the program is compiled for.
    Portable,
    /// AVX2 and the bit instructions that came with it.
    #[cfg(target_arch = "x86_64")]
    Avx2(isa::avx2::Avx2),
    /// AVX-512, which has masks and an instruction that moves lanes to the front.
    #[cfg(target_arch = "x86_64")]
    Avx512(isa::avx512::Avx512),
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
            InstructionSet::Avx2 => isa::avx2::Avx2::detect().map(Kernel::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => isa::avx512::Avx512::detect().map(Kernel::Avx512),
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

    /// The kernels of all instruction sets that the machine has.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        use InstructionSet::{Avx2, Avx512, Neon, Portable, Simd128};
        [Portable, Avx2, Avx512, Neon, Simd128].into_iter().filter_map(Kernel::of)
    }

    /// Does work that is written for every instruction set, compiled for this one.
    pub(crate) fn dispatch<W: IsaWork>(self, work: W) -> W::Outcome {
        match self {
            Kernel::Portable => isa::BASELINE.run(Bound { isa: isa::BASELINE, work }),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(isa) => isa.run(Bound { isa, work }),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(isa) => isa.run(Bound { isa, work }),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Kernel::Neon(isa) => isa.run(Bound { isa, work }),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Kernel::Simd128(isa) => isa.run(Bound { isa, work }),
        }
    }

    /// Does work that names no instruction set, compiled for this one.
    #[inline]
    pub(crate) fn compiled_for<W: Work>(self, work: W) -> W::Outcome {
        self.dispatch(Unnamed(work))
    }
}

/// Work that uses an instruction set only as far as the compiler makes vectors of its loops.
struct Unnamed<W>(W);

impl<W: Work> IsaWork for Unnamed<W> {
    type Outcome = W::Outcome;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> W::Outcome {
        self.0.run()
    }
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
