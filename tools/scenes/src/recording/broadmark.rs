//! The `.aabbs` files of the Broadmark framework.

use std::io::Read;

use super::coordinate::{Coordinate, ScalarType, take_corner};
use super::error::{Place, RecordingError};
use super::format::Format;
use super::input::Input;
use super::reader::Header;
use crate::bounds::Bounds;

/// Bytes of a name, the zeros behind it included.
const NAME: usize = 128;

/// Bytes of a box: two corners of x, y, z and 0.
const BOX: usize = 2 * 4 * size_of::<f32>();

/// Bytes before the first frame.
pub(super) const HEADER: usize = 2 * NAME + 4 * size_of::<i32>() + BOX;

/// There is no magic number, but both names end in a zero, and two numbers are zero.
pub(super) fn looks_like(prefix: &[u8]) -> bool {
    let zeros = 2 * NAME + 2 * size_of::<i32>();
    prefix.len() == HEADER && prefix[NAME - 1] == 0 && prefix[2 * NAME - 1] == 0 && prefix[zeros..zeros + 8] == [0; 8]
}

/// How far a recording has been read.
#[derive(Debug)]
pub(super) struct Broadmark {
    objects: u32,
    /// As announced; there may be one more.
    frames: u64,
    frame: u64,
}

impl Broadmark {
    pub(super) fn begin(input: &mut Input<impl Read>) -> Result<(Self, Header), RecordingError> {
        let scene = name(input, "the name of the scene in 128 bytes, the last of them zero")?;
        let objects_type = name(input, "the type of the objects in 128 bytes, the last of them zero")?;
        let positive = |number: i32| u32::try_from(number).ok().filter(|&number| number > 0);
        let objects = number(input, "a positive number of objects", positive)?;
        let frames = number(input, "a positive number of frames", positive)?.into();
        number(input, "zero", |number| (number == 0).then_some(()))?;
        number(input, "zero", |number| (number == 0).then_some(()))?;
        let place = input.place();
        decode::<f32, 3>(place, &input.array::<BOX>(format_args!("the box of the world"))?)?;
        let title = format!("{scene}, {objects_type}");
        let header = Header { format: Format::Broadmark, dimension: 3, scalar: ScalarType::F32, frames: Some(frames), title };
        Ok((Self { objects, frames, frame: 0 }, header))
    }

    /// Broadmark's recorder writes the objects before its first step and after each; the header counts the steps.
    pub(super) fn next_frame<S: Coordinate, const D: usize>(
        &mut self,
        input: &mut Input<impl Read>,
        boxes: &mut Vec<Bounds<S, D>>,
    ) -> Result<bool, RecordingError> {
        let frame = self.frame;
        if frame >= self.frames && input.at_end()? {
            return Ok(false);
        }
        if frame > self.frames {
            return Err(RecordingError::Trailing { place: input.place(), frames: frame });
        }
        input.boxes(frame, self.objects, BOX, boxes, decode)?;
        self.frame += 1;
        Ok(true)
    }
}

/// The fourth coordinate is all that tells a file that lost or gained some bytes from a good one.
fn decode<S: Coordinate, const D: usize>(place: Place, mut bytes: &[u8]) -> Result<Bounds<S, D>, RecordingError> {
    let mut corner = |offset| {
        let corner = take_corner(&mut bytes);
        let fourth = f32::take_le(&mut bytes);
        if fourth == 0.0 {
            return Ok(corner);
        }
        let place = Place { offset: place.offset + offset, ..place };
        Err(RecordingError::Unexpected { place, expected: "a fourth coordinate of 0".to_owned(), found: fourth.to_string() })
    };
    Ok(Bounds { min: corner(12)?, max: corner(28)? })
}

/// A name without what could upset a terminal.
fn name(input: &mut Input<impl Read>, expected: &str) -> Result<String, RecordingError> {
    let place = input.place();
    let bytes = input.array::<NAME>(format_args!("{expected}"))?;
    let Some(end) = bytes.iter().position(|&byte| byte == 0).filter(|_| bytes[NAME - 1] == 0) else {
        let found = format!("\"{}\"", bytes[NAME - 8..].escape_ascii());
        return Err(RecordingError::Unexpected { place, expected: expected.to_owned(), found: format!("{found} at its end") });
    };
    Ok(String::from_utf8_lossy(&bytes[..end]).chars().filter(|c| !c.is_control()).collect())
}

fn number<T>(input: &mut Input<impl Read>, expected: &str, valid: impl FnOnce(i32) -> Option<T>) -> Result<T, RecordingError> {
    let place = input.place();
    let number = i32::from_le_bytes(input.array(format_args!("{expected}"))?);
    let wrong = || RecordingError::Unexpected { place, expected: expected.to_owned(), found: number.to_string() };
    valid(number).ok_or_else(wrong)
}
