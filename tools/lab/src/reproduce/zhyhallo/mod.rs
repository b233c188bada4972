//! Zhyhallo & Woźna-Szcześniak: parallel and chunked pivots; figures 4 to 6.
//!
//! The paper times how long the table takes to build and stops there, so here it is the build that is timed, of ours as well
//! (all passes but detection); all of them then look for pairs, which are compared.

mod scenes;

use baselines::zhyhallo::{ChunkedPivots, DensePivots, Domain, HashMapCells, Pozzer};

use super::figure::{Axis, Chart, Figure, Findings, Kind, Published, Series, Verdict};
use super::measure::{
    Bench, Clock, Contender, Lane, Measured, geometric_mean, pivotgrid, pivotgrid_without_pairs, sweep, sweep_each, system,
};
use super::scale::decades;
use super::words::{lane, times};
use crate::failure::Failure;
use crate::report::grouped;
use scenes::{Spread, Squares};

const PAPER: &str = "zhyhallo";
/// Cells along a chunk's edge. The paper leaves it open; with 64, the table of chunks is small in the largest scene too.
const CHUNK: u32 = 64;
/// The paper's largest scene; beyond it a table of all cells does not fit into memory.
const LARGEST: f64 = 14336.0;
/// Bytes of a cell in the tables of all cells.
const POZZER_CELL: f64 = 12.0;
const DENSE_CELL: f64 = 8.0;
const MIB: f64 = 1024.0 * 1024.0;

pub(crate) fn figures() -> Vec<Figure> {
    let figure = |id, title, claim, measure| Figure { paper: PAPER, kind: Kind::Figure, id, title, claim, measure };
    vec![
        figure(
            "4",
            "Parallel pivots against Pozzer's",
            "With 16 threads the parallel table is built two to four times as fast; time rises with the scene's size.",
            parallel,
        ),
        figure(
            "5",
            "Memory of the chunked table",
            "With evenly spread objects memory rises with the scene; with clustered ones it follows the objects, whatever the scene.",
            memory,
        ),
        figure(
            "6",
            "10 000 objects in larger and larger scenes",
            "Time and memory of the chunked table do not depend on the scene's size when objects are clustered; Pozzer's do.",
            few_objects,
        ),
    ]
}

fn domain(cells: f64) -> Domain {
    Domain::square([0.0; 2], 1.0, cells as u32)
}

/// The paper's systems in a scene with `cells` cells along an edge, and ours, which gets no cell size.
fn contenders(cells: f64) -> Vec<Contender<2>> {
    vec![
        system("Pozzer", move || Pozzer::with_domain(domain(cells))),
        system("dense pivots", move || DensePivots::with_domain(domain(cells))),
        system("chunked pivots", move || ChunkedPivots::with_chunks(Some(domain(cells)), CHUNK)),
        system("hash map", move || HashMapCells::with_domain(domain(cells))),
        pivotgrid(),
    ]
}

fn parallel(bench: &Bench) -> Result<Findings, Failure> {
    let (scene, most) = bench.scale.of((256.0, 2e3), (4096.0, 1e6), (8192.0, 1e7));
    let largest = bench.scale.of(512.0, 8192.0, LARGEST);
    let laps = bench.scale.of(1, 9, 20);
    let objects = bench.scale.of(1e3, 1e5, 1e6);
    let (by_objects, by_scene) = bench.on_threads(bench.threads, || {
        let numbers = decades(most / 100.0, most, 2);
        let by_objects =
            sweep(bench, &contenders(scene), &numbers, laps, Clock::Wall, |n| Squares::new(Spread::Even, n as usize, scene))?;
        Ok((by_objects, by_scene_size(bench, &scene_sizes(largest), objects as usize, laps, Spread::Even, contenders)?))
    })??;
    let ratios = lane(&by_objects, "Pozzer")
        .points
        .iter()
        .filter_map(|(n, theirs)| Some(theirs.build / lane(&by_objects, "dense pivots").at(*n)?.build));
    let mean = geometric_mean(ratios);
    let rise = |name: &str| {
        let curve = lane(&by_scene, name).curve(|m| m.build);
        curve.last().zip(curve.first()).map_or(f64::NAN, |(last, first)| last.1 / first.1)
    };
    let threads = bench.threads;
    Ok(Findings {
        setting: format!(
            "squares of half a cell's edge, evenly spread; (a) {scene}² cells, (b) {} objects; the fastest of {laps} steps after 2, \
             {threads} threads, wall time",
            grouped(objects as u64)
        ),
        differences: format!(
            "{threads} threads instead of 16. Pozzer's table and the hash map are serial, as in the paper. The paper's number of \
             objects in (b) is not given."
        ),
        charts: vec![
            lines("Building, by number of objects", "objects", "ms to build", &by_objects, |m| m.build),
            lines("Building, by size of the scene", "cells along an edge", "ms to build", &by_scene, |m| m.build),
        ],
        published: vec![Published {
            quantity: "Pozzer / parallel pivots, mean over objects".into(),
            unit: "times (paper: 2 to 4)",
            paper: 3.0,
            here: Some(mean),
            ours: Some(geometric_mean(
                lane(&by_objects, "Pozzer")
                    .points
                    .iter()
                    .filter_map(|(n, theirs)| Some(theirs.build / lane(&by_objects, "pivotgrid").at(*n)?.build)),
            )),
        }],
        verdicts: vec![
            Verdict::paper(
                "Parallel pivots are built at least twice as fast as Pozzer's, the paper says with 16 threads.",
                mean >= 2.0,
                format!("With {threads} threads {} as fast.", times(mean)),
            ),
            Verdict::paper(
                "Building takes longer in a larger scene.",
                rise("dense pivots") > 1.5,
                format!("From the smallest scene to the largest {} as long.", times(rise("dense pivots"))),
            ),
            Verdict::ours(
                "Building takes no longer in a larger scene.",
                rise("pivotgrid") < 1.5,
                format!("{} as long.", times(rise("pivotgrid"))),
            ),
        ],
    })
}

