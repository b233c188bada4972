//! The progress bar, for people only.

use std::io::{IsTerminal, stderr, stdout};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Shows nothing when the output goes to a file or another program. Without a known number of steps it only counts.
pub(crate) fn bar(steps: Option<u64>) -> ProgressBar {
    if !(stdout().is_terminal() && stderr().is_terminal()) {
        return ProgressBar::hidden();
    }
    let (bar, template) = match steps {
        Some(steps) => (ProgressBar::new(steps), "{msg:18} [{bar:40}] {pos}/{len} steps, {elapsed}"),
        None => (ProgressBar::no_length(), "{msg:18} {pos} steps, {elapsed}"),
    };
    let style = ProgressStyle::with_template(template).expect("a valid template");
    bar.set_style(style.progress_chars("## "));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The same for anything that can be counted.
pub(crate) fn counting(count: u64, what: &str) -> ProgressBar {
    let bar = bar(Some(count));
    if !bar.is_hidden() {
        let template = format!("{{msg:24}} [{{bar:40}}] {{pos}}/{{len}} {what}, {{elapsed}}");
        bar.set_style(ProgressStyle::with_template(&template).expect("a valid template").progress_chars("## "));
    }
    bar
}
