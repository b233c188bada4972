//! The advice for people.

use std::fmt::{self, Write};

use super::Advice;
use super::cost::Cost;
use super::scan::{Edges, Scan};
use super::trial::Trial;
use crate::report::table::{self, share_bar};
use crate::report::{grouped, short};

impl Advice {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("strings can be written to");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let Advice { subject, dimension, figures, .. } = self;
        writeln!(out, "advice   {subject}")?;
        table::circumstances(out, figures)?;
        let stats = &figures.last_step;
        table::line(out, "objects", &grouped(stats.objects as u64), "in the last step")?;
        table::line(out, "pairs", &grouped(stats.pairs as u64), &format!("{} per object", short(figures.pairs_per_object)))?;
        table::effort(out, figures)?;
        writeln!(out)?;
        table::levels(out, figures, *dimension)?;
        self.reasons(out)?;
        self.occupancy(out)?;
        table::passes(out, figures)?;
        self.cost(out)?;
        self.findings(out)
    }

    /// What the levels were chosen for.
    fn reasons(&self, out: &mut String) -> fmt::Result {
        let Scan { levels, unleveled_edges, .. } = &self.occupancy;
        let edges = |edges: &Edges| format!("edges of {} to {}", short(edges.shortest), short(edges.longest));
        for (index, level) in levels.iter().enumerate().filter(|(_, level)| level.cells > 0) {
            let filling = short(level.objects as f64 / level.cells as f64);
            writeln!(out, "level {index} holds {}, {filling} objects in an occupied cell", edges(&level.edges))?;
        }
        if self.figures.last_step.oversized > 0 {
            writeln!(
                out,
                "no level holds {}: cells for so few would cost more than comparing them with all",
                edges(unleveled_edges)
            )?;
        }
        writeln!(
            out,
            "(larger cells are fewer to visit, but mean more comparisons; the levels are those with the least predicted cost)"
        )?;
        writeln!(out)
    }

    fn occupancy(&self, out: &mut String) -> fmt::Result {
        let Scan { histogram, levels, fullest_cell, loners, .. } = &self.occupancy;
        if histogram.is_empty() {
            return Ok(());
        }
        let all: usize = histogram.iter().map(|bucket| bucket.objects).sum();
        writeln!(out, "{:<16} {:>10} {:>13}  share of the objects", "objects in a cell", "cells", "objects")?;
        for bucket in histogram {
            let range =
                if bucket.from == bucket.to { bucket.to.to_string() } else { format!("{} to {}", bucket.from, bucket.to) };
            let (cells, objects) = (grouped(bucket.cells as u64), grouped(bucket.objects as u64));
            let share = share_bar(bucket.objects as f64 / all as f64);
            writeln!(out, "{range:<17} {cells:>10} {objects:>13}  {share}")?;
        }
        let cells: usize = levels.iter().map(|level| level.cells).sum();
        let mean = short(all as f64 / cells as f64);
        writeln!(
            out,
            "{mean} per occupied cell; the fullest has {}; {} alone in a chunk",
            grouped(*fullest_cell as u64),
            grouped(*loners as u64)
        )?;
        writeln!(out)
    }

    fn cost(&self, out: &mut String) -> fmt::Result {
        let Cost { parts, passes } = &self.cost;
        if parts.iter().all(|part| part.predicted_ms == 0.0) {
            return Ok(());
        }
        writeln!(out, "{:<10} {:>9}  share of what the planner expected its levels to cost", "part", "ms")?;
        for part in parts {
            writeln!(out, "{:<10} {:>9.3}  {:>5.1} %  {}", part.name, part.predicted_ms, 100.0 * part.share, part.meaning)?;
        }
        writeln!(out)?;
        writeln!(out, "{:<24} {:>13} {:>13}", "pass", "predicted ms", "measured ms")?;
        for pass in passes {
            writeln!(out, "{:<24} {:>13.3} {:>13.3}", pass.name, pass.predicted_ms, pass.measured_ms)?;
        }
        writeln!(out, "predicted: only what depends on the levels, not what every object costs whatever they are;")?;
        writeln!(out, "measured: the fastest step, on all threads together")?;
        writeln!(out)
    }

    fn findings(&self, out: &mut String) -> fmt::Result {
        if self.findings.is_empty() {
            return writeln!(out, "nothing stands out: sizes, density and levels go well together");
        }
        writeln!(out, "what stands out")?;
        for finding in &self.findings {
            writeln!(out, "- {}", finding.what)?;
            match &finding.trial {
                None => writeln!(out, "  {}", finding.advice)?,
                Some(trial) => {
                    let Trial { change, time_ratio } = trial;
                    let ratio = short(*time_ratio);
                    if trial.helps() {
                        writeln!(out, "  {}\n  tried: {change}, a step takes {ratio} of the time", finding.advice)?;
                    } else {
                        writeln!(out, "  nothing to do: {change}, a step takes {ratio} of the time")?;
                    }
                }
            }
        }
        Ok(())
    }
}
