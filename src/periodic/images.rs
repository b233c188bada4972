//! Every object once inside the domain, and its ghosts: the input for an engine without periods.
//!
//! Images are numbered: first the objects in the user's order, then the ghosts in the order of their objects. For an object only a word is
//! stored: by how much it was moved. The engine reads its box from the user's object during gather, because a copy of all boxes would cost
//! more than the ghosts do. So the user's box is read once to find the objects that reach a border, and once more by the engine. Ghosts are
//! made at the first reading, while the box is in the cache, and wait in a place of their block until all are counted; only if a block has
//! too many for that, its boxes are read a third time.
//!
//! # Why every meeting is found, and once
//!
//! Let `P` be the period and every object be *wrapped*: moved by whole periods until its `min` lies in `low..low + P` on every
//! periodic axis. It is at most `P` long. Take two of them, a and b, and move b by `s` periods. On one axis:
//!
//! 1. Only `s` of -1, 0 and 1 can make them meet. Both begin in `low..low + P`, so less than `P` apart; for `s >= 2` the moved b would
//!    begin more than `P` behind the start of a, and so behind its end; likewise for `s <= -2` with a and b exchanged.
//! 2. `s = -1` is the ghost of b (moved back by `P`) meeting a. `s = 1` is the ghost of *a* meeting b: moving b up and moving a
//!    back is the same. So ghosts are needed on one side only.
//! 3. A ghost that does not reach `low` meets nothing that is not moved back as well, since all the others begin at `low` or
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
//!
//! In a lattice, axes are vectors, and an object may be longer than a period: then it has several ghosts along a vector, moved back by
//! 1, 2, and so on, as long as they end in the domain. For `s > 0`, the ghost of a that is moved back by `s` meets b, for `s < 0` that
//! of b meets a: the argument is the same. `lattice.rs` adds to the length of an object what its places are rounded by.

use super::kinds::Worth;
use super::lattice::LatticePlace;
use super::owners::{Ghost, Moved, Owners};
use super::replicas::{for_each_ghost, ghost_count};
use super::space::{Placed, Space};
use crate::runtime::memory::{self, Budget, bytes_of, reserve_with_slack, with_slack};
use crate::runtime::objects::Objects;
use crate::runtime::prefetch::prefetch;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};
use crate::{Aabb, Ball, DetectError, Groups, Scalar};

/// Objects that a worker handles at a time.
const BLOCK: usize = 1024;
/// Objects that one test shows to have no ghosts.
const RUN: usize = 16;
/// Ghosts of a block that are made when their objects are placed, while these are in the cache. A block with more makes all of them when
/// all are counted.
const EARLY: usize = 128;

/// Figures of the objects of a block, or of all before it.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ghosts: usize,
    /// Objects that are too far away for a word.
    far: usize,
    /// Images of [long](Worth::long) objects.
    long: usize,
}

/// The images of a step, in memory that is kept for the next.
#[derive(Debug)]
pub(crate) struct Images<S, const D: usize> {
    /// By how much each object was moved. May be longer than needed, like all below.
    moved: Vec<Moved>,
    /// By how much objects were moved whose word cannot hold it, in the order of the objects.
    far: Vec<[i32; D]>,
    ghosts: Vec<Ghost<D>>,
    /// Their boxes.
    bounds: Vec<Aabb<S, D>>,
    /// The first ghosts of each block of objects, [`EARLY`] at most.
    early: Vec<(Ghost<D>, Aabb<S, D>)>,
    /// Figures of the objects before each block of objects.
    before: Vec<Counts>,
    objects: usize,
    count: Counts,
}

impl<S: Scalar, const D: usize> Images<S, D> {
    pub(crate) fn new() -> Self {
        let (moved, far, ghosts) = (Vec::new(), Vec::new(), Vec::new());
        Images {
            moved,
            far,
            ghosts,
            bounds: Vec::new(),
            early: Vec::new(),
            before: Vec::new(),
            objects: 0,
            count: Counts::default(),
        }
    }

    /// How many objects there are images of: all, unless these would be more than the limit.
    pub(crate) fn objects(&self) -> usize {
        self.objects
    }

    /// How many ghosts these have.
    pub(crate) fn ghosts(&self) -> usize {
        self.count.ghosts
    }

    /// Whether most meetings of two images would not count, so that images are kept apart by [kind](super::Kinds).
    pub(crate) fn by_kind(&self) -> bool {
        Worth::PAIRS.is_given(self.count.long, self.objects + self.count.ghosts)
    }

