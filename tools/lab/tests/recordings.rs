//! `lab record` and `lab replay` as their users meet them, and the lines that `examples/record.rs` tells them to write.

mod common;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use pivotgrid::Aabb;
use scenes::recording::Recording;
use serde_json::Value;

use common::{file_name as file, json, out, refused};

/// The example itself, so that what it shows cannot drift from what is read.
#[path = "../../../examples/record.rs"]
#[allow(dead_code, reason = "the example's main")]
mod example;

#[test]
fn a_scene_is_recorded_and_replayed() {
    for (dim, scalar) in [("2", "f32"), ("2", "f64"), ("3", "f32"), ("3", "f64")] {
        let name = file(&format!("scene-{dim}-{scalar}.boxes"));
        let scene = ["--scene", "koch", "--n", "700", "--steps", "5", "--dim", dim, "--scalar", scalar];
        let text = out(&[&["record"], &scene[..], &[&name]].concat());
        assert!(text.contains(&name) && text.contains("5 frames of 700 boxes"), "{text}");
        let replay = json(&["replay", &name, "--check"]);
        assert_eq!((&replay["scalar"], replay["dimension"].to_string().as_str()), (&scalar.into(), dim));
        assert_eq!((&replay["frames"], &replay["steps"], &replay["checked_frames"]), (&5.into(), &4.into(), &5.into()));
        assert_eq!((&replay["objects"]["least"], &replay["objects"]["most"]), (&700.into(), &700.into()));
        assert_eq!(replay["rejected"]["boxes"], 0);
        assert_eq!(replay["passes"].as_array().map(Vec::len), Some(6));

        // `lab run` warms up with three steps, so that its second is the fifth.
        let steps = [&["run"], &scene[..4], &["--steps", "2", "--no-compare"], &scene[6..]].concat();
        assert_eq!(json(&steps)["last_step"]["pairs"], replay["last_step"]["pairs"]);
    }
}

#[test]
fn csv_has_the_same_pairs() {
    let (binary, text) = (file("same.boxes"), file("same.csv"));
    let scene = ["--n", "400", "--steps", "3"];
    out(&[&["record", &binary], &scene[..]].concat());
    out(&[&["record", &text], &scene[..]].concat());
    assert!(fs::read_to_string(&text).unwrap().starts_with("frame,min_x,min_y,min_z,max_x,max_y,max_z\n0,"));
    let (one, other) = (json(&["replay", &binary]), json(&["replay", &text, "--check"]));
    assert_eq!(one["pairs"], other["pairs"]);
    assert_eq!((&one["format"], &other["format"]), (&"binary".into(), &"CSV".into()));
    assert_eq!((&one["scalar"], &other["scalar"]), (&"f32".into(), &"f64".into()));

    let named = file("by-option.txt");
    out(&[&["record", "--csv", &named], &scene[..]].concat());
    assert_eq!(fs::read(&named).unwrap(), fs::read(&text).unwrap());
}

#[test]
fn a_replay_prints_every_figure() {
    let name = file("figures.boxes");
    out(&["record", &name, "--n", "3k", "--steps", "4"]);
    let text = out(&["replay", &name, "--threads", "2", "--check=3"]);
    let words = ["per frame", "objects", "pairs", "rejected", "memory", "level", "plan", "gather", "arrange", "sort", "detect"];
    for word in words.into_iter().chain(["medians over 3 steps, after 1", "first call", "steps per second", "exhaustive search"])
    {
        assert!(text.contains(word), "no {word:?} in\n{text}");
    }
}

#[test]
fn frames_can_be_chosen() {
    let name = file("chosen.boxes");
    out(&["record", &name, "--n", "300", "--steps", "10"]);
    for (range, first, frames) in [("4", 0, 4), ("3..7", 3, 4), ("8..", 8, 2), ("..1", 0, 1), ("5..99", 5, 5)] {
        let replay = json(&["replay", &name, "--frames", range, "--check=2"]);
        assert_eq!((&replay["first_frame"], &replay["frames"]), (&first.into(), &frames.into()), "{range}");
        assert_eq!(replay["checked_frames"], (frames + 1) / 2);
    }
    // Frame 9 is the same, whatever comes before it.
    let pairs = |range| json(&["replay", &name, "--frames", range])["last_step"]["pairs"].clone();
    assert_eq!(pairs(".."), pairs("9.."));
    let message = refused(&["replay", &name, "--frames", "10..20"], 2);
    assert!(message.contains("has 10 frames, so none from 10 on"), "{message}");
}

