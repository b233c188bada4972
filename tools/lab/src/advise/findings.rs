//! What stands out, and what can be done about it.

use pivotgrid::Stats;
use serde::Serialize;

use super::cost::Cost;
use super::scan::{CROWDED, Scan};
use super::trial::Trial;
use crate::report::{grouped, short};

#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    /// For programs.
    pub(crate) kind: &'static str,
    pub(crate) what: String,
    pub(crate) advice: &'static str,
    /// What came of following the advice, if that can be tried.
    pub(crate) trial: Option<Trial>,
}

/// What the rules look at.
pub(crate) struct Facts<'a> {
    pub(crate) stats: &'a Stats,
    pub(crate) scan: &'a Scan,
    pub(crate) cost: &'a Cost,
    /// Whether times mean anything.
    pub(crate) optimized: bool,
}

pub(crate) fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    if facts.stats.levels.is_empty() {
        return [rejected(facts), no_grid(facts)].into_iter().flatten().collect();
    }
    let rules = [rejected, no_level, loners, crowded, dense, in_vain, unsettled, surprise];
    rules.into_iter().filter_map(|rule| rule(facts)).chain(thin_levels(facts)).collect()
}

fn rejected(&Facts { stats, .. }: &Facts<'_>) -> Option<Finding> {
    (stats.rejected > 0).then(|| Finding {
        kind: "rejected",
        what: format!("left out for an invalid box: {}", objects(stats.rejected)),
        advice: "look for NaN and for min > max where these boxes are made; `Pairs::rejected` names them",
        trial: None,
    })
}

fn no_grid(&Facts { stats, .. }: &Facts<'_>) -> Option<Finding> {
    (stats.objects > 0).then(|| Finding {
        kind: "no_grid",
        what: format!("no grid, every one is compared with every other: {}", objects(stats.objects)),
        advice: "right for a few objects and for infinite ones; `Config::all_pairs_up_to` says for how many",
        trial: None,
    })
}

fn no_level(facts: &Facts<'_>) -> Option<Finding> {
    let oversized = facts.stats.oversized;
    (oversized > 0).then(|| Finding {
        kind: "no_level",
        what: format!(
            "too large for every level, and compared with what each chunk holds: {}, {} of the predicted cost",
            objects(oversized),
            percent(facts.part("oversized"))
        ),
        advice: "a few huge or infinite boxes are best off there; if the share is large, cut them into smaller boxes, or keep what \
                 never moves in a `StaticSet`",
        trial: None,
    })
}

fn loners(&Facts { stats, scan, .. }: &Facts<'_>) -> Option<Finding> {
    let (of_objects, of_chunks) = (share(scan.loners, stats.objects), share(scan.loners, stats.chunks));
    (of_objects > 0.02 || of_chunks > 0.4).then(|| Finding {
        kind: "loners",
        what: format!(
            "{} of the objects are alone in their chunk, and {} of the chunks hold nothing else",
            percent(of_objects),
            percent(of_chunks)
        ),
        advice: "a chunk costs as much as dozens of comparisons; leave objects out that are parked far away or asleep",
        trial: None,
    })
}

fn crowded(&Facts { stats, scan, .. }: &Facts<'_>) -> Option<Finding> {
    let crowded = share(scan.objects_in_crowded_cells, stats.objects);
    (crowded > 0.01).then(|| Finding {
        kind: "crowded_cells",
        what: format!(
            "crowded cells: the fullest holds {} objects, and {} of all objects live in cells of more than {CROWDED}",
            count(scan.fullest_cell),
            percent(crowded)
        ),
        advice: "are many objects made in one place? If the boxes there are much smaller than the cells, try a smaller \
                 `Config::cell_size`; if they really overlap, no grid helps",
        trial: None,
    })
}

fn dense(&Facts { stats, .. }: &Facts<'_>) -> Option<Finding> {
    let pairs = stats.pairs as f64 / stats.objects as f64;
    (pairs > 12.0).then(|| Finding {
        kind: "many_pairs",
        what: format!("{} pairs per object: writing them down is a good part of the work", short(pairs)),
        advice: "make margins around the boxes smaller, or refuse pairs that nobody needs by `Bounded::groups`, before they are stored",
        trial: None,
    })
}

fn in_vain(&Facts { stats, .. }: &Facts<'_>) -> Option<Finding> {
    let candidates = stats.candidates as f64 / stats.objects as f64;
    let per_pair = stats.candidates as f64 / stats.pairs.max(1) as f64;
    (candidates > 60.0 && per_pair > 40.0).then(|| Finding {
        kind: "comparisons_in_vain",
        what: format!("{} comparisons per object, {} for every pair that is found", short(candidates), short(per_pair)),
        advice: "boxes that are long along one axis or very different in size make cells large: cut the largest into smaller boxes",
        trial: None,
    })
}

fn unsettled(&Facts { stats, .. }: &Facts<'_>) -> Option<Finding> {
    (stats.replanned || stats.repeats > 0).then(|| Finding {
        kind: "unsettled",
        what: "the last step chose its levels anew, or had to repeat a pass".to_owned(),
        advice: "normal in a first step and when a scene changes in kind; if every step does it, the number of objects jumps by more \
                 than 30 % from step to step, and two engines may serve better than one",
        trial: None,
    })
}

/// Small times say little.
const MEASURABLE_MS: f64 = 0.2;

fn surprise(facts: &Facts<'_>) -> Option<Finding> {
    let detect = facts.cost.passes.iter().find(|pass| pass.name == "detect")?;
    let ratio = detect.measured_ms / detect.predicted_ms;
    let measurable = facts.optimized && detect.measured_ms > MEASURABLE_MS;
    (measurable && !(0.25..4.0).contains(&ratio)).then(|| Finding {
        kind: "misjudged",
        what: format!("detection took {} times as long as the planner expected", short(ratio)),
        advice: "try `Config::cell_size` and `Config::max_levels`: if they make this scene faster, please report it with a recording",
        trial: None,
    })
}

/// Levels for which many finer chunks look in vain.
fn thin_levels<'a>(&Facts { stats, .. }: &'a Facts<'a>) -> impl Iterator<Item = Finding> + use<'a> {
    stats.levels.iter().enumerate().skip(1).filter_map(|(index, level)| {
        let finer: usize = stats.levels[..index].iter().map(|finer| finer.chunks).sum();
        (level.objects * 8 < finer).then(|| Finding {
            kind: "thin_level",
            what: format!(
                "level {index} has only {}, but every one of the {} finer chunks looks into it",
                objects(level.objects),
                count(finer)
            ),
            advice: "fewer sizes make fewer levels; try `Config::max_levels`, or cut the large objects into smaller boxes",
            trial: None,
        })
    })
}

impl Facts<'_> {
    /// The share of a part in the predicted cost.
    fn part(&self, name: &str) -> f64 {
        self.cost.parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.share)
    }
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

fn objects(number: usize) -> String {
    if number == 1 { "1 object".to_owned() } else { format!("{} objects", count(number)) }
}

fn count(number: usize) -> String {
    grouped(number as u64)
}
