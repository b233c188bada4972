//! The program as its users meet it: what it prints, and the exit code.

mod common;

use serde_json::Value;

use common::{out, refused};

#[test]
fn a_run_prints_every_figure() {
    let text = out(&["--n", "3k", "--steps", "4", "--threads", "2"]);
    let words = ["objects", "pairs", "candidates", "memory", "level", "plan", "gather", "arrange", "sort", "detect", "step"];
    for word in words.into_iter().chain(["steps per second", "objects per second", "first call", "as fast as one thread"]) {
        assert!(text.contains(word), "no {word:?} in\n{text}");
    }
}

#[test]
fn json_holds_the_same() {
    for (dim, scalar) in [("2", "f32"), ("2", "f64"), ("3", "f32"), ("3", "f64")] {
        let text = out(&["run", "--scene", "koch", "--n", "2000", "--steps", "3", "--dim", dim, "--scalar", scalar, "--json"]);
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&report["scene"], &report["scalar"]), (&"koch".into(), &scalar.into()));
        assert_eq!(report["dimension"].to_string(), dim);
        assert_eq!(report["last_step"]["objects"], 2000);
        assert!(report["last_step"]["pairs"].as_u64() > Some(0));
        assert_eq!(report["passes"].as_array().map(Vec::len), Some(6));
        assert!(report["step_ms"]["median"].as_f64() > Some(0.0));
    }
}

#[test]
fn the_same_seed_finds_the_same() {
    let pairs = |seed: &str| {
        let text = out(&["--n", "2k", "--steps", "2", "--no-compare", "--json", "--seed", seed]);
        serde_json::from_str::<Value>(&text).unwrap()["last_step"]["pairs"].clone()
    };
    assert_eq!(pairs("3"), pairs("3"));
    assert_ne!(pairs("3"), pairs("4"));
}

#[test]
fn tiny_scenes() {
    for n in ["1", "2", "65"] {
        out(&["--n", n, "--steps", "1"]);
    }
}

#[test]
fn every_scene_is_listed() {
    let text = out(&["scenes"]);
    for scene in scenes::Scene::ALL {
        assert!(text.lines().any(|line| line.starts_with(scene.name()) && line.ends_with(scene.describe())), "{scene}");
    }
}

#[test]
fn wrong_words_are_explained() {
    let message = refused(&["--scene", "unifrom"], 2);
    assert!(message.contains("unifrom") && message.contains("uniform, poly12, koch"), "{message}");
    let message = refused(&["--scene", "plane", "--dim", "2"], 2);
    assert!(message.contains("plane does not exist in 2D; use --dim 3"), "{message}");
    for words in [["--n", "0"], ["--n", "many"], ["--steps", "0"], ["--threads", "0"], ["--dim", "4"], ["--scalar", "f16"]] {
        let message = refused(&words, 2);
        assert!(message.contains(words[0]) && message.contains(words[1]), "{message}");
    }
}

#[test]
fn help_has_examples() {
    let text = out(&["--help"]);
    assert!(text.contains("lab --scene koch") && text.contains("Exit codes"), "{text}");
}
