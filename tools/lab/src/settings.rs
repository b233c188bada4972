//! What a run does, once the command line is known to make sense.

use scenes::Scene;

use crate::cli::RunOptions;
use crate::failure::Failure;
use crate::machine::cores;

/// Steps that come before the measured ones: the first call, and two until all memory is there.
pub(crate) const WARM_UP: usize = 3;

/// Measured steps of the second run, which only serves the ratio.
const MOST_STEPS_ALONE: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) scene: Scene,
    pub(crate) objects: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) steps: usize,
    /// Steps of the second run, on one thread; 0 if there is none.
    pub(crate) steps_alone: usize,
}

impl Settings {
    pub(crate) fn new(options: &RunOptions) -> Result<Self, Failure> {
        options.scene.exists()?;
        let threads = options.threads.unwrap_or_else(cores);
        let compare = threads > 1 && !options.no_compare;
        Ok(Settings {
            scene: options.scene.name,
            objects: options.n,
            seed: options.scene.seed,
            threads,
            steps: options.steps,
            steps_alone: if compare { options.steps.min(MOST_STEPS_ALONE) } else { 0 },
        })
    }

    /// All steps that will be taken.
    pub(crate) fn all_steps(&self) -> usize {
        let alone = if self.steps_alone > 0 { WARM_UP + self.steps_alone } else { 0 };
        WARM_UP + self.steps + alone
    }
}
