//! A step across ranks.

use std::time::Instant;

use bytemuck::TransparentWrapper;
use pivotgrid::{Aabb, Bounded, BroadPhase, Pair, PeriodicReason};
use rayon::slice::ParallelSliceMut;

use crate::agree::{Call, WORDS, agree, attempt};
use crate::comm::Comm;
use crate::config::ClusterConfig;
use crate::coordinate::Coordinate;
use crate::core::Core;
use crate::cut::Partition;
use crate::error::ClusterError;
use crate::held::Held;
use crate::local::{self, Ownership};
use crate::post::Post;
use crate::recut::Recut;
use crate::route::{Route, Routed};
use crate::space::Space;
use crate::stats::ClusterStats;
use crate::step::{GlobalRejected, Names, ShiftedPair, Step};
use crate::unfiltered::Unfiltered;

/// Predicted work of an object and of a pair, in nanoseconds of one thread; `docs/cluster.md` says how they were measured.
pub(crate) const OBJECT_WORK: f64 = 33.0;
pub(crate) const PAIR_WORK: f64 = 12.0;

/// Finds all pairs of overlapping boxes of a scene that is shared out among the ranks of a job, step after step. Each rank has one, with
/// its own [`Comm`]. All methods that return a [`ClusterError`] are collective: all ranks call them, and an error on one rank is an
/// error on all.
///
/// ```
/// use pivotgrid::Aabb;
/// use pivotgrid_cluster::{Cluster, ClusterConfig, Comm, ThreadComm};
///
/// // Four ranks with 250 boxes each, in a row of 1000 in which each touches the next.
/// let ranks = ThreadComm::run(4, |comm| {
///     let first = 250 * comm.rank() as u64;
///     let ids: Vec<u64> = (first..first + 250).collect();
///     let boxes: Vec<_> = ids.iter().map(|&id| Aabb::new([id as f32, 0.0], [id as f32 + 1.0, 1.0])).collect();
///     let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default())?;
///     let step = cluster.step(&ids, &boxes)?;
///     Ok::<_, pivotgrid_cluster::ClusterError>(step.len())
/// });
/// let pairs: usize = ranks.into_iter().map(|rank| rank.unwrap().unwrap()).sum();
/// assert_eq!(pairs, 999);
/// ```
#[derive(Debug)]
pub struct Cluster<S: Coordinate, const D: usize, C> {
    comm: C,
    config: ClusterConfig,
    space: Space<S, D>,
    engine: BroadPhase<S, D>,
    partition: Partition<D>,
    core: Core<S, D>,
    recut: Recut<D>,
    held: Held<S, D>,
    routed: Routed<S, D>,
    post: Post,
    kept: Vec<Vec<Pair>>,
    ordered: Vec<ShiftedPair<D>>,
    stats: ClusterStats,
    all: Vec<u64>,
}

impl<S: Coordinate, const D: usize, C: Comm> Cluster<S, D, C> {
    /// A cluster in open space.
    pub fn new(comm: C, config: ClusterConfig) -> Result<Self, ClusterError> {
        Self::with_space(comm, config, "open".to_owned(), Ok(Space::OPEN))
    }

    /// A cluster in a space that repeats `domain` along the marked axes, as [`Periodic`](pivotgrid::Periodic) does. The domain's bounds on
    /// the other axes are ignored.
    ///
    /// ```
    /// use pivotgrid::Aabb;
    /// use pivotgrid_cluster::{Cluster, ClusterConfig, Comm, ShiftedPair, ThreadComm};
    ///
    /// let ranks = ThreadComm::run(2, |comm| {
    ///     let id = comm.rank() as u64;
    ///     let bounds = [Aabb::new([9.5, 1.0], [10.5, 2.0]), Aabb::new([0.2, 1.0], [0.4, 2.0])][comm.rank()];
    ///     let domain = Aabb::new([0.0, 0.0], [10.0, 3.0]);
    ///     let mut channel = Cluster::<f32, 2, _>::periodic(comm, domain, [true, false], ClusterConfig::default())?;
    ///     channel.step(&[id], &[bounds])?.gather(0)
    /// });
    /// let pairs = ranks.into_iter().next().unwrap().unwrap().unwrap();
    /// assert_eq!(pairs.unwrap(), [ShiftedPair { a: 0, b: 1, shift: [1, 0] }]);
    /// ```
    pub fn periodic(comm: C, domain: Aabb<S, D>, periodic: [bool; D], config: ClusterConfig) -> Result<Self, ClusterError> {
        let space = Space::periodic(domain, periodic)
            .map_err(|axis| format!("the domain {domain:?} makes no sense along periodic axis {axis}"));
        Self::with_space(comm, config, format!("{domain:?} {periodic:?}"), space)
    }

