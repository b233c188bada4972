//! Pairs and queries in a periodic space: the engine works on every object and its ghosts.
//!
//! `domain.rs` and `lattice.rs` contain the arithmetic; `space.rs` is the common interface of both. `images.rs` makes the ghosts and proves
//! that every meeting is found once. `owners.rs` maps the number of an image to its object. `step.rs` is a step, `sources.rs` the sources
//! of its objects, `statics.rs` static sets. Queries begin in `queries.rs`.

mod by_kind;
mod casts;
mod domain;
mod images;
mod kinds;
mod lattice;
mod lattice_queries;
mod nearest;
mod owners;
mod pairs;
mod path;
mod queries;
mod query_images;
mod rejected;
mod replicas;
mod sources;
mod space;
mod statics;
mod step;

use crate::engine::Engine;
use crate::request::{Request, WithinSet};
use crate::runtime::memory;
use crate::runtime::objects::FnObjects;
use crate::sorting::Ordered;
use crate::{Aabb, Bounded, BroadPhase, Config, DetectError, RejectReason, Rejected, Scalar, StaticSet, Stats};
use by_kind::ByKind;
use domain::Domain;
use images::Images;
pub(crate) use images::grow;
pub(crate) use kinds::{Kinds, kind_of};
pub(crate) use lattice::Half;
pub use lattice::Lattice;
pub use pairs::{AnyPeriodicPair, PeriodicCrossPair, PeriodicPair, PeriodicPairs, PeriodicPairsWithStatics, WithoutShifts};
pub use queries::{PeriodicQueries, Shifted};
pub use rejected::{PeriodicError, PeriodicReason, PeriodicRejected};
pub(crate) use replicas::{Frame, Replicas, relative};
use space::Space;
use statics::StaticImages;

