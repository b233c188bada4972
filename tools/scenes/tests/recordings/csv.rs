//! Comma-separated values.

use scenes::Bounds;
use scenes::recording::{Coordinate, CsvRecorder, Format, Recording, ScalarType};

use super::{Frames, made_up, read, refused};

fn written<S: Coordinate, const D: usize>(frames: &Frames<S, D>) -> Vec<u8> {
    let mut recorder = CsvRecorder::<_, D>::new(Vec::new()).unwrap();
    frames.iter().for_each(|boxes| recorder.frame(boxes).unwrap());
    recorder.finish().unwrap()
}

fn round_trip<const D: usize>() {
    for objects in [&[][..], &[1], &[3, 1, 5]] {
        let frames = made_up::<f64, D>(objects);
        let file = written(&frames);
        assert_eq!(read(&file).unwrap(), frames);
        let recording = Recording::new(&file[..]).unwrap();
        let header = recording.header();
        assert_eq!((header.format, header.dimension, header.scalar), (Format::Csv, D, ScalarType::F64));
        assert_eq!(header.frames, None);
    }
}

#[test]
fn what_is_written_is_read() {
    round_trip::<2>();
    round_trip::<3>();
}

/// A gap in the numbers is no frame: a file with every tenth frame does not mean nine empty ones.
#[test]
fn empty_frames_are_gaps() {
    let read = read::<f64, 2>(&written(&made_up::<f64, 2>(&[1, 0, 2]))).unwrap();
    assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn text_comes_in_many_shapes() {
    let expected = vec![vec![Bounds { min: [0.0, -1.5], max: [1e3, 2.0] }], vec![Bounds { min: [1.0, 1.0], max: [2.0, 2.0] }]];
    for text in [
        "0,0,-1.5,1e3,2\n7,1,1,2,2\n",
        "frame,min_x,min_y,max_x,max_y\n0,0,-1.5,1e3,2\n7,1,1,2,2\n",
        "\u{feff}Frame, Min X, Min Y, Max X, Max Y\r\n0, 0, -1.5, 1000, 2.0\r\n7, 1, 1, 2, 2\r\n\r\n",
        "\"frame\",\"minX\",\"minY\",\"maxX\",\"maxY\"\n\n 0 ,0,-15e-1,1e3,2\n\n7,1,1,2,2\n",
    ] {
        assert_eq!(read::<f64, 2>(text.as_bytes()).unwrap(), expected, "{text:?}");
    }
    let invalid = read::<f64, 2>(b"0,NaN,-inf,-1,inf\n").unwrap();
    assert!(invalid[0][0].min[0].is_nan() && invalid[0][0].max == [-1.0, f64::INFINITY]);
}

#[test]
fn errors_have_a_line_and_a_byte() {
    for (text, message) in [
        ("0,1,2,3\n", "line 1 (byte 0): expected 5 columns (2D) or 7 (3D), found 4"),
        ("0;1;2;3;4\n", "line 1 (byte 0): expected 5 columns (2D) or 7 (3D), found 1"),
        ("0,1,2,3,4\n\n0,1,2,3\n", "line 3 (byte 11): expected 5 columns, as in the lines before, found 4"),
        ("0,1,2,3,4\n0,1,2,3,4,5,6\n", "line 2 (byte 10): expected 5 columns, as in the lines before, found 7"),
        ("0,1,2,3,4\n0,1,2,x3,4\n", "line 2 (byte 16): expected a number, found \"x3\""),
        ("0,1,2,3,4\n0,1,,3,4\n", "line 2 (byte 14): expected a number, found \"\""),
        ("0,1,2,3,4\n-1,1,2,3,4\n", "line 2 (byte 10): expected a frame number, found \"-1\""),
        ("5,1,2,3,4\n4,1,2,3,4\n", "line 2 (byte 10): expected frame 5 or a later one, found frame 4"),
        ("frame,min_x,max_x,min_y,max_y\n", "line 1 (byte 12): expected the column min_y, found \"max_x\""),
        ("frame,min_x,min_y,max_x,max_y\n\nframe,1,2,3,4\n", "line 3 (byte 31): expected a frame number, found \"frame\""),
        ("\n\n", "the file ends at byte 2, expected a line with 5 or 7 columns"),
    ] {
        assert_eq!(refused(text.as_bytes()), message, "{text:?}");
    }
    let message = refused(b"0,1,2,3,4\n1,\xff\xfe,2,3,4\n");
    assert_eq!(message, "line 2 (byte 12): expected a number, found \"\\xff\\xfe\"");
}

/// A file cut off between two lines is a shorter file; within a line it is refused, even where what is left are numbers.
#[test]
fn a_file_cut_off_within_a_line_is_refused() {
    let file = written(&made_up::<f64, 3>(&[2, 2]));
    for end in 1..file.len() {
        let result = super::read_any(&file[..end]);
        assert_eq!(result.is_ok(), file[end - 1] == b'\n', "cut off at {end}: {result:?}");
    }
    let message = refused(b"0,1,2,3,4\n0,1,2,3,4");
    assert!(message.starts_with("line 2 (byte 19): expected a line feed") && message.contains("add one"), "{message}");
}

#[test]
fn a_line_without_end_takes_no_memory() {
    let message = refused(&[b"0,1,2,3,4\n".to_vec(), vec![b'1'; 1 << 20]].concat());
    assert_eq!(message, "line 2 (byte 4106): expected a line feed within 4096 bytes, found a longer line");
}
