//! `lab cluster` as its users meet it.

mod common;

use std::fs;

use common::{file, file_name, json, out, refused};

#[test]
fn ranks_are_listed_and_compared() {
    let text = out(&["cluster", "--ranks", "3", "--scene", "koch", "--n", "3k", "--steps", "2", "--picture", "none"]);
    for words in
        ["3 000 objects on 3 ranks", "rank", "objects", "ghosts", "bytes", "pairs", "exchange", "classic halo", "imbalance"]
    {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    assert!(text.contains("bytes per ghost   32.0"), "{text}");
}

#[test]
fn numbers_add_up() {
    for (dim, scalar, ranks) in [("2", "f32", "1"), ("3", "f64", "5"), ("3", "f32", "16")] {
        let words = ["cluster", "--ranks", ranks, "--scene", "power", "--n", "2k", "--steps", "1", "--picture", "none"];
        let report = json(&[&words[..], &["--dim", dim, "--scalar", scalar]].concat());
        let of_ranks = report["ranks"].as_array().unwrap();
        assert_eq!(of_ranks.len().to_string(), ranks);
        assert_eq!(of_ranks.iter().map(|rank| rank["objects"].as_f64().unwrap()).sum::<f64>(), 2000.0);
        assert!(report["imbalance"].as_f64().unwrap() >= 1.0);
    }
}

#[test]
fn the_partition_has_a_picture() {
    let folder = file_name("cluster-pictures");
    let text = out(&["cluster", "--ranks", "4", "--scene", "clustered", "--n", "2k", "--steps", "1", "--picture", &folder]);
    let svg = fs::read_to_string(file("cluster-pictures/cluster-clustered-3d-2000-4.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && svg.contains("rank 3: "), "{text}");
    assert!(file("cluster-pictures/cluster-clustered-3d-2000-4.png").is_file());
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(refused(&["cluster", "--ranks", "0"], 2).contains("--ranks"));
    assert!(refused(&["cluster", "--scene", "plane", "--dim", "2"], 2).contains("plane does not exist in 2D"));
}
