//! The verdicts, kept in a file: a run goes on where the last one ended.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;

use crate::choose::Chosen;
use crate::options::Options;

/// What became of a mutant.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) what: What,
    /// The test that caught it, or how many were run.
    pub(crate) by: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It does not compile.
    Broken,
    /// A test fails, or aborts.
    Caught,
    /// A test does not end.
    TimedOut,
    /// No test that reaches it fails.
    Missed,
    /// None of those that were run fails, but not all were.
    Open,
    /// No test reaches it.
    Unreached,
}

const NAMES: [(What, &str); 6] = [
    (What::Broken, "broken"),
    (What::Caught, "caught"),
    (What::TimedOut, "timeout"),
    (What::Missed, "missed"),
    (What::Open, "open"),
    (What::Unreached, "unreached"),
];

impl What {
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(what, _)| *what == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn is_caught(self) -> bool {
        self == What::Caught || self == What::TimedOut
    }
}

pub(crate) struct Results {
    /// By the mutant's number.
    pub(crate) verdicts: BTreeMap<u32, Verdict>,
    file: File,
}

impl Results {
    /// The verdicts so far. Those of other sources are put aside: numbers mean other mutants there.
    pub(crate) fn load(options: &Options, chosen: &Chosen) -> Result<Results, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", options.out.display());
        fs::create_dir_all(&options.out).map_err(wrong)?;
        let path = options.out.join("results.tsv");
        let first = format!("sources {:016x}", chosen.fingerprint);
        let old = fs::read_to_string(&path).unwrap_or_default();
        let is_same = old.lines().next() == Some(&first);
        if !is_same {
            if !old.is_empty() {
                fs::rename(&path, options.out.join("results.old.tsv")).map_err(wrong)?;
            }
            fs::write(&path, format!("{first}\n")).map_err(wrong)?;
        }
        let verdicts = if is_same { old.lines().filter_map(read).collect() } else { BTreeMap::new() };
        let file = fs::OpenOptions::new().append(true).open(&path).map_err(wrong)?;
        Ok(Results { verdicts, file })
    }

    /// Records a verdict; of two for one mutant the last one counts.
    pub(crate) fn record(&mut self, chosen: &Chosen, id: u32, verdict: Verdict) -> Result<(), String> {
        let text = &chosen.mutants[&id].what;
        writeln!(self.file, "{id}\t{}\t{}\t{text}", verdict.what.name(), verdict.by).map_err(|error| error.to_string())?;
        self.verdicts.insert(id, verdict);
        Ok(())
    }

    pub(crate) fn is(&self, id: u32, what: What) -> bool {
        self.verdicts.get(&id).is_some_and(|verdict| verdict.what == what)
    }
}

fn read(line: &str) -> Option<(u32, Verdict)> {
    let mut fields = line.split('\t');
    let (id, name, by) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?.to_owned());
    let what = NAMES.iter().find(|(_, of)| *of == name)?.0;
    Some((id, Verdict { what, by }))
}
