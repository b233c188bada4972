//! The report of `lab run`.

use std::fmt::{self, Write};

use serde::Serialize;

use super::figures::{Figures, Spread};
use super::number::{grouped, short};
use super::table;
use crate::cli::SceneOptions;
use crate::run::Outcome;
use crate::series::Step;
use crate::settings::{Settings, WARM_UP};

/// All figures of a run. Its JSON form is what `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    scene: &'static str,
    description: &'static str,
    dimension: usize,
    scalar: &'static str,
    seed: u64,
    #[serde(flatten)]
    figures: Figures,
    alone: Option<Alone>,
    /// Files.
    pictures: Vec<String>,
}

/// The second run, on one thread.
#[derive(Debug, Serialize)]
struct Alone {
    steps: usize,
    step_ms: Spread,
    /// How many times faster the threads are together.
    speedup: f64,
}

impl Report {
    pub(crate) fn new(settings: &Settings, scene: &SceneOptions, outcome: Outcome) -> Self {
        let Outcome { together, alone, pictures } = outcome;
        Report {
            scene: settings.scene.name(),
            description: settings.scene.describe(),
            dimension: scene.dim,
            scalar: scene.scalar.name(),
            seed: settings.seed,
            alone: alone.map(|alone| Alone::new(&alone.steps[WARM_UP..], &together.steps[WARM_UP..])),
            figures: Figures::new(together, WARM_UP, settings.threads),
            pictures: pictures.iter().map(|file| file.display().to_string()).collect(),
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("strings can be written to");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let Report { scene, description, dimension, scalar, seed, figures, .. } = self;
        writeln!(out, "scene    {scene} in {dimension}D, {scalar}, seed {seed}")?;
        writeln!(out, "         {description}")?;
        table::circumstances(out, figures)?;
        self.found(out)?;
        table::levels(out, figures, *dimension)?;
        table::passes(out, figures)?;
        table::speed(out, figures)?;
        self.threads(out)?;
        self.pictures.iter().try_for_each(|file| writeln!(out, "{:18} {file}", "picture"))
    }

    /// What was found.
    fn found(&self, out: &mut String) -> fmt::Result {
        let Figures { last_step: stats, pairs_per_object, .. } = &self.figures;
        table::line(out, "objects", &grouped(stats.objects as u64), "")?;
        table::line(out, "pairs", &grouped(stats.pairs as u64), &format!("{} per object", short(*pairs_per_object)))?;
        table::effort(out, &self.figures)?;
        if stats.rejected > 0 {
            table::line(out, "rejected", &grouped(stats.rejected as u64), "objects with an invalid box")?;
        }
        writeln!(out)
    }

    fn threads(&self, out: &mut String) -> fmt::Result {
        let threads = self.figures.threads.to_string();
        let Some(alone) = &self.alone else { return table::line(out, "threads", &threads, "") };
        let one = alone.step_ms.median;
        table::line(out, "threads", &threads, &format!("{} x as fast as one thread ({one:.3} ms)", short(alone.speedup)))?;
        let remark = format!("steps: one thread and {threads} found the same pairs");
        table::line(out, "checked", &grouped(alone.steps as u64), &remark)
    }
}

impl Alone {
    /// Compares steps on the same boxes only: the world may get easier or harder as it moves.
    fn new(alone: &[Step], together: &[Step]) -> Self {
        let steps = alone.len();
        let times = |steps: &[Step]| Spread::of(steps.iter().map(|step| step.time));
        let (step_ms, same_steps) = (times(alone), times(&together[..steps]));
        Alone { steps, step_ms, speedup: step_ms.median / same_steps.median }
    }
}
