//! A handful of objects, where nothing beats two nested loops by much: `few_objects/SIZE/detect` against
//! `few_objects/SIZE/nested_loops`, and at 1000 also `…/par_detect`, made to share what it would by default do alone.

mod common;

use std::hint::black_box;

use common::{Stepper, Swing, criterion};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pivotgrid::{Aabb, Config, Pair};
use scenes::Scene;

fn few_objects(c: &mut Criterion) {
    let mut group = c.benchmark_group("few_objects");
    for objects in [10, 30, 50, 100, 300, 1000] {
        let swing = Swing::<f32, 3>::new(Scene::Uniform, objects);
        let id = |way: &str| BenchmarkId::new(objects.to_string(), way);
        group.throughput(Throughput::Elements(objects as u64));

        let mut alone = Stepper::new(&swing, 1);
        group.bench_function(id("detect"), |bencher| {
            alone.warm_up();
            bencher.iter(|| black_box(alone.untimed_step().len()));
        });
        let (mut pairs, mut step) = (Vec::new(), 0);
        group.bench_function(id("nested_loops"), |bencher| {
            bencher.iter(|| {
                nested_loops(swing.boxes(step), &mut pairs);
                step += 1;
                black_box(pairs.len())
            });
        });
        if objects == 1000 {
            let mut shared = Stepper::with_config(&swing, 2, Config::default().serial_up_to(0));
            group.bench_function(id("par_detect"), |bencher| {
                shared.warm_up();
                bencher.iter(|| black_box(shared.untimed_step().len()));
            });
        }
    }
    group.finish();
}

/// What one would write without a library.
fn nested_loops(boxes: &[Aabb<f32, 3>], pairs: &mut Vec<Pair>) {
    pairs.clear();
    for (b, second) in boxes.iter().enumerate() {
        for (a, first) in boxes[..b].iter().enumerate() {
            if first.overlaps(second) {
                pairs.push(Pair { a: a as u32, b: b as u32 });
            }
        }
    }
}

criterion_group! { name = benches; config = criterion(); targets = few_objects }
criterion_main!(benches);
