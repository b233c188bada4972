//! Particles in a lattice: each once inside the domain, and ghosts of those that reach its far borders.
//!
//! `images.rs` has the argument for domains whose objects are not longer than a period. Here an object may have several ghosts along an
//! axis, moved back by 1, 2, and so on, as long as they end in the domain. For two objects at given places, moved by any numbers of periods
//! against each other, there is exactly one pair of images of which on no axis both are moved. So every meeting is found once, that of an
//! object with itself included. A missing ghost would meet nothing, because all others begin in the domain.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::PeriodicReason;
use super::images::grow;
use super::kinds::Worth;
use super::lattice::{Lattice, LatticePlace};
use super::owners::are_apart;
use crate::runtime::memory::{Budget, bytes_of, reserve_with_slack};
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};
use crate::{Aabb, Ball, Scalar};

/// Particles, or ghosts, that a worker handles at a time.
const BLOCK: usize = 1024;

/// The particles that have images.
pub(crate) trait Replica<const D: usize>: Copy + Send + Sync {
    const VACANT: Self;

    /// The same, moved down by a number of periods.
    fn moved(&self, lattice: &Lattice<D>, periods: [i32; D]) -> Self;
}

impl<S: Scalar, const D: usize> Replica<D> for Ball<S, D> {
    /// A ball that the engine rejects.
    const VACANT: Self = Ball { center: [S::ZERO; D], radius: S::NEG_INFINITY };

    #[inline]
    fn moved(&self, lattice: &Lattice<D>, periods: [i32; D]) -> Self {
        Ball { center: lattice.down(self.center, periods), ..*self }
    }
}

/// A box, and the ball that an object is, if it is one.
impl<S: Scalar, const D: usize> Replica<D> for (Aabb<S, D>, Option<Ball<S, D>>) {
    const VACANT: Self = (Aabb::EMPTY, None);

    fn moved(&self, lattice: &Lattice<D>, periods: [i32; D]) -> Self {
        let (bounds, ball) = self;
        let bounds = Aabb { min: lattice.down(bounds.min, periods), max: lattice.down(bounds.max, periods) };
        // Around the ball where it has been moved to, and not the box moved: the two may differ in the last digit.
        let ball = ball.map(|ball| ball.moved(lattice, periods));
        (ball.map_or(bounds, |ball| ball.aabb()), ball)
    }
}

/// An image outside of the domain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ghost<const D: usize> {
    /// The particle whose ghost it is.
    pub(crate) owner: u32,
    /// By how many periods it is moved down from the particle's place in the domain.
    pub(crate) back: [u8; D],
}

/// The meanings of the numbers of images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a, const D: usize> {
    /// Images below this number are the particles themselves.
    pub(crate) particles: usize,
    /// The others, in the order of their owners.
    pub(crate) ghosts: &'a [Ghost<D>],
    /// By how many periods each particle was moved down; empty if none was.
    pub(crate) periods: &'a [[i32; D]],
    /// Whether most meetings of two images would not count, so that images are searched by [kind](super::Kinds).
    pub(crate) by_kind: bool,
}

impl<const D: usize> Frame<'_, D> {
    /// Particles that are not moved, without ghosts.
    pub(crate) fn plain(particles: usize) -> Self {
        Frame { particles, ghosts: &[], periods: &[], by_kind: false }
    }

    /// The particle of an image, and by how many periods the image is back from that particle's place in the domain.
    #[inline(always)]
    pub(crate) fn owner(&self, image: usize) -> (usize, [u8; D]) {
        match image.checked_sub(self.particles) {
            None => (image, [0; D]),
            Some(ghost) => (self.ghosts[ghost].owner as usize, self.ghosts[ghost].back),
        }
    }

    /// Whether all of these are particles. False does not mean that there is a ghost.
    #[inline(always)]
    pub(crate) fn has_no_ghosts(&self, images: &[u32]) -> bool {
        // The sign of a difference, because a maximum takes an instruction that not all machines have.
        let signs = images.iter().fold(0, |signs, &image| signs | (self.particles as u32).wrapping_sub(image).wrapping_sub(1));
        self.particles + self.ghosts.len() < 1 << 31 && signs >> 31 == 0
    }

    /// Whether a pair of images stands for a meeting that no other pair of images stands for.
    #[inline(always)]
    pub(crate) fn admits(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (one.checked_sub(self.particles), other.checked_sub(self.particles)) else { return true };
        are_apart(self.ghosts[one].back, self.ghosts[other].back)
    }

    /// For lists in which each meeting is in one row: whether the second is in the row of the first. That is the row of the smaller index;
    /// a particle that meets itself is in its row with the greater one of the two shifts.
    #[inline(always)]
    pub(crate) fn leads(&self, one: usize, other: usize) -> bool {
        let ((a, one), (b, other)) = (self.owner(one), self.owner(other));
        a < b || a == b && relative(one, other) > [0; D]
    }

    /// By how many periods a particle is moved from the user's position.
    #[inline(always)]
    pub(crate) fn periods(&self, particle: usize) -> [i32; D] {
        self.periods.get(particle).copied().unwrap_or([0; D])
    }

    /// Turns a shift between the places of two particles in the domain into a shift between the user's positions.
    #[inline(always)]
    pub(crate) fn shift(&self, particle: usize, other: usize, relative: [i8; D]) -> [i32; D] {
        let relative = relative.map(i32::from);
        if self.periods.is_empty() {
            return relative;
        }
        let (own, other) = (self.periods(particle), self.periods(other));
        std::array::from_fn(|axis| own[axis] - other[axis] + relative[axis])
    }
}

