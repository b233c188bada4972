//! `lab run`: a series on all threads, a picture of its last step, a shorter series on one thread, and the report.

use std::path::PathBuf;

use indicatif::ProgressBar;
use pivotgrid::{Aabb, BroadPhase};
use scenes::{Scene, World};

use crate::cli::{RunOptions, Scalar};
use crate::failure::Failure;
use crate::files;
use crate::picture::{self, Caption};
use crate::progress;
use crate::report::{self, Report};
use crate::series::{self, Series, Source};
use crate::settings::{Settings, WARM_UP};

pub(crate) fn run(options: &RunOptions) -> Result<String, Failure> {
    let settings = Settings::new(options)?;
    options.pictures().map_or(Ok(()), files::prepare)?;
    let bar = progress::bar(Some(settings.all_steps() as u64));
    let result = match (options.scene.scalar, options.scene.dim) {
        (Scalar::F32, 2) => both::<f32, 2>(&settings, options, &bar),
        (Scalar::F32, _) => both::<f32, 3>(&settings, options, &bar),
        (Scalar::F64, 2) => both::<f64, 2>(&settings, options, &bar),
        (Scalar::F64, _) => both::<f64, 3>(&settings, options, &bar),
    };
    bar.finish_and_clear();
    let report = Report::new(&settings, &options.scene, result?);
    Ok(if options.json { report::json(&report) } else { report.text() })
}

/// What a run leaves.
pub(crate) struct Outcome {
    pub(crate) together: Series,
    /// On one thread, if there was to be such a series.
    pub(crate) alone: Option<Series>,
    /// The files.
    pub(crate) pictures: Vec<PathBuf>,
}

/// The series of the command line with its pictures and, if it is wanted, one on one thread. Both get the same boxes.
fn both<S, const D: usize>(settings: &Settings, options: &RunOptions, bar: &ProgressBar) -> Result<Outcome, Failure>
where
    S: pivotgrid::Scalar + scenes::Scalar + Into<f64>,
{
    let series = |broad_phase: &mut BroadPhase<S, D>, threads, steps| {
        bar.set_message("making the scene");
        let mut motion = Motion::<S, D>::new(settings.scene, settings.objects, settings.seed, WARM_UP + steps);
        series::take_with(broad_phase, &mut motion, threads, bar)
    };
    let mut broad_phase = BroadPhase::new();
    let together = series(&mut broad_phase, settings.threads, settings.steps)?;
    let pictures = options.pictures().map_or(Ok(Vec::new()), |directory| {
        bar.set_message("drawing");
        let name = format!("{}-{D}d-{}", settings.scene, settings.objects);
        picture::write(&broad_phase, &caption(settings, options), directory, &name)
    })?;
    drop(broad_phase);
    if settings.steps_alone == 0 {
        return Ok(Outcome { together, alone: None, pictures });
    }
    let alone = series(&mut BroadPhase::new(), 1, settings.steps_alone)?;
    match alone.steps.iter().zip(&together.steps).position(|(one, all)| one.checksum != all.checksum) {
        Some(step) => Err(Failure::DifferentPairs { step, threads: settings.threads }),
        None => Ok(Outcome { together, alone: Some(alone), pictures }),
    }
}

fn caption(settings: &Settings, options: &RunOptions) -> Caption {
    let Settings { scene, seed, steps, .. } = settings;
    Caption {
        title: format!("{scene} in {}D, {}", options.scene.dim, options.scene.scalar.name()),
        remark: format!("seed {seed}, after {} steps", WARM_UP + steps),
    }
}

/// A scene for a number of steps. The same arguments give the same boxes.
pub(crate) struct Motion<S, const D: usize> {
    world: World<S, D>,
    steps: std::ops::Range<usize>,
}

impl<S: scenes::Scalar, const D: usize> Motion<S, D> {
    pub(crate) fn new(scene: Scene, objects: usize, seed: u64, steps: usize) -> Self {
        Self { world: World::new(scene, objects, seed), steps: 0..steps }
    }
}

impl<S: pivotgrid::Scalar + scenes::Scalar, const D: usize> Source<S, D> for Motion<S, D> {
    fn next(&mut self, boxes: &mut Vec<Aabb<S, D>>) -> Result<bool, Failure> {
        let Some(step) = self.steps.next() else { return Ok(false) };
        if step > 0 {
            self.world.step();
        }
        boxes.extend(self.world.boxes().iter().map(|bounds| Aabb::new(bounds.min, bounds.max)));
        Ok(true)
    }
}
