//! What `--json` prints: everything that was found.

use serde::Serialize;

use super::{Circumstances, Reproduced};
use crate::machine::Machine;
use crate::reproduce::figure::Findings;
use crate::reproduce::scale::Scale;

#[derive(Debug, Serialize)]
pub(crate) struct Summary<'a> {
    machine: &'a Machine,
    date: &'a str,
    command: &'a str,
    scale: Scale,
    threads: usize,
    figures: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    paper: &'a str,
    figure: String,
    title: &'a str,
    claim: &'a str,
    #[serde(flatten)]
    findings: &'a Findings,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(circumstances: &'a Circumstances, results: &'a [Reproduced]) -> Self {
        let Circumstances { machine, date, command, scale, threads } = circumstances;
        let entry = |Reproduced { figure, findings }: &'a Reproduced| Entry {
            paper: figure.paper,
            figure: figure.slug(),
            title: figure.title,
            claim: figure.claim,
            findings,
        };
        Summary { machine, date, command, scale: *scale, threads: *threads, figures: results.iter().map(entry).collect() }
    }
}
