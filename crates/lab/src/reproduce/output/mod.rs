//! What was found, written down: CSV and charts by figure, one report, one summary.

mod csv;
mod date;
mod html;
pub(crate) mod plot;
mod summary;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use super::figure::{Figure, Findings};
use super::scale::Scale;
use crate::draw::to_png;
use crate::failure::Failure;
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

/// Writes everything into the directory, which is made if need be, and returns the files.
pub(crate) fn write(out: &Path, circumstances: &Circumstances, results: &[Reproduced]) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(out).map_err(|error| Failure::Write { file: out.to_owned(), error })?;
    let mut files = Vec::new();
    let mut save = |name: String, content: &[u8]| {
        let file = out.join(name);
        let result = fs::write(&file, content).map_err(|error| Failure::Write { file: file.clone(), error });
        files.push(file);
        result
    };
    for result in results {
        save(format!("{}.csv", result.figure.slug()), csv::csv(result).as_bytes())?;
        for (index, chart) in result.findings.charts.iter().enumerate() {
            let picture = plot::draw(chart);
            let name = format!("{}-{}", result.figure.slug(), index + 1);
            save(format!("{name}.svg"), picture.to_svg().as_bytes())?;
            save(format!("{name}.png"), &to_png(&picture))?;
        }
    }
    save("report.html".to_owned(), html::html(circumstances, results).as_bytes())?;
    save("summary.json".to_owned(), report::json(&Summary::new(circumstances, results)).as_bytes())?;
    Ok(files)
}