/// Finds all pairs of overlapping boxes in a domain that is periodic along some axes: objects that leave on one side come in on the other,
/// and objects meet across the border.
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
/// It takes the requests of a [`BroadPhase`]: [`over`](Self::over) a slice or [`over_fn`](Self::over_fn) by index, against a second set,
/// with a static set, on any threads, stored, visited or folded. [`Groups`](crate::Groups) and [`Ball`](crate::Ball)s are compared where
/// objects meet. [`Bounded::pairs_with_moved`] is called once per meeting, with the vector by which the second object is moved, so boxes in
/// motion ([`MovingBox`](crate::MovingBox)) meet across the border, too.
///
/// Positions may lie anywhere, inside the domain or outside. An object may be as long as the period, and then touches itself
/// across the border; an object's meeting with itself is not reported. Longer ones are left out and listed in
/// [`PeriodicPairs::rejected`], like invalid boxes. [`of_lattice`](Self::of_lattice) takes those, too, and sheared cells.
///
/// # Rounding
///
/// A box whose `min` lies in the domain is taken as it is; another is moved into it by `bound - n * period`, computed in `f64` and rounded
/// to `S` once. Then boxes, moved back by `bound - period` (rounded likewise) where they meet across a border, are compared exactly. So
/// pairs inside the domain are exact, and pairs across a border as exact as positions a period away can be.
///
/// # Cost
///
/// Ghosts cost as much as objects, so the cost depends on the number of objects that reach a border. [`Bounded::aabb`] is called twice per
/// object and step, three times for those that have ghosts. Keep it between steps: its memory is reused, and a steady scene allocates
/// nothing.
///
/// The images of a static set are kept, too. Up to some dozens of changes of the set between two steps cost a few microseconds each; after
/// more of them, or with another set, the next step makes all images again.
#[derive(Debug)]
pub struct Periodic<S: Scalar = f32, const D: usize = 3> {
    space: Space<S, D>,
    images: Images<S, D>,
    broad_phase: BroadPhase<S, D>,
    /// Whether pairs are requested in ascending order, and these pairs. The engine orders none: its pairs are of images.
    canonical_order: bool,
    ordered: Ordered<PeriodicPair<D>>,
    static_ordered: Ordered<PeriodicPair<D>>,
    rejected: Vec<PeriodicRejected>,
    /// Where the second set of the last step begins, if that had two.
    second_set_start: u32,
    /// The images of the static set that was used last.
    statics: StaticImages<S, D>,
    by_kind: ByKind<S, D>,
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Repeats `domain` along the marked axes. Its bounds on the other axes are ignored.
    pub fn new(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Self, PeriodicError> {
        Self::with_config(domain, periodic, Config::default())
    }

    /// The same with settings for the engine.
    pub fn with_config(domain: Aabb<S, D>, periodic: [bool; D], config: Config) -> Result<Self, PeriodicError> {
        Self::of_space(Space::Domain(space(domain, periodic)?), config)
    }

    /// Repeats space along any vectors: for a sheared (triclinic) cell, or one that is shorter than its objects.
    ///
    /// The numbers of shifts count the vectors of the lattice. Boxes still have their sides along the axes. An object may be up to 98
    /// periods long and have up to 4096 images; others are left out and listed in [`PeriodicPairs::rejected`]. Two objects may meet in
    /// several places.
    ///
    /// All coordinates are moved by sums of vectors that are computed in `f64` and rounded to `S` once. Objects that lie inside the
    /// domain, which begins at zero, are not moved.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Lattice, Periodic, PeriodicError, PeriodicPair};
    ///
    /// // Shear flow: what leaves at the top comes in again at the bottom, three to the left.
    /// let mut flow = Periodic::<f32, 2>::of_lattice(Lattice::new([[10.0, 0.0], [3.0, 8.0]], [true, true])?);
    /// let boxes = [Aabb::new([4.5, 7.5], [5.5, 8.5]), Aabb::new([1.5, 0.0], [2.0, 1.0]), Aabb::new([0.0, 3.0], [25.0, 4.0])];
    /// let pairs = flow.par_detect(&boxes);
    /// assert_eq!(pairs.sorted(), [PeriodicPair { a: 0, b: 1, shift: [0, 1] }]);
    ///
    /// // The third is longer than two periods: something beside it meets it two or three times.
    /// let pairs = flow.par_detect(&[boxes[2], Aabb::new([1.0, 3.5], [2.0, 3.6])]);
    /// assert_eq!(pairs.iter().map(|pair| pair.shift[0]).sum::<i32>(), 0 + 1 + 2);
    /// # Ok::<(), PeriodicError>(())
    /// ```
    pub fn of_lattice(lattice: Lattice<D>) -> Self {
        Self::of_valid(Space::of_lattice(lattice), BroadPhase::new(), StaticSet::new(), false)
    }

    /// [`of_lattice`](Self::of_lattice) with settings for the engine.
    pub fn of_lattice_with_config(lattice: Lattice<D>, config: Config) -> Result<Self, PeriodicError> {
        Self::of_space(Space::of_lattice(lattice), config)
    }

    /// Repeats another domain from the next step on, and keeps the memory and the order: for a domain that grows or shrinks. What the last
    /// step found is gone.
    pub fn set_domain(&mut self, domain: Aabb<S, D>, periodic: [bool; D]) -> Result<(), PeriodicError> {
        self.set_space(Space::Domain(space(domain, periodic)?));
        Ok(())
    }

    /// The same with a lattice: for a cell that is sheared more and more (`examples/periodic.rs`).
    pub fn set_lattice(&mut self, lattice: Lattice<D>) {
        self.set_space(Space::of_lattice(lattice));
    }

    fn set_space(&mut self, space: Space<S, D>) {
        self.begin();
        self.abandon();
        self.space = space;
        self.statics.forget();
    }

    fn of_space(space: Space<S, D>, config: Config) -> Result<Self, PeriodicError> {
        let canonical_order = config.canonical_order;
        let config = config.canonical_order(false);
        let (broad_phase, statics) = (BroadPhase::with_config(config.clone())?, StaticSet::with_config(config)?);
        Ok(Self::of_valid(space, broad_phase, statics, canonical_order))
    }

    fn of_valid(space: Space<S, D>, broad_phase: BroadPhase<S, D>, statics: StaticSet<S, D>, canonical_order: bool) -> Self {
        let (ordered, static_ordered) = (Ordered::default(), Ordered::default());
        let (images, statics, rejected) = (Images::new(), StaticImages::new(statics), Vec::new());
        let (second_set_start, by_kind) = (0, ByKind::new());
        Periodic {
            space,
            images,
            broad_phase,
            canonical_order,
            ordered,
            static_ordered,
            rejected,
            second_set_start,
            statics,
            by_kind,
        }
    }

    /// Requests a step over the objects of a slice: see [`Request`].
    ///
    /// ```
    /// use pivotgrid::{Aabb, Periodic, PeriodicCrossPair, PeriodicError, StaticSet};
    ///
    /// let mut channel = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 3.0]), [true, false])?;
    /// let boxes = [Aabb::new([9.5, 0.0], [10.5, 1.0]), Aabb::new([5.0, 1.0], [6.0, 2.0])];
    /// let mut walls = StaticSet::<f32, 2>::new();
    /// walls.build(&[Aabb::new([0.0, -1.0], [10.0, 0.0]), Aabb::new([0.2, 0.0], [0.3, 9.0])]);
    ///
    /// let found = channel.over(&boxes).with(&walls).pairs();
    /// assert!(found.moving.is_empty());
    /// let met = |second, x| PeriodicCrossPair { first: 0, second, shift: [x, 0] };
    /// assert_eq!(found.statics.sorted(), [met(0, 0), met(0, 1), met(1, 1)]); // the floor on both sides of the border, and a post
    /// # Ok::<(), PeriodicError>(())
    /// ```
    pub fn over<'o, T: Bounded<S, D> + Sync>(&mut self, objects: &'o [T]) -> Request<'_, 'static, Self, WithinSet<&'o [T]>> {
        Request::new(self, WithinSet(objects))
    }

    /// Requests a step over `count` objects whose boxes a function returns by index, like [`BroadPhase::over_fn`].
    pub fn over_fn<F>(&mut self, count: usize, aabb: F) -> Request<'_, 'static, Self, WithinSet<FnObjects<F>>>
    where
        F: Fn(usize) -> Aabb<S, D> + Sync,
    {
        Request::new(self, WithinSet(FnObjects { len: count, bounds: aabb }))
    }

    /// Finds all pairs on the threads of the rayon pool in which it is called, like [`BroadPhase::par_detect`].
    ///
    /// # Panics
    ///
    /// If the user's [`Bounded`] does, and if memory is refused; [`try_par_detect`](Self::try_par_detect) returns an error for the latter.
    /// After both, [`queries`](Self::queries) find nothing until the next step.
    pub fn par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> PeriodicPairs<'_, D> {
        self.over(objects).pairs()
    }

    /// Finds all pairs on the calling thread: the same as [`par_detect`](Self::par_detect) with one worker.
    ///
    /// # Panics
    ///
    /// As [`par_detect`](Self::par_detect).
    pub fn detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> PeriodicPairs<'_, D> {
        self.over(objects).serial().pairs()
    }

    /// [`par_detect`](Self::par_detect) that returns an error when memory is refused, by the system or by [`Config::max_bytes`] (which
    /// counts images and ordered pairs, too), and when there are more than [`MAX_OBJECTS`](crate::MAX_OBJECTS) objects and ghosts. Nearly
    /// all memory is then given back, and the next step works as usual.
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
    pub fn try_par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<PeriodicPairs<'_, D>, DetectError> {
        self.over(objects).try_pairs()
    }

    /// [`detect`](Self::detect), with the errors of [`try_par_detect`](Self::try_par_detect).
    pub fn try_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<PeriodicPairs<'_, D>, DetectError> {
        self.over(objects).serial().try_pairs()
    }

    /// What the engine did in the last step and what it cost; its objects are objects and ghosts. After a step that did not complete,
    /// because the user's code panicked or memory was refused, all figures but [`Stats::bytes`] are 0.
    pub fn stats(&self) -> &Stats {
        &self.broad_phase.engine.builder.stats
    }

    /// The objects that were left out of the last step, in ascending order of index. Empty after a step that did not complete, and after
    /// [`shrink_to_fit`](Self::shrink_to_fit).
    pub fn rejected(&self) -> &[PeriodicRejected] {
        &self.rejected
    }

    /// Gives back unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.broad_phase.shrink_to_fit();
        self.images.shrink_to_fit();
        self.release_results();
        self.count_own_bytes();
    }
}

