//! The order in which the last step stored the objects, and user arrays in that order.

use std::time::Duration;

use crate::lockfree::Blocks;
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::on::On;
use crate::runtime::scope::scope;
use crate::runtime::team::{ForkJoin, Team, Threads};
use crate::{BroadPhase, DetectError, Neighbors, Scalar};

/// A permutation that puts neighbors in space next to each other in memory: object `as_slice()[i]` of the old order is object `i`
/// of the new one.
///
/// Simulations that occasionally reorder their arrays by it read and write memory in order. Objects move slowly, so once in some hundred
/// steps is often enough. Indices stored elsewhere must be changed along with the arrays; see [`inverse_into`](Self::inverse_into) for
/// lists of indices. Keys of a [`Tracker`](crate::Tracker) that are stored in one of the arrays move with their objects, so pairs go on.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Reorder};
///
/// let mut places: Vec<f32> = (0..5000).map(|i| (i * 7919 % 5000) as f32).collect();
/// let mut masses: Vec<f32> = places.iter().map(|x| x / 100.0).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let boxes = |places: &[f32]| places.iter().map(|&x| Aabb::around([x, 0.0], [0.6, 0.5])).collect::<Vec<_>>();
/// let pairs = broad_phase.par_detect(&boxes(&places)).len();
///
/// let mut reorder = Reorder::new(); // keep it: its memory is reused
/// if let Some(order) = broad_phase.spatial_order() {
///     reorder.par_apply(order, &mut places);
///     reorder.par_apply(order, &mut masses);
/// }
/// assert!(places.iter().zip(&masses).all(|(place, mass)| place / 100.0 == *mass));
/// let jumps = |places: &[f32]| places.windows(2).map(|two| (two[1] - two[0]).abs()).sum::<f32>();
/// assert!(jumps(&places) < 50_000.0); // it was some millions
/// assert_eq!(broad_phase.par_detect(&boxes(&places)).len(), pairs);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SpatialOrder<'a> {
    indices: &'a [u32],
}

impl<'a> SpatialOrder<'a> {
    /// The old index of each object, in the new order. Each index up to the number of objects occurs once; those of objects with invalid
    /// boxes come last.
    pub fn as_slice(self) -> &'a [u32] {
        self.indices
    }

    /// How many objects there are.
    pub fn len(self) -> usize {
        self.indices.len()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.indices.is_empty()
    }

    /// The new index of each object, by its old one. Replaces what the vector holds.
    pub fn inverse_into(self, into: &mut Vec<u32>) {
        into.clear();
        into.resize(self.len(), 0);
        (0..).zip(self.indices).for_each(|(new, &old)| into[old as usize] = new);
    }
}

/// Objects that a worker copies at a time.
const BLOCK: usize = 2048;
/// Up to this many objects, reordering stays on the calling thread.
const SERIAL_UP_TO: usize = 4096;

/// Puts arrays into another order, in memory that is kept. See [`SpatialOrder`].
///
/// It keeps a scratch array as large as the largest array so far: use one `Reorder` per element type.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Reorder};
///
/// let mut boxes: Vec<_> = (0..5000).map(|i| Aabb::around([(i * 7919 % 5000) as f32, 0.0], [0.6, 0.5])).collect();
/// let mut names: Vec<u32> = (0..5000).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.par_detect(&boxes);
///
/// // One per type, kept as long as the arrays.
/// let (mut reorder_boxes, mut reorder_names) = (Reorder::new(), Reorder::new());
/// let before = boxes.clone();
/// if let Some(order) = broad_phase.spatial_order() {
///     reorder_boxes.par_apply(order, &mut boxes);
///     reorder_names.par_apply(order, &mut names);
/// }
/// assert!(boxes.iter().zip(&names).all(|(aabb, &name)| *aabb == before[name as usize]));
/// ```
#[derive(Clone, Debug)]
pub struct Reorder<T = f32> {
    scratch: Vec<T>,
    time: Duration,
}

impl<T> Default for Reorder<T> {
    fn default() -> Self {
        Reorder { scratch: Vec::new(), time: Duration::ZERO }
    }
}

