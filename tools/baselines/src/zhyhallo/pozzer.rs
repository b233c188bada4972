//! Pozzer's serial pivots.

use std::ops::{Range, RangeInclusive};

use super::domain::{CELLS_PER_OBJECT, Domain, Extent, Layout};
use super::records::Record;
use super::search::{Cells, search};
use super::table::{Ranged, Table};
use crate::{Bounds, Pairs, System};

/// Pozzer et al. 2014, as section 2 of Zhyhallo & Woźna-Szcześniak tells it: a table of all cells of the scene, on one thread.
/// Count the objects of each cell, sum the counts up to indices, move the objects.
#[derive(Debug, Default)]
pub struct Pozzer {
    given: Option<Domain>,
    layout: Option<Layout>,
    table: Table<Pivot>,
}

/// The three columns of the pivot table.
#[derive(Clone, Copy, Debug, Default)]
struct Pivot {
    count: u32,
    initial: u32,
    end: u32,
}

impl Ranged for Pivot {
    #[inline]
    fn range(&self) -> Range<usize> {
        self.initial as usize..self.end as usize
    }
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
        let [width, height] = layout.domain.cells();
        self.table.pivots.clear();
        self.table.resize([width, height], boxes.len());
        let Table { pivots, records, .. } = &mut self.table;

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
        self.table.bytes()
    }
}

impl Cells for Table<Pivot> {
    /// The cells of a row follow each other in the data table, so it is one slice.
    #[inline]
    fn visit(&self, row: u32, columns: RangeInclusive<u32>, mut visit: impl FnMut(&[Record])) {
        let row = self.row(row);
        let (first, last) = (&row[*columns.start() as usize], &row[*columns.end() as usize]);
        visit(&self.records[first.initial as usize..last.end as usize]);
    }
}
