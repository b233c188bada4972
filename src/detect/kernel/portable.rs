//! Comparing with whatever the compiler was told to build for.

use std::ops::Range;

use super::{Columns, Faces, LANES, Motion, Tasks, UNRANKED, lanes_below, rank};
use crate::slips::{Slip, slipped};
use crate::{Aabb, Pair, Scalar, memory};

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
        for lane in set(near & lanes_below(run.end - at)) {
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

pub(super) fn pairs<S: Scalar, const D: usize, const EXTRAS: bool>(
    columns: &Columns<'_, S, D>,
    tasks: &mut Tasks,
    out: &mut Vec<Pair>,
) {
    loop {
        let short = tasks.take_short(out.capacity() - out.len());
        if short.is_empty() {
            break;
        }
        for task in short {
            let (entry, bounds) = (task.entry(), columns.bounds(task.entry()));
            batch::<S, D, EXTRAS>(columns, &bounds, entry, task.begin(), task.end(), out);
        }
    }
    while let Some(task) = tasks.take_long() {
        let (entry, bounds) = (task.entry(), columns.bounds(task.entry()));
        for at in (task.begin()..task.end()).step_by(LANES) {
            if out.capacity() - out.len() < LANES {
                return tasks.put_back(task, at);
            }
            batch::<S, D, EXTRAS>(columns, &bounds, entry, at, task.end(), out);
        }
    }
}

#[inline(always)]
fn batch<S: Scalar, const D: usize, const EXTRAS: bool>(
    columns: &Columns<'_, S, D>,
    bounds: &Aabb<S, D>,
    entry: usize,
    at: usize,
    end: usize,
    out: &mut Vec<Pair>,
) {
    let id = columns.ids[entry];
    for other in set(overlaps(columns, bounds, at) & lanes_below(end - at)).map(|lane| at + lane) {
        if !EXTRAS || columns.admit(entry, other) {
            out.push(Pair::new(id, columns.ids[other]));
        }
    }
}

pub(super) fn partners<S: Scalar, const D: usize, const BOXES: bool>(
    columns: &Columns<'_, S, D>,
    entry: usize,
    runs: &[Range<usize>],
    out: &mut Vec<u32>,
) {
    let bounds = columns.bounds(entry);
    for run in runs {
        for at in run.clone().step_by(LANES) {
            let overlapping = if BOXES { overlaps(columns, &bounds, at) } else { u32::MAX };
            let others = set(overlapping & lanes_below(run.end - at)).map(|lane| at + lane);
            memory::reserve(out, LANES);
            out.extend(others.filter(|&other| other != entry && columns.admit(entry, other)).map(|other| columns.ids[other]));
        }
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
        out.extend(set(overlaps(columns, bounds, at) & lanes_below(run.end - at)).map(|lane| (at + lane) as u32));
    }
}

/// The lanes of a mask.
#[inline(always)]
fn set(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lane
    })
}

#[inline(always)]
pub(super) fn cells<S: Scalar>(x: [S; 4], origin: [S; 4], inverse: [S; 4]) -> [i32; 4] {
    std::array::from_fn(|lane| ((x[lane] - origin[lane]) * inverse[lane]).floor_to_cell())
}

/// A bit for each of the entries from `at` on that overlaps.
#[inline(always)]
pub(super) fn overlaps<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, bounds: &Aabb<S, D>, at: usize) -> u32 {
    let mut hit = [true; LANES];
    for axis in 0..D {
        let min: &[S; LANES] = columns.min[axis][at..at + LANES].try_into().expect("the columns are padded");
        let max: &[S; LANES] = columns.max[axis][at..at + LANES].try_into().expect("the columns are padded");
        for lane in 0..LANES {
            hit[lane] &= (min[lane] <= bounds.max[axis]) & (bounds.min[axis] <= max[lane]);
            if slipped(Slip::TouchIsNoOverlap) {
                hit[lane] &= min[lane] != bounds.max[axis];
            }
        }
    }
    hit.iter().enumerate().fold(0, |mask, (lane, &hit)| mask | u32::from(hit) << lane)
}
