//! Plain parallel pivots: a table of all cells.

use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::domain::{CELLS_PER_OBJECT, Domain, Extent, Layout};
use super::records::Record;
use super::search::{Cells, par_search};
use super::table::{Ranged, Table};
use crate::{Bounds, Pairs, System};

/// Pivots or objects per task.
pub(super) const TASK: usize = 8 * 1024;

/// Count and index, two thirds of Pozzer's pivot.
#[derive(Debug, Default)]
pub(super) struct Pivot {
    pub(super) count: AtomicU32,
    /// First the end of the cell's records; each record that is moved there lowers it by one, until it is their beginning.
    pub(super) index: AtomicU32,
}

impl Pivot {
    #[inline]
    pub(super) fn clear(&self) {
        self.count.store(0, Relaxed);
        self.index.store(0, Relaxed);
    }
}

impl Ranged for Pivot {
    #[inline]
    fn range(&self) -> Range<usize> {
        let start = self.index.load(Relaxed) as usize;
        start..start + self.count.load(Relaxed) as usize
    }
}

/// Zhyhallo & Woźna-Szcześniak, section 2.1: Pozzer's three steps in parallel, with relaxed atomics, on a table of all cells. A
/// cell's place in the data table comes from one shared counter, so neighboring cells do not lie together there.
#[derive(Debug, Default)]
pub struct DensePivots {
    given: Option<Domain>,
    layout: Option<Layout>,
    table: Table<Pivot>,
}

impl DensePivots {
    /// Covers the boxes of each step, with at most four cells per object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Always covers the given domain, whatever that takes.
    pub fn with_domain(domain: Domain) -> Self {
        DensePivots { given: Some(domain), ..Self::default() }
    }
}

impl System<2> for DensePivots {
    fn update(&mut self, boxes: &[Bounds<2>]) {
        let layout = Layout::of(self.given, &Extent::par_of(boxes), CELLS_PER_OBJECT);
        let [width, height] = layout.domain.cells();
        self.table.resize([width, height], boxes.len());
        let (pivots, records) = (&self.table.pivots, &self.table.records);
        pivots.par_chunks(TASK).for_each(|pivots| pivots.iter().for_each(Pivot::clear));

        let pivot = |bounds: &Bounds<2>| {
            let [column, row] = layout.domain.cell(bounds.min);
            &pivots[row as usize * width + column as usize]
        };
        boxes.par_chunks(TASK).for_each(|boxes| {
            for bounds in boxes {
                pivot(bounds).count.fetch_add(1, Relaxed);
            }
        });

        let counter = AtomicU32::new(0);
        pivots.par_chunks(TASK).for_each(|pivots| {
            for pivot in pivots {
                let count = pivot.count.load(Relaxed);
                if count != 0 {
                    pivot.index.store(counter.fetch_add(count, Relaxed) + count, Relaxed);
                }
            }
        });

        boxes.par_chunks(TASK).enumerate().for_each(|(task, boxes)| {
            for (k, bounds) in boxes.iter().enumerate() {
                let place = pivot(bounds).index.fetch_sub(1, Relaxed) - 1;
                records[place as usize].set(bounds, (task * TASK + k) as u32);
            }
        });
        self.layout = Some(layout);
    }

    fn report(&mut self, _: &[Bounds<2>], pairs: &mut Pairs) {
        if let Some(layout) = &self.layout {
            par_search(layout, &self.table, pairs);
        }
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
    }
}

impl Cells for Table<Pivot> {
    #[inline]
    fn visit(&self, row: u32, columns: RangeInclusive<u32>, mut visit: impl FnMut(&[Record])) {
        for pivot in &self.row(row)[*columns.start() as usize..=*columns.end() as usize] {
            visit(&self.records[pivot.range()]);
        }
    }
}
