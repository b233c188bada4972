//! The pass that finds the rows, in the place of detection.

use super::shelf::Shelf;
use super::store::{Store, Worker};
use crate::Scalar;
use crate::detect::View;
use crate::engine::Engine;
use crate::kernel::LANES;
use crate::lockfree::{Blocks, Cursor};
use crate::passes::Scattered;
use crate::runtime::team::Team;

/// The most items that a worker claims at a time, as in detection, and the most of the listed.
const MOST_ITEMS: usize = 8;
const MOST_LISTED: usize = 32;

/// Which rows there are to be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    /// Each pair in one row instead of both.
    pub(super) half: bool,
    /// Each row in ascending order, and what is in it the same whoever found it.
    pub(super) sorted: bool,
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Finds the neighbors of all objects that `wanted` admits. In parallel over items of work: reads the grid and the table, writes
    /// rows. Then in parallel over the rows, to copy them behind one another.
    pub(super) fn neighbors(
        &mut self,
        _: &Scattered,
        team: Team,
        layout: Layout,
        wanted: impl Fn(u32, u32) -> bool + Sync,
        store: &mut Store<S, D>,
    ) {
        let objects = self.known;
        store.prepare(objects, team);
        let columns = self.table.columns(&self.order).for_partners(self.grid.listed.end);
        let view = View { grid: &self.grid, columns, kernel: self.kernel };
        // Which of two objects comes first in the grid depends on races; which index is smaller does not.
        let (half, by_index) = (layout.half && !layout.sorted, layout.half && layout.sorted);
        let (items, listed) = (Cursor::new(), Cursor::new());
        let finders = Blocks::new(&mut self.workers, 1);
        let (workers, stock) = store.lend();
        team.run(|| {
            let (Some(finder), Some(worker)) = (finders.claim_one(), workers.claim_one()) else { return };
            let Worker { search, beyond, longest } = &mut **worker;
            search.take_work();
            let mut shelf = Shelf::new(&stock, beyond);
            let mut add_row = |entry: usize, find: &mut dyn FnMut(&mut Vec<u32>)| {
                let object = view.columns.id(entry);
                // Behind the last entry there are some more values, and what they are does not matter here.
                shelf.expect_row(view.columns.id(entry + LANES));
                shelf.add_row(object, |block| {
                    let begin = block.len();
                    find(block);
                    if by_index {
                        retain_from(block, begin, |other| other > object);
                    }
                    retain_from(block, begin, |other| wanted(object, other));
                    if layout.sorted {
                        block[begin..].sort_unstable();
                    }
                });
            };
            let count = view.grid.items.len();
            while let Some(claimed) = items.claim(team.claim(count, MOST_ITEMS), count) {
                for item in &view.grid.items[claimed] {
                    search.item(&view, item, half, &mut add_row);
                }
            }
            let (first, count) = (view.grid.listed.start, view.grid.listed.len());
            while let Some(claimed) = listed.claim(team.claim(count, MOST_LISTED), count) {
                search.listed(&view, first + claimed.start..first + claimed.end, half, &mut add_row);
            }
            *longest = shelf.finish();
            (finder.finder.candidates, finder.finder.looks) = search.take_work();
        });
        store.compress(objects, &self.order[self.grid.listed.end..objects], &view.columns, team);
    }
}

/// Removes what is not to be kept from the end of a vector. If all is, the search for it is optimised away.
#[inline(always)]
fn retain_from(block: &mut Vec<u32>, begin: usize, keep: impl Fn(u32) -> bool) {
    if let Some(refused) = block[begin..].iter().position(|&other| !keep(other)) {
        let mut kept = begin + refused;
        for at in kept + 1..block.len() {
            let other = block[at];
            block[kept] = other;
            kept += usize::from(keep(other));
        }
        block.truncate(kept);
    }
}
