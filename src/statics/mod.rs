//! Static sets: objects that hardly ever move.

mod changes;
mod detect;
mod on;
mod stale;
mod stamp;
mod tier;
mod upkeep;

pub use detect::PairsWithStatics;
pub use stale::StaleIndex;
pub(crate) use stamp::Stamp;

use self::changes::Changes;
use crate::broad_phase::check_count;
use crate::lockfree::Blocks;
use crate::query::Target;
use crate::query::residents::{Item, ItemTier, OutsideOfGrids};
use crate::runtime::clock::Clock;
use crate::runtime::memory::{self, Budget};
use crate::runtime::scope::scope;
use crate::runtime::team::Threads;
use crate::{Aabb, Bounded, BroadPhase, Config, ConfigError, DetectError, Groups, MAX_OBJECTS, Queries, Scalar};
use tier::Tier;

/// The objects of a scene that hardly ever move: terrain, walls, buildings. Built once, and then
/// a step [`with`](crate::Request::with) it finds what moving objects overlap in it, at a cost that follows the moving
/// ones. It has levels of its own, and may be shared between threads and engines.
///
/// Objects are identified by index: those of a build by their place in the slice, those inserted later by the index that
/// [`insert`](Self::insert) returns. Indices of removed objects are reused. An object with an invalid box is kept, but overlaps nothing.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, CrossPair, Pair, StaticSet};
///
/// let walls: Vec<_> = (0..1000).map(|i| Aabb::new([10.0 * i as f32, 0.0], [10.0 * i as f32 + 1.0, 100.0])).collect();
/// let mut statics = StaticSet::<f32, 2>::new();
/// statics.par_build(&walls);
///
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let actors = [Aabb::new([9.5, 0.0], [10.0, 2.0]), Aabb::new([9.0, 0.0], [9.6, 2.0])];
/// let pairs = broad_phase.over(&actors).with(&statics).pairs();
/// assert_eq!(pairs.moving.sorted(), [Pair { a: 0, b: 1 }]);
/// assert_eq!(pairs.statics.sorted(), [CrossPair { first: 0, second: 1 }]); // actor 0 touches wall 1
///
/// statics.remove(1)?;
/// assert!(broad_phase.over(&actors).with(&statics).pairs().statics.is_empty());
/// # Ok::<(), pivotgrid::StaleIndex>(())
/// ```
///
/// # What a change costs
///
/// A few changes are kept in a list that every search goes through. When the list is full, they move into a small grid of their own, and
/// when that has become large, everything is rebuilt. So a change costs a few microseconds on average in a set of a million, but now and
/// then one takes as long as building: [`par_insert`](Self::par_insert) and [`par_update`](Self::par_update) then build on all threads of the
/// pool, and with [`par_rebuild`](Self::par_rebuild) you choose the moment. Searches and [`queries`](Self::queries) read all three as they
/// are, so they rebuild nothing.
///
/// # When memory is refused
///
/// [`Config::max_bytes`] limits what the whole set holds. A change that is refused, by that limit or by the system, changes nothing: the
/// set has the objects that it had before, and finds all of them. (It then rebuilds its grid from those. If even that is refused, searches
/// go through the objects one by one until a later change succeeds.) Removing an object is never refused.
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
    /// Room for the next members of `recent`.
    spare_members: Vec<u32>,
    /// Whether objects of `base` have changed, or there are objects outside of it.
    changed: bool,
    /// The latest changes, for data that is derived from this set.
    noted: Changes,
}

