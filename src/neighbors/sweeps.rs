//! Entries near to those of a chunk, sorted so that each of these is compared with few of them.
//!
//! Cells do not separate long boxes along different axes. Where one axis does, near entries are sorted along it, as in detection
//! (`src/detect/near.rs`), and each entry of the chunk is compared with the run of them that it overlaps along that axis.

use std::ops::Range;

use crate::detect::near::{Axes, WORTHWHILE, rounded};
use crate::kernel::Packed;
use crate::layout::columns::Columns;
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// The near entries of a chunk in order. They are copied in this order, so that a run of it is a run of the copies.
#[derive(Debug)]
pub(super) struct Sweeps<S, const D: usize> {
    /// The axes to sweep along, if that is worth it.
    axes: Option<Axes<D>>,
    /// Where the entries that are sorted along each axis begin; an entry may be in several of these parts.
    begins: [usize; 4],
    /// The least coordinate along the axis, [rounded](rounded), in the upper half, and the entry.
    keys: Vec<u64>,
    /// The greatest coordinate along the axis, of an entry and all before it in its part.
    reach: Vec<S>,
}

impl<S: Scalar, const D: usize> Sweeps<S, D> {
    pub(super) fn new() -> Self {
        Sweeps { axes: None, begins: [0; 4], keys: Vec::new(), reach: Vec::new() }
    }

    /// Entries are compared with all that is near.
    pub(super) fn clear(&mut self) {
        self.axes = None;
    }

    /// Sorts near entries, if there are many and sweeps separate them from the chunk's entries. Returns whether they do. `around` is
    /// the box around the chunk's entries.
    pub(super) fn sort(&mut self, columns: &Columns<'_, S, D>, near: &[u32], entries: Range<usize>, around: &Aabb<S, D>) -> bool {
        self.axes = None;
        if near.len() * entries.len() < WORTHWHILE * (near.len() + entries.len()) {
            return false;
        }
        let Some(axes) = Axes::new(columns, near, entries, around) else { return false };
        self.keys.clear();
        self.reach.clear();
        for axis in 0..D {
            let begin = self.keys.len();
            self.begins[axis] = begin;
            if !axes.separates(axis) {
                continue;
            }
            memory::reserve_with_slack(&mut self.keys, near.len());
            let taken = near.iter().filter(|&&entry| axes.takes(&columns.bounds(entry as usize), true, axis));
            let key = |entry: u32| u64::from(rounded(columns.min(axis)[entry as usize].to_f64())) << 32 | u64::from(entry);
            self.keys.extend(taken.map(|&entry| key(entry)));
            self.keys[begin..].sort_unstable();
            memory::reserve_with_slack(&mut self.reach, near.len());
            let mut reach = S::NEG_INFINITY;
            for key in &self.keys[begin..] {
                let max = columns.bounds(*key as u32 as usize).max[axis];
                reach = if max > reach { max } else { reach };
                self.reach.push(reach);
            }
        }
        self.begins[D..].fill(self.keys.len());
        self.axes = Some(axes);
        true
    }

    /// Copies near entries to where an entry is compared with them.
    pub(super) fn pack(&self, columns: &Columns<'_, S, D>, near: &[u32], around: &mut Packed<S, D>) {
        let mut add = |entry: u32| around.add(columns, entry as usize..entry as usize + 1);
        match self.axes {
            Some(_) => self.keys.iter().for_each(|&key| add(key as u32)),
            None => near.iter().for_each(|&entry| add(entry)),
        }
    }

    /// Whether an entry is compared with a part of the near ones.
    pub(super) fn are_sorted(&self) -> bool {
        self.axes.is_some()
    }

    /// Calls `f` with the runs of the copies that a box may overlap, if they are sorted.
    pub(super) fn runs(&self, bounds: &Aabb<S, D>, mut f: impl FnMut(Range<usize>)) {
        let Some(axes) = &self.axes else { return };
        for axis in (0..D).filter(|&axis| axes.separates(axis) && axes.takes(bounds, false, axis)) {
            let part = self.begins[axis]..self.begins[axis + 1];
            let begin = self.reach[part.clone()].partition_point(|reach| *reach < bounds.min[axis]);
            let last = rounded(bounds.max[axis].to_f64());
            let end = self.keys[part.clone()].partition_point(|key| (key >> 32) as u32 <= last);
            if begin < end {
                f(part.start + begin..part.start + end);
            }
        }
    }

    pub(super) fn room(&self) -> usize {
        self.keys.capacity()
    }

    pub(super) fn reserve(&mut self, room: usize) {
        self.clear();
        self.keys.clear();
        self.reach.clear();
        memory::reserve_exact(&mut self.keys, room);
        memory::reserve_exact(&mut self.reach, room);
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>() + self.reach.capacity() * size_of::<S>()
    }
}