/// By how many periods to move the second one, for images that are back by these numbers of periods.
#[inline(always)]
pub(crate) fn relative<const D: usize>(own: [u8; D], other: [u8; D]) -> [i8; D] {
    std::array::from_fn(|axis| own[axis] as i8 - other[axis] as i8)
}

/// The images of a search, in memory that is kept for the next one.
#[derive(Debug)]
pub(crate) struct Replicas<P, const D: usize> {
    /// The particles in the user's order, then the ghosts in the order of their owners. May be longer than needed, like all below.
    images: Vec<P>,
    periods: Vec<[i32; D]>,
    /// How many ghosts the particles have along each vector.
    counts: Vec<[u8; D]>,
    ghosts: Vec<Ghost<D>>,
    /// How many ghosts the particles before each block of them have.
    ghosts_before: Vec<usize>,
    any_moved: bool,
    /// How many images there are of [long](Worth::long) particles.
    long: usize,
    particles: usize,
    /// How many ghosts there are.
    count: usize,
}

impl<P: Replica<D>, const D: usize> Replicas<P, D> {
    pub(crate) fn new() -> Self {
        let (images, periods, counts) = (Vec::new(), Vec::new(), Vec::new());
        let (ghosts, ghosts_before) = (Vec::new(), Vec::new());
        Replicas { images, periods, counts, ghosts, ghosts_before, any_moved: false, long: 0, particles: 0, count: 0 }
    }

    /// Particles and, behind them, ghosts.
    pub(crate) fn all(&self) -> &[P] {
        &self.images[..self.particles + self.count]
    }

