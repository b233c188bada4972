//! Runs one test in a process of its own, within limits of processor time and memory.
//!
//! The limits do not count time on the clock: other programs share the machine, and may even stop this one for minutes.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::tests::Test;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// Too much processor time, or none for long.
    TimedOut,
}

/// Kilobytes of addresses. Rayon's threads and the allocator's arenas reserve far more than they use.
const MEMORY: &str = "12000000";
/// A process that uses no processor time for so many looks, each some milliseconds, waits for something that never comes.
const STALLED: u32 = 6000;

/// Runs a test with an environment variable, and returns what it used.
pub(crate) fn run(test: &Test, variable: (&str, &str), seconds: u64) -> Result<(Outcome, f64), String> {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\" && ulimit -c 0 && ulimit -v \"$1\" && shift && exec \"$@\""]);
    command.args([&seconds.to_string(), MEMORY]).arg(&test.path).args(["--exact", &test.name, "--test-threads", "1", "-q"]);
    command.current_dir(&test.folder).env(variable.0, variable.1);
    // A failure is enough: no backtrace, no smaller case.
    command.env("RUST_BACKTRACE", "0").env("PROPTEST_MAX_SHRINK_ITERS", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", test.path.display()))?;
    let (used, stalled) = watch(&mut child);
    let status = child.wait().map_err(|error| error.to_string())?;
    let outcome = match status.success() {
        true => Outcome::Passed,
        false if stalled || used >= seconds as f64 - 1.0 => Outcome::TimedOut,
        false => Outcome::Failed,
    };
    Ok((outcome, used))
}

/// Waits for the end, or ends what has stalled. Returns the seconds of processor time, and whether it had stalled.
fn watch(child: &mut Child) -> (f64, bool) {
    let (mut used, mut idle, mut pause) = (0, 0, 1);
    loop {
        // A process that has ended stays readable until it is waited for.
        let Some((state, ticks)) = state(child.id()) else { return (0.0, false) };
        if state == 'Z' {
            return (ticks as f64 / 100.0, false);
        }
        idle = if ticks > used || state == 'T' { 0 } else { idle + 1 };
        used = ticks;
        if idle > STALLED {
            _ = child.kill();
            return (used as f64 / 100.0, true);
        }
        std::thread::sleep(Duration::from_millis(pause));
        pause = (pause + 1).min(10);
    }
}

/// The state of a process, and its processor time in hundredths of a second: Linux's `/proc`.
fn state(id: u32) -> Option<(char, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may contain anything.
    let fields = text[text.rfind(')')? + 1..].split_whitespace().collect::<Vec<_>>();
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some((fields.first()?.chars().next()?, ticks(11)? + ticks(12)?))
}
