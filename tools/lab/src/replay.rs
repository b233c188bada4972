//! `lab replay`: the frames of a recording, each one a step.

use std::io::{Read, stdin};
use std::path::Path;

use pivotgrid::{Aabb, Pairs};
use scenes::Bounds;
use scenes::recording::{Coordinate, Header, Recording, RecordingError, ScalarType};

use crate::check::check;
use crate::cli::ReplayOptions;
use crate::failure::Failure;
use crate::machine::cores;
use crate::progress;
use crate::report::{self, ReplayReport};
use crate::series::{self, Series, Source};

pub(crate) fn replay(options: &ReplayOptions) -> Result<String, Failure> {
    if options.file == Path::new("-") {
        return replayed(Recording::new(stdin().lock()), options);
    }
    replayed(Recording::open(&options.file), options)
}

fn replayed<R: Read>(recording: Result<Recording<R>, RecordingError>, options: &ReplayOptions) -> Result<String, Failure> {
    let recording = recording.map_err(|error| Failure::recording(&options.file, error))?;
    let header = recording.header().clone();
    let threads = options.threads.unwrap_or_else(cores);
    let (series, checked) = match (header.scalar, header.dimension) {
        (ScalarType::F32, 2) => series::<R, f32, 2>(recording, threads, options),
        (ScalarType::F32, _) => series::<R, f32, 3>(recording, threads, options),
        (ScalarType::F64, 2) => series::<R, f64, 2>(recording, threads, options),
        (ScalarType::F64, _) => series::<R, f64, 3>(recording, threads, options),
    }?;
    let report = ReplayReport::new(&options.file, &header, options.frames.start, threads, series, checked);
    Ok(if options.json { report::json(&report) } else { report.text() })
}

/// The steps, and how many of them were checked.
fn series<R: Read, S, const D: usize>(
    recording: Recording<R>,
    threads: usize,
    options: &ReplayOptions,
) -> Result<(Series, usize), Failure>
where
    S: pivotgrid::Scalar + Coordinate,
{
    let Header { frames, .. } = *recording.header();
    let bar = progress::bar(frames.map(|frames| options.frames.count(frames)));
    let mut replay = Replay::<R, S, D>::new(recording, options);
    let series = series::take(&mut replay, threads, &bar);
    bar.finish_and_clear();
    let series = series?;
    replay.reached(&series)?;
    Ok((series, replay.checked))
}

/// The frames that the command line selects.
pub(crate) struct Replay<'a, R, S, const D: usize> {
    recording: Recording<R>,
    options: &'a ReplayOptions,
    /// The last frame as it was read; kept for its memory.
    read: Vec<Bounds<S, D>>,
    /// How many frames were read.
    frame: u64,
    checked: usize,
}

impl<'a, R: Read, S, const D: usize> Replay<'a, R, S, D> {
    pub(crate) fn new(recording: Recording<R>, options: &'a ReplayOptions) -> Self {
        Replay { recording, options, read: Vec::new(), frame: 0, checked: 0 }
    }

    /// Returns an error if the selected frames lie behind the end of the recording.
    pub(crate) fn reached(&self, series: &Series) -> Result<(), Failure> {
        let ReplayOptions { file, frames, .. } = self.options;
        if !series.steps.is_empty() || frames.start == 0 {
            return Ok(());
        }
        let (file, count, start) = (file.display(), self.frame, frames.start);
        Err(Failure::Usage(format!("{file} has {count} frames, so none from {start} on; see --frames")))
    }
}

impl<R: Read, S: pivotgrid::Scalar + Coordinate, const D: usize> Source<S, D> for Replay<'_, R, S, D> {
    fn next(&mut self, boxes: &mut Vec<Aabb<S, D>>) -> Result<bool, Failure> {
        let range = self.options.frames;
        loop {
            if range.end == Some(self.frame) {
                return Ok(false);
            }
            let more = self.recording.next_frame(&mut self.read);
            if !more.map_err(|error| Failure::recording(&self.options.file, error))? {
                return Ok(false);
            }
            self.frame += 1;
            if self.frame > range.start {
                boxes.extend(self.read.iter().map(|bounds| Aabb::new(bounds.min, bounds.max)));
                return Ok(true);
            }
        }
    }

    fn inspect(&mut self, boxes: &[Aabb<S, D>], pairs: Pairs<'_>) -> Result<(), Failure> {
        let frame = self.frame - 1;
        match self.options.check {
            Some(every) if (frame - self.options.frames.start).is_multiple_of(every as u64) => {
                self.checked += 1;
                check(frame, boxes, pairs)
            }
            _ => Ok(()),
        }
    }
}
