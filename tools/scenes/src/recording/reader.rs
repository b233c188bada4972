//! The reader of all formats.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::binary::Binary;
use super::broadmark::Broadmark;
use super::coordinate::{Coordinate, ScalarType};
use super::csv::Csv;
use super::error::{Place, RecordingError};
use super::format::Format;
use super::input::Input;
use crate::bounds::Bounds;

/// What is known of a recording before its first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// How it is written.
    pub format: Format,
    /// 2 or 3.
    pub dimension: usize,
    /// The type of its coordinates.
    pub scalar: ScalarType,
    /// How many frames it announces, if it does. A Broadmark file may hold one more.
    pub frames: Option<u64>,
    /// What it calls itself; empty if it does not say.
    pub title: String,
}

/// A recording that is read frame by frame.
#[derive(Debug)]
pub struct Recording<R> {
    header: Header,
    frames: Frames,
    input: Input<R>,
    /// Nothing comes after the last frame, nor after an error.
    over: bool,
}

#[derive(Debug)]
enum Frames {
    Binary(Binary),
    Csv(Csv),
    Broadmark(Broadmark),
}

impl Recording<File> {
    /// Opens a file and reads its header. The ending of its name, `.csv` or `.aabbs`, counts where the content leaves it open
    /// what the file is.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let start = Place { offset: 0, line: None };
        let file = File::open(path).map_err(|error| RecordingError::Io { place: start, error })?;
        Self::begin(file, path.extension().and_then(|extension| extension.to_str()))
    }
}

impl<R: Read> Recording<R> {
    /// Reads the header of a recording. The format is found by content.
    pub fn new(source: R) -> Result<Self, RecordingError> {
        Self::begin(source, None)
    }

    fn begin(mut source: R, extension: Option<&str>) -> Result<Self, RecordingError> {
        let mut prefix = Vec::with_capacity(Format::PREFIX);
        let result = source.by_ref().take(Format::PREFIX as u64).read_to_end(&mut prefix);
        let place = Place { offset: prefix.len() as u64, line: None };
        result.map_err(|error| RecordingError::Io { place, error })?;

        let format = Format::detect(&prefix, extension)?;
        let mut input = Input::new(prefix, source);
        let (frames, header) = match format {
            Format::Binary => Binary::begin(&mut input).map(|(frames, header)| (Frames::Binary(frames), header))?,
            Format::Csv => Csv::begin(&mut input).map(|(frames, header)| (Frames::Csv(frames), header))?,
            Format::Broadmark => Broadmark::begin(&mut input).map(|(frames, header)| (Frames::Broadmark(frames), header))?,
        };
        Ok(Self { header, frames, input, over: false })
    }

    /// What is known of the whole.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Replaces `boxes` by those of the next frame, or says that there was none: `false` means that the file ended where it
    /// should. `S` and `D` must be those of the [`Header`]. After an error there are no more frames.
    pub fn next_frame<S: Coordinate, const D: usize>(&mut self, boxes: &mut Vec<Bounds<S, D>>) -> Result<bool, RecordingError> {
        let Header { dimension, scalar, .. } = self.header;
        if (D, S::TYPE) != (dimension, scalar) {
            return Err(RecordingError::OtherType { dimension, scalar });
        }
        boxes.clear();
        if self.over {
            return Ok(false);
        }
        let result = match &mut self.frames {
            Frames::Binary(frames) => frames.next_frame(&mut self.input, boxes),
            Frames::Csv(frames) => frames.next_frame(&mut self.input, boxes),
            Frames::Broadmark(frames) => frames.next_frame(&mut self.input, boxes),
        };
        self.over = !matches!(result, Ok(true));
        result
    }
}
