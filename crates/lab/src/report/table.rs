//! The report as text.

use std::fmt::{self, Write};

use super::figures::{Report, Spread};
use super::number::{bar, grouped, short};

/// Characters of a full bar.
const BAR: usize = 40;

pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    let sections = [head, scene, levels, passes, speed];
    sections.iter().try_for_each(|section| section(&mut out, report)).expect("strings can be written to");
    out
}

/// What was run, and where.
fn head(out: &mut String, report: &Report) -> fmt::Result {
    let Report { scene, description, dimension, scalar, machine, steps, warm_up_steps, seed, .. } = report;
    writeln!(out, "scene    {scene} in {dimension}D, {scalar}, seed {seed}")?;
    writeln!(out, "         {description}")?;
    writeln!(out, "machine  {}, {} cores", machine.processor, machine.cores)?;
    writeln!(out, "times    medians over {steps} steps, after {warm_up_steps} to warm up")?;
    if !machine.optimized {
        writeln!(out, "BUILT WITHOUT OPTIMISATION: the times below say nothing; use cargo run --release")?;
    }
    writeln!(out)
}

/// What was found.
fn scene(out: &mut String, report: &Report) -> fmt::Result {
    let stats = &report.last_step;
    line(out, "objects", &grouped(stats.objects as u64), "")?;
    line(out, "pairs", &grouped(stats.pairs as u64), &format!("{} per object", short(report.pairs_per_object)))?;
    line(out, "candidates", &grouped(stats.candidates), &format!("{} per object", short(report.candidates_per_object)))?;
    if stats.rejected > 0 {
        line(out, "rejected", &grouped(stats.rejected as u64), "objects with an invalid box")?;
    }
    line(out, "memory", &grouped(stats.bytes as u64), &format!("bytes, {} per object", short(report.bytes_per_object)))?;
    writeln!(out)
}

fn line(out: &mut String, name: &str, figure: &str, remark: &str) -> fmt::Result {
    let text = format!("{name:18} {figure:>13}  {remark}");
    writeln!(out, "{}", text.trim_end())
}

/// Where the objects live.
fn levels(out: &mut String, report: &Report) -> fmt::Result {
    let stats = &report.last_step;
    writeln!(out, "{:<6} {:>25} {:>13} {:>10}  share of the objects", "level", "cell", "objects", "chunks")?;
    for (index, level) in stats.levels.iter().enumerate() {
        let cell = level.cell_size[..report.dimension].iter().map(|&edge| short(edge)).collect::<Vec<_>>().join(" x ");
        row(out, &index.to_string(), &cell, level.objects, &grouped(level.chunks as u64), stats.objects)?;
    }
    if stats.unleveled > 0 {
        row(out, "none", "compared with all", stats.unleveled, "", stats.objects)?;
    }
    writeln!(out)
}

fn row(out: &mut String, level: &str, cell: &str, objects: usize, chunks: &str, all: usize) -> fmt::Result {
    let share = objects as f64 / all as f64;
    let row = format!("{level:<6} {cell:>25} {:>13} {chunks:>10}  {}", grouped(objects as u64), share_bar(share));
    writeln!(out, "{row}")
}

/// Where the time goes.
fn passes(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out, "{:<10} {:>9} {:>10}  share of the time", "pass", "ms", "ns/object")?;
    for pass in &report.passes {
        let share = share_bar(pass.share);
        writeln!(out, "{:<10} {:>9.3} {:>10.2}  {share}", pass.name, pass.median_ms, pass.ns_per_object)?;
    }
    let Spread { fastest, median, slowest } = report.step_ms;
    let per_object = 1e6 * median / report.last_step.objects as f64;
    writeln!(out, "{:<10} {median:>9.3} {per_object:>10.2}  from call to return; {fastest:.3} to {slowest:.3} ms", "step")?;
    writeln!(out)
}

fn share_bar(share: f64) -> String {
    let text = format!("{:>5.1} % {}", 100.0 * share, bar(share, BAR));
    text.trim_end().to_owned()
}

/// What it comes to.
fn speed(out: &mut String, report: &Report) -> fmt::Result {
    line(out, "steps per second", &short(report.steps_per_second), "")?;
    line(out, "objects per second", &grouped(report.objects_per_second.round() as u64), "")?;
    let ratio = short(report.first_call_ms / report.step_ms.median);
    line(out, "first call", &format!("{:.3} ms", report.first_call_ms), &format!("{ratio} x a steady step"))?;
    let threads = report.threads.to_string();
    let Some(alone) = &report.alone else { return line(out, "threads", &threads, "") };
    let one = alone.step_ms.median;
    line(out, "threads", &threads, &format!("{} x as fast as one thread ({one:.3} ms)", short(alone.speedup)))?;
    line(out, "checked", &grouped(alone.steps as u64), &format!("steps: one thread and {threads} found the same pairs"))
}