/// Counts that change, frames without boxes, invalid boxes, and no frames at all.
#[test]
fn odd_recordings() {
    let name = file("odd.csv");
    fs::write(&name, "0,0,0,1,1\n0,1,1,2,2\n0,NaN,0,1,1\n1,0,0,1,1\n2,1,1,0,0\n2,0,0,1,1\n2,1,0,2,1\n2,0.5,0,2,1\n").unwrap();
    let replay = json(&["replay", &name, "--check"]);
    assert_eq!(replay["objects"].to_string(), r#"{"least":1,"mean":2.6666666666666665,"most":4}"#);
    assert_eq!(replay["pairs"].to_string(), r#"{"least":0,"mean":1.3333333333333333,"most":3}"#);
    assert_eq!(replay["rejected"].to_string(), r#"{"boxes":2,"frames":2}"#);
    assert!(out(&["replay", &name]).contains("2  invalid boxes, in 2 of the frames"));

    let name = file("odd.boxes");
    let recorder = |frames: &[&[scenes::Bounds<f32, 2>]]| {
        let mut recorder = scenes::recording::Recorder::create(&name).unwrap();
        frames.iter().for_each(|boxes| recorder.frame(boxes).unwrap());
        recorder.finish().unwrap();
    };
    recorder(&[&[], &[], &[]]);
    assert_eq!(json(&["replay", &name, "--check"])["objects"]["most"], 0);
    assert!(!out(&["replay", &name]).contains("NaN"));
    recorder(&[]);
    assert_eq!(json(&["replay", &name])["frames"], 0);
    assert!(out(&["replay", &name]).contains("none: nothing to measure"));
}

#[test]
fn the_standard_input_is_a_file_too() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(["replay", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the lab starts");
    child.stdin.take().unwrap().write_all(b"0,0,0,1,1\n0,1,1,2,2\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let replay: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(replay["last_step"]["pairs"], 1);
}

#[test]
fn damage_is_explained() {
    let name = file("damaged.boxes");
    out(&["record", &name, "--n", "100", "--steps", "3"]);
    let good = fs::read(&name).unwrap();
    fs::write(&name, &good[..good.len() - 5]).unwrap();
    let message = refused(&["replay", &name], 1);
    assert!(message.contains(&name) && message.contains("expected the rest of frame 2: box 99 of 100"), "{message}");
    assert!(out(&["replay", &name, "--frames", "2"]).contains("frames   2"), "what comes before the damage can be replayed");
    fs::write(&name, [&good[..], b"?"].concat()).unwrap();
    let message = refused(&["replay", &name], 1);
    assert!(message.contains(&format!("byte {}: expected the end of the file", good.len())), "{message}");
    let message = refused(&["replay", &file("missing.boxes")], 1);
    assert!(message.contains("missing.boxes"), "{message}");
    let message = refused(&["record", &file("no/such/folder/file.boxes"), "--n", "10"], 1);
    assert!(message.contains("cannot write") && message.contains("no/such/folder"), "{message}");
}

#[test]
fn wrong_words_are_explained() {
    refused(&["replay"], 2);
    refused(&["record"], 2);
    for words in [["--frames", "5..5"], ["--frames", "some"], ["--threads", "0"]] {
        let message = refused(&["replay", "any.boxes", words[0], words[1]], 2);
        assert!(message.contains(words[0]) && message.contains(words[1]), "{message}");
    }
    assert!(refused(&["replay", "any.boxes", "--check=0"], 2).contains("--check"));
    let message = refused(&["record", "any.boxes", "--scene", "plane", "--dim", "2"], 2);
    assert!(message.contains("plane does not exist in 2D; use --dim 3"), "{message}");
}

#[test]
fn help_has_examples() {
    assert!(out(&["replay", "--help"]).contains("lab replay fall.boxes"));
    assert!(out(&["record", "--help"]).contains("lab record --scene koch"));
}

#[test]
fn what_the_example_writes_is_read() {
    let name = file("example.boxes");
    example::record(name.as_ref()).unwrap();
    let mut recording = Recording::open(&name).unwrap();
    assert_eq!((recording.header().dimension, recording.header().frames), (3, Some(60)));
    let (mut read, mut frame) = (Vec::new(), 0);
    while recording.next_frame::<f32, 3>(&mut read).unwrap() {
        let boxes: Vec<_> = read.iter().map(|bounds| Aabb::new(bounds.min, bounds.max)).collect();
        assert_eq!(boxes, example::boxes(frame));
        frame += 1;
    }
    assert_eq!(frame, 60);
    let replay = json(&["replay", &name, "--check"]);
    assert_eq!((&replay["objects"]["least"], &replay["objects"]["most"]), (&20.into(), &1200.into()));
    assert!(replay["pairs"]["most"].as_u64() > Some(0), "boxes that never meet are a dull example");
}

/// A program that dies while it records has written no number of frames yet.
#[test]
fn what_the_example_leaves_when_it_dies_is_read() {
    let name = file("died.boxes");
    let mut bytes = Vec::new();
    example::recording::header(&mut bytes, u64::MAX).unwrap();
    (0..3).for_each(|frame| example::recording::frame(&mut bytes, &example::boxes(frame)).unwrap());
    fs::write(&name, &bytes).unwrap();
    assert_eq!(json(&["replay", &name])["frames"], 3);
}
