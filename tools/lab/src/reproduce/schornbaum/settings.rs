//! Figures 23, 24 and 25: the hash grid's own choices.

use baselines::schornbaum::{Settings, Update};

use super::swarm::{Scenario, Sizes};
use super::{DIFFERENCES, chart, hash_grid, in_scenario, many, plain_chart, setting};
use crate::failure::Failure;
use crate::reproduce::figure::{Findings, Published, Verdict};
use crate::reproduce::measure::{Bench, Contender, Lane, Measured, geometric_mean, pivotgrid, system};
use crate::reproduce::words::{lane, times, versus};

const FACTORS: [f64; 5] = [1.2, 1.5, 2.0, 3.0, 4.0];

pub(super) fn equal_cubes(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = by_factor(bench, &Scenario::USUAL)?;
    let totals = largest(&lanes);
    let sorted = totals[..FACTORS.len()].is_sorted();
    let paper = Verdict::paper("The smaller the factor, the faster.", sorted, ranking(&lanes, &totals));
    findings(bench, &lanes, &totals, "cubes of edge 1", paper)
}

pub(super) fn sizes_within_12(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = by_factor(bench, &Scenario::sizes(Sizes::Within12))?;
    let totals = largest(&lanes);
    let best = (0..FACTORS.len()).min_by(|&a, &b| totals[a].total_cmp(&totals[b])).unwrap_or(0);
    let paper = Verdict::paper("A factor of 2 is the best choice.", FACTORS[best] == 2.0, ranking(&lanes, &totals));
    findings(bench, &lanes, &totals, "cubes with edges of 1 to 12", paper)
}

fn by_factor(bench: &Bench, scenario: &Scenario) -> Result<Vec<Lane>, Failure> {
    let grid = |factor: f64| {
        let settings = Settings { factor, ..Settings::default() };
        system(format!("hash grid, factor {factor}"), move || hash_grid(Update::MoveChanged, settings))
    };
    let contenders: Vec<Contender<3>> = FACTORS.into_iter().map(grid).chain([pivotgrid()]).collect();
    in_scenario(bench, &contenders, &many(bench), scenario)
}

/// Times with the most objects that all of them came to.
fn largest(lanes: &[Lane]) -> Vec<f64> {
    let reached = |lane: &Lane| lane.last().map_or(0.0, |point| point.0);
    let common = lanes.iter().map(reached).fold(f64::INFINITY, f64::min);
    lanes.iter().map(|lane| lane.at(common).map_or(f64::NAN, |measured| measured.total)).collect()
}

fn ranking(lanes: &[Lane], totals: &[f64]) -> String {
    let ours = totals[totals.len() - 1];
    let ratios: Vec<(&str, f64)> = lanes
        .iter()
        .zip(totals)
        .take(FACTORS.len())
        .map(|(lane, total)| (lane.name.trim_start_matches("hash grid, "), total / ours))
        .collect();
    versus(&ratios)
}

fn findings(bench: &Bench, lanes: &[Lane], totals: &[f64], what: &str, paper: Verdict) -> Result<Findings, Failure> {
    let best = totals[..FACTORS.len()].iter().copied().fold(f64::INFINITY, f64::min) / totals[FACTORS.len()];
    Ok(Findings {
        setting: setting(bench, &format!("{what}, two pairs per object, movement up to 20 %")),
        differences: DIFFERENCES.to_owned(),
        charts: vec![plain_chart("A step", "ms per step", lanes, |m| m.total)],
        published: Vec::new(),
        verdicts: vec![
            paper,
            Verdict::ours("No factor has to be chosen.", best > 1.0, format!("The best factor takes {} as long.", times(best))),
        ],
    })
}

pub(super) fn update_phase(bench: &Bench) -> Result<Findings, Failure> {
    let contenders = [
        system("refilling", || hash_grid(Update::Refill, Settings::default())),
        system("one by one", || hash_grid(Update::MoveChanged, Settings::default())),
        pivotgrid(),
    ];
    // Cells are 1.4 times as large as the objects.
    let abnormal = Scenario { speed: 3.0, all_at_full_speed: true, ..Scenario::USUAL };
    let numbers = many(bench);
    let normal = in_scenario(bench, &contenders, &numbers, &Scenario::USUAL)?;
    let wild = in_scenario(bench, &contenders, &numbers, &abnormal)?;
    let gain = |lanes: &[Lane]| {
        let one_by_one = lane(lanes, "one by one");
        geometric_mean(lane(lanes, "refilling").points.iter().filter_map(|(n, m)| Some(m.build / one_by_one.at(*n)?.build)))
    };
    let ours = |lanes: &[Lane], quantity: fn(&Measured) -> f64| {
        let others = lane(lanes, "one by one").points.iter();
        geometric_mean(others.filter_map(|(n, theirs)| Some(quantity(theirs) / quantity(lane(lanes, "pivotgrid").at(*n)?))))
    };
    let (normal_gain, wild_gain) = (gain(&normal), gain(&wild));
    let [calm, hard] = [&normal, &wild].map(|lanes| ours(lanes, |m| m.build));
    let [calm_step, hard_step] = [&normal, &wild].map(|lanes| ours(lanes, |m| m.total));
    let lanes = vec![("up to 20 %", normal), ("all change cells", wild)];
    Ok(Findings {
        setting: setting(bench, "the update phase only: a step without its search for pairs"),
        differences: DIFFERENCES.to_owned(),
        charts: vec![chart("The update phase", "ms per step", &lanes, |m| m.build)],
        published: vec![Published {
            quantity: "refilling / one by one, normal movement".into(),
            unit: "times (40 % faster)",
            paper: 1.4,
            here: Some(normal_gain),
            ours: None,
        }],
        verdicts: vec![
            Verdict::paper(
                "Moving objects one by one is faster under normal movement, and not if all change their cell.",
                normal_gain > 1.0 && wild_gain < normal_gain,
                format!("Refilling takes {} as long, with abnormal movement {}.", times(normal_gain), times(wild_gain)),
            ),
            Verdict::ours(
                "Rebuilding everything, it is faster than the update, whatever moves.",
                calm > 1.0 && hard > 1.0,
                format!(
                    "The update one by one takes {} as long, with abnormal movement {}; whole steps {} and {}.",
                    times(calm),
                    times(hard),
                    times(calm_step),
                    times(hard_step)
                ),
            ),
        ],
    })
}
