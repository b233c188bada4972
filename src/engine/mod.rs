//! The engine: what the rebuild and the search keep between steps, and what features keep beside them.

mod order;
pub(crate) mod step;

use crate::build::builder::Builder;
use crate::detect::Detector;
use crate::layout::staged::BLOCK;
use crate::query::residents::Residents;
use crate::query::{GridView, Lazy};
use crate::runtime::outcome::Outcome;
use crate::runtime::team::Team;
use crate::sorting::Ordered;
use crate::{Config, Pair, Scalar};

/// Everything that a step reads, writes and leaves behind.
#[derive(Debug)]
pub struct Engine<S, const D: usize> {
    pub(crate) builder: Builder<S, D>,
    pub(crate) detector: Detector,
    /// What the last step made, readable if it completed. It decides for every accessor, and nothing else does.
    pub(crate) made: Outcome<Made>,
    /// Blocks of pairs with static objects.
    pub(crate) static_pairs: Vec<Vec<Pair>>,
    /// Pairs, and those with static objects, in canonical order, if that is requested.
    pub(crate) ordered: Ordered<Pair>,
    pub(crate) static_ordered: Ordered<Pair>,
    /// The tree over the last step's entries, for queries that cross the scene.
    pub(crate) tree: Lazy<S, D>,
}

/// What a step makes: its grid, and pairs if it stores some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Made {
    /// No pairs: they were shown to a visitor, or not looked for.
    #[default]
    Grid,
    Pairs,
    /// Pairs of two sets. Their `b` is counted from where the second set begins in the grid.
    PairsBetween {
        second_set_start: usize,
    },
    /// Pairs, and those with static objects.
    PairsWithStatics,
}

impl<S: Scalar, const D: usize> Engine<S, D> {
    pub(crate) fn new(config: Config) -> Self {
        Engine {
            builder: Builder::new(config),
            detector: Detector::default(),
            made: Outcome::new(Made::Grid),
            static_pairs: Vec::new(),
            ordered: Ordered::default(),
            static_ordered: Ordered::default(),
            tree: Lazy::new(),
        }
    }

    /// Makes room for a step that visits `visited` objects, among them the `last_len` objects of the last step, and clears what that step
    /// left, whether or not it completed.
    pub(crate) fn prepare<'t>(&mut self, last_len: usize, visited: usize, team: Team<'t>) -> Team<'t> {
        let team = team.at_most(visited / BLOCK + 1);
        self.clear(team);
        self.builder.make_room(last_len, visited, team);
        team
    }

    /// Clears what the last step left, whether or not it completed, and prepares the workers.
    pub(crate) fn clear(&mut self, team: Team) {
        self.builder.busy.begin(team.workers());
        self.builder.clear(team);
        self.tree.forget();
        self.count_bytes();
        self.builder.prepare_workers(team);
        self.detector.prepare(team);
    }

    /// Sums up the memory that is held, if there is a limit: that takes as long as searching ten objects.
    fn count_bytes(&mut self) {
        if self.builder.budget.is_limited() {
            let held = self.bytes();
            self.builder.budget.begin(held);
        }
    }

    /// Reports how much memory is held, and ends the step if that exceeds the limit.
    pub(crate) fn settle_bytes(&mut self) {
        let held = self.bytes();
        self.builder.stats.bytes = held;
        self.builder.budget.settle(held);
    }

    /// Collects the figures of the step, and evens out the workers' memory. The caller [settles](Self::settle_bytes) what is then held.
    pub(crate) fn conclude(&mut self, objects: usize, team: Team) {
        // The workers' own memory was not counted until now.
        if self.builder.budget.is_limited() {
            self.settle_bytes();
        }
        let Engine { builder, detector, .. } = self;
        builder.even_out(team);
        builder.stats.pairs = detector.even_out(team, &builder.budget);
        (builder.stats.candidates, builder.stats.looks) = detector.work(team);
        builder.conclude(objects, team);
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let static_pairs: usize = self.static_pairs.iter().map(Vec::capacity).sum();
        self.builder.bytes()
            + self.detector.bytes()
            + static_pairs * size_of::<Pair>()
            + self.static_pairs.capacity() * size_of::<Vec<Pair>>()
            + self.ordered.bytes()
            + self.static_ordered.bytes()
    }

    /// Begins a step: from here on, nothing of the last one can be read.
    pub(crate) fn begin(&mut self) {
        *self.made.discard() = Made::Grid;
    }

    /// Ends a step: what it made can be read.
    pub(crate) fn finish(&mut self) {
        self.made.begin().finish();
    }

    /// Ends a step that did not complete: there is nothing to report but how much memory is held.
    pub(crate) fn abandon(&mut self) {
        self.made.discard();
        self.builder.abandon();
        self.builder.stats.bytes = self.bytes();
    }

    /// The grid and the table of the last step can be read.
    pub(crate) fn has_grid(&self) -> bool {
        self.builder.last_len > 0 && self.made.get().is_some()
    }

    /// The last step's grid as queries read it, if that step completed and had objects.
    pub(crate) fn view<'a>(&'a self, residents: Option<Residents<'a, S, D>>) -> Option<GridView<'a, S, D>> {
        let Builder { grid, table, order, kernel, .. } = &self.builder;
        self.has_grid().then(|| GridView::new(grid, table.columns(order), *kernel, &self.tree, residents))
    }

    /// Gives back nearly all memory after a step that was refused some: it has no result that would need it.
    pub(crate) fn release(&mut self) {
        self.builder.release();
        self.shrink_to_fit();
    }

    /// Gives back unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.made.discard();
        self.builder.shrink_to_fit();
        self.detector = Detector::default();
        self.static_pairs = Vec::new();
        (self.ordered, self.static_ordered) = (Ordered::default(), Ordered::default());
        self.tree.release();
        self.builder.stats.bytes = self.bytes();
    }
}
