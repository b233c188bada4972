//! Recordings: what is written is read, and what is damaged is refused.

mod binary;
mod broadmark;
mod csv;
mod damage;

use std::io::Cursor;

use scenes::Bounds;
use scenes::recording::{Coordinate, Recorder, Recording, RecordingError};

type Frames<S, const D: usize> = Vec<Vec<Bounds<S, D>>>;

/// Frames with the given numbers of objects; no two boxes are the same.
fn made_up<S: Coordinate, const D: usize>(objects: &[usize]) -> Frames<S, D> {
    let mut counter = 0.0;
    let mut number = || {
        counter += 0.3;
        S::from_f64(counter)
    };
    let mut corner = || std::array::from_fn(|_| number());
    objects.iter().map(|&count| (0..count).map(|_| Bounds { min: corner(), max: corner() }).collect()).collect()
}

fn written<S: Coordinate, const D: usize>(frames: &Frames<S, D>) -> Vec<u8> {
    let mut recorder = Recorder::new(Cursor::new(Vec::new())).unwrap();
    frames.iter().for_each(|boxes| recorder.frame(boxes).unwrap());
    recorder.finish().unwrap().into_inner()
}

/// All frames, or the error. What a header claims must not allocate: memory stays within what the file's bytes can account for.
fn read<S: Coordinate, const D: usize>(file: &[u8]) -> Result<Frames<S, D>, RecordingError> {
    let mut recording = Recording::new(file)?;
    let (mut frames, mut boxes) = (Vec::new(), Vec::new());
    loop {
        let result = recording.next_frame(&mut boxes);
        // A vector doubles; a line of CSV with 5 columns is at least 10 bytes long, so text may take less room than its boxes.
        assert!(boxes.capacity() <= 8 + file.len(), "{} boxes for {} bytes", boxes.capacity(), file.len());
        if !result? {
            return Ok(frames);
        }
        frames.push(boxes.clone());
    }
}

/// As [`read`], whatever the type of the boxes; the number of frames.
fn read_any(file: &[u8]) -> Result<usize, RecordingError> {
    match read::<f32, 3>(file) {
        Err(RecordingError::OtherType { .. }) => {}
        result => return result.map(|frames| frames.len()),
    }
    match read::<f64, 3>(file) {
        Err(RecordingError::OtherType { .. }) => {}
        result => return result.map(|frames| frames.len()),
    }
    match read::<f32, 2>(file) {
        Err(RecordingError::OtherType { .. }) => read::<f64, 2>(file).map(|frames| frames.len()),
        result => result.map(|frames| frames.len()),
    }
}

/// The message of the error that the file must give.
#[track_caller]
fn refused(file: &[u8]) -> String {
    match read_any(file) {
        Ok(frames) => panic!("{frames} frames were read"),
        Err(error) => error.to_string(),
    }
}
