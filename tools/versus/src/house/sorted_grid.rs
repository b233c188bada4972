//! A plain uniform grid: objects sorted by the cell of their lower corner, half of the neighboring cells searched.
//!
//! No table of cells: in sorted order the neighbors' places only ever move forward, so a pointer per row of cells finds them
//! all. That makes the extent of the scene irrelevant, but the largest object sets the cell size for all.

use std::ops::Range;

use pivotgrid::{InstructionSet, Pair};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::columns::Columns;
use super::search_with;
use super::sort::Order;
use crate::found::Found;
use crate::{Answer, Bounds, Resources, Rival};

/// Objects per cell that a cell is enlarged for when the objects are small: below, time goes into visiting empty cells.
const OCCUPANCY: f64 = 2.0;
/// The cell is larger than the largest object by this, so that rounding cannot put two that touch more than a cell apart.
const SLACK: f64 = 1.0 + 1e-6;
/// Objects per parallel task in the search for the extent.
const TASK: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct SortedGrid<const D: usize> {
    threads: usize,
    columns: Columns<D>,
    found: Found,
    instructions: InstructionSet,
}

/// The lower corners' bounds and the longest edge.
#[derive(Clone, Copy)]
struct Extent<const D: usize> {
    min: [f32; D],
    max: [f32; D],
    edge: f32,
}

/// The cells' size and how to number them.
#[derive(Clone, Copy)]
struct Numbering<const D: usize> {
    origin: [f32; D],
    cells_per_unit: f64,
    strides: [u64; D],
    key_bits: u32,
}

impl<const D: usize> SortedGrid<D> {
    pub(crate) fn new(Resources { threads, instructions }: Resources) -> Self {
        SortedGrid { threads, columns: Columns::new(threads), found: Found::new(threads), instructions }
    }
}

impl<const D: usize> Rival<D> for SortedGrid<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        let n = boxes.len();
        let numbering = Numbering::of(n, Extent::of(boxes, self.threads), OCCUPANCY, Order::most_key_bits(n));
        self.columns.fill(boxes, std::array::from_fn(|axis| axis), numbering.key_bits, |bounds| numbering.key(bounds));

        let (columns, strides, instructions) = (&self.columns, &numbering.strides, self.instructions);
        self.found.fill(n, |range, found| search_with(instructions, Search { columns, strides, range, found }))
    }
}

/// Puts boxes into the order of the cells of their lower corners, which are at least as large as `cell`, and returns how much the keys of
/// neighboring cells differ along each axis. In the rayon pool in which it is called.
pub(crate) fn sorted_by_cell<const D: usize>(boxes: &[Bounds<D>], cell: f32, order: &mut Order) -> [u64; D] {
    let threads = rayon::current_num_threads();
    let mut extent = Extent::of(boxes, threads);
    extent.edge = extent.edge.max(cell);
    let numbering = Numbering::of(boxes.len(), extent, 0.0, Order::most_key_bits(boxes.len()));
    order.sort(boxes, numbering.key_bits, |bounds| numbering.key(bounds), threads);
    numbering.strides
}

/// The rows of three cells after the own one, as distances of their middle cells' keys: one in 2D, four in 3D.
fn rows<const D: usize>(strides: &[u64; D]) -> ([u64; 4], usize) {
    match strides[1..] {
        [y] => ([y, 0, 0, 0], 1),
        [y, z] => ([y, z - y, z, z + y], 4),
        _ => unreachable!("two or three dimensions"),
    }
}

struct Search<'a, const D: usize> {
    columns: &'a Columns<D>,
    strides: &'a [u64; D],
    range: Range<usize>,
    found: &'a mut Vec<Pair>,
}

