//! Mutation testing of the library by *mutant schemata*: one build holds many mutants, each behind a switch that an environment variable
//! sets. A mutant then costs the time of its tests, not a build.
//!
//! 1. `find`: the places in `src` where an operator, a body, an arm or a guard can be changed, as cargo-mutants does.
//! 2. `render`, `tree`: a copy of the repository in which each chosen mutant is a branch. What does not compile is dropped.
//! 3. `tests`: each test runs once alone, and records its time and which mutants it reaches.
//! 4. `trial`: each mutant is switched on for the tests that reach it, the most telling first, until one fails.
//!
//! `ci/mutants` runs it; `options` lists what can be chosen.

mod choose;
mod conditions;
mod find;
mod options;
mod process;
mod render;
mod replace;
mod report;
mod results;
mod site;
mod tests;
mod tree;
mod trial;

use std::process::ExitCode;

use options::Options;
use results::Results;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("mutants: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let mut files = find::files(&options.root)?;
    let chosen = choose::choose(&mut files, options);
    if options.list {
        chosen.mutants.iter().for_each(|(id, mutant)| println!("{id} {}", mutant.what));
        return Ok(());
    }
    println!("{} mutants, {} of them chosen", chosen.total(), chosen.mutants.len());
    let mut results = Results::load(options, &chosen)?;
    let mut failed = Vec::new();
    if !options.report {
        let binaries = tree::build(options, &mut files, &chosen, &mut results)?;
        let tests;
        (tests, failed) = tests::measure(options, &binaries)?;
        trial::all(options, &chosen, &tests, &mut results)?;
    }
    report::print(options, &chosen, &results);
    if failed.is_empty() { Ok(()) } else { Err(format!("these fail without a mutant, and were not used: {}", failed.join(", "))) }
}