fn memory(bench: &Bench) -> Result<Findings, Failure> {
    let scenes = bench.scale.of([256.0, 512.0], [2048.0, 8192.0], [2048.0, LARGEST]);
    let most = bench.scale.of(1e3, 3e4, 1e5);
    let numbers = decades(most / 100.0, most, 2);
    let mut charts = Vec::new();
    let mut largest = Vec::new();
    for (spread, title) in [(Spread::Even, "Evenly spread: the worst case"), (Spread::Clustered, "Clustered: the real case")] {
        let mut series = Vec::new();
        for (variant, &scene) in scenes.iter().enumerate() {
            let lanes = sweep(&bench.patient(), &memory_contenders(scene), &numbers, 1, Clock::Processor, |n| {
                Squares::new(spread, n as usize, scene)
            })?;
            series.extend(lanes.iter().map(|lane| lane.series_in(&format!("{scene}²"), variant, |m| m.bytes as f64 / MIB)));
            largest.push([lane(&lanes, "chunked pivots"), lane(&lanes, "pivotgrid")].map(|lane| lane.curve(|m| m.bytes as f64)));
        }
        charts.push(Chart { title: title.into(), x: Axis::log("objects"), y: Axis::log("MiB"), series });
    }
    // How many times more memory the larger scene takes, in the mean over the numbers of objects.
    let factor = |small: &[(f64, f64)], large: &[(f64, f64)]| geometric_mean(small.iter().zip(large).map(|(s, l)| l.1 / s.1));
    let [even, clustered] = [0, 2].map(|k| [0, 1].map(|who| factor(&largest[k][who], &largest[k + 1][who])));
    Ok(Findings {
        setting: format!(
            "scenes of {}² and {}² cells, up to {} objects, memory after three steps",
            scenes[0],
            scenes[1],
            grouped(most as u64)
        ),
        differences:
            "Clusters are ours: discs of 32 cells' radius, 200 objects each; the paper uses a 2D game's physics. All bytes \
                      are counted by the structures themselves, without boxes and pairs."
                .to_owned(),
        charts,
        published: Vec::new(),
        verdicts: vec![
            Verdict::paper(
                "The chunked table's memory rises with the scene when objects are evenly spread.",
                even[0] > 1.3,
                format!("{} as much in the larger scene.", times(even[0])),
            ),
            Verdict::paper(
                "It does not depend on the scene when they are clustered.",
                clustered[0] < 1.3,
                format!("{} as much in the larger scene.", times(clustered[0])),
            ),
            Verdict::ours(
                "Memory follows the objects in both cases.",
                even[1].max(clustered[1]) < 1.3,
                format!("In the larger scene {} as much evenly spread, {} clustered.", times(even[1]), times(clustered[1])),
            ),
        ],
    })
}

