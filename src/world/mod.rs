//! A scene that the library keeps: objects come, move and go by handle, and a step finds their pairs.
//!
//! A handle leads through `slots.rs` to a place among the moving objects (`moving.rs`) or the static ones (`fixed.rs`), and a step
//! (`step.rs`) leads back, from pairs of places to pairs of handles.

mod bulk;
mod error;
mod fixed;
mod handle;
mod moving;
mod object;
mod partners;
mod queries;
#[cfg(feature = "serde")]
mod saved;
mod scatter;
mod slots;
mod step;
mod turnover;

use crate::runtime::memory;
use crate::runtime::outcome::Outcome;
use crate::stats::WorldTimes;
use crate::{Aabb, BroadPhase, Config, DetectError, PairTracker, RejectReason, Scalar, StaticSet, Stats};
pub use error::WorldError;
use fixed::Statics;
pub use handle::{Handle, StaleHandle};
use moving::Moving;
use object::Inflated;
pub use object::{Mobility, Object};
use partners::Partners;
pub use queries::{WorldHit, WorldNeighbor, WorldQueries};
use slots::{ObjectPlace, Slots};

/// A scene that the library keeps: [moving and static objects](Object) with [`Handle`]s, and
/// [events](crate::Events) in every step.
///
/// ```
/// use pivotgrid::{Aabb, Object, World};
///
/// let mut world = World::<f32, 2>::new();
/// let ground = world.insert(Object::new_static(Aabb::new([-100.0, -1.0], [100.0, 0.0])));
/// let ball = world.insert(Object::new_moving(Aabb::new([0.0, 0.5], [1.0, 1.5])));
/// assert!(world.par_step().started.is_empty());
///
/// world.set_aabb(ball, Aabb::new([0.0, 0.0], [1.0, 1.0]))?;
/// assert_eq!(world.par_step().started, [(ground, ball)]);
///
/// world.remove(ball)?;
/// assert_eq!(world.par_step().ended, [(ground, ball)]);
/// assert_eq!(world.get(ball).unwrap_err().handle, ball); // stale, from now on
/// # Ok::<(), pivotgrid::StaleHandle>(())
/// ```
///
/// # What things cost
///
/// [`insert`](Self::insert), [`remove`](Self::remove), [`update`](Self::update) and [`get`](Self::get) take constant time. A step goes over
/// the moving objects and the pairs; static objects with nothing near them cost nothing. The next step makes the changes of static objects,
/// at the cost that [`StaticSet`] describes; many at once cost as much as rebuilding it.
///
/// # Margin
///
/// With a margin, pairs do not flicker: a pair starts when the two boxes touch, and ends when the boxes no longer do after each
/// has been inflated by the margin to every side. See [`PairTracker`](PairTracker#margins).
///
/// ```
/// # use pivotgrid::{Aabb, Config, Object, World};
/// let mut world = World::<f64, 2>::with_config(Config::default(), 0.1)?;
/// let at = |x: f64| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
/// let (left, right) = (world.insert(Object::new_moving(at(0.0))), world.insert(Object::new_moving(at(1.0))));
/// assert_eq!(world.step().started, [(left, right)]);
/// world.set_aabb(right, at(1.15))?;
/// assert_eq!(world.step().ongoing, [(left, right)]);
/// world.set_aabb(right, at(1.25))?;
/// assert_eq!(world.step().ended, [(left, right)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What you can rely on
///
/// - A handle is never given out twice, and a stale one is an error, not a panic and not another object.
/// - Events are sorted, and the same for every number of threads.
/// - A steady world allocates nothing.
/// - When memory is refused, by the system or by [`Config::max_bytes`] (a limit for the engine, and again for the static objects), a step
///   has no result, and [`try_par_step`](Self::try_par_step) returns an error. The objects, their handles and the [pairs](Self::pairs) are
///   unchanged; events, rejected objects and queries are empty until the next step. Removing objects is never refused.
/// - With the feature `serde` a world can be saved and restored at any time between steps. It continues exactly as the saved one: the same
///   handles for new objects, the same events in the next step. (The results of the last step, in [`events`](Self::events),
///   [`rejected`](Self::rejected) and [`queries`](Self::queries), are not saved.) Data that no world can have written is refused. Formats
///   without infinite numbers, such as JSON, cannot restore a world with infinite boxes.
#[derive(Debug)]
pub struct World<S: Scalar = f32, const D: usize = 3> {
    margin: S,
    slots: Slots,
    moving: Moving<S, D>,
    statics: Statics<S, D>,
    broad_phase: BroadPhase<S, D>,
    partners: Partners,
    tracker: PairTracker<Handle>,
    rejected: Vec<(Handle, RejectReason)>,
    /// Room for the places of many objects.
    places: Vec<u32>,
    /// Room for the objects that move to the places of others: these, and the place of each behind all that stay.
    moves: Vec<(u32, u32)>,
    /// No value; readable if the last step completed.
    last_step: Outcome<()>,
    times: WorldTimes,
}

