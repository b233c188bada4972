//! The static objects of a world.

use super::object::Inflated;
use super::partners::Partners;
use super::slots::{ObjectPlace, Slots};
use super::{Handle, Object};
use crate::runtime::memory;
use crate::runtime::team::Threads;
use crate::{Aabb, Bounded, DetectError, Groups, RejectReason, Scalar, StaticSet};

/// Static objects, and the engine's set of them as of the last step. Changes are recorded, and made in the next step all at once. So they
/// take effect together with those of moving objects, and a million of them cost no more than one build.
#[derive(Debug)]
pub(super) struct Statics<S: Scalar, const D: usize> {
    /// By place, which is the index in the set.
    sites: Vec<StaticSlot<S, D>>,
    /// Places without an object.
    free: Vec<u32>,
    /// Places whose objects differ from those in the set.
    changed: Vec<u32>,
    /// Places of objects with invalid boxes, as of the last step.
    flawed: Vec<u32>,
    pub(super) set: StaticSet<S, D>,
    /// The handles by place, as of the last step.
    pub(super) seen: Vec<Handle>,
    /// Whether objects have other places than in the set.
    is_renumbered: bool,
}

/// A place in the set.
#[derive(Clone, Debug)]
struct StaticSlot<S, const D: usize> {
    /// The handle of its object, or of its last object.
    handle: Handle,
    object: Option<Inflated<S, D>>,
    is_changed: bool,
}

/// If more than one object in this number has changed, the set is rebuilt. Fewer changes are cheaper one by one.
const BUILD_PER_CHANGE: usize = 128;
/// Up to this many changes are always cheaper one by one: the set keeps them in a list.
const FEW_CHANGES: usize = 32;

impl<S: Scalar, const D: usize> Statics<S, D> {
    pub(super) fn new(set: StaticSet<S, D>) -> Self {
        Statics {
            sites: Vec::new(),
            free: Vec::new(),
            changed: Vec::new(),
            flawed: Vec::new(),
            set,
            seen: Vec::new(),
            is_renumbered: false,
        }
    }

    /// A copy of the objects with an empty set, which the next step builds.
    pub(super) fn copy_for(&self, set: StaticSet<S, D>) -> Self {
        let mut free = Vec::with_capacity(self.sites.len());
        free.extend_from_slice(&self.free);
        let changed = Vec::with_capacity(self.sites.len());
        let mut sites = self.sites.clone();
        sites.iter_mut().for_each(|site| site.is_changed = false);
        Statics { sites, free, changed, flawed: Vec::new(), set, seen: Vec::new(), is_renumbered: true }
    }

    /// Gives back unused memory.
    pub(super) fn shrink_to_fit(&mut self) {
        self.sites.shrink_to_fit();
        self.free.shrink_to(self.sites.len());
        self.changed.shrink_to(self.sites.len());
        self.flawed.shrink_to_fit();
        self.seen.shrink_to_fit();
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.sites.capacity() * size_of::<StaticSlot<S, D>>()
            + (self.free.capacity() + self.changed.capacity() + self.flawed.capacity()) * size_of::<u32>()
            + self.seen.capacity() * size_of::<Handle>()
            + self.set.bytes()
    }

    pub(super) fn len(&self) -> usize {
        self.sites.len() - self.free.len()
    }

    /// Makes room for some more objects, and for their later changes and removals. Ends the change if memory is refused.
    pub(super) fn reserve(&mut self, more: usize) {
        let places = self.sites.len() + more;
        memory::reserve(&mut self.sites, more);
        for list in [&mut self.free, &mut self.changed] {
            let more = places - list.len();
            memory::reserve(list, more);
        }
    }

    /// Adds an object, for which there is [room](Self::reserve), and returns its place.
    pub(super) fn insert(&mut self, handle: Handle, object: Inflated<S, D>) -> u32 {
        let place = self.free.pop().unwrap_or(self.sites.len() as u32);
        match self.sites.get_mut(place as usize) {
            Some(site) => (site.handle, site.object) = (handle, Some(object)),
            None => self.sites.push(StaticSlot { handle, object: Some(object), is_changed: false }),
        }
        self.note_change(place);
        place
    }

    /// Removes the object of a place.
    pub(super) fn remove(&mut self, place: u32) -> Option<Object<S, D>> {
        let Inflated { object, .. } = self.sites[place as usize].object.take()?;
        self.free.push(place);
        self.note_change(place);
        Some(object)
    }

