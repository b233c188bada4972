//! Entries of several runs, copied into one contiguous run.

use std::ops::Range;

use crate::Scalar;
use crate::isa::eight::LANES;
use crate::layout::columns::{Columns, PADDING};
use crate::runtime::memory::{Budget, grow_exactly};

/// Contiguous copies of a cell's neighborhood.
///
/// The entries around a cell lie in runs of every length. Each run leaves lanes of a kernel idle and ends in a mispredicted branch. Copied
/// together once, they are one run for all entries of the cell.
#[derive(Debug)]
pub(crate) struct Packed<S, const D: usize> {
    // Columns as long as the first one; groups and balls only if there are some.
    ids: Vec<u32>,
    min: [Vec<S>; D],
    max: [Vec<S>; D],
    groups: [Vec<u32>; 3],
    centers: [Vec<S>; D],
    radii: Vec<S>,
    /// How many entries there are.
    len: usize,
}

impl<S: Scalar, const D: usize> Packed<S, D> {
    pub(crate) fn new() -> Self {
        let columns = || std::array::from_fn(|_| Vec::new());
        let groups = std::array::from_fn(|_| Vec::new());
        Packed { ids: Vec::new(), min: columns(), max: columns(), groups, centers: columns(), radii: Vec::new(), len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Empties it, for copies of entries of these columns.
    pub(crate) fn clear(&mut self, table: &Columns<'_, S, D>) {
        self.len = 0;
        self.reserve(table, self.ids.len().max(PADDING));
    }

    /// Keeps the first `len` entries.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Adds copies of a run, which may be empty (or end before it begins).
    #[inline(always)]
    pub(crate) fn add(&mut self, table: &Columns<'_, S, D>, run: Range<usize>) {
        let len = self.len + run.len();
        if self.ids.len() < len + PADDING {
            self.grow(table, len);
        }
        let to = self.len;
        copy(table.ids, &run, &mut self.ids, to);
        if !table.balls_only {
            for axis in 0..D {
                copy(table.min[axis], &run, &mut self.min[axis], to);
                copy(table.max[axis], &run, &mut self.max[axis], to);
            }
        }
        if let Some(groups) = &table.groups {
            groups.iter().zip(&mut self.groups).for_each(|(column, copies)| copy(column, &run, copies, to));
        }
        if let Some((centers, radii)) = &table.balls {
            centers.iter().zip(&mut self.centers).for_each(|(column, copies)| copy(column, &run, copies, to));
            copy(radii, &run, &mut self.radii, to);
        }
        self.len = len;
    }

    /// The copies as kernels read them.
    pub(crate) fn columns(&self, table: &Columns<'_, S, D>) -> Columns<'_, S, D> {
        let columns = Columns::new(self.min.each_ref().map(Vec::as_slice), self.max.each_ref().map(Vec::as_slice), &self.ids);
        let groups = table.groups.map(|_| self.groups.each_ref().map(Vec::as_slice));
        let balls = table.balls.map(|_| (self.centers.each_ref().map(Vec::as_slice), self.radii.as_slice()));
        let columns = columns.with(groups, balls);
        let (balls_only, has_extreme_balls) = (table.balls_only, table.has_extreme_balls);
        Columns { balls_only, has_extreme_balls, entries: columns.entries.min(self.len), ..columns }
    }

    #[cold]
    fn grow(&mut self, table: &Columns<'_, S, D>, len: usize) {
        self.reserve(table, (len + PADDING).max(2 * self.ids.len()).max(1024));
    }

    /// The length of the columns.
    pub(crate) fn room(&self) -> usize {
        self.ids.len()
    }

    /// Makes all columns that copies of these need at least `room` long. (Boxes that are not compared have columns as well, so that a
    /// kernel may read them; they are not copied.)
    pub(crate) fn reserve(&mut self, table: &Columns<'_, S, D>, room: usize) {
        let budget = &Budget::unlimited();
        grow_exactly(&mut self.ids, room, 0, budget);
        self.min.iter_mut().chain(&mut self.max).for_each(|column| grow_exactly(column, room, S::ZERO, budget));
        if table.groups.is_some() {
            self.groups.iter_mut().for_each(|column| grow_exactly(column, room, 0, budget));
        }
        if table.balls.is_some() {
            self.centers.iter_mut().chain([&mut self.radii]).for_each(|column| grow_exactly(column, room, S::ZERO, budget));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let numbers = self.min.iter().chain(&self.max).chain(&self.centers).chain([&self.radii]);
        let indices = self.groups.iter().chain([&self.ids]);
        numbers.map(Vec::capacity).sum::<usize>() * size_of::<S>() + indices.map(Vec::capacity).sum::<usize>() * size_of::<u32>()
    }
}

/// Copies a run, eight values at a time, which is an instruction or two. Surplus values lie behind the end, or are overwritten by the next
/// run.
#[inline(always)]
fn copy<T: Copy>(column: &[T], run: &Range<usize>, copies: &mut [T], to: usize) {
    let len = run.len().next_multiple_of(LANES);
    let from = column[run.start..run.start + len].as_chunks::<LANES>().0;
    for (eight, copy) in from.iter().zip(copies[to..to + len].as_chunks_mut().0) {
        *copy = *eight;
    }
}