    pub(crate) fn frame(&self) -> Frame<'_, D> {
        let periods = if self.any_moved { &self.periods[..self.particles] } else { &[] };
        let by_kind = Worth::ROWS.is_given(self.long, self.particles + self.count);
        Frame { particles: self.particles, ghosts: &self.ghosts[..self.count], periods, by_kind }
    }

    /// How many particles there are images of: all, unless these would be more than the limit.
    pub(crate) fn particles(&self) -> usize {
        self.particles
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes_of::<P>(self.images.capacity())
            + bytes_of::<[i32; D]>(self.periods.capacity())
            + bytes_of::<[u8; D]>(self.counts.capacity())
            + bytes_of::<Ghost<D>>(self.ghosts.capacity())
            + bytes_of::<usize>(self.ghosts_before.capacity())
    }

    /// Forgets all images.
    pub(crate) fn clear(&mut self) {
        (self.particles, self.count) = (0, 0);
    }

    /// Puts particles into the domain and makes their ghosts; at most `limit` images, for as many of the first particles as have room.
    ///
    /// `item` makes a particle and returns its place; one without a place is replaced by an object that the engine rejects. In parallel
    /// over blocks of particles. The place of an image does not depend on the worker that makes it.
    pub(crate) fn fill(
        &mut self,
        lattice: &Lattice<D>,
        particles: usize,
        limit: usize,
        team: Team,
        budget: &Budget,
        item: impl Fn(usize) -> (P, Result<LatticePlace<D>, PeriodicReason>) + Sync,
    ) {
        // If the user's code panics, nothing remains that looks like a result.
        self.clear();
        let particles = particles.min(limit);
        self.place(lattice, particles, team, budget, item);
        let mut sum = 0;
        for count in &mut self.ghosts_before {
            sum += *count;
            *count = sum;
        }
        let (particles, count) = self.fitting(particles, limit);
        self.make_ghosts(lattice, particles, count, team, budget);
        (self.particles, self.count) = (particles, count);
    }

    fn place(
        &mut self,
        lattice: &Lattice<D>,
        particles: usize,
        team: Team,
        budget: &Budget,
        item: impl Fn(usize) -> (P, Result<LatticePlace<D>, PeriodicReason>) + Sync,
    ) {
        grow(&mut self.images, particles, P::VACANT, budget);
        grow(&mut self.periods, particles, [0; D], budget);
        grow(&mut self.counts, particles, [0; D], budget);
        let blocks = particles.div_ceil(BLOCK);
        self.ghosts_before.clear();
        reserve_with_slack(&mut self.ghosts_before, blocks + 1);
        self.ghosts_before.resize(blocks + 1, 0);
        let (any_moved, all_long) = (AtomicBool::new(false), AtomicUsize::new(0));
        let placing = Placing {
            first: 0,
            images: &mut self.images[..particles],
            periods: &mut self.periods[..particles],
            counts: &mut self.counts[..particles],
            // Shifted by one place, so that summing up makes each the number *before* the block.
            ghosts: &mut self.ghosts_before[1..],
        };
        share_out(placing, team, &|placing: Placing<'_, P, D>| {
            let (mut ghosts, mut long, mut moved) = (0, 0, false);
            for (at, image) in placing.images.iter_mut().enumerate() {
                let (particle, place) = item(placing.first + at);
                (*image, placing.periods[at], placing.counts[at]) = match place {
                    Ok(LatticePlace { periods, counts }) => (particle.moved(lattice, periods), periods, counts),
                    Err(_) => (P::VACANT, [0; D], [0; D]),
                };
                moved |= placing.periods[at] != [0; D];
                ghosts += ghost_count(&placing.counts[at]);
                long += Worth::ROWS.long(&placing.counts[at]);
            }
            placing.ghosts[0] = ghosts;
            // Relaxed: read after the join.
            any_moved.fetch_or(moved, Ordering::Relaxed);
            all_long.fetch_add(long, Ordering::Relaxed);
        });
        (self.any_moved, self.long) = (any_moved.into_inner(), all_long.into_inner());
    }

    /// How many of the first particles have room for all their images within the limit, and how many ghosts they have.
    fn fitting(&self, particles: usize, limit: usize) -> (usize, usize) {
        let ghosts = self.ghosts_before.last().copied().unwrap_or(0);
        if particles.saturating_add(ghosts) <= limit {
            return (particles, ghosts);
        }
        let mut ghosts = 0;
        for (particle, counts) in self.counts[..particles].iter().enumerate() {
            let more = ghost_count(counts);
            if particle + 1 + ghosts + more > limit {
                return (particle, ghosts);
            }
            ghosts += more;
        }
        (particles, ghosts)
    }

    fn make_ghosts(&mut self, lattice: &Lattice<D>, particles: usize, count: usize, team: Team, budget: &Budget) {
        grow(&mut self.images, particles + count, P::VACANT, budget);
        grow(&mut self.ghosts, count, Ghost { owner: 0, back: [0; D] }, budget);
        let (images, ghosts) = self.images.split_at_mut(particles);
        let (images, counts) = (&*images, &self.counts[..particles]);
        let making = Making {
            block: 0,
            before: &self.ghosts_before[..=particles.div_ceil(BLOCK)],
            images: &mut ghosts[..count],
            ghosts: &mut self.ghosts[..count],
        };
        share_out(making, team, &|making: Making<'_, P, D>| {
            let first = making.block * BLOCK;
            let mut slots = making.images.iter_mut().zip(making.ghosts);
            for particle in (first..particles.min(first + BLOCK)).filter(|&particle| counts[particle] != [0; D]) {
                for_each_ghost(&counts[particle], |back| {
                    if let Some((image, ghost)) = slots.next() {
                        *image = images[particle].moved(lattice, back.map(i32::from));
                        *ghost = Ghost { owner: particle as u32, back };
                    }
                });
            }
        });
    }
}

pub(super) fn ghost_count<const D: usize>(counts: &[u8; D]) -> usize {
    counts.iter().map(|&count| usize::from(count) + 1).product::<usize>() - 1
}

/// Calls `f` with every choice of numbers up to these, except for all zeros.
pub(super) fn for_each_ghost<const D: usize>(counts: &[u8; D], mut f: impl FnMut([u8; D])) {
    let mut back = [0; D];
    // Counted up like the digits of a number.
    while let Some(axis) = (0..D).find(|&axis| back[axis] < counts[axis]) {
        back[axis] += 1;
        back[..axis].fill(0);
        f(back);
    }
}

