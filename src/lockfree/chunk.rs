//! The chunk: a block of cells with its pivot table (Zhyhallo & Woźna-Szcześniak, 2.2).

use std::ops::Range;

use super::sync::{AtomicU32, Ordering};
use crate::faults::{Fault, injected};

/// What identifies a chunk; four words that mean nothing to the kit.
pub(crate) type Key = [u32; 4];

/// Words before the cells: one cache line.
pub(crate) const HEADER: usize = 16;

const KEY: usize = 0;
const SLOT: usize = 4;
const ROWS: usize = 5; // two words
const OCCUPIED: usize = 7;
/// The last word of the header holds where the chunk's entries begin, so that the beginning of cell `c` is always the word
/// before its end: no special case for the first cell.
const BEGIN: usize = HEADER - 1;

const NO_SLOT: u32 = u32::MAX;

/// A view of one chunk's words.
///
/// ```text
///  0 key (4 words) │ slot │ rows (2) │ occupied │ … │ begin ║ cell 0 │ cell 1 │ … │ cell n-1
///  ◀──────────────────── header, one cache line ──────────▶ ◀── count, later: end of entries ──▶
/// ```
///
/// A cell's word is first a counter. [`place`](Chunk::place) turns it into the pivot: the index just behind the cell's last entry,
/// which is also where the next cell begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<'a> {
    words: &'a [AtomicU32],
}

impl<'a> Chunk<'a> {
    pub(crate) fn new(words: &'a [AtomicU32]) -> Self {
        assert!(words.len() > HEADER);
        Chunk { words }
    }

