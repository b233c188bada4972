//! One rank of a measured job. Knows neither the lab nor the transport: `crates/cluster/mpi` compiles this file for MPI as well.

use std::time::Instant;

use cpu_time::ThreadTime;
use pivotgrid::{Aabb, BroadPhase, Config};
use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, ClusterStats, Comm, Coordinate, Partition};
use scenes::{Scene, World};

/// What is measured.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) scene: Scene,
    pub(crate) objects: usize,
    pub(crate) seed: u64,
    /// Steps that come first.
    pub(crate) warm_up: usize,
    pub(crate) steps: usize,
    pub(crate) engine: Config,
    /// Whether rank 0 runs one engine over all objects beside each step.
    pub(crate) compares: bool,
}

/// Phases of a step.
pub(crate) const PHASES: usize = 6;
const WORDS: usize = 15 + PHASES;

/// What one rank has measured; times are medians in milliseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankFigures {
    pub(crate) own: f64,
    pub(crate) ghosts: f64,
    pub(crate) bytes: f64,
    pub(crate) pairs: f64,
    pub(crate) found: f64,
    pub(crate) work: f64,
    /// Ghosts when every object is where it belongs.
    pub(crate) settled: f64,
    /// The same if all objects had the same size, or if each rank had a halo of one width.
    pub(crate) equal: f64,
    pub(crate) halo: f64,
    pub(crate) step_ms: f64,
    pub(crate) plain_ms: f64,
    /// CPU time of the calling thread.
    pub(crate) cpu_ms: f64,
    pub(crate) plain_cpu_ms: f64,
    pub(crate) plain_pairs: f64,
    /// The median of the CPU time of a step, divided by that of one engine beside it.
    pub(crate) ratio: f64,
    pub(crate) phases_ms: [f64; PHASES],
}

impl RankFigures {
    fn words(&self) -> [u64; WORDS] {
        let Self {
            own,
            ghosts,
            bytes,
            pairs,
            found,
            work,
            settled,
            equal,
            halo,
            step_ms,
            plain_ms,
            cpu_ms,
            plain_cpu_ms,
            plain_pairs,
            ratio,
            phases_ms,
        } = *self;
        let first = [
            own,
            ghosts,
            bytes,
            pairs,
            found,
            work,
            equal,
            halo,
            step_ms,
            plain_ms,
            plain_pairs,
            ratio,
            cpu_ms,
            plain_cpu_ms,
            settled,
        ];
        std::array::from_fn(|index| first.iter().chain(&phases_ms).nth(index).copied().unwrap_or(0.0).to_bits())
    }

    fn of_words(words: &[u64]) -> Self {
        let at = |index: usize| f64::from_bits(words[index]);
        RankFigures {
            own: at(0),
            ghosts: at(1),
            bytes: at(2),
            pairs: at(3),
            found: at(4),
            work: at(5),
            equal: at(6),
            halo: at(7),
            step_ms: at(8),
            plain_ms: at(9),
            plain_pairs: at(10),
            ratio: at(11),
            cpu_ms: at(12),
            plain_cpu_ms: at(13),
            settled: at(14),
            phases_ms: std::array::from_fn(|phase| at(15 + phase)),
        }
    }
}

/// What all ranks have measured: the same on all of them.
#[derive(Clone, Debug)]
pub(crate) struct Outcome<S, const D: usize> {
    pub(crate) ranks: Vec<RankFigures>,
    pub(crate) partition: Partition<D>,
    /// The median over the measured steps.
    pub(crate) imbalance: f64,
    /// Steps that made a new cut, those to warm up included.
    pub(crate) cuts: usize,
    pub(crate) mean_edge: f64,
    /// The width of the classic halo: the largest edge.
    pub(crate) largest_edge: f64,
    /// The boxes of the last step.
    pub(crate) boxes: Vec<Aabb<S, D>>,
}

