//! The lab as a program: its output and its exit code.

#![allow(dead_code, reason = "every test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Where tests leave files. Every test has names of its own: they run at the same time.
pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The same as a word of a command line.
pub(crate) fn file_name(name: &str) -> String {
    file(name).into_os_string().into_string().expect("a plain path")
}

/// The program in a folder: a run leaves pictures where it is started.
pub(crate) fn lab_in(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab")).args(words).current_dir(folder).output().expect("the lab starts")
}

pub(crate) fn lab(words: &[&str]) -> Output {
    lab_in(&file(""), words)
}

/// What it prints when all goes well.
#[track_caller]
pub(crate) fn out_in(folder: &Path, words: &[&str]) -> String {
    let output = lab_in(folder, words);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{words:?}: {err}");
    assert_eq!(err, "", "nothing but the report, and no progress bar, when the output is not a terminal");
    out
}

#[track_caller]
pub(crate) fn out(words: &[&str]) -> String {
    out_in(&file(""), words)
}

#[track_caller]
pub(crate) fn json(words: &[&str]) -> Value {
    serde_json::from_str(&out(&[words, &["--json"]].concat())).unwrap()
}

/// What it complains about, ending with this code.
#[track_caller]
pub(crate) fn refused(words: &[&str], code: i32) -> String {
    let output = lab(words);
    assert_eq!(output.status.code(), Some(code), "{words:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}