impl<T: Copy + Send + Sync> Reorder<T> {
    /// A `Reorder` without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts an array into the order, on the threads of the rayon pool in which it is called: afterwards its element `i` is the one that was
    /// at `order.as_slice()[i]`. The scratch array and the vector are swapped, so nothing is copied twice, and the pointer of the vector
    /// changes.
    ///
    /// # Panics
    ///
    /// If there are not as many elements as objects. If memory is refused; [`try_par_apply`](Self::try_par_apply) returns an error
    /// instead.
    pub fn par_apply(&mut self, order: SpatialOrder<'_>, array: &mut Vec<T>) {
        self.try_par_apply(order, array).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_apply`](Self::par_apply) on the calling thread.
    pub fn apply(&mut self, order: SpatialOrder<'_>, array: &mut Vec<T>) {
        self.try_apply(order, array).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`par_apply`](Self::par_apply), or an error when memory is refused. The array then is as it was.
    pub fn try_par_apply(&mut self, order: SpatialOrder<'_>, array: &mut Vec<T>) -> Result<(), DetectError> {
        self.run_on(order, array, Threads::Pool)
    }

    /// [`try_par_apply`](Self::try_par_apply) on the calling thread.
    pub fn try_apply(&mut self, order: SpatialOrder<'_>, array: &mut Vec<T>) -> Result<(), DetectError> {
        self.run_on(order, array, Threads::Serial)
    }

    /// The next call on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    /// How long the last call took.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.scratch.capacity() * size_of::<T>()
    }

    /// Gives all memory back.
    pub fn shrink_to_fit(&mut self) {
        self.scratch = Vec::new();
    }

    fn run_on(&mut self, order: SpatialOrder<'_>, array: &mut Vec<T>, threads: Threads<'_>) -> Result<(), DetectError> {
        let mut clock = Clock::start();
        memory::catch(|| threads.enter(order.len() <= SERIAL_UP_TO, |team| self.run(order, array, team)))?;
        self.time = clock.lap();
        Ok(())
    }

    fn run(&mut self, order: SpatialOrder<'_>, array: &mut Vec<T>, team: Team) {
        scope!("pivotgrid::reorder");
        assert_eq!(array.len(), order.len(), "an array has as many elements as the last step had objects");
        let Some(&any) = array.first() else { return };
        memory::reserve_with_slack(&mut self.scratch, order.len());
        // The old contents are overwritten.
        self.scratch.resize(order.len(), any);
        let (from, blocks) = (&array[..], Blocks::new(&mut self.scratch, BLOCK));
        team.at_most(order.len() / BLOCK + 1).run(|| {
            while let Some((first, block)) = blocks.claim() {
                for (place, &old) in block.iter_mut().zip(&order.indices[first..]) {
                    *place = from[old as usize];
                }
            }
        });
        std::mem::swap(array, &mut self.scratch);
    }
}

impl<T: Copy + Send + Sync> On<'_, '_, Reorder<T>> {
    /// [`Reorder::par_apply`] on these threads.
    pub fn apply(self, order: SpatialOrder<'_>, array: &mut Vec<T>) {
        self.try_apply(order, array).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`Reorder::try_par_apply`] on these threads.
    pub fn try_apply(self, order: SpatialOrder<'_>, array: &mut Vec<T>) -> Result<(), DetectError> {
        self.it.run_on(order, array, self.threads)
    }
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// The order in which the last step stored the objects, in which neighbors in space are close to each other. Nothing before the first
    /// step, after one that did not complete, and after [`shrink_to_fit`](Self::shrink_to_fit). With two sets, the objects of the second
    /// are numbered on after those of the first.
    pub fn spatial_order(&self) -> Option<SpatialOrder<'_>> {
        let engine = &self.engine;
        engine.has_grid().then(|| SpatialOrder { indices: &engine.builder.order[..engine.builder.last_len] })
    }
}

impl<S: Scalar, const D: usize> Neighbors<S, D> {
    /// The order in which the last search stored the particles, in which neighbors in space are close to each other. Nothing before the
    /// first search, and after one that did not complete.
    pub fn spatial_order(&self) -> Option<SpatialOrder<'_>> {
        let engine = &self.broad_phase.engine;
        // A search keeps its own record of whether it was completed.
        (self.complete && engine.builder.last_len > 0)
            .then(|| SpatialOrder { indices: &engine.builder.order[..engine.builder.last_len] })
    }
}
