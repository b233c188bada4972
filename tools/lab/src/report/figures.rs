//! From measured steps to figures.

use std::time::Duration;

use pivotgrid::Stats;
use serde::Serialize;

use crate::machine::Machine;
use crate::series::{Series, Step};

/// What can be said of any series that is not empty.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) machine: Machine,
    pub(crate) threads: usize,
    pub(crate) warm_up_steps: usize,
    pub(crate) steps: usize,
    pub(crate) first_call_ms: f64,
    pub(crate) step_ms: Spread,
    pub(crate) passes: Vec<Pass>,
    pub(crate) ns_per_object: f64,
    pub(crate) steps_per_second: f64,
    pub(crate) objects_per_second: f64,
    pub(crate) pairs_per_object: f64,
    pub(crate) candidates_per_object: f64,
    pub(crate) bytes_per_object: f64,
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
    pub(crate) fastest_ms: f64,
    pub(crate) ns_per_object: f64,
    /// Of the sum of all passes' medians.
    pub(crate) share: f64,
}

impl Figures {
    /// Of a series with more steps than those to warm up.
    pub(crate) fn new(series: Series, warm_up: usize, threads: usize) -> Self {
        let Series { steps: all, stats } = series;
        let steps = &all[warm_up..];
        // What is said per object is said per object of an average step; where there are none, of the step itself.
        let objects = (steps.iter().map(|step| step.objects as f64).sum::<f64>() / steps.len() as f64).max(1.0);
        let last_objects = stats.objects.max(1) as f64;
        let step_ms = Spread::of(steps.iter().map(|step| step.time));
        Figures {
            machine: Machine::this(),
            threads,
            warm_up_steps: warm_up,
            steps: steps.len(),
            first_call_ms: milliseconds(all[0].time),
            step_ms,
            passes: passes(steps, objects),
            ns_per_object: 1e6 * step_ms.median / objects,
            steps_per_second: 1e3 / step_ms.median,
            objects_per_second: 1e3 * objects / step_ms.median,
            pairs_per_object: stats.pairs as f64 / last_objects,
            candidates_per_object: stats.candidates as f64 / last_objects,
            bytes_per_object: stats.bytes as f64 / last_objects,
            last_step: stats,
        }
    }
}

impl Spread {
    pub(crate) fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut times: Vec<f64> = times.map(milliseconds).collect();
        times.sort_unstable_by(f64::total_cmp);
        let middle = times.len() / 2;
        let median = if times.len() % 2 == 1 { times[middle] } else { (times[middle - 1] + times[middle]) / 2.0 };
        Spread { fastest: times[0], median, slowest: times[times.len() - 1] }
    }
}

fn passes(steps: &[Step], objects: f64) -> Vec<Pass> {
    let names = steps[0].passes.named().map(|(name, _)| name);
    let spreads: [Spread; 6] = std::array::from_fn(|pass| Spread::of(steps.iter().map(|step| step.passes.named()[pass].1)));
    let sum = spreads.iter().map(|spread| spread.median).sum::<f64>().max(f64::MIN_POSITIVE);
    let pass = |(name, Spread { fastest, median, .. }): (&'static str, Spread)| Pass {
        name,
        median_ms: median,
        fastest_ms: fastest,
        ns_per_object: 1e6 * median / objects,
        share: median / sum,
    };
    names.into_iter().zip(spreads).map(pass).collect()
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
