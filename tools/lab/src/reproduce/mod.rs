//! `lab reproduce`: the papers' figures and tables, measured again on this machine with ours beside them.
//!
//! A run goes through the files in this order: [`catalogue`] (which figures) → a file per paper (what each of them measures) →
//! [`measure`] (scenes and systems to numbers) → [`figure::Findings`] → [`output`] (CSV, charts, HTML, text). Measuring knows
//! nothing of drawing, and drawing nothing of papers.

mod catalogue;
pub(crate) mod figure;
mod gissler;
mod koch;
mod measure;
mod options;
pub(crate) mod output;
mod pouchol;
mod random;
pub(crate) mod scale;
mod schornbaum;
mod words;
mod zhyhallo;

use std::path::PathBuf;
use std::time::Duration;

use crate::failure::Failure;
use crate::files;
use crate::machine::{Machine, cores};
use crate::progress;
use crate::report;
use figure::{Figure, Findings};
use measure::Bench;
pub(crate) use options::ReproduceOptions;
use output::{Circumstances, Reproduced};

pub(crate) fn reproduce(options: &ReproduceOptions) -> Result<String, Failure> {
    let figures = catalogue::select(options.paper.as_deref(), options.figure.as_deref())?;
    if options.list {
        return Ok(catalogue::list(&figures));
    }
    let scale = options.scale();
    let limit = Duration::from_millis(scale.of(200, 1_000, 20_000));
    let threads = options.threads.unwrap_or_else(cores);
    files::prepare(&options.out)?;
    let bar = progress::counting(figures.len() as u64, "figures");
    let bench = Bench { scale, limit, threads, bar: &bar };

    let circumstances = Circumstances {
        machine: Machine::this(),
        date: options.date.clone().unwrap_or_else(output::today),
        command: std::iter::once("lab".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>().join(" "),
        scale,
        threads,
    };
    let (mut results, mut file) = (Vec::with_capacity(figures.len()), PathBuf::new());
    for figure in figures {
        bar.set_message(figure.slug());
        let findings = measured(&figure, &bench)?;
        results.push(Reproduced { figure, findings });
        file = output::write(&options.out, &circumstances, &results)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(if options.json {
        report::json(&output::Summary::new(&circumstances, &results))
    } else {
        output::text(&circumstances, &results, &file)
    })
}

/// On one thread, unless the figure itself needs more.
fn measured(figure: &Figure, bench: &Bench) -> Result<Findings, Failure> {
    let explained = |failure| Failure::InFigure { figure: figure.slug(), failure: Box::new(failure) };
    bench.on_threads(1, || (figure.measure)(bench)).and_then(|findings| findings).map_err(explained)
}
