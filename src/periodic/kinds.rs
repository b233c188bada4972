//! Images apart from each other by kind, for scenes in which most meetings of two images do not count.
//!
//! The kind of an image is the set of vectors along which it is a ghost. A pair of images counts if their kinds have no vector in common
//! (`images.rs` has the argument). An object of k periods has about k^v images of a kind with v vectors, so among all of its (k + 1)^D
//! images are (k + 1)^2D pairs, of which (2 k + 1)^D count. A grid has all kinds in the same cells and finds all of these pairs. Here
//! each kind has a tree of its own, and an image looks into the trees of those kinds only that have no vector in common with its own.
//!
//! The images of a kind stay in the order of the table, which is an order in space, so runs of eight make the leaves of a tree.

use std::ops::Range;

use crate::kernel::Packed;
use crate::layout::columns::{Columns, PADDING};
use crate::layout::list_tree::ListTree;
use crate::runtime::memory::{self, Budget, bytes_of, grow_exactly};
use crate::{Aabb, Scalar};

/// Kinds in three dimensions.
const KINDS: usize = 8;

/// When images are kept apart by kind: a search of trees takes longer per image and per meeting than one of cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worth {
    /// An object is long if its images have at least this many times as many pairs as count.
    in_vain: u64,
    /// Trees are made if the images of long objects have more pairs than this many for each image.
    pairs: u64,
}

impl Worth {
    /// For rows of neighbors: both searches take the same time at some 2 and some 100 (`docs/measurements.md`).
    pub(crate) const ROWS: Self = Worth { in_vain: 2, pairs: 64 };
    /// For pairs, which cells find several times as fast as rows.
    pub(crate) const PAIRS: Self = Worth { in_vain: 8, pairs: 1024 };

    /// How many images an object has, if it is long.
    #[inline]
    pub(crate) fn long<const D: usize>(self, counts: &[u8; D]) -> usize {
        // Nearly all objects.
        if *counts == [0; D] {
            return 0;
        }
        let images: u64 = counts.iter().map(|&count| u64::from(count) + 1).product();
        let counting: u64 = counts.iter().map(|&count| 2 * u64::from(count) + 1).product();
        if images * images >= self.in_vain * counting { images as usize } else { 0 }
    }

    /// Whether images are better kept apart, of which those of long objects are `long`; these may all meet each other.
    pub(crate) fn is_given(self, long: usize, images: usize) -> bool {
        (long as u64).saturating_mul(long as u64) > (images as u64).saturating_mul(self.pairs)
    }
}

/// The kind of an image that is moved back by these numbers of periods: a bit for each vector.
#[inline(always)]
pub(crate) fn kind_of<const D: usize>(back: [u8; D]) -> usize {
    (0..D).fold(0, |kind, vector| kind | usize::from(back[vector] != 0) << vector)
}

/// The entries of a table by kind, with trees over boxes of theirs. Memory is kept for the next step.
#[derive(Debug)]
pub(crate) struct Kinds<S, const D: usize> {
    /// The entries, kind by kind. May be longer than needed, like the columns below.
    entries: Vec<u32>,
    /// Where each kind begins, and the last one ends.
    begins: [usize; KINDS + 1],
    /// Copies of the entries in this order.
    copies: Packed<S, D>,
    /// The boxes that trees are made of.
    min: [Vec<S>; D],
    max: [Vec<S>; D],
    /// By kind, for each set of boxes.
    trees: Vec<[ListTree<S, D>; KINDS]>,
}

