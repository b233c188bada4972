//! pivotgrid at work: runs a scene or a recording and shows what every pass costs. `lab --help` tells the rest.
//!
//! A run goes through the files in this order: [`cli`] (the command line) → [`series`] (steps, timed) → [`report`] (figures, text,
//! JSON). A new subcommand is a variant of [`cli::Command`], a file of its own, and an arm in [`text`].

mod advise;
mod check;
mod cli;
mod cluster;
mod contest;
mod digest;
mod draw;
mod failure;
mod files;
mod frames;
mod list;
mod machine;
mod picture;
mod progress;
mod record;
mod replay;
mod report;
mod reproduce;
mod run;
mod series;
mod settings;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let result = text(Cli::parse()).and_then(|text| print(&text));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.code())
        }
    }
}

/// What goes to the standard output.
fn text(cli: Cli) -> Result<String, Failure> {
    match cli.command {
        None => run::run(&cli.run),
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::Replay(options)) => replay::replay(&options),
        Some(Command::Advise(options)) => advise::advise(&options),
        Some(Command::Record(options)) => record::record(&options),
        Some(Command::Scenes) => Ok(list::scenes()),
        Some(Command::Cluster(options)) => cluster::cluster(&options),
        Some(Command::Contest(options)) => contest::contest(&options),
        Some(Command::Reproduce(options)) => reproduce::reproduce(&options),
    }
}

fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        // The reader of the output closed it, as in `lab scenes | head -1`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(Failure::Output),
    }
}
