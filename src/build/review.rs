//! Review: judges the levels by the counts of sort, before detection.
//!
//! A plan of an earlier step that no longer fits is replaced within the step. A plan of this step is revised for exactly those objects that
//! are expensive in it, a bounded number of times. The user's boxes are staged, so another round costs no more than gather and sort.

use super::gather::Source;
use super::plan::check::{Load, MOST_REVISIONS, troubles};
use super::plan::revise::Reviser;
use super::sort::Sorted;
use crate::Scalar;
use crate::build::builder::Builder;
use crate::layout::Levels;
use crate::layout::staged::StagedBoxes;
use crate::runtime::objects::Objects;
use crate::runtime::team::Team;

/// What a step has tried to make its new plan better.
#[derive(Debug)]
pub(crate) struct Revisions<S, const D: usize> {
    /// The levels before the last revision, and what a step with them would cost.
    before: Option<(Levels<S, D>, f64)>,
    /// No further revisions are tried.
    is_over: bool,
}

impl<S, const D: usize> Default for Revisions<S, D> {
    fn default() -> Self {
        Revisions { before: None, is_over: false }
    }
}

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Whether a plan of an earlier step makes far more chunks than it did when it was new.
    pub(super) fn is_overrun(&self, objects: usize) -> bool {
        let accepted = self.plan.as_ref().and_then(|plan| plan.accepted.as_ref());
        let chunks = self.grid.pool.used() as usize;
        !self.stats.replanned && accepted.is_some_and(|accepted| accepted.is_overrun_by(chunks, objects))
    }

    /// Judges the levels. Returns nothing if other levels are better. Those are then in place, and the staged boxes must be gathered again.
    pub(crate) fn review<O: Objects<S, D> + ?Sized>(
        &mut self,
        source: &Source<'_, O>,
        sorted: Sorted,
        revisions: &mut Revisions<S, D>,
        team: Team,
    ) -> Option<Sorted> {
        if self.grid.levels.is_empty() || self.config.ordered_cells().is_some() {
            return Some(sorted);
        }
        let (objects, visited) = (source.len, source.order.len());
        let mut load = Load { listed: self.grid.oversized.len(), ..Load::default() };
        self.workers.iter().take(team.workers()).for_each(|worker| load.merge(&worker.sorter.load));
        let plan = self.plan.as_mut().expect("a plan was made");
        if revisions.is_over {
            plan.accept(&load, objects);
            return Some(sorted);
        }
        if let Some(accepted) = plan.accepted.as_ref().filter(|_| !self.stats.replanned) {
            if !accepted.is_outgrown_by(&load, objects) {
                return Some(sorted);
            }
            self.clear(team);
            self.hint = None;
            self.replan(objects, visited, team);
            self.stats.repeats += 1;
            return None;
        }
        let cost = load.cost(&self.config.costs);
        if let Some((levels, _)) = revisions.before.take_if(|(_, before)| *before <= cost) {
            // The revision did not help.
            revisions.is_over = true;
            self.grid.levels = levels;
            self.clear(team);
            self.stats.repeats += 1;
            return None;
        }
        if troubles(&load, objects, &self.config.costs).is_empty() {
            plan.accept(&load, objects);
            return Some(sorted);
        }
        let mut revised = self.grid.levels.duplicate();
        let mut reviser = Reviser {
            levels: &mut revised,
            grid: &self.grid,
            columns: self.table.columns(&self.next_order),
            staged: StagedBoxes::new(&self.staged, visited),
            config: &self.config,
            kernel: self.kernel,
            frame: plan.frame,
        };
        if self.stats.revisions < MOST_REVISIONS && reviser.revise(&load, objects) {
            revisions.before = Some((std::mem::replace(&mut self.grid.levels, revised), cost));
            self.hint = None;
            self.clear(team);
            self.stats.repeats += 1;
            self.stats.revisions += 1;
            return None;
        }
        if reviser.give_up(&load, objects) {
            self.grid.levels = revised;
            revisions.is_over = true;
            self.clear(team);
            self.stats.repeats += 1;
            return None;
        }
        plan.accept(&load, objects);
        Some(sorted)
    }
}
