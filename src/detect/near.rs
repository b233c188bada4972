//! Many near entries against a chunk: cuts the chunk's entries, and sweeps along the axis that separates them best. Crowded cells are swept
//! in the same way.
//!
//! Cells do not separate long boxes along different axes: a chunk of beams along x reaches all beams along y, and each of these covers all
//! of the chunk's cells. A sweep along the third axis does separate them.

use std::ops::Range;

use crate::isa::eight::bits;
use crate::isa::{Isa, WIDTH};
use crate::kernel::compare::{Comparer, overlaps_from};
use crate::kernel::scalar::splat_box;
use crate::layout::columns::{Columns, PADDING};
use crate::runtime::memory::{self, Budget, grow_exactly};
use crate::{Aabb, Scalar};

/// Comparisons that a sweep must save for each entry that it sorts or looks up.
pub(crate) const WORTHWHILE: usize = 32;
/// A sweep is used if no more than this part of the near entries overlap an entry of the chunk along the axis.
const SEPARATED: f64 = 0.125;

/// Entries that are cut in two, and near ones, at least.
const LARGE: usize = 32;
/// A cut must leave less than this part of the near entries to each half, on average.
const SEPARATING: f64 = 0.75;
/// There are never more parts at a time: a cut halves the entries of a chunk's item, of which there are at most 2^10.
const MOST_PARTS: usize = 16;

/// Some entries of a chunk, and those near to them.
#[derive(Clone, Debug)]
pub(super) struct NearPart<S, const D: usize> {
    pub(super) entries: Range<usize>,
    pub(super) around: Aabb<S, D>,
    /// Where the near entries are in the list.
    pub(super) near: Range<usize>,
}

impl<S: Scalar, const D: usize> NearPart<S, D> {
    pub(super) fn is_large(&self) -> bool {
        self.entries.len() >= LARGE && self.near.len() >= LARGE
    }
}

/// The parts of a chunk that are still to be searched, as a stack; their near entries are one, too.
#[derive(Debug)]
pub(super) struct Parts<S, const D: usize> {
    parts: [Option<NearPart<S, D>>; MOST_PARTS],
    count: usize,
}

impl<S: Scalar, const D: usize> Parts<S, D> {
    pub(super) fn new(entries: Range<usize>, around: Aabb<S, D>, near: usize) -> Self {
        let mut parts = Parts { parts: std::array::from_fn(|_| None), count: 0 };
        parts.push(NearPart { entries, around, near: 0..near });
        parts
    }

    fn push(&mut self, part: NearPart<S, D>) {
        self.parts[self.count] = Some(part);
        self.count += 1;
    }

    /// The next part. What is behind its near entries belongs to parts that are done.
    pub(super) fn next(&mut self, near: &mut Vec<u32>) -> Option<NearPart<S, D>> {
        self.count = self.count.checked_sub(1)?;
        let part = self.parts[self.count].take()?;
        near.truncate(part.near.end);
        Some(part)
    }

    /// Cuts a part in two, each with those that are near to it. Returns whether that separates them.
    pub(super) fn cut(&mut self, part: &NearPart<S, D>, columns: &Columns<'_, S, D>, near: &mut Vec<u32>) -> bool {
        if self.count + 2 > MOST_PARTS {
            return false;
        }
        let middle = part.entries.start + part.entries.len() / 2;
        let before = near.len();
        let mut half = |entries: Range<usize>| {
            let (around, begin) = (columns.box_around(entries.clone()), near.len());
            memory::reserve(near, part.near.len());
            for at in part.near.clone() {
                let entry = near[at];
                if columns.bounds(entry as usize).overlaps(&around) {
                    near.push(entry);
                }
            }
            NearPart { entries, around, near: begin..near.len() }
        };
        let halves = [half(part.entries.start..middle), half(middle..part.entries.end)];
        if (near.len() - before) as f64 > 2.0 * SEPARATING * part.near.len() as f64 {
            near.truncate(before);
            return false;
        }
        halves.into_iter().filter(|half| !half.near.is_empty()).for_each(|half| self.push(half));
        true
    }
}

