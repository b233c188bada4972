//! The tests of all transports, on the ranks that `mpirun` has started. Ends with an error if one fails.

#[path = "../../../tests/suite/mod.rs"]
mod suite;

use pivotgrid::{Aabb, Bounded};
use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, Comm, Coordinate};
use pivotgrid_cluster_mpi::MpiComm;
use suite::everywhere::{self, Runner};
use suite::{Job, Thing};

/// All processes of the job, however many ranks were wanted.
struct Processes<'a>(&'a mpi::environment::Universe);

impl Runner for Processes<'_> {
    fn check<S: Coordinate, const D: usize>(
        &self,
        job: &Job<S, D>,
        _ranks: &[usize],
        frames: &[Vec<Thing<S, D>>],
        home: impl Fn(usize) -> usize + Sync,
    ) {
        job.check(MpiComm::world(self.0), frames, home).expect("no error");
    }
}

/// A box whose user's code may panic.
#[derive(Clone, Copy)]
struct Fragile(Option<Aabb<f32, 2>>);

impl Bounded<f32, 2> for Fragile {
    fn aabb(&self) -> Aabb<f32, 2> {
        self.0.expect("on purpose")
    }
}

/// A panic in the last rank's user code, and other settings there: errors on all ranks, and the job goes on.
fn failures(universe: &mpi::environment::Universe) {
    let comm = MpiComm::world(universe);
    let (rank, ranks) = (comm.rank(), comm.size());
    let is_last = rank + 1 == ranks;
    let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).expect("no error");
    let ids: Vec<u64> = (0..100).map(|index| rank as u64 * 100 + index).collect();
    let mut objects: Vec<_> = ids.iter().map(|&id| Fragile(Some(Aabb::new([id as f32, 0.0], [id as f32 + 1.0, 1.0])))).collect();
    let whole = objects.clone();
    for _ in 0..2 {
        if is_last {
            objects[7] = Fragile(None);
        }
        let error = cluster.step(&ids, &objects).map(|step| step.len()).expect_err("one rank panics");
        let message = "a panic: on purpose".to_owned();
        assert_eq!(error, ClusterError::Failed { rank: ranks - 1, message });
        let pairs = cluster.step(&ids, &whole).expect("no error").gather(0).expect("no error");
        assert!(pairs.is_none_or(|pairs| pairs.len() == 100 * ranks - 1));
    }
    if ranks > 1 {
        let config = ClusterConfig::default().imbalance(if is_last { 1.3 } else { 1.2 });
        let error = Cluster::<f32, 2, _>::new(MpiComm::world(universe), config).map(drop).expect_err("one rank differs");
        assert_eq!(error, ClusterError::Configuration { rank: ranks - 1 });
    }
}

/// The last rank panics between two steps. The job must end, with an error.
fn leave(universe: &mpi::environment::Universe) {
    let comm = MpiComm::world(universe);
    let is_last = comm.rank() + 1 == comm.size();
    let mut cluster = Cluster::<f32, 2, _>::new(comm, ClusterConfig::default()).expect("no error");
    let boxes = [Aabb::new([0.0, 0.0], [1.0, 1.0])];
    for number in 0.. {
        assert!(!is_last || number < 3, "on purpose, outside of a step");
        cluster.step(&[cluster.comm().rank() as u64], &boxes).map(|step| step.len()).expect("no error");
    }
}

fn main() {
    let universe = mpi::initialize().expect("MPI starts once");
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str() != Some("on purpose") {
            report(panic);
        }
    }));
    if std::env::args().any(|word| word == "--leave") {
        return leave(&universe);
    }
    let (processes, all) = (Processes(&universe), []);
    everywhere::every_scene::<f32, 3>(&processes, &all);
    everywhere::every_scene::<f64, 2>(&processes, &all);
    everywhere::without_migration(&processes, &all);
    everywhere::periodic_scenes(&processes, &all);
    everywhere::few_objects(&processes, &all);
    for seed in 0..40 {
        everywhere::random::<f32, 3>(&processes, &all, seed);
        everywhere::random::<f64, 2>(&processes, &all, seed + 1000);
        everywhere::random::<f32, 2>(&processes, &all, seed + 2000);
        everywhere::random::<f64, 3>(&processes, &all, seed + 3000);
    }
    failures(&universe);
    let comm = MpiComm::world(&universe);
    if comm.rank() == 0 {
        println!("conformance on {} MPI ranks: 7 passed, 0 failed", comm.size());
    }
}
