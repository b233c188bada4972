//! Work on threads of the caller's own.

use super::team::{ForkJoin, Threads};

/// A value together with threads of your own, on which its next call runs instead of in a rayon pool; made by the methods `on`. Its methods
/// have the names of the calls on one thread (`sort`, `update`, `step`, …), each with a form that returns an error where memory is refused
/// (`try_sort`, …).
///
/// A [`Request`](crate::Request) gets its threads in the same way. So every part of a frame can run on one set of threads:
///
/// ```
/// use pivotgrid::{Aabb, Adjacency, BroadPhase, ForkJoin, PairSorter, PairTracker, RowsOf};
///
/// struct Spawned(usize); // A program would keep its threads.
///
/// impl ForkJoin for Spawned {
///     fn workers(&self) -> usize {
///         self.0
///     }
///     fn run(&self, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| (0..self.0).for_each(|worker| _ = scope.spawn(move || work(worker))));
///     }
/// }
///
/// let threads = Spawned(2);
/// let boxes: Vec<_> = (0..9000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// let (mut tracker, mut sorter, mut adjacency) = (PairTracker::new(), PairSorter::new(), Adjacency::new());
///
/// let pairs = broad_phase.over(&boxes).on(&threads).pairs();
/// assert_eq!(tracker.on(&threads).update(pairs.by_index()).started.len(), 8999);
/// assert_eq!(sorter.on(&threads).sort(pairs).len(), 8999);
/// adjacency.on(&threads).try_build(pairs, boxes.len(), RowsOf::Both)?;
/// assert_eq!(adjacency.row(1), [0, 2]);
/// # Ok::<(), pivotgrid::DetectError>(())
/// ```
#[must_use = "nothing is done until one of its methods is called"]
#[derive(Debug)]
pub struct On<'a, 't, T: ?Sized> {
    pub(crate) it: &'a mut T,
    pub(crate) threads: Threads<'t>,
}

impl<'a, 't, T: ?Sized> On<'a, 't, T> {
    pub(crate) fn new(it: &'a mut T, threads: &'t dyn ForkJoin) -> Self {
        On { it, threads: Threads::Own(threads) }
    }
}
