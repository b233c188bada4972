//! What was found, written down: CSV and charts by figure, one report, one summary.

mod csv;
mod date;
mod html;
pub(crate) mod plot;
mod summary;
mod text;

use std::path::{Path, PathBuf};

use super::figure::{Figure, Findings};
use super::scale::Scale;
use crate::draw::to_png;
use crate::failure::Failure;
use crate::files;
use crate::machine::Machine;
use crate::report;

pub(crate) use date::today;
pub(crate) use summary::Summary;
pub(crate) use text::text;

/// A figure with what was measured for it.
#[derive(Debug)]
pub(crate) struct Reproduced {
    pub(crate) figure: Figure,
    pub(crate) findings: Findings,
}

/// Where, when and how.
#[derive(Debug)]
pub(crate) struct Circumstances {
    pub(crate) machine: Machine,
    pub(crate) date: String,
    pub(crate) command: String,
    pub(crate) scale: Scale,
    pub(crate) threads: usize,
}

/// Writes the last result's own files, and the report of all results so far: a run that is stopped leaves what it has found.
pub(crate) fn write(out: &Path, circumstances: &Circumstances, results: &[Reproduced]) -> Result<PathBuf, Failure> {
    if let Some(result) = results.last() {
        files::write(out, &format!("{}.csv", result.figure.slug()), csv::csv(result))?;
        for (index, chart) in result.findings.charts.iter().enumerate() {
            let picture = plot::draw(chart);
            let name = format!("{}-{}", result.figure.slug(), index + 1);
            files::write(out, &format!("{name}.svg"), picture.to_svg())?;
            files::write(out, &format!("{name}.png"), to_png(&picture))?;
        }
    }
    files::write(out, "summary.json", report::json(&Summary::new(circumstances, results)))?;
    files::write(out, "report.html", html::html(circumstances, results))
}
