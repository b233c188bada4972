//! The tree's own rules, read off the sources: which room may use which, and where unsafe code may stand.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A room of `src/`, and the rooms that it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("lockfree", &["faults"]),
    // Workers claim, so the team and its panics use the kit.
    ("runtime", &["lockfree"]),
    // The plain types seal a trait of the kernels and share one constant with the layout.
    ("geometry", &["faults", "kernel", "layout"]),
    // The tree over oversized objects is searched by a kernel; kernels read staged blocks, columns and levels.
    ("layout", &["faults", "geometry", "kernel", "lockfree", "runtime"]),
    ("kernel", &["faults", "geometry", "layout", "runtime"]),
    // A pass is a method of the engine, whose workers hold each pass's memory.
    ("build", &["engine", "faults", "kernel", "layout", "lockfree", "runtime"]),
    ("detect", &["build", "engine", "faults", "kernel", "layout", "lockfree", "runtime"]),
    // The engine keeps the tree of the queries and the canonical order of pairs between steps.
    ("engine", &["build", "detect", "faults", "kernel", "layout", "lockfree", "query", "runtime", "sorting"]),
    ("sorting", &["engine", "lockfree", "pairs", "runtime"]),
    // A request names every source, and runs the step and the search of each.
    ("request", &["detect", "engine", "lockfree", "runtime"]),
    // Queries of a static set ask it which entries of its grids still count.
    ("query", &["kernel", "layout", "lockfree", "runtime", "statics"]),
    ("tracker", &["pairs", "runtime", "sorting", "stats"]),
    ("world", &["lockfree", "query", "runtime", "sorting", "stats"]),
    ("statics", &["broad_phase", "detect", "engine", "kernel", "layout", "lockfree", "query", "runtime"]),
    ("neighbors", &["build", "detect", "engine", "kernel", "layout", "lockfree", "periodic", "runtime", "sorting"]),
    ("periodic", &["engine", "lockfree", "pairs", "query", "runtime", "sorting"]),
];

/// Where unsafe code may stand: two rooms that exist for it, and four files.
const UNSAFE: &[&str] =
    &["kernel/", "lockfree/", "geometry/plain.rs", "layout/staged.rs", "runtime/pages.rs", "runtime/prefetch.rs"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All Rust files below a folder, with their texts.
fn files(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("UTF-8");
            found.push((path, text));
        }
    }
}

/// The modules named after `crate::` in code.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let names = code
        .split("crate::")
        .skip(1)
        .map(|rest| rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect::<String>());
    names.filter(|name| name.chars().next().is_some_and(char::is_lowercase)).collect()
}

#[test]
fn rooms_use_only_what_they_may() {
    let mut wrong = Vec::new();
    for (room, allowed) in ROOMS {
        let mut found = Vec::new();
        files(&source().join(room), &mut found);
        assert!(!found.is_empty(), "no files in {room}");
        for (path, text) in found {
            let upward = used(&text).into_iter().filter(|name| name != room && !allowed.contains(&name.as_str()));
            wrong.extend(upward.map(|name| format!("{}: uses `{name}`", path.display())));
        }
    }
    assert!(wrong.is_empty(), "these uses are not in the map of rooms:\n{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_a_room() {
    let folders = fs::read_dir(source()).expect("a readable folder").filter_map(|entry| {
        let entry = entry.expect("a readable entry");
        entry.path().is_dir().then(|| entry.file_name().to_string_lossy().into_owned())
    });
    let rooms: BTreeSet<String> = ROOMS.iter().map(|(room, _)| (*room).to_owned()).collect();
    assert_eq!(folders.collect::<BTreeSet<_>>(), rooms);
}

#[test]
fn unsafe_code_stands_where_it_may() {
    let mut found = Vec::new();
    files(&source(), &mut found);
    let is_unsafe = |text: &str| {
        text.lines()
            .map(|line| line.split("//").next().unwrap_or(""))
            .any(|code| ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait"].iter().any(|word| code.contains(word)))
    };
    let wrong: Vec<_> = found
        .iter()
        .filter(|(_, text)| is_unsafe(text))
        .map(|(path, _)| path.strip_prefix(source()).expect("inside of src").to_string_lossy().replace('\\', "/"))
        .filter(|path| !UNSAFE.iter().any(|allowed| path.starts_with(allowed)))
        .collect();
    assert!(wrong.is_empty(), "unsafe code outside of the rooms for it: {wrong:?}");
    for allowed in UNSAFE {
        let is_used = found.iter().any(|(path, text)| {
            path.strip_prefix(source()).is_ok_and(|path| path.to_string_lossy().replace('\\', "/").starts_with(allowed))
                && is_unsafe(text)
        });
        assert!(is_used, "{allowed} has no unsafe code any more: take it off the list");
    }
}

/// Two claims in one expression are both made, even if the first fails: a worker that finds nothing left takes what belongs to a worker
/// between its claims. `Blocks::zip` hands out both by one claim.
#[test]
fn no_expression_claims_twice() {
    let mut found = Vec::new();
    files(&source(), &mut found);
    let claims = |statement: &str| statement.matches(".claim(").count() + statement.matches(".claim_one(").count();
    for (path, text) in found.iter().filter(|(path, _)| !path.ends_with("lockfree/shared.rs")) {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
        // `team.claim` is a length: how much to claim at once.
        let code = code.replace("team.claim(", "");
        for statement in code.split([';', '{', '}']).filter(|statement| claims(statement) > 1) {
            panic!("{}: two claims in one expression: {statement}", path.display());
        }
    }
}

/// No thread waits for another within a pass, and the strongest ordering is that of an edge: nothing of this kind stands in the sources.
/// Of crossbeam there is only the padding, as `RELIABILITY.md` says.
#[test]
fn nothing_locks_or_spins() {
    const FORBIDDEN: &[&str] =
        &["Mutex", "RwLock", "OnceLock", "LazyLock", "Condvar", "Barrier", "AtomicCell", "spin_loop", "SeqCst", "fence("];
    let mut found = Vec::new();
    files(&source(), &mut found);
    for (path, text) in &found {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            for word in FORBIDDEN.iter().filter(|word| code.contains(**word)) {
                panic!("{}:{}: {word}", path.display(), number + 1);
            }
            assert!(
                !code.contains("crossbeam::") || code.contains("crossbeam::utils::CachePadded;"),
                "{}: {line}",
                path.display()
            );
        }
    }
}

#[test]
fn uses_are_found() {
    assert_eq!(
        used("use crate::layout::Level; // crate::nowhere\nlet x = crate::runtime::memory::push;\nuse crate::Aabb;"),
        ["layout", "runtime"].map(String::from).into()
    );
}
