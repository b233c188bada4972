//! Christian Koch, 2020: linked cells, octree and hierarchical hash grid in waLBerla; tables 1 to 11.

mod placing;
mod scaling;
mod scenes;
mod spheres;

use baselines::koch::{HASH_GRID, LinkedCells, Octree};
use baselines::schornbaum::{HierarchicalHashGrid, Settings, Update};

use super::figure::{Axis, Chart, Figure, Findings, Kind, Published, Role, Series, Verdict};
use super::measure::{Bench, Clock, Contender, Measured, pivotgrid, race, system};
use super::words::{times, versus};
use crate::failure::Failure;
use crate::report::grouped;
use scenes::Scene;
use spheres::Spheres;

const PAPER: &str = "koch";

pub(crate) fn figures() -> Vec<Figure> {
    let table = |id, title, claim, measure| Figure { paper: PAPER, kind: Kind::Table, id, title, claim, measure };
    vec![
        table(
            "1",
            "Reference: equal spheres, evenly spread",
            "Linked cells are three to four times as fast as the other two.",
            |bench| scene_table(bench, &scenes::REFERENCE),
        ),
        table(
            "2",
            "Inhomogeneous: three dense areas, 1 % elsewhere",
            "The hash grid is the fastest; linked cells have lost their lead but still beat the octree.",
            |bench| scene_table(bench, &scenes::INHOMOGENEOUS),
        ),
        table(
            "3",
            "Very inhomogeneous: a dense corner in a domain of 2000³",
            "The hash grid is the fastest, the octree beats linked cells almost fivefold.",
            |bench| scene_table(bench, &scenes::VERY_INHOMOGENEOUS),
        ),
        table(
            "4",
            "Checkerboard: 32 full and 32 empty fields",
            "Linked cells are the fastest, the octree the slowest.",
            |bench| scene_table(bench, &scenes::CHECKERBOARD),
        ),
        table(
            "5",
            "Polydisperse: four sizes within a factor of 8",
            "Linked cells are four times as fast as the hash grid, which compares fewer pairs.",
            |bench| scene_table(bench, &scenes::POLYDISPERSE),
        ),
        table("6", "More polydisperse: four sizes within a factor of 40", "The hash grid is seven times as fast.", |bench| {
            scene_table(bench, &scenes::MORE_POLYDISPERSE)
        }),
        table(
            "7",
            "Very polydisperse: a rock in the sand",
            "Linked cells compare all with all; the hash grid is several hundred times as fast.",
            |bench| scene_table(bench, &scenes::VERY_POLYDISPERSE),
        ),
        table(
            "8",
            "The octree from 10 000 to 5 120 000 spheres in 1024³",
            "Time grows as n^1.14, a little faster than the number of spheres.",
            scaling::octree,
        ),
        table(
            "9",
            "Neighbor relations between the cells of a grid",
            "A grid of n³ cells has (3n - 2)³ of them, each cell being its own neighbor too: 8 times as many when n doubles.",
            scaling::relations,
        ),
        table(
            "10",
            "The hash grid from 10 000 to 5 120 000 spheres in 1024³",
            "Compared pairs grow fourfold with each doubling: linear in time while the grid is empty, turning quadratic as it fills.",
            scaling::hash_grid,
        ),
        table(
            "11",
            "Memory from 500 000 to 8 000 000 spheres in 400³",
            "Memory grows roughly linearly; 256³ cells take three to four times as much as 128³.",
            scaling::memory,
        ),
    ]
}

/// His structures as set in a scene, and ours. Linked cells without a given size look for the best one from step to step.
fn contenders(linked_cell: Option<f64>, capacity: usize, hash_bits: u32) -> Vec<Contender<3>> {
    vec![
        system("linked cells", move || linked_cell.map_or_else(LinkedCells::<3>::default, LinkedCells::with_cell_size)),
        system("octree", move || Octree::<3>::new(capacity, 100)),
        system("hash grid", move || hash_grid(hash_bits)),
        pivotgrid(),
    ]
}

fn hash_grid(bits: u32) -> HierarchicalHashGrid<3> {
    HierarchicalHashGrid::new(Update::Refill, Settings { bits, ..HASH_GRID })
}