impl<S: Scalar, const D: usize> Kinds<S, D> {
    pub(crate) fn new() -> Self {
        let column = || std::array::from_fn(|_| Vec::new());
        let (entries, copies, trees) = (Vec::new(), Packed::new(), Vec::new());
        Kinds { entries, begins: [0; KINDS + 1], copies, min: column(), max: column(), trees }
    }

    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.min.iter().chain(&self.max).map(Vec::capacity).sum();
        bytes_of::<u32>(self.entries.capacity())
            + bytes_of::<S>(columns)
            + self.copies.bytes()
            + bytes_of::<[ListTree<S, D>; KINDS]>(self.trees.capacity())
            + self.trees.iter().flatten().map(ListTree::bytes).sum::<usize>()
    }

    /// Puts the first `count` entries of a table apart. `kind` is that of an object; `boxes` are the sets of boxes of entries that are
    /// searched.
    pub(crate) fn fill(
        &mut self,
        table: &Columns<'_, S, D>,
        count: usize,
        kind: impl Fn(u32) -> usize,
        boxes: &[&dyn Fn(usize) -> Aabb<S, D>],
        budget: &Budget,
    ) {
        let kind = |entry: usize| kind(table.id(entry)) % KINDS;
        let mut ends = [0; KINDS + 1];
        (0..count).for_each(|entry| ends[kind(entry) + 1] += 1);
        (0..KINDS).for_each(|kind| ends[kind + 1] += ends[kind]);
        self.begins = ends;
        grow_exactly(&mut self.entries, count + PADDING, 0, budget);
        for entry in 0..count {
            let end = &mut ends[kind(entry)];
            self.entries[*end] = entry as u32;
            *end += 1;
        }
        let held = self.copies.bytes();
        self.copies.truncate(0);
        self.copies.reserve(table, count + PADDING);
        budget.charge(self.copies.bytes() - held);
        self.entries[..count].iter().for_each(|&entry| self.copies.add(table, entry as usize..entry as usize + 1));
        while self.trees.len() < boxes.len() {
            memory::push(&mut self.trees, std::array::from_fn(|_| ListTree::new()));
        }
        self.min.iter_mut().chain(&mut self.max).for_each(|column| grow_exactly(column, count + PADDING, S::ZERO, budget));
        for (bounds, trees) in boxes.iter().zip(&mut self.trees) {
            for (at, &entry) in self.entries[..count].iter().enumerate() {
                let bounds = bounds(entry as usize);
                for axis in 0..D {
                    (self.min[axis][at], self.max[axis][at]) = (bounds.min[axis], bounds.max[axis]);
                }
            }
            let columns =
                Columns::new(self.min.each_ref().map(Vec::as_slice), self.max.each_ref().map(Vec::as_slice), &self.entries);
            for (kind, tree) in trees.iter_mut().enumerate() {
                tree.build(&columns, self.begins[kind]..self.begins[kind + 1], budget);
            }
        }
    }

    /// How many places there are: one for each entry.
    pub(crate) fn len(&self) -> usize {
        self.begins[KINDS]
    }

    /// The entry of the table at a place.
    pub(crate) fn entry(&self, place: usize) -> usize {
        self.entries[place] as usize
    }

    /// The entries by place, as kernels compare them.
    pub(crate) fn columns(&self, table: &Columns<'_, S, D>) -> Columns<'_, S, D> {
        self.copies.columns(table)
    }

    /// Lists runs of places with all entries that may count as met by the one at a place: those in whose box of some set the box for that
    /// set is. Each place is in one run at most. Of two entries, only the `later` one is listed for the other, if so requested.
    pub(crate) fn list_runs(&self, place: usize, looks: &[Aabb<S, D>], later: bool, runs: &mut Vec<[u32; 2]>) {
        let own = self.begins[1..KINDS].partition_point(|&begin| begin <= place);
        let first = if later { place + 1 } else { 0 };
        runs.clear();
        for kind in (0..KINDS).filter(|kind| kind & own == 0 && self.begins[kind + 1] > first.max(self.begins[*kind])) {
            for (look, trees) in looks.iter().zip(&self.trees) {
                trees[kind].for_each_run(look, &mut |run: Range<usize>| {
                    let run = run.start.max(first)..run.end;
                    if !run.is_empty() {
                        add_run(runs, run);
                    }
                });
            }
        }
        if looks.len() > 1 {
            unite(runs);
        }
    }
}

/// Adds a run behind the others, to the last one if it continues that.
#[inline(always)]
fn add_run(runs: &mut Vec<[u32; 2]>, run: Range<usize>) {
    match runs.last_mut() {
        Some([_, end]) if *end as usize == run.start => *end = run.end as u32,
        _ => memory::push(runs, [run.start as u32, run.end as u32]),
    }
}

/// Sorts runs, and joins those that overlap or touch.
fn unite(runs: &mut Vec<[u32; 2]>) {
    runs.sort_unstable();
    runs.dedup_by(|[begin, end], [_, last_end]| {
        let continues = *begin <= *last_end;
        if continues {
            *last_end = (*last_end).max(*end);
        }
        continues
    });
}
