//! `lab run`: a series on all threads, a shorter one on one thread, and the report.

use indicatif::ProgressBar;
use pivotgrid::Aabb;
use scenes::World;

use crate::cli::{RunOptions, Scalar};
use crate::failure::Failure;
use crate::progress;
use crate::report::{self, Report};
use crate::series::{self, Series, Source};
use crate::settings::{Settings, WARM_UP};

pub(crate) fn run(options: &RunOptions) -> Result<String, Failure> {
    let settings = Settings::new(options)?;
    let bar = progress::bar(Some(settings.all_steps() as u64));
    let result = match (options.scene.scalar, options.scene.dim) {
        (Scalar::F32, 2) => both::<f32, 2>(&settings, &bar),
        (Scalar::F32, _) => both::<f32, 3>(&settings, &bar),
        (Scalar::F64, 2) => both::<f64, 2>(&settings, &bar),
        (Scalar::F64, _) => both::<f64, 3>(&settings, &bar),
    };
    bar.finish_and_clear();
    let (together, alone) = result?;
    let report = Report::new(&settings, &options.scene, together, alone);
    Ok(if options.json { report::json(&report) } else { report.text() })
}

/// The series that was asked for, and the one on one thread if there is to be one. Both see the same boxes.
fn both<S, const D: usize>(settings: &Settings, bar: &ProgressBar) -> Result<(Series, Option<Series>), Failure>
where
    S: pivotgrid::Scalar + scenes::Scalar,
{
    let series = |threads, steps| {
        bar.set_message("making the scene");
        series::take(&mut Motion::<S, D>::new(settings, WARM_UP + steps), threads, bar)
    };
    let together = series(settings.threads, settings.steps)?;
    if settings.steps_alone == 0 {
        return Ok((together, None));
    }
    let alone = series(1, settings.steps_alone)?;
    match alone.steps.iter().zip(&together.steps).position(|(one, all)| one.checksum != all.checksum) {
        Some(step) => Err(Failure::DifferentPairs { step, threads: settings.threads }),
        None => Ok((together, Some(alone))),
    }
}

/// A scene for a number of steps. The same settings give the same boxes.
struct Motion<S, const D: usize> {
    world: World<S, D>,
    steps: std::ops::Range<usize>,
}

impl<S: scenes::Scalar, const D: usize> Motion<S, D> {
    fn new(settings: &Settings, steps: usize) -> Self {
        Self { world: World::new(settings.scene, settings.objects, settings.seed), steps: 0..steps }
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
