//! Where to look for an entry's neighbours: the runs of entries among which all of them are.
//!
//! Unlike detection, which meets each pair once and from one side, this looks from every entry in all directions, so that a row is
//! complete when the entry is done with. Only for half lists it looks in those directions in which detection does.

use std::ops::Range;

use crate::build::grid::Item;
use crate::detect::View;
use crate::detect::kernel::LANES;
use crate::detect::neighbourhood::Neighbourhood;
use crate::grid::{Coords, Shape, Window, key_parts};
use crate::lockfree::{Chunk, ROW};
use crate::{Aabb, Scalar};

/// A worker's memory for the runs of the entry at hand.
#[derive(Debug, Default)]
pub(super) struct Search {
    runs: Vec<Range<usize>>,
    /// Entries of coarser levels near the chunk at hand.
    near: Vec<u32>,
    /// How many pairs of boxes the runs made somebody compare.
    pub(super) candidates: u64,
}

impl Search {
    /// Calls `row` with each entry of an item and the runs that hold its neighbours; for `half` lists, with runs that hold, for each
    /// pair, the one or the other.
    pub(super) fn item<S: Scalar, const D: usize>(
        &mut self,
        view: &View<'_, S, D>,
        item: &Item,
        half: bool,
        mut row: impl FnMut(usize, &[Range<usize>]),
    ) {
        for &id in &view.grid.chunks[item.first_chunk as usize..item.end_chunk as usize] {
            let chunk = view.grid.pool.chunk(id);
            let all = chunk.entries();
            let entries = all.start.max(item.begin as usize)..all.end.min(item.end as usize);
            if !entries.is_empty() {
                self.chunk(view, chunk, entries, half, &mut row);
            }
        }
    }

    fn chunk<S: Scalar, const D: usize>(
        &mut self,
        view: &View<'_, S, D>,
        chunk: Chunk<'_>,
        entries: Range<usize>,
        half: bool,
        row: &mut impl FnMut(usize, &[Range<usize>]),
    ) {
        let (level, coords) = key_parts(chunk.key());
        let (base, span) = (Shape::<D>::base_of(coords), view.grid.spans[level]);
        let mut around = Neighbourhood::new(view, level, coords, chunk);
        self.runs.clear();
        self.add_coarser(view, level, entries.clone());
        // What is coarse and near stays in front, for all entries of the chunk.
        let coarser = self.runs.len();
        for entry in entries {
            self.runs.truncate(coarser);
            let bounds = view.columns.bounds(entry);
            let window = Window::new(&view.grid.levels[level], span, &bounds);
            let low: Coords = std::array::from_fn(|axis| window.low[axis] - base[axis]);
            let high: Coords = std::array::from_fn(|axis| window.high[axis] - base[axis]);
            if half {
                self.add_later(&mut around, low, high, span, entry);
            } else {
                for z in low[2]..=high[2] {
                    for y in low[1]..=high[1] {
                        self.add_row(&mut around, (y, z), low[0], high[0]);
                    }
                }
                self.add_finer(view, level, &bounds);
            }
            self.hand_out(entry, row);
        }
    }

    /// The same for some of those that fit no level.
    pub(super) fn listed<S: Scalar, const D: usize>(
        &mut self,
        view: &View<'_, S, D>,
        entries: Range<usize>,
        half: bool,
        mut row: impl FnMut(usize, &[Range<usize>]),
    ) {
        for entry in entries {
            self.runs.clear();
            if half {
                self.add(entry + 1..view.grid.listed.end);
            } else {
                self.add(view.grid.listed.clone());
                self.add_finer(view, view.grid.levels.len(), &view.columns.bounds(entry));
            }
            self.hand_out(entry, &mut row);
        }
    }

    #[inline(always)]
    fn hand_out(&mut self, entry: usize, row: &mut impl FnMut(usize, &[Range<usize>])) {
        self.candidates += self.runs.iter().map(|run| run.len() as u64).sum::<u64>();
        row(entry, &self.runs);
    }

    #[inline(always)]
    fn add(&mut self, run: Range<usize>) {
        if !run.is_empty() {
            self.runs.push(run);
        }
    }

