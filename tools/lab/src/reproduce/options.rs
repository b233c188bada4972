//! The options of `lab reproduce`.

use std::path::PathBuf;

use clap::Args;

use super::scale::Scale;
use crate::cli::between;

#[derive(Args, Clone, Debug)]
pub(crate) struct ReproduceOptions {
    /// A paper by its first author; all papers, if there is none
    pub(crate) paper: Option<String>,
    /// One of its figures or tables by number, such as 20; all of them, if there is none
    pub(crate) figure: Option<String>,
    /// Smaller sizes and few steps: everything in a few minutes (the default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// The papers' sizes and steps: hours, and up to 8 GB of memory
    #[arg(long)]
    pub(crate) full: bool,
    #[arg(long, value_enum, hide = true, conflicts_with_all = ["quick", "full"])]
    pub(crate) scale: Option<Scale>,
    /// Where the report goes
    #[arg(long, value_name = "DIRECTORY", default_value = "target/reproduce")]
    pub(crate) out: PathBuf,
    /// How many threads the parallel systems get where the paper's own are parallel [default: all]
    #[arg(long, value_name = "T", value_parser = between::<1, 1024>)]
    pub(crate) threads: Option<usize>,
    /// What the report calls the date [default: now]
    #[arg(long, value_name = "TEXT")]
    pub(crate) date: Option<String>,
    /// Print a JSON summary instead of a text
    #[arg(long)]
    pub(crate) json: bool,
    /// Only list what can be reproduced
    #[arg(long)]
    pub(crate) list: bool,
}

impl ReproduceOptions {
    pub(crate) fn scale(&self) -> Scale {
        self.scale.unwrap_or(if self.full && !self.quick { Scale::Full } else { Scale::Quick })
    }
}
