//! The first call of a new engine against a steady step: `first_call/SCENE/SIZE/THREADSt/first` and `…/steady`. The first one
//! allocates, plans without knowing the scene, and visits the objects in the user's order.

mod common;

use common::{Stepper, Swing, criterion, sizes};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use scenes::Scene;

fn first_call(c: &mut Criterion) {
    let mut group = c.benchmark_group("first_call");
    group.sampling_mode(SamplingMode::Flat);
    for scene in [Scene::Uniform, Scene::Koch, Scene::Clustered, Scene::Power] {
        for &(size, objects) in sizes() {
            let swing = Swing::<f32, 3>::new(scene, objects);
            group.throughput(Throughput::Elements(objects as u64));
            for threads in [1, 2] {
                let (mut new, mut used) = (Stepper::new(&swing, threads), Stepper::new(&swing, threads));
                let id = |kind| BenchmarkId::new(scene.name(), format!("{size}/{threads}t/{kind}"));
                group.bench_function(id("first"), |bencher| {
                    new.warm_up();
                    bencher.iter_custom(|count| (0..count).map(|_| new.first_step()).sum());
                });
                group.bench_function(id("steady"), |bencher| used.bench(bencher));
            }
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = first_call }
criterion_main!(benches);
