//! A tier: a grid with some of the static objects.

use std::time::Duration;

use crate::engine::step::rebuild;
use crate::query::residents::{Item, ItemTier, Residents};
use crate::query::{GridView, Target};
use crate::runtime::memory;
use crate::runtime::objects::FnObjects;
use crate::runtime::team::Threads;
use crate::{Aabb, BroadPhase, Config, DetectError, Queries, Scalar, Stats};

/// A grid of static objects, as they were when it was built. Objects that have changed since are elsewhere.
///
/// The grid may be missing, because memory for it was refused. Then a search goes through the objects one by one.
#[derive(Debug)]
pub(super) struct Tier<S: Scalar, const D: usize> {
    grid: BroadPhase<S, D>,
    /// The indices of its objects, unless it has them all.
    pub(super) members: Vec<u32>,
    /// The tier of objects that have not changed since.
    pub(super) home: ItemTier,
    is_built: bool,
}

impl<S: Scalar, const D: usize> Tier<S, D> {
    pub(super) fn new(grid: BroadPhase<S, D>, home: ItemTier) -> Self {
        Tier { grid, members: Vec::new(), home, is_built: false }
    }

    /// Builds the grid of all selected objects, which keep their indices.
    pub(super) fn build_all(
        &mut self,
        items: &[Item<S, D>],
        is_wanted: impl Fn(&Item<S, D>) -> bool + Sync,
        threads: Threads<'_>,
    ) -> Result<(), DetectError> {
        let len = items.iter().rposition(&is_wanted).map_or(0, |last| last + 1);
        // An object that is not selected keeps its index and gets a box that the engine leaves out.
        let bounds = |index: usize| if is_wanted(&items[index]) { items[index].bounds } else { Aabb::EMPTY };
        self.build(len, bounds, threads)
    }

    /// Builds the grid of some objects.
    pub(super) fn build_of(&mut self, members: &[u32], items: &[Item<S, D>], threads: Threads<'_>) -> Result<(), DetectError> {
        self.build(members.len(), |place| items[members[place] as usize].bounds, threads)
    }

    fn build(
        &mut self,
        len: usize,
        bounds: impl Fn(usize) -> Aabb<S, D> + Sync,
        threads: Threads<'_>,
    ) -> Result<(), DetectError> {
        self.is_built = false;
        let objects = FnObjects { len, bounds };
        self.grid.run(threads, len, |engine, team| rebuild(engine, &objects, team).conclude(engine))?;
        self.is_built = true;
        Ok(())
    }

    /// Removes all objects, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.is_built = false;
    }

    /// Discards the grid and its memory.
    pub(super) fn release(&mut self) {
        self.is_built = false;
        self.grid.engine.release();
    }

    /// Changes the limit of its settings.
    pub(super) fn limit_bytes(&mut self, max_bytes: Option<usize>) {
        self.grid.engine.builder.config.max_bytes = max_bytes;
        self.grid.engine.builder.limit_bytes(max_bytes);
    }

    /// The figures of building the grid.
    pub(super) fn stats(&self) -> &Stats {
        self.grid.stats()
    }

    /// Records how long reading its objects took.
    pub(super) fn note_reading(&mut self, time: Duration) {
        self.grid.engine.builder.stats.times.statics = time;
    }

    pub(super) fn config(&self) -> &Config {
        &self.grid.engine.builder.config
    }

    pub(super) fn has_grid(&self) -> bool {
        self.is_built
    }

    /// The index of an object of the grid.
    #[inline]
    pub(super) fn index(&self, place: u32) -> u32 {
        if self.home == ItemTier::Base { place } else { self.members[place as usize] }
    }

    /// Queries about all objects that the grid was built of; they find nothing if there is no grid.
    pub(super) fn queries(&self) -> Queries<'_, S, D> {
        let view = if self.is_built { self.grid.engine.view(None) } else { None };
        Queries::of(Target::new([view, None], None))
    }

    /// The grid with those of its objects that have not changed since. `is_everybody`: none of them has.
    pub(super) fn view<'a>(&'a self, items: &'a [Item<S, D>], is_everybody: bool) -> Option<GridView<'a, S, D>> {
        let members = if self.home == ItemTier::Base { None } else { Some(&self.members[..]) };
        let residents = Residents { items, members, home: self.home, is_everybody: is_everybody && members.is_none() };
        if self.is_built { self.grid.engine.view(Some(residents)) } else { None }
    }

    pub(super) fn bytes(&self) -> usize {
        self.grid.stats().bytes + self.members.capacity() * size_of::<u32>()
    }

    /// Counts this many bytes, held by other parts of the set, under the same limit.
    pub(super) fn count_elsewhere(&mut self, bytes: usize) {
        // The list of its objects is not part of the grid, either.
        self.grid.engine.builder.budget.count_elsewhere(bytes + memory::bytes_of::<u32>(self.members.capacity()));
    }
}
