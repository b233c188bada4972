//! The recordings' parsers: any bytes at all, and a second decoder for the formats that are plain enough for one.

use std::io::{Cursor, Read};

use scenes::Bounds;
use scenes::recording::{Coordinate, CsvRecorder, Format, Recorder, Recording, ScalarType};

/// The boxes of each frame as bits, and whether the file ended where it should.
#[derive(Debug, PartialEq)]
struct Contents {
    frames: Vec<Vec<Vec<u64>>>,
    complete: bool,
}

pub fn run(data: &[u8]) {
    let Ok(recording) = Recording::new(data) else {
        assert!(Recording::new(Dripping { rest: data, most: 3 }).is_err(), "how the bytes come must not matter");
        assert!(!data.starts_with(b"pgboxes\0") || second_opinion(data).is_none_or(|known| known.frames.is_empty()));
        return;
    };
    let header = recording.header().clone();
    match (header.dimension, header.scalar) {
        (2, ScalarType::F32) => read::<f32, 2>(recording, data),
        (3, ScalarType::F32) => read::<f32, 3>(recording, data),
        (2, ScalarType::F64) => read::<f64, 2>(recording, data),
        (3, ScalarType::F64) => read::<f64, 3>(recording, data),
        other => panic!("a header of {other:?}"),
    }
}

fn read<S: Coordinate, const D: usize>(recording: Recording<&[u8]>, data: &[u8]) {
    let format = recording.header().format;
    let (boxes, contents) = contents::<_, S, D>(recording);
    let dripping = Recording::new(Dripping { rest: data, most: 5 }).expect("the same header");
    assert_eq!(self::contents::<_, S, D>(dripping).1, contents, "how the bytes come must not matter");
    match format {
        Format::Binary | Format::Broadmark => {
            assert_eq!(Some(&contents), second_opinion(data).as_ref(), "the second decoder reads something else");
        }
        Format::Csv => {
            let mut csv = CsvRecorder::<_, D>::new(Vec::new()).expect("memory");
            boxes.iter().for_each(|frame| csv.frame(frame).expect("memory"));
            let written = csv.finish().expect("memory");
            let again = Recording::new(&written[..]).expect("what was written can be read");
            // Numbers are printed with as many digits as tell them apart, but one NaN is printed like another.
            let again = self::contents::<_, S, D>(again).1;
            assert_eq!(without_nan_bits(again.frames), without_nan_bits(contents.frames.clone()));
            assert!(again.complete);
        }
    }
    let mut recorder = Recorder::<_, S, D>::new(Cursor::new(Vec::new())).expect("memory");
    boxes.iter().for_each(|frame| recorder.frame(frame).expect("memory"));
    let written = recorder.finish().expect("memory").into_inner();
    let again = self::contents::<_, S, D>(Recording::new(&written[..]).expect("what was written can be read")).1;
    assert_eq!(again, Contents { frames: contents.frames, complete: true });
}

fn contents<R: Read, S: Coordinate, const D: usize>(mut recording: Recording<R>) -> (Vec<Vec<Bounds<S, D>>>, Contents) {
    let (mut all, mut boxes) = (Vec::new(), Vec::new());
    let complete = loop {
        match recording.next_frame::<S, D>(&mut boxes) {
            Ok(true) => all.push(boxes.clone()),
            Ok(false) => break true,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert!(matches!(recording.next_frame::<S, D>(&mut boxes), Ok(false)), "nothing comes after an error");
                break false;
            }
        }
    };
    let bits = |bounds: &Bounds<S, D>| bounds.min.into_iter().chain(bounds.max).map(|x| bits_of(x)).collect();
    let frames = all.iter().map(|frame| frame.iter().map(bits).collect()).collect();
    (all, Contents { frames, complete })
}

fn bits_of<S: Coordinate>(x: S) -> u64 {
    let mut bytes = Vec::new();
    x.append_le(&mut bytes);
    bytes.resize(8, 0);
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

fn without_nan_bits(frames: Vec<Vec<Vec<u64>>>) -> Vec<Vec<Vec<u64>>> {
    let plain = |bits: u64| if f64::from_bits(bits).is_nan() { f64::NAN.to_bits() } else { bits };
    frames.into_iter().map(|frame| frame.into_iter().map(|b| b.into_iter().map(plain).collect()).collect()).collect()
}

/// A source that gives a few bytes at a time.
struct Dripping<'a> {
    rest: &'a [u8],
    most: usize,
}

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.most.min(buffer.len());
        self.rest.read(&mut buffer[..count])
    }
}

/// What the documentation says about the two binary formats, on slices. `None` if even the header is wrong.
fn second_opinion(data: &[u8]) -> Option<Contents> {
    let word = |at: usize| Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?));
    if data.starts_with(b"pgboxes\0") {
        let (version, dimension, size, most) = (word(8)?, word(12)?, word(16)?, word(20)?);
        let announced = u64::from_le_bytes(data.get(24..32)?.try_into().ok()?);
        if version != 1 || !(2..=3).contains(&dimension) || !(size == 4 || size == 8) {
            return None;
        }
        let (mut at, mut frames) = (32, Vec::new());
        loop {
            let may_end = announced == u64::MAX || announced == frames.len() as u64;
            if may_end && at == data.len() {
                return Some(Contents { frames, complete: true });
            }
            let count = word(at).filter(|&count| count <= most && announced != frames.len() as u64);
            let frame = count.and_then(|count| numbers(data, at + 4, count as usize, 2 * dimension as usize, size as usize));
            let Some(frame) = frame else { return Some(Contents { frames, complete: false }) };
            at += 4 + frame.len() * 2 * (dimension * size) as usize;
            frames.push(frame);
        }
    }
    let (objects, announced) = (word(256)? as i32, word(260)? as i32);
    if objects < 1 || announced < 1 {
        return None;
    }
    let (mut at, mut frames) = (304, Vec::new());
    loop {
        if frames.len() as i64 >= i64::from(announced) && at == data.len() {
            return Some(Contents { frames, complete: true });
        }
        let room = frames.len() as i64 <= i64::from(announced);
        let frame = numbers(data, at, objects as usize, 8, 4).filter(|frame| room && frame.iter().all(|b| fourths_are_zero(b)));
        let Some(frame) = frame else { return Some(Contents { frames, complete: false }) };
        at += frame.len() * 32;
        let corners = |b: &Vec<u64>| [&b[0..3], &b[4..7]].concat();
        frames.push(frame.iter().map(corners).collect());
    }
}

fn fourths_are_zero(numbers: &[u64]) -> bool {
    [numbers[3], numbers[7]].iter().all(|&bits| f32::from_bits(bits as u32) == 0.0)
}

/// `rows` rows of so many numbers of `size` bytes, if they are there.
fn numbers(data: &[u8], at: usize, rows: usize, columns: usize, size: usize) -> Option<Vec<Vec<u64>>> {
    let bytes = data.get(at..)?.get(..rows.checked_mul(columns * size)?)?;
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    Some(bytes.chunks(columns * size).map(|row| row.chunks(size).map(number).collect()).collect())
}
