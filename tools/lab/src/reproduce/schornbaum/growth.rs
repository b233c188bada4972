//! Figures 20, 21, 22 and 26: how the hash grid grows with the number of objects, in good scenes and in bad ones.

use baselines::schornbaum::{Settings, Update};

use super::swarm::{Scenario, Sizes};
use super::{DIFFERENCES, Lanes, chart, exhaustive, hash_grid, in_scenario, many, setting, usual_hash_grid};
use crate::failure::Failure;
use crate::reproduce::figure::{Findings, Published, Verdict};
use crate::reproduce::measure::{Bench, Contender, Lane, Measured, pivotgrid, system};
use crate::reproduce::scale::decades;
use crate::reproduce::words::{LINEAR, lane, power, times};

fn run<'a>(
    bench: &Bench,
    contenders: &[Contender<3>],
    numbers: &[f64],
    scenarios: &[(&'a str, Scenario)],
) -> Result<Lanes<'a>, Failure> {
    let one = |(name, scenario): &(&'a str, Scenario)| Ok((*name, in_scenario(bench, contenders, numbers, scenario)?));
    scenarios.iter().map(one).collect()
}

fn exponents(lanes: &Lanes, name: &str, quantity: fn(&Measured) -> f64) -> Vec<f64> {
    lanes.iter().map(|(_, lanes)| lane(lanes, name).growth(quantity)).collect()
}

fn list(exponents: &[f64]) -> String {
    exponents.iter().map(|exponent| power(*exponent)).collect::<Vec<_>>().join(", ")
}

pub(super) fn against_all_pairs(bench: &Bench) -> Result<Findings, Failure> {
    let numbers = decades(10.0, bench.scale.of(1e3, 1e4, 3e4), bench.scale.of(1, 2, 3));
    // The thesis shows the grids without their own all-pairs test here.
    let bare = Settings { all_pairs_up_to: 0, ..Settings::default() };
    let contenders = [system("hash grid", move || hash_grid(Update::MoveChanged, bare)), exhaustive(), pivotgrid()];
    let scenarios = [("equal", Scenario::USUAL), ("1 to 12", Scenario::sizes(Sizes::Within12))];
    let lanes = run(bench, &contenders, &numbers, &scenarios)?;
    let (grids, quadratic) = (exponents(&lanes, "hash grid", |m| m.total), exponents(&lanes, "all pairs", |m| m.total));
    let equal = &lanes[0].1;
    let few = (lane(equal, "all pairs").points[0].1.total, lane(equal, "hash grid").points[0].1.total);
    // Of all scenarios and numbers, the one where the faster of the two is closest.
    let closest = lanes.iter().flat_map(|(scenario, lanes)| {
        let others = lanes.iter().filter(|lane| lane.name != "pivotgrid");
        others.flat_map(move |other| {
            let ours = lane(lanes, "pivotgrid");
            other
                .points
                .iter()
                .filter_map(move |(n, theirs)| Some((theirs.total / ours.at(*n)?.total, other.name.as_str(), *n, *scenario)))
        })
    });
    let closest = closest.min_by(|a, b| a.0.total_cmp(&b.0));
    let (worst, who, number, scenario) = closest.unwrap_or((f64::NAN, "no rival", 0.0, ""));
    Ok(Findings {
        setting: setting(bench, "two pairs per object, movement up to 20 % of the size, cubes of edge 1 or of edges 1 to 12"),
        differences: DIFFERENCES.to_owned(),
        charts: vec![chart("A step", "ms per step", &lanes, |m| m.total)],
        published: Vec::new(),
        verdicts: vec![
            Verdict::paper(
                "All pairs are quadratic, the hash grid is linear with one grid and with several.",
                quadratic.iter().all(|exponent| *exponent > 1.5) && grids.iter().all(|exponent| *exponent < LINEAR),
                format!("Here all pairs grow as {}, the hash grid as {}.", list(&quadratic), list(&grids)),
            ),
            Verdict::paper(
                "For few objects all pairs are faster.",
                few.0 < few.1,
                format!("With {} objects the hash grid takes {} as long.", numbers[0], times(few.1 / few.0)),
            ),
            Verdict::ours(
                "At no number of objects slower than either.",
                worst > 1.0,
                format!("Where it is closest ({number} objects, {scenario}), the time of {who} is {} ours.", times(worst)),
            ),
        ],
    })
}

pub(super) fn setting_up(bench: &Bench) -> Result<Findings, Failure> {
    let scenarios = [("equal", Scenario::USUAL), ("1 to 12", Scenario::sizes(Sizes::Within12))];
    let lanes = run(bench, &[usual_hash_grid(), pivotgrid()], &many(bench), &scenarios)?;
    let theirs = exponents(&lanes, "hash grid", |m| m.setup);
    let ours = exponents(&lanes, "pivotgrid", |m| m.setup);
    let last = |scenario: usize, name: &str| lane(&lanes[scenario].1, name).last().map_or(f64::NAN, |(_, m)| m.setup);
    let ratio = last(1, "hash grid") / last(0, "hash grid");
    let faster = [0, 1].map(|scenario| last(scenario, "hash grid") / last(scenario, "pivotgrid"));
    Ok(Findings {
        setting: setting(bench, "the first step without its search for pairs, allocation included"),
        differences: DIFFERENCES.to_owned(),
        charts: vec![chart("Setting up", "ms", &lanes, |m| m.setup)],
        published: Vec::new(),
        verdicts: vec![
            Verdict::paper(
                "The setup is linear, and several grids hardly matter.",
                theirs.iter().all(|exponent| *exponent < LINEAR) && ratio < 1.5,
                format!("Here it grows as {}; several grids take {} as long.", list(&theirs), times(ratio)),
            ),
            Verdict::ours(
                "Its first step is set up faster.",
                faster.iter().all(|ratio| *ratio > 1.0),
                format!(
                    "The hash grid takes {} and {} as long; ours grows as {}.",
                    times(faster[0]),
                    times(faster[1]),
                    list(&ours)
                ),
            ),
        ],
    })
}

pub(super) fn scenarios(bench: &Bench) -> Result<Findings, Failure> {
    let dense = |pairs| Scenario { pairs, ..Scenario::USUAL };
    let scenarios = [
        ("equal, 1 pair each", dense(1.0)),
        ("equal, 2 pairs", dense(2.0)),
        ("equal, 4 pairs", dense(4.0)),
        ("1 to 12, 2 pairs", Scenario::sizes(Sizes::Within12)),
    ];
    let lanes = run(bench, &[usual_hash_grid(), pivotgrid()], &many(bench), &scenarios)?;
    let ours = exponents(&lanes, "pivotgrid", |m| m.total);
    let last = |scenario: usize, name: &str| lane(&lanes[scenario].1, name).last().map_or(f64::NAN, |(_, m)| m.total);
    let [sparse, usual, dense, many_sizes] = [0, 1, 2, 3].map(|scenario| last(scenario, "hash grid"));
    let ratios: Vec<f64> = (0..4).map(|scenario| last(scenario, "hash grid") / last(scenario, "pivotgrid")).collect();
    let at_ten_thousand = |name: &str| lane(&lanes[1].1, name).at(1e4).map(|measured| measured.total);
    Ok(Findings {
        setting: setting(bench, "movement up to 20 %"),
        differences: DIFFERENCES.to_owned(),
        charts: vec![chart("A step", "ms per step", &lanes, |m| m.total)],
        published: vec![Published {
            quantity: "hash grid, 10 000 objects, 20 000 pairs".into(),
            unit: "ms per step (paper: 10 to 20)",
            paper: 15.0,
            here: at_ten_thousand("hash grid"),
            ours: at_ten_thousand("pivotgrid"),
        }],
        verdicts: vec![
            Verdict::paper(
                "More collisions and more grids take more time.",
                sparse < usual && usual < dense && usual < many_sizes,
                format!(
                    "With most objects: {} from 1 to 2 pairs, {} from 2 to 4, {} for sizes of 1 to 12.",
                    times(usual / sparse),
                    times(dense / usual),
                    times(many_sizes / usual)
                ),
            ),
            Verdict::ours(
                "Faster in every scenario, and linear.",
                ratios.iter().all(|ratio| *ratio > 1.0) && ours.iter().all(|exponent| *exponent < LINEAR),
                format!(
                    "The hash grid takes {} as long; ours grows as {}.",
                    ratios.iter().map(|ratio| times(*ratio)).collect::<Vec<_>>().join(", "),
                    list(&ours)
                ),
            ),
        ],
    })
}

pub(super) fn worst_cases(bench: &Bench) -> Result<Findings, Failure> {
    let scenarios = [
        ("cubes", Scenario::USUAL),
        ("10×1×1", Scenario::sizes(Sizes::Long)),
        ("10×10×1", Scenario::sizes(Sizes::Flat)),
        ("domain 1024:1:1", Scenario { length: 1024.0, ..Scenario::USUAL }),
    ];
    let lanes = run(bench, &[usual_hash_grid(), pivotgrid()], &many(bench), &scenarios)?;
    // The slowdown against cubes, at the largest number of objects.
    let last = |lanes: &[Lane], name: &str| lane(lanes, name).last().map_or(f64::NAN, |(_, m)| m.total);
    let slowdown = |scenario: usize, name: &str| last(&lanes[scenario].1, name) / last(&lanes[0].1, name);
    let [theirs, ours] = ["hash grid", "pivotgrid"].map(|name| [1, 2, 3].map(|scenario| slowdown(scenario, name)));
    let growth = exponents(&lanes, "pivotgrid", |m| m.total);
    let row = |quantity: &str, paper, scenario: usize| Published {
        quantity: format!("{quantity}, against cubes"),
        unit: "times as long",
        paper,
        here: Some(theirs[scenario]),
        ours: Some(ours[scenario]),
    };
    Ok(Findings {
        setting: setting(bench, "two pairs per object, movement up to 20 % of the shortest edge"),
        differences: format!("{DIFFERENCES} The thesis has no number for flat boxes."),
        charts: vec![chart("A step", "ms per step", &lanes, |m| m.total)],
        published: vec![row("10×1×1", 5.0, 0), row("domain 1024:1:1", 1.5, 2)],
        verdicts: vec![
            Verdict::paper(
                "Long boxes take several times as long, a long domain much less than that.",
                theirs[0] > 2.0 && theirs[2] < theirs[0],
                format!("Here {} and {}; flat boxes {}.", times(theirs[0]), times(theirs[2]), times(theirs[1])),
            ),
            Verdict::ours(
                "No scene with a devastating drop: linear in all of them, and never more than a few times the time of cubes.",
                growth.iter().all(|exponent| *exponent < LINEAR) && ours.iter().all(|ratio| *ratio < 4.0),
                format!(
                    "Long boxes take {}, flat ones {}, a long domain {}; growth {}.",
                    times(ours[0]),
                    times(ours[1]),
                    times(ours[2]),
                    list(&growth)
                ),
            ),
        ],
    })
}
