//! Finds the entries that make a pair with a given entry.

#![allow(unsafe_code)]

use std::ops::Range;

use super::append::{Choice, append};
use super::scalar::{Boxes, Pointers, load_all, splat_all, splat_box};
use super::{IsaWork, Kernel};
use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::isa::scalar::LaneScalar;
use crate::isa::{Isa, Lanes, Mask};
use crate::layout::columns::Columns;

impl Kernel {
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
        match table.balls_only {
            false => self.dispatch(Partners::<S, D, true> { table, entry, others, run, out }),
            true => self.dispatch(Partners::<S, D, false> { table, entry, others, run, out }),
        }
    }
}

/// `BOXES`: the boxes count, too.
struct Partners<'c, 'a, S, const D: usize, const BOXES: bool> {
    table: &'c Columns<'a, S, D>,
    entry: usize,
    others: &'c Columns<'a, S, D>,
    run: Range<usize>,
    out: &'c mut Vec<u32>,
}

impl<S: Scalar, const D: usize, const BOXES: bool> IsaWork for Partners<'_, '_, S, D, BOXES> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Partners { table, entry, others, run, out } = self;
        let own = table.own::<BOXES, true>(|column| column[entry], |column| column[entry]);
        let mut choice = Admitted::<I, S, D, BOXES> {
            others,
            ids: others.ids.as_ptr(),
            id: isa.splat(own.id as i32),
            boxes: others.pointers(),
            bounds: splat_box(isa, &own.bounds),
            groups: None,
            ball: None,
        };
        if let (Some([members, masks, bodies]), Some([member, mask, body])) = (&others.groups, own.groups) {
            let columns = [members.as_ptr(), masks.as_ptr(), bodies.as_ptr()];
            choice.groups =
                Some((columns, [isa.splat(member as i32), isa.splat(mask as i32), isa.splat(body as i32)], body != 0));
        }
        if let (Some((centers, radii)), Some((center, radius))) = (&others.balls, own.ball) {
            let columns = (centers.map(|column| column.as_ptr()), radii.as_ptr());
            choice.ball = Some((columns, splat_all::<I, S, D>(isa, &center), <S::In<I>>::splat(isa, radius), (center, radius)));
        }
        append(isa, others.entries, run, out, &choice);
    }
}

/// The entries that make a pair with one.
struct Admitted<'c, 'a, I: Isa, S: Scalar, const D: usize, const BOXES: bool> {
    others: &'c Columns<'a, S, D>,
    ids: *const u32,
    /// Its own, in all lanes; as everything else of it.
    id: I::Words,
    boxes: Pointers<S, D>,
    bounds: Boxes<S::In<I>, D>,
    /// Columns of members, masks and bodies, its own, and whether it has a body.
    groups: Option<OwnGroups<I::Words>>,
    /// Columns of centers and radii, its own center and radius, and both as they are.
    ball: Option<OwnBall<I, S, D>>,
}

type OwnGroups<W> = ([*const u32; 3], [W; 3], bool);
type In<I, S> = <S as LaneScalar>::In<I>;
type Balls<S, const D: usize> = ([*const S; D], *const S);
type OwnBall<I, S, const D: usize> = (Balls<S, D>, [In<I, S>; D], In<I, S>, ([S; D], S));

impl<I: Isa, S: Scalar, const D: usize, const BOXES: bool> Choice<I> for Admitted<'_, '_, I, S, D, BOXES> {
    #[inline(always)]
    unsafe fn choose(&self, isa: I, mut mask: Mask, at: usize) -> (Mask, I::Words) {
        // SAFETY: `at` is an entry, by the caller's promise, and all columns have sixteen values from it on.
        unsafe {
            let ids = isa.load(self.ids.add(at));
            mask &= !isa.eq(ids, self.id);
            if BOXES {
                let other = self.boxes.sixteen(isa, at);
                mask = <S::In<I>>::overlaps(isa, mask, &self.bounds.min, &self.bounds.max, &other.min, &other.max);
            }
            if let Some(([members, masks, bodies], [member, wanted, body], has_body)) = self.groups {
                // `Groups::admit` sixteen times.
                let none = isa.splat(0);
                mask &= !isa.eq(isa.and(isa.load(members.add(at)), wanted), none);
                if !injected(Fault::GroupsOneWay) {
                    mask &= !isa.eq(isa.and(isa.load(masks.add(at)), member), none);
                }
                if has_body {
                    mask &= !isa.eq(isa.load(bodies.add(at)), body);
                }
            }
            if let Some(((centers, radii), center, radius, ball)) = self.ball {
                if self.others.has_extreme_balls {
                    mask = self.others.touching(ball, at, u32::from(mask)) as Mask;
                } else {
                    let distance = square_of_distance::<I, S, D>(isa, &center, &load_all(isa, centers, at));
                    let reach = radius.add(isa, <S::In<I>>::load(isa, radii.add(at)));
                    mask &= distance.le(isa, reach.mul(isa, reach));
                }
            }
            (mask, ids)
        }
    }
}

/// The squares of the distances between points.
#[inline(always)]
pub(super) fn square_of_distance<I: Isa, S: Scalar, const D: usize>(isa: I, a: &[S::In<I>; D], b: &[S::In<I>; D]) -> S::In<I> {
    let along = a[0].sub(isa, b[0]);
    let mut sum = along.mul(isa, along);
    for axis in 1..D {
        let along = a[axis].sub(isa, b[axis]);
        sum = sum.add(isa, along.mul(isa, along));
    }
    sum
}
