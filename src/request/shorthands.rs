//! Common requests over a slice, as methods.

use crate::{Bounded, BroadPhase, DetectError, Pairs, Scalar};

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// Finds all overlapping pairs on the threads of the rayon pool in which it is called (the global one, unless called inside
    /// [`ThreadPool::install`](rayon::ThreadPool::install)).
    ///
    /// Invalid boxes are left out and listed in [`Pairs::rejected`]. If there are more than [`MAX_OBJECTS`](crate::MAX_OBJECTS) objects,
    /// the first ones are handled, and the rest is rejected; [`try_par_detect`](Self::try_par_detect) refuses the scene instead.
    ///
    /// # Panics
    ///
    /// If the user's [`Bounded`] does; the panic is passed on. If there is no memory left, or the step needs more than
    /// [`Config::max_bytes`](crate::Config::max_bytes); [`try_par_detect`](Self::try_par_detect) returns an error instead. The engine stays usable.
    pub fn par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Pairs<'_> {
        self.over(objects).pairs()
    }

    /// Finds all overlapping pairs on the calling thread: the same as [`par_detect`](Self::par_detect) with one worker.
    ///
    /// # Panics
    ///
    /// As [`par_detect`](Self::par_detect).
    pub fn detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Pairs<'_> {
        self.over(objects).serial().pairs()
    }

    /// [`par_detect`](Self::par_detect) for programs that go on when memory is short. It returns an error, instead of a panic, an abort or
    /// a partial result, if the system refuses memory, if the step needs more than [`Config::max_bytes`](crate::Config::max_bytes), or if
    /// there are more than [`MAX_OBJECTS`](crate::MAX_OBJECTS) objects. The engine then releases nearly all of its memory, and stays
    /// usable.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, Config, DetectError};
    ///
    /// let boxes = vec![Aabb::new([0.0; 3], [1.0f32; 3]); 3000]; // each meets each
    /// let mut broad_phase = BroadPhase::<f32, 3>::with_config(Config::default().max_bytes(10_000_000)).unwrap();
    /// assert_eq!(broad_phase.try_par_detect(&boxes[..100]).unwrap().len(), 100 * 99 / 2);
    /// match broad_phase.try_par_detect(&boxes) {
    ///     Err(DetectError::OverBudget { needed, max_bytes: 10_000_000 }) => assert!(needed > 3000 * 2999 / 2 * 8),
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    ///
    /// Two kinds of allocations abort if refused: rayon's own, when a pool gets its first work, and those of the unwinding itself (some
    /// hundred bytes).
    pub fn try_par_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<Pairs<'_>, DetectError> {
        self.over(objects).try_pairs()
    }

    /// [`detect`](Self::detect), with the errors of [`try_par_detect`](Self::try_par_detect).
    pub fn try_detect<T: Bounded<S, D> + Sync>(&mut self, objects: &[T]) -> Result<Pairs<'_>, DetectError> {
        self.over(objects).serial().try_pairs()
    }
}
