//! What the library finds in some scenes, as one number that must be the same on every machine, with every kernel, on any number of
//! threads: pairs, answers of queries with the bits of their times and distances, neighbor rows, pairs across periodic borders.
//!
//! `cargo test -p digest` compares all kernels of this machine; `ci/determinism` does so on other processors, by emulation.

mod scene;

use pivotgrid::{Aabb, Ball, BoxCast, BroadPhase, Config, ConfigError, InstructionSet, Neighbors, Periodic, Ray, Reach};
use scene::{Coordinate, Random, boxes};

/// What [`digest`] returns on every machine.
pub const EXPECTED: u64 = 0x7902_99ba_f0e2_dd50;

/// Objects of a scene.
const OBJECTS: usize = 1200;
const STEPS: u64 = 3;
const QUERIES: usize = 60;

/// Every set of instructions. Not every machine has every set.
pub const SETS: [InstructionSet; 6] = [
    InstructionSet::Best,
    InstructionSet::Portable,
    InstructionSet::Avx2,
    InstructionSet::Avx512,
    InstructionSet::Neon,
    InstructionSet::Simd128,
];

/// FNV-1a over 64-bit words.
#[derive(Debug)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn all(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.add(word));
    }
}

/// The number, or that this machine lacks the instructions. On the threads of the rayon pool in which it is called, or on the calling one.
pub fn digest(set: InstructionSet, parallel: bool) -> Result<u64, ConfigError> {
    let config = Config::default().instruction_set(set).all_pairs_up_to(0).serial_up_to(0);
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    space::<f32, 2>(&config, parallel, &mut digest)?;
    space::<f32, 3>(&config, parallel, &mut digest)?;
    space::<f64, 2>(&config, parallel, &mut digest)?;
    space::<f64, 3>(&config, parallel, &mut digest)?;
    Ok(digest.0)
}

fn space<S: Coordinate, const D: usize>(config: &Config, parallel: bool, digest: &mut Digest) -> Result<(), ConfigError> {
    let mut engine = BroadPhase::<S, D>::with_config(config.clone())?;
    for step in 0..STEPS {
        let scene = boxes::<S, D>(OBJECTS, step);
        let pairs = if parallel { engine.par_detect(&scene) } else { engine.detect(&scene) };
        digest.all(pairs.sorted().iter().flat_map(|pair| [pair.a.into(), pair.b.into()]));
        ask(&engine, digest, step);
        lists::<S, D>(config, &scene, parallel, digest)?;
        repeat::<S, D>(config, &scene, parallel, digest)?;
    }
    Ok(())
}

/// Each kind of query, in places that are whole numbers, too.
fn ask<S: Coordinate, const D: usize>(engine: &BroadPhase<S, D>, digest: &mut Digest, step: u64) {
    let queries = engine.queries();
    let (mut found, mut hits, mut near) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random(step ^ 77);
    for (asked, bounds) in boxes::<S, D>(QUERIES, step + 1000).into_iter().enumerate() {
        queries.overlapping(&bounds, &mut found);
        found.sort_unstable();
        digest.all(found.iter().map(|&index| index.into()));
        let direction: [S; D] = std::array::from_fn(|_| S::of(random.below(400) - 200));
        queries.ray_hits(&Ray::new(bounds.min, direction), &mut hits);
        digest.all(hits.iter().flat_map(|hit| [hit.t.bits(), hit.index.into()]));
        queries.sweep_hits(&BoxCast::new(bounds, direction), &mut hits);
        digest.all(hits.iter().flat_map(|hit| [hit.t.bits(), hit.index.into()]));
        queries.within(&Ball { center: bounds.min, radius: S::of(random.below(2000)) }, &mut near);
        near.sort_by_key(|one| one.index);
        digest.all(near.iter().flat_map(|one| [one.distance_squared.bits(), one.index.into()]));
        queries.nearest(bounds.min, 1 + asked % 7, &mut near);
        digest.all(near.iter().flat_map(|one| [one.distance_squared.bits(), one.index.into()]));
    }
}

fn lists<S: Coordinate, const D: usize>(
    config: &Config,
    scene: &[Aabb<S, D>],
    parallel: bool,
    digest: &mut Digest,
) -> Result<(), ConfigError> {
    let points: Vec<[S; D]> = scene.iter().map(|aabb| aabb.min).collect();
    let radii: Vec<S> = scene.iter().map(|aabb| aabb.max[0] - aabb.min[0]).collect();
    let mut neighbors = Neighbors::<S, D>::with_config(config.clone())?.sorted(true).distances(true);
    for reach in [Reach::Fixed(S::of(200)), Reach::Gather(&radii), Reach::Sum(&radii)] {
        let rows = if parallel { neighbors.par_within(&points, reach) } else { neighbors.within(&points, reach) };
        digest.all(rows.indices().iter().map(|&index| index.into()));
        digest.all(rows.distances().iter().map(|distance| distance.bits()));
    }
    Ok(())
}

fn repeat<S: Coordinate, const D: usize>(
    config: &Config,
    scene: &[Aabb<S, D>],
    parallel: bool,
    digest: &mut Digest,
) -> Result<(), ConfigError> {
    let domain = Aabb { min: [S::of(0); D], max: [S::of(3000); D] };
    let mut periodic = Periodic::<S, D>::with_config(domain, [true; D], config.clone()).expect("a valid domain");
    let pairs = if parallel { periodic.par_detect(scene) } else { periodic.detect(scene) };
    let words =
        |pair: &pivotgrid::PeriodicPair<D>| [u64::from(pair.a), pair.b.into()].into_iter().chain(pair.shift.map(|by| by as u64));
    digest.all(pairs.sorted().iter().flat_map(words));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kernel of this machine, alone and on several threads.
    #[test]
    fn every_kernel_gives_the_same_digest() {
        let mut tried = Vec::new();
        for set in SETS {
            for threads in [0, 1, 3] {
                let found = match threads {
                    0 => digest(set, false),
                    _ => rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .build()
                        .expect("a pool")
                        .install(|| digest(set, true)),
                };
                if let Ok(found) = found {
                    tried.push((set, threads));
                    assert_eq!(found, EXPECTED, "{set:?} on {threads} threads: {found:#018x}");
                }
            }
        }
        assert!(tried.len() >= 6, "only {tried:?}");
    }
}
