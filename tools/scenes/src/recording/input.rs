//! Bytes with their place in the file.

use std::fmt;
use std::io::{BufRead, BufReader, Chain, Cursor, ErrorKind, Read};

use super::error::{Place, RecordingError};
use crate::bounds::Bounds;

/// Bytes that are read and decoded at once: a multiple of all sizes of boxes (16, 24, 32 and 48), and small beside a frame.
const CHUNK: usize = 48 * 1024;

/// A buffered source that knows how far it has been read.
#[derive(Debug)]
pub(super) struct Input<R> {
    source: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    offset: u64,
    chunk: Vec<u8>,
}

impl<R: Read> Input<R> {
    /// Reads on from `source`, of which `prefix` has been taken already.
    pub(super) fn new(prefix: Vec<u8>, source: R) -> Self {
        let source = BufReader::with_capacity(CHUNK, Cursor::new(prefix).chain(source));
        Self { source, offset: 0, chunk: Vec::new() }
    }

    pub(super) fn place(&self) -> Place {
        Place { offset: self.offset, line: None }
    }

    pub(super) fn at_end(&mut self) -> Result<bool, RecordingError> {
        loop {
            match self.source.fill_buf() {
                Ok(bytes) => return Ok(bytes.is_empty()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(RecordingError::Io { place: self.place(), error }),
            }
        }
    }

    /// The next bytes, or an error that says what they should have been.
    pub(super) fn array<const N: usize>(&mut self, expected: fmt::Arguments<'_>) -> Result<[u8; N], RecordingError> {
        let mut bytes = [0; N];
        let read = self.read(&mut bytes)?;
        if read < N { Err(self.truncated(expected)) } else { Ok(bytes) }
    }

    /// Appends `count` boxes of `size` bytes each. What is allocated has been read: `count` alone, which may be a lie, allocates
    /// nothing. `decode` gets the place of the box and its bytes.
    pub(super) fn boxes<S, const D: usize>(
        &mut self,
        frame: u64,
        count: u32,
        size: usize,
        boxes: &mut Vec<Bounds<S, D>>,
        mut decode: impl FnMut(Place, &[u8]) -> Result<Bounds<S, D>, RecordingError>,
    ) -> Result<(), RecordingError> {
        let mut chunk = std::mem::take(&mut self.chunk);
        chunk.resize(CHUNK, 0);
        let mut left = count as usize;
        while left > 0 {
            let bytes = left.min(CHUNK / size) * size;
            let mut place = self.place();
            let read = self.read(&mut chunk[..bytes])?;
            for bytes in chunk[..read].chunks_exact(size) {
                boxes.push(decode(place, bytes)?);
                place.offset += size as u64;
            }
            left -= read / size;
            if read < bytes {
                let index = count as usize - left;
                return Err(self.truncated(format_args!("the rest of frame {frame}: box {index} of {count}, counted from 0")));
            }
        }
        self.chunk = chunk;
        Ok(())
    }

    /// Replaces `line` by the bytes up to and with the next line feed, but no more than `most`; by nothing at the end.
    pub(super) fn line(&mut self, most: u64, line: &mut Vec<u8>) -> Result<(), RecordingError> {
        line.clear();
        let result = self.source.by_ref().take(most).read_until(b'\n', line);
        self.offset += line.len() as u64;
        result.map(drop).map_err(|error| RecordingError::Io { place: self.place(), error })
    }

    pub(super) fn truncated(&self, expected: fmt::Arguments<'_>) -> RecordingError {
        RecordingError::Truncated { place: self.place(), expected: expected.to_string() }
    }

    /// Fills the slice unless the source ends; says how many bytes it got.
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, RecordingError> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.source.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(read) => {
                    filled += read;
                    self.offset += read as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(RecordingError::Io { place: self.place(), error }),
            }
        }
        Ok(filled)
    }
}
