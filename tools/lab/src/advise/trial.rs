//! Advice is tried out before it is given: the boxes of the last step, at rest, with the planner's choice and with the advice followed, in
//! turn.

use std::time::{Duration, Instant};

use pivotgrid::{Aabb, BroadPhase, Config, Scalar, Stats};
use serde::Serialize;

use crate::failure::Failure;
use crate::series::{Source, detect, pool};
use crate::settings::WARM_UP;

/// What came of following an advice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Trial {
    /// What was changed.
    pub(crate) change: String,
    /// Time of a step with the change over that without it.
    pub(crate) time_ratio: f64,
}

impl Trial {
    /// Less than this is no gain: two runs of the same differ by as much.
    const GAIN: f64 = 0.95;

    pub(crate) fn helps(&self) -> bool {
        self.time_ratio < Self::GAIN
    }
}

/// Something that can be changed.
pub(crate) enum Change {
    Settings(String, Config),
    /// Objects that have no level are left out.
    WithoutUnleveled,
}

/// What the advice of a kind of finding comes down to, as far as it can be tried.
pub(crate) fn changes(kind: &str, stats: &Stats) -> Vec<Change> {
    let levels = |count: usize| Change::Settings(format!("`Config::max_levels({count})`"), Config::default().max_levels(count));
    let cells = |factor: f64| {
        let edge =
            stats.levels.first().map(|level| level.cell_size[1] * factor).filter(|edge| edge.is_finite() && *edge > 0.0)?;
        Some(Change::Settings(format!("`Config::cell_size({edge:.4})`"), Config::default().cell_size(edge)))
    };
    let fewer = stats.levels.len().saturating_sub(1);
    match kind {
        "crowded_cells" => cells(0.5).into_iter().collect(),
        "misjudged" => {
            let sizes = [0.5, 2.0].into_iter().filter_map(cells);
            sizes.chain((fewer > 0).then(|| levels(1))).collect()
        }
        "thin_level" if fewer > 0 => vec![levels(fewer)],
        "no_level" => vec![Change::WithoutUnleveled],
        _ => Vec::new(),
    }
}

/// Boxes to try changes on.
pub(crate) struct Ground<'a, S, const D: usize> {
    pub(crate) boxes: &'a [Aabb<S, D>],
    /// Those that have no level.
    pub(crate) oversized: &'a [usize],
    pub(crate) threads: usize,
    pub(crate) steps: usize,
}

impl<S: Scalar, const D: usize> Ground<'_, S, D> {
    /// Tries some changes; the best of them.
    pub(crate) fn try_out(&self, changes: Vec<Change>) -> Result<Option<Trial>, Failure> {
        let mut best: Option<Trial> = None;
        for change in changes {
            let trial = match change {
                Change::Settings(change, config) => Trial { change, time_ratio: self.race(config, self.boxes)? },
                Change::WithoutUnleveled => {
                    let mut stays = vec![true; self.boxes.len()];
                    self.oversized.iter().for_each(|&index| stays[index] = false);
                    let boxes: Vec<_> =
                        self.boxes.iter().zip(stays).filter(|(_, stays)| *stays).map(|(bounds, _)| *bounds).collect();
                    Trial { change: "without them".to_owned(), time_ratio: self.race(Config::default(), &boxes)? }
                }
            };
            if best.as_ref().is_none_or(|best| trial.time_ratio < best.time_ratio) {
                best = Some(trial);
            }
        }
        Ok(best)
    }

    /// The time of a step with other settings or boxes, over that of a step as it was.
    fn race(&self, config: Config, boxes: &[Aabb<S, D>]) -> Result<f64, Failure> {
        let pool = pool(self.threads)?;
        let other = BroadPhase::with_config(config).expect("the settings are valid");
        let mut engines = [(BroadPhase::new(), self.boxes), (other, boxes)];
        let mut times = [Vec::new(), Vec::new()];
        for step in 0..WARM_UP + self.steps {
            for ((engine, boxes), times) in engines.iter_mut().zip(&mut times) {
                let begin = Instant::now();
                detect(engine, boxes, &pool);
                if step >= WARM_UP {
                    times.push(begin.elapsed());
                }
            }
        }
        let [planned, changed] = times.map(|mut times| median(&mut times).as_secs_f64());
        Ok(changed / planned.max(f64::MIN_POSITIVE))
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A source that keeps the boxes of its last step.
pub(crate) struct Keeping<'a, T, S, const D: usize> {
    pub(crate) source: &'a mut T,
    pub(crate) last: Vec<Aabb<S, D>>,
}

impl<S: Scalar, const D: usize, T: Source<S, D>> Source<S, D> for Keeping<'_, T, S, D> {
    fn next(&mut self, boxes: &mut Vec<Aabb<S, D>>) -> Result<bool, Failure> {
        self.source.next(boxes)
    }

    fn inspect(&mut self, boxes: &[Aabb<S, D>], pairs: pivotgrid::Pairs<'_>) -> Result<(), Failure> {
        self.last.clear();
        self.last.extend_from_slice(boxes);
        self.source.inspect(boxes, pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_raced_against_the_planner() {
        let boxes: Vec<Aabb<f32, 2>> = (0..900)
            .map(|i| Aabb::new([(i % 30) as f32, (i / 30) as f32], [(i % 30) as f32 + 0.5, (i / 30) as f32 + 0.5]))
            .collect();
        let ground = Ground { boxes: &boxes, oversized: &[3, 5], threads: 1, steps: 2 };
        let huge = Change::Settings("one cell".to_owned(), Config::default().exact_cell_size(1000.0));
        let trial = ground.try_out(vec![huge, Change::WithoutUnleveled]).unwrap().unwrap();
        assert!(trial.time_ratio > 0.0 && trial.time_ratio.is_finite());
        assert_eq!(ground.try_out(Vec::new()).unwrap(), None);
    }

    #[test]
    fn only_what_can_be_tried_has_changes() {
        let mut broad_phase = BroadPhase::<f32, 3>::new();
        let boxes: Vec<Aabb<f32, 3>> = (0..2000).map(|i| Aabb::new([i as f32; 3], [i as f32 + 1.5; 3])).collect();
        broad_phase.detect(&boxes);
        let count = |kind: &str| changes(kind, broad_phase.stats()).len();
        assert_eq!((count("crowded_cells"), count("no_level"), count("many_pairs")), (1, 1, 0));
        assert!(count("misjudged") >= 2);
        assert!(
            Trial { change: String::new(), time_ratio: 0.5 }.helps() && !Trial { change: String::new(), time_ratio: 1.0 }.helps()
        );
    }
}
