//! From measured steps to figures.

use std::time::Duration;

use pivotgrid::Stats;
use serde::Serialize;

use crate::machine::Machine;
use crate::series::Series;
use crate::settings::{Settings, WARM_UP};

/// All figures of a run. Its JSON form is what `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) scene: &'static str,
    pub(crate) description: &'static str,
    pub(crate) dimension: usize,
    pub(crate) scalar: &'static str,
    pub(crate) seed: u64,
    pub(crate) machine: Machine,
    pub(crate) threads: usize,
    pub(crate) warm_up_steps: usize,
    pub(crate) steps: usize,
    pub(crate) first_call_ms: f64,
    pub(crate) step_ms: Spread,
    pub(crate) passes: Vec<Pass>,
    pub(crate) steps_per_second: f64,
    pub(crate) objects_per_second: f64,
    pub(crate) pairs_per_object: f64,
    pub(crate) candidates_per_object: f64,
    pub(crate) bytes_per_object: f64,
    pub(crate) alone: Option<Alone>,
    pub(crate) last_step: Stats,
}

/// Of a time over the measured steps.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) fastest: f64,
    pub(crate) median: f64,
    pub(crate) slowest: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    pub(crate) median_ms: f64,
    pub(crate) ns_per_object: f64,
    /// Of the sum of all passes' medians.
    pub(crate) share: f64,
}

/// The second run, on one thread.
#[derive(Debug, Serialize)]
pub(crate) struct Alone {
    pub(crate) steps: usize,
    pub(crate) step_ms: Spread,
    /// How many times faster the threads are together.
    pub(crate) speedup: f64,
}

impl Report {
    pub(crate) fn new(
        settings: &Settings,
        dimension: usize,
        scalar: &'static str,
        together: Series,
        alone: Option<Series>,
    ) -> Self {
        let objects = settings.objects as f64;
        let step_ms = Spread::of(together.steps.iter().copied());
        let stats = &together.stats;
        Report {
            scene: settings.scene.name(),
            description: settings.scene.describe(),
            dimension,
            scalar,
            seed: settings.seed,
            machine: Machine::this(),
            threads: settings.threads,
            warm_up_steps: WARM_UP,
            steps: together.steps.len(),
            first_call_ms: milliseconds(together.first_call),
            step_ms,
            passes: passes(&together, objects),
            steps_per_second: 1e3 / step_ms.median,
            objects_per_second: 1e3 * objects / step_ms.median,
            pairs_per_object: stats.pairs as f64 / objects,
            candidates_per_object: stats.candidates as f64 / objects,
            bytes_per_object: stats.bytes as f64 / objects,
            alone: alone.map(|alone| Alone::new(&alone, &together)),
            last_step: together.stats,
        }
    }
}

impl Alone {
    /// Compares steps on the same boxes only: the world may get easier or harder as it moves.
    fn new(alone: &Series, together: &Series) -> Self {
        let steps = alone.steps.len();
        let step_ms = Spread::of(alone.steps.iter().copied());
        let same_steps = Spread::of(together.steps[..steps].iter().copied());
        Alone { steps, step_ms, speedup: step_ms.median / same_steps.median }
    }
}

impl Spread {
    fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut times: Vec<f64> = times.map(milliseconds).collect();
        times.sort_unstable_by(f64::total_cmp);
        let middle = times.len() / 2;
        let median = if times.len() % 2 == 1 { times[middle] } else { (times[middle - 1] + times[middle]) / 2.0 };
        Spread { fastest: times[0], median, slowest: times[times.len() - 1] }
    }
}

fn passes(series: &Series, objects: f64) -> Vec<Pass> {
    let names = series.stats.times.named().map(|(name, _)| name);
    let medians = std::array::from_fn(|pass| Spread::of(series.passes.iter().map(|times| times.named()[pass].1)).median);
    let sum: f64 = f64::max(medians.iter().sum(), f64::MIN_POSITIVE);
    let pass = |(name, median_ms): (&'static str, f64)| Pass {
        name,
        median_ms,
        ns_per_object: 1e6 * median_ms / objects,
        share: median_ms / sum,
    };
    names.into_iter().zip::<[f64; 5]>(medians).map(pass).collect()
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let spread = |times: &[u64]| Spread::of(times.iter().map(|&time| Duration::from_millis(time)));
        assert_eq!(spread(&[7]).median, 7.0);
        assert_eq!(spread(&[9, 1]).median, 5.0);
        let three = spread(&[9, 1, 2]);
        assert_eq!((three.fastest, three.median, three.slowest), (1.0, 2.0, 9.0));
    }
}
