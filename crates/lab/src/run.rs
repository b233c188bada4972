//! `lab run`: a series on all threads, a shorter one on one thread, and the report.

use indicatif::ProgressBar;

use crate::cli::{RunOptions, Scalar};
use crate::failure::Failure;
use crate::progress;
use crate::report::{self, Report};
use crate::series::{self, Series};
use crate::settings::Settings;

pub(crate) fn run(options: &RunOptions) -> Result<String, Failure> {
    let settings = Settings::new(options)?;
    let bar = progress::bar(settings.all_steps());
    let result = match (options.scalar, options.dim) {
        (Scalar::F32, 2) => both::<f32, 2>(&settings, &bar),
        (Scalar::F32, _) => both::<f32, 3>(&settings, &bar),
        (Scalar::F64, 2) => both::<f64, 2>(&settings, &bar),
        (Scalar::F64, _) => both::<f64, 3>(&settings, &bar),
    };
    bar.finish_and_clear();
    let (together, alone) = result?;
    let report = Report::new(&settings, options.dim, options.scalar.name(), together, alone);
    Ok(if options.json { report::json(&report) } else { report::text(&report) })
}

/// The series that was asked for, and the one on one thread if there is to be one. Both see the same boxes.
fn both<S, const D: usize>(settings: &Settings, bar: &ProgressBar) -> Result<(Series, Option<Series>), Failure>
where
    S: pivotgrid::Scalar + scenes::Scalar,
{
    let together = series::take::<S, D>(settings, settings.threads, settings.steps, bar)?;
    if settings.steps_alone == 0 {
        return Ok((together, None));
    }
    let alone = series::take::<S, D>(settings, 1, settings.steps_alone, bar)?;
    match alone.checksums.iter().zip(&together.checksums).position(|(one, all)| one != all) {
        Some(step) => Err(Failure::DifferentPairs { step, threads: settings.threads }),
        None => Ok((together, Some(alone))),
    }
}
