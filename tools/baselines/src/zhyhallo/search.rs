//! From cells to pairs.

use std::ops::{Range, RangeInclusive};

use pivotgrid::Pair;

use super::domain::Layout;
use super::records::Record;
use crate::gather::gather;
use crate::{Bounds, Pairs};

/// Records per task.
const TASK: usize = 2 * 1024;

/// Where the cells' records are.
pub(super) trait Cells: Sync {
    /// Calls `visit` with all records in some cells of a row, in as few slices as they lie in.
    fn visit(&self, row: u32, columns: RangeInclusive<u32>, visit: impl FnMut(&[Record]));
}

/// A data table in which the records of a cell lie together.
pub(super) trait DataTable: Cells {
    fn records(&self) -> &[Record];

    /// The places of a cell's records.
    fn range(&self, cell: [u32; 2]) -> Range<usize>;
}

/// Compares an object with a slice of others.
#[inline]
fn compare(bounds: &Bounds<2>, object: u32, others: &[Record], pairs: &mut Pairs) {
    pairs.candidates += others.len() as u64;
    for other in others {
        if bounds.overlaps(&other.bounds()) {
            pairs.found.push(Pair::new(object, other.object()));
        }
    }
}

/// Finds the pairs between the objects of a cell, and between them and the objects of cells that come later: to the right in
/// the same row, and in rows above. An object reaches no further than its box; others reach to the right by at most `reach`
/// cells.
pub(super) fn search_cell(layout: &Layout, cell: [u32; 2], inside: &[Record], cells: &impl Cells, pairs: &mut Pairs) {
    let [column, row] = cell;
    for (k, record) in inside.iter().enumerate() {
        let (bounds, object) = (record.bounds(), record.object());
        compare(&bounds, object, &inside[k + 1..], pairs);
        let [last_column, last_row] = layout.domain.cell(bounds.max);
        if last_column < column {
            continue; // Not a number: it overlaps nothing.
        }
        if column < last_column {
            cells.visit(row, column + 1..=last_column, |others| compare(&bounds, object, others, pairs));
        }
        let first_column = column.saturating_sub(layout.reach);
        for row in row + 1..=last_row {
            cells.visit(row, first_column..=last_column, |others| compare(&bounds, object, others, pairs));
        }
    }
}

/// Searches the cells whose records begin in a range of the data table.
fn search_range(layout: &Layout, table: &impl DataTable, range: Range<usize>, pairs: &mut Pairs) {
    let mut place = range.start;
    while place < range.end {
        let cell = layout.domain.cell(table.records()[place].bounds().min);
        let records = table.range(cell);
        // Otherwise the cell began in the range before.
        if records.start == place {
            search_cell(layout, cell, &table.records()[records.clone()], table, pairs);
        }
        place = records.end;
    }
}

/// Finds all pairs on the calling thread.
pub(super) fn search(layout: &Layout, table: &impl DataTable, pairs: &mut Pairs) {
    search_range(layout, table, 0..table.records().len(), pairs);
}

/// The same on the threads of the current pool.
pub(super) fn par_search(layout: &Layout, table: &impl DataTable, pairs: &mut Pairs) {
    let count = table.records().len();
    gather(count.div_ceil(TASK), pairs, |task, pairs| {
        search_range(layout, table, task * TASK..count.min((task + 1) * TASK), pairs);
    });
}
