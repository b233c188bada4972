//! The chunk's pivot table (Zhyhallo & Woźna-Szcześniak, 2.2): where each cell's entries are.

use std::ops::Range;

use crate::isa::{Isa, Mask, WIDTH};
use crate::lockfree::Key;

/// Cells per chunk, whatever the dimension.
pub(crate) const CELLS: usize = 128;

/// Cells per row.
pub(crate) const ROW: usize = 16;
const _: () = assert!(ROW == WIDTH, "a row of pivots is read as one vector");

/// More entries than this in a cell make it crowded.
pub(crate) const CROWD: u32 = 40;

/// A cell with more entries than this is swept, if an axis separates these. (Rods of a weave, 20k and 100k: with 140 in a cell a sweep
/// takes as long as comparing all with all, with 320 half as long.)
pub(crate) const SWEPT: usize = 128;

/// A chunk: its key, and a pivot per cell.
///
/// ```text
///  key (4 words) │ rows │ occupied │ … │ begin ║ end of cell 0 │ end of cell 1 │ … │ end of cell 127
///  ◀─────────── one cache line ────────────────▶ ◀────────────── eight cache lines ───────────────▶
/// ```
///
/// The word before a cell's end is where the cell begins: no special case for the first cell. The sort pass writes a chunk, one
/// worker each; detection and queries read it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Chunk {
    words: [u32; HEADER + CELLS],
}

/// Words before the cells' ends.
const HEADER: usize = 16;
const ROWS: usize = 4;
const OCCUPIED: usize = 5;
const BEGIN: usize = HEADER - 1;

const _: () = assert!(size_of::<Chunk>() == 64 + 4 * CELLS, "a header of one cache line, then the cells");
const _: () = assert!(CELLS / ROW <= 32, "a bit per row");

impl Chunk {
    /// A chunk without entries, used in place of a missing chunk.
    pub(crate) const EMPTY: Chunk = Chunk { words: [0; HEADER + CELLS] };

    /// Makes this the chunk of a key whose cells have `counts` entries, the first of them at `begin`. Returns the sum of the
    /// squares of the counts, and its part in crowded cells.
    #[inline(always)]
    pub(crate) fn set<I: Isa>(&mut self, isa: I, key: Key, begin: u32, counts: &[u32; CELLS]) -> (u64, u64) {
        let cells = self.words[HEADER..].as_chunks_mut::<ROW>().0;
        let (mut rows, mut carry) = (0, isa.splat(begin as i32));
        for (row, (counts, ends)) in counts.as_chunks::<ROW>().0.iter().zip(cells).enumerate() {
            let counts = isa.words(counts);
            let is_empty = isa.eq(counts, isa.splat(0)) == Mask::MAX;
            rows |= u32::from(!is_empty) << row;
            // A prefix sum: each lane takes in the lane 1, 2, 4, 8 before it.
            let mut sums = counts;
            for distance in [1, 2, 4, 8] {
                let before = isa.lookup(sums, isa.sub(isa.iota(), isa.splat(distance)));
                let before = isa.select(Mask::MAX << distance, before, isa.splat(0));
                sums = isa.add(sums, before);
            }
            let sums = isa.add(sums, carry);
            carry = isa.lookup(sums, isa.splat(ROW as i32 - 1));
            *ends = isa.array(sums);
        }
        let (mut occupied, mut squares, mut crowded) = (0, 0, 0);
        for &count in counts {
            let square = u64::from(count) * u64::from(count);
            occupied += u32::from(count != 0);
            squares += square;
            crowded += if count > CROWD { square } else { 0 };
        }
        self.words[..4].copy_from_slice(&key);
        (self.words[ROWS], self.words[OCCUPIED], self.words[BEGIN]) = (rows, occupied, begin);
        (squares, crowded)
    }

    /// Level and place.
    #[inline(always)]
    pub(crate) fn key(&self) -> Key {
        std::array::from_fn(|part| self.words[part])
    }

    /// A bit per row that holds entries.
    #[inline(always)]
    pub(crate) fn rows(&self) -> u32 {
        self.words[ROWS]
    }

    /// How many cells hold entries.
    pub(crate) fn occupied(&self) -> u32 {
        self.words[OCCUPIED]
    }

    /// Where the cell's entries begin.
    #[inline(always)]
    pub(crate) fn begin(&self, cell: usize) -> u32 {
        self.words[BEGIN + cell]
    }

    /// Where the cell's entries end.
    #[inline(always)]
    pub(crate) fn end(&self, cell: usize) -> u32 {
        self.words[HEADER + cell]
    }

    /// Where each cell's entries begin.
    #[inline(always)]
    pub(crate) fn begins(&self) -> &[u32; CELLS] {
        self.words[BEGIN..].first_chunk().expect("a pivot per cell")
    }

    /// All entries of the chunk.
    #[inline(always)]
    pub(crate) fn entries(&self) -> Range<usize> {
        self.begin(0) as usize..self.end(CELLS - 1) as usize
    }

    /// A row of cells.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> Row<'_> {
        Row { pivots: self.words[BEGIN + ROW * row..].first_chunk().expect("a chunk consists of whole rows") }
    }
}

/// The pivots of a row: where its first cell begins, and where each of its cells ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pivots: &'a [u32; ROW + 1],
}

impl<'a> Row<'a> {
    /// Where the cell's entries begin.
    #[inline(always)]
    pub(crate) fn begin(&self, cell: usize) -> usize {
        self.pivots[cell % ROW] as usize
    }

    /// Where the cell's entries end.
    #[inline(always)]
    pub(crate) fn end(&self, cell: usize) -> usize {
        self.pivots[cell % ROW + 1] as usize
    }

    /// Where each cell begins.
    #[inline(always)]
    pub(crate) fn begins(&self) -> &'a [u32; ROW] {
        self.pivots.first_chunk().expect("a row has one pivot more than cells")
    }

    /// Where each cell ends.
    #[inline(always)]
    pub(crate) fn ends(&self) -> &'a [u32; ROW] {
        self.pivots.last_chunk().expect("a row has one pivot more than cells")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::portable::Portable;

    #[test]
    fn pivots_follow_the_counts() {
        let counts = std::array::from_fn(|cell| if cell / ROW == 2 { 0 } else { cell as u32 % 3 });
        let mut chunk = Chunk::EMPTY;
        let (squares, crowded) = chunk.set(Portable, [1, 2, 3, 4], 100, &counts);
        assert_eq!(chunk.key(), [1, 2, 3, 4]);
        let mut at = 100;
        for (cell, count) in counts.into_iter().enumerate() {
            assert_eq!((chunk.begin(cell), chunk.end(cell)), (at, at + count));
            assert_eq!(chunk.row(cell / ROW).begin(cell % ROW), at as usize);
            assert_eq!(chunk.row(cell / ROW).ends()[cell % ROW], at + count);
            at += count;
        }
        assert_eq!(chunk.entries(), 100..at as usize);
        assert_eq!(chunk.rows(), 0b1111_1011);
        assert_eq!(u64::from(chunk.occupied()), counts.iter().filter(|&&count| count > 0).count() as u64);
        assert_eq!(squares, counts.iter().map(|&count| u64::from(count * count)).sum::<u64>());
        assert_eq!(crowded, 0);
    }
}
