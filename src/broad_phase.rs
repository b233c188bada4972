//! The face of the engine, and a step from top to bottom.

use crate::build::gather::Source;
use crate::engine::{Clock, Engine};
use crate::lockfree::Cursor;
use crate::workers::Team;
use crate::{Bounded, Config, ConfigError, DetectError, MAX_OBJECTS, Pairs, RejectReason, Rejected, Scalar, Stats};

/// Finds all pairs of overlapping boxes of a scene, step after step.
///
/// Keep it between steps: its memory is reused, and the order in which the last step stored the objects is the order in which the
/// next one visits them. Neither changes what is found. A scene may grow, shrink, or be another one altogether.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Pair};
///
/// let boxes = [
///     Aabb::new([0.0, 0.0, 0.0], [90.0, 90.0, 90.0]),
///     Aabb::new([40.0, 40.0, 89.9], [40.2, 40.2, 90.1]),
///     Aabb::new([-7.0, 3.0, 5.0], [-6.9, 3.1, 5.0]),
/// ];
/// let mut broad_phase = BroadPhase::<f32, 3>::new();
/// let pairs = broad_phase.par_detect(&boxes);
/// assert_eq!(pairs.sorted(), [Pair { a: 0, b: 1 }]);
/// ```
///
/// Two and three dimensions, `f32` and `f64`; anything else does not compile:
///
/// ```compile_fail
/// let four_dimensional = pivotgrid::BroadPhase::<f32, 4>::new();
/// ```
#[derive(Debug)]
pub struct BroadPhase<S: Scalar = f32, const D: usize = 3> {
    engine: Engine<S, D>,
}

impl<S: Scalar, const D: usize> Default for BroadPhase<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// An engine that chooses everything by itself. Allocates nothing until its first step.
    pub fn new() -> Self {
        Self::with_valid_config(Config::default())
    }

    /// An engine with settings, or what is wrong with them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        config.validated().map(Self::with_valid_config)
    }

    fn with_valid_config(config: Config) -> Self {
        const { assert!(D == 2 || D == 3, "BroadPhase works in 2 or 3 dimensions") };
        BroadPhase { engine: Engine::new(config) }
    }

    /// Finds all overlapping pairs on the threads of the rayon pool in which it is called (the global one, unless called inside
    /// [`ThreadPool::install`](rayon::ThreadPool::install)).
    ///
    /// Invalid boxes are left out and listed in [`Pairs::rejected`]. Of more than [`MAX_OBJECTS`] objects the first
    /// [`MAX_OBJECTS`] are handled, and the rest is rejected; [`try_par_detect`](Self::try_par_detect) refuses the scene instead.
    ///
    /// # Panics
    ///
    /// Only if the user's [`Bounded`] does; the panic is passed on, and the engine stays usable.
    pub fn par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Pairs<'_> {
        if objects.len() <= self.engine.config.serial_up_to {
            return self.detect(objects);
        }
        // One way into the pool for the whole step, instead of one per pass.
        rayon::scope(|_| self.step(objects, Team::of_current_pool()));
        self.found()
    }

    /// Finds all overlapping pairs on the calling thread: the same as [`par_detect`](Self::par_detect) with one worker.
    pub fn detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Pairs<'_> {
        self.step(objects, Team::ALONE);
        self.found()
    }

    /// [`par_detect`](Self::par_detect), with an error instead of a partial answer for more than [`MAX_OBJECTS`] objects.
    pub fn try_par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<Pairs<'_>, DetectError> {
        check_count(objects)?;
        Ok(self.par_detect(objects))
    }

    /// [`detect`](Self::detect), with an error instead of a partial answer for more than [`MAX_OBJECTS`] objects.
    pub fn try_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<Pairs<'_>, DetectError> {
        check_count(objects)?;
        Ok(self.detect(objects))
    }

    /// What the last step did and what it cost.
    pub fn stats(&self) -> &Stats {
        &self.engine.stats
    }

    /// Gives back memory that holds nothing any more: all but room for as many objects as the last step had.
    pub fn shrink_to_fit(&mut self) {
        self.engine.shrink_to_fit();
    }

    fn found(&self) -> Pairs<'_> {
        Pairs::new(&self.engine.pairs, &self.engine.rejected)
    }

    /// The step.
    fn step<T: Bounded<S, D> + Sync>(&mut self, objects: &[T], team: Team) {
        let surplus = objects.len() > MAX_OBJECTS;
        let objects = &objects[..objects.len().min(MAX_OBJECTS)];
        let mut clock = Clock::start();

        let engine = &mut self.engine;
        let team = engine.prepare(objects.len(), team);
        let order = std::mem::take(&mut engine.order);
        let visited = engine.known.max(objects.len());
        let source = Source { objects, order: &order[..visited], rejected: Cursor::new() };
        // If the user's code panics below, the order is lost, and with it only some speed.
        engine.known = 0;

        let planned = engine.plan(&source, team);
        engine.stats.times.plan = clock.lap();
        let counted = engine.count(&source, planned, team);
        engine.stats.times.count = clock.lap();
        let offsets = engine.offset(counted, team);
        engine.stats.times.offset = clock.lap();
        let scattered = engine.scatter(&source, offsets, team);
        engine.order = std::mem::replace(&mut engine.next_order, order);
        engine.known = objects.len();
        engine.stats.times.scatter = clock.lap();
        engine.detect(objects, scattered, team);
        engine.stats.times.detect = clock.lap();

        if surplus {
            engine.rejected.push(Rejected { index: MAX_OBJECTS, reason: RejectReason::BeyondIndex });
        }
        engine.conclude(objects.len(), team);
    }
}

fn check_count<T>(objects: &[T]) -> Result<(), DetectError> {
    if objects.len() > MAX_OBJECTS { Err(DetectError::TooManyObjects(objects.len())) } else { Ok(()) }
}
