//! A job of four ranks: objects move, pairs are found, objects migrate. The ranks are threads here, but the function of a rank does not
//! depend on that: it runs on MPI unchanged.
//!
//! ```sh
//! cargo run --release -p pivotgrid-cluster --example job
//! ```

use pivotgrid::Ball;
use pivotgrid_cluster::{Cluster, ClusterConfig, ClusterError, Comm, ThreadComm};

const EDGE: f32 = 60.0;

/// A particle, as it travels between ranks.
#[derive(Clone, Copy)]
struct Particle {
    id: u64,
    position: [f32; 2],
    velocity: [f32; 2],
}

/// What one rank does: the particles it has, the pairs it reports, and how often it sent a particle away.
fn rank<C: Comm>(comm: C) -> Result<[usize; 3], ClusterError> {
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    let of_id = |id: u64| Particle {
        id,
        position: [(id * 37 % 599) as f32 * 0.1, (id * 61 % 577) as f32 * 0.1],
        velocity: [(id % 7) as f32 * 0.1 - 0.3, (id % 5) as f32 * 0.1 - 0.2],
    };
    let mut particles: Vec<Particle> = (0..8000).filter(|id| id % size == rank).map(of_id).collect();
    let mut cluster = Cluster::<f32, 2, C>::new(comm, ClusterConfig::default())?;
    let (mut pairs, mut moved) = (0, 0);
    for _ in 0..20 {
        let ids: Vec<u64> = particles.iter().map(|particle| particle.id).collect();
        let balls: Vec<_> = particles.iter().map(|particle| Ball::new(particle.position, 0.4)).collect();
        let step = cluster.step(&ids, &balls)?;
        // Here the narrow phase goes. A pair may name an object of another rank.
        pairs = step.pairs().count();
        moved += step.owners().iter().filter(|&&owner| u64::from(owner) != rank).count();
        for particle in &mut particles {
            for (x, v) in particle.position.iter_mut().zip(particle.velocity) {
                *x = (*x + v).rem_euclid(EDGE);
            }
        }
        migrate(&mut cluster, &mut particles)?;
    }
    Ok([particles.len(), pairs, moved])
}

/// Three arrays that stay parallel.
fn migrate<C: Comm>(cluster: &mut Cluster<f32, 2, C>, particles: &mut Vec<Particle>) -> Result<(), ClusterError> {
    let mut ids: Vec<u64> = particles.iter().map(|particle| particle.id).collect();
    let mut positions: Vec<[f32; 2]> = particles.iter().map(|particle| particle.position).collect();
    let mut velocities: Vec<[f32; 2]> = particles.iter().map(|particle| particle.velocity).collect();
    cluster.migrate(&mut ids)?;
    cluster.migrate(&mut positions)?;
    cluster.migrate(&mut velocities)?;
    let all = ids.into_iter().zip(positions).zip(velocities);
    *particles = all.map(|((id, position), velocity)| Particle { id, position, velocity }).collect();
    Ok(())
}

fn main() {
    for (number, outcome) in ThreadComm::run(4, rank).into_iter().enumerate() {
        let [particles, pairs, moved] = outcome.expect("no rank panics").expect("no error");
        println!("rank {number}: {particles} particles, {pairs} pairs in the last step, {moved} moved to other ranks");
    }
}
