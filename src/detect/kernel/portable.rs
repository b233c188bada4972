//! Comparing with whatever the compiler was told to build for.

use super::{Columns, LANES, Tasks, lanes_below};
use crate::{Aabb, Pair, Scalar};

pub(super) fn pairs<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, tasks: &mut Tasks, out: &mut Vec<Pair>) {
    loop {
        let short = tasks.take_short(out.capacity() - out.len());
        if short.is_empty() {
            break;
        }
        for task in short {
            let (bounds, id) = (columns.bounds(task.entry()), columns.ids[task.entry()]);
            batch(columns, &bounds, id, task.begin(), task.end(), out);
        }
    }
    while let Some(task) = tasks.take_long() {
        let (bounds, id) = (columns.bounds(task.entry()), columns.ids[task.entry()]);
        for at in (task.begin()..task.end()).step_by(LANES) {
            if out.capacity() - out.len() < LANES {
                return tasks.put_back(task, at);
            }
            batch(columns, &bounds, id, at, task.end(), out);
        }
    }
}

#[inline(always)]
fn batch<S: Scalar, const D: usize>(
    columns: &Columns<'_, S, D>,
    bounds: &Aabb<S, D>,
    id: u32,
    at: usize,
    end: usize,
    out: &mut Vec<Pair>,
) {
    let mut mask = overlaps(columns, bounds, at) & lanes_below(end - at);
    while mask != 0 {
        out.push(Pair::new(id, columns.ids[at + mask.trailing_zeros() as usize]));
        mask &= mask - 1;
    }
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
        }
    }
    hit.iter().enumerate().fold(0, |mask, (lane, &hit)| mask | u32::from(hit) << lane)
}
