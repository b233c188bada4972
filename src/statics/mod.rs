//! Things that hardly ever move.

mod detect;
mod tier;

pub use detect::PairsWithStatics;

use rayon::prelude::*;

use crate::{Aabb, Bounded, BroadPhase, Config, ConfigError, Groups, Queries, Scalar};
use tier::Tier;

/// The objects of a scene that hardly ever move: terrain, walls, buildings. Built once, and then
/// [`par_detect_with`](BroadPhase::par_detect_with) finds what moving objects overlap in it, at a cost that follows the moving
/// ones. It has levels of its own, and may be shared between threads and engines.
///
/// Its objects are known by their index: those it is built from by their place in the slice, those inserted later by what
/// [`insert`](Self::insert) returns. Indices of removed objects are given out again. An object with an invalid box is kept, but
/// overlaps nothing.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair, StaticSet};
///
/// let walls: Vec<_> = (0..1000).map(|i| Aabb::new([10.0 * i as f32, 0.0], [10.0 * i as f32 + 1.0, 100.0])).collect();
/// let mut statics = StaticSet::<f32, 2>::new();
/// statics.par_build(&walls);
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let actors = [Aabb::new([9.5, 0.0], [10.0, 2.0]), Aabb::new([9.0, 0.0], [9.6, 2.0])];
/// let pairs = broad_phase.par_detect_with(&actors, &statics);
/// assert_eq!(pairs.moving.sorted(), [Pair { a: 0, b: 1 }]);
/// assert_eq!(pairs.statics.sorted(), [Pair { a: 0, b: 1 }]); // actor 0 touches wall 1
///
/// statics.remove(1);
/// assert!(broad_phase.par_detect_with(&actors, &statics).statics.is_empty());
/// ```
///
/// # What a change costs
///
/// A few changes are kept in a list that every search goes through. When it is full, they move into a small grid of their own,
/// and when that has become large, everything is built anew. So a change costs a few microseconds on average in a set of a
/// million, but now and then one takes as long as building; [`par_rebuild`](Self::par_rebuild) chooses the moment.
#[derive(Debug)]
pub struct StaticSet<S: Scalar = f32, const D: usize = 3> {
    items: Vec<Item<S, D>>,
    /// Indices without an object.
    free: Vec<u32>,
    /// Nearly all objects, and the more recent changes.
    base: Tier<S, D>,
    recent: Tier<S, D>,
    /// The latest changes.
    loose: Vec<u32>,
    /// Whether `base` is not all there is to it.
    changed: bool,
}

/// A static object.
#[derive(Clone, Copy, Debug)]
struct Item<S, const D: usize> {
    bounds: Aabb<S, D>,
    groups: Groups,
    home: Home,
}

impl<S: Scalar, const D: usize> Item<S, D> {
    fn of<T: Bounded<S, D>>(object: &T, home: Home) -> Self {
        Item { bounds: object.aabb(), groups: object.groups(), home }
    }
}

/// Where an object is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    Nowhere,
    Base,
    Recent,
    Loose,
}

/// How many objects a thread asks for their boxes at a time, at least.
const BLOCK: usize = 1024;

/// How many of the latest changes are kept in a list: eight steps of a kernel.
const MOST_LOOSE: usize = 64;

impl<S: Scalar, const D: usize> Default for StaticSet<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> StaticSet<S, D> {
    /// A set without objects.
    pub fn new() -> Self {
        Self::of(BroadPhase::new(), BroadPhase::new())
    }

    /// A set without objects whose grids have settings, or what is wrong with them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        Ok(Self::of(BroadPhase::with_config(config.clone())?, BroadPhase::with_config(config)?))
    }

    fn of(base: BroadPhase<S, D>, recent: BroadPhase<S, D>) -> Self {
        let (base, recent) = (Tier::new(base, Home::Base), Tier::new(recent, Home::Recent));
        StaticSet { items: Vec::new(), free: Vec::new(), base, recent, loose: Vec::new(), changed: false }
    }

    /// Replaces everything by these objects, on the threads of the rayon pool in which it is called.
    pub fn par_build<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) {
        // If the user's code panics here, the set stays what it was.
        let items = objects.par_iter().with_min_len(BLOCK).map(|object| Item::of(object, Home::Base)).collect();
        self.items = items;
        self.free.clear();
        self.par_rebuild();
    }

    /// Adds an object and returns its index.
    pub fn insert<T: Bounded<S, D>>(&mut self, object: &T) -> u32 {
        let item = Item::of(object, Home::Loose);
        let index = self.free.pop().unwrap_or(self.items.len() as u32);
        match self.items.get_mut(index as usize) {
            Some(place) => *place = item,
            None => self.items.push(item),
        }
        self.add_loose(index);
        index
    }

    /// Moves an object, or changes its groups. Returns whether there is one.
    pub fn update<T: Bounded<S, D>>(&mut self, index: u32, object: &T) -> bool {
        match self.item_mut(index) {
            None => false,
            Some(item) => {
                let was_loose = item.home == Home::Loose;
                *item = Item::of(object, Home::Loose);
                if !was_loose {
                    self.add_loose(index);
                }
                true
            }
        }
    }

    /// Takes an object out. Returns whether there was one.
    pub fn remove(&mut self, index: u32) -> bool {
        match self.item_mut(index) {
            None => false,
            Some(item) => {
                let was_loose = item.home == Home::Loose;
                item.home = Home::Nowhere;
                if was_loose {
                    self.loose.retain(|&loose| loose != index);
                }
                self.free.push(index);
                self.changed = true;
                true
            }
        }
    }

    /// The box of an object, if there is one with this index.
    pub fn get(&self, index: u32) -> Option<&Aabb<S, D>> {
        self.items.get(index as usize).filter(|item| item.home != Home::Nowhere).map(|item| &item.bounds)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Builds everything anew, so that no change is pending.
    pub fn par_rebuild(&mut self) {
        for item in &mut self.items {
            if item.home != Home::Nowhere {
                item.home = Home::Base;
            }
        }
        self.loose.clear();
        self.recent.clear();
        self.base.build_all(&self.items);
        self.changed = false;
    }

    /// Questions about the static objects, after [`par_rebuild`](Self::par_rebuild) if there are pending changes.
    pub fn queries(&mut self) -> Queries<'_, S, D> {
        if self.changed {
            self.par_rebuild();
        }
        self.base.queries()
    }

    fn item_mut(&mut self, index: u32) -> Option<&mut Item<S, D>> {
        self.items.get_mut(index as usize).filter(|item| item.home != Home::Nowhere)
    }

    /// Takes note of a change, and makes room for the next.
    fn add_loose(&mut self, index: u32) {
        self.changed = true;
        self.loose.push(index);
        if self.loose.len() <= MOST_LOOSE {
            return;
        }
        let items = &mut self.items;
        self.recent.members.retain(|&member| items[member as usize].home == Home::Recent);
        for index in self.loose.drain(..) {
            items[index as usize].home = Home::Recent;
            self.recent.members.push(index);
        }
        // So large that building this tier, once per `MOST_LOOSE` changes, costs as much on average as building all when it is full.
        let most = ((MOST_LOOSE * self.items.len()) as f64).sqrt() as usize;
        if self.recent.members.len() > most.max(16 * MOST_LOOSE) {
            self.par_rebuild();
        } else {
            self.recent.build_members(&self.items);
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item<S, D>>()
            + (self.free.capacity() + self.loose.capacity()) * size_of::<u32>()
            + self.base.bytes()
            + self.recent.bytes()
    }
}
