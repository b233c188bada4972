//! Static sets in a periodic domain. The images of static objects are in a static set that is kept between steps. If the user's set has
//! changed in a few places, only the images of the changed objects are placed again.

use super::images::Images;
use super::replicas::for_each_ghost;
use super::space::{Placed, Space};
use super::step::misfit;
use super::{PeriodicRejected, with_own};
use crate::runtime::memory::{self, Budget, bytes_of};
use crate::runtime::objects::Objects;
use crate::runtime::team::{Team, Threads};
use crate::statics::Stamp;
use crate::{Aabb, Bounded, Groups, MAX_OBJECTS, Scalar, StaticSet};

/// The images of a static set, in a static set of their own.
#[derive(Debug)]
pub(super) struct StaticImages<S: Scalar, const D: usize> {
    /// The stamp of the set whose objects have these images, if there are any.
    stamp: Option<Stamp>,
    /// The object of each image, by its index in the set.
    images: Vec<StaticImage<D>>,
    /// The first image of each object, by the object's index.
    firsts: Vec<u32>,
    set: StaticSet<S, D>,
    rejected: Vec<PeriodicRejected>,
}

/// An image of a static object.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaticImage<const D: usize> {
    /// The object's index in the user's set.
    pub(super) owner: u32,
    /// By how many periods it is moved down from the user's object.
    pub(super) periods: [i32; D],
    /// The part of these periods by which it is a ghost.
    pub(super) back: [u8; D],
    /// The object's next image, if there is one.
    next: u32,
}

/// No image.
const NONE: u32 = u32::MAX;

impl<const D: usize> StaticImage<D> {
    const VACANT: Self = StaticImage { owner: 0, periods: [0; D], back: [0; D], next: NONE };

    /// The image with an index.
    #[inline(always)]
    pub(super) fn of(images: &[Self], index: u32) -> Self {
        images.get(index as usize).copied().unwrap_or(Self::VACANT)
    }
}

/// The objects of a static set by index; unused indices have boxes that overlap nothing.
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

/// An image as an object of the set.
struct InGroups<S, const D: usize> {
    bounds: Aabb<S, D>,
    groups: Groups,
}

impl<S: Scalar, const D: usize> Bounded<S, D> for InGroups<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }

    fn groups(&self) -> Groups {
        self.groups
    }
}

impl<S: Scalar, const D: usize> StaticImages<S, D> {
    /// No images yet. They will be put into this set.
    pub(super) fn new(set: StaticSet<S, D>) -> Self {
        StaticImages { stamp: None, images: Vec::new(), firsts: Vec::new(), set, rejected: Vec::new() }
    }

    /// Discards the images and nearly all memory.
    pub(super) fn release(&mut self) {
        self.forget();
        (self.images, self.firsts, self.rejected) = (Vec::new(), Vec::new(), Vec::new());
        self.set.give_up();
    }

    /// Invalidates the images.
    pub(super) fn forget(&mut self) {
        self.stamp = None;
    }

    /// The objects of the set's images, by their indices.
    pub(super) fn images(&self) -> &[StaticImage<D>] {
        &self.images
    }

    /// The set of the images.
    pub(super) fn set(&self) -> &StaticSet<S, D> {
        &self.set
    }

    /// The static objects that have no place in the domain.
    pub(super) fn rejected(&self) -> &[PeriodicRejected] {
        &self.rejected
    }

    pub(super) fn bytes(&self) -> usize {
        self.own_bytes() + self.set.bytes()
    }

    fn own_bytes(&self) -> usize {
        bytes_of::<StaticImage<D>>(self.images.capacity())
            + bytes_of::<u32>(self.firsts.capacity())
            + bytes_of::<PeriodicRejected>(self.rejected.capacity())
    }

