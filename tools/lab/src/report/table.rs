//! The parts of a report that runs and replays share, as text.

use std::fmt::{self, Write};

use super::figures::{Figures, Spread};
use super::number::{bar, grouped, short};

/// Characters of a full bar.
const BAR: usize = 40;

/// Where and how it was measured.
pub(crate) fn circumstances(out: &mut String, figures: &Figures) -> fmt::Result {
    let Figures { machine, steps, warm_up_steps, .. } = figures;
    writeln!(out, "machine  {}, {} cores", machine.processor, machine.cores)?;
    writeln!(out, "times    medians over {steps} steps, after {warm_up_steps} to warm up")?;
    if !machine.optimized {
        writeln!(out, "BUILT WITHOUT OPTIMISATION: the times below say nothing; use cargo run --release")?;
    }
    writeln!(out)
}

/// What the last step took besides time.
pub(crate) fn effort(out: &mut String, figures: &Figures) -> fmt::Result {
    let stats = &figures.last_step;
    line(out, "candidates", &grouped(stats.candidates), &format!("{} per object", short(figures.candidates_per_object)))?;
    line(out, "memory", &grouped(stats.bytes as u64), &format!("bytes, {} per object", short(figures.bytes_per_object)))
}

pub(crate) fn line(out: &mut String, name: &str, figure: &str, remark: &str) -> fmt::Result {
    let text = format!("{name:18} {figure:>13}  {remark}");
    writeln!(out, "{}", text.trim_end())
}

/// Where the objects of the last step live.
pub(crate) fn levels(out: &mut String, figures: &Figures, dimension: usize) -> fmt::Result {
    let stats = &figures.last_step;
    writeln!(out, "{:<6} {:>25} {:>13} {:>10}  share of the objects", "level", "cell", "objects", "chunks")?;
    for (index, level) in stats.levels.iter().enumerate() {
        let cell = level.cell_size[..dimension].iter().map(|&edge| short(edge)).collect::<Vec<_>>().join(" x ");
        row(out, &index.to_string(), &cell, level.objects, &grouped(level.chunks as u64), stats.objects)?;
    }
    if stats.oversized > 0 {
        row(out, "none", "compared with all", stats.oversized, "", stats.objects)?;
    }
    writeln!(out)
}

fn row(out: &mut String, level: &str, cell: &str, objects: usize, chunks: &str, all: usize) -> fmt::Result {
    let share = objects as f64 / all as f64;
    let row = format!("{level:<6} {cell:>25} {:>13} {chunks:>10}  {}", grouped(objects as u64), share_bar(share));
    writeln!(out, "{row}")
}

/// Where the time goes.
pub(crate) fn passes(out: &mut String, figures: &Figures) -> fmt::Result {
    writeln!(out, "{:<10} {:>9} {:>10}  share of the time", "pass", "ms", "ns/object")?;
    for pass in &figures.passes {
        let share = share_bar(pass.share);
        writeln!(out, "{:<10} {:>9.3} {:>10.2}  {share}", pass.name, pass.median_ms, pass.ns_per_object)?;
    }
    let Spread { fastest, median, slowest } = figures.step_ms;
    let per_object = figures.ns_per_object;
    writeln!(out, "{:<10} {median:>9.3} {per_object:>10.2}  from call to return; {fastest:.3} to {slowest:.3} ms", "step")?;
    writeln!(out)
}

pub(crate) fn share_bar(share: f64) -> String {
    let text = format!("{:>5.1} % {}", 100.0 * share, bar(share, BAR));
    text.trim_end().to_owned()
}

/// What it comes to.
pub(crate) fn speed(out: &mut String, figures: &Figures) -> fmt::Result {
    line(out, "steps per second", &short(figures.steps_per_second), "")?;
    line(out, "objects per second", &grouped(figures.objects_per_second.round() as u64), "")?;
    let ratio = short(figures.first_call_ms / figures.step_ms.median);
    line(out, "first call", &format!("{:.3} ms", figures.first_call_ms), &format!("{ratio} x a steady step"))
}
