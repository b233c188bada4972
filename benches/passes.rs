//! Each pass alone, by the engine's own clock: `passes/SCENE/SIZE/THREADSt/PASS`. The whole step runs, only the pass counts.

mod common;

use std::time::Duration;

use common::{Stepper, Swing, criterion, sizes};
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pivotgrid::PassTimes;
use scenes::Scene;

fn passes(c: &mut Criterion) {
    let names = PassTimes::default().named().map(|(name, _)| name);
    let mut group = c.benchmark_group("passes");
    group.sampling_mode(SamplingMode::Flat);
    for scene in Scene::ALL {
        for &(size, objects) in sizes() {
            let swing = Swing::<f32, 3>::new(scene, objects);
            group.throughput(Throughput::Elements(objects as u64));
            for threads in [1, 2] {
                let mut stepper = Stepper::new(&swing, threads);
                for (pass, name) in names.iter().enumerate() {
                    let id = BenchmarkId::new(scene.name(), format!("{size}/{threads}t/{name}"));
                    group.bench_function(id, |bencher| {
                        stepper.warm_up();
                        bencher.iter_custom(|count| time_of(&mut stepper, pass, count));
                    });
                }
            }
        }
    }
    group.finish();
}

/// Takes `count` steps and returns the time of one of their passes.
fn time_of(stepper: &mut Stepper<'_, f32, 3>, pass: usize, count: u64) -> Duration {
    let step = |_| {
        stepper.step();
        stepper.stats().times.named()[pass].1
    };
    (0..count).map(step).sum()
}

criterion_group! { name = benches; config = criterion(); targets = passes }
criterion_main!(benches);
