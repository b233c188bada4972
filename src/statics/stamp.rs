//! Stamps, for features that keep data derived from a set: they show whether its objects are still the same.

use std::sync::atomic::{AtomicU64, Ordering};

use super::StaticSet;
use super::changes::Changes;
use crate::query::residents::{Item, ItemTier};
use crate::runtime::memory;
use crate::runtime::objects::Objects;
use crate::runtime::team::{Team, Threads};
use crate::{DetectError, Groups, Scalar};

/// A number that differs after every change, and between sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// A stamp that no set has.
    pub(super) fn new() -> Self {
        static STAMPS: AtomicU64 = AtomicU64::new(0);
        // Relaxed: it publishes nothing, each number only has to be handed out once.
        Stamp(STAMPS.fetch_add(1, Ordering::Relaxed))
    }
}

impl<S: Scalar, const D: usize> StaticSet<S, D> {
    /// The stamp of the set now. Equal stamps mean the same set with the same objects.
    pub(crate) fn stamp(&self) -> Stamp {
        self.noted.stamp()
    }

    /// The indices of the objects that have changed since the set had a stamp, possibly several times each; `None` if that is not known,
    /// because there were too many changes, or the stamp is another set's.
    pub(crate) fn changes_since(&self, stamp: Stamp) -> Option<impl Iterator<Item = u32>> {
        self.noted.since(stamp)
    }

    /// Changes the limit of the settings.
    pub(crate) fn limit_bytes(&mut self, max_bytes: Option<usize>) {
        self.base.limit_bytes(max_bytes);
        self.recent.limit_bytes(max_bytes);
    }

    /// All indices are below this number.
    pub(crate) fn indices(&self) -> usize {
        self.items.len()
    }

    /// The groups of an object, if there is one with this index.
    pub(crate) fn groups_of(&self, index: u32) -> Groups {
        self.items.get(index as usize).map_or(Groups::NONE, |item| item.groups)
    }

    /// Replaces everything by these objects, in at most `max_bytes`; an error when memory is refused. On the calling thread, unless the
    /// team is of a rayon pool.
    pub(crate) fn build_within(
        &mut self,
        max_bytes: Option<usize>,
        objects: &impl Objects<S, D>,
        team: Team,
    ) -> Result<(), DetectError> {
        self.limit_bytes(max_bytes);
        let item = |index: usize| Item { bounds: objects.bounds(index), groups: objects.groups(index), home: ItemTier::Base };
        let items = memory::catch(|| memory::collect((0..objects.len()).map(item)))?;
        self.replace(items, if team.is_of_pool() { Threads::Pool } else { Threads::Serial })
    }

    /// Discards all objects and nearly all memory. A new set would need an allocation whose refusal aborts.
    pub(crate) fn give_up(&mut self) {
        self.noted = Changes::new();
        self.base.release();
        self.recent.release();
        (self.items, self.free) = (Vec::new(), Vec::new());
        (self.loose, self.spare_members) = (Vec::new(), Vec::new());
        self.forget_changes();
    }
}
