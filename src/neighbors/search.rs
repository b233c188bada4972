//! Searches for the neighbors of entries.
//!
//! Detection finds each pair once, from one side. This search looks from every entry in all directions, so a row is complete when its entry
//! is done. For half lists it looks in the directions of detection only.

use std::ops::Range;

use super::reach::{BoxKind, Rule, Tier};
use super::sweeps::Sweeps;
use crate::detect::View;
use crate::detect::neighborhood::Neighborhood;
use crate::kernel::Packed;
use crate::layout::MAX_LEVELS;
use crate::layout::columns::Columns;
use crate::layout::grid::Item;
use crate::layout::{Chunk, ROW};
use crate::layout::{Coords, Shape, Window, key_parts};
use crate::periodic::Kinds;
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// With this many entries in a cell it is cheaper to sort out beforehand what none of them can have within reach.
const WORTH_CHOOSING: usize = 4;

/// Entries of a chunk that look into finer levels together, at least.
const TOGETHER: usize = 32;
/// They do if that leaves less than this part of what they would compare one by one: the rest is for sorting what is near.
const CHEAPER_TOGETHER: u64 = 8;

/// How entries look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looking<S> {
    /// Of each pair only one finds the other. Not with a rule.
    pub(super) half: bool,
    /// What makes neighbors, if it is not that they make a pair.
    rule: Option<Rule>,
    /// By level, and then of what is listed.
    tiers: [Tier<S>; MAX_LEVELS + 1],
    levels: usize,
}

impl<S: Scalar> Looking<S> {
    pub(super) fn new<const D: usize>(view: &View<'_, S, D>, half: bool, rule: Option<Rule>) -> Self {
        let (mut tiers, levels) = ([Tier::EMPTY; MAX_LEVELS + 1], view.grid.levels.len());
        if rule.is_some() {
            Tier::all(view, &mut tiers[..=levels]);
        }
        Looking { half, rule, tiers, levels }
    }

    /// A box that overlaps the boxes of all neighbors that these entries have in a level, or in the list.
    fn at<const D: usize>(&self, view: &View<'_, S, D>, entries: Range<usize>, level: usize) -> Aabb<S, D> {
        match self.rule {
            None => view.columns.box_around(entries),
            Some(rule) => rule.look(&view.columns, entries, &self.tiers[level]),
        }
    }

    /// The boxes in which others are searched by kind of image, and the boxes that look for them.
    pub(super) fn searches(&self) -> &'static [[BoxKind; 2]] {
        self.rule.map_or(&[[BoxKind::Whole; 2]], Rule::searches)
    }

    /// Appends the neighbors of an entry in a run of others.
    #[inline(always)]
    fn compare<const D: usize>(
        &self,
        view: &View<'_, S, D>,
        entry: usize,
        others: &Columns<'_, S, D>,
        run: Range<usize>,
        row: &mut Vec<u32>,
    ) {
        match self.rule {
            None => view.kernel.partners(&view.columns, entry, others, run, row),
            Some(rule) => view.kernel.reaching(&rule.own(&view.columns, entry), others, run, row),
        }
    }
}

/// A worker's memory for looking.
#[derive(Debug)]
pub(super) struct RowSearch<S, const D: usize> {
    /// Copies of what the entries of the current cell have around them: first what is coarser, then what is of their level.
    around: Packed<S, D>,
    /// Entries of other levels near the current chunk.
    near: Vec<u32>,
    /// Their order.
    sweeps: Sweeps<S, D>,
    /// Where images of other kinds are that may be near.
    runs: Vec<[u32; 2]>,
    /// How many pairs of boxes were compared.
    candidates: u64,
    /// How many chunks of other levels were looked for.
    looks: u64,
}

/// Where rows go: it is given an entry and what appends the entry's row to a vector.
pub(super) type AddRow<'a> = dyn FnMut(usize, &mut dyn FnMut(&mut Vec<u32>)) + 'a;

impl<S: Scalar, const D: usize> RowSearch<S, D> {
    pub(super) fn new() -> Self {
        RowSearch { around: Packed::new(), near: Vec::new(), sweeps: Sweeps::new(), runs: Vec::new(), candidates: 0, looks: 0 }
    }

    /// Finds the row of each entry of an item.
    pub(super) fn item(&mut self, view: &View<'_, S, D>, item: &Item, looking: &Looking<S>, add_row: &mut AddRow<'_>) {
        for chunk in &view.grid.chunks()[item.first_chunk as usize..item.end_chunk as usize] {
            let all = chunk.entries();
            let entries = all.start.max(item.begin as usize)..all.end.min(item.end as usize);
            if !entries.is_empty() {
                self.chunk(view, chunk, entries, looking, add_row);
            }
        }
    }

