//! What the planner expected, against what was measured.

use pivotgrid::Predicted;
use serde::Serialize;

use crate::report::Figures;

#[derive(Debug, Serialize)]
pub(crate) struct Cost {
    /// The planner's parts.
    pub(crate) parts: Vec<Part>,
    pub(crate) passes: Vec<Comparison>,
}

/// A part of what the planner expected.
#[derive(Debug, Serialize)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) predicted_ms: f64,
    /// Of the sum of all parts.
    pub(crate) share: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) name: &'static str,
    pub(crate) predicted_ms: f64,
    /// Time by the clock times threads, for the planner's costs are those of one core; of the fastest step, because they are
    /// also those of a machine that does nothing else.
    pub(crate) measured_ms: f64,
}

impl Cost {
    pub(crate) fn of(figures: &Figures) -> Self {
        let predicted = &figures.last_step.predicted;
        let all = predicted.total().max(f64::MIN_POSITIVE);
        let parts = predicted.named().into_iter().zip(MEANINGS);
        let parts = parts.map(|((name, ns), meaning)| Part { name, meaning, predicted_ms: ns / 1e6, share: ns / all });
        let Predicted { runs, chunks, within, across, oversized, .. } = *predicted;
        let measured = |names: &[&str]| {
            let passes = figures.passes.iter().filter(|pass| names.contains(&pass.name));
            passes.map(|pass| pass.fastest_ms).sum::<f64>() * figures.threads as f64
        };
        let passes = [
            ("gather, arrange, sort", runs + chunks, measured(&["gather", "arrange", "sort"])),
            ("detect", within + across + oversized, measured(&["detect"])),
        ];
        let comparison = |(name, ns, measured_ms)| Comparison { name, predicted_ms: ns / 1e6, measured_ms };
        Cost { parts: parts.collect(), passes: passes.map(comparison).into() }
    }
}

/// In the order of [`Predicted::named`].
const MEANINGS: [&str; 5] = [
    "sorting objects into their cells",
    "placing and visiting chunks",
    "comparing with the same level",
    "comparing with coarser levels, and looking for them",
    "comparing with what has no level",
];
