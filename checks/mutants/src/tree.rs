//! The copy of the repository with the mutants, and its build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::choose::Chosen;
use crate::options::Options;
use crate::render::{mutants_at, render};
use crate::results::{Results, Verdict, What};
use crate::site::SourceFile;

/// Not these: they read the sources' text.
const NO_TESTS: [&str; 2] = ["house", "documents"];
/// The unit tests: the name of their binary.
const LIBRARY: &str = "pivotgrid";

/// A test binary, by its name.
pub(crate) struct Binary {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Where its tests run.
    pub(crate) folder: PathBuf,
}

/// Writes the copy, drops what does not compile, and builds all tests.
pub(crate) fn build(
    options: &Options,
    files: &mut [SourceFile],
    chosen: &Chosen,
    results: &mut Results,
) -> Result<Vec<Binary>, String> {
    let tree = options.out.join("tree");
    copy(&options.root, &tree, files)?;
    let library = fs::read_to_string(options.root.join("src/lib.rs")).map_err(|error| error.to_string())?;
    write(&tree.join("src/lib.rs"), &format!("{library}\n#[allow(unsafe_code)]\nmod mutants;\n"))?;
    write(&tree.join("src/mutants.rs"), include_str!("switch.rs"))?;
    let tests = test_names(options)?;
    let all =
        tests.iter().flat_map(|name| if name == LIBRARY { vec!["--lib"] } else { vec!["--test", name] }).collect::<Vec<_>>();
    // Borrows are checked only where the types are right, so there are rounds. An integration test needs the library.
    loop {
        for site in files.iter_mut().flat_map(|file| &mut file.sites) {
            site.mutants.retain(|mutant| !results.is(mutant.id, What::Broken));
        }
        let written = files.iter().map(|file| (file.path.clone(), render(file))).collect::<BTreeMap<_, _>>();
        for (path, text) in written.iter().filter(|(path, _)| *path != Path::new("src/lib.rs")) {
            write(&tree.join(path), text)?;
        }
        let messages = cargo(options, &tree, &all[all.len().saturating_sub(2)..])?;
        let broken = broken(&messages, &written)?;
        if broken.is_empty() {
            break;
        }
        for id in broken {
            println!("  does not compile: {id} {}", chosen.mutants[&id].what);
            results.record(chosen, id, Verdict { what: What::Broken, by: String::new() })?;
        }
    }
    let messages = cargo(options, &tree, &all)?;
    let executable = |message: &Value| {
        let path = message["executable"].as_str()?;
        Some(Binary { name: message["target"]["name"].as_str()?.to_owned(), path: path.into(), folder: tree.clone() })
    };
    let mut binaries = messages.iter().filter_map(executable).collect::<Vec<_>>();
    // Cargo reports them in any order.
    binaries.sort_by(|a, b| a.name.cmp(&b.name));
    if binaries.len() == tests.len() { Ok(binaries) } else { Err("the tests do not compile".into()) }
}

/// The chosen test binaries, or all; the unit tests come first.
fn test_names(options: &Options) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(options.root.join("tests")).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_file() || path.join("main.rs").is_file() {
            names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    names.retain(|name| !NO_TESTS.contains(&name.as_str()));
    names.sort();
    names.insert(0, LIBRARY.into());
    names.retain(|name| options.tests.is_empty() || options.tests.contains(name));
    Ok(names)
}

/// All files that git would commit, but those that are written with their mutants.
fn copy(root: &Path, tree: &Path, written: &[SourceFile]) -> Result<(), String> {
    let output =
        Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root).output();
    let names = output.map_err(|error| format!("git ls-files: {error}"))?.stdout;
    let is_written = |name: &str| written.iter().any(|file| file.path == Path::new(name));
    for name in String::from_utf8_lossy(&names).split('\0').filter(|name| !name.is_empty() && !is_written(name)) {
        let Ok(bytes) = fs::read(root.join(name)) else { continue };
        write_bytes(&tree.join(name), &bytes)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    write_bytes(path, text.as_bytes())
}

/// Writes what is new only: what is not, is not built again.
fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes)).map_err(|error| format!("{}: {error}", path.display()))
}

/// The messages of cargo and of the compiler.
fn cargo(options: &Options, tree: &Path, arguments: &[&str]) -> Result<Vec<Value>, String> {
    println!("cargo test --no-run {}", arguments.join(" "));
    let output = Command::new("cargo")
        .args(["test", "--no-run"])
        .args(arguments)
        .args(["--package", "pivotgrid", "--features", "serde", "--profile", "mutants", "--message-format", "json"])
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", options.out.join("build"))
        // Switches look strange to lints.
        .env("RUSTFLAGS", "--cap-lints allow")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The mutants that the compiler's errors lead to.
fn broken(messages: &[Value], written: &BTreeMap<PathBuf, String>) -> Result<BTreeSet<u32>, String> {
    let errors = messages.iter().map(|message| &message["message"]).filter(|message| message["level"] == "error");
    let (mut ids, mut unclear) = (BTreeSet::new(), None);
    for error in errors {
        let spans = error["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut found =
            spans.iter().filter(|span| span["is_primary"] == true).flat_map(|span| at(span, written)).collect::<Vec<_>>();
        if found.is_empty() {
            found = spans.iter().flat_map(|span| at(span, written)).collect();
        }
        if found.is_empty() && !spans.is_empty() {
            unclear = Some(error["rendered"].to_string());
        }
        ids.extend(found);
    }
    match unclear {
        Some(error) if ids.is_empty() => Err(format!("an error that no mutant explains: {error}")),
        _ => Ok(ids),
    }
}

/// The mutants at a span of the compiler, or, if it is in none, those inside it.
fn at(span: &Value, written: &BTreeMap<PathBuf, String>) -> Vec<u32> {
    let byte = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
    let Some(text) = span["file_name"].as_str().and_then(|path| written.get(Path::new(path))) else { return Vec::new() };
    let found = mutants_at(text, byte("byte_start"));
    if !found.is_empty() {
        return found;
    }
    let inside = text[byte("byte_start")..byte("byte_end")].split("/*<").skip(1).filter_map(|marker| marker.split_once("*/"));
    inside.flat_map(|(ids, _)| ids.split(' ').filter_map(|id| id.parse().ok())).collect()
}