/// A copy with the same objects, handles and pairs, which continues as this one does. Takes the time of a flat copy of these. Grids are not
/// copied: the first step of the copy builds them again, and until then it has no events, and queries find nothing.
impl<S: Scalar, const D: usize> Clone for World<S, D> {
    fn clone(&self) -> Self {
        let config = &self.broad_phase.engine.builder.config;
        World {
            margin: self.margin,
            slots: self.slots.copy(),
            moving: self.moving.copy(),
            // The settings were valid when this world was made with them.
            statics: self.statics.copy_for(StaticSet::with_config(config.clone()).unwrap_or_default()),
            broad_phase: BroadPhase::with_config(config.clone()).unwrap_or_default(),
            partners: Partners::default(),
            tracker: PairTracker::with_current(self.pairs().to_vec()),
            rejected: Vec::new(),
            places: Vec::new(),
            moves: Vec::new(),
            last_step: Outcome::new(()),
            times: WorldTimes::default(),
        }
    }
}

impl<S: Scalar, const D: usize> Default for World<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> World<S, D> {
    /// A world without objects and without a margin.
    pub fn new() -> Self {
        Self::of(BroadPhase::new(), StaticSet::new(), S::ZERO)
    }

    /// A world without objects, with a [margin](Self#margin) and with settings for its engine; or an error in them.
    pub fn with_config(config: Config, margin: S) -> Result<Self, WorldError> {
        if !(margin >= S::ZERO && margin < S::INFINITY) {
            return Err(WorldError::Margin(margin.to_f64()));
        }
        Ok(Self::of(BroadPhase::with_config(config.clone())?, StaticSet::with_config(config)?, margin))
    }

    fn of(broad_phase: BroadPhase<S, D>, statics: StaticSet<S, D>, margin: S) -> Self {
        World {
            margin,
            slots: Slots::default(),
            moving: Moving::new(),
            statics: Statics::new(statics),
            broad_phase,
            partners: Partners::default(),
            tracker: PairTracker::new(),
            rejected: Vec::new(),
            places: Vec::new(),
            moves: Vec::new(),
            last_step: Outcome::new(()),
            times: WorldTimes::default(),
        }
    }

