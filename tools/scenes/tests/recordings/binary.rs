//! The binary format.

use std::io::Cursor;

use scenes::Bounds;
use scenes::recording::{Coordinate, Format, Recorder, Recording, RecordingError, ScalarType};

use super::{Frames, made_up, read, refused, written};

fn round_trip<S: Coordinate, const D: usize>() {
    // Frames larger than what is decoded at once, empty ones, and none at all.
    for objects in [&[][..], &[0], &[1], &[3, 3, 3], &[5, 0, 7_000, 1, 0]] {
        let frames: Frames<S, D> = made_up(objects);
        let file = written(&frames);
        assert_eq!(read(&file).unwrap(), frames);
        let recording = Recording::new(&file[..]).unwrap();
        let header = recording.header();
        assert_eq!((header.format, header.dimension, header.scalar), (Format::Binary, D, S::TYPE));
        assert_eq!(header.frames, Some(objects.len() as u64));
    }
}

#[test]
fn what_is_written_is_read() {
    round_trip::<f32, 2>();
    round_trip::<f64, 2>();
    round_trip::<f32, 3>();
    round_trip::<f64, 3>();
}

/// The documentation promises these bytes to programs that write them on their own.
#[test]
fn the_bytes_are_as_documented() {
    let file = written(&vec![vec![Bounds { min: [1.0f32, -2.0], max: [3.5, 0.0] }], vec![]]);
    let mut expected = b"pgboxes\0".to_vec();
    for number in [1u32, 2, 4, 1, 2, 0, 1] {
        expected.extend(number.to_le_bytes());
    }
    for number in [1.0f32, -2.0, 3.5, 0.0] {
        expected.extend(number.to_le_bytes());
    }
    expected.extend(0u32.to_le_bytes());
    assert_eq!(file, expected);
}

#[test]
fn invalid_boxes_are_passed_on() {
    let bounds = Bounds { min: [f64::NAN, 2.0, f64::INFINITY], max: [0.0, -2.0, f64::NEG_INFINITY] };
    let frames = read::<f64, 3>(&written(&vec![vec![bounds]])).unwrap();
    let read = frames[0][0];
    assert!(read.min[0].is_nan());
    assert_eq!((&read.min[1..], read.max), (&bounds.min[1..], bounds.max));
}

#[test]
fn a_recorder_that_died_leaves_its_frames() {
    let frames = made_up::<f32, 3>(&[4, 0, 2]);
    let mut file = Cursor::new(Vec::new());
    let mut recorder = Recorder::new(&mut file).unwrap();
    frames.iter().for_each(|boxes| recorder.frame(boxes).unwrap());
    drop(recorder);
    let file = file.into_inner();
    assert_eq!(Recording::new(&file[..]).unwrap().header().frames, None);
    assert_eq!(read::<f32, 3>(&file).unwrap(), frames);

    // A cut between two frames cannot be detected; within a frame it is an error.
    assert_eq!(read::<f32, 3>(&file[..file.len() - 52]).unwrap(), frames[..2]);
    let message = refused(&file[..file.len() - 1]);
    let end = file.len() - 1;
    assert_eq!(message, format!("the file ends at byte {end}, expected the rest of frame 2: box 1 of 2, counted from 0"));
}

#[test]
fn a_recording_may_begin_anywhere() {
    let mut out = Cursor::new(b"before".to_vec());
    out.set_position(6);
    let mut recorder = Recorder::new(out).unwrap();
    recorder.frame(&made_up::<f32, 2>(&[2])[0]).unwrap();
    let file = recorder.finish().unwrap();
    assert_eq!(file.position(), file.get_ref().len() as u64);
    assert_eq!(read::<f32, 2>(&file.into_inner()[6..]).unwrap(), made_up(&[2]));
}

#[test]
fn boxes_of_another_type_are_not_there() {
    let file = written(&made_up::<f32, 3>(&[1]));
    let error = read::<f64, 3>(&file).unwrap_err();
    assert!(matches!(error, RecordingError::OtherType { dimension: 3, scalar: ScalarType::F32 }), "{error}");
    assert_eq!(error.to_string(), "the boxes are 3D with f32 coordinates");
}

#[test]
fn a_recording_is_over_after_an_error() {
    let mut file = written(&made_up::<f32, 3>(&[1]));
    file.push(0);
    let mut recording = Recording::new(&file[..]).unwrap();
    let mut boxes = Vec::new();
    assert!(recording.next_frame::<f32, 3>(&mut boxes).unwrap());
    assert!(recording.next_frame::<f32, 3>(&mut boxes).is_err());
    assert!(!recording.next_frame::<f32, 3>(&mut boxes).unwrap());
    assert!(boxes.is_empty());
}
