//! The command line.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use scenes::Scene;

use crate::cluster::ClusterOptions;
use crate::contest::ContestOptions;
use crate::failure::Failure;
use crate::frames::FrameRange;
use crate::reproduce::ReproduceOptions;

const EXAMPLES: &str = "\
Examples:
  lab                                      the default scene: a million boxes, sizes over four decades
  lab --scene koch --n 100k --threads 1    another scene, smaller, on one thread
  lab run --dim 2 --scalar f64 --steps 20  in the plane, in double precision
  lab run --scene pile --json > pile.json  for machines
  lab run --picture none                   without writing pictures to target/lab
  lab scenes                               what scenes there are
  lab replay fall.boxes --check            boxes that your engine wrote down, and whether all pairs are found
  lab advise fall.boxes                    what the planner makes of them, and what is expensive
  lab record --scene koch koch.boxes       a scene as such a file
  lab reproduce koch 3                     a table of a paper, measured here, with ours beside it; see its --list
  lab cluster --ranks 8 --scene koch       on ranks without shared memory: ghosts, bytes and work of each
  lab contest                              against published crates and the papers' systems (see its --help)

At the root of the repository `cargo run --release --` stands for `lab`.

Exit codes: 0 all went well, 1 the run failed or found wrong pairs, 2 the command line is wrong.";

const REPLAY_EXAMPLES: &str = "\
Examples:
  lab replay fall.boxes                          all frames on all threads
  lab replay fall.boxes --frames 100..200 --json a part of them, for machines
  lab replay fall.csv --threads 1 --check=10     every tenth frame held against an exhaustive search
  zstdcat fall.boxes.zst | lab replay -          from the standard input

The file is in our own binary format, CSV, or an .aabbs file of the Broadmark framework; tools/scenes/src/recording/mod.rs
describes them, and examples/record.rs writes the first in a few lines. Its dimension and coordinates are those of the file.
The first frame is the first call and not among the measured ones, unless there is no other.";

const ADVISE_EXAMPLES: &str = "\
Examples:
  lab advise fall.boxes                  the last frame of a recording, after all those before it
  lab advise fall.boxes --frames ..100   the hundredth
  lab advise --scene koch --n 1M         a scene
  lab advise fall.boxes --json           for machines";

const RECORD_EXAMPLES: &str = "\
Example:
  lab record --scene koch --n 20k --steps 100 koch.boxes && lab replay koch.boxes";

const CLUSTER_EXAMPLES: &str = "\
Examples:
  lab cluster --ranks 8 --scene koch            eight ranks with one thread each
  lab cluster --ranks 1 --scene uniform --n 1M  what the cluster costs over the plain engine
  lab cluster --ranks 8 --scene power --json    for machines

Ranks are threads of this process. crates/cluster/mpi has the same table for MPI processes: mpirun -n 8 cluster --scene koch.";

const CONTEST_EXAMPLES: &str = "\
Examples:
  cargo run --release -p lab --features contest -- contest
  cargo run --release -p lab --features contest -- contest --scenes koch,power --n 10k,100k --no-literature

The rivals (rapier, parry, rstar, ...) take minutes to compile, so the lab has them only with the feature `contest`. All of them get the
same boxes in turn within each step, and must find the same pairs: otherwise the contest ends with an error. The table, a CSV file and
charts as SVG and PNG go to the output directory. tools/versus/README.md says how each rival is driven.";

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  lab reproduce                     all figures of all papers, at sizes for a few minutes
  lab reproduce schornbaum          all figures of one paper
  lab reproduce koch 6 --full       one table, at the paper's size
  lab reproduce --list              what there is

The report is report.html in the output directory, one file that needs no network; beside it are a CSV file per figure, its charts
as SVG and PNG, and summary.json. All systems of a figure see the same boxes in turn, step by step; times are medians of CPU time
where one thread is measured, otherwise the least by the clock on the wall. A series ends when its next step is expected to exceed the limit (quick: 1 s, full: 20 s).";

/// Runs pivotgrid on a scene and shows what every pass costs.
#[derive(Debug, Parser)]
#[command(name = "lab", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene and print figures (what happens without a command, too)
    Run(RunOptions),
    /// Run the frames of a recording and print figures
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayOptions),
    /// Say what the planner chose for a scene or a recording, what is expensive in it, and what can be done
    #[command(after_help = ADVISE_EXAMPLES)]
    Advise(AdviseOptions),
    /// Write a scene as a recording
    #[command(after_help = RECORD_EXAMPLES)]
    Record(RecordOptions),
    /// List the scenes with their exact parameters
    Scenes,
    /// Run a scene on several ranks, and print a table by rank and a picture of the partition
    #[command(after_help = CLUSTER_EXAMPLES)]
    Cluster(ClusterOptions),
    /// Let the published crates and the papers' systems compete on the same boxes (needs the feature `contest`)
    #[command(after_help = CONTEST_EXAMPLES)]
    Contest(ContestOptions),
    /// Measure the papers' figures and tables on this machine, with ours beside them
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceOptions),
}

/// Which boxes, but for their number.
#[derive(Args, Clone, Debug)]
pub(crate) struct SceneOptions {
    /// The scene, by name; `lab scenes` lists them
    #[arg(long = "scene", value_name = "NAME", default_value = "power")]
    pub(crate) name: Scene,
    /// Dimensions
    #[arg(long, value_name = "2|3", default_value = "3", value_parser = between::<2, 3>)]
    pub(crate) dim: usize,
    /// Coordinates
    #[arg(long, value_enum, default_value = "f32")]
    pub(crate) scalar: Scalar,
    /// What the random numbers start from
    #[arg(long, default_value = "1")]
    pub(crate) seed: u64,
}