    fn chunk(
        &mut self,
        view: &View<'_, S, D>,
        chunk: &Chunk,
        entries: Range<usize>,
        looking: &Looking<S>,
        add_row: &mut AddRow<'_>,
    ) {
        let (number, coords) = key_parts(chunk.key());
        let (level, span) = (&view.grid.levels[number], view.grid.spans[number]);
        let base = Shape::<D>::base_of(coords);
        let mut neighborhood = Neighborhood::new(view, number, coords, chunk);
        self.around.clear(&view.columns);
        let has_finer = self.add_others(view, number, entries.clone(), looking);
        // What is near of other levels stays in front, for all entries of the chunk.
        let others = self.around.len();

        let mut rows = chunk.rows();
        while rows != 0 {
            let row = chunk.row(rows.trailing_zeros() as usize);
            let (y, z) = Shape::<D>::row_parts(rows.trailing_zeros() as usize);
            rows &= rows - 1;
            let inside = row.begin(0).max(entries.start)..row.end(ROW - 1).min(entries.end);
            let mut first = inside.start;
            while first < inside.end {
                let cell = level.cell(&view.columns.bounds(first).min)[0] - base[0];
                let end = row.end(cell as usize);
                let members = first..end.min(inside.end);
                // They are of one cell, so what each of them looks into is nearly what all of them together do.
                let around = looking.at(view, members.clone(), number);
                let window = Window::new(level, span, &around);
                let [low, high] =
                    [window.low, window.high].map(|cell| std::array::from_fn(|axis| cell[axis].saturating_sub(base[axis])));
                self.around.truncate(others);
                if looking.rule.is_some() && members.len() >= WORTH_CHOOSING {
                    // By a rule, a cell looks as far as the greatest radius requires, and finds much that only greater ones would reach.
                    view.runs_around(number, &around, |run| {
                        self.near.clear();
                        self.find_near(view, &around, run);
                        self.near.iter().for_each(|&near| self.around.add(&view.columns, near as usize..near as usize + 1));
                    });
                } else if !Neighborhood::<S, D>::holds(low, high) {
                    // A rule may look further than all objects of the level reach.
                    view.runs_around(number, &around, |run| self.around.add(&view.columns, run));
                } else if looking.half {
                    self.around.add(&view.columns, first..end);
                    self.add_later(&view.columns, &mut neighborhood, low, high, [cell, y, z]);
                } else {
                    self.add_all(&view.columns, &mut neighborhood, low, high);
                }
                self.compare(view, has_finer.then_some(number), members.clone(), others, looking, add_row);
                first = members.end;
            }
        }
    }

    /// Compares entries of a cell with what they have around them, and with what is finer than their level, if that is not around them.
    fn compare(
        &mut self,
        view: &View<'_, S, D>,
        finer_than: Option<usize>,
        entries: Range<usize>,
        others: usize,
        looking: &Looking<S>,
        add_row: &mut AddRow<'_>,
    ) {
        let (around, candidates, looks) = (self.around.columns(&view.columns), &mut self.candidates, &mut self.looks);
        // What is sorted is not compared as a whole.
        let first = if self.sweeps.are_sorted() { others } else { 0 };
        for (place, entry) in entries.enumerate() {
            // For half lists, its level begins with the entries of the cell, and it looks at those behind itself.
            let skipped = if looking.half { others..others + place + 1 } else { first..first };
            add_row(entry, &mut |row| {
                let mut compare = |run: Range<usize>| {
                    *candidates += run.len() as u64;
                    looking.compare(view, entry, &around, run, row);
                };
                if self.sweeps.are_sorted() {
                    self.sweeps.runs(&view.columns.bounds(entry), &mut compare);
                }
                for run in [first..skipped.start, skipped.end..self.around.len()] {
                    compare(run);
                }
                if finer_than.is_some() {
                    let (compared, looked) = compare_with_finer(view, finer_than, entry, looking, row);
                    (*candidates, *looks) = (*candidates + compared, *looks + looked);
                }
            });
        }
    }

