//! Items, the units of work of detection: runs of entries, neither tiny nor huge.

use crate::Scalar;
use crate::build::builder::Builder;
use crate::faults::{Fault, injected};
use crate::layout::grid::Item;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// The most entries that make an item of detection, if it has several chunks.
const ITEM: usize = 1 << 10;
impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Collects the workers' items, those of a worker next to each other.
    pub(super) fn collect_items(&mut self, team: Team) {
        self.grid.items.clear();
        let items = self.workers.iter().take(team.workers()).map(|worker| worker.sorter.items.len()).sum();
        let before = self.grid.items.capacity();
        if before < items {
            // A worker joins the chunks of two units only if it sorted both, which differs from step to step.
            memory::reserve_with_slack(&mut self.grid.items, items + self.unit_bounds.len());
        }
        self.budget.charge(memory::bytes_of::<Item>(self.grid.items.capacity() - before));
        for worker in self.workers.iter().take(team.workers()) {
            self.grid.items.extend_from_slice(&worker.sorter.items);
        }
    }

    /// Deals the items of detection: each worker first those that it sorted.
    pub(crate) fn deal_items(&mut self, team: Team) {
        // How many items there are depends on which worker sorted what, so there is room for as many as the list of items has.
        let (items, room) = (self.grid.items.len(), self.grid.items.capacity());
        memory::refusable(self.shares.reserve(team.workers(), room), room);
        self.takers.clear();
        memory::reserve_exact(&mut self.takers, room);
        for (index, worker) in self.workers.iter().take(team.workers()).enumerate() {
            self.takers.extend(worker.sorter.items.iter().map(|_| index as u32));
        }
        let takers = &self.takers;
        self.shares.deal(team.workers(), items, |item| takers[item] as usize);
    }
}

/// Appends a chunk's entries to the work: to the last item while that is small and the chunk follows it, otherwise as items of
/// their own.
pub(super) fn add_items(items: &mut Vec<Item>, chunk: u32, mut begin: u32, end: u32) {
    if let Some(last) = items.last_mut()
        && last.end_chunk == chunk
        && last.end == begin
        && last.end - last.begin + (end - begin) <= ITEM as u32
    {
        last.end_chunk = chunk + 1;
        last.end = end;
        return;
    }
    while begin < end {
        let next = end.min(begin.saturating_add(Item::MOST_ENTRIES as u32));
        if injected(Fault::ItemShort) && next == end {
            memory::push(items, Item { first_chunk: chunk, end_chunk: chunk + 1, begin, end: next - 1 });
            return;
        }
        memory::push(items, Item { first_chunk: chunk, end_chunk: chunk + 1, begin, end: next });
        begin = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_cover_all_entries_once_and_are_neither_tiny_nor_huge() {
        let totals = [30, 0, 50, 2500, 1, 1000, 60, 0, 800];
        let mut items = Vec::new();
        let mut begin = 0;
        for (chunk, total) in totals.into_iter().enumerate() {
            add_items(&mut items, chunk as u32, begin, begin + total);
            begin += total;
        }
        let mut next = 0;
        for item in &items {
            assert_eq!(item.begin, next);
            assert!(item.end - item.begin <= Item::MOST_ENTRIES as u32);
            next = item.end;
        }
        assert_eq!(next, begin);
        // {30, 0, 50}, 2500 in three, {1, 1000}, {60, 0, 800}; an empty chunk joins the item before it, and so do entries that still fit.
        assert!((6..=7).contains(&items.len()), "{items:?}");
    }
}
