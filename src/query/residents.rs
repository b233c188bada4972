//! The objects of a set that changes: entries of grids, some of which no longer count, and objects in no grid.

use crate::{Aabb, Bounded, Groups, Scalar};

/// A static object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) groups: Groups,
    pub(crate) home: ItemTier,
}

impl<S: Scalar, const D: usize> Item<S, D> {
    pub(crate) fn of<T: Bounded<S, D>>(object: &T, home: ItemTier) -> Self {
        Item { bounds: object.aabb(), groups: object.groups(), home }
    }
}

/// The part of the set that an object is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemTier {
    Nowhere,
    Base,
    Recent,
    Loose,
}

/// The objects of a tier that have not changed since its grid was built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residents<'a, S, const D: usize> {
    pub(crate) items: &'a [Item<S, D>],
    /// As of the tier.
    pub(crate) members: Option<&'a [u32]>,
    pub(crate) home: ItemTier,
    pub(crate) is_everybody: bool,
}

impl<S: Scalar, const D: usize> Residents<'_, S, D> {
    /// Whether these are all objects of the grid, by the same indices.
    #[inline(always)]
    pub(crate) fn is_everybody(&self) -> bool {
        self.is_everybody
    }

    /// Index and groups of an object of the grid, if it has not changed.
    #[inline(always)]
    pub(crate) fn get(&self, place: u32) -> Option<(u32, Groups)> {
        let index = self.members.map_or(place, |members| members[place as usize]);
        let item = &self.items[index as usize];
        (item.home == self.home).then_some((index, item.groups))
    }
}

/// The objects that no grid has: the latest changes, and all objects of a tier without a grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutsideOfGrids<'a, S, const D: usize> {
    pub(crate) items: &'a [Item<S, D>],
    /// The latest changes.
    pub(crate) loose: &'a [u32],
    /// Up to here there may be objects of a base without a grid.
    pub(crate) base: u32,
    /// Members of `Recent` without a grid.
    pub(crate) recent: &'a [u32],
}

impl<'a, S: Scalar, const D: usize> OutsideOfGrids<'a, S, D> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &'a Item<S, D>)> + use<'a, S, D> {
        let OutsideOfGrids { items, loose, base, recent } = *self;
        let of = |home: ItemTier| move |(_, item): &(u32, &Item<S, D>)| item.home == home;
        let with_item = move |index: u32| (index, &items[index as usize]);
        let loose = loose.iter().copied().map(with_item);
        loose
            .chain((0..base).map(with_item).filter(of(ItemTier::Base)))
            .chain(recent.iter().copied().map(with_item).filter(of(ItemTier::Recent)))
    }

    /// The valid boxes: index, box and groups.
    pub(crate) fn valid(&self) -> impl Iterator<Item = (u32, &'a Aabb<S, D>, Groups)> + use<'a, S, D> {
        let valid = self.iter().filter(|(_, item)| item.bounds.is_valid());
        valid.map(|(index, item)| (index, &item.bounds, item.groups))
    }
}
