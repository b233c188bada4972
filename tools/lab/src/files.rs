//! Files that a command leaves.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Makes the directory, so that a run does not find out at its end that it cannot write there.
pub(crate) fn prepare(directory: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| Failure::Write { file: directory.to_owned(), error })
}

/// Writes a file into a directory, and returns its path.
pub(crate) fn write(directory: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, Failure> {
    let file = directory.join(name);
    fs::write(&file, content).map_err(|error| Failure::Write { file: file.clone(), error })?;
    Ok(file)
}
