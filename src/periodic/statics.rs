//! Static sets in a periodic domain: their objects have images, too, which are made once and kept until the set changes.

use super::images::Images;
use super::owners::Owners;
use super::space::Space;
use super::step::misfit;
use super::{PeriodicRejected, with_own};
use crate::runtime::memory::{self, Budget, bytes_of};
use crate::runtime::objects::Objects;
use crate::runtime::team::Team;
use crate::statics::Stamp;
use crate::{Aabb, Groups, MAX_OBJECTS, Scalar, StaticSet};

/// The images of a static set, in a static set of their own.
#[derive(Debug)]
pub(super) struct StaticImages<S: Scalar, const D: usize> {
    /// Which objects these are images of, if there are any.
    stamp: Option<Stamp>,
    images: Images<S, D>,
    set: StaticSet<S, D>,
    rejected: Vec<PeriodicRejected>,
}

/// The objects of a static set by their indices; those that are not used have boxes that overlap nothing.
struct Items<'a, S: Scalar, const D: usize>(&'a StaticSet<S, D>);

impl<S: Scalar, const D: usize> Objects<S, D> for Items<'_, S, D> {
    fn len(&self) -> usize {
        self.0.indices()
    }

    fn bounds(&self, index: usize) -> Aabb<S, D> {
        self.0.get(index as u32).copied().unwrap_or(Aabb::EMPTY)
    }

    fn groups(&self, index: usize) -> Groups {
        self.0.groups_of(index as u32)
    }
}

impl<S: Scalar, const D: usize> StaticImages<S, D> {
    /// None yet. They go to this set.
    pub(super) fn new(set: StaticSet<S, D>) -> Self {
        StaticImages { stamp: None, images: Images::new(), set, rejected: Vec::new() }
    }

    /// Gives up the images and nearly all memory.
    pub(super) fn release(&mut self) {
        self.forget();
        (self.images, self.rejected) = (Images::new(), Vec::new());
        self.set.give_up();
    }

    /// The images are wrong from now on.
    pub(super) fn forget(&mut self) {
        self.stamp = None;
    }

    pub(super) fn owners(&self) -> Owners<'_, D> {
        self.images.owners()
    }

    /// The set of the images.
    pub(super) fn set(&self) -> &StaticSet<S, D> {
        &self.set
    }

    /// The static objects that there is no place for.
    pub(super) fn rejected(&self) -> &[PeriodicRejected] {
        &self.rejected
    }

    pub(super) fn bytes(&self) -> usize {
        self.images.bytes() + self.set.bytes() + bytes_of::<PeriodicRejected>(self.rejected.capacity())
    }

    /// Makes the images anew if the set is another one, or has changed. Ends the step if memory is refused.
    pub(super) fn update(
        &mut self,
        space: &Space<S, D>,
        statics: &StaticSet<S, D>,
        max_bytes: Option<usize>,
        held_elsewhere: usize,
        team: Team,
    ) {
        if self.stamp == Some(statics.stamp()) {
            return;
        }
        self.release();
        let items = Items(statics);
        let mut budget = Budget::new(max_bytes);
        budget.begin(held_elsewhere);
        self.images.fill(space, &items, MAX_OBJECTS, team, &budget);
        for index in (0..items.len()).filter(|&index| items.bounds(index).is_valid()) {
            if let Some(reason) = misfit(space, &items, index) {
                memory::push(&mut self.rejected, PeriodicRejected { index, reason });
            }
        }
        let own = held_elsewhere.saturating_add(self.images.bytes());
        let left = max_bytes.map(|limit| limit.saturating_sub(own));
        if let Err(error) = self.set.build_within(left, &self.images.of(space, &items), team) {
            memory::refuse(with_own(error, own, max_bytes));
        }
        self.stamp = Some(statics.stamp());
    }
}