/// Takes the steps of one rank. Objects begin on ranks that have nothing to do with where they are, and migrate after each step.
pub(crate) fn measure<S: Coordinate + scenes::Scalar, const D: usize, C: Comm>(
    comm: C,
    plan: &Plan,
) -> Result<Outcome<S, D>, ClusterError> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut cluster = Cluster::<S, D, C>::new(comm, ClusterConfig::default().engine(plan.engine.clone()))?;
    let mut plain = BroadPhase::<S, D>::with_config(plan.engine.clone()).expect("the cluster has taken these settings");
    let mut world = World::<S, D>::new(plan.scene, plan.objects, plan.seed);
    let mut ids: Vec<u64> = (0..plan.objects as u64).filter(|id| (id % size as u64) as usize == rank).collect();
    let (mut all, mut boxes): (Vec<Aabb<S, D>>, Vec<Aabb<S, D>>) = (Vec::new(), Vec::new());
    let (mut steps, mut cuts) = (Vec::new(), 0);
    for number in 0..plan.warm_up + plan.steps {
        world.step();
        all.clear();
        all.extend(world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)));
        boxes.clear();
        boxes.extend(ids.iter().map(|&id| all[id as usize]));
        cluster.comm_mut().all_gather(&[0], &mut vec![0; size])?;
        let (mut plain_time, mut plain_pairs) = (Time::default(), 0);
        let mut run_plain = || {
            if plan.compares && rank == 0 {
                (plain_time, plain_pairs) = Time::of(|| plain.par_detect(if size == 1 { &boxes } else { &all }).len());
            }
        };
        // Which of the two comes first finds colder caches: they take turns.
        if number % 2 == 0 {
            run_plain();
        }
        cluster.comm_mut().all_gather(&[0], &mut vec![0; size])?;
        let (time, stats) = Time::of(|| cluster.step(&ids, &boxes).map(|step| step.stats().clone()));
        let stats = stats?;
        if number % 2 == 1 {
            run_plain();
        }
        cuts += usize::from(stats.recut);
        if number >= plan.warm_up {
            steps.push(Measured { stats, time, plain_time, plain_pairs });
        }
        cluster.migrate(&mut ids)?;
    }

    let edges = || all.iter().flat_map(|bounds| (0..D).map(|axis| bounds.max[axis].into() - bounds.min[axis].into()));
    let (largest_edge, mean_edge) = (edges().fold(0.0, f64::max), edges().sum::<f64>() / (D * all.len()) as f64);
    let partition = cluster.partition().clone();
    let mut figures = of_steps(&steps, rank);
    // A box touches the part of its owner, and the others get a ghost.
    let ghosts = |bounds: &dyn Fn(&Aabb<S, D>) -> Aabb<f64, D>| {
        ids.iter().map(|&id| touched(&partition, &bounds(&all[id as usize])) - 1.0).sum::<f64>()
    };
    figures.settled = ghosts(&|bounds| Aabb { min: bounds.min.map(Into::into), max: bounds.max.map(Into::into) });
    figures.equal = ghosts(&|bounds| Aabb::around(center(bounds), [mean_edge / 2.0; D]));
    figures.halo = ghosts(&|bounds| Aabb::around(center(bounds), [largest_edge; D]));
    let mut words = vec![0; size * WORDS];
    cluster.comm_mut().all_gather(&figures.words(), &mut words)?;
    Ok(Outcome {
        ranks: words.chunks_exact(WORDS).map(RankFigures::of_words).collect(),
        partition,
        imbalance: median(steps.iter().map(|step| step.stats.imbalance())),
        cuts,
        mean_edge,
        largest_edge,
        boxes: all,
    })
}

fn center<S: Coordinate, const D: usize>(bounds: &Aabb<S, D>) -> [f64; D] {
    std::array::from_fn(|axis| (bounds.min[axis].into() + bounds.max[axis].into()) / 2.0)
}

/// How many ranks a box touches.
fn touched<const D: usize>(partition: &Partition<D>, bounds: &Aabb<f64, D>) -> f64 {
    let mut ranks = 0.0;
    partition.for_each_touched(bounds, |_| ranks += 1.0);
    ranks
}

/// One step.
struct Measured {
    stats: ClusterStats,
    time: Time,
    plain_time: Time,
    plain_pairs: usize,
}

/// Milliseconds on the wall, and of the calling thread.
#[derive(Clone, Copy, Default)]
struct Time {
    wall: f64,
    cpu: f64,
}

impl Time {
    fn of<R>(work: impl FnOnce() -> R) -> (Self, R) {
        let (wall, cpu) = (Instant::now(), ThreadTime::now());
        let result = work();
        (Time { wall: wall.elapsed().as_secs_f64() * 1e3, cpu: cpu.elapsed().as_secs_f64() * 1e3 }, result)
    }
}

/// Counts of the last step, medians of times.
fn of_steps(steps: &[Measured], rank: usize) -> RankFigures {
    let Some(Measured { stats: last, plain_pairs, .. }) = steps.last() else { return RankFigures::default() };
    let over = |of: &dyn Fn(&Measured) -> f64| median(steps.iter().map(of));
    RankFigures {
        own: last.own as f64,
        ghosts: last.ghosts as f64,
        bytes: last.bytes_received as f64,
        pairs: last.pairs as f64,
        found: last.found as f64,
        work: last.works[rank],
        step_ms: over(&|step| step.time.wall),
        cpu_ms: over(&|step| step.time.cpu),
        plain_ms: over(&|step| step.plain_time.wall),
        plain_cpu_ms: over(&|step| step.plain_time.cpu),
        plain_pairs: *plain_pairs as f64,
        ratio: over(&|step| step.time.cpu / step.plain_time.cpu),
        phases_ms: std::array::from_fn(|phase| over(&|step| step.stats.times.named()[phase].1.as_secs_f64() * 1e3)),
        ..RankFigures::default()
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
