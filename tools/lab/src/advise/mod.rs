//! `lab advise`: what the planner chose and why, what is expensive in a scene, and what can be done about it.
//!
//! The steps are taken as `lab run` and `lab replay` take them; then [`scan`] looks into the engine, [`cost`] compares what the
//! planner expected with what was measured, [`mod@findings`] says what stands out, [`trial`] tries the advice out, and [`text`] prints it
//! all.

mod cost;
mod findings;
mod scan;
mod text;
mod trial;

use std::io::{Read, stdin};
use std::path::Path;

use pivotgrid::BroadPhase;
use scenes::recording::{Coordinate, Recording, RecordingError, ScalarType};
use serde::Serialize;

use crate::cli::{AdviseOptions, ReplayOptions, Scalar};
use crate::failure::Failure;
use crate::progress;
use crate::replay::Replay;
use crate::report::{self, Figures};
use crate::run::Motion;
use crate::series::{self, Series, Source};
use crate::settings::WARM_UP;
use cost::Cost;
use findings::{Facts, Finding, findings};
use scan::Scan;
use trial::{Ground, Keeping, changes};

/// Steps with and without an advice.
const TRIED_STEPS: usize = 7;

/// All that is said. Its JSON form is what `--json` prints.
#[derive(Debug, Serialize)]
struct Advice {
    /// The scene or the file.
    subject: String,
    dimension: usize,
    #[serde(flatten)]
    figures: Figures,
    occupancy: Scan,
    cost: Cost,
    findings: Vec<Finding>,
}

pub(crate) fn advise(options: &AdviseOptions) -> Result<String, Failure> {
    let advice = match &options.file {
        None => of_scene(options)?,
        Some(file) if file == Path::new("-") => of_recording(Recording::new(stdin().lock()), file, options)?,
        Some(file) => of_recording(Recording::open(file), file, options)?,
    };
    Ok(if options.json { report::json(&advice) } else { advice.text() })
}

fn of_scene(options: &AdviseOptions) -> Result<Advice, Failure> {
    let scene = &options.scene;
    scene.exists()?;
    match (scene.scalar, scene.dim) {
        (Scalar::F32, 2) => of_motion::<f32, 2>(options),
        (Scalar::F32, _) => of_motion::<f32, 3>(options),
        (Scalar::F64, 2) => of_motion::<f64, 2>(options),
        (Scalar::F64, _) => of_motion::<f64, 3>(options),
    }
}

fn of_motion<S: pivotgrid::Scalar + scenes::Scalar + Into<f64>, const D: usize>(
    options: &AdviseOptions,
) -> Result<Advice, Failure> {
    let (scene, steps) = (&options.scene, WARM_UP + options.steps);
    let subject = format!("{} in {D}D, {}, seed {}", scene.name, scene.scalar.name(), scene.seed);
    let mut motion = Motion::<S, D>::new(scene.name, options.n, scene.seed, steps);
    Advice::of(subject, &mut motion, Some(steps as u64), options.threads, |_, _| Ok(()))
}

fn of_recording<R: Read>(
    recording: Result<Recording<R>, RecordingError>,
    file: &Path,
    options: &AdviseOptions,
) -> Result<Advice, Failure> {
    let recording = recording.map_err(|error| Failure::recording(file, error))?;
    let (scalar, dimension) = (recording.header().scalar, recording.header().dimension);
    let AdviseOptions { frames, threads, json, .. } = *options;
    let options = ReplayOptions { file: file.to_owned(), threads: Some(threads), frames, check: None, json };
    match (scalar, dimension) {
        (ScalarType::F32, 2) => of_replay::<R, f32, 2>(recording, &options, threads),
        (ScalarType::F32, _) => of_replay::<R, f32, 3>(recording, &options, threads),
        (ScalarType::F64, 2) => of_replay::<R, f64, 2>(recording, &options, threads),
        (ScalarType::F64, _) => of_replay::<R, f64, 3>(recording, &options, threads),
    }
}

fn of_replay<R: Read, S: pivotgrid::Scalar + Coordinate + Into<f64>, const D: usize>(
    recording: Recording<R>,
    options: &ReplayOptions,
    threads: usize,
) -> Result<Advice, Failure> {
    let header = recording.header();
    let subject = format!("{}: {}, {D}D, {}", options.file.display(), header.format, header.scalar.name());
    let frames = header.frames.map(|frames| options.frames.count(frames));
    let mut replay = Replay::<R, S, D>::new(recording, options);
    Advice::of(subject, &mut replay, frames, threads, |replay, series| {
        replay.reached(series)?;
        let empty = || Failure::Usage(format!("{} has no frames: there is nothing to advise on", options.file.display()));
        if series.steps.is_empty() { Err(empty()) } else { Ok(()) }
    })
}

impl Advice {
    /// Takes all steps of the source, and looks at what the last one left. There must be one, and `check` may know more.
    fn of<S: pivotgrid::Scalar + Into<f64>, const D: usize, T: Source<S, D>>(
        subject: String,
        source: &mut T,
        steps: Option<u64>,
        threads: usize,
        check: impl FnOnce(&T, &Series) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let bar = progress::bar(steps);
        let mut broad_phase = BroadPhase::<S, D>::new();
        let mut keeping = Keeping { source: &mut *source, last: Vec::new() };
        let series = series::take_with(&mut broad_phase, &mut keeping, threads, &bar);
        let boxes = keeping.last;
        bar.finish_and_clear();
        let series = series?;
        check(source, &series)?;
        // A short recording has to do with fewer steps to warm up.
        let warm_up = WARM_UP.min(series.steps.len() - 1);
        let figures = Figures::new(series, warm_up, threads);
        let stats = broad_phase.stats();
        let (occupancy, cost) = (Scan::of(broad_phase.debug_view(), stats), Cost::of(&figures));
        let optimized = figures.machine.optimized;
        let mut findings = findings(&Facts { stats, scan: &occupancy, cost: &cost, optimized });
        let objects = broad_phase.debug_view().objects();
        let oversized: Vec<usize> = objects.filter(|object| object.level.is_none()).map(|object| object.index).collect();
        let ground = Ground { boxes: &boxes, oversized: &oversized, threads, steps: TRIED_STEPS };
        for finding in &mut findings {
            finding.trial = ground.try_out(changes(finding.kind, stats))?;
        }
        Ok(Advice { subject, dimension: D, figures, occupancy, cost, findings })
    }
}
