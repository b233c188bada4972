//! Every object once inside the domain, and its ghosts: what an engine that knows nothing of periods has to be given.
//!
//! # Why every meeting is found, and once
//!
//! Let `P` be the period and every object be *wrapped*: moved by whole periods until its `min` lies in `low..low + P` on every
//! periodic axis. It is at most `P` long. Take two of them, a and b, and move b by `s` periods. On one axis:
//!
//! 1. Only `s` of -1, 0 and 1 can make them meet. Both begin in `low..low + P`, so less than `P` apart; for `s >= 2` the moved b
//!    would begin more than `P` behind the begin of a, and so behind its end; likewise for `s <= -2` with a and b exchanged.
//! 2. `s = -1` is the ghost of b (moved back by `P`) meeting a. `s = 1` is the ghost of *a* meeting b: moving b up and moving a
//!    back is the same. So ghosts are needed on one side only.
//! 3. A ghost that does not reach `low` meets nobody who is not moved back as well, since all the others begin at `low` or
//!    later. So only those objects need one that reach `low + P`.
//!
//! On all axes together, an image of an object is moved back along some set of axes. A pair of images, a's moved along `A`, b's
//! along `B`, stands for `s = 1` on the axes of `A` only, `s = -1` on those of `B` only, and `s = 0` elsewhere. If an axis is in
//! both sets, leaving it out of both gives the same `s`; so these pairs are dropped, and the remaining ones, with `A` and `B`
//! disjoint, are one for each of the `s`: none is found twice. And none is missing: if a has no ghost along `A`, then on some
//! axis of `A`, which is not in `B`, that ghost would not reach `low`, and by 3. it would meet nothing there; likewise for b.
//!
//! With rounding, 2. and 3. hold to the letter, because ghosts are made and their reach is tested by the same rounded `down`, and
//! wrapped boxes do begin at `low` or later. 1. holds up to rounding: boxes of the length of the period may touch by an ulp at
//! `s = 2`.

use super::PeriodicReason;
use super::domain::{Domain, Wrapped};
use crate::lockfree::sync::Ordering;
use crate::lockfree::{Blocks, shared};
use crate::runtime::memory::{Budget, bytes_of, reserve_with_slack, with_slack};
use crate::runtime::team::Team;
use crate::{Aabb, Bounded, Groups, Scalar};

/// Objects, or ghosts, that a worker claims at a time.
const BLOCK: usize = 512;

/// An object where it is wrapped to, or one of its ghosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image<S, const D: usize> {
    bounds: Aabb<S, D>,
    /// Whose image it is.
    pub(crate) object: u32,
    /// Its object's groups: kernels compare them, and queries are filtered by them.
    groups: Groups,
    /// How many periods it was moved down from where the user has it, by axis.
    pub(crate) periods: [i32; D],
    /// The axes, as bits, along which it is a ghost.
    pub(super) shifted: u8,
    /// The axes along which it has ghosts.
    pub(super) crossing: u8,
    /// Why there is no place for the object in the domain.
    pub(crate) misfit: Option<PeriodicReason>,
}

impl<S: Scalar, const D: usize> Image<S, D> {
    const VACANT: Self =
        Image { bounds: Aabb::EMPTY, object: 0, groups: Groups::ALL, periods: [0; D], shifted: 0, crossing: 0, misfit: None };

    /// The object inside the domain. Whoever has no place there becomes a box that the engine rejects.
    #[inline]
    fn of_object(object: u32, aabb: Aabb<S, D>, groups: Groups, domain: &Domain<S, D>) -> Self {
        if !aabb.is_valid() {
            return Image { bounds: aabb, object, ..Self::VACANT };
        }
        match domain.wrap(aabb) {
            Ok(Wrapped { bounds, periods, crossing }) => Image { bounds, object, groups, periods, crossing, ..Self::VACANT },
            Err(reason) => Image { object, misfit: Some(reason), ..Self::VACANT },
        }
    }

    /// By how many periods the object is moved where something meets this image that was moved down by so many.
    #[inline]
    pub(super) fn shift(&self, periods: [i32; D]) -> [i32; D] {
        std::array::from_fn(|axis| periods[axis] - self.periods[axis])
    }

    pub(crate) fn ghost_count(&self) -> usize {
        (1 << self.crossing.count_ones()) - 1
    }

