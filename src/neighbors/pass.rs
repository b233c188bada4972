//! The pass that finds the rows. It replaces detection.

use super::output::{Output, Rows};
use super::reach::Rule;
use super::row_sink::RowSink;
use super::search::Looking;
use super::store::{RowStore, RowWorker};
use crate::build::sort::Sorted;
use crate::detect::View;
use crate::engine::Engine;
use crate::isa::eight::LANES;
use crate::lockfree::{Blocks, Cursor};
use crate::periodic::kind_of;
use crate::runtime::team::Team;
use crate::{Aabb, Scalar};

/// The most items that a worker claims at a time, as in detection, and the most oversized entries.
const MOST_ITEMS: usize = 8;
const MOST_LISTED: usize = 32;
/// The most images, if they are searched by kind.
const MOST_IMAGES: usize = 64;

/// The kind of rows that is requested.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    /// Each pair in one row instead of both.
    pub(super) half: bool,
    /// Each row in ascending order, with the same contents whichever worker found it.
    pub(super) sorted: bool,
    /// The rule that makes neighbors, unless pairs are neighbors.
    pub(super) rule: Option<Rule>,
}

/// The memory that the engine's owner provides.
#[derive(Debug)]
pub(super) struct RowBuffers<'a, S, const D: usize, C> {
    pub(super) rows: &'a Rows<'a, D, C>,
    pub(super) store: &'a mut RowStore<S, D>,
    pub(super) output: &'a mut Output<S, D>,
    /// Other memory that counts, in bytes.
    pub(super) beside: usize,
}

impl Layout {
    /// Whether each pair is in the row of the smaller index, instead of where it was found: which of two objects comes first in the grid
    /// depends on races. With a rule both objects look, because one may be within the other's radius and not the other way round.
    pub(super) fn by_index(&self) -> bool {
        self.half && (self.sorted || self.rule.is_some())
    }

    /// The same for a search by a rule. Those by which only one of two may find the other have full lists.
    pub(super) fn with_rule(self, rule: Option<Rule>) -> Self {
        Layout { half: self.half && matches!(rule, None | Some(Rule::Max)), rule, ..self }
    }
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Finds all neighbors that `wanted` admits. In parallel over items of work: reads the grid and the table, writes rows. Then in
    /// parallel over the rows, to copy them into one array. Returns how many neighbors there are.
    pub(super) fn neighbors(
        &mut self,
        _: &Sorted,
        team: Team,
        layout: Layout,
        wanted: impl Fn(u32, u32) -> bool + Sync,
        own: RowBuffers<'_, S, D, impl Fn(usize) -> [S; D] + Sync>,
    ) -> usize {
        let RowBuffers { rows, store, output, beside } = own;
        let objects = self.builder.last_len;
        // From here on the limit applies to all memory that is held.
        self.builder.limit_bytes(self.builder.config.max_bytes);
        self.builder.budget.begin(self.bytes() + store.bytes() + output.bytes() + beside);
        store.prepare(objects, team, &self.builder.budget);
        let columns = self.builder.table.columns(&self.builder.order).for_partners(self.builder.grid.oversized.end);
        let view = View { grid: &self.builder.grid, columns, kernel: self.builder.kernel };
        let looking = Looking::new(&view, layout.half && !layout.by_index(), layout.rule);
        // Rows of images are put together, and into order, afterwards.
        let is_plain = rows.lattice.is_none();
        let (by_index, sorted) = (is_plain && layout.by_index(), is_plain && layout.sorted);
        let (items, listed, places) = (Cursor::new(), Cursor::new(), Cursor::new());
        let by_kind = rows.frame.by_kind;
        if by_kind {
            let kind = |image: u32| kind_of(rows.frame.owner(image as usize).1);
            let [first, second] = [0, 1].map(|search| {
                let of = looking.searches().get(search).map(|[stored, _]| *stored);
                move |entry: usize| of.map_or(Aabb::EMPTY, |of| of.of(&columns, entry))
            });
            let boxes: [&dyn Fn(usize) -> Aabb<S, D>; 2] = [&first, &second];
            let boxes = &boxes[..looking.searches().len()];
            store.kinds.fill(&columns, view.grid.oversized.end, kind, boxes, &self.builder.budget);
        }
        let count = team.workers();
        let (workers, stock, kinds) = store.lend(count, &self.builder.budget);
        let workers = Blocks::new(&mut self.detector.workers[..count], 1).zip(workers);
        team.run(|| {
            let Some((_, [finder], [worker])) = workers.claim() else { return };
            let RowWorker { search, overflow, longest } = &mut **worker;
            search.take_work();
            let mut sink = RowSink::new(&stock, overflow);
            let mut add_row = |entry: usize, find: &mut dyn FnMut(&mut Vec<u32>)| {
                let object = view.columns.id(entry);
                // Behind the last entry there are some more values, which do not matter here.
                sink.expect_row(view.columns.id(entry + LANES));
                sink.add_row(object, |block| {
                    let begin = block.len();
                    find(block);
                    if by_index {
                        retain_from(block, begin, |other| other > object);
                    }
                    if rows.choosy || object as usize >= rows.frame.particles {
                        retain_from(block, begin, |other| wanted(object, other));
                    }
                    if sorted {
                        block[begin..].sort_unstable();
                    }
                });
            };
            // One of the two searches has nothing to do.
            let count = if by_kind { kinds.len() } else { 0 };
            while let Some(claimed) = places.claim(team.claim(count, MOST_IMAGES), count) {
                search.images(&view, kinds, claimed, &looking, &mut add_row);
            }
            let count = if by_kind { 0 } else { view.grid.items.len() };
            while let Some(claimed) = items.claim(team.claim(count, MOST_ITEMS), count) {
                for item in &view.grid.items[claimed] {
                    search.item(&view, item, &looking, &mut add_row);
                }
            }
            let (first, count) = (view.grid.oversized.start, if by_kind { 0 } else { view.grid.oversized.len() });
            while let Some(claimed) = listed.claim(team.claim(count, MOST_LISTED), count) {
                search.listed(&view, first + claimed.start..first + claimed.end, &looking, &mut add_row);
            }
            *longest = sink.finish();
            (finder.finder.candidates, finder.finder.looks) = search.take_work();
        });
        store.settle(&self.builder.order[self.builder.grid.oversized.end..objects]);
        let total = output.fill(store.found(objects), rows, team, &self.builder.budget);
        store.even_out(total, &view.columns, team, &self.builder.budget);
        total
    }
}

/// Keeps some of the values behind `begin`. If all are kept, the compiler removes the loop.
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
