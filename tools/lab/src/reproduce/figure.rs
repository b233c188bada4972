//! What a figure is, and what measuring it yields. Knows nothing of how either is drawn.

use serde::Serialize;

use super::measure::Bench;
use crate::failure::Failure;

/// A figure or table of a paper that can be measured here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// The first author, as on the command line.
    pub(crate) paper: &'static str,
    pub(crate) kind: Kind,
    /// Its number, or a word for what has none in the paper.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// What the paper found.
    pub(crate) claim: &'static str,
    pub(crate) measure: fn(&Bench) -> Result<Findings, Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Figure,
    Table,
    /// Numbers that the paper gives in a sentence.
    Text,
}

impl Figure {
    /// `Figure 20`, `Table 3`.
    pub(crate) fn label(&self) -> String {
        match self.kind {
            Kind::Figure => format!("Figure {}", self.id),
            Kind::Table => format!("Table {}", self.id),
            Kind::Text => format!("Text: {}", self.id),
        }
    }

    /// Names files and anchors: `koch-table-3`.
    pub(crate) fn slug(&self) -> String {
        let kind = match self.kind {
            Kind::Figure => "figure-",
            Kind::Table => "table-",
            Kind::Text => "",
        };
        format!("{}-{kind}{}", self.paper, self.id)
    }
}

/// What was measured for a figure.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Findings {
    /// What was run here: objects, steps, threads.
    pub(crate) setting: String,
    /// What is not as in the paper, besides machine and compiler.
    pub(crate) differences: String,
    pub(crate) charts: Vec<Chart>,
    pub(crate) published: Vec<Published>,
    pub(crate) verdicts: Vec<Verdict>,
}

impl Findings {
    /// Why curves end before others, each reason once.
    pub(crate) fn notes(&self) -> Vec<&str> {
        let series = self.charts.iter().flat_map(|chart| &chart.series);
        let mut notes: Vec<&str> = series.filter_map(|series| series.stopped.as_deref()).collect();
        notes.sort_unstable();
        notes.dedup();
        notes
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scaling,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scaling {
    Linear,
    Log,
    /// Things instead of numbers: a point's x is the index of its name, and a chart with such an axis has bars.
    Names(Vec<String>),
}

impl Axis {
    pub(crate) fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scaling::Linear }
    }

    pub(crate) fn log(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scaling::Log }
    }

    pub(crate) fn names<N: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = N>) -> Self {
        Axis { label: label.into(), scale: Scaling::Names(names.into_iter().map(Into::into).collect()) }
    }
}

/// One curve, or the bars of one colour.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// What has the same colour as all other series of the chart with this word.
    pub(crate) family: String,
    /// Tells series of one family apart: 0 is a full line, others are dashed.
    pub(crate) variant: usize,
    pub(crate) points: Vec<(f64, f64)>,
    /// Why it ends before the others.
    pub(crate) stopped: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// pivotgrid.
    Ours,
    /// A structure of the paper, measured here.
    Theirs,
    /// The paper's own numbers, from its machine.
    Published,
}

/// A number of the paper beside the one measured here.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Published {
    pub(crate) quantity: String,
    pub(crate) unit: &'static str,
    pub(crate) paper: f64,
    pub(crate) here: Option<f64>,
    /// The same for pivotgrid, where it makes sense.
    pub(crate) ours: Option<f64>,
}

/// Whether a claim held, computed from what was measured.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Verdict {
    pub(crate) about: About,
    pub(crate) claim: String,
    pub(crate) held: bool,
    pub(crate) evidence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum About {
    Paper,
    Pivotgrid,
}

impl Verdict {
    pub(crate) fn paper(claim: impl Into<String>, held: bool, evidence: impl Into<String>) -> Self {
        Verdict { about: About::Paper, claim: claim.into(), held, evidence: evidence.into() }
    }

    pub(crate) fn ours(claim: impl Into<String>, held: bool, evidence: impl Into<String>) -> Self {
        Verdict { about: About::Pivotgrid, claim: claim.into(), held, evidence: evidence.into() }
    }
}
