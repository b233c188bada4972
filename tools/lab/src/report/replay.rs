//! The report of `lab replay`.

use std::fmt::{self, Write};
use std::path::Path;

use scenes::recording::Header;
use serde::Serialize;

use super::figures::Figures;
use super::number::{grouped, short};
use super::table;
use crate::series::{Series, Step};

/// All figures of a replay. Its JSON form is what `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct ReplayReport {
    file: String,
    format: String,
    title: String,
    dimension: usize,
    scalar: &'static str,
    first_frame: u64,
    frames: usize,
    /// By frame, all of them, as the pairs are.
    objects: Range,
    pairs: Range,
    rejected: Rejected,
    checked_frames: usize,
    /// Nothing, if there were no frames.
    #[serde(flatten)]
    figures: Option<Figures>,
}

/// Of a number that every frame has.
#[derive(Debug, Serialize)]
struct Range {
    least: usize,
    mean: f64,
    most: usize,
}

#[derive(Debug, Serialize)]
struct Rejected {
    boxes: usize,
    /// Frames with at least one of them.
    frames: usize,
}

impl ReplayReport {
    pub(crate) fn new(file: &Path, header: &Header, first_frame: u64, threads: usize, series: Series, checked: usize) -> Self {
        let steps = &series.steps;
        // All frames count as measured but the first call, which allocates; a single frame has to do.
        let warm_up = usize::from(steps.len() > 1);
        ReplayReport {
            file: file.display().to_string(),
            format: header.format.to_string(),
            title: header.title.clone(),
            dimension: header.dimension,
            scalar: header.scalar.name(),
            first_frame,
            frames: steps.len(),
            objects: Range::of(steps, |step| step.objects),
            pairs: Range::of(steps, |step| step.pairs),
            rejected: Rejected {
                boxes: steps.iter().map(|step| step.rejected).sum(),
                frames: steps.iter().filter(|step| step.rejected > 0).count(),
            },
            checked_frames: checked,
            figures: (!steps.is_empty()).then(|| Figures::new(series, warm_up, threads)),
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("strings can be written to");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let ReplayReport { file, format, title, dimension, scalar, frames, first_frame, .. } = self;
        writeln!(out, "replay   {file}: {format}, {dimension}D, {scalar}")?;
        if !title.is_empty() {
            writeln!(out, "         {title}")?;
        }
        let Some(figures) = &self.figures else { return writeln!(out, "frames   none: nothing to measure") };
        writeln!(out, "frames   {frames}, from frame {first_frame} on")?;
        table::circumstances(out, figures)?;
        self.found(out, figures)?;
        table::levels(out, figures, *dimension)?;
        table::passes(out, figures)?;
        table::speed(out, figures)?;
        table::line(out, "threads", &figures.threads.to_string(), "")?;
        if self.checked_frames > 0 {
            let remark = "frames: an exhaustive search found the same pairs";
            table::line(out, "checked", &grouped(self.checked_frames as u64), remark)?;
        }
        Ok(())
    }

    /// What was found: by frame what differs, of the last one what it took.
    fn found(&self, out: &mut String, figures: &Figures) -> fmt::Result {
        writeln!(out, "{:18} {:>13} {:>13} {:>13}", "per frame", "least", "mean", "most")?;
        for (name, Range { least, mean, most }) in [("objects", &self.objects), ("pairs", &self.pairs)] {
            let (least, most) = (grouped(*least as u64), grouped(*most as u64));
            writeln!(out, "{name:18} {least:>13} {:>13} {most:>13}", short(*mean))?;
        }
        writeln!(out)?;
        let Rejected { boxes, frames } = self.rejected;
        let remark = if boxes > 0 { format!("invalid boxes, in {frames} of the frames") } else { String::new() };
        table::line(out, "rejected", &grouped(boxes as u64), &remark)?;
        writeln!(out, "\nthe last frame")?;
        table::effort(out, figures)?;
        writeln!(out)
    }
}

impl Range {
    fn of(steps: &[Step], number: impl Fn(&Step) -> usize) -> Self {
        let numbers = || steps.iter().map(&number);
        let sum: f64 = numbers().map(|number| number as f64).sum();
        Range { least: numbers().min().unwrap_or(0), mean: sum / steps.len().max(1) as f64, most: numbers().max().unwrap_or(0) }
    }
}