    pub(super) fn get(&self, place: u32) -> Option<&Object<S, D>> {
        self.sites[place as usize].object.as_ref().map(|inflated| &inflated.object)
    }

    /// Changes the object of a place. A change without effect costs nothing.
    pub(super) fn update(&mut self, place: u32, change: impl FnOnce(&mut Object<S, D>)) {
        if let Some(Inflated { object, .. }) = &mut self.sites[place as usize].object {
            let before = *object;
            change(object);
            if before != *object {
                self.note_change(place);
            }
        }
    }

    fn note_change(&mut self, place: u32) {
        let site = &mut self.sites[place as usize];
        if !std::mem::replace(&mut site.is_changed, true) {
            self.changed.push(place);
        }
    }

    /// Applies the changes since the last step. If memory is refused, changes that were not applied wait for the next step.
    pub(super) fn make_changes(
        &mut self,
        slots: &mut Slots,
        partners: &mut Partners,
        threads: Threads<'_>,
    ) -> Result<(), DetectError> {
        let most_one_by_one = FEW_CHANGES.max(self.sites.len() / BUILD_PER_CHANGE);
        if self.is_renumbered || self.changed.len() > most_one_by_one {
            return self.build(slots, partners, threads);
        }
        let Statics { sites, changed, flawed, set, seen, .. } = self;
        memory::catch(|| {
            let more = sites.len().saturating_sub(seen.len());
            memory::reserve(seen, more);
            memory::reserve(flawed, changed.len());
        })?;
        flawed.retain(|&place| !sites[place as usize].is_changed);
        let mut made = 0;
        let outcome = changed.iter().try_for_each(|&place| {
            let site = &mut sites[place as usize];
            if set.update_on(place, site, threads)?.is_err() {
                set.insert_on(site, threads)?;
            }
            site.is_changed = false;
            flawed.extend(site.flaw().map(|_| place));
            match seen.get_mut(place as usize) {
                Some(seen) => *seen = site.handle,
                // New places are consecutive.
                None => seen.push(site.handle),
            }
            made += 1;
            Ok(())
        });
        changed.drain(..made);
        outcome
    }

    /// Builds the set from all objects. If more than half of the places are free, objects are compacted first, so that memory follows their
    /// number.
    fn build(&mut self, slots: &mut Slots, partners: &mut Partners, threads: Threads<'_>) -> Result<(), DetectError> {
        let Statics { sites, free, changed, flawed, set, seen, is_renumbered } = self;
        if 2 * free.len() > sites.len() {
            *is_renumbered = true;
            sites.retain(|site| site.object.is_some());
            free.clear();
            changed.clear();
            changed.extend(0..sites.len() as u32);
            for (place, site) in (0..).zip(sites.iter_mut()) {
                slots.set_place(site.handle, ObjectPlace::Static(place));
                site.is_changed = true;
            }
            // Everything that is known by place is outdated.
            flawed.clear();
            seen.clear();
            partners.forget();
        }
        memory::catch(|| {
            let more = sites.len().saturating_sub(seen.len());
            memory::reserve(seen, more);
            let flaws = sites.iter().filter(|site| site.flaw().is_some()).count();
            let more = flaws.saturating_sub(flawed.len());
            memory::reserve(flawed, more);
        })?;
        set.build_on(sites, threads)?;
        flawed.clear();
        seen.clear();
        changed.clear();
        for (place, site) in (0..).zip(sites.iter_mut()) {
            site.is_changed = false;
            flawed.extend(site.flaw().map(|_| place));
            seen.push(site.handle);
        }
        *is_renumbered = false;
        Ok(())
    }

    /// Objects with invalid boxes, as of the last step.
    pub(super) fn rejected(&self) -> impl Iterator<Item = (Handle, RejectReason)> {
        let sites = self.flawed.iter().map(|&place| &self.sites[place as usize]);
        sites.filter_map(|site| Some((site.handle, site.flaw()?)))
    }
}

impl<S: Scalar, const D: usize> StaticSlot<S, D> {
    fn flaw(&self) -> Option<RejectReason> {
        self.object.as_ref().and_then(|inflated| inflated.object.flaw())
    }
}

/// A place without an object, or with one that has an invalid box, meets nothing.
impl<S: Scalar, const D: usize> Bounded<S, D> for StaticSlot<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.object.as_ref().map_or(Aabb::EMPTY, Inflated::aabb)
    }

    fn groups(&self) -> Groups {
        match &self.object {
            Some(inflated) if inflated.object.flaw().is_none() => inflated.groups(),
            _ => Groups::NONE,
        }
    }
}