/// What is inlined here is compiled once more for AVX2, and that is what runs where there is one.
impl<const D: usize> WithSimd for Search<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Search { columns, strides, range, found } = self;
        if range.is_empty() {
            return;
        }
        let order = columns.order();
        // The first place whose key is at least `target`, at or after `from`.
        let forward = |mut from: usize, target: u64| {
            while from < order.len() && order.key(from) < target {
                from += 1;
            }
            from
        };

        let (rows, row_count) = rows(strides);
        let rows = &rows[..row_count];
        let first = order.key(range.start);
        let mut own_end = order.place(first + 2);
        let mut windows = [(0, 0); 4];
        for (window, row) in windows.iter_mut().zip(rows) {
            *window = (order.place(first + row - 1), order.place(first + row + 2));
        }

        let mut k = range.start;
        while k < range.end {
            let cell = order.key(k);
            own_end = forward(own_end, cell + 2);
            for (window, row) in windows.iter_mut().zip(rows) {
                *window = (forward(window.0, cell + row - 1), forward(window.1, cell + row + 2));
            }
            while k < range.end && order.key(k) == cell {
                let query = columns.query(k);
                columns.test_range(&query, k + 1, own_end, found);
                for &(from, to) in &windows[..row_count] {
                    columns.test_range(&query, from, to, found);
                }
                k += 1;
            }
        }
    }
}

fn extent<const D: usize>(boxes: &[Bounds<D>]) -> Extent<D> {
    let mut extent = Extent::EMPTY;
    for bounds in boxes {
        for axis in 0..D {
            let lo = bounds.min[axis];
            extent.min[axis] = if lo < extent.min[axis] { lo } else { extent.min[axis] };
            extent.max[axis] = if lo > extent.max[axis] { lo } else { extent.max[axis] };
            let edge = bounds.max[axis] - lo;
            extent.edge = if edge > extent.edge { edge } else { extent.edge };
        }
    }
    extent
}

impl<const D: usize> Extent<D> {
    const EMPTY: Self = Extent { min: [f32::INFINITY; D], max: [f32::NEG_INFINITY; D], edge: 0.0 };

    fn of(boxes: &[Bounds<D>], threads: usize) -> Self {
        let extents: Vec<Extent<D>> =
            if threads == 1 { vec![extent(boxes)] } else { boxes.par_chunks(TASK).map(extent).collect() };
        extents.into_iter().fold(Extent::EMPTY, Extent::merge)
    }

    fn merge(self, other: Self) -> Self {
        Extent {
            min: std::array::from_fn(|axis| self.min[axis].min(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].max(other.max[axis])),
            edge: self.edge.max(other.edge),
        }
    }
}

impl<const D: usize> Numbering<D> {
    /// Cells at least as large as the longest edge, and large enough for the occupancy and for keys of `most_bits`.
    fn of(n: usize, extent: Extent<D>, occupancy: f64, most_bits: u32) -> Self {
        let lengths: [f64; D] = std::array::from_fn(|axis| (f64::from(extent.max[axis]) - f64::from(extent.min[axis])).max(0.0));
        // Rounding in `edge` is within the slack.
        let edge = f64::from(extent.edge) * SLACK;
        let space: f64 = lengths.iter().map(|length| length + edge).product();
        let mut cell = edge.max((space * occupancy / n as f64).powf(1.0 / D as f64)).max(f64::from(f32::MIN_POSITIVE));
        loop {
            let mut strides = [1; D];
            let mut cells = 1.0;
            for axis in 0..D {
                strides[axis] = cells as u64;
                // An empty cell at either end keeps the neighbors of one row out of the next.
                cells *= (lengths[axis] / cell).floor() + 3.0;
            }
            let key_bits = cells.log2().ceil() as u32 + 1;
            if key_bits <= most_bits {
                return Numbering { origin: extent.min, cells_per_unit: 1.0 / cell, strides, key_bits };
            }
            cell *= 1.5;
        }
    }

    #[inline(always)]
    fn key(&self, bounds: &Bounds<D>) -> u64 {
        let mut key = 0;
        for axis in 0..D {
            let distance = f64::from(bounds.min[axis]) - f64::from(self.origin[axis]);
            // One up, since the first cell is the empty one.
            key += ((distance * self.cells_per_unit) as i64 + 1) as u64 * self.strides[axis];
        }
        key
    }
}
