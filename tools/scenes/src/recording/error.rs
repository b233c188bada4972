//! What can be wrong with a recording, and where.

use std::{error::Error, fmt, io};

use super::coordinate::ScalarType;

/// Why a recording cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes could not be had.
    Io {
        /// Where reading stopped.
        place: Place,
        /// What the system said.
        error: io::Error,
    },
    /// The first bytes are those of none of the formats.
    UnknownFormat,
    /// The file ends too early.
    Truncated {
        /// The end of the file.
        place: Place,
        /// What should have come next.
        expected: String,
    },
    /// The file goes on after its last frame.
    Trailing {
        /// The first byte too many.
        place: Place,
        /// The frames before it.
        frames: u64,
    },
    /// Something stands where something else should.
    Unexpected {
        /// Where it stands.
        place: Place,
        /// What should.
        expected: String,
        /// What does.
        found: String,
    },
    /// The recording's boxes are of another type than the requested one.
    OtherType {
        /// The recording's dimension.
        dimension: usize,
        /// The recording's coordinates.
        scalar: ScalarType,
    },
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In bytes, from 0.
    pub offset: u64,
    /// From 1; only text has lines.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} (byte {})", self.offset),
            None => write!(f, "byte {}", self.offset),
        }
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { place, error } if place.offset == 0 => write!(f, "cannot read it: {error}"),
            Self::Io { place, error } => write!(f, "cannot read on at {place}: {error}"),
            Self::UnknownFormat => {
                write!(f, "byte 0: expected a recording (pgboxes), a Broadmark file or CSV, found something else")
            }
            Self::Truncated { place, expected } => write!(f, "the file ends at {place}, expected {expected}"),
            Self::Trailing { place, frames } => {
                write!(f, "{place}: expected the end of the file after {frames} frames, found more bytes")
            }
            Self::Unexpected { place, expected, found } => write!(f, "{place}: expected {expected}, found {found}"),
            Self::OtherType { dimension, scalar } => write!(f, "the boxes are {dimension}D with {scalar} coordinates"),
        }
    }
}

impl Error for RecordingError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
