//! A table of all cells: a pivot for each, and the objects' records behind them.

use std::ops::Range;

use super::records::Record;
use super::search::{Cells, DataTable};

/// What says where a cell's records are.
pub(super) trait Ranged: Default {
    fn range(&self) -> Range<usize>;
}

#[derive(Debug, Default)]
pub(super) struct Table<P> {
    columns: usize,
    pub(super) pivots: Vec<P>,
    pub(super) records: Vec<Record>,
}

impl<P: Ranged> Table<P> {
    /// Pivots that are new are clear, others and the records are what they were.
    pub(super) fn resize(&mut self, [width, height]: [usize; 2], objects: usize) {
        self.columns = width;
        self.pivots.resize_with(width * height, P::default);
        self.records.resize_with(objects, Record::default);
    }

    /// The pivots of a row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> &[P] {
        &self.pivots[row as usize * self.columns..][..self.columns]
    }

    pub(super) fn bytes(&self) -> usize {
        self.pivots.capacity() * size_of::<P>() + self.records.capacity() * size_of::<Record>()
    }
}

impl<P: Ranged> DataTable for Table<P>
where
    Self: Cells,
{
    fn records(&self) -> &[Record] {
        &self.records
    }

    #[inline]
    fn range(&self, [column, row]: [u32; 2]) -> Range<usize> {
        self.row(row)[column as usize].range()
    }
}
