//! Boxes recorded by a real engine, to be run again: written by [`Recorder`], read frame by frame by [`Recording`].
//!
//! ```
//! use std::io::Cursor;
//! use scenes::Bounds;
//! use scenes::recording::{Recorder, Recording};
//!
//! let boxes = [Bounds { min: [0.0f32, 0.0], max: [1.0, 1.0] }];
//! let mut recorder = Recorder::new(Cursor::new(Vec::new())).unwrap();
//! recorder.frame(&boxes).unwrap();
//! let file = recorder.finish().unwrap().into_inner();
//!
//! let mut recording = Recording::new(&file[..]).unwrap();
//! let mut read = Vec::new();
//! assert!(recording.next_frame::<f32, 2>(&mut read).unwrap());
//! assert_eq!(read, boxes);
//! assert!(!recording.next_frame(&mut read).unwrap());
//! ```
//!
//! # The format
//!
//! A header of 32 bytes, then the frames one after the other, then nothing. All numbers are little-endian.
//!
//! | offset | type  | header                                                                                              |
//! |-------:|-------|-----------------------------------------------------------------------------------------------------|
//! |      0 | bytes | the magic number, `pgboxes` and a zero byte                                                         |
//! |      8 | `u32` | version: 1                                                                                          |
//! |     12 | `u32` | dimension `D`: 2 or 3                                                                               |
//! |     16 | `u32` | bytes of a coordinate: 4 for `f32`, 8 for `f64`                                                     |
//! |     20 | `u32` | objects: no frame has more. `u32::MAX`, which is no limit, if that is not known                     |
//! |     24 | `u64` | frames. `u64::MAX` if that is not known: then the recording goes on to the end of the file          |
//!
//! | offset in the frame | type         | frame                                                                           |
//! |--------------------:|--------------|---------------------------------------------------------------------------------|
//! |                   0 | `u32`        | objects of this frame, 0 included; another number in every frame if need be     |
//! |                   4 | coordinates  | for each object its box: `D` coordinates of the least corner, `D` of the greatest |
//!
//! A frame's objects are known by their place in it. Boxes may be invalid (NaN, inverted): what becomes of them is the engine's
//! business, and how it copes may be what the recording is for. A recorder writes the number of frames when it is finished, so
//! a program that dies while recording leaves a file whose complete frames can be read. Coordinates have no checksum.
//!
//! # Other formats
//!
//! **CSV.** A line per box: `frame,min_x,min_y,max_x,max_y` in 2D, `frame,min_x,min_y,min_z,max_x,max_y,max_z` in 3D. The first
//! line may hold these names; upper case, spaces and underscores in them do not matter, their order does. Lines with the same
//! frame number are a frame, and the numbers must not decrease; numbers left out are not taken for empty frames. `NaN` and `inf`
//! are numbers. Every line ends in a line feed, the last one too: without it a reader could not tell `1.25` from `1.2`, cut off.
//! Coordinates are read as `f64`. If they were printed from `f32` with enough digits to tell them apart, all comparisons, and so
//! the pairs, come out the same.
//!
//! **Broadmark.** The `.aabbs` files of the Broadmark framework (Serpa & Rodrigues 2019), 3D and `f32`:
//!
//! | offset | type    | header                                              |
//! |-------:|---------|-----------------------------------------------------|
//! |      0 | bytes   | 128 for the name of the scene, padded with zeros    |
//! |    128 | bytes   | 128 for the type of the objects, padded with zeros  |
//! |    256 | `i32`   | objects, at least 1                                 |
//! |    260 | `i32`   | frames, at least 1                                  |
//! |    264 | `i32`×2 | zero                                                |
//! |    272 | box     | the world                                           |
//!
//! Then the boxes, frame by frame; a box is x, y, z, 0 of the least corner and x, y, z, 0 of the greatest. Broadmark's own
//! recorder writes the objects as they were before the first of the announced frames, too, so one frame more is welcome.
//!
//! # Reading
//!
//! The format is found by content; only where the content leaves it open does the ending of the file's name decide. One frame is
//! in memory at a time, and memory grows with the bytes that were read, never with a number that only a header claims. Whatever
//! is damaged, cut off or followed by something else is a [`RecordingError`] that says where and what was expected.

mod binary;
mod broadmark;
mod coordinate;
mod csv;
mod error;
mod format;
mod input;
mod reader;
mod recorder;

pub use coordinate::{Coordinate, ScalarType};
pub use csv::CsvRecorder;
pub use error::{Place, RecordingError};
pub use format::Format;
pub use reader::{Header, Recording};
pub use recorder::Recorder;
