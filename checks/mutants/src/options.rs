//! What can be chosen on the command line.

use std::collections::BTreeSet;
use std::path::PathBuf;

const USAGE: &str = "\
mutants [--every N] [--seed N] [--parts a,b] [--ids 1,2] [--budget SECONDS] [--jobs N] [--minutes N] [--root DIR] [--out DIR]
  --every    one mutant in N of each part, spread evenly (20)
  --seed     which of the N (0)
  --parts    tries those of these parts only; the build does not depend on it
  --ids      these mutants only, by their numbers, and again
  --tests    these test binaries only; `pivotgrid` is that of the unit tests
  --slowest  processor time of the slowest tests that are used, in seconds (all)
  --budget   processor time of the tests that a mutant is tried on, as they take without it (all)
  --jobs     tests that run at a time (2)
  --minutes  starts no mutant after this time (unlimited); the next run goes on with those that are left
  --list     only lists the chosen mutants
  --report   only prints what is known of the chosen mutants";

/// Seconds: no test takes as long.
const NO_LIMIT: f64 = 3600.0;

pub(crate) struct Options {
    pub(crate) every: usize,
    pub(crate) seed: usize,
    pub(crate) parts: BTreeSet<String>,
    pub(crate) ids: BTreeSet<u32>,
    pub(crate) tests: BTreeSet<String>,
    pub(crate) slowest: f64,
    pub(crate) budget: f64,
    pub(crate) jobs: usize,
    pub(crate) minutes: f64,
    pub(crate) list: bool,
    pub(crate) report: bool,
    /// The repository.
    pub(crate) root: PathBuf,
    /// The copy, its build and all results.
    pub(crate) out: PathBuf,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            every: 20,
            seed: 0,
            parts: BTreeSet::new(),
            ids: BTreeSet::new(),
            tests: BTreeSet::new(),
            slowest: NO_LIMIT,
            budget: f64::INFINITY,
            jobs: 2,
            minutes: f64::INFINITY,
            list: false,
            report: false,
            root: ".".into(),
            out: "target/mutants".into(),
        };
        while let Some(name) = arguments.next() {
            if name == "--list" || name == "--report" {
                *(if name == "--list" { &mut options.list } else { &mut options.report }) = true;
                continue;
            }
            let value = arguments.next().ok_or(USAGE)?;
            let wrong = |_| format!("{name} {value}: not a number\n{USAGE}");
            match name.as_str() {
                "--every" => options.every = value.parse::<usize>().map_err(|error| error.to_string())?.max(1),
                "--seed" => options.seed = value.parse().map_err(|error: std::num::ParseIntError| error.to_string())?,
                "--parts" => options.parts = value.split([',', ' ']).map(str::to_owned).collect(),
                "--ids" => options.ids = value.split(',').map(|id| id.parse().map_err(wrong)).collect::<Result<_, _>>()?,
                "--tests" => options.tests = value.split([',', ' ']).map(str::to_owned).collect(),
                "--slowest" => options.slowest = value.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?,
                "--budget" => options.budget = value.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?,
                "--jobs" => options.jobs = value.parse().map_err(|error: std::num::ParseIntError| error.to_string())?,
                "--minutes" => options.minutes = value.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?,
                "--root" => options.root = value.into(),
                "--out" => options.out = value.into(),
                _ => return Err(format!("{name}: unknown\n{USAGE}")),
            }
        }
        let path = |path: &PathBuf| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
        (options.root, options.out) = (path(&options.root)?, path(&options.out)?);
        Ok(options)
    }

    /// Whether a mutant that survives has survived everything.
    pub(crate) fn has_all_tests(&self) -> bool {
        self.tests.is_empty() && self.slowest >= NO_LIMIT
    }

    pub(crate) fn has_part(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.contains(part)
    }
}
