//! Pairs in a domain that repeats itself: the engine, given every object and its ghosts.
//!
//! `domain.rs` has the arithmetic, `images.rs` makes the ghosts and tells why every meeting is found once. Both know nothing of
//! the engine but [`Bounded`], so anything else that needs neighbors across a border can stand on them.

mod casts;
mod copies;
mod domain;
mod images;
mod legs;
mod nearest;
mod pairs;
mod queries;
mod rejected;

use crate::lockfree::Blocks;
use crate::runtime::team::Team;
use crate::{Aabb, Ball, Bounded, BroadPhase, Config, MAX_OBJECTS, Pair, Pairs, RejectReason, Rejected, Scalar, Stats};
pub(crate) use domain::Domain;
pub(crate) use images::{Image, Images};
pub use pairs::{PeriodicPair, PeriodicPairs};
pub use queries::{PeriodicQueries, Shifted};
pub use rejected::{PeriodicError, PeriodicReason, PeriodicRejected};

/// Finds all pairs of overlapping boxes in a domain that is periodic along some axes: what leaves it on one side comes in on the
/// other, and objects meet across the border.
///
/// ```
/// use pivotgrid::{Aabb, Periodic, PeriodicError, PeriodicPair};
///
/// // A channel: periodic along x, walls along y.
/// let mut channel = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 3.0]), [true, false])?;
/// let boxes = [
///     Aabb::new([9.5, 1.0], [10.5, 2.0]), // reaches across the border
///     Aabb::new([0.2, 1.0], [0.4, 2.0]),  // meets it there
///     Aabb::new([-9.7, 1.5], [-9.0, 1.6]), // has left the domain, and is back at x = 0.3
/// ];
/// let pairs = channel.par_detect(&boxes);
/// let expected = [
///     PeriodicPair { a: 0, b: 1, shift: [1, 0] }, // moved by one period, box 1 overlaps box 0
///     PeriodicPair { a: 0, b: 2, shift: [2, 0] },
///     PeriodicPair { a: 1, b: 2, shift: [1, 0] },
/// ];
/// assert_eq!(pairs.sorted(), expected);
/// # Ok::<(), PeriodicError>(())
/// ```
///
/// Positions may lie anywhere, inside the domain or outside. An object may be as long as the period, and then touches itself
/// across the border; an object's meeting with itself is not reported. Longer ones are left out and listed in
/// [`PeriodicPairs::rejected`], like invalid boxes.
///
/// # Rounding
///
/// A box whose `min` lies in the domain is taken as it is; another is moved into it by `bound - n * period`, computed in `f64`
/// and rounded to `S` once. Then boxes, moved back by `bound - period` (rounded likewise) where they meet across a border, are
/// compared exactly. So pairs inside the domain are exact, and others as exact as positions a period away can be.
///
/// # Cost
///
/// Ghosts are objects to the engine, so what matters is how many objects reach a border. Keep it between steps: its memory is
/// reused, and a steady scene allocates nothing.
#[derive(Debug)]
pub struct Periodic<S: Scalar = f32, const D: usize = 3> {
    domain: Domain<S, D>,
    images: Images<S, D>,
    broad_phase: BroadPhase<S, D>,
    rejected: Vec<PeriodicRejected>,
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Repeats `domain` along the axes that are marked. Its bounds on the other axes mean nothing.
    pub fn new(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Self, PeriodicError> {
        Self::with_config(domain, periodic, Config::default())
    }

    /// The same with settings for the engine.
    pub fn with_config(domain: Aabb<S, D>, periodic: [bool; D], config: Config) -> Result<Self, PeriodicError> {
        let broad_phase = BroadPhase::with_config(config)?;
        Ok(Periodic { domain: space(domain, periodic)?, images: Images::new(), broad_phase, rejected: Vec::new() })
    }

    /// Finds all pairs on the threads of the rayon pool in which it is called, like [`BroadPhase::par_detect`].
    ///
    /// [`Bounded::pairs_with`] is asked once per meeting, of the objects as they are and not as they are shifted: it is for
    /// questions of who, not of where. (So a [`Swept`](crate::Swept), which asks it where the other is, does not go with this.)
    /// [`Ball`]s are compared where they meet.
    pub fn par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> PeriodicPairs<'_, S, D> {
        if objects.len() <= self.broad_phase.engine.config.serial_up_to {
            return self.detect(objects);
        }
        // One way into the pool for the whole step, instead of one per pass.
        rayon::scope(|_| self.step(objects, Team::of_current_pool()));
        self.found()
    }