    /// One ghost for each choice of axes, but the empty one, among those on which the object reaches the border.
    fn ghosts<'a>(&'a self, domain: &'a Domain<S, D>) -> impl Iterator<Item = Self> + 'a {
        let choices = 1..1u8 << D;
        choices.filter(|&shifted| shifted & !self.crossing == 0).map(move |shifted| {
            let back: [i32; D] = std::array::from_fn(|axis| i32::from(shifted >> axis & 1));
            Image {
                bounds: Aabb { min: domain.down(self.bounds.min, back), max: domain.down(self.bounds.max, back) },
                periods: std::array::from_fn(|axis| self.periods[axis] + back[axis]),
                shifted,
                crossing: 0,
                ..*self
            }
        })
    }
}

impl<S: Scalar, const D: usize> Bounded<S, D> for Image<S, D> {
    #[inline]
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }

    #[inline]
    fn groups(&self) -> Groups {
        self.groups
    }

    /// Drops what stands for a meeting that another pair of images stands for, and an object's meeting with itself.
    #[inline]
    fn pairs_with(&self, other: &Self) -> bool {
        self.shifted & other.shifted == 0 && self.object != other.object
    }
}

/// The images of a step, in memory that is kept for the next.
#[derive(Debug)]
pub(crate) struct Images<S, const D: usize> {
    /// The objects in the user's order, then the ghosts in the order of their objects. Longer than needed: what was once written
    /// is not written again just to make room.
    images: Vec<Image<S, D>>,
    /// How many ghosts the objects before each block of objects have.
    ghosts_before: Vec<usize>,
    objects: usize,
    ghosts: usize,
}

impl<S: Scalar, const D: usize> Images<S, D> {
    pub(crate) fn new() -> Self {
        Images { images: Vec::new(), ghosts_before: Vec::new(), objects: 0, ghosts: 0 }
    }

    /// Objects and, behind them, ghosts.
    pub(crate) fn all(&self) -> &[Image<S, D>] {
        &self.images[..self.objects + self.ghosts]
    }

    /// How many objects there are images of: all, unless these would be more than the limit.
    pub(crate) fn objects(&self) -> usize {
        self.objects
    }

    pub(crate) fn bytes(&self) -> usize {
        self.images.capacity() * size_of::<Image<S, D>>() + self.ghosts_before.capacity() * size_of::<usize>()
    }

    /// Wraps the objects and makes their ghosts; at most `limit` images, for as many of the first objects as have room.
    ///
    /// In parallel over blocks of objects, then over blocks of ghosts. Where an image lies does not depend on who makes it.
    pub(crate) fn fill<T: Bounded<S, D> + Sync>(
        &mut self,
        domain: &Domain<S, D>,
        objects: &[T],
        limit: usize,
        team: Team,
        budget: &Budget,
    ) {
        // If the user's code panics, nothing is left that looks like a result.
        (self.objects, self.ghosts) = (0, 0);
        let objects = &objects[..objects.len().min(limit)];
        self.wrap(domain, objects, team, budget);
        let count = self.fitting(objects.len(), limit);
        let ghosts = self.ghosts_of_first(count);
        self.make_ghosts(domain, count, ghosts, team, budget);
        (self.objects, self.ghosts) = (count, ghosts);
    }

    fn wrap<T: Bounded<S, D> + Sync>(&mut self, domain: &Domain<S, D>, objects: &[T], team: Team, budget: &Budget) {
        grow(&mut self.images, objects.len(), Image::VACANT, budget);
        let count = objects.len().div_ceil(BLOCK);
        self.ghosts_before.clear();
        reserve_with_slack(&mut self.ghosts_before, count + 1);
        self.ghosts_before.resize(count + 1, 0);

        let blocks = Blocks::new(&mut self.images[..objects.len()], BLOCK);
        // Shifted by one place, so that summing up makes each the number *before* the block.
        let counts = shared(&mut self.ghosts_before[1..]);
        team.at_most(count).run(|| {
            while let Some((first, block)) = blocks.claim() {
                for (index, (image, object)) in (first..).zip(block.iter_mut().zip(&objects[first..])) {
                    *image = Image::of_object(index as u32, object.aabb(), object.groups(), domain);
                }
                // Relaxed: each has one writer, and is read after the join.
                counts[first / BLOCK].store(block.iter().map(Image::ghost_count).sum(), Ordering::Relaxed);
            }
        });
        let mut sum = 0;
        for count in &mut self.ghosts_before {
            sum += *count;
            *count = sum;
        }
    }

