//! The moving objects of a world.

use super::object::Inflated;
use super::{Handle, Object};
use crate::Scalar;
use crate::runtime::memory;

/// The moving objects: dense and in no particular order, as a step reads them.
#[derive(Debug)]
pub(super) struct Moving<S, const D: usize> {
    pub(super) objects: Vec<Inflated<S, D>>,
    pub(super) handles: Vec<Handle>,
    /// The handles as of the last step, to which its grid refers.
    pub(super) seen: Vec<Handle>,
}

impl<S: Scalar, const D: usize> Moving<S, D> {
    pub(super) fn new() -> Self {
        Moving { objects: Vec::new(), handles: Vec::new(), seen: Vec::new() }
    }

    /// Makes room for some more objects. Ends the change if memory is refused.
    pub(super) fn reserve(&mut self, more: usize) {
        memory::reserve(&mut self.objects, more);
        memory::reserve(&mut self.handles, more);
    }

    /// Adds an object, for which there is [room](Self::reserve), and returns its place.
    pub(super) fn insert(&mut self, handle: Handle, object: Inflated<S, D>) -> u32 {
        self.objects.push(object);
        self.handles.push(handle);
        self.handles.len() as u32 - 1
    }

    /// Removes an object. Also returns the handle of the object that moved to its place, if there is one.
    pub(super) fn remove(&mut self, place: u32) -> (Object<S, D>, Option<Handle>) {
        let Inflated { object, .. } = self.objects.swap_remove(place as usize);
        self.handles.swap_remove(place as usize);
        (object, self.handles.get(place as usize).copied())
    }

    pub(super) fn get(&self, place: u32) -> &Object<S, D> {
        &self.objects[place as usize].object
    }

    pub(super) fn get_mut(&mut self, place: u32) -> &mut Object<S, D> {
        &mut self.objects[place as usize].object
    }

    /// A copy of the objects, which no step has seen.
    pub(super) fn copy(&self) -> Self {
        Moving { objects: self.objects.clone(), handles: self.handles.clone(), seen: Vec::new() }
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.objects.shrink_to_fit();
        self.handles.shrink_to_fit();
        self.seen = Vec::new();
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.objects.capacity() * size_of::<Inflated<S, D>>()
            + (self.handles.capacity() + self.seen.capacity()) * size_of::<Handle>()
    }

    /// Makes room to record what a step sees.
    pub(super) fn reserve_seen(&mut self) {
        self.seen.clear();
        memory::reserve_with_slack(&mut self.seen, self.handles.len());
    }

    /// Records that a step has seen the objects.
    pub(super) fn note_seen(&mut self) {
        self.seen.clone_from(&self.handles);
    }
}