    /// Adds an object.
    ///
    /// # Panics
    ///
    /// If there are 2³⁰ objects already, or memory is refused; [`try_insert`](Self::try_insert) returns an error instead.
    pub fn insert(&mut self, object: Object<S, D>) -> Handle {
        self.try_insert(object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`insert`](Self::insert), or an error with 2³⁰ objects and when memory is refused. The world is then as it was before.
    pub fn try_insert(&mut self, object: Object<S, D>) -> Result<Handle, DetectError> {
        if self.slots.are_full() {
            return Err(DetectError::TooManyObjects(self.len() + 1));
        }
        memory::catch(|| {
            self.slots.reserve(1);
            self.reserve_for(object.mobility);
        })?;
        let handle = self.slots.next();
        let place = self.put(handle, object);
        self.slots.take(place);
        Ok(handle)
    }

    /// Removes an object. Its pairs are among the ended ones of the next step.
    pub fn remove(&mut self, handle: Handle) -> Result<Object<S, D>, StaleHandle> {
        let place = self.slots.place(handle)?;
        let object = self.take_out(place).ok_or(StaleHandle { handle })?;
        self.slots.release(handle, object.data);
        Ok(object)
    }

    /// Replaces an object: moves it, changes its groups, or makes it static or moving. It keeps its handle, and its pairs go on as long as
    /// the new box and groups allow.
    ///
    /// # Panics
    ///
    /// If memory is refused; [`try_update`](Self::try_update) returns an error instead.
    pub fn update(&mut self, handle: Handle, object: Object<S, D>) -> Result<(), StaleHandle> {
        self.try_update(handle, object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`update`](Self::update), or an error (the outer one) when memory is refused. Only an object that becomes static or moving needs
    /// memory. The world is then as it was before.
    pub fn try_update(&mut self, handle: Handle, object: Object<S, D>) -> Result<Result<(), StaleHandle>, DetectError> {
        let place = match self.slots.place(handle) {
            Ok(place) => place,
            Err(stale) => return Ok(Err(stale)),
        };
        match (place, object.mobility) {
            (ObjectPlace::Moving(place), Mobility::Moving) => *self.moving.get_mut(place) = object,
            (ObjectPlace::Static(place), Mobility::Static) => self.statics.update(place, |known| *known = object),
            (place, mobility) => {
                memory::catch(|| self.reserve_for(mobility))?;
                self.take_out(place);
                let place = self.put(handle, object);
                self.slots.set_place(handle, place);
            }
        }
        Ok(Ok(()))
    }

    /// Sets the box of an object, and nothing else. An object that was swept rests there.
    pub fn set_aabb(&mut self, handle: Handle, aabb: Aabb<S, D>) -> Result<(), StaleHandle> {
        self.change(handle, |object| (object.aabb, object.sweep_to) = (aabb, None))
    }

    /// Sets the boxes that an object is [swept](Object::new_swept) from and to in the next step.
    pub fn set_swept(&mut self, handle: Handle, from: Aabb<S, D>, to: Aabb<S, D>) -> Result<(), StaleHandle> {
        self.change(handle, |object| (object.aabb, object.sweep_to) = (from, Some(to)))
    }

    /// Sets the user data of an object.
    pub fn set_data(&mut self, handle: Handle, data: u64) -> Result<(), StaleHandle> {
        self.change(handle, |object| object.data = data)
    }

    /// The user data of an object that is in the world, or that the events of the last step may still contain: one that was removed since
    /// the step before it. (Data of objects removed earlier is often available, too.) It never returns another object's data.
    pub fn data(&self, handle: Handle) -> Option<u64> {
        match self.get(handle) {
            Ok(object) => Some(object.data),
            Err(_) => self.slots.data_of_removed(handle),
        }
    }

    /// Pairs, such as those of [`events`](Self::events), with the user data of their objects.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let object = |x: f32| Object::new_moving(Aabb::new([x, 0.0], [x + 1.0, 1.0]));
    /// let hero = world.insert(object(0.0).with_data(17));
    /// world.insert(object(0.5).with_data(4));
    /// world.par_step();
    /// world.remove(hero)?;
    /// world.par_step();
    /// let ended = world.events().ended;
    /// assert!(world.with_data(ended).map(|[(_, one), (_, other)]| [one, other]).eq([[17, 4]]));
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn with_data<'a>(&'a self, pairs: &'a [(Handle, Handle)]) -> impl ExactSizeIterator<Item = [(Handle, u64); 2]> + 'a {
        pairs.iter().map(|&(a, b)| [a, b].map(|handle| (handle, self.data(handle).unwrap_or(0))))
    }

    fn change(&mut self, handle: Handle, change: impl FnOnce(&mut Object<S, D>)) -> Result<(), StaleHandle> {
        match self.slots.place(handle)? {
            ObjectPlace::Moving(place) => change(self.moving.get_mut(place)),
            ObjectPlace::Static(place) => self.statics.update(place, change),
        }
        Ok(())
    }

    /// The object of a handle.
    pub fn get(&self, handle: Handle) -> Result<&Object<S, D>, StaleHandle> {
        self.slots.place(handle).and_then(|place| self.at(place).ok_or(StaleHandle { handle }))
    }

    /// Whether there is an object with this handle.
    pub fn contains(&self, handle: Handle) -> bool {
        self.slots.place(handle).is_ok()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.moving.objects.len() + self.statics.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All objects, in ascending order of handle.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, &Object<S, D>)> {
        self.slots.iter().filter_map(|(handle, place)| Some((handle, self.at(place)?)))
    }

    /// The boxes of all moving objects, in no particular order: the fastest way to move many on one thread. (For swept objects it is the
    /// box at the beginning.)
    pub fn moving_mut(&mut self) -> impl Iterator<Item = (Handle, &mut Aabb<S, D>)> {
        let boxes = self.moving.objects.iter_mut().map(|inflated| &mut inflated.object.aabb);
        self.moving.handles.iter().copied().zip(boxes)
    }

    /// The margin that the world was made with.
    pub fn margin(&self) -> S {
        self.margin
    }

    /// What each part of the last step cost.
    pub fn times(&self) -> WorldTimes {
        self.times
    }

    /// What the last step did with the moving objects, and what it cost.
    pub fn stats(&self) -> &Stats {
        self.broad_phase.stats()
    }

    /// Memory held, in bytes, without that of events and queries that you keep.
    pub fn bytes(&self) -> usize {
        self.stats().bytes
            + self.slots.bytes()
            + self.moving.bytes()
            + self.statics.bytes()
            + self.partners.bytes()
            + self.tracker.bytes()
            + self.rejected.capacity() * size_of::<(Handle, RejectReason)>()
            + self.places.capacity() * size_of::<u32>()
            + self.moves.capacity() * size_of::<(u32, u32)>()
    }

    /// The moving objects in the order in which the last step stored them, in which neighbors in space are close to each other. Objects
    /// inserted since are not among them.
    pub fn spatial_order(&self) -> impl ExactSizeIterator<Item = Handle> {
        let order = self.last_step.get().and_then(|()| self.broad_phase.spatial_order());
        let indices = order.map_or(&[][..], |order| order.as_slice());
        indices.iter().map(|&index| self.moving.seen[index as usize])
    }

    /// Gives back unused memory. What the last step found is gone, as after [`BroadPhase::shrink_to_fit`]: until the next step there are no
    /// events, and queries find nothing. The [pairs](Self::pairs) stay.
    pub fn shrink_to_fit(&mut self) {
        self.last_step.discard();
        self.slots.shrink_to_fit();
        self.moving.shrink_to_fit();
        self.statics.shrink_to_fit();
        self.broad_phase.shrink_to_fit();
        self.partners = Partners::default();
        self.tracker.shrink_to_fit();
        (self.rejected, self.places, self.moves) = (Vec::new(), Vec::new(), Vec::new());
    }

    fn at(&self, place: ObjectPlace) -> Option<&Object<S, D>> {
        match place {
            ObjectPlace::Moving(place) => Some(self.moving.get(place)),
            ObjectPlace::Static(place) => self.statics.get(place),
        }
    }

    /// Makes room for one more object of a kind. Ends the change if memory is refused.
    fn reserve_for(&mut self, mobility: Mobility) {
        match mobility {
            Mobility::Moving => self.moving.reserve(1),
            Mobility::Static => self.statics.reserve(1),
        }
    }

    /// Puts an object among those of its kind, where there is [room](Self::reserve_for), and leaves it to the caller to update its slot.
    fn put(&mut self, handle: Handle, object: Object<S, D>) -> ObjectPlace {
        let inflated = Inflated { object, margin: self.margin };
        match object.mobility {
            Mobility::Moving => ObjectPlace::Moving(self.moving.insert(handle, inflated)),
            Mobility::Static => ObjectPlace::Static(self.statics.insert(handle, inflated)),
        }
    }

    fn take_out(&mut self, place: ObjectPlace) -> Option<Object<S, D>> {
        match place {
            ObjectPlace::Static(place) => self.statics.remove(place),
            ObjectPlace::Moving(index) => {
                let (object, moved) = self.moving.remove(index);
                if let Some(moved) = moved {
                    self.slots.set_place(moved, place);
                }
                Some(object)
            }
        }
    }
}
