//! Pairs in a domain that repeats itself: the engine, given every object and its ghosts.
//!
//! `domain.rs` has the arithmetic, `images.rs` makes the ghosts and tells why every meeting is found once. Both know nothing of
//! the engine but [`Bounded`], so anything else that needs neighbors across a border can stand on them.

mod casts;
mod domain;
mod images;
mod lattice;
mod nearest;
mod pairs;
mod path;
mod queries;
mod query_images;
mod rejected;
mod replicas;

use crate::engine::Engine;
use crate::lockfree::Blocks;
use crate::runtime::clock::Clock;
use crate::runtime::memory::{self, Budget};
use crate::runtime::scope::scope;
use crate::runtime::team::{Team, Threads};
use crate::sorting::Ordered;
use crate::{
    Aabb, Ball, Bounded, BroadPhase, Config, DetectError, MAX_OBJECTS, Pair, Pairs, RejectReason, Rejected, Scalar, Stats,
};
use domain::Domain;
pub(crate) use images::grow;
use images::{Image, Images};
pub(crate) use lattice::Half;
pub use lattice::Lattice;
pub use pairs::{PeriodicPair, PeriodicPairs, WithoutShifts};
pub use queries::{PeriodicQueries, Shifted};
pub use rejected::{PeriodicError, PeriodicReason, PeriodicRejected};
pub(crate) use replicas::{Frame, Replicas, relative};

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
    /// Whether pairs are wanted in ascending order, and these pairs. The engine orders none: its pairs are of images.
    canonical_order: bool,
    ordered: Ordered<PeriodicPair<D>>,
    rejected: Vec<PeriodicRejected>,
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Repeats `domain` along the axes that are marked. Its bounds on the other axes mean nothing.
    pub fn new(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Self, PeriodicError> {
        Self::with_config(domain, periodic, Config::default())
    }

    /// The same with settings for the engine.
    pub fn with_config(domain: Aabb<S, D>, periodic: [bool; D], config: Config) -> Result<Self, PeriodicError> {
        let canonical_order = config.canonical_order;
        let broad_phase = BroadPhase::with_config(config.canonical_order(false))?;
        let (domain, images) = (space(domain, periodic)?, Images::new());
        Ok(Periodic { domain, images, broad_phase, canonical_order, ordered: Ordered::default(), rejected: Vec::new() })
    }

    /// Finds all pairs on the threads of the rayon pool in which it is called, like [`BroadPhase::par_detect`].
    ///
    /// [`Bounded::pairs_with`] is asked once per meeting, of the objects as they are and not as they are shifted: it is for
    /// questions of who, not of where. (So a [`Swept`](crate::Swept), which asks it where the other is, does not go with this.)
    /// [`Ball`]s are compared where they meet.
    ///
    /// # Panics
    ///
    /// If the user's [`Bounded`] does, and if memory is refused; [`try_par_detect`](Self::try_par_detect) returns an error for the latter.
    /// After both there is nothing to be found by [`queries`](Self::queries) until the next step.
    pub fn par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> PeriodicPairs<'_, S, D> {
        let team = self.team(objects.len());
        self.run(objects, team).unwrap_or_else(|error| panic!("{error}"));
        self.found()
    }

    /// Finds all pairs on the calling thread: the same as [`par_detect`](Self::par_detect) with one worker.
    ///
    /// # Panics
    ///
    /// As [`par_detect`](Self::par_detect).
    pub fn detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> PeriodicPairs<'_, S, D> {
        self.run(objects, Team::ALONE).unwrap_or_else(|error| panic!("{error}"));
        self.found()
    }

    /// [`par_detect`](Self::par_detect) that returns an error when memory is refused, by the system or by [`Config::max_bytes`] (which
    /// counts images and ordered pairs, too), and when there are more than [`MAX_OBJECTS`] objects and ghosts. Nearly all memory is then
    /// given back, and the next step goes on as if nothing had been.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Config, DetectError, Periodic};
    ///
    /// let config = Config::default().max_bytes(1_000_000);
    /// let mut ring = Periodic::<f32, 2>::with_config(Aabb::new([0.0, 0.0], [10.0, 10.0]), [true, false], config)?;
    /// let boxes = vec![Aabb::new([9.0, 1.0], [11.0, 2.0]); 3000]; // each meets each
    /// assert_eq!(ring.try_par_detect(&boxes[..100])?.len(), 100 * 99 / 2);
    /// assert!(matches!(ring.try_par_detect(&boxes), Err(DetectError::OverBudget { max_bytes: 1_000_000, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<PeriodicPairs<'_, S, D>, DetectError> {
        let team = self.team(objects.len());
        self.try_run(objects, team)?;
        Ok(self.found())
    }

    /// [`detect`](Self::detect), with the errors of [`try_par_detect`](Self::try_par_detect).
    pub fn try_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<PeriodicPairs<'_, S, D>, DetectError> {
        self.try_run(objects, Team::ALONE)?;
        Ok(self.found())
    }

    /// What the engine did in the last step and what it cost; its objects are objects and ghosts.
    pub fn stats(&self) -> &Stats {
        &self.broad_phase.engine.builder.stats
    }

    /// Gives back memory that holds nothing any more.
    pub fn shrink_to_fit(&mut self) {
        self.broad_phase.shrink_to_fit();
        self.images.shrink_to_fit();
        (self.ordered, self.rejected) = (Ordered::default(), Vec::new());
        self.count_own_bytes();
    }

    fn team(&self, objects: usize) -> Team<'static> {
        Threads::Pool.team(objects <= self.broad_phase.engine.builder.config.serial_up_to)
    }

    fn found(&self) -> PeriodicPairs<'_, S, D> {
        let engine = &self.broad_phase.engine;
        let ordered = self.canonical_order.then_some(&self.ordered.pairs[..]);
        PeriodicPairs::new(
            Pairs::new(&engine.detector.pairs, &engine.builder.rejected),
            ordered,
            self.images.all(),
            &self.rejected,
        )
    }

    /// [`run`](Self::run), unless some objects would have to be left out because there are too many.
    fn try_run<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) -> Result<(), DetectError> {
        self.run(objects, team)?;
        match self.images.objects() < objects.len() {
            true => Err(DetectError::TooManyObjects(objects.len())),
            false => Ok(()),
        }
    }

    /// A step, or why there was none.
    fn run<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) -> Result<(), DetectError> {
        let outcome = memory::catch(|| team.enter(|| self.step(objects, team)));
        let outcome = outcome.and_then(|step| step);
        if outcome.is_err() {
            self.broad_phase.engine.release();
            self.images = Images::new();
            (self.ordered, self.rejected) = (Ordered::default(), Vec::new());
        }
        outcome
    }

    fn step<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) -> Result<(), DetectError> {
        // If the user's code panics in the midst of this, the engine must not be asked about images that are no longer there.
        let known = std::mem::take(&mut self.broad_phase.engine.builder.known);
        let limit = self.broad_phase.engine.builder.config.max_bytes;
        let mut budget = Budget::new(limit);
        budget.begin(self.broad_phase.engine.bytes() + self.own_bytes());
        let mut clock = Clock::start();
        scope!("pivotgrid::images", self.images.fill(&self.domain, objects, MAX_OBJECTS, team, &budget));
        let images = clock.lap();
        self.broad_phase.engine.builder.known = known;
        let own = self.own_bytes();
        limit_beside(&mut self.broad_phase.engine, own);
        let found = match team.workers() {
            1 => self.broad_phase.try_detect(self.images.all()),
            _ => self.broad_phase.try_par_detect(self.images.all()),
        };
        found.map_err(|error| with_own(error, own, limit))?;
        let known = std::mem::take(&mut self.broad_phase.engine.builder.known);
        clock.lap();
        scope!("pivotgrid::filter", self.filter(objects, team));
        let filter = clock.lap();
        budget.begin(self.broad_phase.engine.bytes() + self.own_bytes());
        scope!("pivotgrid::order", self.order(team, &budget));
        self.list_rejected(objects.len());
        let times = &mut self.broad_phase.engine.builder.stats.times;
        (times.images, times.filter, times.order) = (images, filter, clock.lap());
        self.broad_phase.engine.builder.known = known;
        self.count_own_bytes();
        Ok(())
    }

    /// Puts the pairs into ascending order, if that is wanted.
    fn order(&mut self, team: Team, budget: &Budget) {
        if !self.canonical_order {
            return;
        }
        let engine = &self.broad_phase.engine;
        let pairs = PeriodicPairs::new(Pairs::new(&engine.detector.pairs, &[]), None, self.images.all(), &[]);
        budget.check(Ordered::<PeriodicPair<D>>::bytes_for(pairs.len()).saturating_sub(self.ordered.bytes()));
        self.ordered.sort(&pairs, team);
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
        let team = team.at_most(engine.detector.pairs.len());
        let blocks = Blocks::new(&mut engine.detector.pairs, 1);
        team.run(|| {
            while let Some(block) = blocks.claim_one() {
                block.retain(wanted);
            }
        });
        engine.builder.stats.pairs = engine.detector.pairs.iter().map(Vec::len).sum();
    }

    /// The engine has rejected the images of bad objects; now says why.
    fn list_rejected(&mut self, objects: usize) {
        list_rejected(&self.images, &self.broad_phase.engine.builder.rejected, objects, &mut self.rejected);
    }

    fn own_bytes(&self) -> usize {
        self.images.bytes() + self.ordered.bytes() + self.rejected.capacity() * size_of::<PeriodicRejected>()
    }

    fn count_own_bytes(&mut self) {
        self.broad_phase.engine.builder.stats.bytes += self.own_bytes();
    }
}

