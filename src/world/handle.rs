//! Handles: names that outlive their objects.

use std::fmt;

/// Identifies an object of a [`World`](crate::World). Handles are never reused: after the object is removed, a call with its handle returns
/// [`StaleHandle`].
///
/// Ordered by index. Worlds that get the same objects in the same order return the same handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Handle {
    /// Less than the largest number of objects that the world has ever held at once, and different for all objects in the world: so it can
    /// index an array of your own.
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