/// Tables 1 to 7.
fn scene_table(bench: &Bench, scene: &Scene) -> Result<Findings, Failure> {
    let all: usize = scene.crowds.iter().map(|crowd| crowd.count).sum();
    // The rock's cell is that of the whole domain, whatever its size.
    let share = bench.scale.of(2000.0 / all as f64, (250_000.0 / all as f64).min(1.0), 1.0);
    let laps = bench.scale.of(1, 5, scene.steps);
    let mut spheres = Spheres::new(scene, share, 1);
    let objects = super::measure::Motion::boxes(&spheres).len();
    let contenders = contenders(Some(scene.linked_cell), 11, scene.hash_bits);
    let measured = race(&contenders.iter().collect::<Vec<_>>(), &mut spheres, laps, Clock::Processor, bench.limit)?;

    let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
    let per_object = |ms: f64| 1e6 * ms / objects as f64;
    let published_per_object = |seconds: f64| 1e9 * seconds / (scene.steps * all) as f64;
    let here = |quantity: &dyn Fn(&Measured) -> f64| measured.iter().enumerate().map(|(x, m)| (x as f64, quantity(m))).collect();
    let paper = |quantity: fn(&scenes::Result) -> f64| {
        let results = scene.published.iter().enumerate();
        results.filter_map(|(x, result)| Some((x as f64, published_per_object(quantity(result.as_ref()?))))).collect::<Vec<_>>()
    };
    let chart = |title: &str, label: &str, here, paper| Chart {
        title: title.to_owned(),
        x: Axis::names("", names.iter().copied()),
        y: Axis::log(label),
        series: vec![bars("this machine", Role::Theirs, here), bars("the thesis", Role::Published, paper)],
    };
    let pairs_paper: Vec<(f64, f64)> = paper(|result| result.pairs).into_iter().map(|(x, y)| (x, y / 1e9)).collect();
    let charts = vec![
        chart("Whole step", "ns per object and step", here(&|m| per_object(m.total)), paper(|result| result.total)),
        chart("Search for pairs", "ns per object and step", here(&|m| per_object(m.detect)), paper(|result| result.collision)),
        chart("Compared pairs", "pairs per object and step", here(&|m| m.candidates as f64 / objects as f64), pairs_paper),
    ];

    let ours = measured[3];
    let mut published = Vec::new();
    for ((name, result), measured) in names.iter().zip(&scene.published).zip(&measured) {
        let Some(result) = result else { continue };
        let mut row = |what: &str, unit, paper, here, ours| {
            published.push(Published { quantity: format!("{name}: {what}"), unit, paper, here: Some(here), ours: Some(ours) });
        };
        let step = "ns per object and step";
        row("whole step", step, published_per_object(result.total), per_object(measured.total), per_object(ours.total));
        row("search", step, published_per_object(result.collision), per_object(measured.detect), per_object(ours.detect));
        let pairs = published_per_object(result.pairs) / 1e9;
        let per_object = |candidates: u64| candidates as f64 / objects as f64;
        row("compared pairs", "per object and step", pairs, per_object(measured.candidates), per_object(ours.candidates));
    }
    Ok(Findings {
        setting: format!(
            "{} spheres ({:.0} % of the thesis' {}, at the same densities), median of {laps} steps after 2, one thread, CPU time",
            grouped(objects as u64),
            100.0 * share,
            grouped(all as u64),
        ),
        differences: "Spheres drift with at most 0.5 % of their diameter per step and pass through each other; there is no physics, \
                      and no walls take part as infinite objects, so one compared pair per object, step and wall is missing here. \
                      Cell sizes and grid sizes are the thesis' fastest; ours chooses for itself."
            .to_owned(),
        charts,
        published,
        verdicts: vec![same_order(scene, &names, &measured), ahead(scene, &names, &measured)],
    })
}

fn bars(name: &str, role: Role, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), role, family: name.to_owned(), variant: 0, points, stopped: None }
}

/// Whether the thesis' structures come in the order of the thesis.
fn same_order(scene: &Scene, names: &[&str], measured: &[Measured]) -> Verdict {
    let order = |time: &dyn Fn(usize) -> f64| {
        let mut order: Vec<usize> = (0..3).filter(|&k| scene.published[k].is_some()).collect();
        order.sort_by(|&a, &b| time(a).total_cmp(&time(b)));
        order
    };
    let theirs = order(&|k| scene.published[k].map_or(0.0, |result| result.total));
    let here = order(&|k| measured[k].total);
    let list = |order: &[usize]| order.iter().map(|&k| names[k]).collect::<Vec<_>>().join(", then ");
    let slowest = *here.last().unwrap_or(&0);
    let spread = measured[slowest].total / measured[here[0]].total;
    Verdict::paper(
        format!("From fast to slow: {}.", list(&theirs)),
        theirs == here,
        format!("Here: {}; the last takes {} as long as the first.", list(&here), times(spread)),
    )
}

fn ahead(scene: &Scene, names: &[&str], measured: &[Measured]) -> Verdict {
    let ratios: Vec<(&str, f64)> = (0..3).map(|k| (names[k], measured[k].total / measured[3].total)).collect();
    let held = ratios.iter().all(|(_, ratio)| *ratio > 1.0);
    Verdict::ours(format!("Faster than every structure of the thesis in the {} scene.", scene.name), held, versus(&ratios))
}
