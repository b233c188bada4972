//! Files that are cut off, damaged, hostile, or no recordings at all: an error with the place, never a panic, never memory.

use std::io::{self, Read};

use proptest::prelude::*;
use scenes::recording::{Coordinate, Recording, RecordingError};

use super::{made_up, read, read_any, refused, written};

fn cut_everywhere<S: Coordinate, const D: usize>() {
    let file = written(&made_up::<S, D>(&[3, 0, 2]));
    for end in 0..file.len() {
        let error = read_any(&file[..end]).expect_err("cut off");
        let RecordingError::Truncated { place, expected } = &error else { panic!("at {end}: {error}") };
        assert_eq!((place.offset, place.line), (end as u64, None));
        assert!(!expected.is_empty());
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    cut_everywhere::<f32, 2>();
    cut_everywhere::<f64, 2>();
    cut_everywhere::<f32, 3>();
    cut_everywhere::<f64, 3>();
}

#[test]
fn what_follows_is_refused() {
    let mut file = written(&made_up::<f32, 3>(&[3, 0, 2]));
    let end = file.len();
    file.extend([0; 4]);
    assert_eq!(refused(&file), format!("byte {end}: expected the end of the file after 3 frames, found more bytes"));
    let empty = written(&made_up::<f32, 3>(&[]));
    assert_eq!(empty.len(), 32);
    assert!(refused(&[&empty[..], b"x"].concat()).starts_with("byte 32: expected the end of the file after 0 frames"));
}

/// The type of the coordinates may turn into the other, which the number of bytes gives away; a version, dimension or number of
/// frames that differs by a bit is always noticed. Of the greatest number of objects only the bits that matter are.
#[test]
fn no_flipped_bit_of_the_header_goes_unnoticed() {
    let objects = 20..24;
    let file = written(&made_up::<f32, 3>(&[3, 0, 2]));
    for bit in 0..8 * 32 {
        let mut file = file.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        match read_any(&file) {
            Ok(frames) => assert!(objects.contains(&(bit / 8)) && frames == 3, "bit {bit} of byte {}", bit / 8),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn a_lying_header_allocates_nothing() {
    let mut file = b"pgboxes\0".to_vec();
    for number in [1, 3, 8, u32::MAX, u32::MAX, 0, u32::MAX] {
        file.extend(number.to_le_bytes());
    }
    let mut boxes = Vec::new();
    let error = Recording::new(&file[..]).unwrap().next_frame::<f64, 3>(&mut boxes).unwrap_err();
    assert!(error.to_string().contains("the file ends at byte 36, expected the rest of frame 0: box 0 of 4294967295"), "{error}");
    assert_eq!(boxes.capacity(), 0);
}

#[test]
fn errors_say_where_and_what() {
    let good = written(&made_up::<f32, 2>(&[2]));
    let with = |offset: usize, number: u32| {
        let mut file = good.clone();
        file[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
        refused(&file)
    };
    assert_eq!(with(8, 2), "byte 8: expected version 1, found 2");
    assert_eq!(with(12, 4), "byte 12: expected 2 or 3 dimensions, found 4");
    assert_eq!(with(16, 2), "byte 16: expected 4 or 8 bytes per coordinate, found 2");
    assert_eq!(with(20, 1), "byte 32: expected at most 1 objects in frame 0, as the header says, found 2");
    assert_eq!(refused(b""), "the file ends at byte 0, expected a recording");
    assert_eq!(refused(b"pgb"), "the file ends at byte 3, expected the magic number pgboxes");
    assert!(refused(b"\x89PNG\r\n\x1a\n\0\0\0\r").starts_with("byte 0: expected a recording"));
}

#[test]
fn a_source_that_fails_says_so() {
    #[derive(Debug)]
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable was pulled"))
        }
    }
    let file = written(&made_up::<f32, 3>(&[3]));
    let error = Recording::new(Failing).unwrap_err();
    assert_eq!(error.to_string(), "cannot read it: the cable was pulled");
    let error = Recording::new(file[..20].chain(Failing)).unwrap_err();
    assert_eq!(error.to_string(), "cannot read on at byte 20: the cable was pulled");
    assert!(std::error::Error::source(&error).is_some());
    let missing = Recording::open("no/such/file").unwrap_err();
    assert!(matches!(missing, RecordingError::Io { .. }), "{missing}");
}

/// Sources may give a byte at a time, and may be interrupted.
#[test]
fn a_slow_source_is_as_good() {
    #[derive(Debug)]
    struct Slow<'a>(&'a [u8], bool);
    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(1);
            self.0.read(&mut buffer[..most])
        }
    }
    let frames = made_up::<f32, 3>(&[30, 2]);
    let file = written(&frames);
    let mut recording = Recording::new(Slow(&file, false)).unwrap();
    let mut boxes = Vec::new();
    for expected in &frames {
        assert!(recording.next_frame(&mut boxes).unwrap());
        assert_eq!(&boxes, expected);
    }
    assert!(!recording.next_frame(&mut boxes).unwrap());
}

proptest! {
    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = read_any(&bytes);
    }

    #[test]
    fn garbage_behind_the_magic_never_panics(version in 0u32..3, dimension in 1u32..5, size in 0u32..10, rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut file = b"pgboxes\0".to_vec();
        for number in [version, dimension, size] {
            file.extend(number.to_le_bytes());
        }
        file.extend(rest);
        let _ = read_any(&file);
    }

    #[test]
    fn text_never_panics(text in "(frame,min_x,min_y,max_x,max_y\n)?([0-9]{0,2}(,[-0-9.eNaif ]{0,5}){3,6}\r?\n?){0,9}") {
        let _ = read_any(text.as_bytes());
    }

    #[test]
    fn any_numbers_of_objects(objects in prop::collection::vec(0usize..50, 0..20)) {
        let frames = made_up::<f64, 2>(&objects);
        prop_assert_eq!(read::<f64, 2>(&written(&frames)).unwrap(), frames);
    }
}