    /// The meanings of the numbers of images.
    pub(crate) fn owners(&self) -> Owners<'_, D> {
        let far = &self.far[..self.count.far];
        Owners { moved: &self.moved[..self.objects], far, ghosts: &self.ghosts[..self.count.ghosts] }
    }

    /// The images as objects of the engine.
    pub(crate) fn of<'a, O: Objects<S, D> + ?Sized>(&'a self, space: &'a Space<S, D>, objects: &'a O) -> ImagesOf<'a, S, D, O> {
        ImagesOf { space, objects, owners: self.owners(), bounds: &self.bounds[..self.count.ghosts] }
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes_of::<Moved>(self.moved.capacity())
            + bytes_of::<[i32; D]>(self.far.capacity())
            + bytes_of::<Ghost<D>>(self.ghosts.capacity())
            + bytes_of::<Aabb<S, D>>(self.bounds.capacity())
            + bytes_of::<(Ghost<D>, Aabb<S, D>)>(self.early.capacity())
            + bytes_of::<Counts>(self.before.capacity())
    }

    /// Forgets all images.
    pub(crate) fn clear(&mut self) {
        (self.objects, self.count) = (0, Counts::default());
    }

    /// Gives back memory that the last step did not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.moved.truncate(self.objects);
        self.moved.shrink_to_fit();
        self.far.truncate(self.count.far);
        self.far.shrink_to_fit();
        self.ghosts.truncate(self.count.ghosts);
        self.ghosts.shrink_to_fit();
        self.bounds.truncate(self.count.ghosts);
        self.bounds.shrink_to_fit();
        self.before = Vec::new();
        self.early = Vec::new();
    }

    /// Places the objects and makes their ghosts; at most `limit` images, for as many of the first objects as have room.
    ///
    /// In parallel over blocks of objects. The place of an image does not depend on the worker that makes it.
    pub(crate) fn fill<O: Objects<S, D> + ?Sized>(
        &mut self,
        space: &Space<S, D>,
        objects: &O,
        limit: usize,
        team: Team,
        budget: &Budget,
    ) {
        // If the user's code panics, nothing remains that looks like a result.
        self.clear();
        let mut len = objects.len().min(limit);
        let mut count = self.place(space, objects, len, team, budget);
        if len.saturating_add(count.ghosts) > limit {
            len = self.fitting(space, objects, len, limit);
            count = self.place(space, objects, len, team, budget);
        }
        self.make_ghosts(space, objects, len, count, team, budget);
        (self.objects, self.count) = (len, count);
    }

    /// Finds out by how much objects must be moved, and how many ghosts there are.
    fn place<O: Objects<S, D> + ?Sized>(
        &mut self,
        space: &Space<S, D>,
        objects: &O,
        len: usize,
        team: Team,
        budget: &Budget,
    ) -> Counts {
        grow(&mut self.moved, len, Moved::NOT, budget);
        let blocks = len.div_ceil(BLOCK);
        self.before.clear();
        reserve_with_slack(&mut self.before, blocks + 1);
        self.before.resize(blocks + 1, Counts::default());
        grow(&mut self.early, blocks * EARLY, (Ghost::VACANT, Aabb::EMPTY), budget);
        // Shifted by one place, so that sums give the figures *before* each block.
        let (moved, counts) = (&mut self.moved[..len], &mut self.before[1..]);
        let placing = Placing { first: 0, moved, counts, early: &mut self.early[..blocks * EARLY] };
        share_out(placing, team, &|placing: Placing<'_, S, D>| {
            let mut count = Counts::default();
            for (at, moved) in placing.moved.iter_mut().enumerate() {
                let index = placing.first + at;
                *moved = match space.place(&objects.bounds(index)) {
                    Placed::Here => Moved::NOT,
                    Placed::Misfit(_) => Moved::MISFIT,
                    Placed::There(place) => {
                        let moved = Moved::new(place.periods, place.counts != [0; D]);
                        if moved.has_ghosts() {
                            count.ghosts += make_early(space, objects, index, &place, placing.early, count.ghosts);
                        }
                        count.far += usize::from(moved.is_far());
                        count.long += Worth::PAIRS.long(&place.counts);
                        moved
                    }
                };
            }
            placing.counts[0] = count;
        });
        let mut sum = Counts::default();
        for count in &mut self.before {
            sum = Counts { ghosts: sum.ghosts + count.ghosts, far: sum.far + count.far, long: sum.long + count.long };
            *count = sum;
        }
        sum
    }

    /// How many objects, counted from the first, have room for all of their images within the limit.
    #[cold]
    fn fitting<O: Objects<S, D> + ?Sized>(&self, space: &Space<S, D>, objects: &O, len: usize, limit: usize) -> usize {
        let mut images = 0;
        for index in 0..len {
            let ghosts = match space.place(&objects.bounds(index)) {
                Placed::There(place) => ghost_count(&place.counts),
                Placed::Here | Placed::Misfit(_) => 0,
            };
            images += 1 + ghosts;
            if images > limit {
                return index;
            }
        }
        len
    }

    fn make_ghosts<O: Objects<S, D> + ?Sized>(
        &mut self,
        space: &Space<S, D>,
        objects: &O,
        len: usize,
        count: Counts,
        team: Team,
        budget: &Budget,
    ) {
        grow(&mut self.ghosts, count.ghosts, Ghost::VACANT, budget);
        grow(&mut self.bounds, count.ghosts, Aabb::EMPTY, budget);
        if count.far > Moved::MOST_FAR {
            memory::refuse(DetectError::TooManyObjects(len));
        }
        grow(&mut self.far, count.far, [0; D], budget);
        let early = &self.early[..];
        let making = Making {
            block: 0,
            before: &self.before,
            moved: &mut self.moved[..len],
            ghosts: &mut self.ghosts[..count.ghosts],
            bounds: &mut self.bounds[..count.ghosts],
            far: &mut self.far[..count.far],
        };
        share_out(making, team, &|making: Making<'_, S, D>| {
            let made = making.ghosts.len();
            if made <= EARLY && making.far.is_empty() {
                let early = &early[making.block * EARLY..][..made];
                let ghosts = making.ghosts.iter_mut().zip(making.bounds);
                early.iter().zip(ghosts).for_each(|(&early, (ghost, bounds))| (*ghost, *bounds) = early);
                return;
            }
            let mut ghosts = making.ghosts.iter_mut().zip(making.bounds);
            let mut far = (making.before[0].far..).zip(making.far);
            let first = making.block * BLOCK;
            // The few objects with ghosts lie far apart, so all of their boxes are prefetched together.
            let runs = (first..).step_by(RUN).zip(making.moved.chunks(RUN)).filter(|(_, run)| Moved::some_have_more(run));
            for (index, _) in runs.flat_map(|(first, run)| (first..).zip(run)).filter(|(_, moved)| moved.has_more()) {
                objects.prefetch(index);
            }
            let runs = (first..).step_by(RUN).zip(making.moved.chunks_mut(RUN)).filter(|(_, run)| Moved::some_have_more(run));
            for (index, moved) in runs.flat_map(|(first, run)| (first..).zip(run)).filter(|(_, moved)| moved.has_more()) {
                let (aabb, ball) = (objects.bounds(index), objects.ball(index));
                let Placed::There(place) = space.place(&aabb) else { continue };
                if moved.is_far()
                    && let Some((at, slot)) = far.next()
                {
                    (*moved, *slot) = (moved.listed_at(at), place.periods);
                }
                make(space, index, &aabb, ball, &place, ghosts.by_ref());
            }
            // Places are left over only if an object had another box when it was first read.
            far.for_each(|(_, slot)| *slot = [0; D]);
            ghosts.for_each(|(ghost, bounds)| (*ghost, *bounds) = (Ghost::VACANT, Aabb::EMPTY));
        });
    }
}

