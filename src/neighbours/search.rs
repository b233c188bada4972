//! Where to look for an entry's neighbours: the runs of entries among which all of them are.
//!
//! Unlike detection, which meets each pair once and from one side, this looks from every entry in all directions, so that a row is
//! complete when the entry is done with. Only for half lists it looks in those directions in which detection does.

use std::ops::Range;

use super::runs::Runs;
use crate::build::grid::Item;
use crate::detect::View;
use crate::detect::kernel::LANES;
use crate::detect::neighbourhood::Neighbourhood;
use crate::grid::{Coords, Shape, Window, key_parts};
use crate::lockfree::{Chunk, ROW, Row};
use crate::{Aabb, Scalar};

/// A worker's memory for the runs of the entry at hand.
#[derive(Debug, Default)]
pub(super) struct Search {
    runs: Runs,
    /// How far each entry of the row at hand looks.
    reaches: Vec<Reach>,
    /// Entries of coarser levels near the chunk at hand.
    near: Vec<u32>,
    /// How many pairs of boxes the looks into coarser levels compared.
    looked: u64,
}

/// The cells that an entry looks into, relative to the first one of its chunk: from `low` on along x, up to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    low: i32,
    high: Coords,
}

/// The most rows around a row: spans are at most a chunk's edge, so 9 × 5 of them, or 17 in two dimensions.
const MOST_ROWS: usize = 45;

/// The rows around a row, each in three parts: that in the chunk before, in the same one, and in the one behind. Parts that nobody
/// looks into are not looked up.
struct RowsAround<'v> {
    rows: [[Row<'v>; 3]; MOST_ROWS],
    /// The first of the rows, and how many there are along y.
    first: [i32; 2],
    width: i32,
}

impl<'v> RowsAround<'v> {
    fn new() -> Self {
        RowsAround { rows: [[Chunk::absent().row(0); 3]; MOST_ROWS], first: [0; 2], width: 0 }
    }

    /// Looks up the rows from `first` (y and z) on, as far as `reach` goes.
    fn look_up<S: Scalar, const D: usize>(&mut self, around: &mut Neighbourhood<'v, S, D>, first: [i32; 2], reach: Reach) {
        (self.first, self.width) = (first, reach.high[1] - first[0] + 1);
        for z in first[1]..=reach.high[2] {
            for y in first[0]..=reach.high[1] {
                let parts = &mut self.rows[(y - first[0] + (z - first[1]) * self.width) as usize];
                parts[1] = around.row(0, y, z);
                if reach.low < 0 {
                    parts[0] = around.row(-1, y, z);
                }
                if reach.high[0] >= ROW as i32 {
                    parts[2] = around.row(1, y, z);
                }
            }
        }
    }

    #[inline(always)]
    fn at(&self, y: i32, z: i32) -> &[Row<'v>; 3] {
        &self.rows[(y - self.first[0] + (z - self.first[1]) * self.width) as usize]
    }
}

impl Reach {
    /// The cells of each part of a row that it looks into, if there are some.
    #[inline(always)]
    fn parts(self) -> [Option<(usize, usize)>; 3] {
        let edge = ROW as i32;
        let (low, high) = (self.low, self.high[0]);
        [
            (low < 0).then_some(((low + edge) as usize, ROW - 1)),
            Some((low.max(0) as usize, high.min(edge - 1) as usize)),
            (high >= edge).then_some((0, (high - edge) as usize)),
        ]
    }
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
        add_row: &mut impl FnMut(usize, &[Range<usize>]),
    ) {
        let (level, coords) = key_parts(chunk.key());
        let (base, span) = (Shape::<D>::base_of(coords), view.grid.spans[level]);
        let (mut around, mut rows_around) = (Neighbourhood::new(view, level, coords, chunk), RowsAround::new());
        self.runs.clear();
        self.add_coarser(view, level, entries.clone());
        // What is coarse and near stays in front, for all entries of the chunk.
        let coarser = self.runs.len;
        // In most scenes there is nothing finer, and then nobody has to fetch boxes for it.
        let has_finer = view.grid.objects[..level].iter().any(|&objects| objects > 0);

        let mut rows = chunk.rows();
        while rows != 0 {
            let row = chunk.row(rows.trailing_zeros() as usize);
            let (y, z) = Shape::<D>::row_parts(rows.trailing_zeros() as usize);
            rows &= rows - 1;
            let inside = row.begin(0).max(entries.start)..row.end(ROW - 1).min(entries.end);
            if inside.is_empty() {
                continue;
            }
            let farthest = self.measure(view, level, base, inside.clone());
            rows_around.look_up(&mut around, [y - span[1], if half { z } else { z - span[2] }], farthest);
            // What an entry looks into depends on its cells only, and neighbours in a row mostly agree in these.
            let mut listed = None;
            for (entry, place) in inside.zip(0..) {
                let reach = self.reaches[place];
                if listed != Some(reach) {
                    self.runs.len = coarser;
                    match half {
                        true => self.runs.add_later(&rows_around, reach, [y, z], span[1]),
                        false => self.runs.add_all(&rows_around, reach, [y - span[1], z - span[2]]),
                    }
                    listed = Some(reach);
                }
                let shared = self.runs.len;
                if half {
                    self.runs.add_behind(rows_around.at(y, z), reach, entry);
                } else if has_finer {
                    self.add_finer(view, level, &view.columns.bounds(entry));
                }
                add_row(entry, self.runs.list());
                self.runs.len = shared;
            }
        }
    }

    /// Finds out how far each of some entries of a row looks, and returns how far all of them together do.
    fn measure<S: Scalar, const D: usize>(
        &mut self,
        view: &View<'_, S, D>,
        level: usize,
        base: Coords,
        entries: Range<usize>,
    ) -> Reach {
        let (level, span) = (&view.grid.levels[level], view.grid.spans[level]);
        let mut farthest = Reach { low: i32::MAX, high: [i32::MIN; 3] };
        self.reaches.clear();
        self.reaches.extend(entries.map(|entry| {
            let window = Window::new(level, span, &view.columns.bounds(entry));
            let high = std::array::from_fn(|axis| window.high[axis] - base[axis]);
            let reach = Reach { low: window.low[0] - base[0], high };
            farthest.low = farthest.low.min(reach.low);
            farthest.high = std::array::from_fn(|axis| farthest.high[axis].max(high[axis]));
            reach
        }));
        farthest
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
                self.runs.add(entry + 1..view.grid.listed.end);
            } else {
                self.runs.add(view.grid.listed.clone());
                self.add_finer(view, view.grid.levels.len(), &view.columns.bounds(entry));
            }
            row(entry, self.runs.list());
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
        for coarse in coarser.filter(|&coarse| view.grid.objects[coarse] > 0) {
            view.runs_around(coarse, &around, |run| self.add_near(view, &around, run));
        }
        self.add_near(view, &around, view.grid.listed.clone());
    }

    /// Adds those of a run that overlap a box. Those that a kernel takes at once make one run again: what lies between them is of
    /// the same run and does not overlap the box, so nobody in it meets them here.
    fn add_near<S: Scalar, const D: usize>(&mut self, view: &View<'_, S, D>, around: &Aabb<S, D>, run: Range<usize>) {
        self.looked += run.len() as u64;
        self.near.clear();
        view.kernel.hits(&view.columns, around, run, &mut self.near);
        let mut rest = &self.near[..];
        while let Some(&first) = rest.first() {
            let (together, others) = rest.split_at(rest.partition_point(|&entry| entry - first < LANES as u32));
            self.runs.add(first as usize..together.last().map_or(first, |&last| last) as usize + 1);
            rest = others;
        }
    }

    /// Adds everything finer that may touch a box.
    fn add_finer<S: Scalar, const D: usize>(&mut self, view: &View<'_, S, D>, level: usize, bounds: &Aabb<S, D>) {
        for finer in (0..level).filter(|&finer| view.grid.objects[finer] > 0) {
            view.runs_around(finer, bounds, |run| self.runs.add(run));
        }
    }

    /// Empties the counters, and returns how many pairs of boxes were compared.
    pub(super) fn take_candidates(&mut self) -> u64 {
        std::mem::take(&mut self.looked) + std::mem::take(&mut self.runs.candidates)
    }

    /// Room for runs, reaches and near entries.
    pub(super) fn capacity(&self) -> [usize; 3] {
        [self.runs.capacity(), self.reaches.capacity(), self.near.capacity()]
    }

    pub(super) fn reserve(&mut self, [runs, reaches, near]: [usize; 3]) {
        self.runs.reserve(runs);
        self.reaches.clear();
        // Exactly: if one worker's room were rounded up, the others would follow it in the next step, and so on.
        self.reaches.reserve_exact(reaches);
        self.near.clear();
        self.near.reserve_exact(near);
    }

    pub(super) fn bytes(&self) -> usize {
        let reaches = self.reaches.capacity() * size_of::<Reach>();
        self.runs.bytes() + reaches + self.near.capacity() * size_of::<u32>()
    }
}

