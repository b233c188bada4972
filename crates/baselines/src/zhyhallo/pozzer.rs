//! Pozzer's serial pivots.

use std::ops::{Range, RangeInclusive};

use super::domain::{CELLS_PER_OBJECT, Domain, Extent, Layout};
use super::records::Record;
use super::search::{Cells, DataTable, search};
use crate::{Bounds, Pairs, System};

/// Pozzer et al. 2014, as section 2 of Zhyhallo & Woźna-Szcześniak tells it: a table of all cells of the scene, on one thread.
/// Count the objects of each cell, sum the counts up to indices, move the objects.
#[derive(Debug, Default)]
pub struct Pozzer {
    given: Option<Domain>,
    layout: Option<Layout>,
    table: Table,
}

#[derive(Debug, Default)]
struct Table {
    columns: usize,
    pivots: Vec<Pivot>,
    records: Vec<Record>,
}

/// The three columns of the pivot table.
#[derive(Clone, Copy, Debug, Default)]
struct Pivot {
    count: u32,
    initial: u32,
    end: u32,
}

impl Pozzer {
    /// Covers the boxes of each step, with at most four cells per object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Always covers the given domain, whatever that takes.
    pub fn with_domain(domain: Domain) -> Self {
        Pozzer { given: Some(domain), ..Self::default() }
    }
}

impl System<2> for Pozzer {
    fn update(&mut self, boxes: &[Bounds<2>]) {
        let layout = Layout::of(self.given, &Extent::of(boxes), CELLS_PER_OBJECT);
        let Table { columns, pivots, records } = &mut self.table;
        let [width, height] = layout.domain.cells();
        *columns = width;
        pivots.clear();
        pivots.resize(width * height, Pivot::default());
        records.resize_with(boxes.len(), Record::default);

        let index = |bounds: &Bounds<2>| {
            let [column, row] = layout.domain.cell(bounds.min);
            row as usize * width + column as usize
        };
        for bounds in boxes {
            pivots[index(bounds)].count += 1;
        }
        let mut initial = 0;
        for pivot in pivots.iter_mut() {
            (pivot.initial, pivot.end) = (initial, initial);
            initial += pivot.count;
        }
        for (object, bounds) in boxes.iter().enumerate() {
            let pivot = &mut pivots[index(bounds)];
            records[pivot.end as usize].set(bounds, object as u32);
            pivot.end += 1;
        }
        self.layout = Some(layout);
    }

    fn report(&mut self, _: &[Bounds<2>], pairs: &mut Pairs) {
        if let Some(layout) = &self.layout {
            search(layout, &self.table, pairs);
        }
    }

    fn bytes(&self) -> usize {
        self.table.pivots.capacity() * size_of::<Pivot>() + self.table.records.capacity() * size_of::<Record>()
    }
}

impl Cells for Table {
    /// The cells of a row follow each other in the data table, so it is one slice.
    #[inline]
    fn visit(&self, row: u32, columns: RangeInclusive<u32>, mut visit: impl FnMut(&[Record])) {
        let start = row as usize * self.columns;
        let first = self.pivots[start + *columns.start() as usize].initial as usize;
        let end = self.pivots[start + *columns.end() as usize].end as usize;
        visit(&self.records[first..end]);
    }
}

impl DataTable for Table {
    fn records(&self) -> &[Record] {
        &self.records
    }

    #[inline]
    fn range(&self, [column, row]: [u32; 2]) -> Range<usize> {
        let pivot = &self.pivots[row as usize * self.columns + column as usize];
        pivot.initial as usize..pivot.end as usize
    }
}