/// Entries in order that are cut in two, and near ones, at least: what is left fills about one vector.
const LARGE_IN_ORDER: usize = 24;

/// Some entries in order, and where those near to them are in a list.
type OrderedPart = (Range<usize>, Range<usize>);

/// A worker's memory for entries in order, near ones or a chunk's. In `f64`, which holds every scalar: so that one worker serves all kinds
/// of scenes.
#[derive(Debug, Default)]
pub(crate) struct NearSweep {
    /// The least coordinate along the axis, [rounded](rounded), in the upper half, and the entry.
    keys: Vec<u64>,
    min: [Vec<f64>; 3],
    max: [Vec<f64>; 3],
    ids: Vec<u32>,
    /// The greatest coordinate of an entry and all before it.
    reach: Vec<f64>,
}

impl NearSweep {
    /// Room for near entries.
    pub(super) fn capacity(&self) -> usize {
        self.keys.capacity()
    }

    /// Makes the same room, if there is memory.
    pub(super) fn stock_up(&mut self, near: usize, budget: &Budget) {
        self.keys.clear();
        if near == 0 {
            return;
        }
        let mut has_room = budget.stock_up(&mut self.ids, near + PADDING);
        for column in self.min.iter_mut().chain(&mut self.max).chain([&mut self.reach]) {
            has_room &= budget.stock_up(column, near + PADDING);
        }
        // The columns first: later they grow with the room for keys, without a check.
        if has_room && budget.stock_up(&mut self.keys, near) {
            self.grow(near);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let columns: usize = self.min.iter().chain(&self.max).chain([&self.reach]).map(Vec::capacity).sum();
        self.keys.capacity() * size_of::<u64>() + columns * size_of::<f64>() + self.ids.capacity() * size_of::<u32>()
    }

    fn grow(&mut self, near: usize) {
        let budget = &Budget::unlimited();
        for column in self.min.iter_mut().chain(&mut self.max).chain([&mut self.reach]) {
            grow_exactly(column, near + PADDING, 0.0, budget);
        }
        grow_exactly(&mut self.ids, near + PADDING, 0, budget);
    }

    /// Compares near entries with a chunk's, if a sweep is better at that than the chunk's cells. Returns whether it was.
    #[inline(always)]
    pub(super) fn search<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
        &mut self,
        near: &[u32],
        entries: Range<usize>,
        around: &Aabb<S, D>,
        comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
    ) -> bool {
        let columns = comparer.columns;
        let Some(axes) = Axes::new(&columns, near, entries.clone(), around) else { return false };
        for axis in (0..D).filter(|&axis| axes.separates(axis)) {
            let chosen = |entry: usize, is_near: bool| axes.takes(&columns.bounds(entry), is_near, axis);
            self.sort(&columns, near.iter().copied().filter(|&entry| chosen(entry as usize, true)), near.len(), axis);
            let min: [&[f64]; D] = std::array::from_fn(|axis| self.min[axis].as_slice());
            let max: [&[f64]; D] = std::array::from_fn(|axis| self.max[axis].as_slice());
            let (sorted, reach) = (Columns::new(min, max, &self.ids), &self.reach[..self.keys.len()]);
            for entry in entries.clone().filter(|&entry| chosen(entry, false)) {
                let bounds = wide(&columns.bounds(entry));
                let begin = reach.partition_point(|reach| *reach < bounds.min[axis]);
                let last = rounded(bounds.max[axis]);
                let end = self.keys.partition_point(|key| (key >> 32) as u32 <= last);
                if begin >= end {
                    continue;
                }
                comparer.candidates += (end - begin) as u64;
                // Loops, not closures: see `splat_box`.
                let own = splat_box(comparer.isa, &bounds);
                for window in (begin..end).step_by(WIDTH) {
                    for lane in bits(u32::from(overlaps_from(comparer.isa, &sorted, &own, window, end))) {
                        comparer.hit_one(self.keys[window + lane] as u32 as usize, entry);
                    }
                }
            }
        }
        true
    }