    /// Finds the rows of some of those that fit no level.
    pub(super) fn listed(
        &mut self,
        view: &View<'_, S, D>,
        entries: Range<usize>,
        looking: &Looking<S>,
        add_row: &mut AddRow<'_>,
    ) {
        let listed = &view.grid.oversized;
        for entry in entries {
            let first = if looking.half { entry + 1 } else { listed.start };
            add_row(entry, &mut |row| {
                let looks = view.grid.oversized_around(&looking.at(view, entry..entry + 1, looking.levels), |run| {
                    let run = run.start.max(first)..run.end;
                    if !run.is_empty() {
                        self.candidates += run.len() as u64;
                        looking.compare(view, entry, &view.columns, run, row);
                    }
                });
                self.looks += looks;
                if !looking.half {
                    let (compared, looked) = compare_with_finer(view, None, entry, looking, row);
                    (self.candidates, self.looks) = (self.candidates + compared, self.looks + looked);
                }
            });
        }
    }

    /// Finds the rows of the images at some places, if images are searched by kind.
    pub(super) fn images(
        &mut self,
        view: &View<'_, S, D>,
        kinds: &Kinds<S, D>,
        places: Range<usize>,
        looking: &Looking<S>,
        add_row: &mut AddRow<'_>,
    ) {
        let (copies, searches) = (kinds.columns(&view.columns), looking.searches());
        for place in places {
            let entry = kinds.entry(place);
            let looks: [Aabb<S, D>; 2] =
                std::array::from_fn(|search| searches.get(search).map_or(Aabb::EMPTY, |[_, look]| look.of(&view.columns, entry)));
            kinds.list_runs(place, &looks[..searches.len()], looking.half, &mut self.runs);
            add_row(entry, &mut |row| {
                for run in &self.runs {
                    let run = run[0] as usize..run[1] as usize;
                    self.candidates += run.len() as u64;
                    looking.compare(view, entry, &copies, run, row);
                }
            });
        }
    }

    /// Adds what other levels have that some of these entries of a chunk may touch: one look per chunk instead of one per entry. Returns
    /// whether the entries have to look into finer levels by themselves.
    fn add_others(&mut self, view: &View<'_, S, D>, level: usize, entries: Range<usize>, looking: &Looking<S>) -> bool {
        let levels = &view.grid.levels;
        self.sweeps.clear();
        if levels.len() == 1 && view.grid.oversized.is_empty() {
            return false;
        }
        self.near.clear();
        let is_coarser = |coarse: &usize| levels.looks_into(level, *coarse) && view.grid.objects[*coarse] > 0;
        for coarse in (0..levels.len()).filter(is_coarser) {
            let bounds = looking.at(view, entries.clone(), coarse);
            let looks = view.runs_around(coarse, &bounds, |run| self.find_near(view, &bounds, run));
            self.looks += looks;
        }
        if !view.grid.oversized.is_empty() {
            let bounds = looking.at(view, entries.clone(), looking.levels);
            let looks = view.grid.oversized_around(&bounds, |run| self.find_near(view, &bounds, run));
            self.looks += looks;
        }
        let has_finer = !looking.half && finer_than(view, Some(level)).next().is_some();
        // By a rule, entries look as far as their radii require, and there are no long boxes.
        let mut is_together = false;
        if looking.rule.is_none() && !view.columns.balls_only {
            let (coarser, around) = (self.near.len(), view.columns.box_around(entries.clone()));
            is_together = has_finer && self.find_finer(view, level, &entries, &around, looking);
            let is_sorted = self.sweeps.sort(&view.columns, &self.near, entries.clone(), &around);
            if is_together && !is_sorted {
                is_together = false;
                self.near.truncate(coarser);
                self.sweeps.sort(&view.columns, &self.near, entries, &around);
            }
        }
        self.sweeps.pack(&view.columns, &self.near, &mut self.around);
        has_finer && !is_together
    }

    /// Finds what finer levels have near to these entries of a chunk, if that is much less than what the entries would be compared with one
    /// by one: long boxes along one axis are near to each chunk of those along another. Returns whether it is.
    fn find_finer(
        &mut self,
        view: &View<'_, S, D>,
        level: usize,
        entries: &Range<usize>,
        around: &Aabb<S, D>,
        looking: &Looking<S>,
    ) -> bool {
        // Enough to tell few from many.
        const SOME: usize = 4;
        if entries.len() < TOGETHER {
            return false;
        }
        let (mut one_by_one, mut looks, mut sampled) = (0, 0, 0);
        for entry in entries.clone().step_by(entries.len() / SOME) {
            sampled += 1;
            for finer in finer_than(view, Some(level)) {
                let count = |run: Range<usize>| one_by_one += run.len() as u64;
                looks += view.runs_around(finer, &looking.at(view, entry..entry + 1, finer), count);
            }
        }
        let mut together = 0;
        for finer in finer_than(view, Some(level)) {
            looks += view.runs_around(finer, around, |run| together += run.len() as u64);
        }
        self.looks += looks;
        if one_by_one * entries.len() as u64 <= CHEAPER_TOGETHER * together * sampled {
            return false;
        }
        for finer in finer_than(view, Some(level)) {
            let looks = view.runs_around(finer, around, |run| self.find_near(view, around, run));
            self.looks += looks;
        }
        true
    }