/// Makes the ghosts of an object behind the first `made` of its block, if there is room, and returns how many it has. Reads the box once
/// more, which is in the cache: kept for this it would not be in registers when it is placed.
#[inline(never)]
fn make_early<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized>(
    space: &Space<S, D>,
    objects: &O,
    index: usize,
    place: &LatticePlace<D>,
    early: &mut [(Ghost<D>, Aabb<S, D>)],
    made: usize,
) -> usize {
    let ghosts = ghost_count(&place.counts);
    if let Some(early) = early.get_mut(made..made + ghosts) {
        let early = early.iter_mut().map(|(ghost, bounds)| (ghost, bounds));
        make(space, index, &objects.bounds(index), objects.ball(index), place, early);
    }
    ghosts
}

/// Makes the ghosts of an object that is placed.
fn make<'a, S: Scalar, const D: usize>(
    space: &Space<S, D>,
    index: usize,
    aabb: &Aabb<S, D>,
    ball: Option<Ball<S, D>>,
    place: &LatticePlace<D>,
    mut ghosts: impl Iterator<Item = (&'a mut Ghost<D>, &'a mut Aabb<S, D>)>,
) {
    for_each_ghost(&place.counts, |back| {
        if let Some((ghost, bounds)) = ghosts.next() {
            *ghost = Ghost { owner: index as u32, back, counts: place.counts };
            *bounds = space.ghost(aabb, ball, place.periods, back);
        }
    });
}

