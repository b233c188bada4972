//! Broadmark's files.

use scenes::Bounds;
use scenes::recording::{Format, Recording, ScalarType};

use super::{Frames, made_up, read, read_any, refused};

const HEADER: usize = 304;

fn append_box(file: &mut Vec<u8>, bounds: &Bounds<f32, 3>) {
    for corner in [bounds.min, bounds.max] {
        corner.iter().chain(&[0.0]).for_each(|x| file.extend(x.to_le_bytes()));
    }
}

/// A file as Broadmark's recorder writes it, but for the number of frames, which is given.
fn file(announced: i32, frames: &Frames<f32, 3>) -> Vec<u8> {
    let mut file = b"FreeFall".to_vec();
    file.resize(128, 0);
    file.extend(b"Cubes");
    file.resize(256, 0);
    for number in [frames[0].len() as i32, announced, 0, 0] {
        file.extend(number.to_le_bytes());
    }
    append_box(&mut file, &Bounds { min: [-50.0; 3], max: [50.0; 3] });
    assert_eq!(file.len(), HEADER);
    frames.iter().flatten().for_each(|bounds| append_box(&mut file, bounds));
    file
}

#[test]
fn a_file_is_read() {
    let frames = made_up(&[4, 4, 4]);
    let file = file(3, &frames);
    let recording = Recording::new(&file[..]).unwrap();
    let header = recording.header();
    assert_eq!((header.format, header.dimension, header.scalar), (Format::Broadmark, 3, ScalarType::F32));
    assert_eq!((header.frames, header.title.as_str()), (Some(3), "FreeFall, Cubes"));
    assert_eq!(read::<f32, 3>(&file).unwrap(), frames);
}

/// Broadmark's own recorder writes the objects before the first of the frames that it counts.
#[test]
fn one_frame_more_than_announced_is_welcome_and_two_are_not() {
    let frames = made_up(&[2, 2, 2, 2]);
    assert_eq!(read::<f32, 3>(&file(3, &frames)).unwrap(), frames);
    let message = refused(&file(2, &frames));
    assert_eq!(message, "byte 496: expected the end of the file after 3 frames, found more bytes");
}

#[test]
fn a_file_cut_off_is_refused() {
    let announced = HEADER + 2 * 3 * 32;
    let file = file(2, &made_up(&[3, 3, 3]));
    for end in 0..file.len() {
        let result = read_any(&file[..end]);
        // Without its additional frame the file is complete.
        assert_eq!(result.is_ok(), end == announced, "cut off at {end}: {result:?}");
    }
    let message = refused(&file[..HEADER + 100]);
    assert_eq!(message, "the file ends at byte 404, expected the rest of frame 1: box 0 of 3, counted from 0");
}

#[test]
fn damage_is_refused_with_its_place() {
    let good = file(1, &made_up(&[2]));
    let with = |offset: usize, bytes: [u8; 4]| {
        let mut file = good.clone();
        file[offset..offset + 4].copy_from_slice(&bytes);
        refused(&file)
    };
    assert_eq!(with(256, (-5i32).to_le_bytes()), "byte 256: expected a positive number of objects, found -5");
    assert_eq!(with(256, 0i32.to_le_bytes()), "byte 256: expected a positive number of objects, found 0");
    assert_eq!(with(260, 0i32.to_le_bytes()), "byte 260: expected a positive number of frames, found 0");
    assert_eq!(with(284, 1f32.to_le_bytes()), "byte 284: expected a fourth coordinate of 0, found 1");
    assert_eq!(with(HEADER + 60, 2f32.to_le_bytes()), "byte 364: expected a fourth coordinate of 0, found 2");
    assert!(with(256, i32::MAX.to_le_bytes()).contains("box 2 of 2147483647"));
}

#[test]
fn no_flipped_bit_of_the_header_panics() {
    let good = file(2, &made_up(&[3, 3]));
    for bit in 0..8 * HEADER {
        let mut file = good.clone();
        file[bit / 8] ^= 1 << (bit % 8);
        if let Ok(frames) = read_any(&file) {
            // 2 frames of 3 objects are what 3 announced frames, or 1 with its additional one, would be with other bits set.
            assert!(frames == 2 || (256..264).contains(&(bit / 8)), "bit {bit}");
        }
    }
}

/// The ending of the name tells what the first bytes leave open.
#[test]
fn the_name_of_the_file_counts() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let good = file(2, &made_up(&[3, 3]));
    let message = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        Recording::open(path).unwrap_err().to_string()
    };
    assert!(message("cut.aabbs", &good[..5]).contains("expected the name of the scene"));
    assert!(message("padded.aabbs", &[&good[..264], &[1; 40]].concat()).starts_with("byte 264: expected zero, found 16843009"));
    assert!(message("names.aabbs", &[b'x'; 400]).contains("byte 0: expected the name of the scene in 128 bytes"));
    assert!(message("cut.csv", b"").contains("expected a line with 5 or 7 columns"));
}
