//! The planner against its own choices changed by hand, on one thread, in turn step by step, lower quartiles; prints a table of each.
//!
//! - `cells`: the best of 7 × 7 hand-set cells (`x` and `y = z`, factors of the finest level's), time over the planner's. Below 1 the
//!   planner could do better.
//! - `costs`: each of the planner's constants halved and doubled, time over that with the present one.
//! - `planning`: a step that plans because the objects have moved apart, over a steady step with as many objects.
//! - `growth`: a step with half as many objects again as the one before, over the same.
//!
//! ```sh
//! cargo bench --bench by_hand -- cells 100000 uniform,koch
//! ```

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{Stepper, Swing, measuring};
use pivotgrid::{Aabb, BroadPhase, Config, Costs};
use scenes::Scene;

/// Factors of the cells that the planner chose.
const FACTORS: [f64; 7] = [0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8];

/// A constant of the planner by name.
type Cost = (&'static str, fn(&mut Costs) -> &mut f64);

const COSTS: [Cost; 5] = [
    ("row", |costs| &mut costs.row),
    ("run", |costs| &mut costs.run),
    ("compare", |costs| &mut costs.compare),
    ("chunk", |costs| &mut costs.chunk),
    ("look", |costs| &mut costs.look),
];

/// A table by name: makes its line for a scene, with so many objects and steps.
type Kind = (&'static str, fn(Scene, usize, usize));

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let word = |at: usize| words.get(at).map(String::as_str);
    let objects = word(1).map_or(if measuring() { 100_000 } else { 2_000 }, |text| text.parse().expect("a number of objects"));
    let scenes: Vec<Scene> = match word(2) {
        Some(names) => names.split(',').map(|name| name.parse().expect("a scene")).collect(),
        None => Scene::ALL.to_vec(),
    };
    let steps = if measuring() { 12 } else { 2 };
    let kinds: [Kind; 4] =
        [("cells", cells::<f32, 3>), ("costs", costs::<f32, 3>), ("planning", planning::<f32, 3>), ("growth", growth::<f32, 3>)];
    for (name, run) in kinds.into_iter().filter(|(name, _)| word(0).is_none_or(|wanted| wanted == *name)) {
        println!("{name}, {objects} objects, one thread, f32 3D, {steps} steps each");
        for &scene in scenes.iter().filter(|_| measuring() || name != "cells").chain(scenes.first().filter(|_| !measuring())) {
            run(scene, objects, steps);
        }
    }
}

/// The lower quartile.
fn quartile(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 4].as_secs_f64()
}

/// Times of two configurations, in turn.
fn race<S, const D: usize>(swing: &Swing<S, D>, steps: usize, configs: [Config; 2]) -> [f64; 2]
where
    S: pivotgrid::Scalar + scenes::Scalar,
{
    let mut steppers = configs.map(|config| Stepper::with_config(swing, 1, config));
    steppers.iter_mut().for_each(Stepper::warm_up);
    let mut times = [Vec::new(), Vec::new()];
    for step in 0..steps {
        // The first one reads the boxes into the cache, and pays for that.
        for at in [step % 2, (step + 1) % 2] {
            times[at].push(steppers[at].step());
        }
    }
    times.map(|mut times| quartile(&mut times))
}

fn cells<S: pivotgrid::Scalar + scenes::Scalar, const D: usize>(scene: Scene, objects: usize, steps: usize) {
    let swing = Swing::<S, D>::new(scene, objects);
    let mut stepper = Stepper::new(&swing, 1);
    stepper.warm_up();
    let Some([x, y, _]) = stepper.stats().levels.first().map(|level| level.cell_size) else {
        return println!("  {scene}: no grid");
    };
    let levels = stepper.stats().levels.len();
    let by_hand = |[along, across]: [f64; 2]| {
        let mut config = Config::default();
        config.exact_cells = Some([x * along, y * across, y * across]);
        config
    };
    let mut best = (f64::INFINITY, [1.0; 2]);
    for along in FACTORS {
        for across in FACTORS {
            if (x * along).is_finite() && (y * across).is_finite() {
                let [planned, changed] = race(&swing, steps, [Config::default(), by_hand([along, across])]);
                best = if changed / planned < best.0 { (changed / planned, [along, across]) } else { best };
            }
        }
    }
    // The best of so many is partly luck: these cells once more, with more steps.
    let [planned, changed] = race(&swing, 4 * steps, [Config::default(), by_hand(best.1)]);
    let ratio = changed / planned;
    println!("  {scene}: best by hand {ratio:.2} of the planner's time, at factors {:?}; {levels} level(s)", best.1);
}

