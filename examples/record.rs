//! Writes down the boxes of every frame, to be run again by the lab. `cargo run --release --example record [FILE]`
//!
//! `recording` below is all that an engine needs. The format is described in `tools/scenes/src/recording/mod.rs`.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use pivotgrid::{Aabb, BroadPhase};

pub(crate) mod recording {
    use super::*;

    /// Before the first frame with `u64::MAX`, which is "up to the end"; afterwards again at the start of the file, with the number.
    pub(crate) fn header(out: &mut impl Write, frames: u64) -> io::Result<()> {
        out.write_all(b"pgboxes\0")?;
        for number in [1, 3, 4, u32::MAX] {
            out.write_all(&number.to_le_bytes())?; // version, dimension, bytes of an f32, any number of objects
        }
        out.write_all(&frames.to_le_bytes())
    }

    /// The number of objects may be another one in every frame.
    pub(crate) fn frame(out: &mut impl Write, boxes: &[Aabb<f32, 3>]) -> io::Result<()> {
        out.write_all(&(boxes.len() as u32).to_le_bytes())?;
        boxes.iter().flat_map(|b| b.min.into_iter().chain(b.max)).try_for_each(|x| out.write_all(&x.to_le_bytes()))
    }
}

const FRAMES: u64 = 60;

/// A shower: in every frame 20 more boxes have begun to fall, and those that have landed lie on each other.
pub(crate) fn boxes(frame: u64) -> Vec<Aabb<f32, 3>> {
    let falling = |index: u64| {
        let age = (frame - index / 20) as f32;
        let (x, y) = ((index * 7 % 31) as f32, (index * 11 % 29) as f32);
        Aabb::around([x, y, (100.0 - 0.05 * age * age).max(0.0)], [0.8; 3])
    };
    (0..20 * (frame + 1)).map(falling).collect()
}

pub(crate) fn record(path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    recording::header(&mut out, u64::MAX)?;
    for number in 0..FRAMES {
        let boxes = boxes(number);
        broad_phase.par_detect(&boxes);
        recording::frame(&mut out, &boxes)?;
    }
    out.rewind()?;
    recording::header(&mut out, FRAMES)?;
    out.flush()
}

fn main() -> io::Result<()> {
    let argument = std::env::args_os().nth(1).map(PathBuf::from);
    let path = argument.unwrap_or_else(|| std::env::temp_dir().join("pivotgrid-record.boxes"));
    record(&path)?;
    println!("{FRAMES} frames; now try: cargo run --release -- replay {}", path.display());
    Ok(())
}