    /// Compares near entries with a chunk's: sorts these along the axis that separates them best, and cuts them in two as long as that
    /// separates the near ones, too. Returns whether it did at all. The list of near entries grows while it works.
    #[inline(always)]
    pub(super) fn search_parts<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
        &mut self,
        near: &mut Vec<u32>,
        part: &NearPart<S, D>,
        comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
    ) -> bool {
        let (columns, isa) = (comparer.columns, comparer.isa);
        let (entries, count) = (part.entries.clone(), part.entries.len());
        let axis = thinnest(&columns, entries.clone(), &part.around).0;
        self.sort(&columns, entries.map(|entry| entry as u32), count, axis);
        let min: [&[f64]; D] = std::array::from_fn(|axis| self.min[axis].as_slice());
        let max: [&[f64]; D] = std::array::from_fn(|axis| self.max[axis].as_slice());
        let sorted = Columns::new(min, max, &self.ids);
        let mut parts: [OrderedPart; MOST_PARTS] = std::array::from_fn(|_| (0..0, 0..0));
        let mut open = 1;
        parts[0] = (0..count, part.near.clone());
        while open > 0 {
            open -= 1;
            let (own, (begin, end)) = (parts[open].0.clone(), (parts[open].1.start, parts[open].1.end));
            // What is behind belongs to parts that are done.
            near.truncate(end);
            if own.len() >= LARGE_IN_ORDER && end - begin >= LARGE_IN_ORDER && open + 2 <= MOST_PARTS {
                let middle = own.start + own.len() / 2;
                for half in [own.start..middle, middle..own.end] {
                    let around = sorted.box_around_with(isa, half.clone());
                    let first = near.len();
                    memory::reserve(near, end - begin);
                    for at in begin..end {
                        let entry = near[at];
                        if wide(&columns.bounds(entry as usize)).overlaps(&around) {
                            near.push(entry);
                        }
                    }
                    parts[open] = (half, first..near.len());
                    open += 1;
                }
                comparer.candidates += 2 * (end - begin) as u64;
                if (near.len() - end) as f64 <= 2.0 * SEPARATING * (end - begin) as f64 {
                    continue;
                }
                near.truncate(end);
                open -= 2;
                if own.len() == count {
                    return false;
                }
            }
            comparer.candidates += ((end - begin) * own.len()) as u64;
            for at in begin..end {
                let entry = near[at] as usize;
                // Loops, not closures: see `splat_box`.
                let bounds = splat_box(isa, &wide(&columns.bounds(entry)));
                for window in own.clone().step_by(WIDTH) {
                    for lane in bits(u32::from(overlaps_from(isa, &sorted, &bounds, window, own.end))) {
                        comparer.hit_one(entry, self.keys[window + lane] as u32 as usize);
                    }
                }
            }
        }
        true
    }

    /// Compares the entries of a cell with each other, those of `own` with all that come behind them, if an axis separates most of them.
    /// Returns whether one did. `own` are the first ones of `all`.
    #[inline(always)]
    pub(super) fn search_within<I: Isa, S: Scalar, const D: usize, const EXTRAS: bool>(
        &mut self,
        own: Range<usize>,
        all: Range<usize>,
        comparer: &mut Comparer<'_, I, S, D, EXTRAS>,
    ) -> bool {
        let (columns, isa) = (comparer.columns, comparer.isa);
        let (axis, share) = thinnest(&columns, all.clone(), &columns.box_around_with(isa, all.clone()));
        if share >= SEPARATED {
            return false;
        }
        self.sort(&columns, all.clone().map(|entry| entry as u32), all.len(), axis);
        let min: [&[f64]; D] = std::array::from_fn(|axis| self.min[axis].as_slice());
        let max: [&[f64]; D] = std::array::from_fn(|axis| self.max[axis].as_slice());
        let (sorted, keys) = (Columns::new(min, max, &self.ids), &self.keys[..all.len()]);
        let (reach, is_split) = (&self.reach[..all.len()], own.end < all.end);
        for at in 0..keys.len() {
            let (entry, last) = (keys[at] as u32 as usize, rounded(max[axis][at]));
            if entry >= own.end {
                continue;
            }
            // Of a whole cell each is compared with those behind it along the axis. Of a part, with those before it as well, because these
            // may belong to another part; a pair is taken from the entry that comes first in the table.
            let begin = if is_split { reach[..at].partition_point(|reach| *reach < min[axis][at]) } else { at + 1 };
            let behind = keys[at + 1..].iter().take_while(|&&key| (key >> 32) as u32 <= last).count();
            let end = at + 1 + behind;
            comparer.candidates += (end - begin) as u64;
            let bounds = splat_box(isa, &sorted.bounds(at));
            for window in (begin..end).step_by(WIDTH) {
                for lane in bits(u32::from(overlaps_from(isa, &sorted, &bounds, window, end))) {
                    let other = keys[window + lane] as u32 as usize;
                    if !is_split || other > entry {
                        comparer.hit_one(entry, other);
                    }
                }
            }
        }
        true
    }

    /// Sorts entries by their least coordinates along an axis.
    fn sort<S: Scalar, const D: usize>(
        &mut self,
        columns: &Columns<'_, S, D>,
        near: impl Iterator<Item = u32>,
        most: usize,
        axis: usize,
    ) {
        self.keys.clear();
        memory::reserve_with_slack(&mut self.keys, most);
        let key = |entry: u32| u64::from(rounded(columns.min(axis)[entry as usize].to_f64())) << 32 | u64::from(entry);
        self.keys.extend(near.map(key));
        self.keys.sort_unstable();
        self.grow(self.keys.capacity());
        let mut reach = f64::NEG_INFINITY;
        for (at, &key) in self.keys.iter().enumerate() {
            let bounds = wide(&columns.bounds(key as u32 as usize));
            for along in 0..D {
                (self.min[along][at], self.max[along][at]) = (bounds.min[along], bounds.max[along]);
            }
            reach = if bounds.max[axis] > reach { bounds.max[axis] } else { reach };
            self.reach[at] = reach;
        }
    }
}

