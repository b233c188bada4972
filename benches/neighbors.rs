//! Neighbor lists: `neighbors/SCENE/SIZE/full` and `…/half` are the rows of points within 3.06 of each other (about thirty in `uniform`),
//! `…/touching` those of balls of the sizes that the scene has. On one thread.

mod common;

use std::hint::black_box;

use common::{Swing, WARM_UP, criterion, sizes};
use criterion::{Bencher, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pivotgrid::{Ball, Neighbors};
use scenes::Scene;

const RADIUS: f32 = 3.06;

/// Frame after frame of a scene, as balls; criterion measures the searches and not the making of balls.
fn bench(bencher: &mut Bencher<'_>, swing: &Swing<f32, 3>, mut search: impl FnMut(&[Ball<f32, 3>], &[[f32; 3]]) -> usize) {
    let mut step = 0;
    let mut next = || {
        let balls = swing.boxes(step).iter().map(|bounds| Ball::new(bounds.center(), (bounds.max[0] - bounds.min[0]) / 2.0));
        let balls: Vec<_> = balls.collect();
        let points: Vec<_> = balls.iter().map(|ball| ball.center).collect();
        step += 1;
        (balls, points)
    };
    for _ in 0..WARM_UP {
        let (balls, points) = next();
        black_box(search(&balls, &points));
    }
    bencher.iter_batched(next, |(balls, points)| black_box(search(&balls, &points)), criterion::BatchSize::PerIteration);
}

fn neighbors(c: &mut Criterion) {
    let mut group = c.benchmark_group("neighbors");
    group.sampling_mode(SamplingMode::Flat);
    for scene in [Scene::Uniform, Scene::Clustered, Scene::Koch] {
        for &(size, objects) in sizes() {
            let swing = Swing::<f32, 3>::new(scene, objects);
            group.throughput(Throughput::Elements(objects as u64));
            let id = |kind| BenchmarkId::new(scene.name(), format!("{size}/{kind}"));
            for (kind, half) in [("full", false), ("half", true)] {
                let mut neighbors = Neighbors::<f32, 3>::new().half(half);
                group.bench_function(id(kind), |bencher| {
                    bench(bencher, &swing, |_, points| neighbors.within(points, RADIUS).indices().len());
                });
            }
            let mut neighbors = Neighbors::<f32, 3>::new();
            group.bench_function(id("touching"), |bencher| {
                bench(bencher, &swing, |balls, _| neighbors.touching(balls).indices().len());
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = neighbors }
criterion_main!(benches);
