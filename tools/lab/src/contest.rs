//! `lab contest`: pivotgrid, the published crates and the papers' systems on the same boxes.
//!
//! The published crates take minutes to compile and the lab's other commands do not need them, so the contest is a feature of the
//! lab that is off by default.

#[cfg(feature = "contest")]
mod charts;
#[cfg(feature = "contest")]
mod race;

use std::path::PathBuf;

use clap::Args;
use scenes::Scene;

use crate::cli::{between, objects};
use crate::failure::Failure;

#[derive(Args, Clone, Debug)]
pub(crate) struct ContestOptions {
    /// 20k objects, 3 steps; a rival that takes over half a second per step is skipped: about a minute (the default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// 10k, 100k and 1M objects, 7 steps, up to 10 s per step
    #[arg(long)]
    pub(crate) full: bool,
    /// Scenes; `lab scenes` lists them [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) scenes: Vec<Scene>,
    /// Numbers of objects
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = objects)]
    pub(crate) n: Vec<usize>,
    /// How many threads; with more than one, only those who can use them take part
    #[arg(long, value_name = "T", default_value = "1", value_parser = between::<1, 1024>)]
    pub(crate) threads: usize,
    /// Leave the papers' systems out
    #[arg(long)]
    pub(crate) no_literature: bool,
    /// What the random numbers start from
    #[arg(long, default_value = "1")]
    pub(crate) seed: u64,
    /// Where CSV, SVG and PNG files go
    #[arg(long, value_name = "DIRECTORY", default_value = "target/contest")]
    pub(crate) out: PathBuf,
}

#[cfg(feature = "contest")]
pub(crate) fn contest(options: &ContestOptions) -> Result<String, Failure> {
    race::run(options)
}

#[cfg(not(feature = "contest"))]
pub(crate) fn contest(options: &ContestOptions) -> Result<String, Failure> {
    let full = if options.full { " --full" } else { "" };
    Err(Failure::Usage(format!(
        "this lab was built without the contest, whose rivals take minutes to compile; \
         run cargo run --release -p lab --features contest -- contest{full}"
    )))
}