/// Blocks of objects that are placed.
struct Placing<'a, S, const D: usize> {
    first: usize,
    moved: &'a mut [Moved],
    counts: &'a mut [Counts],
    early: &'a mut [(Ghost<D>, Aabb<S, D>)],
}

impl<S: Scalar, const D: usize> Divisible for Placing<'_, S, D> {
    fn pieces(&self) -> usize {
        self.counts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * BLOCK).min(self.moved.len());
        let (moved, other_moved) = self.moved.split_at_mut(at);
        let (counts, other_counts) = self.counts.split_at_mut(pieces);
        let (early, other_early) = self.early.split_at_mut(pieces * EARLY);
        let rest = Placing { first: self.first + at, moved: other_moved, counts: other_counts, early: other_early };
        (Placing { first: self.first, moved, counts, early }, rest)
    }
}

/// The ghosts of some blocks of objects.
struct Making<'a, S, const D: usize> {
    block: usize,
    /// The figures before each of these blocks, and before the first block behind them.
    before: &'a [Counts],
    moved: &'a mut [Moved],
    ghosts: &'a mut [Ghost<D>],
    bounds: &'a mut [Aabb<S, D>],
    far: &'a mut [[i32; D]],
}

impl<S: Scalar, const D: usize> Divisible for Making<'_, S, D> {
    fn pieces(&self) -> usize {
        self.before.len() - 1
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (start, end) = (self.before[0], self.before[pieces]);
        let (moved, other_moved) = self.moved.split_at_mut((pieces * BLOCK).min(self.moved.len()));
        let (ghosts, other_ghosts) = self.ghosts.split_at_mut(end.ghosts - start.ghosts);
        let (bounds, other_bounds) = self.bounds.split_at_mut(end.ghosts - start.ghosts);
        let (far, other_far) = self.far.split_at_mut(end.far - start.far);
        let before = &self.before[pieces..];
        let block = self.block + pieces;
        let rest = Making { block, before, moved: other_moved, ghosts: other_ghosts, bounds: other_bounds, far: other_far };
        (Making { before: &self.before[..=pieces], moved, ghosts, bounds, far, ..self }, rest)
    }
}

/// The images of some objects, as objects of the engine.
pub(crate) struct ImagesOf<'a, S, const D: usize, O: ?Sized> {
    space: &'a Space<S, D>,
    objects: &'a O,
    pub(crate) owners: Owners<'a, D>,
    /// The boxes of ghosts.
    bounds: &'a [Aabb<S, D>],
}

impl<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized> ImagesOf<'_, S, D, O> {
    /// The object's box where it was placed.
    #[inline(always)]
    fn placed(&self, index: usize) -> Aabb<S, D> {
        let aabb = self.objects.bounds(index);
        // Comparing a box with the domain takes less time than reading a word.
        if self.space.is_well_inside(&aabb) { aabb } else { self.moved_in(index, aabb) }
    }

    /// The same for a box that may have to be moved. By value, so that boxes come in registers.
    #[inline(never)]
    fn moved_in(&self, index: usize, aabb: Aabb<S, D>) -> Aabb<S, D> {
        match self.space {
            // Placing it again takes less time than fetching a word from memory.
            Space::Domain(domain) if aabb.is_valid() => domain.wrap(aabb).map_or(Aabb::EMPTY, |wrapped| wrapped.bounds),
            Space::Domain(_) => aabb,
            Space::Lattice(..) => match self.owners.moved[index] {
                Moved::NOT => aabb,
                Moved::MISFIT => Aabb::EMPTY,
                _ => self.space.placed_box(&aabb, self.objects.ball(index), self.owners.periods(index)),
            },
        }
    }
}

