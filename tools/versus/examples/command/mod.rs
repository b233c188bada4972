//! What the command lines of the examples share.
#![allow(dead_code)] // No example uses all of it.

use std::fmt::Display;
use std::fs::File;
use std::process::ExitCode;
use std::str::FromStr;

use scenes::Scene;

/// Runs a contest with the arguments of the program, or says how to. `run` returns whether all agreed; if not, that is said as well.
pub(crate) fn run(usage: &str, disagreement: &str, run: impl FnOnce(&[String]) -> Result<bool, String>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{usage}");
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("{disagreement}, see above");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}\n\n{usage}");
            ExitCode::FAILURE
        }
    }
}

pub(crate) fn parse<T: FromStr<Err: Display>>(option: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|error| format!("{option} {value}: {error}"))
}

/// Values with commas between.
pub(crate) fn list<T: FromStr<Err: Display>>(option: &str, values: &str) -> Result<Vec<T>, String> {
    values.split(',').map(|value| parse(option, value)).collect()
}

pub(crate) fn create(option: &str, path: &str) -> Result<File, String> {
    File::create(path).map_err(|error| format!("{option} {path}: {error}"))
}

/// A scene by name, with `-2d` behind it in two dimensions.
pub(crate) fn named<T: Copy + FromStr<Err: Display>>(
    name: &str,
    exists_in: impl Fn(T) -> &'static [usize],
) -> Result<(T, usize), String> {
    let (name, dimensions) = name.strip_suffix("-2d").map_or((name, 3), |name| (name, 2));
    let scene: T = parse("--scenes", name)?;
    if !exists_in(scene).contains(&dimensions) {
        return Err(format!("--scenes {name}: it does not exist in {dimensions}D"));
    }
    Ok((scene, dimensions))
}

/// All scenes in three dimensions, and some in two.
pub(crate) fn default_scenes() -> Vec<(Scene, usize)> {
    let flat = [Scene::Uniform, Scene::Poly12, Scene::Power].map(|scene| (scene, 2));
    Scene::ALL.into_iter().map(|scene| (scene, 3)).chain(flat).collect()
}
