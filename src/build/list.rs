//! List: few objects go straight to the table, and detection compares each with all others. There is no grid, no staged copy and no order.
//!
//! The result has the form that the other passes produce: queries, the debug view and the next step find a table of oversized objects,
//! followed by the rejected ones.

use super::builder::{BuildWorker, Builder};
use super::plan::Plan;
use super::sort::Sorted;
use crate::faults::{Fault, injected};
use crate::layout::columns::PADDING;
use crate::layout::grid::TailOffsets;
use crate::layout::{Levels, MAX_LEVELS};
use crate::runtime::memory::replace_if_short;
use crate::runtime::objects::Objects;
use crate::{Groups, RejectReason, Scalar};

/// A longer list is made by all workers, in gather and sort.
const FEW: usize = 256;

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Whether there are so few objects that they make a list.
    pub(crate) fn makes_list(&self, objects: usize) -> bool {
        objects <= FEW.min(self.config.all_pairs_up_to)
    }

    /// Makes the list of the first `len` objects. The last step's grid must be empty.
    pub(crate) fn list<O: Objects<S, D> + ?Sized>(&mut self, objects: &O, len: usize) -> Sorted {
        replace_if_short(&mut self.next_order, len + PADDING, &self.budget);
        self.table.resize(len, &self.budget);
        self.plan = Some(Plan::all_pairs(len));
        if !self.grid.levels.is_empty() {
            self.grid.levels = Levels::default();
        }
        self.segments = 0;

        let BuildWorker { seen, .. } = &mut *self.workers[0];
        let table = self.table.writer(&mut self.next_order);
        // Rejected ones are put behind all others, the last one first.
        let (mut listed, mut rejected) = (0, len);
        for id in 0..len {
            seen.grouped |= objects.groups(id) != Groups::ALL;
            seen.has_balls |= objects.ball(id).is_some();
            let bounds = objects.bounds(id);
            let entry = if bounds.is_valid() || injected(Fault::InvertedAccepted) {
                listed += 1;
                listed - 1
            } else {
                seen.reject(id, RejectReason::of(&bounds));
                rejected -= 1;
                rejected
            };
            table.set(entry, &bounds, id as u32);
        }

        let (grouped, has_balls) = (seen.grouped, seen.has_balls);
        self.table.resize_extras(len, grouped, has_balls, &self.budget);
        if grouped || has_balls {
            let table = self.table.writer(&mut self.next_order);
            for entry in 0..len {
                let id = table.id(entry) as usize;
                table.set_extras(entry, || objects.groups(id), || objects.ball(id));
            }
        }
        let grid = &mut self.grid;
        (grid.oversized, grid.rejected) = (0..listed, listed..len);
        grid.tails = TailOffsets { oversized: 0, rejected: listed };
        (grid.objects, grid.level_chunks) = ([0; MAX_LEVELS], [0; MAX_LEVELS]);
        std::mem::swap(&mut self.order, &mut self.next_order);
        self.last_len = len;
        Sorted(())
    }
}