    /// Finds all pairs on the calling thread: the same as [`par_detect`](Self::par_detect) with one worker.
    pub fn detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> PeriodicPairs<'_, S, D> {
        self.step(objects, Team::ALONE);
        self.found()
    }

    /// What the engine did in the last step and what it cost; its objects are objects and ghosts.
    pub fn stats(&self) -> &Stats {
        &self.broad_phase.engine.stats
    }

    /// Gives back memory that holds nothing any more.
    pub fn shrink_to_fit(&mut self) {
        self.broad_phase.shrink_to_fit();
        self.images.shrink_to_fit();
        self.rejected = Vec::new();
        self.count_own_bytes();
    }

    fn found(&self) -> PeriodicPairs<'_, S, D> {
        let engine = &self.broad_phase.engine;
        PeriodicPairs::new(Pairs::new(&engine.pairs, &engine.rejected), self.images.all(), &self.rejected)
    }

    fn step<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) {
        self.images.fill(&self.domain, objects, MAX_OBJECTS, team);
        match team.workers() {
            1 => self.broad_phase.detect(self.images.all()),
            _ => self.broad_phase.par_detect(self.images.all()),
        };
        self.filter(objects, team);
        self.list_rejected(objects.len());
        self.count_own_bytes();
    }

    /// Asks the user's objects about the pairs that the images had nothing against. If all of them are plain boxes, the
    /// compiler leaves nothing of this but a walk over the blocks.
    fn filter<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) {
        let (images, domain, engine) = (self.images.all(), &self.domain, &mut self.broad_phase.engine);
        // `get`, because a bounds check that could panic would have to be kept.
        let owner = |image: u32| images.get(image as usize).and_then(|i| Some((i, objects.get(i.object as usize)?)));
        let wanted = |pair: &Pair| {
            let (Some((i, a)), Some((j, b))) = (owner(pair.a), owner(pair.b)) else { return true };
            let apart = match (a.ball(), b.ball()) {
                (Some(one), Some(other)) => !image_of(one, i, domain).touches(&image_of(other, j, domain)),
                _ => false,
            };
            !apart && a.groups().admit(b.groups()) && a.pairs_with(b)
        };
        let team = team.at_most(engine.pairs.len());
        let blocks = Blocks::new(&mut engine.pairs, 1);
        team.run(|| {
            while let Some(block) = blocks.claim_one() {
                block.retain(wanted);
            }
        });
        engine.stats.pairs = engine.pairs.iter().map(Vec::len).sum();
    }

    /// The engine has rejected the images of bad objects; now says why.
    fn list_rejected(&mut self, objects: usize) {
        list_rejected(&self.images, &self.broad_phase.engine.rejected, objects, &mut self.rejected);
    }

    fn count_own_bytes(&mut self) {
        let own = self.images.bytes() + self.rejected.capacity() * size_of::<PeriodicRejected>();
        self.broad_phase.engine.stats.bytes += own;
    }
}

/// Lists the objects, of so many, that were left out, and why: those of which the engine rejected the image, and those for which
/// there was no image any more.
pub(crate) fn list_rejected<S: Scalar, const D: usize>(
    images: &Images<S, D>,
    by_engine: &[Rejected],
    objects: usize,
    list: &mut Vec<PeriodicRejected>,
) {
    list.clear();
    list.extend(by_engine.iter().map(|rejected| PeriodicRejected {
        index: rejected.index,
        reason: images.all()[rejected.index].misfit.unwrap_or(PeriodicReason::Box(rejected.reason)),
    }));
    if images.objects() < objects {
        list.push(PeriodicRejected { index: images.objects(), reason: PeriodicReason::Box(RejectReason::BeyondIndex) });
    }
}

/// The space that repeats `domain` along the axes that are marked, or what is wrong with it.
pub(crate) fn space<S: Scalar, const D: usize>(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Domain<S, D>, PeriodicError> {
    Domain::new(domain, periodic).map_err(|axis| PeriodicError::Period {
        axis,
        low: domain.min[axis].to_f64(),
        high: domain.max[axis].to_f64(),
    })
}

/// The ball where the image is.
pub(crate) fn image_of<S: Scalar, const D: usize>(ball: Ball<S, D>, image: &Image<S, D>, domain: &Domain<S, D>) -> Ball<S, D> {
    Ball { center: domain.down(ball.center, image.periods), radius: ball.radius }
}
