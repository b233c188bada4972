//! [`BroadPhase`]: the engine's public interface.

use std::slice;

use crate::engine::{Engine, Made};
use crate::query::{Queries, Target};
use crate::runtime::memory;
use crate::runtime::team::{Team, Threads};
use crate::{Config, ConfigError, CrossPair, DetectError, MAX_OBJECTS, Pair, Pairs, Rejected, Scalar, Stats};

/// Finds all pairs of overlapping boxes of a scene, step after step.
///
/// Keep it between steps: its memory is reused, and the order in which the last step stored the objects is the order in which the next one
/// visits them. Neither changes which pairs are found. A scene may grow, shrink, or be replaced by another one.
///
/// [`detect`](Self::detect), [`par_detect`](Self::par_detect) and their `try_` forms take a slice. Everything else (objects by index, two
/// sets, static sets, visitors, threads of your own, and all combinations) is a [`Request`](crate::Request), which
/// [`over`](Self::over) begins.
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
    pub(crate) engine: Engine<S, D>,
}

impl<S: Scalar, const D: usize> Default for BroadPhase<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// An engine with default settings. Allocates next to nothing until its first step.
    pub fn new() -> Self {
        Self::with_valid_config(Config::default())
    }

    /// An engine with settings, or an error in them.
    pub fn with_config(config: Config) -> Result<Self, ConfigError> {
        config.validated().map(Self::with_valid_config)
    }

    fn with_valid_config(config: Config) -> Self {
        const { assert!(D == 2 || D == 3, "BroadPhase works in 2 or 3 dimensions") };
        BroadPhase { engine: Engine::new(config) }
    }

    /// Queries about the objects as the last step found them: read-only, from any number of threads.
    ///
    /// Before the first step, after one that did not complete because the user's code panicked, and after
    /// [`shrink_to_fit`](Self::shrink_to_fit), queries find nothing until the next step.
    ///
    /// The first ray, moving box or search for the nearest after a step builds a tree over the table, which takes about a tenth of the step
    /// (a fifth where objects cluster) and memory for a copy of every box. This memory is kept for the next step, and
    /// [`Config::max_bytes`](crate::Config::max_bytes) does not count it. A batch builds the tree on all threads. The first box or ball
    /// that would touch dozens of chunks of the grid builds it, too. (If memory for the tree is refused, queries work without it, and are
    /// slow.)
    pub fn queries(&self) -> Queries<'_, S, D> {
        Queries::of(Target::new([self.engine.view(None), None], None))
    }

    /// What the last step did and what it cost. After a step that did not complete, because the user's code panicked or memory was refused,
    /// all figures but [`Stats::bytes`] are 0.
    pub fn stats(&self) -> &Stats {
        &self.engine.builder.stats
    }

    /// The objects that were left out of the last step, in ascending order of index. Empty after a step that did not complete, and after
    /// [`shrink_to_fit`](Self::shrink_to_fit).
    pub fn rejected(&self) -> &[Rejected] {
        &self.engine.builder.rejected
    }

    /// Gives back unused memory: all but room for as many objects as the last step had. What the last step found is gone, too: there is
    /// nothing left for [`queries`](Self::queries) and the [`debug_view`](Self::debug_view) until the next one.
    pub fn shrink_to_fit(&mut self) {
        self.engine.shrink_to_fit();
    }

    /// The pairs of the last step, if that had a single set; otherwise none.
    pub(crate) fn found(&self) -> Pairs<'_> {
        let engine = &self.engine;
        let is_of_one_set = matches!(engine.made.get(), Some(Made::Pairs | Made::PairsWithStatics));
        Pairs::new(if is_of_one_set { self.stored() } else { &[] }, &engine.builder.rejected)
    }

    /// The pairs of the last step, if that had two sets; otherwise none.
    pub(crate) fn found_between(&self) -> Pairs<'_, CrossPair> {
        let is_between = matches!(self.engine.made.get(), Some(Made::PairsBetween { .. }));
        Pairs::new(if is_between { self.stored() } else { &[] }, &self.engine.builder.rejected)
    }

    /// The blocks of pairs of either kind.
    pub(crate) fn stored(&self) -> &[Vec<Pair>] {
        let engine = &self.engine;
        if engine.builder.config.canonical_order { slice::from_ref(&engine.ordered.pairs) } else { &engine.detector.pairs }
    }

    /// Runs a step of `objects` objects; on the calling thread, if handing out work would cost more than it saves.
    pub(crate) fn run<R: Send>(
        &mut self,
        threads: Threads<'_>,
        objects: usize,
        step: impl FnOnce(&mut Engine<S, D>, Team<'_>) -> R + Send,
    ) -> Result<R, DetectError> {
        let is_small = objects <= self.engine.builder.config.serial_up_to;
        self.attempt(|engine| threads.enter(is_small, |team| step(engine, team)))
    }

    fn attempt<R>(&mut self, step: impl FnOnce(&mut Engine<S, D>) -> R) -> Result<R, DetectError> {
        let mut attempt = Attempt { engine: &mut self.engine, is_complete: false };
        attempt.engine.begin();
        let outcome = memory::catch(|| {
            let outcome = step(attempt.engine);
            attempt.engine.settle_bytes();
            outcome
        });
        match outcome {
            Ok(_) => attempt.is_complete = true,
            Err(_) => attempt.engine.release(),
        }
        outcome
    }
}

/// A step in progress. However it ends, even by a panic of the user's code, every accessor is truthful afterwards.
struct Attempt<'a, S: Scalar, const D: usize> {
    engine: &'a mut Engine<S, D>,
    is_complete: bool,
}

impl<S: Scalar, const D: usize> Drop for Attempt<'_, S, D> {
    fn drop(&mut self) {
        match self.is_complete {
            true => self.engine.finish(),
            false => self.engine.abandon(),
        }
    }
}

/// An error for more objects than there are indices.
pub(crate) fn check_count<T>(objects: &[T]) -> Result<(), DetectError> {
    if objects.len() > MAX_OBJECTS { Err(DetectError::TooManyObjects(objects.len())) } else { Ok(()) }
}