fn costs<S: pivotgrid::Scalar + scenes::Scalar, const D: usize>(scene: Scene, objects: usize, steps: usize) {
    let swing = Swing::<S, D>::new(scene, objects);
    print!("  {scene}:");
    for (name, cost) in COSTS {
        for factor in [0.5, 2.0] {
            let mut config = Config::default();
            *cost(&mut config.costs) *= factor;
            let [present, changed] = race(&swing, steps, [Config::default(), config]);
            print!(" {name} ×{factor} {:.2}", changed / present);
        }
    }
    println!();
}

/// A kind of step against a steady one.
struct Against {
    ratio: f64,
    /// Which part of these steps planned, and which part of their time that took.
    planned: f64,
    share: f64,
}

/// The step after those that `lead` takes, against a steady one with the same boxes.
fn against_steady<S: pivotgrid::Scalar + scenes::Scalar, const D: usize>(
    swing: &Swing<S, D>,
    steps: usize,
    lead: impl Fn(&mut BroadPhase<S, D>, &[Aabb<S, D>]),
) -> Against {
    let mut steady = Stepper::new(swing, 1);
    steady.warm_up();
    let (mut planner, mut times) = (BroadPhase::<S, D>::new(), [Vec::new(), Vec::new()]);
    let (mut share, mut plans) = (0.0, 0);
    for step in 0..steps {
        let boxes = swing.boxes(step);
        lead(&mut planner, boxes);
        // Both find the boxes in the cache, as far as they fit.
        black_box(boxes.iter().filter(|bounds| bounds.min[0] > bounds.max[0]).count());
        times[0].push(steady.step());
        let begin = std::time::Instant::now();
        planner.detect(boxes);
        times[1].push(begin.elapsed());
        plans += usize::from(planner.stats().replanned);
        share += planner.stats().times.plan.as_secs_f64() / planner.stats().times.total().as_secs_f64() / steps as f64;
    }
    let [steady, other] = times.map(|mut times| quartile(&mut times));
    Against { ratio: other / steady, planned: plans as f64 / steps as f64, share }
}

/// After steps with the same boxes in half the space, the step before finds too little, so that the next one plans; or it planned itself.
fn planning<S: pivotgrid::Scalar + scenes::Scalar, const D: usize>(scene: Scene, objects: usize, steps: usize) {
    let swing = Swing::<S, D>::new(scene, objects);
    let Against { ratio, planned, share } = against_steady(&swing, steps, |planner, boxes| {
        let half = <S as scenes::Scalar>::from_f64(0.5);
        let closer: Vec<_> = boxes
            .iter()
            .map(|bounds| {
                let min = bounds.min.map(|x| x * half);
                Aabb::new(min, std::array::from_fn(|axis| min[axis] + (bounds.max[axis] - bounds.min[axis])))
            })
            .collect();
        for _ in 0..3 {
            planner.detect(&closer);
        }
        planner.detect(boxes);
    });
    let (planned, share) = (100.0 * planned, 100.0 * share);
    println!("  {scene}: {ratio:.2} steady steps; {share:.0} % of the time is planning; {planned:.0} % of the steps planned");
}

fn growth<S: pivotgrid::Scalar + scenes::Scalar, const D: usize>(scene: Scene, objects: usize, steps: usize) {
    let swing = Swing::<S, D>::new(scene, objects);
    let Against { ratio, planned, .. } = against_steady(&swing, steps, |planner, boxes| {
        planner.detect(&boxes[..boxes.len() * 2 / 3]);
    });
    println!("  {scene}: {ratio:.2} steady steps; {:.0} % of the steps planned", 100.0 * planned);
}
