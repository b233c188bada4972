//! One rank of a job, checked against one engine over the union of what all ranks have. Knows nothing of the transport.

#![allow(dead_code, reason = "every test file uses its part")]

use pivotgrid::{Aabb, Ball, Bounded, BroadPhase, Config, Groups, Periodic, PeriodicReason};
use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, Comm, Coordinate, ShiftedPair};
use rayon::iter::ParallelIterator;
use scenes::World;

pub(crate) mod everywhere;

/// An object with all that the engine knows of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thing<S, const D: usize> {
    pub(crate) id: u64,
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) groups: Groups,
    pub(crate) ball: Option<Ball<S, D>>,
}

impl<S: Coordinate, const D: usize> Bounded<S, D> for Thing<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.bounds
    }
    fn groups(&self) -> Groups {
        self.groups
    }
    fn ball(&self) -> Option<Ball<S, D>> {
        self.ball
    }
}

/// Numbers that look random.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Boxes as things, with ids that are neither dense nor in order.
pub(crate) fn things<S: Coordinate, const D: usize>(boxes: impl IntoIterator<Item = Aabb<S, D>>) -> Vec<Thing<S, D>> {
    let named = boxes.into_iter().enumerate();
    named
        .map(|(index, bounds)| Thing {
            id: (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1,
            bounds,
            groups: Groups::ALL,
            ball: None,
        })
        .collect()
}

pub(crate) fn of_world<S: Coordinate + scenes::Scalar, const D: usize>(world: &World<S, D>) -> Vec<Thing<S, D>> {
    things(world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)))
}

type Expected<const D: usize> = (Vec<ShiftedPair<D>>, Vec<(u64, PeriodicReason)>);

/// The pairs of one engine over all things, in ascending order, and those that it leaves out.
pub(crate) fn expected<S: Coordinate, const D: usize>(job: &Job<S, D>, things: &[Thing<S, D>]) -> Expected<D> {
    let id = |index: u32| things[index as usize].id;
    let named = |a: u32, b: u32, shift: [i32; D]| match (id(a), id(b)) {
        (a, b) if a < b => ShiftedPair { a, b, shift },
        (a, b) => ShiftedPair { a: b, b: a, shift: shift.map(|periods| -periods) },
    };
    let (mut pairs, rejected): Expected<D> = if let Some((domain, axes)) = job.periodic {
        let mut engine = Periodic::<S, D>::new(domain, axes).unwrap();
        let found = engine.detect(things);
        let rejected = found.rejected().iter().map(|rejected| (things[rejected.index].id, rejected.reason));
        (found.iter().map(|pair| named(pair.a, pair.b, pair.shift)).collect(), rejected.collect())
    } else {
        let mut engine = BroadPhase::<S, D>::new();
        let found = engine.detect(things);
        let rejected = found.rejected().iter().map(|rejected| (things[rejected.index].id, PeriodicReason::Box(rejected.reason)));
        (found.iter().map(|pair| named(pair.a, pair.b, [0; D])).collect(), rejected.collect())
    };
    pairs.sort_unstable();
    (pairs, rejected)
}

/// How a job is run.
#[derive(Clone, Debug)]
pub(crate) struct Job<S, const D: usize> {
    pub(crate) periodic: Option<(Aabb<S, D>, [bool; D])>,
    pub(crate) config: ClusterConfig,
    /// Whether objects go where they belong after each step.
    pub(crate) migrates: bool,
}

impl<S: Coordinate, const D: usize> Job<S, D> {
    pub(crate) fn new() -> Self {
        let config = ClusterConfig::default().engine(Config::default().serial_up_to(300).all_pairs_up_to(8)).imbalance(1.2);
        Job { periodic: None, config, migrates: true }
    }

    /// Steps over frames of the same things, which begin on the ranks that `home` says, and compares each step with one engine.
    pub(crate) fn check<C: Comm>(
        &self,
        comm: C,
        frames: &[Vec<Thing<S, D>>],
        home: impl Fn(usize) -> usize,
    ) -> Result<(), ClusterError> {
        let (rank, ranks) = (comm.rank(), comm.size());
        let mut cluster = match self.periodic {
            None => Cluster::<S, D, C>::new(comm, self.config.clone())?,
            Some((domain, axes)) => Cluster::periodic(comm, domain, axes, self.config.clone())?,
        };
        // Which of the things this rank has.
        let mut mine: Vec<u32> = (0..frames[0].len()).filter(|&index| home(index) % ranks == rank).map(|i| i as u32).collect();
        for (number, frame) in frames.iter().enumerate() {
            let things: Vec<Thing<S, D>> = mine.iter().map(|&index| frame[index as usize]).collect();
            let ids: Vec<u64> = things.iter().map(|thing| thing.id).collect();
            let mut step = cluster.step(&ids, &things)?;
            let is_canonical = self.config.engine.canonical_order;
            assert!(!is_canonical || step.shifted_pairs().is_sorted());
            assert_eq!((step.pairs().count(), step.par_pairs().count()), (step.len(), step.len()));
            assert_eq!((step.stats().own, step.owners().len()), (ids.len(), ids.len()));
            let rejected: Vec<_> = step.rejected().iter().map(|rejected| (rejected.id, rejected.reason)).collect();
            assert!(step.rejected().iter().all(|rejected| rejected.id == ids[rejected.index]));

            let root = number % ranks;
            let found = step.gather(root)?;
            assert_eq!(found.is_some(), rank == root);
            let (pairs, mut left_out) = expected(self, frame);
            left_out.retain(|of| ids.contains(&of.0));
            left_out.sort_unstable_by_key(|of| ids.iter().position(|id| *id == of.0));
            assert_eq!(rejected, left_out);
            if let Some(found) = found {
                let lost = pairs.iter().find(|pair| found.binary_search(pair).is_err());
                let surplus = found.iter().find(|pair| pairs.binary_search(pair).is_err());
                let counts = (found.len(), pairs.len());
                assert!(found == pairs, "step {number} on {ranks} ranks: {counts:?} pairs, lost {lost:?}, surplus {surplus:?}");
            }
            if self.migrates {
                cluster.migrate(&mut mine)?;
            }
        }
        Ok(())
    }
}
