//! The rows of a search behind one another, in the order of the particles, with what the user wants beside them.

use super::store::Found;
use crate::Scalar;
use crate::runtime::memory::{Budget, replace_if_short};
use crate::runtime::prefetch::prefetch;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

/// Neighbors that make a piece of work.
const PIECE: usize = 1 << 14;

/// Rows ahead of the current one whose memory is asked for, that many indices at a time, and at most that many: behind them, the
/// processor sees by itself where it goes.
const AHEAD: usize = 16;
const LINE: usize = 16;
const MOST_FETCHED: usize = 4 * LINE;

/// Arrays of a search. All of them are longer than needed; what was not wanted is empty.
#[derive(Debug)]
pub(super) struct Output<S, const D: usize> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    rows: usize,
    scalar: std::marker::PhantomData<[S; D]>,
}

impl<S: Scalar, const D: usize> Output<S, D> {
    pub(super) fn new() -> Self {
        Output { offsets: Vec::new(), indices: Vec::new(), rows: 0, scalar: std::marker::PhantomData }
    }

    /// Forgets the rows, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows = 0;
    }

    /// Puts rows behind one another. Returns how many neighbors there are.
    pub(super) fn fill(&mut self, found: Found<'_>, rows: usize, team: Team, budget: &Budget) -> usize {
        self.rows = 0;
        replace_if_short(&mut self.offsets, rows + 1, budget);
        let mut total = 0;
        for (row, offset) in self.offsets[..rows].iter_mut().enumerate() {
            *offset = total;
            total += found.row_len(row);
        }
        self.offsets[rows] = total;
        replace_if_short(&mut self.indices, total, budget);
        let part = Part { offsets: &self.offsets[..=rows], first: 0, indices: &mut self.indices[..total] };
        share_out(part, team, &|part| part.write(found));
        self.rows = rows;
        total
    }

    pub(super) fn offsets(&self) -> &[usize] {
        if self.rows == 0 { &[0] } else { &self.offsets[..=self.rows] }
    }

    pub(super) fn indices(&self) -> &[u32] {
        self.offsets().last().map_or(&[], |&total| &self.indices[..total])
    }

    pub(super) fn bytes(&self) -> usize {
        self.offsets.capacity() * size_of::<usize>() + self.indices.capacity() * size_of::<u32>()
    }
}

/// Some rows.
struct Part<'a> {
    /// Where they begin in all arrays, and where the last one ends.
    offsets: &'a [usize],
    /// The first row.
    first: usize,
    indices: &'a mut [u32],
}

impl Divisible for Part<'_> {
    fn pieces(&self) -> usize {
        // Rows without neighbors at the end are no piece, and have nothing to be written.
        self.indices.len().div_ceil(PIECE).min(self.offsets.len() - 1)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        // A row is never cut, however long it is; but some row is left for each side.
        let most = self.offsets.len() - 1 - usize::from(pieces < self.pieces());
        let target = self.offsets[0] + pieces * PIECE;
        let row = self.offsets.partition_point(|&offset| offset < target).clamp(1, most);
        let (indices, other_indices) = self.indices.split_at_mut(self.offsets[row] - self.offsets[0]);
        let rest = Part { offsets: &self.offsets[row..], first: self.first + row, indices: other_indices };
        (Part { offsets: &self.offsets[..=row], first: self.first, indices }, rest)
    }
}

impl Part<'_> {
    fn write(self, found: Found<'_>) {
        let base = self.offsets[0];
        for (row, ends) in (self.first..).zip(self.offsets.windows(2)) {
            expect_row(found, row + AHEAD);
            self.indices[ends[0] - base..ends[1] - base].copy_from_slice(found.row(row));
        }
    }
}

/// Asks for the memory of a row that will be read soon.
#[inline(always)]
fn expect_row(found: Found<'_>, row: usize) {
    if let Some((block, begin, length)) = found.place(row) {
        for line in (0..MOST_FETCHED.min(length)).step_by(LINE) {
            prefetch(block, begin + line);
        }
    }
}
