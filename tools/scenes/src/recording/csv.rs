//! Comma-separated values: a line per box.

use std::io::{self, Read, Write};

use super::coordinate::{Coordinate, ScalarType};
use super::error::{Place, RecordingError};
use super::format::Format;
use super::input::Input;
use super::reader::Header;
use crate::bounds::Bounds;

/// The names of the columns by dimension.
const PLANE: [&str; 5] = ["frame", "min_x", "min_y", "max_x", "max_y"];
const SPACE: [&str; 7] = ["frame", "min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];

/// Seven numbers of up to 330 characters, which is what `f64::MAX` and `f64::MIN_POSITIVE` take when written out. Without a
/// limit a file without lines would be read into memory whole.
const LONGEST_LINE: u64 = 4096;

/// What spreadsheets put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How far a recording has been read.
#[derive(Debug)]
pub(super) struct Csv {
    columns: usize,
    /// The first box of the next frame: that a frame is over shows only when the next one begins.
    ahead: Option<Row>,
    /// Lines read.
    lines: u64,
    /// The last of them; kept for its memory.
    line: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    frame: u64,
    /// Least corner, then greatest; those of 2D are followed by zeros.
    corners: [f64; 6],
}

impl Csv {
    pub(super) fn begin(input: &mut Input<impl Read>) -> Result<(Self, Header), RecordingError> {
        let mut csv = Self { columns: 0, ahead: None, lines: 0, line: Vec::new() };
        let Some(place) = csv.next_line(input)? else {
            return Err(input.truncated(format_args!("a line with {} or {} columns", PLANE.len(), SPACE.len())));
        };
        csv.columns = csv.line.split(|&byte| byte == b',').count();
        if ![PLANE.len(), SPACE.len()].contains(&csv.columns) {
            let expected = format!("{} columns (2D) or {} (3D)", PLANE.len(), SPACE.len());
            return Err(RecordingError::Unexpected { place, expected, found: csv.columns.to_string() });
        }
        if csv.fields(place).next().is_some_and(|field| field.text.iter().any(u8::is_ascii_alphabetic)) {
            csv.check_names(place)?;
            csv.ahead = csv.next_row(input)?;
        } else {
            csv.ahead = Some(csv.row(place)?);
        }
        let dimension = (csv.columns - 1) / 2;
        let header = Header { format: Format::Csv, dimension, scalar: ScalarType::F64, frames: None, title: String::new() };
        Ok((csv, header))
    }

    pub(super) fn next_frame<S: Coordinate, const D: usize>(
        &mut self,
        input: &mut Input<impl Read>,
        boxes: &mut Vec<Bounds<S, D>>,
    ) -> Result<bool, RecordingError> {
        let Some(first) = self.ahead.take() else { return Ok(false) };
        let corner = |row: &Row, from: usize| std::array::from_fn(|axis| S::from_f64(row.corners[from + axis]));
        let mut next = Some(first);
        while let Some(row) = next {
            if row.frame != first.frame {
                self.ahead = Some(row);
                break;
            }
            boxes.push(Bounds { min: corner(&row, 0), max: corner(&row, D) });
            next = self.next_row_after(first.frame, input)?;
        }
        Ok(true)
    }

    fn next_row_after(&mut self, frame: u64, input: &mut Input<impl Read>) -> Result<Option<Row>, RecordingError> {
        let offset = input.place().offset;
        let row = self.next_row(input)?;
        match row {
            Some(row) if row.frame < frame => {
                let place = Place { offset, line: Some(self.lines) };
                let expected = format!("frame {frame} or a later one");
                Err(RecordingError::Unexpected { place, expected, found: format!("frame {}", row.frame) })
            }
            _ => Ok(row),
        }
    }

    fn next_row(&mut self, input: &mut Input<impl Read>) -> Result<Option<Row>, RecordingError> {
        self.next_line(input)?.map(|place| self.row(place)).transpose()
    }

    /// Reads the next line that is not empty, without its end, and says where it stands; `None` at the end of the file.
    fn next_line(&mut self, input: &mut Input<impl Read>) -> Result<Option<Place>, RecordingError> {
        loop {
            let mut place = Place { offset: input.place().offset, line: Some(self.lines + 1) };
            input.line(LONGEST_LINE, &mut self.line)?;
            if self.line.is_empty() {
                return Ok(None);
            }
            self.lines += 1;
            if self.line.pop() != Some(b'\n') {
                place.offset = input.place().offset;
                let found = if input.at_end()? { "the end of the file: if nothing is missing, add one" } else { "a longer line" };
                let expected = format!("a line feed within {LONGEST_LINE} bytes");
                return Err(RecordingError::Unexpected { place, expected, found: found.to_owned() });
            }
            if place.offset == 0 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
                place.offset += BYTE_ORDER_MARK.len() as u64;
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(place));
            }
        }
    }

    /// Another order of the columns would mean other boxes, so names that are there must be right.
    fn check_names(&self, place: Place) -> Result<(), RecordingError> {
        let names: &[&str] = if self.columns == PLANE.len() { &PLANE } else { &SPACE };
        let plain = |name: &[u8]| -> Vec<u8> {
            name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
        };
        for (field, name) in self.fields(place).zip(names) {
            if plain(field.text) != plain(name.as_bytes()) {
                return Err(field.unexpected(format!("the column {name}")));
            }
        }
        Ok(())
    }

    fn row(&self, place: Place) -> Result<Row, RecordingError> {
        let found = self.fields(place).count();
        if found != self.columns {
            let expected = format!("{} columns, as in the lines before", self.columns);
            return Err(RecordingError::Unexpected { place, expected, found: found.to_string() });
        }
        let mut fields = self.fields(place);
        let mut row = Row { frame: 0, corners: [0.0; 6] };
        if let Some(field) = fields.next() {
            row.frame = field.parsed("a frame number")?;
        }
        for (corner, field) in row.corners.iter_mut().zip(fields) {
            *corner = field.parsed("a number")?;
        }
        Ok(row)
    }

    fn fields(&self, line: Place) -> impl Iterator<Item = Field<'_>> {
        let mut offset = line.offset;
        self.line.split(|&byte| byte == b',').map(move |text| {
            let place = Place { offset, ..line };
            offset += text.len() as u64 + 1;
            Field { place, text: text.trim_ascii() }
        })
    }
}