/// The least number of objects whose boxes a thread reads at a time.
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

    /// A set without objects, with settings for its grids, or an error in them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        Ok(Self::of(BroadPhase::with_config(config.clone())?, BroadPhase::with_config(config)?))
    }

    fn of(base: BroadPhase<S, D>, recent: BroadPhase<S, D>) -> Self {
        let (base, recent) = (Tier::new(base, ItemTier::Base), Tier::new(recent, ItemTier::Recent));
        StaticSet {
            items: Vec::new(),
            free: Vec::new(),
            base,
            recent,
            loose: Vec::new(),
            spare_members: Vec::new(),
            changed: false,
            noted: Changes::new(),
        }
    }

    /// Replaces everything by these objects, on the threads of the rayon pool in which it is called.
    ///
    /// # Panics
    ///
    /// If the user's [`Bounded`] does; the set then stays as it was. If memory is refused, or the set needs more than
    /// [`Config::max_bytes`]; [`try_par_build`](Self::try_par_build) returns an error instead.
    pub fn par_build<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) {
        self.try_par_build(objects).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_build`](Self::par_build) on the calling thread.
    pub fn build<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) {
        self.try_build(objects).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_build`](Self::par_build), or an error when memory is refused. The set then has the objects that it had before.
    pub fn try_par_build<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<(), DetectError> {
        self.build_on(objects, Threads::Pool)
    }

    /// [`try_par_build`](Self::try_par_build) on the calling thread.
    pub fn try_build<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<(), DetectError> {
        self.build_on(objects, Threads::Serial)
    }

    pub(crate) fn build_on<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], threads: Threads<'_>) -> Result<(), DetectError> {
        scope!("pivotgrid::build_statics");
        check_count(objects)?;
        let mut clock = Clock::start();
        let new_items = memory::catch(|| {
            let mut items = Vec::new();
            memory::reserve_exact(&mut items, objects.len());
            // Any value will do: it is overwritten.
            items.resize(objects.len(), Item { bounds: Aabb::EMPTY, groups: Groups::NONE, home: ItemTier::Base });
            threads.enter(objects.len() <= BLOCK, |team| {
                let blocks = Blocks::new(&mut items, BLOCK);
                team.at_most(objects.len() / BLOCK + 1).run(|| {
                    while let Some((first, block)) = blocks.claim() {
                        block
                            .iter_mut()
                            .zip(&objects[first..])
                            .for_each(|(item, object)| *item = Item::of(object, ItemTier::Base));
                    }
                });
            });
            items
        })?;
        let reading = clock.lap();
        self.replace(new_items, threads)?;
        self.base.note_reading(reading);
        Ok(())
    }

    /// Adds an object and returns its index. If that causes a grid to be built, the rayon pool in which it is called builds it.
    ///
    /// # Panics
    ///
    /// As [`par_build`](Self::par_build); [`try_par_insert`](Self::try_par_insert) returns an error instead.
    pub fn par_insert<T: Bounded<S, D>>(&mut self, object: &T) -> u32 {
        self.try_par_insert(object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_insert`](Self::par_insert) on the calling thread, whatever is built.
    pub fn insert<T: Bounded<S, D>>(&mut self, object: &T) -> u32 {
        self.try_insert(object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_insert`](Self::par_insert), or an error when memory is refused. The set then is as it was before.
    pub fn try_par_insert<T: Bounded<S, D>>(&mut self, object: &T) -> Result<u32, DetectError> {
        self.insert_on(object, Threads::Pool)
    }

    /// [`try_par_insert`](Self::try_par_insert) on the calling thread.
    pub fn try_insert<T: Bounded<S, D>>(&mut self, object: &T) -> Result<u32, DetectError> {
        self.insert_on(object, Threads::Serial)
    }

    pub(crate) fn insert_on<T: Bounded<S, D>>(&mut self, object: &T, threads: Threads<'_>) -> Result<u32, DetectError> {
        let item = Item::of(object, ItemTier::Loose);
        let is_reused = !self.free.is_empty();
        if !is_reused && self.items.len() >= MAX_OBJECTS {
            return Err(DetectError::TooManyObjects(self.items.len() + 1));
        }
        let budget = self.budget();
        memory::catch(|| {
            budget.reserve(&mut self.items, 1);
            // Room for every index, so that removing an object never needs memory.
            let more = self.items.len() + 1 - self.free.len();
            budget.reserve(&mut self.free, more);
            budget.reserve(&mut self.loose, 1);
        })?;
        let index = self.free.pop().unwrap_or(self.items.len() as u32);
        self.noted.note(index);
        match self.items.get_mut(index as usize) {
            Some(place) => *place = item,
            None => self.items.push(item),
        }
        self.add_loose(index, threads).map(|()| index).inspect_err(|_| {
            if is_reused {
                self.items[index as usize].home = ItemTier::Nowhere;
                self.free.push(index);
            } else {
                self.items.pop();
            }
            self.restore(threads);
        })
    }

    /// Moves an object, or changes its groups. If that causes a grid to be built, the rayon pool in which it is called builds it.
    ///
    /// # Panics
    ///
    /// As [`par_build`](Self::par_build); [`try_par_update`](Self::try_par_update) returns an error instead.
    pub fn par_update<T: Bounded<S, D>>(&mut self, index: u32, object: &T) -> Result<(), StaleIndex> {
        self.try_par_update(index, object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update`](Self::par_update) on the calling thread, whatever is built.
    pub fn update<T: Bounded<S, D>>(&mut self, index: u32, object: &T) -> Result<(), StaleIndex> {
        self.try_update(index, object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_update`](Self::par_update), or an error (the outer one) when memory is refused. The set then is as it was before.
    pub fn try_par_update<T: Bounded<S, D>>(&mut self, index: u32, object: &T) -> Result<Result<(), StaleIndex>, DetectError> {
        self.update_on(index, object, Threads::Pool)
    }

    /// [`try_par_update`](Self::try_par_update) on the calling thread.
    pub fn try_update<T: Bounded<S, D>>(&mut self, index: u32, object: &T) -> Result<Result<(), StaleIndex>, DetectError> {
        self.update_on(index, object, Threads::Serial)
    }

    pub(crate) fn update_on<T: Bounded<S, D>>(
        &mut self,
        index: u32,
        object: &T,
        threads: Threads<'_>,
    ) -> Result<Result<(), StaleIndex>, DetectError> {
        let Some(before) = self.item_mut(index).map(|item| *item) else { return Ok(Err(StaleIndex { index })) };
        let item = Item::of(object, ItemTier::Loose);
        let budget = self.budget();
        memory::catch(|| budget.reserve(&mut self.loose, 1))?;
        self.noted.note(index);
        self.items[index as usize] = item;
        if before.home != ItemTier::Loose {
            self.add_loose(index, threads).inspect_err(|_| {
                self.items[index as usize] = before;
                self.restore(threads);
            })?;
        }
        Ok(Ok(()))
    }

    /// Removes an object, and returns its box.
    pub fn remove(&mut self, index: u32) -> Result<Aabb<S, D>, StaleIndex> {
        let item = self.item_mut(index).ok_or(StaleIndex { index })?;
        let (bounds, was_loose) = (item.bounds, item.home == ItemTier::Loose);
        item.home = ItemTier::Nowhere;
        self.noted.note(index);
        if was_loose {
            self.loose.retain(|&loose| loose != index);
        }
        self.free.push(index);
        self.changed = true;
        Ok(bounds)
    }

    /// The box of an object.
    pub fn get(&self, index: u32) -> Result<&Aabb<S, D>, StaleIndex> {
        let item = self.items.get(index as usize).filter(|item| item.home != ItemTier::Nowhere);
        item.map(|item| &item.bounds).ok_or(StaleIndex { index })
    }

    /// Whether there is an object with this index.
    pub fn contains(&self, index: u32) -> bool {
        self.get(index).is_ok()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rebuilds everything, so that no change is pending.
    ///
    /// # Panics
    ///
    /// If memory is refused, or the set needs more than [`Config::max_bytes`]; [`try_par_rebuild`](Self::try_par_rebuild) returns an
    /// error instead.
    pub fn par_rebuild(&mut self) {
        self.try_par_rebuild().unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_rebuild`](Self::par_rebuild) on the calling thread.
    pub fn rebuild(&mut self) {
        self.try_rebuild().unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_rebuild`](Self::par_rebuild), or an error when memory is refused. The set then has the objects that it had before.
    pub fn try_par_rebuild(&mut self) -> Result<(), DetectError> {
        self.rebuild_on(Threads::Pool)
    }

    /// [`try_par_rebuild`](Self::try_par_rebuild) on the calling thread.
    pub fn try_rebuild(&mut self) -> Result<(), DetectError> {
        self.rebuild_on(Threads::Serial)
    }

    pub(crate) fn rebuild_on(&mut self, threads: Threads<'_>) -> Result<(), DetectError> {
        self.rebuild_all(threads).inspect_err(|_| self.restore(threads))
    }

    /// Queries about the static objects as they are now. They read the large grid, the small grid and the latest changes, and build
    /// nothing; see [`BroadPhase::queries`] for the tree that rays need, which each grid has of its own.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Ray, StaticSet};
    ///
    /// let walls: Vec<_> = (0..1000).map(|i| Aabb::new([10.0 * i as f32, 0.0], [10.0 * i as f32 + 1.0, 100.0])).collect();
    /// let mut statics = StaticSet::<f32, 2>::new();
    /// statics.par_build(&walls);
    ///
    /// let ray = Ray::new([22.0, 50.0], [1.0, 0.0]);
    /// assert_eq!(statics.queries().first_hit(&ray).unwrap().index, 3);
    /// statics.remove(3)?;
    /// assert_eq!(statics.queries().first_hit(&ray).unwrap().index, 4);
    /// let door = statics.insert(&Aabb::new([25.0, 0.0], [25.5, 100.0]));
    /// assert_eq!(statics.queries().first_hit(&ray).unwrap().index, door);
    /// # Ok::<(), pivotgrid::StaleIndex>(())
    /// ```
    pub fn queries(&self) -> Queries<'_, S, D> {
        let views = [self.base.view(&self.items, !self.changed), self.recent.view(&self.items, false)];
        let is_missing = |tier: &Tier<S, D>, len: usize| len > 0 && !tier.has_grid();
        let has_list =
            !self.loose.is_empty() || is_missing(&self.base, self.len()) || is_missing(&self.recent, self.recent.members.len());
        Queries::of(Target::new(views, has_list.then(|| self.outside_of_grids())))
    }

    /// The limit, and all memory that is held.
    fn budget(&self) -> Budget {
        let mut budget = Budget::new(self.base.config().max_bytes);
        budget.begin(self.bytes());
        budget
    }

    fn item_mut(&mut self, index: u32) -> Option<&mut Item<S, D>> {
        self.items.get_mut(index as usize).filter(|item| item.home != ItemTier::Nowhere)
    }

    /// The objects that are in no grid.
    fn outside_of_grids(&self) -> OutsideOfGrids<'_, S, D> {
        OutsideOfGrids {
            items: &self.items,
            loose: &self.loose,
            base: if self.base.has_grid() { 0 } else { self.items.len() as u32 },
            recent: if self.recent.has_grid() { &[] } else { &self.recent.members },
        }
    }

    /// Replaces all objects.
    fn replace(&mut self, new_items: Vec<Item<S, D>>, threads: Threads<'_>) -> Result<(), DetectError> {
        self.noted = Changes::new();
        let indices = new_items.len();
        let more_free = indices.saturating_sub(self.free.len());
        memory::catch(|| memory::reserve_exact(&mut self.free, more_free))?;
        self.base.count_elsewhere(self.bytes() - self.base.bytes() + memory::bytes_of::<Item<S, D>>(indices));
        // The old objects stay until the new ones have a grid.
        self.base.build_all(&new_items, |_| true, threads).inspect_err(|_| self.restore(threads))?;
        self.items = new_items;
        self.free.clear();
        self.forget_changes();
        Ok(())
    }

    /// Builds the grid of all objects. If memory is refused, the set has lost its grid, and nothing else.
    fn rebuild_all(&mut self, threads: Threads<'_>) -> Result<(), DetectError> {
        if self.build_base(threads).is_err() {
            // The small grid takes memory, and is not needed any more if this succeeds.
            self.recent.release();
            self.build_base(threads)?;
        }
        for item in self.items.iter_mut().filter(|item| item.home != ItemTier::Nowhere) {
            item.home = ItemTier::Base;
        }
        self.forget_changes();
        Ok(())
    }

    fn build_base(&mut self, threads: Threads<'_>) -> Result<(), DetectError> {
        self.base.count_elsewhere(self.bytes() - self.base.bytes());
        self.base.build_all(&self.items, |item| item.home != ItemTier::Nowhere, threads)
    }

    /// Notes that all objects are in `base`.
    fn forget_changes(&mut self) {
        self.loose.clear();
        self.recent.clear();
        self.changed = false;
    }

    /// Records a change, and makes room for the next. If memory is refused, the change is not recorded, and a grid may be missing.
    fn add_loose(&mut self, index: u32, threads: Threads<'_>) -> Result<(), DetectError> {
        self.loose.push(index);
        if self.loose.len() > MOST_LOOSE {
            self.empty_loose(threads).inspect_err(|_| self.loose.truncate(MOST_LOOSE))?;
        } else {
            self.changed = true;
        }
        Ok(())
    }

    /// Moves the latest changes into a grid. Nothing is recorded before there is memory.
    fn empty_loose(&mut self, threads: Threads<'_>) -> Result<(), DetectError> {
        let (items, recent) = (&self.items, &mut self.recent);
        let mut members = std::mem::take(&mut self.spare_members);
        memory::catch(|| {
            members.clear();
            memory::reserve(&mut members, recent.members.len() + self.loose.len());
        })?;
        members.extend(recent.members.iter().copied().filter(|&member| items[member as usize].home == ItemTier::Recent));
        members.extend_from_slice(&self.loose);
        // So large that building this tier, once per `MOST_LOOSE` changes, costs as much on average as building all when it is full.
        let most = ((MOST_LOOSE * self.items.len()) as f64).sqrt() as usize;
        if members.len() > most.max(16 * MOST_LOOSE) {
            self.spare_members = members;
            return self.rebuild_all(threads);
        }
        self.recent.count_elsewhere(self.bytes() - self.recent.bytes() + memory::bytes_of::<u32>(members.capacity()));
        self.recent.build_of(&members, &self.items, threads)?;
        for index in self.loose.drain(..) {
            self.items[index as usize].home = ItemTier::Recent;
        }
        self.spare_members = std::mem::replace(&mut self.recent.members, members);
        self.changed = true;
        Ok(())
    }

    /// Rebuilds the grids that a refused change has destroyed. Without memory for them, objects are searched one by one.
    fn restore(&mut self, threads: Threads<'_>) {
        if !self.base.has_grid() {
            self.base.count_elsewhere(self.bytes() - self.base.bytes());
            let _ = self.base.build_all(&self.items, |item| item.home == ItemTier::Base, threads);
        }
        if !self.recent.has_grid() && !self.recent.members.is_empty() {
            self.recent.count_elsewhere(self.bytes() - self.recent.bytes());
            let members = std::mem::take(&mut self.recent.members);
            let _ = self.recent.build_of(&members, &self.items, threads);
            self.recent.members = members;
        }
    }
}
