//! What can go wrong, and the exit code that says so.

use std::fmt;
use std::path::{Path, PathBuf};

use scenes::recording::RecordingError;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line names something that does not exist.
    Usage(String),
    /// The threads could not be started.
    Threads(usize, rayon::ThreadPoolBuildError),
    /// The engine broke its promise.
    DifferentPairs {
        step: usize,
        threads: usize,
    },
    /// The engine broke its promise.
    WrongPairs {
        frame: u64,
        missing: usize,
        surplus: usize,
        rejected: usize,
        invalid: usize,
    },
    /// A recording is damaged or cannot be read.
    Recording {
        file: PathBuf,
        error: RecordingError,
    },
    /// Two systems found different pairs.
    Disagreement {
        system: String,
        boxes: usize,
    },
    /// Something failed while a figure was measured.
    InFigure {
        figure: String,
        failure: Box<Failure>,
    },
    /// A file cannot be written.
    Write {
        file: PathBuf,
        error: std::io::Error,
    },
    Output(std::io::Error),
    /// A step across ranks failed.
    Cluster(pivotgrid_cluster::ClusterError),
}

impl Failure {
    pub(crate) fn recording(file: &Path, error: RecordingError) -> Self {
        Failure::Recording { file: file.to_owned(), error }
    }

    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Threads(..)
            | Failure::DifferentPairs { .. }
            | Failure::WrongPairs { .. }
            | Failure::Recording { .. }
            | Failure::Disagreement { .. }
            | Failure::InFigure { .. }
            | Failure::Write { .. }
            | Failure::Output(_)
            | Failure::Cluster(_) => 1,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) => f.write_str(message),
            Failure::Threads(threads, error) => write!(f, "cannot start {threads} threads: {error}; try fewer with --threads"),
            Failure::DifferentPairs { step, threads } => {
                write!(
                    f,
                    "in step {step} one thread and {threads} threads found different pairs: a bug in pivotgrid, please report it"
                )
            }
            Failure::WrongPairs { frame, missing, surplus, rejected, invalid } => {
                write!(
                    f,
                    "in frame {frame} the engine missed {missing} of the overlapping pairs and reported {surplus} too many, and \
                     rejected {rejected} boxes where {invalid} are invalid: a bug in pivotgrid, please report it"
                )
            }
            Failure::Disagreement { system, boxes } => {
                write!(
                    f,
                    "{system} and the systems before it found different pairs among the same {boxes} boxes: a bug, please report it"
                )
            }
            Failure::InFigure { figure, failure } => write!(f, "{figure}: {failure}"),
            Failure::Recording { file, error } => write!(f, "{}: {error}", file.display()),
            Failure::Write { file, error } => write!(f, "cannot write {}: {error}", file.display()),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
            Failure::Cluster(error) => error.fmt(f),
        }
    }
}
