//! `lab cluster` on the ranks that `mpirun` has started: `mpirun -n 8 cluster --scene koch --n 1000000 --steps 10`.

#[path = "../../../../lab/src/cluster/measure.rs"]
#[allow(dead_code)]
mod measure;
#[path = "../../../../lab/src/cluster/table.rs"]
mod table;

use measure::Plan;
use pivotgrid::Config;
use pivotgrid_cluster::Comm;
use pivotgrid_cluster_mpi::MpiComm;
use scenes::Scene;

fn main() {
    let universe = mpi::initialize().expect("MPI starts once");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| words.iter().position(|word| word == name).and_then(|index| words.get(index + 1));
    let number = |name: &str, default: usize| after(name).map_or(default, |word| word.parse().expect("a whole number"));
    let scene = after("--scene").map_or(Scene::Koch, |word| word.parse().expect("a scene"));
    let comm = MpiComm::world(&universe);
    let (rank, ranks) = (comm.rank(), comm.size());
    let plan = Plan {
        scene,
        objects: number("--n", 100_000),
        seed: 1,
        warm_up: 5,
        steps: number("--steps", 10),
        // On the calling thread, unless rayon has several.
        engine: if rayon::current_num_threads() > 1 { Config::default() } else { Config::default().serial_up_to(usize::MAX) },
        // Ranks that wait are busy: one engine beside them would not have the machine to itself.
        compares: ranks == 1,
    };
    let outcome = measure::measure::<f32, 3, _>(comm, &plan).expect("no error");
    if rank == 0 {
        let threads = rayon::current_num_threads();
        println!("cluster  {scene} in 3D, f32: {} objects on {ranks} MPI ranks, each with {threads} threads\n", plan.objects);
        print!("{}", table::text(&outcome).expect("a string has room"));
    }
}
