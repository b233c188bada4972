//! Some of the static objects in a grid.

use super::{Home, Item};
use crate::engine::step::rebuild;
use crate::query::Regions;
use crate::runtime::objects::By;
use crate::{Aabb, BroadPhase, Queries, Scalar};

/// A grid of static objects, as they were when it was built. Those that have changed since live elsewhere.
#[derive(Debug)]
pub(super) struct Tier<S: Scalar, const D: usize> {
    grid: BroadPhase<S, D>,
    /// The indices of its objects; without, they are all.
    pub(super) members: Vec<u32>,
    /// What objects that have not changed since call it.
    pub(super) home: Home,
    /// Where in the grid they are: to find that out again in every step would cost more than a small step does.
    regions: Regions,
}

impl<S: Scalar, const D: usize> Tier<S, D> {
    pub(super) fn new(grid: BroadPhase<S, D>, home: Home) -> Self {
        let regions = grid.regions();
        Tier { grid, members: Vec::new(), home, regions }
    }

    /// Builds the grid of all objects.
    pub(super) fn build_all(&mut self, items: &[Item<S, D>]) {
        // An object that is gone keeps its index and gets a box that the engine leaves out.
        build(&mut self.grid, items.len(), |index| match items[index].home {
            Home::Nowhere => Aabb::EMPTY,
            _ => items[index].bounds,
        });
        self.regions = self.grid.regions();
    }

    /// Builds the grid of the members.
    pub(super) fn build_members(&mut self, items: &[Item<S, D>]) {
        let Tier { grid, members, .. } = self;
        build(grid, members.len(), |place| items[members[place] as usize].bounds);
        self.regions = self.grid.regions();
    }

    /// Empties the grid.
    pub(super) fn clear(&mut self) {
        if !self.members.is_empty() {
            self.members.clear();
            build(&mut self.grid, 0, |_| Aabb::EMPTY);
            self.regions = self.grid.regions();
        }
    }

    /// The index of an object of the grid.
    #[inline]
    pub(super) fn index(&self, place: u32) -> u32 {
        if self.home == Home::Base { place } else { self.members[place as usize] }
    }

    pub(super) fn queries(&self) -> Queries<'_, S, D> {
        self.grid.queries_in(self.regions)
    }

    pub(super) fn bytes(&self) -> usize {
        self.grid.stats().bytes + self.members.capacity() * size_of::<u32>()
    }
}

fn build<S: Scalar, const D: usize>(grid: &mut BroadPhase<S, D>, len: usize, bounds: impl Fn(usize) -> Aabb<S, D> + Sync) {
    let objects = By { len, bounds };
    grid.in_pool(len, |engine, team| rebuild(engine, &objects, team).conclude(engine));
}