    /// Finds those of a run that overlap a box.
    fn find_near(&mut self, view: &View<'_, S, D>, bounds: &Aabb<S, D>, run: Range<usize>) {
        self.candidates += run.len() as u64;
        view.kernel.hits(&view.columns, bounds, &[run], &mut self.near);
    }

    /// Adds all of a level in the cells from `low` to `high`, which are relative to the first one of a chunk.
    fn add_all(&mut self, table: &Columns<'_, S, D>, neighborhood: &mut Neighborhood<'_, S, D>, low: Coords, high: Coords) {
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                self.add_cells(table, neighborhood, low[0]..=high[0], y, z);
            }
        }
    }

    /// Adds of these what detection compares the entries of a cell with, other than each other: what is behind them in their row, and
    /// the later rows.
    fn add_later(
        &mut self,
        table: &Columns<'_, S, D>,
        neighborhood: &mut Neighborhood<'_, S, D>,
        low: Coords,
        high: Coords,
        [x, own_y, own_z]: Coords,
    ) {
        self.add_cells(table, neighborhood, x + 1..=high[0], own_y, own_z);
        for z in own_z..=high[2] {
            for y in if z == own_z { own_y + 1 } else { low[1] }..=high[1] {
                self.add_cells(table, neighborhood, low[0]..=high[0], y, z);
            }
        }
    }

    /// Adds the entries of some cells of a row, which may begin in the chunk before and end in the one behind.
    #[inline(always)]
    fn add_cells(
        &mut self,
        table: &Columns<'_, S, D>,
        neighborhood: &mut Neighborhood<'_, S, D>,
        cells: std::ops::RangeInclusive<i32>,
        y: i32,
        z: i32,
    ) {
        let edge = ROW as i32;
        for chunk in -1..=1 {
            let (low, high) = ((cells.start() - chunk * edge).max(0), (cells.end() - chunk * edge).min(edge - 1));
            if low <= high {
                let row = neighborhood.row(chunk, y, z);
                self.around.add(table, row.begin(low as usize)..row.end(high as usize));
            }
        }
    }

    /// Empties the counter, and returns how many pairs of boxes were compared.
    pub(super) fn take_work(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.candidates), std::mem::take(&mut self.looks))
    }

    /// Room for what is around a cell, for near entries, for sweeps of them, and for runs of images.
    pub(super) fn room(&self) -> [usize; 4] {
        [self.around.room(), self.near.capacity(), self.sweeps.room(), self.runs.capacity()]
    }

    pub(super) fn reserve(&mut self, table: &Columns<'_, S, D>, [around, near, swept, runs]: [usize; 4]) {
        self.around.reserve(table, around);
        self.sweeps.reserve(swept);
        self.near.clear();
        // Exactly: if one worker's room were rounded up, the others would follow it in the next step, and so on.
        memory::reserve_exact(&mut self.near, near);
        self.runs.clear();
        memory::reserve_exact(&mut self.runs, runs);
    }

    pub(super) fn bytes(&self) -> usize {
        self.around.bytes()
            + self.near.capacity() * size_of::<u32>()
            + self.sweeps.bytes()
            + self.runs.capacity() * size_of::<[u32; 2]>()
    }
}

/// The levels with objects that look into a level, or all of them for the oversized.
fn finer_than<S: Scalar, const D: usize>(view: &View<'_, S, D>, level: Option<usize>) -> impl Iterator<Item = usize> {
    let levels = &view.grid.levels;
    let looks = move |finer: &usize| level.is_none_or(|level| levels.looks_into(*finer, level));
    (0..levels.len()).filter(looks).filter(|&finer| view.grid.objects[finer] > 0)
}

/// Appends the finer ones of an entry's row. Returns how many it was compared with and how many chunks it looked for.
fn compare_with_finer<S: Scalar, const D: usize>(
    view: &View<'_, S, D>,
    level: Option<usize>,
    entry: usize,
    looking: &Looking<S>,
    row: &mut Vec<u32>,
) -> (u64, u64) {
    let (mut candidates, mut looks) = (0, 0);
    for finer in finer_than(view, level) {
        looks += view.runs_around(finer, &looking.at(view, entry..entry + 1, finer), |run| {
            candidates += run.len() as u64;
            looking.compare(view, entry, &view.columns, run, row);
        });
    }
    (candidates, looks)
}