impl<S: Scalar, const D: usize, O: Objects<S, D> + ?Sized> Objects<S, D> for ImagesOf<'_, S, D, O> {
    fn len(&self) -> usize {
        self.owners.moved.len() + self.bounds.len()
    }

    #[inline(always)]
    fn bounds(&self, image: usize) -> Aabb<S, D> {
        match image.checked_sub(self.owners.moved.len()) {
            None => self.placed(image),
            Some(ghost) => self.bounds[ghost],
        }
    }

    #[inline(always)]
    fn groups(&self, image: usize) -> Groups {
        self.objects.groups(self.owners.owner(image) as usize)
    }

    /// The ball where the image is.
    #[inline(always)]
    fn ball(&self, image: usize) -> Option<Ball<S, D>> {
        let Ball { center, radius } = self.objects.ball(self.owners.owner(image) as usize)?;
        Some(Ball { center: self.space.down(center, self.owners.periods(image)), radius })
    }

    /// Drops a pair of images if another one stands for the same meeting, and an object's meeting with itself. Then the objects decide.
    #[inline(always)]
    fn pair(&self, a: usize, b: usize) -> bool {
        if !self.owners.admit(a, b) {
            return false;
        }
        let meeting = self.owners.meeting(a as u32, b as u32);
        self.objects.pair_moved(meeting.a as usize, meeting.b as usize, || self.space.translation(meeting.shift))
    }

    #[inline(always)]
    fn prefetch(&self, image: usize) {
        match image.checked_sub(self.owners.moved.len()) {
            None => self.objects.prefetch(image),
            Some(ghost) => prefetch(self.bounds, ghost),
        }
    }
}

/// Makes the buffer at least this long, with some slack: the number of ghosts goes up and down as objects move.
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
    use crate::periodic::domain::Domain;

    /// Points along a diagonal, every third of them at the corner of the domain, where it has three ghosts.
    fn points(count: usize) -> Vec<Aabb<f32, 2>> {
        (0..count).map(|i| [if i % 3 == 0 { 10.0 } else { 1.0 }; 2]).map(|end| Aabb::new([1.0, 1.0], end)).collect()
    }

    fn unit_domain() -> Space<f32, 2> {
        Space::Domain(Domain::new(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, true]).expect("a domain"))
    }

    fn owners_of(images: &Images<f32, 2>) -> Vec<usize> {
        let count = images.objects() + images.owners().ghosts.len();
        (0..count).map(|image| images.owners().owner(image) as usize).collect()
    }

    #[test]
    fn ghosts_follow_in_the_order_of_their_objects() {
        for count in [0, 1, BLOCK, 3 * BLOCK, 4 * BLOCK + 7] {
            let mut images = Images::new();
            for team in [Team::ALONE, Team::of_current_pool()] {
                images.fill(&unit_domain(), &points(count)[..], usize::MAX, team, &Budget::unlimited());
                let expected = (0..count).chain((0..count).step_by(3).flat_map(|object| [object; 3]));
                assert!(owners_of(&images).into_iter().eq(expected), "{count} objects");
                let back: Vec<_> = images.owners().ghosts.iter().map(|ghost| ghost.back).collect();
                assert!(back.chunks(3).all(|back| back == [[1, 0], [0, 1], [1, 1]]));
            }
        }
    }

    /// An object beyond the limit is left out with all of its ghosts, and no other object is.
    #[test]
    fn the_limit_counts_ghosts() {
        let points = points(2 * BLOCK);
        for limit in [0, 3, 4, 5, 6, 9, 10, 1024, 1025, 1026, 1027, 1_000_000] {
            let objects = (0..=points.len()).rfind(|count| count + count.div_ceil(3) * 3 <= limit).expect("none always fit");
            let mut images = Images::new();
            images.fill(&unit_domain(), &points[..], limit, Team::ALONE, &Budget::unlimited());
            assert_eq!(images.objects(), objects, "limit {limit}");
            let owners = owners_of(&images);
            assert_eq!(owners.len(), objects + objects.div_ceil(3) * 3);
            assert!(owners.into_iter().all(|owner| owner < objects));
        }
    }

    /// Words hold up to 511 periods, a list the others.
    #[test]
    fn objects_that_are_far_away() {
        let numbers = [0, 1, -1, 511, 512, -512, -513, 100_000, 1 << 20, -(1 << 20)];
        let boxes: Vec<_> = numbers.map(|number| [number as f32 * 10.0 + 1.0; 2]).map(|min| Aabb::new(min, min)).to_vec();
        let mut images = Images::new();
        images.fill(&unit_domain(), &boxes[..], usize::MAX, Team::ALONE, &Budget::unlimited());
        let periods: Vec<_> = (0..boxes.len()).map(|object| images.owners().periods(object)).collect();
        assert_eq!(periods, numbers.map(|number| [number; 2]));
    }
}
