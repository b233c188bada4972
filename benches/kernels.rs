//! The kernels alone: some thousand objects, each compared with each, by the engine's own clock for detection.
//! `kernels/f32-3D/few/avx2`; an element is a comparison, so that Gelem/s are comparisons per nanosecond.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{criterion, measuring};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pivotgrid::{Aabb, BroadPhase, Config, InstructionSet, Scalar};

/// Few or many overlaps, as a share of all comparisons. In the grid of `uniform` it is one in fifteen.
const SHARES: [(&str, f64); 2] = [("few", 0.001), ("many", 0.2)];

const SETS: [(&str, InstructionSet); 3] =
    [("portable", InstructionSet::Portable), ("avx2", InstructionSet::Avx2), ("avx512", InstructionSet::Avx512)];

fn kernels(c: &mut Criterion) {
    kind::<f32, 2>(c, "f32-2D");
    kind::<f32, 3>(c, "f32-3D");
    kind::<f64, 2>(c, "f64-2D");
    kind::<f64, 3>(c, "f64-3D");
}

fn kind<S: Scalar, const D: usize>(c: &mut Criterion, kind: &str) {
    // All of it in the second-level cache: these are numbers about instructions, not about memory.
    let objects = if measuring() { 2_000 } else { 200 };
    let mut group = c.benchmark_group("kernels");
    group.throughput(Throughput::Elements(objects * (objects - 1) / 2));
    for (overlaps, share) in SHARES {
        let boxes = boxes::<S, D>(objects, share);
        for (name, set) in SETS {
            let id = BenchmarkId::new(format!("{kind}/{overlaps}"), name);
            let config = Config::default().all_pairs_up_to(usize::MAX).instruction_set(set);
            match BroadPhase::<S, D>::with_config(config) {
                Ok(mut broad_phase) => {
                    group.bench_function(id, |bencher| {
                        bencher.iter_custom(|count| (0..count).map(|_| time_of_detection(&mut broad_phase, &boxes)).sum());
                    });
                }
                Err(error) => eprintln!("kernels/{kind}/{overlaps}/{name} is skipped: {error}"),
            }
        }
    }
    group.finish();
}

fn time_of_detection<S: Scalar, const D: usize>(broad_phase: &mut BroadPhase<S, D>, boxes: &[Aabb<S, D>]) -> Duration {
    black_box(broad_phase.detect(boxes));
    broad_phase.stats().times.detect
}

/// Equal cubes with their least corners anywhere in the unit cube, of such an edge that a `share` of all pairs overlap.
fn boxes<S: Scalar, const D: usize>(objects: u64, share: f64) -> Vec<Aabb<S, D>> {
    // Two random numbers between 0 and 1 are no farther apart than `edge` with a probability of 1 - (1 - edge)².
    let edge = 1.0 - (1.0 - share.powf(1.0 / D as f64)).sqrt();
    let mut numbers = random_numbers();
    let mut aabb = || {
        let min: [f64; D] = std::array::from_fn(|_| numbers.next().expect("there is no end to them"));
        Aabb { min: min.map(S::from_f64), max: min.map(|x| S::from_f64(x + edge)) }
    };
    (0..objects).map(|_| aabb()).collect()
}

/// Numbers between 0 and 1, always the same ones (SplitMix64).
fn random_numbers() -> impl Iterator<Item = f64> {
    let mix = |state: u64, shift: u32, factor: u64| (state ^ state >> shift).wrapping_mul(factor);
    (1u64..).map(move |index| {
        let state = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bits = mix(mix(state, 30, 0xBF58_476D_1CE4_E5B9), 27, 0x94D0_49BB_1331_11EB);
        ((bits ^ bits >> 31) >> 11) as f64 / (1u64 << 53) as f64
    })
}

criterion_group! { name = benches; config = criterion(); targets = kernels }
criterion_main!(benches);
