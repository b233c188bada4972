//! Within a level: the half-neighborhood (Schornbaum 3.6), by rows.
//!
//! Rows of a level are ordered by (z, y). An entry is compared with those behind it in its own row, and with the rows after its
//! own that it reaches; the rows before it compare themselves with it. So each pair is met once, by its earlier member.

use std::ops::Range;

use super::View;
use super::neighborhood::Neighborhood;
use crate::Scalar;
use crate::build::offset::ITEM;
use crate::faults::{Fault, injected};
use crate::kernel::Tasks;
use crate::layout::{Coords, Shape, key_parts};
use crate::lockfree::{Chunk, ROW, Row};

/// What is known of the entries at hand while their comparisons are listed.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The cells of the entries' corners relative to their chunk's first cell, four entries at a time.
    low_x: [[i32; 4]; ITEM / 4],
    high: [[[i32; 4]; ITEM / 4]; 3],
    /// Of the entries of a row, those that reach beyond its end in x,
    past_end: Few,
    /// into a later row of their layer,
    upward: Few,
    /// into a later layer,
    backward: Few,
    /// into both.
    corner: Few,
}

impl Default for Reach {
    fn default() -> Self {
        let few = Few { indices: [0; ITEM], len: 0 };
        let (past_end, upward, backward, corner) = (few.clone(), few.clone(), few.clone(), few);
        Reach { low_x: [[0; 4]; ITEM / 4], high: [[[0; 4]; ITEM / 4]; 3], past_end, upward, backward, corner }
    }
}

/// Some of the entries at hand, by index.
#[derive(Clone, Debug)]
struct Few {
    indices: [u8; ITEM],
    len: usize,
}

impl Few {
    /// Adds an index on a condition. Without a branch: whether an entry reaches beyond its row is anybody's guess.
    #[inline(always)]
    fn add_if(&mut self, index: usize, condition: bool) {
        self.indices[self.len % ITEM] = index as u8;
        self.len += usize::from(condition);
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.indices[..self.len].iter().map(|&index| usize::from(index))
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
    fn low_x(&self, index: usize) -> i32 {
        self.low_x.as_flattened()[index % ITEM]
    }

    #[inline(always)]
    fn high(&self, axis: usize, index: usize) -> i32 {
        self.high[axis].as_flattened()[index % ITEM]
    }

    /// Lists the comparisons of some entries of a row with those behind them in it, and sorts out who reaches beyond it.
    #[inline(always)]
    fn own_row<const D: usize>(
        &mut self,
        tasks: &mut Tasks,
        row: Row<'_>,
        (y, z): (i32, i32),
        first: usize,
        entries: Range<usize>,
    ) {
        for few in [&mut self.past_end, &mut self.upward, &mut self.backward, &mut self.corner] {
            few.len = 0;
        }
        for entry in entries {
            let index = entry - first;
            let (x, up) = (self.high(0, index), self.high(1, index) > y);
            let back = D == 3 && self.high(2, index) > z;
            let behind = if injected(Fault::ComparedWithItself) { entry } else { entry + 1 };
            tasks.add(entry, behind..row.end((x as usize).min(ROW - 1)));
            self.past_end.add_if(index, x >= ROW as i32);
            self.upward.add_if(index, up);
            if D == 3 {
                self.backward.add_if(index, back);
                self.corner.add_if(index, up & back);
            }
        }
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
    let first = entries.start;
    reach.fill(view, level, Shape::<D>::base_of(coords), entries.clone());
    let mut around = Neighborhood::new(view, level, coords, chunk);

    let mut rows = chunk.rows();
    while rows != 0 {
        let row = chunk.row(rows.trailing_zeros() as usize);
        let (y, z) = Shape::<D>::row_parts(rows.trailing_zeros() as usize);
        rows &= rows - 1;
        let inside = row.begin(0).max(first)..row.end(ROW - 1).min(entries.end);
        if inside.is_empty() {
            continue;
        }
        reach.own_row::<D>(tasks, row, (y, z), first, inside);
        for index in reach.past_end.iter().filter(|_| !injected(Fault::NextChunkMissed)) {
            around.add_part(tasks, first + index, y, z, ROW as i32, reach.high(0, index));
        }
        for other_y in y + 1..=y + span[1] - i32::from(injected(Fault::UpwardRowMissed)) {
            around.add_row(tasks, first, reach, &reach.upward, (other_y, z), span[0]);
        }
        if D == 3 {
            for other_z in z + 1..=z + span[2] {
                for other_y in y - span[1] + i32::from(injected(Fault::BackwardRowMissed))..=y {
                    around.add_row(tasks, first, reach, &reach.backward, (other_y, other_z), span[0]);
                }
                let corner = if injected(Fault::CornerRowsMissed) { 0 } else { span[1] };
                for other_y in y + 1..=y + corner {
                    around.add_row(tasks, first, reach, &reach.corner, (other_y, other_z), span[0]);
                }
            }
        }
    }
}

impl<S: Scalar, const D: usize> Neighborhood<'_, S, D> {
    /// Adds the comparisons of some entries with a row, each from `span` cells before its own to as far as it reaches.
    #[inline(always)]
    fn add_row(&mut self, tasks: &mut Tasks, first: usize, reach: &Reach, few: &Few, (y, z): (i32, i32), span: i32) {
        if few.len == 0 {
            return; // and look up no chunk
        }
        let span = if injected(Fault::SpanForgotten) { 0 } else { span };
        let row = self.row(0, y, z);
        for index in few.iter() {
            let (low, high) = (reach.low_x(index) - span, reach.high(0, index));
            if (low >= 0) & (high < ROW as i32) {
                tasks.add(first + index, row.begin(low as usize)..row.end(high as usize));
            } else {
                self.add_part(tasks, first + index, y, z, low, high);
            }
        }
    }

    /// Adds the comparison of an entry with a row, from cell `low` to cell `high`, all relative to the chunk's first cell.
    fn add_part(&mut self, tasks: &mut Tasks, entry: usize, y: i32, z: i32, low: i32, high: i32) {
        let edge = ROW as i32;
        for chunk_x in low.div_euclid(edge)..=high.div_euclid(edge) {
            let row = self.row(chunk_x, y, z);
            let first = (low - chunk_x * edge).max(0) as usize;
            let last = (high - chunk_x * edge).min(edge - 1) as usize;
            tasks.add(entry, row.begin(first)..row.end(last));
        }
    }
}
