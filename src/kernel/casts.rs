//! The times at which a moving point or box meets boxes, eight at a time, because a node of the tree has eight children. These are loops
//! over arrays; the compiler vectorizes them for the instruction set that the descent is compiled for.

use crate::Scalar;
use crate::isa::eight::LANES;
use crate::isa::{Isa, Lanes};

/// How a box, or a point, moves along all axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion<S, const D: usize> {
    /// Earlier meetings do not count.
    pub(crate) from: S,
    /// Whether it rests along an axis. Testing each axis takes time, so only degenerate casts do it.
    pub(crate) rests: [bool; D],
    /// Along the other axes, the inverse of the speed.
    pub(crate) inverse: [S; D],
    /// The face that meets others first, and the one that leaves them last.
    pub(crate) front: [S; D],
    pub(crate) back: [S; D],
}

/// Eight boxes: along each axis, the faces that are met first, and those that are left last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faces<'a, S, const D: usize> {
    pub(crate) near: [&'a [S; LANES]; D],
    pub(crate) far: [&'a [S; LANES]; D],
}

/// The times at which a moving box begins and ceases to meet each of eight boxes; it does not meet a box whose interval ends before it
/// begins. `RESTS`: it may rest along some axis.
#[inline(always)]
fn meeting<S: Scalar, const D: usize, const RESTS: bool>(
    boxes: Faces<'_, S, D>,
    motion: &Motion<S, D>,
    to: S,
) -> ([S; LANES], [S; LANES]) {
    let Faces { near, far } = boxes;
    let (mut enter, mut exit) = ([motion.from; LANES], [to; LANES]);
    for axis in 0..D {
        if RESTS && motion.rests[axis] {
            for lane in 0..LANES {
                let meets = (near[axis][lane] <= motion.front[axis]) & (motion.back[axis] <= far[axis][lane]);
                exit[lane] = if meets { exit[lane] } else { S::NEG_INFINITY };
            }
            continue;
        }
        for lane in 0..LANES {
            let near = (near[axis][lane] - motion.front[axis]) * motion.inverse[axis];
            let far = (far[axis][lane] - motion.back[axis]) * motion.inverse[axis];
            // If one operand is NaN, these return the other.
            enter[lane] = if near > enter[lane] { near } else { enter[lane] };
            exit[lane] = if far < exit[lane] { far } else { exit[lane] };
        }
    }
    (enter, exit)
}

/// When a moving box meets each of eight boxes, at `to` at the latest, and a bit for each that it meets.
#[inline(always)]
pub(crate) fn meets<I: Isa, S: Scalar, const D: usize, const RESTS: bool>(
    isa: I,
    boxes: Faces<'_, S, D>,
    motion: &Motion<S, D>,
    to: S,
) -> ([S; LANES], u32) {
    let (enter, exit) = meeting::<S, D, RESTS>(boxes, motion, to);
    (enter, <S::In<I>>::met(isa, &enter, &exit))
}

/// The [`rank`](crate::isa::eight::rank)s of eight boxes by their entry times; those that are not met until `to` are unranked.
#[inline(always)]
pub(crate) fn ranks<I: Isa, S: Scalar, const D: usize, const RESTS: bool>(
    isa: I,
    boxes: Faces<'_, S, D>,
    motion: &Motion<S, D>,
    to: S,
) -> [u32; LANES] {
    let (enter, exit) = meeting::<S, D, RESTS>(boxes, motion, to);
    <S::In<I>>::ranks(isa, &enter, &exit)
}
