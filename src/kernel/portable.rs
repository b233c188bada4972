//! Comparing with whatever the compiler was told to build for.

use std::ops::Range;

use super::{Columns, Faces, LANES, Motion, ProbeEntry, UNRANKED, lanes_below, rank};
use crate::faults::{Fault, injected};
use crate::isa::eight::{bits, mask};
use crate::layout::columns::{load, overlaps};
use crate::runtime::memory;
use crate::{Aabb, Ball, Groups, Scalar};

#[inline(always)]
pub(super) fn near<S: Scalar, const D: usize>(
    columns: &Columns<'_, S, D>,
    point: &[S; D],
    limit: S,
    run: Range<usize>,
    mut f: impl FnMut(u32, S),
) {
    for at in run.clone().step_by(LANES) {
        let squares = squared_distances(columns, point, at);
        let near = (0..LANES).fold(0, |near, lane| near | u32::from(squares[lane] <= limit) << lane);
        for lane in bits(near & lanes_below::<LANES>(run.end - at)) {
            f(columns.ids[at + lane], squares[lane]);
        }
    }
}

/// The squares of the distances from a point to the entries from `at` on.
#[inline(always)]
pub(crate) fn squared_distances<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, point: &[S; D], at: usize) -> [S; LANES] {
    let mut squares = [S::ZERO; LANES];
    for axis in 0..D {
        let (min, max) = (&columns.min[axis][at..at + LANES], &columns.max[axis][at..at + LANES]);
        for lane in 0..LANES {
            let gap = gap(point[axis], min[lane], max[lane]);
            squares[lane] = squares[lane] + gap * gap;
        }
    }
    squares
}

/// How far a coordinate is from an interval.
#[inline(always)]
pub(crate) fn gap<S: Scalar>(x: S, min: S, max: S) -> S {
    let (before, behind) = (min - x, x - max);
    let gap = if before > S::ZERO { before } else { S::ZERO };
    if behind > gap { behind } else { gap }
}

#[inline(always)]
pub(super) fn meets<S: Scalar, const D: usize, const RESTS: bool>(
    boxes: Faces<'_, S, D>,
    motion: &Motion<S, D>,
    to: S,
) -> ([S; LANES], u32) {
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
            enter[lane] = if near > enter[lane] { near } else { enter[lane] };
            exit[lane] = if far < exit[lane] { far } else { exit[lane] };
        }
    }
    (enter, (0..LANES).fold(0, |met, lane| met | u32::from(enter[lane] <= exit[lane]) << lane))
}

#[inline(always)]
pub(super) fn ranks<S: Scalar, const D: usize, const RESTS: bool>(
    boxes: Faces<'_, S, D>,
    motion: &Motion<S, D>,
    to: S,
) -> [u32; LANES] {
    let (times, met) = meets::<S, D, RESTS>(boxes, motion, to);
    std::array::from_fn(|lane| if met >> lane & 1 != 0 { rank(times[lane]) | lane as u32 } else { UNRANKED })
}

pub(super) fn partners<S: Scalar, const D: usize, const BOXES: bool>(
    table: &Columns<'_, S, D>,
    entry: usize,
    others: &Columns<'_, S, D>,
    run: Range<usize>,
    out: &mut Vec<u32>,
) {
    let own = own::<S, D, BOXES, true>(table, entry);
    for at in run.clone().step_by(LANES) {
        let mut hits = admitted(others, &own, at) & lanes_below::<LANES>(run.end - at);
        if BOXES {
            hits &= overlaps(others, &own.bounds, at);
        }
        memory::reserve(out, LANES);
        out.extend(bits(hits).map(|lane| others.ids[at + lane]).filter(|&id| id != own.id));
    }
}

pub(super) fn hits<S: Scalar, const D: usize>(
    columns: &Columns<'_, S, D>,
    bounds: &Aabb<S, D>,
    run: Range<usize>,
    out: &mut Vec<u32>,
) {
    for at in run.clone().step_by(LANES) {
        memory::reserve(out, LANES);
        out.extend(bits(overlaps(columns, bounds, at) & lanes_below::<LANES>(run.end - at)).map(|lane| (at + lane) as u32));
    }
}

#[inline(always)]
fn own<S: Scalar, const D: usize, const BOXES: bool, const EXTRAS: bool>(
    columns: &Columns<'_, S, D>,
    entry: usize,
) -> ProbeEntry<S, D> {
    columns.own::<BOXES, EXTRAS>(|column| column[entry], |column| column[entry])
}

/// A bit for each of the entries from `at` on that makes a pair with one if their boxes overlap: by their groups, and where both are
/// balls, by these.
#[inline(always)]
fn admitted<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, own: &ProbeEntry<S, D>, at: usize) -> u32 {
    let mut admitted = [true; LANES];
    if let (Some(columns), Some(own)) = (columns.groups, own.groups) {
        let groups = |[member, mask, body]: [u32; 3]| Groups::new(member, mask).of_body(body);
        let one_way = |a: Groups, b: Groups| injected(Fault::GroupsOneWay) && a.member & b.mask != 0;
        let (columns, own) = (columns.map(|column| load(column, at)), groups(own));
        for lane in 0..LANES {
            let other = groups(columns.map(|column| column[lane]));
            admitted[lane] &= own.admit(other) || one_way(own, other);
        }
    }
    if let (Some((centers, radii)), Some((center, radius))) = (columns.balls, own.ball) {
        let (centers, radii) = (centers.map(|column| load(column, at)), load(radii, at));
        if columns.has_extreme_balls {
            return columns.touching((center, radius), at, mask(admitted));
        }
        let own = Ball { center, radius };
        for lane in 0..LANES {
            admitted[lane] &= own.touches_unscaled(&Ball { center: centers.map(|column| column[lane]), radius: radii[lane] });
        }
    }
    mask(admitted)
}
