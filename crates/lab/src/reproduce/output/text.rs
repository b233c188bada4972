//! The verdicts on the terminal.

use std::fmt::{self, Write};
use std::path::PathBuf;

use super::{Circumstances, Reproduced};
use crate::reproduce::figure::About;

pub(crate) fn text(circumstances: &Circumstances, results: &[Reproduced], files: &[PathBuf]) -> String {
    let mut out = String::new();
    write_text(&mut out, circumstances, results, files).expect("strings can be written to");
    out
}

fn write_text(out: &mut String, circumstances: &Circumstances, results: &[Reproduced], files: &[PathBuf]) -> fmt::Result {
    let Circumstances { machine, date, scale, threads, .. } = circumstances;
    writeln!(out, "machine  {}, {} cores, {threads} threads where a figure is parallel", machine.processor, machine.cores)?;
    writeln!(out, "run      {date}, {} sizes", scale.name())?;
    if !machine.optimized {
        writeln!(out, "BUILT WITHOUT OPTIMISATION: the times below say nothing; use cargo run --release")?;
    }
    for Reproduced { figure, findings } in results {
        writeln!(out, "\n{} {}: {}", figure.paper, figure.label().to_lowercase(), figure.title)?;
        for verdict in &findings.verdicts {
            let who = match verdict.about {
                About::Paper => "paper",
                About::Pivotgrid => "ours",
            };
            let word = if verdict.held { "held" } else { "DID NOT HOLD" };
            writeln!(out, "  {who:5} {word:12} {} {}", verdict.claim, verdict.evidence)?;
        }
        let stopped = findings.charts.iter().flat_map(|chart| &chart.series).filter_map(|series| series.stopped.as_ref());
        let mut notes: Vec<&String> = stopped.collect();
        notes.dedup();
        notes.sort();
        notes.dedup();
        for note in notes {
            writeln!(out, "        note         {note}")?;
        }
    }
    let report = files.iter().find(|file| file.extension().is_some_and(|extension| extension == "html"));
    if let Some(report) = report {
        writeln!(out, "\nreport   {}, with CSV, SVG and PNG files beside it", report.display())?;
    }
    Ok(())
}