impl Runs {
    /// Adds all that a reach covers; `first` is the first row of it.
    #[inline(always)]
    fn add_all(&mut self, rows: &RowsAround<'_>, reach: Reach, first: [i32; 2]) {
        for (part, cells) in reach.parts().into_iter().enumerate() {
            let Some((low, high)) = cells else { continue };
            for z in first[1]..=reach.high[2] {
                for y in first[0]..=reach.high[1] {
                    let row = rows.at(y, z)[part];
                    self.add(row.begin(low)..row.end(high));
                }
            }
        }
    }

    /// Adds what detection compares the entries of a row with: here, the later rows that a reach covers.
    #[inline(always)]
    fn add_later(&mut self, rows: &RowsAround<'_>, reach: Reach, [own_y, own_z]: [i32; 2], span: i32) {
        for (part, cells) in reach.parts().into_iter().enumerate() {
            let Some((low, high)) = cells else { continue };
            for z in own_z..=reach.high[2] {
                let first = if z == own_z { own_y + 1 } else { own_y - span };
                for y in first..=reach.high[1] {
                    let row = rows.at(y, z)[part];
                    self.add(row.begin(low)..row.end(high));
                }
            }
        }
    }

    /// And here, those behind the entry in its own row.
    #[inline(always)]
    fn add_behind(&mut self, own: &[Row<'_>; 3], reach: Reach, entry: usize) {
        let [_, same, next] = reach.parts();
        if let Some((_, high)) = same {
            self.add(entry + 1..own[1].end(high));
        }
        if let Some((low, high)) = next {
            self.add(own[2].begin(low)..own[2].end(high));
        }
    }
}