    /// Brings the images up to date if the set is another one, or has changed. Ends the step if memory is refused.
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
        // There is no stamp until the update is complete, so that a refusal halfway makes the next step place all objects.
        if let Some(mut changes) = self.stamp.take().and_then(|seen| statics.changes_since(seen)) {
            let mut budget = Budget::new(max_bytes);
            budget.begin(held_elsewhere.saturating_add(self.bytes()));
            self.set.limit_bytes(max_bytes.map(|limit| limit.saturating_sub(held_elsewhere.saturating_add(self.own_bytes()))));
            let threads = if team.is_of_pool() { Threads::Pool } else { Threads::Serial };
            let again = |index| self.place_again(space, statics, index, &budget, threads);
            if memory::catch(|| changes.all(again)).unwrap_or(false) {
                self.stamp = Some(statics.stamp());
                return;
            }
        }
        self.place_all(space, statics, max_bytes, held_elsewhere, team);
        self.stamp = Some(statics.stamp());
    }

    /// Places all objects, in no more memory than necessary.
    fn place_all(
        &mut self,
        space: &Space<S, D>,
        statics: &StaticSet<S, D>,
        max_bytes: Option<usize>,
        held_elsewhere: usize,
        team: Team,
    ) {
        self.release();
        let (items, mut images) = (Items(statics), Images::new());
        let mut budget = Budget::new(max_bytes);
        budget.begin(held_elsewhere);
        images.fill(space, &items, MAX_OBJECTS, team, &budget);
        for index in (0..items.len()).filter(|&index| items.bounds(index).is_valid()) {
            if let Some(reason) = misfit(space, &items, index) {
                memory::push(&mut self.rejected, PeriodicRejected { index, reason });
            }
        }
        let count = images.objects() + images.ghosts();
        budget.charge(bytes_of::<StaticImage<D>>(count) + bytes_of::<u32>(items.len()));
        memory::reserve_exact(&mut self.images, count);
        memory::reserve_exact(&mut self.firsts, items.len());
        let owners = images.owners();
        self.firsts.extend(0..images.objects() as u32);
        self.firsts.resize(items.len(), NONE);
        self.images.extend((0..count).map(|image| StaticImage {
            owner: owners.owner(image),
            periods: owners.periods(image),
            back: owners.back(image),
            next: NONE,
        }));
        // From the last to the first, so that each is put before those of its object that follow: the object itself comes first.
        for ghost in (images.objects()..count).rev() {
            let owner = self.images[ghost].owner as usize;
            self.images[ghost].next = std::mem::replace(&mut self.images[owner].next, ghost as u32);
        }
        let own = held_elsewhere.saturating_add(images.bytes() + self.own_bytes());
        let left = max_bytes.map(|limit| limit.saturating_sub(own));
        if let Err(error) = self.set.build_within(left, &images.of(space, &items), team) {
            memory::refuse(with_own(error, own, max_bytes));
        }
    }

    /// Places one object that has changed. False if there is no room for its images; some may be wrong then.
    fn place_again(
        &mut self,
        space: &Space<S, D>,
        statics: &StaticSet<S, D>,
        index: u32,
        budget: &Budget,
        threads: Threads<'_>,
    ) -> bool {
        let (items, at) = (Items(statics), index as usize);
        let (bounds, groups) = (items.bounds(at), items.groups(at));
        let placed = space.place(&bounds);
        self.note_rejected(at, &placed, bounds.is_valid());
        if self.firsts.len() <= at {
            charge(&mut self.firsts, at + 1, budget);
            self.firsts.resize(at + 1, NONE);
        }
        // The new images take the places of the old ones, one after another.
        let (mut old, mut last) = (self.firsts[at], None);
        let mut put = |images: &mut Self, periods: [i32; D], back: [u8; D], bounds: Aabb<S, D>| {
            let item = InGroups { bounds, groups };
            let image = if old == NONE {
                let Ok(image) = images.set.insert_on(&item, threads) else { return false };
                image
            } else {
                let Ok(Ok(())) = images.set.update_on(old, &item, threads) else { return false };
                let next = images.images[old as usize].next;
                std::mem::replace(&mut old, next)
            };
            if images.images.len() <= image as usize {
                charge(&mut images.images, image as usize + 1, budget);
                images.images.resize(image as usize + 1, StaticImage::VACANT);
            }
            images.images[image as usize] = StaticImage { owner: index, periods, back, next: NONE };
            match last.replace(image) {
                None => images.firsts[at] = image,
                Some(last) => images.images[last as usize].next = image,
            }
            true
        };
        let is_there = match placed {
            Placed::Here if bounds.is_valid() => put(self, [0; D], [0; D], bounds),
            Placed::Here | Placed::Misfit(_) => true,
            Placed::There(place) => {
                let mut all = put(self, place.periods, [0; D], space.placed_box(&bounds, None, place.periods));
                for_each_ghost(&place.counts, |back| {
                    let periods = std::array::from_fn(|axis| place.periods[axis] + i32::from(back[axis]));
                    all = all && put(self, periods, back, space.ghost(&bounds, None, place.periods, back));
                });
                all
            }
        };
        // The remaining images no longer have objects.
        match last {
            None => self.firsts[at] = NONE,
            Some(last) => self.images[last as usize].next = NONE,
        }
        while old != NONE {
            let _ = self.set.remove(old);
            old = std::mem::replace(&mut self.images[old as usize], StaticImage::VACANT).next;
        }
        is_there
    }

    /// Lists an object that has no place in the domain, or takes it off the list.
    fn note_rejected(&mut self, index: usize, placed: &Placed<D>, is_valid: bool) {
        let known = self.rejected.binary_search_by_key(&index, |rejected| rejected.index);
        match (placed, known) {
            (Placed::Misfit(reason), known) if is_valid => {
                let rejected = PeriodicRejected { index, reason: *reason };
                match known {
                    Ok(at) => self.rejected[at] = rejected,
                    Err(at) => {
                        memory::reserve(&mut self.rejected, 1);
                        self.rejected.insert(at, rejected);
                    }
                }
            }
            (_, Ok(at)) => _ = self.rejected.remove(at),
            (_, Err(_)) => {}
        }
    }
}

/// Makes room for `len` elements.
fn charge<T>(buffer: &mut Vec<T>, len: usize, budget: &Budget) {
    if buffer.capacity() < len {
        budget.charge(bytes_of::<T>(memory::with_slack(len) - buffer.capacity()));
        memory::reserve_with_slack(buffer, len);
    }
}