/// Leaves the engine what the user's limit has left beside so many bytes that belong to its owner.
pub(crate) fn limit_beside<S: Scalar, const D: usize>(engine: &mut Engine<S, D>, own: usize) {
    engine.builder.budget = Budget::new(engine.builder.config.max_bytes.map(|limit| limit.saturating_sub(own)));
}

/// The engine's error in terms of the user's limit, if so many bytes belong to its owner.
pub(crate) fn with_own(error: DetectError, own: usize, limit: Option<usize>) -> DetectError {
    match (error, limit) {
        (DetectError::OverBudget { needed, max_bytes: left }, Some(max_bytes)) if left != max_bytes => {
            DetectError::OverBudget { needed: needed.saturating_add(own), max_bytes }
        }
        (error, _) => error,
    }
}

/// Lists the objects, of so many, that were left out, and why: those of which the engine rejected the image, and those for which
/// there was no image any more.
fn list_rejected<S: Scalar, const D: usize>(
    images: &Images<S, D>,
    by_engine: &[Rejected],
    objects: usize,
    list: &mut Vec<PeriodicRejected>,
) {
    list.clear();
    memory::reserve(list, by_engine.len() + 1);
    list.extend(by_engine.iter().map(|rejected| PeriodicRejected {
        index: rejected.index,
        reason: images.all()[rejected.index].misfit.unwrap_or(PeriodicReason::Box(rejected.reason)),
    }));
    if images.objects() < objects {
        list.push(PeriodicRejected { index: images.objects(), reason: PeriodicReason::Box(RejectReason::BeyondIndex) });
    }
}

