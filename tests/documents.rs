//! Prose that names files nobody checks goes stale: every path named in a `*.md` file of the repository exists.

use std::fs;
use std::path::{Component, Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files, wherever they are; what cargo builds and what git keeps is not ours.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("a readable entry")) {
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().expect("a file type");
        if kind.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            documents(&path, found);
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// What stands in backticks and what links point to, outside of fenced code, with the number of the line.
fn named(text: &str) -> Vec<(usize, String)> {
    let (mut names, mut fenced) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let spans = line.split('`').skip(1).step_by(2).filter(|span| looks_like_a_path(span));
            let links = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
            let links = links.filter(|link| !link.is_empty() && !link.contains(':'));
            names.extend(spans.chain(links).map(|name| (number + 1, name.to_owned())));
        }
    }
    names
}

/// Has the ending of a file or of a folder, or begins with a folder of ours; and has nothing of a command, a pattern, a Rust
/// path or a formula. (Names of benchmarks have slashes, too.)
fn looks_like_a_path(span: &str) -> bool {
    let ending = ["/", ".rs", ".md", ".toml", ".yml", ".csv", ".svg", ".png"].iter().any(|ending| span.ends_with(ending));
    let ours = span.split_once('/').is_some_and(|(first, _)| root().join(first).is_dir());
    let plain = span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    // Absolute paths and what cargo builds are not in the repository; `.rs` alone is an ending.
    let elsewhere = span.starts_with('/') || span.starts_with("target/");
    let alone = span.starts_with('.') && !span.contains('/');
    (ending || ours) && plain && !elsewhere && !alone
}

/// Relative to the root or to the document's folder, without leaving the repository.
fn exists(name: &str, document: &Path) -> bool {
    [root(), document.parent().expect("a file has a folder")].iter().any(|folder| {
        let path = folder.join(name);
        let depth =
            path.strip_prefix(root()).expect("inside of the root").components().try_fold(0i32, |depth, part| match part {
                Component::ParentDir => (depth > 0).then_some(depth - 1),
                Component::Normal(_) => Some(depth + 1),
                _ => Some(depth),
            });
        depth.is_some() && path.exists()
    })
}

#[test]
fn every_path_named_in_a_document_exists() {
    let mut files = Vec::new();
    documents(root(), &mut files);
    assert!(files.contains(&root().join("README.md")), "no README.md among {files:?}");
    let mut dead = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("UTF-8");
        let missing = named(&text).into_iter().filter(|(_, name)| !exists(name, file));
        let place = file.strip_prefix(root()).expect("inside of the root").display();
        dead.extend(missing.map(|(line, name)| format!("{place}:{line}: {name}")));
    }
    assert!(dead.is_empty(), "these paths do not exist:\n{}", dead.join("\n"));
}

/// The tests that a document names behind their file, as in `tests/a.rs`: `one`, `another`; with the number of the line.
fn named_tests(text: &str) -> Vec<(usize, String, String)> {
    let mut tests = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let (mut file, parts) = (None, line.split('`').collect::<Vec<_>>());
        for place in (1..parts.len()).step_by(2) {
            let (before, span) = (parts[place - 1], parts[place]);
            if span.ends_with(".rs") {
                file = Some(span);
            } else if let (Some(file), ": " | ", ") = (file, before) {
                tests.push((number + 1, file.to_owned(), span.to_owned()));
            } else {
                file = None;
            }
        }
    }
    tests
}

/// `SECURITY.md` and the table of defects in `RELIABILITY.md` claim nothing that no test holds.
#[test]
fn every_test_that_is_named_exists() {
    let tests: Vec<_> = ["SECURITY.md", "RELIABILITY.md"]
        .into_iter()
        .flat_map(|document| {
            let tests = named_tests(&fs::read_to_string(root().join(document)).expect(document));
            assert!(tests.len() > 15, "{document}: only {tests:?}");
            tests
        })
        .collect();
    let is_missing = |(_, file, name): &&(usize, String, String)| {
        let source = fs::read_to_string(root().join(file)).unwrap_or_default();
        let before = source.split_once(&format!("fn {name}()")).map_or("", |(before, _)| before);
        // The attributes right above it.
        let attributes = before.lines().rev().take_while(|line| line.trim_start().starts_with("#[") || line.trim().is_empty());
        // Or a line of the macro that makes a test of each combination: `name: function;`.
        let is_generated = || {
            source
                .lines()
                .any(|line| line.trim().strip_prefix(name).is_some_and(|rest| rest.starts_with(": ") && rest.ends_with(';')))
        };
        !attributes.into_iter().any(|line| line.trim() == "#[test]") && !is_generated()
    };
    let missing: Vec<_> = tests.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "these tests do not exist: {missing:#?}");
    assert_eq!(
        named_tests("a `b.rs`: `c`, `d`; `e.rs`, `f`"),
        [(1, "b.rs", "c"), (1, "b.rs", "d"), (1, "e.rs", "f")].map(|(line, file, name)| (line, file.to_owned(), name.to_owned()))
    );
}

/// The check itself: what it takes for a path, and that it finds a dead one.
#[test]
fn a_dead_path_is_found() {
    let text = "See `src/lib.rs` and `nowhere/to.rs`, `cargo run`, `a / b`, `T::new`, `src/*.rs`, `f(x)`, `.rs`, `step/koch/1M`, `src/gone`.\n\
                ```text\n`in/a/fence.rs`\n```\n[here](ARCHITECTURE.md#top), [web](https://example.org/x), [top](#top), `Cargo.toml`";
    let names: Vec<(usize, String)> = named(text);
    let expected = [(1, "src/lib.rs"), (1, "nowhere/to.rs"), (1, "src/gone"), (5, "Cargo.toml"), (5, "ARCHITECTURE.md")];
    assert_eq!(names, expected.map(|(line, name)| (line, name.to_owned())));
    let document = root().join("src/README.md");
    assert!(exists("src/lib.rs", &document), "from the root");
    assert!(exists("lib.rs", &document) && exists("../Cargo.toml", &document), "from the document's folder");
    assert!(!exists("nowhere/to.rs", &document));
    assert!(!exists("../../", &document), "outside of the repository");
}
