//! What all benches share: scenes in motion, sizes, threads, criterion's settings. See `benches/README.md`.
#![allow(dead_code)] // No bench uses all of it.

use std::cell::OnceCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Bencher, Criterion};
use pivotgrid::{Aabb, BroadPhase, Config, Pairs, Stats};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};

/// Moments of a scene that a bench goes through, forward and back and forward again.
const FRAMES: usize = 4;

/// Steps until the engine's memory and plan are settled.
pub(crate) const WARM_UP: usize = 4;

/// Short, so that all benches together stay under a quarter of an hour. `--sample-size` and `--measurement-time` ask for more.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .nresamples(10_000)
        .without_plots()
}

/// Cargo passes `--bench` for measuring; without it (`cargo test --benches`) every bench only has to run through, once.
pub(crate) fn measuring() -> bool {
    std::env::args().any(|word| word == "--bench")
}

/// The numbers of objects with their names; a small one if nothing is measured.
pub(crate) fn sizes() -> &'static [(&'static str, usize)] {
    if measuring() { &[("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000)] } else { &[("2k", 2_000)] }
}

/// 1, 2, 4, … as far as the machine goes, and all that it has.
pub(crate) fn thread_counts() -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts: Vec<usize> = (0..).map(|power| 1 << power).take_while(|&count| count < all).collect();
    counts.push(all);
    counts
}

/// A scene that swings: frames 0, 1, 2, 3, 2, 1, 0, 1 and so on. Objects move from step to step as in the scene, and yet
/// the ten-thousandth step is as hard as the first: `clustered`, left to itself, would dissolve under way.
pub(crate) struct Swing<S, const D: usize> {
    scene: Scene,
    objects: usize,
    /// Made on first use, so that a bench that is filtered out costs nothing.
    frames: OnceCell<Vec<Vec<Aabb<S, D>>>>,
}

impl<S: pivotgrid::Scalar + scenes::Scalar, const D: usize> Swing<S, D> {
    pub(crate) fn new(scene: Scene, objects: usize) -> Self {
        Swing { scene, objects, frames: OnceCell::new() }
    }

    /// The boxes at a step.
    pub(crate) fn boxes(&self, step: usize) -> &[Aabb<S, D>] {
        let frames = self.frames.get_or_init(|| {
            let mut world = World::<S, D>::new(self.scene, self.objects, 1);
            let frame = |_| {
                let boxes = world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect();
                world.step();
                boxes
            };
            (0..FRAMES).map(frame).collect()
        });
        let phase = step % (2 * FRAMES - 2);
        &frames[phase.min(2 * FRAMES - 2 - phase)]
    }
}

/// An engine that goes from step to step of a swing.
pub(crate) struct Stepper<'s, S: pivotgrid::Scalar, const D: usize> {
    swing: &'s Swing<S, D>,
    broad_phase: BroadPhase<S, D>,
    pool: Option<ThreadPool>,
    step: usize,
}

impl<'s, S: pivotgrid::Scalar + scenes::Scalar, const D: usize> Stepper<'s, S, D> {
    /// One thread means `detect` on the calling one, more of them a pool of their own.
    pub(crate) fn new(swing: &'s Swing<S, D>, threads: usize) -> Self {
        Self::with_config(swing, threads, Config::default())
    }

    pub(crate) fn with_config(swing: &'s Swing<S, D>, threads: usize, config: Config) -> Self {
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        let broad_phase = BroadPhase::with_config(config).expect("the settings are valid");
        Stepper { swing, broad_phase, pool: (threads > 1).then(pool), step: 0 }
    }

    /// Makes the scene and settles the engine, once. To be called before criterion's own warming up, which is about time and
    /// may be over after one step.
    pub(crate) fn warm_up(&mut self) {
        while self.step < WARM_UP {
            self.step();
        }
    }

    /// Takes a step and returns its time, from call to return.
    pub(crate) fn step(&mut self) -> Duration {
        let boxes = self.next_boxes();
        let begin = Instant::now();
        black_box(self.detect(boxes));
        begin.elapsed()
    }

    /// Takes a step without looking at the clock, for steps that take no longer than that.
    pub(crate) fn untimed_step(&mut self) -> Pairs<'_> {
        let boxes = self.next_boxes();
        self.detect(boxes)
    }

    fn next_boxes(&mut self) -> &'s [Aabb<S, D>] {
        self.step += 1;
        self.swing.boxes(self.step - 1)
    }

    fn detect(&mut self, boxes: &[Aabb<S, D>]) -> Pairs<'_> {
        let broad_phase = &mut self.broad_phase;
        match &self.pool {
            None => broad_phase.detect(boxes),
            Some(pool) => pool.install(|| broad_phase.par_detect(boxes)),
        }
    }

    /// What criterion is to measure: whole steps.
    pub(crate) fn bench(&mut self, bencher: &mut Bencher<'_>) {
        self.warm_up();
        bencher.iter_custom(|count| (0..count).map(|_| self.step()).sum());
    }

    /// Takes a step with a new engine and returns its time; making and dropping the engine is not in it.
    pub(crate) fn first_step(&mut self) -> Duration {
        self.broad_phase = BroadPhase::new();
        self.step()
    }

    pub(crate) fn stats(&self) -> &Stats {
        self.broad_phase.stats()
    }
}