    /// A chunk of at most 128 cells without entries, for places where there is none.
    #[cfg(not(loom))]
    pub(crate) const fn absent() -> Chunk<'static> {
        static ABSENT: [AtomicU32; HEADER + 128] = [const { AtomicU32::new(0) }; HEADER + 128];
        Chunk { words: &ABSENT }
    }

    /// Empties a chunk that nobody else can see yet. Relaxed: the directory's publishing exchange releases it.
    pub(crate) fn clear(&self) {
        for word in self.words {
            word.store(0, Ordering::Relaxed);
        }
        self.words[SLOT].store(NO_SLOT, Ordering::Relaxed);
    }

    /// Names a chunk that nobody else can see yet. Relaxed: as in [`clear`](Self::clear).
    pub(crate) fn set_key(&self, key: &Key) {
        for (word, part) in self.words[KEY..].iter().zip(key) {
            word.store(*part, Ordering::Relaxed);
        }
    }

    /// The key. Relaxed: whoever found the chunk acquired the directory's slot, and with it the key.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        std::array::from_fn(|part| self.words[KEY + part].load(Ordering::Relaxed))
    }

    /// Remembers the directory's slot, for clearing. Relaxed: read after a join only.
    pub(crate) fn set_slot(&self, slot: u32) {
        self.words[SLOT].store(slot, Ordering::Relaxed);
    }

    /// The directory's slot, if the chunk was published.
    pub(crate) fn slot(&self) -> Option<u32> {
        let slot = self.words[SLOT].load(Ordering::Relaxed);
        (slot != NO_SLOT).then_some(slot)
    }

    /// Counts `objects` more objects into a cell and returns the rank of the first: the ranks handed out in a cell are a
    /// permutation of `0..n`.
    ///
    /// Relaxed: a rank has only to be unique; the counters are read as a whole after the join of the pass.
    #[inline]
    pub(crate) fn count(&self, cell: usize, objects: u32) -> u32 {
        let counter = &self.words[HEADER + cell];
        if injected(Fault::CountTorn) {
            let rank = counter.load(Ordering::Relaxed);
            counter.store(rank + objects, Ordering::Relaxed);
            return rank;
        }
        let rank = counter.fetch_add(objects, Ordering::Relaxed);
        if injected(Fault::RankReread) { counter.load(Ordering::Relaxed) - objects } else { rank }
    }

    /// How many objects were counted in, after the join of the counting pass.
    #[allow(dead_code, reason = "for the models and tests of the kit")]
    pub(crate) fn total(&self) -> u32 {
        self.total_of(|_| ())
    }

    /// The same; shows each cell's count to `f`.
    pub(crate) fn total_of(&self, mut f: impl FnMut(u32)) -> u32 {
        let mut total = 0;
        for counter in self.cells() {
            let count = counter.load(Ordering::Relaxed);
            total += count;
            f(count);
        }
        if injected(Fault::RangeShort) { total.saturating_sub(1) } else { total }
    }

    /// Turns counters into pivots, the first entry at `begin`; notes which rows (runs of `row` cells, at most 64 of them) are
    /// occupied, and how many cells. Called by one thread per chunk, between joins: relaxed throughout.
    pub(crate) fn place(&self, begin: u32, row: usize) {
        let mut rows = 0u64;
        let mut occupied = 0;
        let mut end = begin;
        self.words[BEGIN].store(begin, Ordering::Relaxed);
        for (index, cells) in self.cells().chunks_exact(row).enumerate() {
            let row_begin = end;
            for cell in cells {
                let count = cell.load(Ordering::Relaxed);
                end += count;
                occupied += u32::from(count != 0);
                cell.store(end, Ordering::Relaxed);
            }
            rows |= u64::from(end != row_begin) << index;
        }
        self.words[ROWS].store(rows as u32, Ordering::Relaxed);
        self.words[ROWS + 1].store((rows >> 32) as u32, Ordering::Relaxed);
        self.words[OCCUPIED].store(occupied, Ordering::Relaxed);
    }

    /// Which rows hold entries, a bit each. Valid after [`place`](Self::place).
    #[inline]
    pub(crate) fn rows(&self) -> u64 {
        let half = |word: usize| u64::from(self.words[ROWS + word].load(Ordering::Relaxed));
        half(0) | half(1) << 32
    }

    /// How many cells hold entries. Valid after [`place`](Self::place).
    pub(crate) fn occupied(&self) -> u32 {
        self.words[OCCUPIED].load(Ordering::Relaxed)
    }

    /// Where the cell's entries begin. Valid after [`place`](Self::place).
    #[inline(always)]
    pub(crate) fn begin(&self, cell: usize) -> u32 {
        self.words[BEGIN + cell].load(Ordering::Relaxed)
    }

    /// Where the cell's entries end. Valid after [`place`](Self::place).
    #[inline(always)]
    pub(crate) fn end(&self, cell: usize) -> u32 {
        self.words[HEADER + cell].load(Ordering::Relaxed)
    }

    /// A row of cells. Valid after [`place`](Self::place).
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> Row<'a> {
        Row { pivots: self.words[BEGIN + row * ROW..].first_chunk().expect("a chunk consists of whole rows") }
    }

    /// All entries of the chunk. Valid after [`place`](Self::place).
    pub(crate) fn entries(&self) -> Range<usize> {
        self.begin(0) as usize..self.end(self.words.len() - HEADER - 1) as usize
    }

    fn cells(&self) -> &'a [AtomicU32] {
        &self.words[HEADER..]
    }
}

/// Cells per row.
pub(crate) const ROW: usize = 16;

/// The pivots of a row: where its first cell begins, and where each of its cells ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pivots: &'a [AtomicU32; ROW + 1],
}

impl Row<'_> {
    /// Where the cell's entries begin.
    #[inline(always)]
    pub(crate) fn begin(&self, cell: usize) -> usize {
        self.pivots[cell % ROW].load(Ordering::Relaxed) as usize
    }

    /// Where the cell's entries end.
    #[inline(always)]
    pub(crate) fn end(&self, cell: usize) -> usize {
        self.pivots[cell % ROW + 1].load(Ordering::Relaxed) as usize
    }
}