/// Blocks of particles that are put into the domain.
struct Placing<'a, P, const D: usize> {
    first: usize,
    images: &'a mut [P],
    periods: &'a mut [[i32; D]],
    counts: &'a mut [[u8; D]],
    ghosts: &'a mut [usize],
}

impl<P: Send, const D: usize> Divisible for Placing<'_, P, D> {
    fn pieces(&self) -> usize {
        self.ghosts.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * BLOCK).min(self.images.len());
        let (images, other_images) = self.images.split_at_mut(at);
        let (periods, other_periods) = self.periods.split_at_mut(at);
        let (counts, other_counts) = self.counts.split_at_mut(at);
        let (ghosts, other_ghosts) = self.ghosts.split_at_mut(pieces);
        let first = self.first + at;
        let rest = Placing { first, images: other_images, periods: other_periods, counts: other_counts, ghosts: other_ghosts };
        (Placing { first: self.first, images, periods, counts, ghosts }, rest)
    }
}

/// The ghosts of some blocks of particles.
struct Making<'a, P, const D: usize> {
    block: usize,
    /// The number of ghosts before each of these blocks, and before the first block behind them.
    before: &'a [usize],
    images: &'a mut [P],
    ghosts: &'a mut [Ghost<D>],
}

impl<P: Send, const D: usize> Divisible for Making<'_, P, D> {
    fn pieces(&self) -> usize {
        self.before.len() - 1
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        // If there is a limit, the last block may have fewer ghosts than were counted.
        let at = (self.before[pieces] - self.before[0]).min(self.images.len());
        let (images, other_images) = self.images.split_at_mut(at);
        let (ghosts, other_ghosts) = self.ghosts.split_at_mut(at);
        let rest =
            Making { block: self.block + pieces, before: &self.before[pieces..], images: other_images, ghosts: other_ghosts };
        (Making { block: self.block, before: &self.before[..=pieces], images, ghosts }, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::periodic::Half;

    /// Every third point is at the corner of the domain, where it has three ghosts.
    fn filled(count: usize, limit: usize, team: Team) -> Replicas<Ball<f32, 2>, 2> {
        let lattice = Lattice::new([[10.0, 0.0], [0.0, 10.0]], [true; 2]).expect("a lattice");
        let mut replicas = Replicas::new();
        replicas.fill(&lattice, count, limit, team, &Budget::unlimited(), |index| {
            let ball = Ball::new([if index % 3 == 0 { 9.5f32 } else { 5.0 }; 2], 1.0);
            (ball, lattice.place::<f32>(ball.center.map(f64::from), Half::Ball(1.0), 1.0))
        });
        replicas
    }

    #[test]
    fn ghosts_follow_in_the_order_of_their_owners() {
        for count in [0, 1, BLOCK, 3 * BLOCK, 4 * BLOCK + 7] {
            for team in [Team::ALONE, Team::of_current_pool()] {
                let replicas = filled(count, usize::MAX, team);
                let owners: Vec<usize> = (0..replicas.all().len()).map(|image| replicas.frame().owner(image).0).collect();
                assert!(owners.into_iter().eq((0..count).chain((0..count).step_by(3).flat_map(|owner| [owner; 3]))), "{count}");
                let back: Vec<_> = replicas.frame().ghosts.iter().map(|ghost| ghost.back).collect();
                assert!(back.chunks(3).all(|back| back == [[1, 0], [0, 1], [1, 1]]));
                let places = replicas.all()[count..].iter().map(|ball| ball.center);
                assert!(places.eq((0..count).step_by(3).flat_map(|_| [[-0.5, 9.5], [9.5, -0.5], [-0.5, -0.5]])));
            }
        }
    }

    /// A particle beyond the limit is left out with all its ghosts.
    #[test]
    fn the_limit_counts_ghosts() {
        for limit in [0, 3, 4, 5, 6, 9, 10, 1024, 1025, 1026, 1027, 1_000_000] {
            let particles = (0..=2 * BLOCK).rfind(|count| count + count.div_ceil(3) * 3 <= limit).expect("none always fit");
            let replicas = filled(2 * BLOCK, limit, Team::ALONE);
            assert_eq!(replicas.particles(), particles, "limit {limit}");
            assert_eq!(replicas.all().len(), particles + particles.div_ceil(3) * 3);
        }
    }
}
