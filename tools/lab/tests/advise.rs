//! `lab advise` as its users meet it.

mod common;

use std::fs;

use serde_json::Value;

use common::file_name;

fn advise<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["advise"], words].concat()
}

#[track_caller]
fn out(words: &[&str]) -> String {
    common::out(&advise(words))
}

#[track_caller]
fn json(words: &[&str]) -> Value {
    common::json(&advise(words))
}

#[track_caller]
fn refused(words: &[&str], code: i32) -> String {
    common::refused(&advise(words), code)
}

fn kinds(advice: &Value) -> Vec<&str> {
    advice["findings"].as_array().unwrap().iter().map(|finding| finding["kind"].as_str().unwrap()).collect()
}

/// Writes boxes in the plane as a recording of one frame, so often.
fn recording(name: &str, frames: usize, boxes: impl Iterator<Item = [f64; 4]> + Clone) -> String {
    let line = |frame: usize, [a, b, c, d]: [f64; 4]| format!("{frame},{a},{b},{c},{d}\n");
    let text: String = (0..frames).flat_map(|frame| boxes.clone().map(move |corners| line(frame, corners))).collect();
    let file = file_name(name);
    fs::write(&file, text).unwrap();
    file
}

fn lattice(side: usize, step: f64, edge: f64) -> impl Iterator<Item = [f64; 4]> + Clone {
    (0..side * side).map(move |index| {
        let (x, y) = ((index % side) as f64 * step, (index / side) as f64 * step);
        [x, y, x + edge, y + edge]
    })
}

#[test]
fn a_scene_is_explained() {
    let text = out(&["--scene", "koch", "--n", "5k", "--steps", "2"]);
    for words in
        ["advice   koch in 3D", "objects in a cell", "per occupied cell", "level", "predicted ms", "measured ms", "detect"]
    {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    assert!(text.contains("what stands out") || text.contains("nothing stands out"), "{text}");
}

#[test]
fn numbers_add_up() {
    for (dim, scalar) in [("2", "f32"), ("2", "f64"), ("3", "f32"), ("3", "f64")] {
        let advice = json(&["--scene", "power", "--n", "3k", "--steps", "1", "--dim", dim, "--scalar", scalar]);
        let sum = |list: &Value, field: &str| list.as_array().unwrap().iter().map(|of| of[field].as_u64().unwrap()).sum::<u64>();
        let (occupancy, stats) = (&advice["occupancy"], &advice["last_step"]);
        let leveled = 3000 - stats["oversized"].as_u64().unwrap();
        assert_eq!(sum(&occupancy["histogram"], "objects"), leveled);
        assert_eq!(sum(&occupancy["histogram"], "cells"), stats["occupied_cells"].as_u64().unwrap());
        assert_eq!(sum(&occupancy["levels"], "objects"), leveled);
        assert_eq!(sum(&occupancy["levels"], "chunks"), stats["chunks"].as_u64().unwrap());
        let share: f64 = advice["cost"]["parts"].as_array().unwrap().iter().map(|part| part["share"].as_f64().unwrap()).sum();
        assert!((share - 1.0).abs() < 1e-9, "{share}");
        assert!(advice["cost"]["passes"].as_array().unwrap().iter().all(|pass| pass["predicted_ms"].as_f64() > Some(0.0)));
    }
}

#[test]
fn what_is_expensive_is_named() {
    let even = recording("even.csv", 4, lattice(60, 1.0, 0.9));
    let usual = json(&[&even]);
    assert_eq!(usual["subject"], format!("{even}: CSV, 2D, f64"));
    assert!(!kinds(&usual).iter().any(|kind| ["loners", "crowded_cells", "rejected", "no_level"].contains(kind)), "{usual}");

    // The planner gathers strays in a level of their own, unless the cells are prescribed.
    let strays = (0..400).map(|i| [1e4 * f64::from(i + 1), 3e4, 1e4 * f64::from(i + 1) + 1.0, 3e4 + 1.0]);
    let advice = json(&[&recording("strays.csv", 4, lattice(60, 1.0, 0.9).chain(strays))]);
    assert!(!kinds(&advice).contains(&"loners"), "{advice}");

    let heap = (0..500).map(|i| [5.0, 5.0, 5.5 + f64::from(i) * 1e-6, 5.5]);
    let advice = json(&[&recording("heap.csv", 4, lattice(60, 1.0, 0.9).chain(heap))]);
    assert!(kinds(&advice).contains(&"crowded_cells"), "{advice}");
    // What the advice comes to was tried.
    let of_kind = |kind: &str| advice["findings"].as_array().unwrap().iter().find(|finding| finding["kind"] == kind).cloned();
    let trial = &of_kind("crowded_cells").unwrap()["trial"];
    assert!(trial["change"].as_str().unwrap().contains("Config::cell_size("), "{trial}");
    assert!(trial["time_ratio"].as_f64().unwrap() > 0.0, "{trial}");

    let ground = [f64::NEG_INFINITY, -1.0, f64::INFINITY, 0.0];
    let broken = [1.0, 1.0, 0.0, 0.0];
    let odd = recording("odd-boxes.csv", 4, lattice(60, 1.0, 0.9).chain([ground, broken]));
    assert!(["no_level", "rejected"].iter().all(|kind| kinds(&json(&[&odd])).contains(kind)));
    let text = out(&[&odd]);
    assert!(text.contains("what stands out") && text.contains("left out for an invalid box: 1 object"), "{text}");
    assert!(text.contains("without them, a step takes "), "{text}");

    let advice = json(&[&recording("three.csv", 1, lattice(1, 1.0, 1.0))]);
    assert_eq!(kinds(&advice), ["no_grid"], "{advice}");
}

#[test]
fn frames_can_be_chosen() {
    let name = recording("advised-frames.csv", 5, lattice(12, 1.0, 1.0));
    assert_eq!(json(&[&name, "--frames", "..2"])["steps"], 1);
    assert_eq!(json(&[&name])["steps"], 2, "three of five to warm up");
    assert!(refused(&[&name, "--frames", "9.."], 2).contains("has 5 frames, so none from 9 on"));
}

#[test]
fn wrong_words_are_explained() {
    assert!(refused(&["some.boxes", "--scene", "koch"], 2).contains("--scene"));
    assert!(refused(&["--frames", "3"], 2).contains("FILE"));
    assert!(refused(&["missing.boxes"], 1).contains("missing.boxes"));
    assert!(refused(&["--scene", "plane", "--dim", "2"], 2).contains("plane does not exist in 2D"));
    let empty = recording("no-frames.csv", 0, lattice(1, 1.0, 1.0));
    fs::write(&empty, "frame,min_x,min_y,max_x,max_y\n").unwrap();
    assert!(refused(&[&empty], 2).contains("nothing to advise on"));
    assert!(out(&["--help"]).contains("lab advise fall.boxes"));
}
