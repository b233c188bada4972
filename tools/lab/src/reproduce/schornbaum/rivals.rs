//! Figures 27 to 30: against sweep and prune and exhaustive search.

use super::one_by_one::OneByOne;
use super::swarm::Scenario;
use super::{DIFFERENCES, exhaustive, in_scenario, plain_chart, setting, sweep_and_prune, usual_hash_grid};
use crate::failure::Failure;
use crate::reproduce::figure::{Findings, Published, Verdict};
use crate::reproduce::measure::{Bench, Lane, pivotgrid, system};
use crate::reproduce::scale::decades;
use crate::reproduce::words::{LINEAR, lane, power, times, versus};

fn numbers(bench: &Bench) -> Vec<f64> {
    decades(10.0, bench.scale.of(1e3, 3e4, 1e5), bench.scale.of(1, 2, 3))
}

pub(super) fn setting_up(bench: &Bench) -> Result<Findings, Failure> {
    let one_by_one = "sweep and prune, object by object";
    let contenders = [usual_hash_grid(), system(one_by_one, OneByOne::new), sweep_and_prune(), exhaustive(), pivotgrid()];
    let numbers = decades(100.0, bench.scale.of(1e3, 1e4, 1e5), bench.scale.of(1, 2, 3));
    let lanes = in_scenario(bench, &contenders, &numbers, &Scenario::USUAL)?;
    let [grid, sweep, ours] = ["hash grid", one_by_one, "pivotgrid"].map(|name| lane(&lanes, name).growth(|m| m.first));
    let at = |name: &str, n| lane(&lanes, name).at(n).map(|measured| measured.first);
    let last = *numbers.last().unwrap_or(&1e3);
    let faster = at("hash grid", last).zip(at("pivotgrid", last)).map_or(f64::NAN, |(theirs, own)| theirs / own);
    Ok(Findings {
        setting: setting(bench, "the whole first step, allocation and search for pairs included"),
        differences: format!(
            "{DIFFERENCES} The pe engine is not part of it. Sweep and prune is measured twice: inserting objects in turn, eight at a \
             time, as pe does, and sorting all at once, as the thesis proposes."
        ),
        charts: vec![plain_chart("The first step", "ms", &lanes, |m| m.first)],
        published: vec![Published {
            quantity: "sweep and prune, object by object, 10 000 objects".into(),
            unit: "ms",
            paper: 60_000.0,
            here: at(one_by_one, 1e4),
            ours: at("pivotgrid", 1e4),
        }],
        verdicts: vec![
            Verdict::paper(
                "The hash grid's setup is linear, sweep and prune's quadratic.",
                grid < LINEAR && sweep > 1.6,
                format!("Here they grow as {} and {}.", power(grid), power(sweep)),
            ),
            Verdict::ours(
                "Its first step is faster than the hash grid's with most objects.",
                faster > 1.0,
                format!("The hash grid takes {} as long; ours grows as {}.", times(faster), power(ours)),
            ),
        ],
    })
}

pub(super) fn much_movement(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = compared(bench, &Scenario::speed(0.2))?;
    let ratio = at_last_common(&lanes, "sweep and prune", "all pairs");
    let grid = lane(&lanes, "hash grid").growth(|m| m.total);
    let paper = Verdict::paper(
        "Sweep and prune is slower than even exhaustive search; the hash grid is linear.",
        ratio > 1.0 && grid < LINEAR,
        format!("Sweep and prune takes {} as long as exhaustive search; the hash grid grows as {}.", times(ratio), power(grid)),
    );
    findings(bench, &lanes, "movement up to 20 % of the size", Vec::new(), paper)
}

pub(super) fn little_movement(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = compared(bench, &Scenario::speed(0.01))?;
    let ratio = at_last_common(&lanes, "sweep and prune", "hash grid");
    let [growth, linear] = ["sweep and prune", "hash grid"].map(|name| lane(&lanes, name).growth(|m| m.total));
    let paper = Verdict::paper(
        "The hash grid beats sweep and prune for many objects, which grows faster than it.",
        ratio > 1.0 && growth > linear,
        format!(
            "Sweep and prune takes {} as long as the hash grid; they grow as {} and {}.",
            times(ratio),
            power(growth),
            power(linear)
        ),
    );
    let row = Published {
        quantity: "sweep and prune / hash grid, most objects".into(),
        unit: "times (paper: up to 5)",
        paper: 5.0,
        here: Some(ratio),
        ours: Some(at_last_common(&lanes, "sweep and prune", "pivotgrid")),
    };
    findings(bench, &lanes, "movement up to 1 % of the size", vec![row], paper)
}

pub(super) fn no_collisions(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = compared(bench, &Scenario { shrink: 1e-5, ..Scenario::speed(0.01) })?;
    let ratio = at_last_common(&lanes, "hash grid", "sweep and prune");
    let paper = Verdict::paper(
        "Sweep and prune is faster than the hash grid.",
        ratio > 1.0,
        format!("The hash grid takes {} as long.", times(ratio)),
    );
    let row = Published {
        quantity: "hash grid / sweep and prune, most objects".into(),
        unit: "times (paper: 2 to 3)",
        paper: 2.5,
        here: Some(ratio),
        ours: Some(at_last_common(&lanes, "pivotgrid", "sweep and prune")),
    };
    findings(bench, &lanes, "objects 100 000 times smaller, movement up to 1 % of that", vec![row], paper)
}

fn compared(bench: &Bench, scenario: &Scenario) -> Result<Vec<Lane>, Failure> {
    let contenders = [usual_hash_grid(), sweep_and_prune(), exhaustive(), pivotgrid()];
    in_scenario(bench, &contenders, &numbers(bench), scenario)
}

/// How many times longer the one takes than the other, with the most objects that both came to.
fn at_last_common(lanes: &[Lane], one: &str, other: &str) -> f64 {
    let other = lane(lanes, other);
    let common = lane(lanes, one).points.iter().rev().find_map(|(n, m)| Some(m.total / other.at(*n)?.total));
    common.unwrap_or(f64::NAN)
}

fn findings(bench: &Bench, lanes: &[Lane], what: &str, published: Vec<Published>, paper: Verdict) -> Result<Findings, Failure> {
    let ratios = ["hash grid", "sweep and prune", "all pairs"].map(|name| (name, at_last_common(lanes, name, "pivotgrid")));
    let growth = lane(lanes, "pivotgrid").growth(|m| m.total);
    Ok(Findings {
        setting: setting(bench, &format!("cubes, two pairs per object, {what}")),
        differences: format!("{DIFFERENCES} The pe engine is not part of it."),
        charts: vec![plain_chart("A step", "ms per step", lanes, |m| m.total)],
        published,
        verdicts: vec![
            paper,
            Verdict::ours(
                "Faster than all three with most objects, and linear: no drop.",
                ratios.iter().all(|(_, ratio)| *ratio > 1.0) && growth < LINEAR,
                format!("{} Ours grows as {}.", versus(&ratios), power(growth)),
            ),
        ],
    })
}
