//! The data table: every object's box, with neighbors in space next to each other.

use std::sync::atomic::AtomicBool;

use super::columns::{Columns, PADDING};
use crate::faults::{Fault, injected};
use crate::lockfree::sync::{Atomic, Ordering};
use crate::lockfree::{Portions, Rows, Shares, Unit, shared};
use crate::runtime::memory::{Budget, replace_if_short};
use crate::runtime::prefetch::prefetch_write;
use crate::{Aabb, Ball, Groups, Scalar};

/// Entries, a column per bound, so that a kernel loads the same bound of several neighbors at once. Behind the last entry there is room,
/// because kernels read whole vectors. They mask out what lies there.
#[derive(Debug)]
pub(crate) struct Table<S, const D: usize> {
    /// The columns of `min`, then those of `max`, an axis each: in one piece, so that it has room for boxes as records, too.
    bounds: Vec<S>,
    /// Member, mask and body; empty unless some object is in groups of its own.
    groups: [Vec<u32>; 3],
    /// Center and radius; empty unless some object is a ball.
    centers: [Vec<S>; D],
    radii: Vec<S>,
    grouped: bool,
    has_balls: bool,
    /// Some ball is [extreme](Ball::is_extreme).
    extreme: AtomicBool,
}

impl<S: Scalar, const D: usize> Table<S, D> {
    pub(crate) fn new() -> Self {
        Table {
            bounds: Vec::new(),
            groups: std::array::from_fn(|_| Vec::new()),
            centers: std::array::from_fn(|_| Vec::new()),
            radii: Vec::new(),
            grouped: false,
            has_balls: false,
            extreme: AtomicBool::new(false),
        }
    }

    /// Makes room for `entries` entries. They have no extras until [`resize_extras`](Self::resize_extras): those of the last step may be
    /// shorter columns.
    pub(crate) fn resize(&mut self, entries: usize, budget: &Budget) {
        (self.grouped, self.has_balls) = (false, false);
        replace_if_short(&mut self.bounds, 2 * D * Self::padded(entries), budget);
    }

    /// The length of a column with this many entries.
    fn padded(entries: usize) -> usize {
        // Each column has the same offset from the start of a cache line as the first one.
        (entries + PADDING).next_multiple_of(64 / size_of::<S>())
    }

    /// How long each of the columns of bounds is.
    fn column(&self) -> usize {
        let most = self.bounds.len() / (2 * D);
        most - most % (64 / size_of::<S>())
    }

    /// The columns of bounds: `min` and `max` of each axis.
    fn bounds(&self) -> [[&[S]; D]; 2] {
        let (column, bounds) = (self.column(), &self.bounds);
        [0, D].map(|first| std::array::from_fn(|axis| &bounds[(first + axis) * column..][..column]))
    }

    fn bounds_mut(&mut self) -> [[&mut [S]; D]; 2] {
        let column = self.column();
        let mut rest = self.bounds.as_mut_slice();
        [0; 2].map(|_| std::array::from_fn(|_| rest.split_off_mut(..column).expect("as many columns")))
    }

    /// The first `boxes` boxes, while the table holds records: until a column is written.
    pub(crate) fn records(&self, boxes: usize) -> &[Aabb<S, D>] {
        bytemuck::cast_slice(&self.bounds[..2 * D * boxes])
    }

    pub(crate) fn records_mut(&mut self, boxes: usize) -> &mut [Aabb<S, D>] {
        bytemuck::cast_slice_mut(&mut self.bounds[..2 * D * boxes])
    }

    /// Makes room for groups and balls, which only some scenes have.
    pub(crate) fn resize_extras(&mut self, entries: usize, grouped: bool, has_balls: bool, budget: &Budget) {
        let padded = entries + PADDING;
        if grouped {
            self.groups.iter_mut().for_each(|column| replace_if_short(column, padded, budget));
        }
        if has_balls {
            self.centers.iter_mut().chain([&mut self.radii]).for_each(|column| replace_if_short(column, padded, budget));
        }
        if injected(Fault::GroupsUnnoticed) {
            return;
        }
        (self.grouped, self.has_balls) = (grouped, has_balls);
        *self.extreme.get_mut() = false;
    }

    pub(crate) fn shrink(&mut self, entries: usize) {
        let (before, after) = (self.column(), Self::padded(entries));
        if after < before {
            for column in 1..2 * D {
                self.bounds.copy_within(column * before..column * before + after, column * after);
            }
            self.bounds.truncate(2 * D * after);
        }
        self.bounds.shrink_to_fit();
        let padded = entries + PADDING;
        for column in self.centers.iter_mut().chain([&mut self.radii]) {
            column.truncate(padded);
            column.shrink_to_fit();
        }
        for column in &mut self.groups {
            column.truncate(padded);
            column.shrink_to_fit();
        }
    }

    /// The table, and the column of indices that goes with it, as many workers may write them at once.
    pub(crate) fn writer<'a>(&'a mut self, ids: &'a mut [u32]) -> TableWriter<'a, S, D> {
        let (column, ids) = (self.column(), shared(ids));
        let bounds = shared(&mut self.bounds);
        let [min, max] = [0, D].map(|first| std::array::from_fn(|axis| &bounds[(first + axis) * column..][..column]));
        TableWriter {
            rows: Rows::new((min, max, ids)),
            ids,
            groups: self.grouped.then(|| self.groups.each_mut().map(|column| shared(column))),
            balls: self.has_balls.then(|| (self.centers.each_mut().map(|column| shared(column)), shared(&mut self.radii))),
            extreme: &self.extreme,
        }
    }