/// Sets the engine's limit to what remains of the user's limit beside its owner's `own` bytes.
pub(crate) fn limit_beside<S: Scalar, const D: usize>(engine: &mut Engine<S, D>, own: usize) {
    engine.builder.limit_bytes(engine.builder.config.max_bytes.map(|limit| limit.saturating_sub(own)));
}

/// The engine's error in terms of the user's limit, of which `own` bytes belong to its owner.
pub(crate) fn with_own(error: DetectError, own: usize, limit: Option<usize>) -> DetectError {
    match (error, limit) {
        (DetectError::OverBudget { needed, max_bytes: left }, Some(max_bytes)) if left != max_bytes => {
            DetectError::OverBudget { needed: needed.saturating_add(own), max_bytes }
        }
        (error, _) => error,
    }
}

/// Lists the particles of a search, or the objects of a step, that were left out: objects that the engine rejected, for which `misfit` may
/// return a better reason, and objects behind the first `made`, which have no images.
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

/// The space that repeats `domain` along the marked axes, or an error in it.
fn space<S: Scalar, const D: usize>(domain: Aabb<S, D>, periodic: [bool; D]) -> Result<Domain<S, D>, PeriodicError> {
    Domain::new(domain, periodic).map_err(|axis| PeriodicError::Period {
        axis,
        low: domain.min[axis].to_f64(),
        high: domain.max[axis].to_f64(),
    })
}
