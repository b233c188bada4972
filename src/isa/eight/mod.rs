//! Eight lanes of a coordinate type, for the kernels of queries and of neighbor lists.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod f32;
#[cfg(target_arch = "x86_64")]
mod f64;
#[cfg(target_arch = "x86_64")]
mod reach;

#[cfg(not(target_arch = "x86_64"))]
use Copy as ReachScalar;
#[cfg(target_arch = "x86_64")]
use reach::ReachScalar;

use super::scalar::{LaneScalar, Scalar};

/// How many entries are compared at once.
pub(crate) const LANES: usize = 8;

/// A bit for each lane that is true.
#[inline(always)]
pub(crate) fn mask<const N: usize>(lanes: [bool; N]) -> u32 {
    lanes.iter().enumerate().fold(0, |mask, (lane, &is)| mask | u32::from(is) << lane)
}

/// The numbers of the bits that are set.
#[inline(always)]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize)
    })
}

/// How a box, or a point, moves along all axes.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unreachable_pub, reason = "only a kernel of x86 has it in a hidden method"))]
pub struct Motion<S, const D: usize> {
    /// Nothing earlier is of interest.
    pub(crate) from: S,
    /// Whether it does not move along an axis. To ask for each axis takes time, so only those ask who have to.
    pub(crate) rests: [bool; D],
    /// Along the other axes, the inverse of how fast it moves.
    pub(crate) inverse: [S; D],
    /// Its face that meets others first, and the one that leaves them last.
    pub(crate) front: [S; D],
    pub(crate) back: [S; D],
}

/// An entry that looks for others within reach. The reach of a pair is the radius of the other, but at least `floor` and at most
/// `cap`: so the own radius, the other one and the greater one are one formula.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unreachable_pub, reason = "only a kernel of x86 has it in a hidden method"))]
pub struct Reaching<S, const D: usize> {
    pub(crate) id: u32,
    pub(crate) center: [S; D],
    pub(crate) floor: S,
    pub(crate) cap: S,
}

#[inline(always)]
pub(super) fn cells<S: Scalar>(x: [S; 4], origin: [S; 4], inverse: [S; 4]) -> [i32; 4] {
    std::array::from_fn(|lane| ((x[lane] - origin[lane]) * inverse[lane]).floor_to_cell())
}

/// What a coordinate type must bring along for the kernels.
pub trait KernelScalar: ReachScalar + LaneScalar {
    /// `floor_to_cell((x - origin) * inverse)` of four coordinates at once, bit by bit the same.
    #[doc(hidden)]
    fn cells(x: [Self; 4], origin: [Self; 4], inverse: [Self; 4]) -> [i32; 4];

    /// A bit for each of eight boxes that overlaps the box from `low` to `high`. The boxes' bounds are read at `min` and `max`.
    ///
    /// # Safety
    ///
    /// AVX2 must be there, and eight values readable at all pointers.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn overlaps_avx2<const D: usize>(
        min: [*const Self; D],
        max: [*const Self; D],
        low: &[Self; D],
        high: &[Self; D],
    ) -> u32;

    /// A bit for each of eight balls that touches a ball. Their centers and radii are read at the pointers.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn touches_avx2<const D: usize>(centers: [*const Self; D], radii: *const Self, ball: ([Self; D], Self)) -> u32;

    /// `Kernel::meets`. The boxes' faces are read at the pointers.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn meets_avx2<const D: usize, const RESTS: bool>(
        near: [*const Self; D],
        far: [*const Self; D],
        motion: &Motion<Self, D>,
        to: Self,
    ) -> ([Self; LANES], u32);

    /// `Kernel::ranks`. The boxes' faces are read at the pointers.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn ranks_avx2<const D: usize, const RESTS: bool>(
        near: [*const Self; D],
        far: [*const Self; D],
        motion: &Motion<Self, D>,
        to: Self,
    ) -> [u32; LANES];

    /// The squares of the distances from a point to eight boxes, whose bounds are read at the pointers, and a bit for each that is at
    /// most `limit`.
    ///
    /// # Safety
    ///
    /// As for [`overlaps_avx2`](Self::overlaps_avx2).
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn near_avx2<const D: usize>(
        min: [*const Self; D],
        max: [*const Self; D],
        point: &[Self; D],
        limit: Self,
    ) -> ([Self; LANES], u32);

    /// A bit for each of sixteen balls that touches a ball. Their centers and radii are read at the pointers.
    ///
    /// # Safety
    ///
    /// AVX-512F must be there, and sixteen values readable at all pointers.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn touches_avx512<const D: usize>(centers: [*const Self; D], radii: *const Self, ball: ([Self; D], Self)) -> u32;

    /// [`overlaps_avx2`](Self::overlaps_avx2) with AVX-512.
    ///
    /// # Safety
    ///
    /// AVX-512F and VL must be there, and eight values readable at all pointers.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn overlaps_avx512<const D: usize>(
        min: [*const Self; D],
        max: [*const Self; D],
        low: &[Self; D],
        high: &[Self; D],
    ) -> u32;
}

#[cfg(not(target_arch = "x86_64"))]
impl KernelScalar for f32 {
    #[inline(always)]
    fn cells(x: [f32; 4], origin: [f32; 4], inverse: [f32; 4]) -> [i32; 4] {
        cells(x, origin, inverse)
    }
}
#[cfg(not(target_arch = "x86_64"))]
impl KernelScalar for f64 {
    #[inline(always)]
    fn cells(x: [f64; 4], origin: [f64; 4], inverse: [f64; 4]) -> [i32; 4] {
        cells(x, origin, inverse)
    }
}
