//! Whether the planner's choice sits at the bottom of a flat valley, on one thread: each of its constants changed,
//! `costs/SCENE/SIZE/COST/xFACTOR`, and cells of a forced size, `cells/SCENE/SIZE/xFACTOR`, against those it chose itself,
//! `cells/SCENE/SIZE/planned`. The plan that was made is printed with each of them.

mod common;

use common::{Stepper, Swing, criterion, measuring};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pivotgrid::{Config, Costs, Stats};
use scenes::Scene;

const SCENES: [Scene; 5] = [Scene::Uniform, Scene::Koch, Scene::Clustered, Scene::Power, Scene::Long];

/// A constant of the planner by name.
type Cost = (&'static str, fn(&mut Costs) -> &mut f64);

const COSTS: [Cost; 5] = [
    ("row", |costs| &mut costs.row),
    ("run", |costs| &mut costs.run),
    ("compare", |costs| &mut costs.compare),
    ("chunk", |costs| &mut costs.chunk),
    ("look", |costs| &mut costs.look),
];

/// A factor of 1 as well: it is the same bench for every cost, and shows how much of the rest is noise.
const COST_FACTORS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

const CELL_FACTORS: [f64; 7] = [0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0];

fn size() -> (&'static str, usize) {
    if measuring() { ("100k", 100_000) } else { ("2k", 2_000) }
}

fn costs(c: &mut Criterion) {
    let mut group = group(c, "costs");
    for scene in SCENES {
        let swing = Swing::new(scene, size().1);
        for (name, cost) in COSTS {
            for factor in COST_FACTORS {
                let mut config = Config::default();
                *cost(&mut config.costs) *= factor;
                sweep(&mut group, &swing, scene, &format!("{name}/x{factor}"), || config.clone());
            }
        }
    }
    group.finish();
}

fn cells(c: &mut Criterion) {
    let mut group = group(c, "cells");
    for scene in SCENES {
        let swing = Swing::new(scene, size().1);
        sweep(&mut group, &swing, scene, "planned", Config::default);
        for factor in CELL_FACTORS {
            sweep(&mut group, &swing, scene, &format!("x{factor}"), || {
                Config::default().exact_cell_size(factor * planned(&swing))
            });
        }
    }
    group.finish();
}

fn group<'c>(c: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(size().1 as u64));
    group
}

/// One point of a sweep. Its settings are made when it runs, since they may take a step to find out.
fn sweep(
    group: &mut BenchmarkGroup<'_, WallTime>,
    swing: &Swing<f32, 3>,
    scene: Scene,
    point: &str,
    config: impl Fn() -> Config,
) {
    let id = BenchmarkId::new(scene.name(), format!("{}/{point}", size().0));
    let mut stepper = None;
    group.bench_function(id, |bencher| {
        let stepper = stepper.get_or_insert_with(|| {
            let mut stepper = Stepper::with_config(swing, 1, config());
            stepper.warm_up();
            println!("{scene}/{point}: {}", plan(stepper.stats()));
            stepper
        });
        stepper.bench(bencher);
    });
}

/// The edge that the planner chooses for the finest cells; across the rows, since along them it may cut them finer.
fn planned(swing: &Swing<f32, 3>) -> f64 {
    let mut stepper = Stepper::new(swing, 1);
    stepper.step();
    stepper.stats().levels.first().expect("these scenes have a grid").cell_size[1]
}

/// The levels, from fine to coarse, and what is in none of them.
fn plan(stats: &Stats) -> String {
    let level = |level: &pivotgrid::LevelStats| {
        let [x, y, z] = level.cell_size;
        format!("{} in cells of {x:.3}×{y:.3}×{z:.3}", level.objects)
    };
    let levels: Vec<String> = stats.levels.iter().map(level).collect();
    format!("{}; {} listed", levels.join(", "), stats.oversized)
}

criterion_group! { name = benches; config = criterion(); targets = costs, cells }
criterion_main!(benches);
