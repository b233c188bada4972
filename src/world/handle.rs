//! Handles: names that outlive their objects.

use std::fmt;

/// Names an object of a [`World`](crate::World), for life and after: once the object is removed, no other one ever gets the same
/// handle; a call with an old one returns [`StaleHandle`].
///
/// Ordered by index. Worlds that were given the same objects in the same order give the same handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    /// Less than the most objects the world has ever held at once, and of no other object that is in the world: a place for what
    /// you know about the object in a list of your own.
    pub index: u32,
    /// How many objects had the index before.
    pub generation: u32,
}

/// The error for a [`Handle`] whose object is not in the world: the object was removed, or the handle belongs to another world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StaleHandle {
    /// The handle.
    pub handle: Handle,
}

impl fmt::Display for StaleHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Handle { index, generation } = self.handle;
        write!(f, "no object has the handle {index} of generation {generation}: it was removed, or is of another world")
    }
}

impl std::error::Error for StaleHandle {}