    /// The table and its column of indices in portions of entries, for units of work.
    pub(crate) fn portions<'a>(
        &'a mut self,
        ids: &'a mut [u32],
        bounds: &'a [u32],
        shares: &'a Shares,
    ) -> TablePortions<'a, S, D> {
        let [min, max] = self.bounds_mut();
        TablePortions {
            min: Portions::of_slices(min, bounds, shares, 1),
            max: Portions::of_slices(max, bounds, shares, 2),
            ids: Portions::of_slices([ids], bounds, shares, 3),
        }
    }

    /// The table as kernels read it, with the column of indices that goes with it.
    pub(crate) fn columns<'a>(&'a self, ids: &'a [u32]) -> Columns<'a, S, D> {
        let [min, max] = self.bounds();
        let columns = Columns::new(min, max, ids);
        let groups = self.grouped.then(|| self.groups.each_ref().map(Vec::as_slice));
        let balls = self.has_balls.then(|| (self.centers.each_ref().map(Vec::as_slice), self.radii.as_slice()));
        let has_extreme_balls = self.has_balls && self.extreme.load(Ordering::Relaxed);
        Columns { has_extreme_balls, ..columns.with(groups, balls) }
    }

    pub(crate) fn bytes(&self) -> usize {
        let columns = self.centers.iter().chain([&self.radii, &self.bounds]);
        let groups: usize = self.groups.iter().map(Vec::capacity).sum();
        columns.map(Vec::capacity).sum::<usize>() * size_of::<S>() + groups * size_of::<u32>()
    }
}

/// Columns of centers, and the column of radii.
type BallColumns<'a, S, const D: usize> = ([&'a [Atomic<S>]; D], &'a [Atomic<S>]);

/// The columns while each unit of the sort pass fills its portion.
pub(crate) struct TablePortions<'a, S, const D: usize> {
    min: Portions<'a, S, D>,
    max: Portions<'a, S, D>,
    ids: Portions<'a, u32>,
}

impl<'a, S: Scalar, const D: usize> TablePortions<'a, S, D> {
    /// The entries of a unit.
    pub(crate) fn of<'u>(&self, unit: &'u Unit<'a>) -> EntriesMut<'u, S, D> {
        let ((first, min), (_, max), (_, [ids])) = (self.min.of(unit), self.max.of(unit), self.ids.of(unit));
        EntriesMut { first, min, max, ids }
    }
}

/// Some consecutive entries, to be written.
pub(crate) struct EntriesMut<'u, S, const D: usize> {
    first: usize,
    pub(crate) min: [&'u mut [S]; D],
    pub(crate) max: [&'u mut [S]; D],
    pub(crate) ids: &'u mut [u32],
}

impl<S: Scalar, const D: usize> EntriesMut<'_, S, D> {
    /// Some of these entries, by their numbers in the table.
    #[inline(always)]
    pub(crate) fn slice(&mut self, begin: usize, end: usize) -> EntriesMut<'_, S, D> {
        let range = begin - self.first..end - self.first;
        EntriesMut {
            first: begin,
            min: self.min.each_mut().map(|column| &mut column[range.clone()]),
            max: self.max.each_mut().map(|column| &mut column[range.clone()]),
            ids: &mut self.ids[range],
        }
    }

    /// Prefetches the memory of the sixteen entries from one on, to write it.
    #[inline(always)]
    pub(crate) fn prefetch_write(&self, at: usize) {
        self.min.iter().chain(&self.max).for_each(|column| prefetch_write(column, at));
        prefetch_write(self.ids, at);
    }
}

/// The columns while all workers fill them together.
pub(crate) struct TableWriter<'a, S, const D: usize> {
    rows: Rows<'a, S, u32, D>,
    ids: &'a [Atomic<u32>],
    groups: Option<[&'a [Atomic<u32>]; 3]>,
    balls: Option<BallColumns<'a, S, D>>,
    extreme: &'a AtomicBool,
}

impl<S: Scalar, const D: usize> TableWriter<'_, S, D> {
    /// Writes groups and ball of an entry, which only some scenes have. Relaxed: as in [`set`](Self::set).
    #[inline(always)]
    pub(crate) fn set_extras(&self, entry: usize, groups: impl FnOnce() -> Groups, ball: impl FnOnce() -> Option<Ball<S, D>>) {
        if let Some(columns) = &self.groups {
            let groups = groups();
            for (column, value) in columns.iter().zip([groups.member, groups.mask, groups.body]) {
                column[entry].store(value, Ordering::Relaxed);
            }
        }
        if let Some((centers, radii)) = &self.balls {
            // An object that is no ball touches every ball that its box overlaps.
            let ball = ball().unwrap_or(Ball { center: [S::ZERO; D], radius: S::INFINITY });
            for (column, value) in centers.iter().zip(ball.center) {
                column[entry].store(value, Ordering::Relaxed);
            }
            radii[entry].store(ball.radius, Ordering::Relaxed);
            if ball.is_extreme() {
                self.extreme.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Relaxed stores are plain stores here; each entry is written once, and read after the join.
    #[inline(always)]
    pub(crate) fn set(&self, entry: usize, bounds: &Aabb<S, D>, id: u32) {
        self.rows.store(entry, &bounds.min, &bounds.max, id);
    }

    #[inline(always)]
    pub(crate) fn id(&self, entry: usize) -> u32 {
        self.ids[entry].load(Ordering::Relaxed)
    }
}