    fn with_space(
        mut comm: C,
        config: ClusterConfig,
        name: String,
        space: Result<Space<S, D>, String>,
    ) -> Result<Self, ClusterError> {
        let made = attempt(|| {
            if config.imbalance.is_nan() || config.imbalance <= 1.0 {
                return Err(format!("imbalance is {}, but must be greater than 1", config.imbalance));
            }
            let engine = BroadPhase::with_config(config.engine.clone()).map_err(|error| error.to_string())?;
            Ok((engine, space?))
        });
        let hash = hash(&format!("{config:?} {name} {} {D}", S::NAME));
        let mut all = Vec::new();
        let (engine, space) = agree(&mut comm, Call::New, made, [hash, 0, 0], &mut all)?;
        if let Some(rank) = all.chunks_exact(WORDS).position(|rank| rank[1] != all[1]) {
            return Err(ClusterError::Configuration { rank });
        }
        Ok(Cluster {
            partition: Partition::whole(comm.size()),
            core: Core::EMPTY,
            recut: Recut::new(config.imbalance),
            comm,
            config,
            space,
            engine,
            held: Held::new(),
            routed: Routed::new(),
            post: Post::default(),
            kept: Vec::new(),
            ordered: Vec::new(),
            stats: ClusterStats::default(),
            all,
        })
    }