impl SceneOptions {
    pub(crate) fn exists(&self) -> Result<(), Failure> {
        let (scene, wanted, dimensions) = (self.name, self.dim, self.name.dimensions());
        if dimensions.contains(&wanted) {
            return Ok(());
        }
        Err(Failure::Usage(format!("the scene {scene} does not exist in {wanted}D; use --dim {}", dimensions[0])))
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// How many objects; 100k and 1M are understood
    #[arg(long, value_name = "N", default_value = "1M", value_parser = objects)]
    pub(crate) n: usize,
    /// How many threads [default: all]
    #[arg(long, value_name = "T", value_parser = between::<1, 1024>)]
    pub(crate) threads: Option<usize>,
    /// How many steps are measured
    #[arg(long, value_name = "K", default_value = "50", value_parser = between::<1, 1_000_000>)]
    pub(crate) steps: usize,
    /// Skip the second run on one thread
    #[arg(long)]
    pub(crate) no_compare: bool,
    /// Where to put pictures of the last step, as PNG and SVG, or `none`
    #[arg(long, value_name = "DIR|none", default_value = "target/lab")]
    picture: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunOptions {
    /// The directory for pictures, if there are to be any.
    pub(crate) fn pictures(&self) -> Option<&Path> {
        (self.picture != Path::new("none")).then_some(&self.picture)
    }
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ReplayOptions {
    /// The recording; `-` is the standard input
    pub(crate) file: PathBuf,
    /// How many threads [default: all]
    #[arg(long, value_name = "T", value_parser = between::<1, 1024>)]
    pub(crate) threads: Option<usize>,
    /// Which frames, from 0: 100 for the first hundred, or 20..100, 20.. and ..100
    #[arg(long, value_name = "RANGE", default_value = "..", hide_default_value = true)]
    pub(crate) frames: FrameRange,
    /// Compare every frame, or every K-th, with an exhaustive search; slow beyond 100k boxes
    #[arg(long, value_name = "K", num_args = 0..=1, require_equals = true, default_missing_value = "1",
          value_parser = between::<1, 1_000_000>)]
    pub(crate) check: Option<usize>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct AdviseOptions {
    /// A recording, `-` for the standard input; without one, a scene
    #[arg(conflicts_with_all = ["name", "dim", "scalar", "seed", "n", "steps"])]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// How many objects; 100k and 1M are understood
    #[arg(long, value_name = "N", default_value = "100k", value_parser = objects)]
    pub(crate) n: usize,
    /// How many steps are measured
    #[arg(long, value_name = "K", default_value = "10", value_parser = between::<1, 1_000_000>)]
    pub(crate) steps: usize,
    /// Which frames of the recording; the last of them is looked at
    #[arg(long, value_name = "RANGE", default_value = "..", hide_default_value = true, requires = "file")]
    pub(crate) frames: FrameRange,
    /// How many threads; the planner's costs are those of one
    #[arg(long, value_name = "T", default_value = "1", value_parser = between::<1, 1024>)]
    pub(crate) threads: usize,
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct RecordOptions {
    /// The file, which is replaced if it exists
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// How many objects; 100k and 1M are understood
    #[arg(long, value_name = "N", default_value = "10k", value_parser = objects)]
    pub(crate) n: usize,
    /// How many frames
    #[arg(long, value_name = "K", default_value = "50", value_parser = between::<1, 1_000_000>)]
    pub(crate) steps: usize,
    /// Write CSV, as for a file that ends in .csv
    #[arg(long)]
    pub(crate) csv: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scalar {
    F32,
    F64,
}

impl Scalar {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }
}

/// A world, two engines and their pairs take up to 400 bytes per object.
const MOST_OBJECTS: usize = 100_000_000;

/// Reads `20000`, `20_000`, `20k` and `1M`.
pub(crate) fn objects(text: &str) -> Result<usize, String> {
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |digits| (digits, 1_000_000)),
    };
    let number = digits.replace('_', "").parse::<usize>().ok().and_then(|number| number.checked_mul(factor));
    match number {
        Some(number @ 1..=MOST_OBJECTS) => Ok(number),
        Some(_) => Err("must lie between 1 and 100M".to_owned()),
        None => Err("not a number of objects; write 20000, 20k or 1M".to_owned()),
    }
}

pub(crate) fn between<const MIN: usize, const MAX: usize>(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (MIN..=MAX).contains(&number) => Ok(number),
        _ => Err(format!("must be a whole number from {MIN} to {MAX}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_work_with_and_without_the_command() {
        for words in [&["lab", "--n", "20k", "--scene", "koch"][..], &["lab", "run", "--n", "20_000", "--scene", "koch"][..]] {
            let cli = Cli::try_parse_from(words).unwrap();
            let options = match cli.command {
                Some(Command::Run(options)) => options,
                _ => cli.run,
            };
            assert_eq!((options.n, options.scene.name), (20_000, Scene::Koch));
        }
    }

    #[test]
    fn numbers_of_objects() {
        assert_eq!(objects("1"), Ok(1));
        assert_eq!(objects("3M"), Ok(3_000_000));
        for wrong in ["0", "101M", "-1", "1G", "", "M", "1.5M", "99999999999999999999"] {
            assert!(objects(wrong).is_err(), "{wrong}");
        }
    }
}
