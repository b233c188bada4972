//! Our own format, written.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use super::binary::{ANY_OBJECTS, OPEN_END, VERSION};
use super::coordinate::{Coordinate, append_box};
use super::format::MAGIC;
use crate::bounds::Bounds;

/// Writes a recording frame by frame. Until it is finished the recording has an open end, so what a crash leaves behind can
/// still be read.
#[derive(Debug)]
pub struct Recorder<W, S, const D: usize> {
    out: W,
    /// Where the header stands in `out`.
    start: u64,
    most_objects: u32,
    frames: u64,
    /// The bytes of the current frame; kept for their memory.
    bytes: Vec<u8>,
    scalar: PhantomData<S>,
}

impl<S: Coordinate, const D: usize> Recorder<BufWriter<File>, S, D> {
    /// A recording in a file, which is replaced if it exists.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::new(BufWriter::new(File::create(path)?))
    }
}

impl<W: Write + Seek, S: Coordinate, const D: usize> Recorder<W, S, D> {
    /// A recording that begins where `out` stands.
    pub fn new(mut out: W) -> io::Result<Self> {
        const { assert!(D == 2 || D == 3, "boxes have 2 or 3 dimensions") };
        let start = out.stream_position()?;
        let mut recorder = Self { out, start, most_objects: 0, frames: 0, bytes: Vec::new(), scalar: PhantomData };
        recorder.write_header(ANY_OBJECTS, OPEN_END)?;
        Ok(recorder)
    }

    /// Appends a frame. Fails for more than `u32::MAX` boxes.
    pub fn frame(&mut self, boxes: &[Bounds<S, D>]) -> io::Result<()> {
        let count =
            u32::try_from(boxes.len()).map_err(|_| io::Error::new(ErrorKind::InvalidInput, "too many boxes in a frame"))?;
        self.bytes.clear();
        self.bytes.extend_from_slice(&count.to_le_bytes());
        boxes.iter().for_each(|bounds| append_box(bounds, &mut self.bytes));
        self.out.write_all(&self.bytes)?;
        self.most_objects = self.most_objects.max(count);
        self.frames += 1;
        Ok(())
    }

    /// Writes the number of frames into the header, from which a reader can tell that nothing is missing, and flushes.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.seek(SeekFrom::Start(self.start))?;
        self.write_header(self.most_objects, self.frames)?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_header(&mut self, objects: u32, frames: u64) -> io::Result<()> {
        self.out.write_all(&MAGIC)?;
        for number in [VERSION, D as u32, S::TYPE.bytes(), objects] {
            self.out.write_all(&number.to_le_bytes())?;
        }
        self.out.write_all(&frames.to_le_bytes())
    }
}
