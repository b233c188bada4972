//! The static objects of a world.

use super::object::Grown;
use super::{Handle, Object};
use crate::{Aabb, Bounded, Groups, RejectReason, Scalar, StaticSet};

/// Static objects, and what the engine knows of them as of the last step. Changes are noted, and made in the next step all at once:
/// so they take effect when those of moving objects do, and a million of them cost no more than one build.
#[derive(Debug)]
pub(super) struct Statics<S: Scalar, const D: usize> {
    /// By place, which is the index in the set.
    sites: Vec<Site<S, D>>,
    /// Places without an object.
    free: Vec<u32>,
    /// Places that differ from what the set knows.
    changed: Vec<u32>,
    /// Places of objects with invalid boxes, as of the last step.
    flawed: Vec<u32>,
    pub(super) set: StaticSet<S, D>,
    /// The handles by place, as of the last step.
    pub(super) seen: Vec<Handle>,
}

/// A place in the set.
#[derive(Debug)]
struct Site<S, const D: usize> {
    /// Of its object, or of its last one.
    handle: Handle,
    object: Option<Grown<S, D>>,
    is_changed: bool,
}

/// When more than one object in so many has changed, the set is built anew. Fewer changes are cheaper one by one.
const BUILD_PER_CHANGE: usize = 128;
/// So many changes are always cheaper one by one: the set keeps them in a list.
const FEW_CHANGES: usize = 32;

impl<S: Scalar, const D: usize> Statics<S, D> {
    pub(super) fn new(set: StaticSet<S, D>) -> Self {
        Statics { sites: Vec::new(), free: Vec::new(), changed: Vec::new(), flawed: Vec::new(), set, seen: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.sites.len() - self.free.len()
    }

    /// Adds an object and returns its place.
    pub(super) fn insert(&mut self, handle: Handle, object: Grown<S, D>) -> u32 {
        let place = self.free.pop().unwrap_or(self.sites.len() as u32);
        match self.sites.get_mut(place as usize) {
            Some(site) => (site.handle, site.object) = (handle, Some(object)),
            None => self.sites.push(Site { handle, object: Some(object), is_changed: false }),
        }
        self.note_change(place);
        place
    }

    /// Takes the object of a place out.
    pub(super) fn remove(&mut self, place: u32) -> Option<Object<S, D>> {
        let Grown { object, .. } = self.sites[place as usize].object.take()?;
        self.free.push(place);
        self.note_change(place);
        Some(object)
    }

    pub(super) fn get(&self, place: u32) -> Option<&Object<S, D>> {
        self.sites[place as usize].object.as_ref().map(|grown| &grown.object)
    }

    /// Changes the object of a place. What changes nothing costs nothing.
    pub(super) fn update(&mut self, place: u32, change: impl FnOnce(&mut Object<S, D>)) {
        if let Some(Grown { object, .. }) = &mut self.sites[place as usize].object {
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

    /// Makes the changes since the last step.
    pub(super) fn make_changes(&mut self) {
        let Statics { sites, changed, flawed, set, seen, .. } = self;
        let build = changed.len() > FEW_CHANGES.max(sites.len() / BUILD_PER_CHANGE);
        flawed.retain(|&place| !sites[place as usize].is_changed);
        for place in changed.drain(..) {
            let site = &mut sites[place as usize];
            site.is_changed = false;
            flawed.extend(site.flaw().map(|_| place));
            match seen.get_mut(place as usize) {
                Some(seen) => *seen = site.handle,
                // New places come one after another.
                None => seen.push(site.handle),
            }
            if !build && !set.update(place, site) {
                set.insert(site);
            }
        }
        if build {
            set.par_build(sites);
        }
    }

    /// Objects with invalid boxes, as of the last step.
    pub(super) fn rejected(&self) -> impl Iterator<Item = (Handle, RejectReason)> {
        let sites = self.flawed.iter().map(|&place| &self.sites[place as usize]);
        sites.filter_map(|site| Some((site.handle, site.flaw()?)))
    }
}

impl<S: Scalar, const D: usize> Site<S, D> {
    fn flaw(&self) -> Option<RejectReason> {
        self.object.as_ref().and_then(|grown| grown.object.flaw())
    }
}

/// A place without an object, or with one that has an invalid box, meets nothing.
impl<S: Scalar, const D: usize> Bounded<S, D> for Site<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.object.as_ref().map_or(Aabb::EMPTY, Grown::aabb)
    }

    fn groups(&self) -> Groups {
        match &self.object {
            Some(grown) if grown.object.flaw().is_none() => grown.groups(),
            _ => Groups::NONE,
        }
    }
}
