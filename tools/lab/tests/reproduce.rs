//! `lab reproduce` and `lab contest`: every figure once, at a tiny scale.

mod common;

use std::fs;

use serde_json::Value;

use common::{file as directory, out, refused};

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key} in {value}"))
}

/// The words that the curves of a paper must have among their names.
const SYSTEMS: [(&str, &[&str]); 5] = [
    ("koch", &["linked cells", "octree", "hash grid", "pivotgrid"]),
    ("zhyhallo", &["Pozzer", "dense pivots", "chunked pivots", "hash map", "pivotgrid"]),
    ("schornbaum", &["hash grid", "all pairs", "sweep and prune", "pivotgrid"]),
    ("gissler", &["index sort", "cuckoo hashing", "spatial hashing", "radix", "pivotgrid"]),
    ("pouchol", &["KD-tree", "multilevel hashing", "hierarchical hashing", "uniform hashing", "pivotgrid"]),
];

#[test]
fn every_figure_is_measured_and_written_down() {
    let directory = directory("every-figure");
    let where_to = directory.to_str().unwrap();
    let text = out(&["reproduce", "--scale", "tiny", "--out", where_to, "--threads", "2", "--date", "some day", "--json"]);
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&summary["scale"], &summary["date"]), (&"tiny".into(), &"some day".into()));
    let figures = list(&summary, "figures");
    assert_eq!(figures.len(), 11 + 3 + 11 + 3 + 3);

    let html = fs::read_to_string(directory.join("report.html")).unwrap();
    assert!(html.contains("some day"));
    let external = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!external.contains("http://") && !external.contains("https://"), "the report must open offline");
    for figure in figures {
        let slug = figure["figure"].as_str().unwrap();
        assert!(html.contains(&format!("<section id=\"{slug}\">")), "{slug} is not in the report");
        assert!(!list(figure, "verdicts").is_empty(), "{slug} has no verdict");
        check_csv(&fs::read_to_string(directory.join(format!("{slug}.csv"))).unwrap(), slug);
        let charts = list(figure, "charts");
        assert!(!charts.is_empty(), "{slug}");
        for (index, chart) in charts.iter().enumerate() {
            for series in list(chart, "series") {
                assert!(!list(series, "points").is_empty(), "{slug}: {} is empty", series["name"]);
            }
            for ending in ["svg", "png"] {
                assert!(directory.join(format!("{slug}-{}.{ending}", index + 1)).exists(), "{slug}: no {ending}");
            }
        }
    }
    for (paper, systems) in SYSTEMS {
        for system in systems {
            let named = figures.iter().any(|figure| figure["paper"] == paper && figure["charts"].to_string().contains(system));
            assert!(named, "{paper} has no {system}");
        }
    }
}

/// Seven fields per line, quoted or not, the last a number.
fn check_csv(text: &str, slug: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("paper,figure,chart,series,role,x,y"));
    let mut count = 0;
    for line in lines {
        let mut quoted = false;
        let commas = line.chars().filter(|&letter| {
            quoted ^= letter == '"';
            letter == ',' && !quoted
        });
        assert_eq!(commas.count(), 6, "{slug}: {line}");
        let number = line.rsplit(',').next().unwrap();
        assert!(number.parse::<f64>().is_ok(), "{slug}: {line}");
        count += 1;
    }
    assert!(count > 0, "{slug} has no points");
}

#[test]
fn one_figure_alone() {
    let directory = directory("one-figure");
    let text = out(&["reproduce", "koch", "9", "--scale", "tiny", "--out", directory.to_str().unwrap()]);
    assert!(text.contains("koch table 9") && !text.contains("koch table 8"), "{text}");
    assert!(text.contains("report.html"), "{text}");
}

#[test]
fn what_there_is() {
    let text = out(&["reproduce", "--list"]);
    for words in ["koch", "Table 11", "Figure 30", "zhyhallo", "Text: sorting", "pouchol"] {
        assert!(text.contains(words), "no {words} in\n{text}");
    }
    assert!(!out(&["reproduce", "koch", "--list"]).contains("zhyhallo"));
}

#[test]
fn unknown_names_are_answered_with_what_exists() {
    let message = refused(&["reproduce", "knuth"], 2);
    assert!(message.contains("knuth") && message.contains("koch, zhyhallo, schornbaum, gissler, pouchol"), "{message}");
    let message = refused(&["reproduce", "koch", "12"], 2);
    assert!(message.contains("\"12\"") && message.contains("1, 2, 3"), "{message}");
}

#[cfg(not(feature = "contest"))]
#[test]
fn without_the_feature_the_contest_says_how_to_get_it() {
    let message = refused(&["contest", "--full"], 2);
    assert!(message.contains("cargo run --release -p lab --features contest -- contest --full"), "{message}");
}

#[cfg(feature = "contest")]
#[test]
fn the_contest_has_a_table_and_charts() {
    let directory = directory("contest");
    let text = out(&["contest", "--scenes", "uniform", "--n", "1000", "--out", directory.to_str().unwrap()]);
    for words in ["rapier", "schornbaum/hash_grid_refill", "pivotgrid is the fastest"] {
        assert!(text.contains(words), "no {words} in\n{text}");
    }
    for file in ["contest.csv", "contest.svg", "contest-uniform-1000.png"] {
        assert!(directory.join(file).exists(), "{file}");
    }
}
