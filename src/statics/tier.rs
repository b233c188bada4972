//! Some of the static objects in a grid.

use super::{Home, Item};
use crate::engine::step::rebuild;
use crate::query::Regions;
use crate::runtime::objects::FnObjects;
use crate::runtime::team::Threads;
use crate::{Aabb, BroadPhase, DetectError, Queries, Scalar};

/// A grid of static objects, as they were when it was built. Those that have changed since live elsewhere.
///
/// The grid may be missing, because memory for it was refused. Then a search goes through the objects one by one.
#[derive(Debug)]
pub(super) struct Tier<S: Scalar, const D: usize> {
    grid: BroadPhase<S, D>,
    /// The indices of its objects; without, they are all.
    pub(super) members: Vec<u32>,
    /// What objects that have not changed since call it.
    pub(super) home: Home,
    /// Where in the grid they are: to find that out again in every step would cost more than a small step does. Nothing without a
    /// grid.
    regions: Option<Regions>,
}

impl<S: Scalar, const D: usize> Tier<S, D> {
    pub(super) fn new(grid: BroadPhase<S, D>, home: Home) -> Self {
        Tier { grid, members: Vec::new(), home, regions: None }
    }

    /// Builds the grid of all objects that are wanted, which keep their indices.
    pub(super) fn build_all(
        &mut self,
        items: &[Item<S, D>],
        is_wanted: impl Fn(&Item<S, D>) -> bool + Sync,
        parallel: bool,
    ) -> Result<(), DetectError> {
        let len = items.iter().rposition(&is_wanted).map_or(0, |last| last + 1);
        // An object that is not wanted keeps its index and gets a box that the engine leaves out.
        let bounds = |index: usize| if is_wanted(&items[index]) { items[index].bounds } else { Aabb::EMPTY };
        self.build(len, bounds, parallel)
    }

    /// Builds the grid of some objects.
    pub(super) fn build_of(&mut self, members: &[u32], items: &[Item<S, D>]) -> Result<(), DetectError> {
        self.build(members.len(), |place| items[members[place] as usize].bounds, true)
    }

    fn build(&mut self, len: usize, bounds: impl Fn(usize) -> Aabb<S, D> + Sync, parallel: bool) -> Result<(), DetectError> {
        self.regions = None;
        let objects = FnObjects { len, bounds };
        let threads = if parallel { Threads::Pool } else { Threads::Serial };
        self.grid.run(threads, len, |engine, team| rebuild(engine, &objects, team).conclude(engine))?;
        self.regions = Some(self.grid.regions());
        Ok(())
    }

    /// Takes all objects out. The memory is kept.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.regions = None;
    }

    /// Gives up the grid and its memory.
    pub(super) fn release(&mut self) {
        self.regions = None;
        self.grid.engine.release();
    }

    pub(super) fn has_grid(&self) -> bool {
        self.regions.is_some()
    }

    /// The index of an object of the grid.
    #[inline]
    pub(super) fn index(&self, place: u32) -> u32 {
        if self.home == Home::Base { place } else { self.members[place as usize] }
    }

    /// What can be asked of the grid; nothing is found without one.
    pub(super) fn queries(&self) -> Queries<'_, S, D> {
        self.regions.map_or(Queries::NONE, |regions| self.grid.queries_in(regions))
    }

    pub(super) fn bytes(&self) -> usize {
        self.grid.stats().bytes + self.members.capacity() * size_of::<u32>()
    }

    /// So much is held by other parts of the set, under the same limit.
    pub(super) fn count_elsewhere(&mut self, bytes: usize) {
        self.grid.engine.budget.count_elsewhere(bytes);
    }
}