    /// How many of the first `objects` have room for all their images within the limit.
    fn fitting(&self, objects: usize, limit: usize) -> usize {
        let needed = |first: usize| first + self.ghosts_of_first(first);
        if needed(objects) <= limit {
            return objects;
        }
        let (mut fit, mut too_many) = (0, objects);
        while too_many - fit > 1 {
            let middle = fit + (too_many - fit) / 2;
            *if needed(middle) <= limit { &mut fit } else { &mut too_many } = middle;
        }
        fit
    }

    fn ghosts_of_first(&self, objects: usize) -> usize {
        let block = objects / BLOCK;
        let begun = &self.images[block * BLOCK..objects];
        self.ghosts_before[block] + begun.iter().map(Image::ghost_count).sum::<usize>()
    }

    fn make_ghosts(&mut self, domain: &Domain<S, D>, objects: usize, ghosts: usize, team: Team, budget: &Budget) {
        grow(&mut self.images, objects + ghosts, Image::VACANT, budget);
        let count = ghosts;
        let (objects, ghosts) = self.images.split_at_mut(objects);
        let (objects, before) = (&*objects, &self.ghosts_before);
        let blocks = Blocks::new(&mut ghosts[..count], BLOCK);
        team.at_most(count.div_ceil(BLOCK)).run(|| {
            while let Some((first, block)) = blocks.claim() {
                // The last block of objects that has no more ghosts before it than this block of ghosts has.
                let home = before.partition_point(|&ghosts| ghosts <= first) - 1;
                let ghosts = objects[home * BLOCK..].iter().flat_map(|object| object.ghosts(domain));
                for (slot, ghost) in block.iter_mut().zip(ghosts.skip(first - before[home])) {
                    *slot = ghost;
                }
            }
        });
    }

    /// Gives back what the last step did not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.images.truncate(self.objects + self.ghosts);
        self.images.shrink_to_fit();
        self.ghosts_before.shrink_to_fit();
    }
}

/// Makes the buffer at least so long, with some slack: the number of ghosts goes up and down as objects move.
pub(crate) fn grow<T: Copy>(buffer: &mut Vec<T>, len: usize, vacant: T, budget: &Budget) {
    if buffer.len() < len {
        if buffer.capacity() < len {
            budget.charge(bytes_of::<T>(with_slack(len) - buffer.capacity()));
            reserve_with_slack(buffer, len);
        }
        buffer.resize(len, vacant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points along a diagonal, every third of them at the corner of the domain, where it has three ghosts.
    fn points(count: usize) -> Vec<Aabb<f32, 2>> {
        (0..count).map(|i| [if i % 3 == 0 { 10.0 } else { 1.0 }; 2]).map(|end| Aabb::new([1.0, 1.0], end)).collect()
    }

    fn unit_domain() -> Domain<f32, 2> {
        Domain::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, true]).expect("a domain")
    }

    #[test]
    fn ghosts_follow_in_the_order_of_their_objects() {
        for count in [0, 1, BLOCK, 3 * BLOCK, 4 * BLOCK + 7] {
            let mut images = Images::new();
            for team in [Team::ALONE, Team::of_current_pool()] {
                images.fill(&unit_domain(), &points(count), usize::MAX, team, &Budget::unlimited());
                let owners: Vec<usize> = images.all().iter().map(|image| image.object as usize).collect();
                let expected = (0..count).chain((0..count).step_by(3).flat_map(|object| [object; 3]));
                assert!(owners.into_iter().eq(expected), "{count} objects");
                let axes: Vec<u8> = images.all()[count..].iter().map(|ghost| ghost.shifted).collect();
                assert!(axes.chunks(3).all(|axes| axes == [1, 2, 3]));
            }
        }
    }

    /// What is beyond the limit is left out with all its ghosts, and nobody else is.
    #[test]
    fn the_limit_counts_ghosts() {
        let points = points(2 * BLOCK);
        for limit in [0, 3, 4, 5, 6, 9, 10, 1024, 1025, 1026, 1027, 1_000_000] {
            let objects = (0..=points.len()).rfind(|count| count + count.div_ceil(3) * 3 <= limit).expect("none always fit");
            let mut images = Images::new();
            images.fill(&unit_domain(), &points, limit, Team::ALONE, &Budget::unlimited());
            assert_eq!(images.objects(), objects, "limit {limit}");
            assert_eq!(images.all().len(), objects + objects.div_ceil(3) * 3);
            assert!(images.all().iter().all(|image| (image.object as usize) < objects));
        }
    }
}