    /// Adds the part of a row from cell `low` to cell `high`, all relative to the chunk's first cell.
    #[inline(always)]
    fn add_row<S: Scalar, const D: usize>(
        &mut self,
        around: &mut Neighbourhood<'_, S, D>,
        (y, z): (i32, i32),
        low: i32,
        high: i32,
    ) {
        if (low >= 0) & (high < ROW as i32) {
            let row = around.row(0, y, z);
            return self.add(row.begin(low as usize)..row.end(high as usize));
        }
        let edge = ROW as i32;
        for chunk_x in low.div_euclid(edge)..=high.div_euclid(edge) {
            let row = around.row(chunk_x, y, z);
            let first = (low - chunk_x * edge).max(0) as usize;
            let last = (high - chunk_x * edge).min(edge - 1) as usize;
            self.add(row.begin(first)..row.end(last));
        }
    }

    /// Adds what detection compares an entry with: those behind it in its row, and the later rows of its window.
    #[inline(always)]
    fn add_later<S: Scalar, const D: usize>(
        &mut self,
        around: &mut Neighbourhood<'_, S, D>,
        low: Coords,
        high: Coords,
        span: Coords,
        entry: usize,
    ) {
        let [x, y, z]: Coords = std::array::from_fn(|axis| low[axis] + span[axis]);
        let own = self.runs.len();
        self.add_row(around, (y, z), x, high[0]);
        // Its cell holds at least itself, so there is a run, and it begins no later than the entry.
        self.runs[own].start = entry + 1;
        for later_y in y + 1..=high[1] {
            self.add_row(around, (later_y, z), low[0], high[0]);
        }
        for later_z in z + 1..=high[2] {
            for any_y in low[1]..=high[1] {
                self.add_row(around, (any_y, later_z), low[0], high[0]);
            }
        }
    }

    /// Adds everything coarser that some of these entries of a chunk may touch: one look per chunk instead of one per entry.
    fn add_coarser<S: Scalar, const D: usize>(&mut self, view: &View<'_, S, D>, level: usize, entries: Range<usize>) {
        let coarser = level + 1..view.grid.levels.len();
        if coarser.is_empty() && view.grid.listed.is_empty() {
            return;
        }
        let mut around = Aabb::EMPTY;
        entries.for_each(|entry| around.grow(&view.columns.bounds(entry)));
        self.near.clear();
        for coarse in coarser.filter(|&coarse| view.grid.objects[coarse] > 0) {
            view.runs_around(coarse, &around, |run| {
                self.candidates += run.len() as u64;
                view.kernel.hits(&view.columns, &around, run, &mut self.near);
            });
        }
        self.candidates += view.grid.listed.len() as u64;
        view.kernel.hits(&view.columns, &around, view.grid.listed.clone(), &mut self.near);

        // Those that a kernel takes at once make one run, whatever lies between them.
        self.near.sort_unstable();
        for &entry in &self.near {
            let entry = entry as usize;
            match self.runs.last_mut() {
                Some(run) if entry - run.start < LANES => run.end = entry + 1,
                _ => self.runs.push(entry..entry + 1),
            }
        }
    }

    /// Adds everything finer that may touch a box.
    fn add_finer<S: Scalar, const D: usize>(&mut self, view: &View<'_, S, D>, level: usize, bounds: &Aabb<S, D>) {
        for finer in (0..level).filter(|&finer| view.grid.objects[finer] > 0) {
            view.runs_around(finer, bounds, |run| self.add(run));
        }
    }

    /// Room for runs and near entries.
    pub(super) fn capacity(&self) -> [usize; 2] {
        [self.runs.capacity(), self.near.capacity()]
    }

    pub(super) fn reserve(&mut self, [runs, near]: [usize; 2]) {
        self.runs.clear();
        self.runs.reserve(runs);
        self.near.clear();
        self.near.reserve(near);
    }

    pub(super) fn bytes(&self) -> usize {
        self.runs.capacity() * size_of::<Range<usize>>() + self.near.capacity() * size_of::<u32>()
    }
}