/// What stands between two commas.
struct Field<'a> {
    place: Place,
    text: &'a [u8],
}

impl Field<'_> {
    fn parsed<T: std::str::FromStr>(&self, expected: &str) -> Result<T, RecordingError> {
        let number = str::from_utf8(self.text).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| self.unexpected(expected.to_owned()))
    }

    fn unexpected(&self, expected: String) -> RecordingError {
        let found = format!("\"{}\"", self.text[..self.text.len().min(40)].escape_ascii());
        RecordingError::Unexpected { place: self.place, expected, found }
    }
}

/// Writes CSV. A frame without boxes leaves only a gap in the numbers.
#[derive(Debug)]
pub struct CsvRecorder<W, const D: usize> {
    out: W,
    frames: u64,
}

impl<W: Write, const D: usize> CsvRecorder<W, D> {
    /// Begins with the names of the columns.
    pub fn new(mut out: W) -> io::Result<Self> {
        const { assert!(D == 2 || D == 3, "boxes have 2 or 3 dimensions") };
        let names: &[&str] = if D == 2 { &PLANE } else { &SPACE };
        writeln!(out, "{}", names.join(","))?;
        Ok(Self { out, frames: 0 })
    }

    /// Appends a frame.
    pub fn frame<S: Coordinate>(&mut self, boxes: &[Bounds<S, D>]) -> io::Result<()> {
        for bounds in boxes {
            write!(self.out, "{}", self.frames)?;
            for x in bounds.min.into_iter().chain(bounds.max) {
                write!(self.out, ",{x}")?;
            }
            writeln!(self.out)?;
        }
        self.frames += 1;
        Ok(())
    }

    /// Flushes.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
