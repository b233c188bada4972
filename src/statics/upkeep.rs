//! Copies of a static set, its memory and its statistics.

use super::StaticSet;
use crate::query::residents::{Item, ItemTier};
use crate::runtime::team::Threads;
use crate::{RejectReason, Rejected, Scalar, Stats};

/// A set with the same objects, under the same indices. Takes the time of a copy of the objects and of building their grid, on the rayon
/// pool. (Should memory for the grid be refused, searches of the copy go through the objects one by one until a change succeeds.)
impl<S: Scalar, const D: usize> Clone for StaticSet<S, D> {
    fn clone(&self) -> Self {
        // The settings were valid when this set was made with them.
        let mut copy = Self::with_config(self.base.config().clone()).unwrap_or_default();
        copy.items.clone_from(&self.items);
        // Room for every index, as always.
        copy.free.reserve_exact(self.items.len());
        copy.free.extend_from_slice(&self.free);
        for item in copy.items.iter_mut().filter(|item| item.home != ItemTier::Nowhere) {
            item.home = ItemTier::Base;
        }
        let _ = copy.build_base(Threads::Pool);
        copy
    }
}

impl<S: Scalar, const D: usize> StaticSet<S, D> {
    /// The objects that overlap nothing because their boxes are invalid, in ascending order of index. Visits all objects.
    pub fn rejected(&self) -> impl Iterator<Item = Rejected> {
        let there = (0..).zip(&self.items).filter(|(_, item)| item.home != ItemTier::Nowhere);
        there.filter_map(|(index, item)| RejectReason::of(&item.bounds).map(|reason| Rejected { index, reason }))
    }

    /// What the last build of the large grid did, and what it cost. [`PassTimes::statics`](crate::PassTimes::statics) is the time for
    /// reading the objects.
    pub fn stats(&self) -> &Stats {
        self.base.stats()
    }

    /// Gives back unused memory, and rebuilds the grid on the calling thread. (If memory for that is refused, searches go through the objects
    /// one by one until a later change succeeds.)
    pub fn shrink_to_fit(&mut self) {
        self.base.release();
        self.recent.release();
        self.spare_members = Vec::new();
        self.items.shrink_to_fit();
        self.free.shrink_to(self.items.len());
        if self.rebuild_on(Threads::Serial).is_ok() {
            self.loose.shrink_to_fit();
            self.recent.members.shrink_to_fit();
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<Item<S, D>>()
            + (self.free.capacity() + self.loose.capacity() + self.spare_members.capacity()) * size_of::<u32>()
            + self.base.bytes()
            + self.recent.bytes()
    }
}
