//! The progress bar, for people only.

use std::io::{IsTerminal, stderr, stdout};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Shows nothing when the output goes to a file or another program.
pub(crate) fn bar(steps: usize) -> ProgressBar {
    if !(stdout().is_terminal() && stderr().is_terminal()) {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg:18} [{bar:40}] {pos}/{len} steps, {elapsed}").expect("a valid template");
    let bar = ProgressBar::new(steps as u64).with_style(style.progress_chars("## "));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
