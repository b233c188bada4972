//! Our own format, read.

use std::io::Read;

use super::coordinate::{Coordinate, ScalarType, take_corner};
use super::error::RecordingError;
use super::format::{Format, MAGIC};
use super::input::Input;
use super::reader::Header;
use crate::bounds::Bounds;

pub(super) const VERSION: u32 = 1;

/// The number of objects that is no limit, for those who do not know it yet.
pub(super) const ANY_OBJECTS: u32 = u32::MAX;

/// The number of frames of those who do not know it yet.
pub(super) const OPEN_END: u64 = u64::MAX;

/// How far a recording has been read.
#[derive(Debug)]
pub(super) struct Binary {
    most_objects: u32,
    frames: Option<u64>,
    frame: u64,
}

impl Binary {
    pub(super) fn begin(input: &mut Input<impl Read>) -> Result<(Self, Header), RecordingError> {
        // Its beginning is what this format was recognized by, so it is right as far as it is there.
        input.array::<{ MAGIC.len() }>(format_args!("the magic number pgboxes"))?;
        number(input, "version 1", |version| (version == VERSION).then_some(()))?;
        let dimension = number(input, "2 or 3 dimensions", |dimension| matches!(dimension, 2 | 3).then_some(dimension as usize))?;
        let scalar = number(input, "4 or 8 bytes per coordinate", ScalarType::with_bytes)?;
        let most_objects = number(input, "the number of objects", Some)?;
        let frames = u64::from_le_bytes(input.array(format_args!("the number of frames"))?);
        let frames = (frames != OPEN_END).then_some(frames);
        let header = Header { format: Format::Binary, dimension, scalar, frames, title: String::new() };
        Ok((Self { most_objects, frames, frame: 0 }, header))
    }

    pub(super) fn next_frame<S: Coordinate, const D: usize>(
        &mut self,
        input: &mut Input<impl Read>,
        boxes: &mut Vec<Bounds<S, D>>,
    ) -> Result<bool, RecordingError> {
        let (frame, most) = (self.frame, self.most_objects);
        let may_end = self.frames.is_none_or(|frames| frame == frames);
        if may_end && input.at_end()? {
            return Ok(false);
        }
        if self.frames == Some(frame) {
            return Err(RecordingError::Trailing { place: input.place(), frames: frame });
        }
        let place = input.place();
        let count = u32::from_le_bytes(input.array(format_args!("the number of objects of frame {frame}"))?);
        if count > most {
            let expected = format!("at most {most} objects in frame {frame}, as the header says");
            return Err(RecordingError::Unexpected { place, expected, found: count.to_string() });
        }
        let size = 2 * D * S::TYPE.bytes() as usize;
        input.boxes(frame, count, size, boxes, |_, mut bytes| {
            Ok(Bounds { min: take_corner(&mut bytes), max: take_corner(&mut bytes) })
        })?;
        self.frame += 1;
        Ok(true)
    }
}

/// A number of the header, or what should stand there.
fn number<T>(input: &mut Input<impl Read>, expected: &str, valid: impl FnOnce(u32) -> Option<T>) -> Result<T, RecordingError> {
    let place = input.place();
    let number = u32::from_le_bytes(input.array(format_args!("{expected}"))?);
    let wrong = || RecordingError::Unexpected { place, expected: expected.to_owned(), found: number.to_string() };
    valid(number).ok_or_else(wrong)
}
