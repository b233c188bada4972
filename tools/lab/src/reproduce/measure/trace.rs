//! Frame by frame instead of medians over frames: for scenes that change while they run.

use super::contender::{Contender, Runner};
use super::motion::Motion;
use super::race::{Clock, lap};
use crate::failure::Failure;

/// One contender's milliseconds per frame: whole steps, and their part before the search for pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) totals: Vec<f64>,
    pub(crate) builds: Vec<f64>,
}

/// Runs all contenders through the same frames, in turn within each, `repeats` times from the beginning, and takes typical times of
/// the repeats. `scene` makes the scene at its beginning.
pub(crate) fn trace<const D: usize, M: Motion<D>>(
    contenders: &[Contender<D>],
    frames: usize,
    repeats: usize,
    clock: Clock,
    scene: impl Fn() -> M,
) -> Result<Vec<Trace>, Failure> {
    let mut laps = vec![vec![Vec::with_capacity(repeats); frames]; contenders.len()];
    for _ in 0..repeats {
        let mut scene = scene();
        let mut runners: Vec<Box<dyn Runner<D>>> = contenders.iter().map(Contender::make).collect();
        for frame in 0..frames {
            let boxes = [scene.boxes().to_vec()];
            let mut pairs = None;
            for (index, runner) in runners.iter_mut().enumerate() {
                laps[index][frame].push(lap(runner.as_mut(), &boxes, clock));
                let found = runner.counts().0;
                if *pairs.get_or_insert(found) != found {
                    return Err(Failure::Disagreement { system: contenders[index].name.clone(), boxes: boxes[0].len() });
                }
            }
            scene.advance();
        }
    }
    let traces = laps.iter().map(|frames| Trace {
        totals: frames.iter().map(|laps| clock.typical(laps.iter().map(|lap| lap.total))).collect(),
        builds: frames.iter().map(|laps| clock.typical(laps.iter().map(|lap| lap.build))).collect(),
    });
    Ok(traces.collect())
}
