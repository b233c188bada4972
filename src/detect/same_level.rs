//! Within a level: the half-neighbourhood (Schornbaum 3.6), by rows.
//!
//! Rows of a level are ordered by (z, y). An entry is compared with those behind it in its own row, and with the rows after its
//! own that it reaches; the rows before it compare themselves with it. So each pair is met once, by its earlier member.

use std::ops::Range;

use super::View;
use super::kernel::Tasks;
use crate::Scalar;
use crate::build::offset::ITEM;
use crate::grid::{Coords, Shape, chunk_key, key_parts};
use crate::lockfree::Chunk;

/// How far entries reach: the cells of their corners relative to their chunk's first cell, four entries at a time.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    low_x: [[i32; 4]; ITEM / 4],
    high: [[[i32; 4]; ITEM / 4]; 3],
}

impl Default for Reach {
    fn default() -> Self {
        Reach { low_x: [[0; 4]; ITEM / 4], high: [[[0; 4]; ITEM / 4]; 3] }
    }
}

impl Reach {
    fn fill<S: Scalar, const D: usize>(&mut self, view: &View<'_, S, D>, level: usize, base: Coords, entries: Range<usize>) {
        let (level, fours) = (&view.grid.levels[level], entries.len().div_ceil(4));
        let padded = entries.start..entries.start + 4 * fours;
        level.cells_on(0, &view.columns.min(0)[padded.clone()], base[0], &mut self.low_x[..fours]);
        for axis in 0..D {
            level.cells_on(axis, &view.columns.max(axis)[padded.clone()], base[axis], &mut self.high[axis][..fours]);
        }
    }

    #[inline(always)]
    fn low_x(&self, entry: usize) -> i32 {
        self.low_x.as_flattened()[entry]
    }

    #[inline(always)]
    fn high(&self, axis: usize, entry: usize) -> i32 {
        self.high[axis].as_flattened()[entry]
    }
}

/// Lists the comparisons of some entries of a chunk, at most [`ITEM`], with the rest of their level.
pub(super) fn list<S: Scalar, const D: usize>(
    view: &View<'_, S, D>,
    chunk: Chunk<'_>,
    entries: Range<usize>,
    reach: &mut Reach,
    tasks: &mut Tasks,
) {
    let (level, coords) = key_parts(chunk.key());
    let span = view.grid.spans[level];
    reach.fill(view, level, Shape::<D>::base_of(coords), entries.clone());
    let mut around = Neighbourhood::new(view, level, coords, chunk);

    let mut rows = chunk.rows();
    while rows != 0 {
        let row = rows.trailing_zeros() as usize;
        rows &= rows - 1;
        let first_cell = row * Shape::<D>::ROW;
        let begin = (chunk.begin(first_cell) as usize).max(entries.start);
        let row_end = chunk.end(first_cell + Shape::<D>::ROW - 1) as usize;
        let (y, z) = Shape::<D>::row_parts(row);
        for entry in begin..row_end.min(entries.end) {
            let index = entry - entries.start;
            let (low_x, high_x, high_y) = (reach.low_x(index), reach.high(0, index), reach.high(1, index));
            let high_z = if D == 3 { reach.high(2, index) } else { 0 };

            let inside = (high_x as usize).min(Shape::<D>::ROW - 1);
            tasks.add(entry, entry + 1..chunk.end(first_cell + inside) as usize);
            if high_x >= Shape::<D>::EDGE[0] {
                around.add_row(tasks, entry, y, z, Shape::<D>::EDGE[0], high_x);
            }
            for other_y in y + 1..=high_y {
                around.add_row(tasks, entry, other_y, z, low_x - span[0], high_x);
            }
            for other_z in z + 1..=high_z {
                for other_y in y - span[1]..=high_y {
                    around.add_row(tasks, entry, other_y, other_z, low_x - span[0], high_x);
                }
            }
        }
    }
}

/// A chunk and those around it, looked up when first asked for: a chunk whose entries keep away from its border asks for none.
struct Neighbourhood<'v, S, const D: usize> {
    view: &'v View<'v, S, D>,
    level: usize,
    coords: Coords,
    chunks: [Chunk<'v>; 27],
    /// A bit for each chunk that was looked up.
    known: u32,
}

impl<'v, S: Scalar, const D: usize> Neighbourhood<'v, S, D> {
    const CENTRE: i32 = 13;

    fn new(view: &'v View<'v, S, D>, level: usize, coords: Coords, centre: Chunk<'v>) -> Self {
        let mut chunks = [Chunk::absent(); 27];
        chunks[Self::CENTRE as usize] = centre;
        Neighbourhood { view, level, coords, chunks, known: 1 << Self::CENTRE }
    }

    #[inline(always)]
    fn at(&mut self, offset: Coords) -> Chunk<'v> {
        let index = (offset[0] + 3 * offset[1] + 9 * offset[2] + Self::CENTRE) as usize;
        if self.known >> index & 1 == 0 {
            self.look_up(index, offset);
        }
        self.chunks[index]
    }

    #[cold]
    fn look_up(&mut self, index: usize, offset: Coords) {
        let coords = std::array::from_fn(|axis| self.coords[axis] + offset[axis]);
        if let Some((_, chunk)) = self.view.grid.directory.find(&self.view.grid.pool, &chunk_key(self.level, coords)) {
            self.chunks[index] = chunk;
        }
        self.known |= 1 << index;
    }

    /// Adds the comparison of an entry with a row, from cell `low` to cell `high`, all relative to the chunk's first cell.
    #[inline(always)]
    fn add_row(&mut self, tasks: &mut Tasks, entry: usize, y: i32, z: i32, low: i32, high: i32) {
        let edge = Shape::<D>::EDGE;
        let first_cell = Shape::<D>::row(y & (edge[1] - 1), z & (edge[2] - 1)) * Shape::<D>::ROW;
        let (chunk_y, chunk_z) = (y.div_euclid(edge[1]), z.div_euclid(edge[2]));
        for chunk_x in low.div_euclid(edge[0])..=high.div_euclid(edge[0]) {
            let chunk = self.at([chunk_x, chunk_y, chunk_z]);
            let first = (low - chunk_x * edge[0]).max(0) as usize;
            let last = (high - chunk_x * edge[0]).min(edge[0] - 1) as usize;
            tasks.add(entry, chunk.begin(first_cell + first) as usize..chunk.end(first_cell + last) as usize);
        }
    }
}