    /// Finds all pairs. Each rank passes the objects that it has, anywhere in space, with ids that no other object of the job has.
    ///
    /// The boxes go to the ranks whose part of space they touch; each rank finds the pairs of what it holds, on the threads of the rayon
    /// pool in which it is called. [`Groups`](pivotgrid::Groups) and [`Ball`](pivotgrid::Ball)s count as always; [`Bounded::pairs_with`] is
    /// not called, because the other object may be on another machine.
    pub fn step<'a, T: Bounded<S, D> + Sync>(
        &'a mut self,
        ids: &'a [u64],
        objects: &[T],
    ) -> Result<Step<'a, C, D>, ClusterError> {
        // If anything fails from here on, there is no cut to use, and nothing to sample.
        let recut = std::mem::replace(&mut self.recut, Recut::new(self.config.imbalance));
        if self.comm.size() == 1 && self.space.is_open && !self.config.engine.canonical_order {
            return self.step_alone(ids, objects);
        }
        self.step_together(ids, objects, recut)
    }

    /// One rank: the engine reads the user's objects, and its pairs are the rank's.
    fn step_alone<'a, T: Bounded<S, D> + Sync>(
        &'a mut self,
        ids: &'a [u64],
        objects: &[T],
    ) -> Result<Step<'a, C, D>, ClusterError> {
        let begin = Instant::now();
        self.stats = ClusterStats { own: ids.len(), held: ids.len(), ..ClusterStats::default() };
        let engine = &mut self.engine;
        let outcome = attempt(|| {
            check(ids, objects)?;
            engine.try_par_detect(Unfiltered::wrap_slice(objects)).map_err(|error| error.to_string())
        });
        let found = agree(&mut self.comm, Call::Step, outcome, [0; 3], &mut self.all)?;
        let rejected = found.rejected().iter();
        self.routed.rejected.clear();
        self.routed.rejected.extend(rejected.map(|rejected| GlobalRejected {
            id: ids[rejected.index],
            index: rejected.index,
            reason: PeriodicReason::Box(rejected.reason),
        }));
        self.routed.owners.resize(ids.len(), 0);
        self.stats.found = found.len();
        self.stats.pairs = found.len();
        self.stats.works = vec![work(ids.len(), found.len())];
        self.stats.times.detect = begin.elapsed();
        Ok(Step {
            comm: &mut self.comm,
            names: Names { own: ids, ids: &[], shifts: &[] },
            found: Some(found),
            kept: &[],
            ordered: &[],
            rejected: &self.routed.rejected,
            owners: &self.routed.owners,
            stats: &self.stats,
        })
    }

    fn step_together<'a, T: Bounded<S, D> + Sync>(
        &'a mut self,
        ids: &'a [u64],
        objects: &[T],
        mut recut: Recut<D>,
    ) -> Result<Step<'a, C, D>, ClusterError> {
        let mut clock = Clock::new();
        let (rank, size, is_periodic) = (self.comm.rank(), self.comm.size(), !self.space.is_open);
        let is_serial = objects.len() <= self.config.engine.serial_up_to;
        self.stats = ClusterStats { own: ids.len(), recut: recut.is_due && size > 1, ..ClusterStats::default() };

        let (held, partition, kept) = (&mut self.held, &mut self.partition, &mut self.kept);
        let sampled = attempt(|| {
            check(ids, objects)?;
            if size > 1 && recut.is_due {
                let ownership = Ownership { held, partition, rank };
                recut.sample(&ownership, kept, &self.space, objects);
            }
            Ok(())
        });
        agree(&mut self.comm, Call::Step, sampled, [0; 3], &mut self.all)?;
        if size > 1 && recut.is_due {
            *partition = recut.cut(&mut self.comm)?;
            self.core = Core::of(partition, rank);
        }
        self.stats.times.cut = clock.lap();

        let (routed, post) = (&mut self.routed, &mut self.post);
        let outcome = attempt(|| {
            Route { ids, objects, space: &self.space, partition, core: &self.core, rank, is_serial }.run(held, routed);
            post.pack(ids, routed, size, is_periodic);
            Ok(())
        });
        self.stats.times.route = clock.lap();
        post.exchange::<C, S, D>(&mut self.comm, outcome)?;
        self.stats.times.exchange = clock.lap();

        let (engine, ordered, stats) = (&mut self.engine, &mut self.ordered, &mut self.stats);
        let outcome = attempt(|| {
            post.unpack(held, is_periodic);
            let found = local::detect(engine, held)?;
            stats.times.detect = clock.lap();
            stats.found = found.len();
            let names = Names::of(held, ids);
            Ownership { held, partition, rank }.filter(found, is_periodic.then_some(&names), is_serial, kept);
            stats.pairs = kept.iter().map(Vec::len).sum();
            ordered.clear();
            if self.config.engine.canonical_order {
                ordered.extend(kept.iter().flatten().map(|&pair| names.shifted(pair)));
                ordered.par_sort_unstable();
            }
            stats.times.filter = clock.lap();
            // Without objects that are about to migrate and their pairs, which do not reflect the cut.
            Ok(work(held.len() - routed.strangers, stats.pairs))
        });
        let words = [outcome.as_ref().copied().unwrap_or(0.0).to_bits(), 0, 0];
        agree(&mut self.comm, Call::Step, outcome, words, &mut self.all)?;
        stats.times.agree = clock.lap();
        stats.works.extend(self.all.chunks_exact(WORDS).map(|rank| f64::from_bits(rank[1])));
        stats.held = held.len();
        [stats.sent, stats.ghosts] = post.boxes();
        [stats.bytes_sent, stats.bytes_received] = post.bytes();
        stats.outside = routed.outside;
        recut.judge(stats, rank);
        self.recut = recut;
        let is_ordered = self.config.engine.canonical_order;
        Ok(Step {
            comm: &mut self.comm,
            names: Names::of(&self.held, ids),
            found: None,
            kept: if is_ordered { &[] } else { &self.kept },
            ordered: &self.ordered,
            rejected: &self.routed.rejected,
            owners: &self.routed.owners,
            stats: &self.stats,
        })
    }

    /// How space is shared out among the ranks; the same on all of them.
    pub fn partition(&self) -> &Partition<D> {
        &self.partition
    }

    /// The communicator.
    pub fn comm(&self) -> &C {
        &self.comm
    }

    /// The communicator, for collective calls of the application between steps. All ranks must make them.
    pub fn comm_mut(&mut self) -> &mut C {
        &mut self.comm
    }

    /// Sends the payload of each own object to the rank that owns its lower corner, by the [`owners`](Step::owners) of the last step, and
    /// receives payloads from other ranks. Collective.
    ///
    /// `payloads` has one item per own object, in their order: ids, positions, whole bodies. Several arrays can be migrated one after the
    /// other, and stay parallel. Objects that stay keep their indices if possible, because the engine visits objects in the order of the
    /// last step: arrivals fill the gaps.
    ///
    /// ```
    /// use pivotgrid::Aabb;
    /// use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, Comm, ThreadComm};
    ///
    /// let ranks = ThreadComm::run(2, |comm| {
    ///     // All objects begin on rank 0.
    ///     let mut ids: Vec<u64> = if comm.rank() == 0 { (0..100).collect() } else { Vec::new() };
    ///     let mut boxes: Vec<_> = ids.iter().map(|&id| Aabb::new([id as f32, 0.0], [id as f32 + 0.5, 1.0])).collect();
    ///     let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default())?;
    ///     cluster.step(&ids, &boxes)?;
    ///     cluster.migrate(&mut ids)?;
    ///     cluster.migrate(&mut boxes)?;
    ///     cluster.step(&ids, &boxes)?;
    ///     Ok::<_, ClusterError>(ids.len())
    /// });
    /// let sizes: Vec<usize> = ranks.into_iter().map(|rank| rank.unwrap().unwrap()).collect();
    /// assert!(sizes[0] > 30 && sizes[1] > 30 && sizes[0] + sizes[1] == 100);
    /// ```
    pub fn migrate<T: bytemuck::Pod>(&mut self, payloads: &mut Vec<T>) -> Result<(), ClusterError> {
        crate::migrate::migrate(&mut self.comm, &self.routed.owners, payloads)
    }
}

fn check<T>(ids: &[u64], objects: &[T]) -> Result<(), String> {
    let (ids, objects) = (ids.len(), objects.len());
    if ids == objects { Ok(()) } else { Err(format!("{ids} ids for {objects} objects")) }
}

/// Predicted work of a rank, from the numbers of its boxes and pairs.
pub(crate) fn work(held: usize, pairs: usize) -> f64 {
    held as f64 * OBJECT_WORK + pairs as f64 * PAIR_WORK
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Reads the time between phases.
struct Clock(Instant);

impl Clock {
    fn new() -> Self {
        Clock(Instant::now())
    }

    fn lap(&mut self) -> std::time::Duration {
        let begin = std::mem::replace(&mut self.0, Instant::now());
        self.0 - begin
    }
}
