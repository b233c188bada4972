//! Settings and pools.

use std::sync::OnceLock;

use pivotgrid::{BroadPhase, Config, InstructionSet};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::bytes::Bytes;

/// A configuration, mostly one that uses grid and threads however few objects there are.
pub fn config(bytes: &mut Bytes<'_>) -> Config {
    let choice = bytes.byte();
    let config = Config::default().canonical_order(choice & 1 != 0).max_levels(1 + usize::from(choice >> 5));
    let config = if choice & 2 != 0 { config } else { config.all_pairs_up_to(0).serial_up_to(0) };
    let config = match choice >> 2 & 7 {
        0..=2 => config,
        cell => config.cell_size([0.25, 1.0, 3.0, 1e-6, 1e9][usize::from(cell) - 3]),
    };
    let sets = [InstructionSet::Best, InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];
    let wanted = config.clone().instruction_set(sets[bytes.below(4)]);
    // Not every machine has every set.
    if BroadPhase::<f32, 2>::with_config(wanted.clone()).is_ok() { wanted } else { config }
}

/// A pool of one to three threads, made once.
pub fn pool(number: usize) -> &'static ThreadPool {
    static POOLS: [OnceLock<ThreadPool>; 3] = [const { OnceLock::new() }; 3];
    let threads = number % POOLS.len() + 1;
    POOLS[threads - 1].get_or_init(|| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool"))
}
