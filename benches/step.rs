//! The whole step: every scene, 10k to 1M objects, one and two threads. `step/SCENE/SIZE/THREADSt`.
//! And the kinds of coordinates, on `uniform` with 100k objects: `kinds/uniform/100k/f64-2D`.

mod common;

use common::{Stepper, Swing, criterion, sizes};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pivotgrid::Scalar;
use scenes::Scene;

fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    group.sampling_mode(SamplingMode::Flat);
    for scene in Scene::ALL {
        for &(size, objects) in sizes() {
            let swing = Swing::<f32, 3>::new(scene, objects);
            group.throughput(Throughput::Elements(objects as u64));
            for threads in [1, 2] {
                let mut stepper = Stepper::new(&swing, threads);
                let id = BenchmarkId::new(scene.name(), format!("{size}/{threads}t"));
                group.bench_function(id, |bencher| stepper.bench(bencher));
            }
        }
    }
    group.finish();
}

fn kinds(c: &mut Criterion) {
    kind::<f32, 2>(c, "f32-2D");
    kind::<f64, 2>(c, "f64-2D");
    kind::<f32, 3>(c, "f32-3D");
    kind::<f64, 3>(c, "f64-3D");
}

fn kind<S: Scalar + scenes::Scalar, const D: usize>(c: &mut Criterion, name: &str) {
    let swing = Swing::<S, D>::new(Scene::Uniform, 100_000);
    let mut stepper = Stepper::new(&swing, 1);
    let mut group = c.benchmark_group("kinds");
    group.throughput(Throughput::Elements(100_000));
    let id = BenchmarkId::new("uniform", format!("100k/{name}"));
    group.bench_function(id, |bencher| stepper.bench(bencher));
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = step, kinds }
criterion_main!(benches);
