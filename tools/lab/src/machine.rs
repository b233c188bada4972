//! Where the figures come from. A number without its machine says nothing.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) optimized: bool,
}

impl Machine {
    pub(crate) fn this() -> Self {
        Machine { processor: processor(), cores: cores(), optimized: !cfg!(debug_assertions) }
    }
}

/// How many threads can run at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// As Linux names it; elsewhere only the architecture.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    model.map_or(std::env::consts::ARCH, str::trim).to_owned()
}
