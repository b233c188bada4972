//! What the contest of queries says.

use std::fmt;
use std::time::Duration;

use scenes::Scene;

use super::Kind;

/// The result of one contest.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// The kind of query.
    pub kind: Kind,
    /// The scene.
    pub scene: Scene,
    /// How many objects there were.
    pub objects: usize,
    /// How many queries there were.
    pub queries: usize,
    /// How many objects were found in the last round, all answers together.
    pub found: usize,
    /// How many threads there were.
    pub threads: usize,
    /// How many rounds were timed.
    pub rounds: usize,
    /// Who took part, pivotgrid first.
    pub standings: Vec<Standing>,
}

/// How someone did.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Who.
    pub name: &'static str,
    /// Median time of taking the objects in.
    pub build: Duration,
    /// Median time of that and all answers.
    pub wall: Duration,
    /// Median CPU time of the same, all threads together.
    pub cpu: Duration,
    /// Whether the answers were those of pivotgrid.
    pub agrees: bool,
}

impl Ranking {
    /// The first line of a CSV file of rankings.
    pub const CSV_HEADER: &str = "query,scene,objects,queries,threads,rounds,found,respondent,agrees,build_ms,wall_ms,cpu_ms";

    /// Whether all gave the same answers.
    pub fn all_agree(&self) -> bool {
        self.standings.iter().all(|standing| standing.agrees)
    }

    /// The fastest system by wall time that is not pivotgrid, and its time divided by pivotgrid's.
    pub fn fastest_by_wall(&self) -> Option<(&'static str, f64)> {
        self.fastest(|standing| standing.wall)
    }

    /// The same by CPU time.
    pub fn fastest_by_cpu(&self) -> Option<(&'static str, f64)> {
        self.fastest(|standing| standing.cpu)
    }

    fn fastest(&self, time: impl Fn(&Standing) -> Duration) -> Option<(&'static str, f64)> {
        let own = self.standings.first().map(&time)?;
        let rivals = self.standings.iter().filter(|standing| !standing.name.starts_with("pivotgrid"));
        let best = rivals.min_by_key(|standing| time(standing))?;
        Some((best.name, time(best).as_secs_f64() / own.as_secs_f64()))
    }

    /// The lines of a CSV file, each with its end.
    pub fn csv(&self) -> String {
        let Ranking { kind, scene, objects, queries, found, threads, rounds, standings } = self;
        let line = |Standing { name, build, wall, cpu, agrees }: &Standing| {
            let (build, wall, cpu) = (ms(*build), ms(*wall), ms(*cpu));
            format!(
                "{kind},{scene},{objects},{queries},{threads},{rounds},{found},{name},{agrees},{build:.4},{wall:.4},{cpu:.4}\n"
            )
        };
        standings.iter().map(line).collect()
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ranking { kind, scene, objects, queries, found, threads, rounds, standings } = self;
        let plural = if *threads == 1 { "" } else { "s" };
        let each = *found as f64 / (*queries).max(1) as f64;
        writeln!(
            f,
            "{kind}, {scene}, {objects} objects, {queries} queries, {each:.1} found each, {threads} thread{plural}, median of \
             {rounds} rounds"
        )?;
        let columns = ["build ms", "answers ms", "wall ms", "CPU ms", "/ pivotgrid"];
        writeln!(f, "  {:18}{}", "respondent", columns.map(|column| format!("{column:>12}")).concat())?;
        let own = standings.first().map_or(Duration::ZERO, |own| own.wall);
        for Standing { name, build, wall, cpu, agrees } in standings {
            let ratio = wall.as_secs_f64() / own.as_secs_f64();
            let times = [*build, wall.saturating_sub(*build), *wall, *cpu].map(|time| format!("{:>12.2}", ms(time)));
            writeln!(f, "  {name:18}{}{ratio:>12.2}{}", times.concat(), if *agrees { "" } else { "  DIFFERENT ANSWERS" })?;
        }
        if let (Some((by_wall, wall)), Some((by_cpu, cpu))) = (self.fastest_by_wall(), self.fastest_by_cpu()) {
            writeln!(f, "  fastest rival / pivotgrid: {wall:.2} by wall ({by_wall}), {cpu:.2} by CPU ({by_cpu})")?;
        }
        Ok(())
    }
}