/// The axis along which entries cover the least part of the box around them, on average, and which part that is.
#[inline(always)]
fn thinnest<S: Scalar, const D: usize>(columns: &Columns<'_, S, D>, entries: Range<usize>, around: &Aabb<S, D>) -> (usize, f64) {
    // Enough to tell most from few.
    const SOME: usize = 32;
    let around = wide(around);
    let some = entries.clone().step_by(entries.len().div_ceil(SOME).max(1));
    let shares = (0..D).map(|axis| (axis, mean(some.clone().map(|entry| share(&around, &wide(&columns.bounds(entry)), axis)))));
    shares.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
}

/// A coordinate, rounded to single precision, as an integer of the same order. Rounding is monotone, so what is not greater is not greater
/// afterwards. Comparing some more entries does no harm.
pub(crate) fn rounded(coordinate: f64) -> u32 {
    // Adding 0 makes the negative zero a positive one.
    let bits = (coordinate as f32 + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

fn wide<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> Aabb<f64, D> {
    Aabb { min: bounds.min.map(S::to_f64), max: bounds.max.map(S::to_f64) }
}

/// How well each axis separates near entries from a chunk's.
///
/// One side chooses an axis for each of its boxes, by the mean of the other side: of rods along x and y, in one chunk or near to one,
/// each has an axis that separates it from rods along z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes<const D: usize> {
    around: Aabb<f64, D>,
    /// Which part of the box around the chunk's entries a box of the other side covers along each axis, on average.
    means: [f64; D],
    /// Whether the near entries choose, or the chunk's.
    by_near: bool,
}

impl<const D: usize> Axes<D> {
    /// Nothing if no axis separates most of them.
    pub(crate) fn new<S: Scalar>(
        columns: &Columns<'_, S, D>,
        near: &[u32],
        entries: Range<usize>,
        around: &Aabb<S, D>,
    ) -> Option<Self> {
        // Enough to tell most from few.
        const SOME: usize = 32;
        let near = near.iter().step_by(near.len().div_ceil(SOME)).map(|&entry| wide(&columns.bounds(entry as usize)));
        let own = entries.clone().step_by(entries.len().div_ceil(SOME)).map(|entry| wide(&columns.bounds(entry)));
        let mut axes = Axes { around: wide(around), means: [1.0; D], by_near: true };
        let means_of_near = std::array::from_fn(|axis| mean(near.clone().map(|bounds| share(&axes.around, &bounds, axis))));
        axes.means = std::array::from_fn(|axis| mean(own.clone().map(|bounds| share(&axes.around, &bounds, axis))));
        let chosen_by_near = mean(near.map(|bounds| axes.best(&bounds).0));
        let by_entries = Axes { means: means_of_near, by_near: false, ..axes };
        let chosen_by_entries = mean(own.map(|bounds| by_entries.best(&bounds).0));
        let (overlapping, axes) =
            if chosen_by_near < chosen_by_entries { (chosen_by_near, axes) } else { (chosen_by_entries, by_entries) };
        (overlapping < SEPARATED).then_some(axes)
    }

    /// Whether sweeps go along an axis.
    pub(crate) fn separates(&self, axis: usize) -> bool {
        self.means[axis] < SEPARATED
    }

    /// Whether a near entry, or one of the chunk's, takes part in the sweep along an axis.
    pub(crate) fn takes<S: Scalar>(&self, bounds: &Aabb<S, D>, is_near: bool, axis: usize) -> bool {
        is_near != self.by_near || self.best(&wide(bounds)).1 == axis
    }

    /// The axis along which a box overlaps the fewest of the other side, of those that separate the other side at all, and which part
    /// of it that is.
    fn best(&self, bounds: &Aabb<f64, D>) -> (f64, usize) {
        let axes = (0..D).filter(|&axis| self.separates(axis));
        let overlap = axes.map(|axis| (self.means[axis] + share(&self.around, bounds, axis), axis));
        overlap.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((1.0, 0))
    }
}

/// Which part of a box another one covers along an axis. All of it if that is infinite or has no extent.
fn share<const D: usize>(around: &Aabb<f64, D>, bounds: &Aabb<f64, D>, axis: usize) -> f64 {
    let (low, high) = (bounds.min[axis].max(around.min[axis]), bounds.max[axis].min(around.max[axis]));
    let share = (high - low) / (around.max[axis] - around.min[axis]);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0f64), |(sum, count), value| (sum + value, count + 1.0));
    sum / count.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_coordinates_keep_their_order() {
        let ascending = [
            f64::NEG_INFINITY,
            -1e300,
            -3.5,
            -1.0 - 1e-12,
            -1.0,
            -1e-300,
            0.0,
            1e-300,
            1e-40,
            1.0,
            1.0 + 1e-12,
            2.0,
            1e40,
            f64::INFINITY,
        ];
        assert!(ascending.windows(2).all(|two| rounded(two[0]) <= rounded(two[1])));
        assert!(rounded(-1.0) < rounded(0.0) && rounded(0.0) < rounded(1.0) && rounded(1.0) < rounded(f64::INFINITY));
        assert_eq!(rounded(-0.0), rounded(0.0));
    }
}
