//! What a contest says.

use std::fmt;
use std::time::Duration;

use scenes::Scene;

/// The result of one contest.
#[derive(Clone, Debug)]
pub struct Table {
    /// The scene.
    pub scene: Scene,
    /// 2 or 3.
    pub dimensions: usize,
    /// How many objects.
    pub objects: usize,
    /// How many threads.
    pub threads: usize,
    /// How many steps were timed.
    pub steps: usize,
    /// How many pairs there were in the last of them.
    pub pairs: usize,
    /// The rivals, pivotgrid first.
    pub rows: Vec<Row>,
}

/// One rival's result.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub rival: String,
    /// How it did.
    pub outcome: Outcome,
}

/// How a rival did.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// It would have taken longer than this per step.
    Skipped {
        /// The longest step that is waited for.
        budget: Duration,
    },
    /// It ran.
    Finished {
        /// Median time of a step.
        wall: Duration,
        /// Median CPU time of a step, all threads together.
        cpu: Duration,
        /// Time of the first step, without history.
        first: Duration,
        /// Bytes it held after its second step, pairs included.
        live_bytes: usize,
        /// Most bytes it held during the first two steps.
        peak_bytes: usize,
        /// Whether it found the same pairs as pivotgrid.
        agrees: bool,
    },
}

impl Outcome {
    fn wall(&self) -> Option<Duration> {
        if let Outcome::Finished { wall, .. } = self { Some(*wall) } else { None }
    }

    fn cpu(&self) -> Option<Duration> {
        if let Outcome::Finished { cpu, .. } = self { Some(*cpu) } else { None }
    }
}

impl Table {
    /// The first line of a CSV file of tables.
    pub const CSV_HEADER: &str =
        "scene,dimensions,objects,threads,steps,pairs,rival,outcome,wall_ms,cpu_ms,first_ms,live_bytes,peak_bytes";

    /// Whether all rivals found the same pairs.
    pub fn all_agree(&self) -> bool {
        self.rows.iter().all(|row| !matches!(row.outcome, Outcome::Finished { agrees: false, .. }))
    }

    /// The fastest rival by wall time, and how many times longer than pivotgrid it takes.
    pub fn fastest_by_wall(&self) -> Option<(&str, f64)> {
        self.fastest(Outcome::wall)
    }

    /// The fastest rival by CPU time, and how many times longer than pivotgrid it takes.
    pub fn fastest_by_cpu(&self) -> Option<(&str, f64)> {
        self.fastest(Outcome::cpu)
    }

    fn fastest(&self, time: impl Fn(&Outcome) -> Option<Duration>) -> Option<(&str, f64)> {
        let (own, rivals) = self.rows.split_first()?;
        let own = time(&own.outcome)?;
        let times = rivals.iter().filter_map(|row| Some((row.rival.as_str(), time(&row.outcome)?)));
        let (rival, best) = times.min_by_key(|(_, time)| *time)?;
        Some((rival, best.as_secs_f64() / own.as_secs_f64()))
    }

    /// The lines of a CSV file, each with its end.
    pub fn csv(&self) -> String {
        let mut lines = String::new();
        for Row { rival, outcome } in &self.rows {
            let Table { scene, dimensions, objects, threads, steps, pairs, .. } = self;
            lines += &format!("{scene},{dimensions},{objects},{threads},{steps},{pairs},{rival},");
            lines += &match *outcome {
                Outcome::Skipped { .. } => "skipped,,,,,\n".to_owned(),
                Outcome::Finished { wall, cpu, first, live_bytes, peak_bytes, agrees } => {
                    let (word, wall, cpu, first) = (if agrees { "agrees" } else { "differs" }, ms(wall), ms(cpu), ms(first));
                    format!("{word},{wall:.4},{cpu:.4},{first:.4},{live_bytes},{peak_bytes}\n")
                }
            };
        }
        lines
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { scene, dimensions, objects, threads, steps, pairs, rows } = self;
        let own = rows.first().and_then(|row| row.outcome.wall()).unwrap_or_default();
        // The papers' systems have long names.
        let wide = rows.iter().map(|row| row.rival.len() + 1).fold(14, usize::max);
        let plural = if *threads == 1 { "" } else { "s" };
        writeln!(
            f,
            "{scene} {dimensions}D, {objects} objects, {pairs} pairs, {threads} thread{plural}, median of {steps} steps"
        )?;
        writeln!(
            f,
            "  {:wide$}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}",
            "rival", "wall ms", "CPU ms", "first ms", "/ pivotgrid", "live B/obj", "peak B/obj"
        )?;
        for Row { rival, outcome } in rows {
            match *outcome {
                Outcome::Skipped { budget } => writeln!(f, "  {rival:wide$}skipped (> {} s)", budget.as_secs_f64())?,
                Outcome::Finished { wall, cpu, first, live_bytes, peak_bytes, agrees } => {
                    let ratio = wall.as_secs_f64() / own.as_secs_f64();
                    let per_object = |bytes: usize| bytes as f64 / *objects as f64;
                    write!(f, "  {rival:wide$}{:>10.3}{:>10.3}{:>10.3}{ratio:>12.2}", ms(wall), ms(cpu), ms(first))?;
                    if peak_bytes == 0 {
                        write!(f, "{:>12}{:>12}", "?", "?")?;
                    } else {
                        write!(f, "{:>12.1}{:>12.1}", per_object(live_bytes), per_object(peak_bytes))?;
                    }
                    writeln!(f, "{}", if agrees { "" } else { "  DIFFERENT PAIRS" })?;
                }
            }
        }
        if let (Some((by_wall, wall)), Some((by_cpu, cpu))) = (self.fastest_by_wall(), self.fastest_by_cpu()) {
            writeln!(f, "  fastest rival / pivotgrid: {wall:.2} by wall ({by_wall}), {cpu:.2} by CPU ({by_cpu})")?;
        }
        Ok(())
    }
}
