//! One scene, all contenders, step by step.

use std::time::{Duration, Instant};

use baselines::Bounds;
use cpu_time::ProcessTime;

use super::contender::{Contender, Runner, Share};
use super::motion::Motion;
use super::statistics::median;
use crate::failure::Failure;

/// Scenes with fewer boxes are measured over several steps at a time: a clock that is read for every microsecond's work measures
/// itself.
const BOXES_PER_LAP: usize = 2000;
/// A contender that has used this many times the longest step that is waited for gets no more laps.
const PATIENCE: f64 = 4.0;

/// What time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// CPU time of the process: for one thread. What else runs on the machine does not count.
    Processor,
    /// For several threads.
    Wall,
}

impl Clock {
    /// One time for several laps. CPU time is sometimes longer and sometimes shorter than usual, so it is the median; whatever else
    /// runs on the machine only makes the wall's clock later, so there it is the least.
    pub(super) fn typical(self, times: impl IntoIterator<Item = f64>) -> f64 {
        match self {
            Clock::Processor => median(times),
            Clock::Wall => times.into_iter().reduce(f64::min).unwrap_or(0.0),
        }
    }
}

/// What was seen of a contender in a scene. Times are typical ones of all laps, in milliseconds per step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// The whole of the first step, and its part before the search for pairs.
    pub(crate) first: f64,
    pub(crate) setup: f64,
    /// A later step.
    pub(crate) total: f64,
    /// Its parts: building or updating the structure, and finding the pairs.
    pub(crate) build: f64,
    pub(crate) detect: f64,
    /// Of the last step.
    pub(crate) pairs: usize,
    pub(crate) candidates: u64,
    pub(crate) bytes: usize,
}

/// A contender on the track.
struct Racer<const D: usize> {
    name: String,
    runner: Box<dyn Runner<D>>,
    first: Lap,
    laps: Vec<Lap>,
    spent: f64,
}

/// Milliseconds per step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lap {
    pub(super) total: f64,
    pub(super) build: f64,
}

/// Takes two steps to warm up and `laps` measured laps with all contenders, who must agree on the pairs. `limit` is the longest
/// step that is waited for: who exceeds it gets fewer laps, but at least one.
pub(crate) fn race<const D: usize>(
    contenders: &[&Contender<D>],
    scene: &mut dyn Motion<D>,
    laps: usize,
    clock: Clock,
    limit: Duration,
) -> Result<Vec<Measured>, Failure> {
    let patience = PATIENCE * 1e3 * limit.as_secs_f64();
    let frame = scene.boxes().to_vec();
    scene.advance();
    let frame_to_compare = scene.boxes().to_vec();
    let mut expected: Option<u64> = None;
    let mut racers = Vec::with_capacity(contenders.len());
    for contender in contenders {
        let mut runner = contender.make();
        let first = lap(runner.as_mut(), std::slice::from_ref(&frame), clock);
        if first.total <= patience {
            let digest = runner.digest(&frame_to_compare);
            if *expected.get_or_insert(digest) != digest {
                return Err(Failure::Disagreement { system: contender.name.clone(), boxes: frame_to_compare.len() });
            }
        }
        racers.push(Racer { name: contender.name.clone(), runner, first, laps: Vec::new(), spent: first.total });
    }

    let steps_per_lap = (BOXES_PER_LAP / frame.len().max(1)).max(1);
    let mut frames = Vec::new();
    for number in 0..laps {
        frames.clear();
        for _ in 0..steps_per_lap {
            scene.advance();
            frames.push(scene.boxes().to_vec());
        }
        // Who begins changes from lap to lap.
        let turn = number % racers.len().max(1);
        racers.rotate_left(turn);
        let mut pairs = None;
        for racer in racers.iter_mut().filter(|racer| racer.spent <= patience) {
            let time = lap(racer.runner.as_mut(), &frames, clock);
            racer.spent += time.total * steps_per_lap as f64;
            racer.laps.push(time);
            let found = racer.runner.counts().0;
            if *pairs.get_or_insert(found) != found {
                return Err(Failure::Disagreement { system: racer.name.clone(), boxes: frames[0].len() });
            }
        }
        racers.rotate_right(turn);
    }
    Ok(racers.iter().map(|racer| racer.measured(clock)).collect())
}

/// The frames in order; total by the given clock, its parts in proportion to the wall's.
pub(super) fn lap<const D: usize>(runner: &mut dyn Runner<D>, frames: &[Vec<Bounds<D>>], clock: Clock) -> Lap {
    let mut share = Share::default();
    let (wall, processor) = (Instant::now(), ProcessTime::now());
    for boxes in frames {
        let Share { build, detect } = runner.step(boxes);
        share.build += build;
        share.detect += detect;
    }
    let time = match clock {
        Clock::Processor => processor.elapsed(),
        Clock::Wall => wall.elapsed(),
    };
    let total = 1e3 * time.as_secs_f64() / frames.len() as f64;
    let parts = (share.build + share.detect).as_secs_f64().max(f64::MIN_POSITIVE);
    Lap { total, build: total * share.build.as_secs_f64() / parts }
}

impl<const D: usize> Racer<D> {
    fn measured(&self, clock: Clock) -> Measured {
        let laps = if self.laps.is_empty() { std::slice::from_ref(&self.first) } else { &self.laps };
        let (pairs, candidates) = self.runner.counts();
        Measured {
            first: self.first.total,
            setup: self.first.build,
            total: clock.typical(laps.iter().map(|lap| lap.total)),
            build: clock.typical(laps.iter().map(|lap| lap.build)),
            detect: clock.typical(laps.iter().map(|lap| lap.total - lap.build)),
            pairs,
            candidates,
            bytes: self.runner.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn typical_times() {
        let times = [5.0, 1.0, 2.0, 9.0, 3.0];
        assert_eq!((Clock::Processor.typical(times), Clock::Wall.typical(times)), (3.0, 1.0));
        assert_eq!(Clock::Wall.typical([]), 0.0);
    }
}
