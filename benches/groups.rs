//! The cost of groups and masks. `groups/SCENE-SIZE/inside` gives groups to the engine, whose kernels check them before a
//! pair is stored; `groups/SCENE-SIZE/after` has it store all pairs, and drops afterwards what the groups refuse. In `half`, half of
//! the objects of `uniform` are scenery, which does not pair with itself; in `stacked`, 1000 objects at a time lie in one place
//! and are one body, so that nearly all pairs are refused. On one thread.

mod common;

use std::hint::black_box;

use common::{Swing, WARM_UP, criterion, measuring, sizes};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pivotgrid::{Aabb, Bounded, BroadPhase, Groups, Pair};
use scenes::Scene;

const SCENERY: u32 = 1;
const ACTOR: u32 = 2;

/// How many objects lie in one place.
const STACK: usize = 1000;

#[derive(Clone, Copy)]
struct Grouped {
    aabb: Aabb<f32, 3>,
    groups: Groups,
}

impl Bounded<f32, 3> for Grouped {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.aabb
    }

    fn groups(&self) -> Groups {
        self.groups
    }
}

/// Half of them scenery.
fn half(objects: usize) -> Vec<Grouped> {
    let groups = |index: usize| match index % 2 {
        0 => Groups::new(SCENERY, ACTOR),
        _ => Groups::new(ACTOR, SCENERY | ACTOR),
    };
    let swing = Swing::<f32, 3>::new(Scene::Uniform, objects);
    swing.boxes(0).iter().enumerate().map(|(index, &aabb)| Grouped { aabb, groups: groups(index) }).collect()
}

/// Stacks, each a body, side by side so that neighbors touch.
fn stacked(objects: usize) -> Vec<Grouped> {
    let object = |index: usize| {
        let stack = index / STACK;
        let aabb = Aabb::new([stack as f32, 0.0, 0.0], [stack as f32 + 0.9, 1.0, 1.0]);
        Grouped { aabb, groups: Groups::ALL.of_body(stack as u32 + 1) }
    };
    (0..objects).map(object).collect()
}

fn compare(c: &mut Criterion, name: &str, objects: &[Grouped]) {
    let mut group = c.benchmark_group("groups");
    group.throughput(Throughput::Elements(objects.len() as u64));
    let boxes: Vec<_> = objects.iter().map(|object| object.aabb).collect();
    let (mut inside, mut plain, mut kept) = (BroadPhase::<f32, 3>::new(), BroadPhase::<f32, 3>::new(), Vec::new());
    let admitted = |pair: &Pair| objects[pair.a as usize].groups.admit(objects[pair.b as usize].groups);
    let mut after = || {
        kept.clear();
        kept.extend(plain.detect(&boxes).iter().filter(admitted));
        kept.len()
    };
    for _ in 0..WARM_UP {
        assert_eq!(inside.detect(objects).len(), after());
    }
    group.bench_function(BenchmarkId::new(name, "inside"), |bencher| bencher.iter(|| black_box(inside.detect(objects).len())));
    group.bench_function(BenchmarkId::new(name, "after"), |bencher| bencher.iter(|| black_box(after())));
    group.finish();
}

fn groups(c: &mut Criterion) {
    for &(size, objects) in sizes() {
        compare(c, &format!("half-{size}"), &half(objects));
    }
    // The stacks are quadratic by nature, with either filter.
    let objects = if measuring() { 10 * STACK } else { 2 * STACK };
    compare(c, &format!("stacked-{}k", objects / 1000), &stacked(objects));
}

criterion_group! { name = benches; config = criterion(); targets = groups }
criterion_main!(benches);