fn few_objects(bench: &Bench) -> Result<Findings, Failure> {
    let objects = bench.scale.of(500, 10_000, 10_000);
    let dense = bench.scale.of(512.0, LARGEST, LARGEST);
    let beyond = bench.scale.of(vec![1024.0], vec![32768.0, 131_072.0], vec![32768.0, 131_072.0]);
    let laps = bench.scale.of(1, 15, 25);
    let sizes: Vec<f64> = if dense == LARGEST { vec![2048.0, 4096.0, 8192.0, LARGEST] } else { vec![256.0, dense] };
    let (even, clustered) = bench.on_threads(bench.threads, || {
        let without_tables = |cells| memory_contenders(cells).into_iter().skip(2).collect::<Vec<_>>();
        let all_sizes: Vec<f64> = sizes.iter().chain(&beyond).copied().collect();
        let even = by_scene_size(bench, &all_sizes, objects, laps, Spread::Even, without_tables)?;
        let mut clustered = by_scene_size(bench, &sizes, objects, laps, Spread::Clustered, memory_contenders)?;
        let further = by_scene_size(bench, &beyond, objects, laps, Spread::Clustered, without_tables)?;
        for (lane, more) in clustered.iter_mut().skip(2).zip(further) {
            lane.points.extend(more.points);
        }
        let last = all_sizes[all_sizes.len() - 1];
        for (lane, cell) in clustered[..2].iter_mut().zip([POZZER_CELL, DENSE_CELL]) {
            let (name, gigabytes) = (&lane.name, last * last * cell / 1e9);
            lane.stopped = Some(format!("{name} stops at {dense}²: its table of {last}² cells would take {gigabytes:.1} GB"));
        }
        Ok((even, clustered))
    })??;
    let chart = |title: &str, label: &str, quantity: fn(&Measured) -> f64| {
        let mut series: Vec<Series> = clustered.iter().map(|lane| lane.series_in("clustered", 0, quantity)).collect();
        series.extend(even.iter().map(|lane| lane.series_in("even", 1, quantity)));
        Chart { title: title.into(), x: Axis::log("cells along an edge"), y: Axis::log(label), series }
    };
    let range = |name: &str, quantity: fn(&Measured) -> f64| {
        let values: Vec<f64> = lane(&clustered, name).points.iter().map(|(_, measured)| quantity(measured)).collect();
        values.iter().copied().fold(0.0, f64::max) / values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let within = |name: &str| {
        let chunked = lane(&clustered, name).points.iter().filter(|(cells, _)| *cells <= LARGEST);
        let bytes: Vec<f64> = chunked.map(|(_, m)| m.bytes as f64).collect();
        bytes.iter().copied().fold(0.0, f64::max) / bytes.iter().copied().fold(f64::INFINITY, f64::min)
    };
    // The slowest scene of all, and the largest, against the smallest: falling is welcome.
    let times_to_build = lane(&clustered, "pivotgrid").curve(|m| m.build);
    let smallest = times_to_build.first().map_or(f64::NAN, |point| point.1);
    let slowest = times_to_build.iter().map(|point| point.1).fold(0.0, f64::max) / smallest;
    let largest = times_to_build.last().map_or(f64::NAN, |point| point.1) / smallest;
    let space = range("pivotgrid", |m| m.bytes as f64);
    let farthest = lane(&clustered, "pivotgrid").last().map_or(0.0, |point| point.0);
    Ok(Findings {
        setting: format!(
            "{} objects, the fastest of {laps} steps after 2, {} threads, wall time; memory without boxes and pairs",
            grouped(objects as u64),
            bench.threads
        ),
        differences:
            "Ours and the chunked table also run in scenes far beyond the paper's 14336²; a hash map of cells and the dense \
                      parallel table are added."
                .to_owned(),
        charts: vec![chart("Time to build", "ms to build", |m| m.build), chart("Memory", "MiB", |m| m.bytes as f64 / MIB)],
        published: Vec::new(),
        verdicts: vec![
            Verdict::paper(
                "Pozzer's time and memory rise with the scene.",
                range("Pozzer", |m| m.build) > 3.0 && range("Pozzer", |m| m.bytes as f64) > 3.0,
                format!(
                    "From the smallest scene to {dense}² {} the time and {} the memory.",
                    times(range("Pozzer", |m| m.build)),
                    times(range("Pozzer", |m| m.bytes as f64))
                ),
            ),
            Verdict::paper(
                "The chunked table's memory is flat up to 14336² when objects are clustered.",
                within("chunked pivots") < 1.5,
                format!("The most is {} the least.", times(within("chunked pivots"))),
            ),
            Verdict::ours(
                format!("Time and memory do not grow with the scene, up to {farthest}² cells."),
                slowest < 1.5 && space < 1.2,
                format!(
                    "Building takes {} as long in the largest scene as in the smallest, at most {} in between; the most memory is {} \
                     the least.",
                    times(largest),
                    times(slowest),
                    times(space)
                ),
            ),
        ],
    })
}

fn memory_contenders(cells: f64) -> Vec<Contender<2>> {
    let mut contenders = contenders(cells);
    contenders.pop();
    contenders.push(pivotgrid_without_pairs());
    contenders
}

/// Every size has its own table, so it is a sweep of its own.
fn by_scene_size(
    bench: &Bench,
    sizes: &[f64],
    objects: usize,
    laps: usize,
    spread: Spread,
    contenders: impl Fn(f64) -> Vec<Contender<2>>,
) -> Result<Vec<Lane>, Failure> {
    sweep_each(bench, contenders, sizes, laps, Clock::Wall, |cells| Squares::new(spread, objects, cells))
}

fn scene_sizes(largest: f64) -> Vec<f64> {
    (1..=7).map(|k| f64::from(k) * 2048.0).filter(|size| *size <= largest).chain((largest < 2048.0).then_some(largest)).collect()
}

fn lines(title: &str, x: &str, y: &str, lanes: &[Lane], quantity: fn(&Measured) -> f64) -> Chart {
    let series = lanes.iter().map(|lane| lane.series(quantity)).collect();
    Chart { title: title.into(), x: Axis::log(x), y: Axis::log(y), series }
}
