//! What can go wrong, and the exit code that says so.

use std::fmt;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for something that does not exist.
    Usage(String),
    /// The threads could not be started.
    Threads(usize, rayon::ThreadPoolBuildError),
    /// The engine broke its promise.
    DifferentPairs {
        step: usize,
        threads: usize,
    },
    Output(std::io::Error),
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Threads(..) | Failure::DifferentPairs { .. } | Failure::Output(_) => 1,
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
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}
