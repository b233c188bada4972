//! The tree's own rules, read off the sources: which rooms a room may use, and where unsafe code may stand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of `src/`, folders and single files, from the foundation up: each may use only those before it.
const ROOMS: &[&str] = &[
    "faults",
    "lockfree",
    "isa",
    "geometry",
    "rejected",
    "runtime",
    "pairs",
    "sorting",
    "layout",
    "kernel",
    "stats",
    "config",
    "query",
    "build",
    "detect",
    "engine",
    "broad_phase",
    "debug_view",
    "statics",
    "request",
    "periodic",
    "tracker",
    "world",
    "neighbors",
    "order",
    "adjacency",
];

/// A module of the crates that compile the same files for a check.
const ELSEWHERE: &str = "planted";

/// Files that are compiled for tests only, and may use everything.
const TESTS: &[&str] = &["kernel/tests.rs", "query/hostile_work.rs", "query/work.rs"];

/// Where unsafe code may stand: three rooms that exist for it, and five files.
const UNSAFE: &[&str] = &[
    "isa/",
    "kernel/",
    "lockfree/",
    "geometry/plain.rs",
    "layout/staged.rs",
    "pairs/plain.rs",
    "runtime/pages.rs",
    "runtime/prefetch.rs",
];

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

/// The code of a file without comments, and without its tests, which may use everything.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]\nmod tests {").or_else(|| text.find("#[cfg(test)]\npub(crate) mod tests {"));
    let code = &text[..tests.unwrap_or(text.len())];
    code.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn name(text: &str) -> String {
    text.trim_start().chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect()
}

/// The first names of a `use` tree: of `a::b`, and of `{a::b, c::{d, e}}`.
fn first_names(tree: &str) -> Vec<String> {
    if !tree.starts_with('{') {
        return vec![name(tree)];
    }
    let (mut depth, mut names) = (0, Vec::new());
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && (letter == '{' || letter == ',') {
            names.push(name(&tree[at + 1..]));
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The rooms that the items of the crate's root come from, by their names: what `lib.rs` re-exports.
fn origins() -> BTreeMap<String, String> {
    let text = fs::read_to_string(source().join("lib.rs")).expect("UTF-8");
    let code = code(&text);
    let mut origins = BTreeMap::new();
    for tree in code.split("pub use ").skip(1) {
        let tree = &tree[..tree.find(';').expect("the end of a use")];
        let names = tree.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        for item in names.filter(|name| name.chars().next().is_some_and(char::is_uppercase)) {
            origins.insert(item.to_owned(), name(tree));
        }
    }
    assert_eq!(origins["Aabb"], "geometry");
    origins
}

/// The rooms that code uses: what is named after `crate::`, by way of the root's re-exports or not.
fn used(text: &str, origins: &BTreeMap<String, String>) -> BTreeSet<String> {
    let code = code(text);
    let names = code.split("crate::").skip(1).flat_map(first_names);
    names.map(|name| origins.get(&name).cloned().unwrap_or(name)).collect()
}

fn relative(path: &Path) -> String {
    path.strip_prefix(source()).expect("inside of src").to_string_lossy().replace('\\', "/")
}

#[test]
fn rooms_use_only_those_before_them() {
    let origins = origins();
    let place = |room: &str| ROOMS.iter().position(|name| *name == room);
    let mut found = Vec::new();
    files(&source(), &mut found);
    let mut wrong = Vec::new();
    for (path, text) in found {
        let path = relative(&path);
        if path == "lib.rs" || TESTS.contains(&path.as_str()) {
            continue;
        }
        let room = path.split('/').next().expect("a first part").trim_end_matches(".rs").to_owned();
        let Some(own) = place(&room) else { panic!("{path} is in no room") };
        for name in used(&text, &origins).into_iter().filter(|name| *name != room && name != ELSEWHERE) {
            if place(&name).is_none_or(|used| used >= own) {
                wrong.push(format!("{path}: uses `{name}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "these uses point upwards:\n{}", wrong.join("\n"));
}

#[test]
fn every_folder_and_file_is_a_room() {
    let entries = fs::read_dir(source()).expect("a readable folder").map(|entry| {
        let name = entry.expect("a readable entry").file_name();
        name.to_string_lossy().trim_end_matches(".rs").to_owned()
    });
    let rooms = ROOMS.iter().map(|room| (*room).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(rooms.len(), ROOMS.len(), "a room is listed twice");
    assert_eq!(entries.filter(|name| name != "lib").collect::<BTreeSet<_>>(), rooms);
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
        .map(|(path, _)| relative(path))
        .filter(|path| !UNSAFE.iter().any(|allowed| path.starts_with(allowed)))
        .collect();
    assert!(wrong.is_empty(), "unsafe code outside of the rooms for it: {wrong:?}");
    for allowed in UNSAFE {
        let is_used = found.iter().any(|(path, text)| relative(path).starts_with(allowed) && is_unsafe(text));
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
        let twice = code.split([';', '{', '}']).find(|statement| claims(statement) > 1);
        assert_eq!(twice, None, "{}: two claims in one expression", path.display());
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
            let word = FORBIDDEN.iter().find(|word| code.contains(**word));
            assert_eq!(word, None, "{}:{}", path.display(), number + 1);
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
    let origins = BTreeMap::from([("Aabb".to_owned(), "geometry".to_owned())]);
    let used = |text: &str| used(text, &origins).into_iter().collect::<Vec<_>>();
    let text = "use crate::layout::Level; // crate::nowhere\nlet x = crate::runtime::memory::push;\nuse crate::Aabb;";
    assert_eq!(used(text), ["geometry", "layout", "runtime"]);
    assert_eq!(used("use crate::{Aabb, engine::{Engine, Made},\n    query::Lazy};"), ["engine", "geometry", "query"]);
    assert_eq!(used("use crate::layout::Level;\n#[cfg(test)]\nmod tests {\n    use crate::world::World;\n}"), ["layout"]);
}
