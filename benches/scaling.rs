//! Threads: what they gain on large scenes, `scaling/SCENE/1M/THREADSt`, and what they cost on small ones,
//! `small/uniform/SIZE/THREADSt`.

mod common;

use common::{Stepper, Swing, criterion, measuring, thread_counts};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use scenes::Scene;

fn scaling(c: &mut Criterion) {
    let (size, objects) = if measuring() { ("1M", 1_000_000) } else { ("2k", 2_000) };
    for scene in [Scene::Uniform, Scene::Koch, Scene::Clustered, Scene::Power] {
        by_threads(c, "scaling", scene, size, objects);
    }
}

fn small(c: &mut Criterion) {
    for (size, objects) in [("100", 100), ("1k", 1_000), ("3k", 3_000), ("10k", 10_000)] {
        by_threads(c, "small", Scene::Uniform, size, objects);
    }
}

fn by_threads(c: &mut Criterion, name: &str, scene: Scene, size: &str, objects: usize) {
    let swing = Swing::<f32, 3>::new(scene, objects);
    let mut group = c.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(objects as u64));
    for threads in thread_counts() {
        let mut stepper = Stepper::new(&swing, threads);
        let id = BenchmarkId::new(scene.name(), format!("{size}/{threads}t"));
        group.bench_function(id, |bencher| stepper.bench(bencher));
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = scaling, small }
criterion_main!(benches);