/// Lists the particles of a search, of so many, that were left out: those that the engine rejected, for which `misfit` may know a better
/// reason, and those behind the first so many that there were images of.
pub(crate) fn rejected_of(
    by_engine: &[Rejected],
    made: usize,
    particles: usize,
    misfit: impl Fn(usize) -> Option<PeriodicReason>,
    list: &mut Vec<PeriodicRejected>,
) {
    list.clear();
    memory::reserve(list, by_engine.len() + 1);
    list.extend(by_engine.iter().filter(|rejected| rejected.index < made).map(|rejected| PeriodicRejected {
        index: rejected.index,
        reason: misfit(rejected.index).unwrap_or(PeriodicReason::Box(rejected.reason)),
    }));
    if made < particles {
        list.push(PeriodicRejected { index: made, reason: PeriodicReason::Box(RejectReason::BeyondIndex) });
    }
}

/// The space that repeats `domain` along the axes that are marked, or what is wrong with it.
fn space<S: Scalar, const D: usize>(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Domain<S, D>, PeriodicError> {
    Domain::new(domain, periodic).map_err(|axis| PeriodicError::Period {
        axis,
        low: domain.min[axis].to_f64(),
        high: domain.max[axis].to_f64(),
    })
}

/// The ball where the image is.
fn image_of<S: Scalar, const D: usize>(ball: Ball<S, D>, image: &Image<S, D>, domain: &Domain<S, D>) -> Ball<S, D> {
    Ball { center: domain.down(ball.center, image.periods), radius: ball.radius }
}
