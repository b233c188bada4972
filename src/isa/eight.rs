//! Eight lanes in arrays: the operations that loops over the children of a tree node and loops over eight entries share.

use super::Scalar;

/// How many children a node has, and how many entries such a loop compares at once.
pub(crate) const LANES: usize = 8;

/// No tree has more levels.
pub(crate) const MAX_HEIGHT: usize = 12;
const _: () = assert!((LANES as u64).pow(MAX_HEIGHT as u32 - 1) > u32::MAX as u64, "more leaves than there are indices");

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

/// The rank of an interval that is empty.
pub(crate) const UNRANKED: u32 = u32::MAX;

/// Sortable key: the bits of the entry time, the low three of them left to the lane. Ranks of nearly equal times are in any order.
#[inline(always)]
pub(crate) fn rank<S: Scalar>(time: S) -> u32 {
    // Not negative (a negative zero becomes a positive one), so the bits are in the order of the numbers. The conversion keeps it.
    (time.to_f64() as f32 + 0.0).to_bits() & !(LANES as u32 - 1)
}

/// [`Lanes::met`](super::Lanes::met) by a loop.
#[inline(always)]
pub(super) fn met<S: Scalar>(enter: &[S; LANES], exit: &[S; LANES]) -> u32 {
    (0..LANES).fold(0, |met, lane| met | u32::from(enter[lane] <= exit[lane]) << lane)
}

/// [`Lanes::ranks`](super::Lanes::ranks) by a loop.
#[inline(always)]
pub(super) fn ranks<S: Scalar>(enter: &[S; LANES], exit: &[S; LANES]) -> [u32; LANES] {
    let met = met(enter, exit);
    std::array::from_fn(|lane| if met >> lane & 1 != 0 { rank(enter[lane]) | lane as u32 } else { UNRANKED })
}
