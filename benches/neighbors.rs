//! Neighbor lists: `neighbors/SCENE/SIZE/full` and `…/half` are the rows of points within 3.06 of each other (about thirty in `uniform`),
//! `…/touching` those of balls of the sizes that the scene has. On one thread.
//!
//! `particles/SIZE/…`, in a uniform scene with about thirty neighbors each: `plain`, the same in a periodic box (`periodic`) and in a sheared
//! one (`sheared`), the latter with shifts, distances and vectors (`everything`); radii from 1 to 3 by `max`, and the same by balls of
//! the whole reach with a filter (`max_by_filter`); `needs_rebuild`, to be compared with `plain`, which it saves.

mod common;

use std::hint::black_box;

use common::{Swing, WARM_UP, criterion, sizes};
use criterion::{Bencher, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pivotgrid::{Aabb, Ball, Bounded, Lattice, Neighbors, Reach};
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

/// A ball that is a neighbor if one of two centers lies in the other ball: what a rule does, by hand.
struct Filtered(Ball<f32, 3>);

impl Bounded<f32, 3> for Filtered {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.0.aabb()
    }
    fn ball(&self) -> Option<Ball<f32, 3>> {
        Some(self.0)
    }
    fn pairs_with(&self, other: &Self) -> bool {
        let square: f32 = (0..3).map(|axis| (self.0.center[axis] - other.0.center[axis]).powi(2)).sum();
        square <= self.0.radius.max(other.0.radius).powi(2)
    }
}

fn particles(c: &mut Criterion) {
    let mut group = c.benchmark_group("particles");
    group.sampling_mode(SamplingMode::Flat);
    for &(size, objects) in sizes() {
        let edge = (objects as f64).cbrt();
        let mut state = 1u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let counted: Vec<[f64; 3]> = (0..objects).map(|_| [unit(), unit(), unit()]).collect();
        let radii: Vec<f32> = (0..objects).map(|_| (0.7 + unit() * unit() * 1.4) as f32).collect();
        let vectors = [[edge, 0.0, 0.0], [0.3 * edge, edge, 0.0], [0.2 * edge, -0.25 * edge, edge]];
        let place = |at: &[f64; 3], vectors: &[[f64; 3]; 3]| -> [f32; 3] {
            std::array::from_fn(|axis| (0..3).map(|vector| at[vector] * vectors[vector][axis]).sum::<f64>() as f32)
        };
        let straight = [[edge, 0.0, 0.0], [0.0, edge, 0.0], [0.0, 0.0, edge]];
        let points: Vec<[f32; 3]> = counted.iter().map(|at| place(at, &straight)).collect();
        let sheared: Vec<[f32; 3]> = counted.iter().map(|at| place(at, &vectors)).collect();
        let filtered: Vec<Filtered> = points.iter().zip(&radii).map(|(&at, &radius)| Filtered(Ball::new(at, radius))).collect();
        let (radius, lattice) = (1.9, Lattice::new(vectors, [true; 3]).expect("a lattice"));
        let domain = Aabb::new([0.0; 3], [edge as f32; 3]);

        group.throughput(Throughput::Elements(objects as u64));
        let mut run = |kind: &str, search: &mut dyn FnMut() -> usize| {
            (0..WARM_UP).for_each(|_| assert!(search() > 0));
            group.bench_function(BenchmarkId::new(size, kind), |bencher| bencher.iter(|| black_box(search())));
        };
        let new = Neighbors::<f32, 3>::new;
        let mut plain = new();
        run("plain", &mut || plain.within(&points, radius).indices().len());
        let mut periodic = new().periodic(domain, [true; 3]).expect("a domain");
        run("periodic", &mut || periodic.within(&points, radius).neighbors());
        let mut in_lattice = new().lattice(lattice);
        run("sheared", &mut || in_lattice.within(&sheared, radius).neighbors());
        let mut everything = new().shifts(true).distances(true).vectors(true).lattice(lattice);
        run("everything", &mut || everything.within(&sheared, radius).neighbors());
        let mut by_rule = new();
        run("max", &mut || by_rule.within(&points, Reach::Max(&radii)).indices().len());
        let mut by_filter = new();
        run("max_by_filter", &mut || by_filter.touching(&filtered).indices().len());
        let mut skin = new().skin(0.3);
        skin.within(&points, radius);
        run("needs_rebuild", &mut || 1 + usize::from(skin.needs_rebuild(&points)));
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = neighbors, particles }
criterion_main!(benches);
