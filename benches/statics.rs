//! What a world that stands still costs. Of the objects of `uniform`, a thousandth moves and the others are in a `StaticSet`:
//! `statics/SIZE/moving` is a step of those that move against the set, `statics/SIZE/all` a step that does not know who moves and
//! rebuilds everything, which the first is to be compared with. `nothing` is a step in which nothing moves, `change` moves one object of the
//! set. `change_and_query` moves one and queries a box, and `change_rebuild_and_query` rebuilds the set in between, as queries did until
//! 2026-11-18. On one thread.

mod common;

use std::hint::black_box;

use common::{Stepper, Swing, WARM_UP, criterion, sizes};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pivotgrid::{Aabb, BroadPhase, StaticSet};
use scenes::Scene;

/// One object in this many moves.
const STILL: usize = 1000;

fn statics(c: &mut Criterion) {
    for &(size, objects) in sizes() {
        let mut group = c.benchmark_group("statics");
        let swing = Swing::<f32, 3>::new(Scene::Uniform, objects);
        let moving = |step: usize| -> Vec<Aabb<f32, 3>> { swing.boxes(step).iter().step_by(STILL).copied().collect() };
        // Two frames of them, to and fro.
        let frames = [moving(0), moving(1)];
        let still = |index: &usize| !index.is_multiple_of(STILL);
        let still: Vec<_> = (0..objects).filter(still).map(|index| swing.boxes(0)[index]).collect();
        let mut set = StaticSet::new();
        set.par_build(&still);
        let mut engine = BroadPhase::<f32, 3>::new();
        for step in 0..WARM_UP {
            engine.over(&frames[step % 2]).with(&set).serial().pairs();
        }
        let mut step = 0;
        group.throughput(Throughput::Elements(frames[0].len() as u64));
        group.bench_function(BenchmarkId::new(size, "moving"), |bencher| {
            bencher.iter(|| {
                step += 1;
                let pairs = engine.over(&frames[step % 2]).with(&set).serial().pairs();
                black_box((pairs.moving.len(), pairs.statics.len()))
            });
        });
        group.bench_function(BenchmarkId::new(size, "all"), |bencher| Stepper::new(&swing, 1).bench(bencher));
        let none: [Aabb<f32, 3>; 0] = [];
        group.bench_function(BenchmarkId::new(size, "nothing"), |bencher| {
            bencher.iter(|| black_box(engine.over(&none).with(&set).serial().pairs().moving.len()));
        });
        group.throughput(Throughput::Elements(1));
        let mut next = 0;
        group.bench_function(BenchmarkId::new(size, "change"), |bencher| {
            bencher.iter(|| {
                // Anywhere in the set, so that none of it stays in the cache.
                next = (next + 7919) % still.len();
                black_box(set.update(next as u32, &still[(next + 1) % still.len()]))
            });
        });
        let mut found = Vec::new();
        let mut change_and_query = |rebuild: bool| {
            next = (next + 7919) % still.len();
            set.update(next as u32, &still[(next + 1) % still.len()]).expect("an object of the set");
            if rebuild {
                set.par_rebuild();
            }
            set.queries().overlapping(&still[next], &mut found);
            black_box(found.len())
        };
        group.bench_function(BenchmarkId::new(size, "change_and_query"), |bencher| bencher.iter(|| change_and_query(false)));
        group.bench_function(BenchmarkId::new(size, "change_rebuild_and_query"), |bencher| {
            bencher.iter(|| change_and_query(true));
        });
        group.finish();
    }
}

criterion_group! { name = benches; config = criterion(); targets = statics }
criterion_main!(benches);
