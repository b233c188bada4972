//! Cells in a hash map of the standard library.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::domain::{CELLS_PER_OBJECT, Domain, Extent, Layout};
use super::records::Record;
use super::search::{Cells, search_cell};
use crate::{Bounds, Pairs, System};

/// The basic implementation that section 1 of Zhyhallo & Woźna-Szcześniak names as a comparison: a standard hash map from cell
/// to the list of its objects, with the standard hasher, on one thread.
#[derive(Debug, Default)]
pub struct HashMapCells {
    given: Option<Domain>,
    layout: Option<Layout>,
    cells: Map,
}

#[derive(Debug, Default)]
struct Map(HashMap<[u32; 2], Vec<Record>>);

impl HashMapCells {
    /// With the cells that the tables use, at most four per object, to compare like with like: a map would not need the limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// Always uses the cells of the given domain.
    pub fn with_domain(domain: Domain) -> Self {
        HashMapCells { given: Some(domain), ..Self::default() }
    }
}

impl System<2> for HashMapCells {
    fn update(&mut self, boxes: &[Bounds<2>]) {
        let layout = Layout::of(self.given, &Extent::of(boxes), CELLS_PER_OBJECT);
        // A cell that was empty for a step goes; the others keep their memory.
        self.cells.0.retain(|_, records| {
            let used = !records.is_empty();
            records.clear();
            used
        });
        for (object, bounds) in boxes.iter().enumerate() {
            self.cells.0.entry(layout.domain.cell(bounds.min)).or_default().push(Record::new(bounds, object as u32));
        }
        self.layout = Some(layout);
    }

    fn report(&mut self, _: &[Bounds<2>], pairs: &mut Pairs) {
        let Some(layout) = &self.layout else { return };
        for (&cell, records) in &self.cells.0 {
            search_cell(layout, cell, records, &self.cells, pairs);
        }
    }

    /// The map keeps a byte of its own for each slot, and fills seven of eight slots.
    fn bytes(&self) -> usize {
        let slots = (self.cells.0.capacity() * 8 / 7).next_power_of_two();
        let lists: usize = self.cells.0.values().map(|records| records.capacity() * size_of::<Record>()).sum();
        slots * (size_of::<([u32; 2], Vec<Record>)>() + 1) + lists
    }
}

impl Cells for Map {
    fn visit(&self, row: u32, columns: RangeInclusive<u32>, mut visit: impl FnMut(&[Record])) {
        for column in columns {
            if let Some(records) = self.0.get(&[column, row]) {
                visit(records);
            }
        }
    }
}
