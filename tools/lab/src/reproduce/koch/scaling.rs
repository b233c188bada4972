//! Tables 8 to 11: how time, pairs and memory grow with the number of spheres.

use baselines::Bounds;
use baselines::koch::Octree;

use super::{contenders, hash_grid as grid_of};
use crate::failure::Failure;
use crate::report::grouped;
use crate::reproduce::figure::{Axis, Chart, Findings, Published, Role, Series, Verdict};
use crate::reproduce::measure::{Bench, Clock, Lane, Measured, Still, geometric_mean, pivotgrid_without_pairs, sweep, system};
use crate::reproduce::random::Random;
use crate::reproduce::scale::doublings;
use crate::reproduce::words::{LINEAR, lane, power, times};

/// Seconds for ten steps, and compared pairs in them, from 10 000 spheres on, with each doubling.
const OCTREE: [(f64, f64); 10] = [
    (0.0692, 2.95e6),
    (0.188, 1.12e7),
    (0.391, 2.00e7),
    (0.692, 2.51e7),
    (1.88, 9.53e7),
    (4.32, 1.66e8),
    (8.24, 2.08e8),
    (19.8, 7.87e8),
    (44.3, 1.37e9),
    (86.5, 1.69e9),
];
const HASH_GRID: [(f64, f64); 10] = [
    (0.0262, 6.33e3),
    (0.0472, 2.55e4),
    (0.106, 1.05e5),
    (0.286, 4.19e5),
    (0.802, 1.69e6),
    (2.15, 6.72e6),
    (6.07, 2.69e7),
    (17.6, 1.08e8),
    (47.0, 4.31e8),
    (115.1, 1.72e9),
];
const STEPS: f64 = 10.0;
const FIRST: f64 = 1e4;

/// MiB for 0.5, 1, 2, 4 and 8 million spheres: hash grids of 128³ and of 256³ cells, and the octree.
const MEMORY: [[f64; 3]; 5] =
    [[35.0, 144.0, 80.0], [59.0, 200.0, 120.0], [100.0, 300.0, 200.0], [200.0, 500.0, 900.0], [300.0, 1000.0, 1200.0]];

pub(super) fn octree(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = grown(bench)?;
    let exponent = lane(&lanes, "octree").growth(|m| m.total);
    let claim = "The octree's time grows a little faster than the number of spheres, as n^1.14.";
    let paper = Verdict::paper(claim, (1.02..1.3).contains(&exponent), format!("Here as {}.", power(exponent)));
    findings(bench, &lanes, "octree", &OCTREE, paper)
}

pub(super) fn hash_grid(bench: &Bench) -> Result<Findings, Failure> {
    let lanes = grown(bench)?;
    let theirs = lane(&lanes, "hash grid");
    let (pairs, time) = (theirs.growth(|m| m.candidates as f64), theirs.growth(|m| m.total));
    let paper = Verdict::paper(
        "The hash grid's compared pairs grow as n^2 and its time as n^1.34 overall.",
        pairs > 1.8 && time > 1.15,
        format!("Here compared pairs grow as {}, time as {}.", power(pairs), power(time)),
    );
    findings(bench, &lanes, "hash grid", &HASH_GRID, paper)
}

/// Spheres of diameter 1 that rest in 1024³. The thesis' settings; it has no linked cells here, and these look for their size.
fn grown(bench: &Bench) -> Result<Vec<Lane>, Failure> {
    let largest = bench.scale.of(4.0 * FIRST, 64.0 * FIRST, 512.0 * FIRST);
    let first = bench.scale.of(1e3, FIRST, FIRST);
    let laps = bench.scale.of(1, 3, STEPS as usize);
    let contenders = contenders(None, 10, 21);
    sweep(bench, &contenders, &doublings(first, largest.min(first * 512.0)), laps, Clock::Processor, |n| {
        Still(scattered(n, 1024.0))
    })
}

fn scattered(n: f64, edge: f64) -> Vec<Bounds<3>> {
    let mut random = Random::new(1);
    let around = |center: [f64; 3]| Bounds { min: center.map(|x| (x - 0.5) as f32), max: center.map(|x| (x + 0.5) as f32) };
    (0..n as usize).map(|_| around(std::array::from_fn(|_| random.between(0.0, edge)))).collect()
}

fn findings(bench: &Bench, lanes: &[Lane], name: &str, table: &[(f64, f64); 10], paper: Verdict) -> Result<Findings, Failure> {
    let sizes = doublings(FIRST, FIRST * 512.0);
    let curve = |quantity: fn(&(f64, f64)) -> f64| sizes.iter().copied().zip(table.iter().map(quantity)).collect::<Vec<_>>();
    let chart = |title: &str, label: &str, measured: fn(&Measured) -> f64, published: Vec<(f64, f64)>| {
        let mut series: Vec<Series> = lanes.iter().map(|lane| lane.series(measured)).collect();
        series.push(thesis(name, published));
        Chart { title: title.to_owned(), x: Axis::log("spheres"), y: Axis::log(label), series }
    };
    let ours = lane(lanes, "pivotgrid");
    let exponent = ours.growth(|m| m.total);
    let theirs = || lanes.iter().filter(|lane| lane.role == Role::Theirs);
    let ratios = |lane: &Lane| -> Vec<f64> {
        lane.points.iter().filter_map(|(n, theirs)| Some(theirs.total / ours.at(*n)?.total)).collect()
    };
    let closest = |lane: &Lane| ratios(lane).into_iter().fold(f64::INFINITY, f64::min);
    let each = |lane: &Lane| format!("{} {} and {}", lane.name, times(closest(lane)), times(geometric_mean(ratios(lane))));
    let list = theirs().map(each).collect::<Vec<_>>().join("; ");
    let published = lane(lanes, name).points.iter().filter_map(|(n, measured)| {
        let (seconds, _) = table[sizes.iter().position(|size| size == n)?];
        Some(Published {
            quantity: format!("{name}, {} spheres", grouped(*n as u64)),
            unit: "ms per step",
            paper: 1e3 * seconds / STEPS,
            here: Some(measured.total),
            ours: ours.at(*n).map(|own| own.total),
        })
    });
    Ok(Findings {
        setting: format!(
            "cubes of edge 1 at rest in 1024³, medians of {} steps after 2, one thread, CPU time; a structure that would need more \
             than {} s per step is left out from there on",
            bench.scale.of(1, 3, STEPS as usize),
            bench.limit.as_secs_f64(),
        ),
        differences: "Linked cells are not part of the thesis' table; here they choose their cell size from step to step."
            .to_owned(),
        charts: vec![
            chart("Whole step", "ms per step", |m| m.total, curve(|row| 1e3 * row.0 / STEPS)),
            chart("Compared pairs", "pairs per step", |m| (m.candidates as f64).max(1.0), curve(|row| row.1 / STEPS)),
        ],
        published: published.collect(),
        verdicts: vec![
            paper,
            Verdict::ours(
                if name == "hash grid" { "Linear where the hash grid turns quadratic." } else { "Linear." },
                exponent < LINEAR,
                format!("pivotgrid's time grows as {}.", power(exponent)),
            ),
            Verdict::ours(
                "Faster than every structure at every size.",
                theirs().all(|lane| closest(lane) > 1.0),
                format!("Time relative to pivotgrid's where it is closest, and in the mean: {list}."),
            ),
        ],
    })
}

fn thesis(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series {
        name: format!("{name} in the thesis"),
        role: Role::Published,
        family: name.to_owned(),
        variant: 0,
        points,
        stopped: None,
    }
}

/// Table 9, with objects instead of cells: cubes that touch all their neighbors. Who finds all pairs has walked all relations.
pub(super) fn relations(bench: &Bench) -> Result<Findings, Failure> {
    let largest = bench.scale.of(8.0, 64.0, 128.0);
    let contenders = contenders(None, 11, 21);
    let lanes =
        sweep(bench, &contenders, &doublings(2.0, largest), bench.scale.of(1, 3, 5), Clock::Processor, |n| Still(lattice(n)))?;
    // Each pair is two relations, and each cell has one to itself.
    let relations = |n: f64, measured: &Measured| 2.0 * measured.pairs as f64 + n.powi(3);
    let formula = |n: f64| (3.0 * n - 2.0).powi(3);
    let exact = |lane: &&Lane| lane.points.iter().all(|(n, measured)| relations(*n, measured) == formula(*n));
    let wrong: Vec<&str> = lanes.iter().filter(|lane| !exact(lane)).map(|lane| lane.name.as_str()).collect();
    let ours = lane(&lanes, "pivotgrid");
    let mut found: Vec<Series> = lanes.iter().map(|lane| lane.series(|_| 0.0)).collect();
    for (series, lane) in found.iter_mut().zip(&lanes) {
        series.points = lane.points.iter().map(|(n, measured)| (*n, relations(*n, measured))).collect();
    }
    let edge = || Axis::log("cells along an edge");
    let largest_ratio = lanes.iter().filter(|lane| lane.role == Role::Theirs);
    let largest_ratio: Vec<f64> =
        largest_ratio.filter_map(|lane| lane.last().and_then(|(n, theirs)| Some(theirs.total / ours.at(*n)?.total))).collect();
    let published = ours.points.iter().map(|(n, own)| Published {
        quantity: format!("relations of {n}×{n}×{n}"),
        unit: "",
        paper: formula(*n),
        here: lane(&lanes, "hash grid").at(*n).map(|theirs| relations(*n, theirs)),
        ours: Some(relations(*n, own)),
    });
    Ok(Findings {
        setting: format!("n³ cubes of edge 1 that touch their neighbors, n from 2 to {largest}, one thread, CPU time"),
        differences:
            "The thesis counts relations between cells by formula. Here an object sits in every cell and touches all its \
                      neighbors, so the pairs that a system reports are the relations."
                .to_owned(),
        charts: vec![
            Chart { title: "Relations found".into(), x: edge(), y: Axis::log("relations"), series: found },
            Chart {
                title: "Time to find them".into(),
                x: edge(),
                y: Axis::log("ms per step"),
                series: lanes.iter().map(|lane| lane.series(|m| m.total)).collect(),
            },
        ],
        published: published.collect(),
        verdicts: vec![
            Verdict::paper(
                "(3n - 2)³ relations.",
                wrong.is_empty(),
                match wrong.as_slice() {
                    [] => "Every system reports that number at every size, ours included.".to_owned(),
                    wrong => format!("Another number is reported by {}.", wrong.join(", ")),
                },
            ),
            Verdict::ours(
                "Faster than every structure of the thesis on the largest lattice.",
                largest_ratio.iter().all(|ratio| *ratio > 1.0),
                format!("The best of them takes {} as long.", times(largest_ratio.iter().copied().fold(f64::INFINITY, f64::min))),
            ),
        ],
    })
}

fn lattice(n: f64) -> Vec<Bounds<3>> {
    let n = n as usize;
    let corner = |cell: usize| [cell % n, cell / n % n, cell / n / n].map(|place| place as f32);
    (0..n * n * n).map(|cell| Bounds { min: corner(cell), max: corner(cell).map(|x| x + 1.0) }).collect()
}

pub(super) fn memory(bench: &Bench) -> Result<Findings, Failure> {
    let (first, last) = bench.scale.of((5e3, 1e4), (5e5, 2e6), (5e5, 8e6));
    let names = ["hash grid 128³", "hash grid 256³", "octree"];
    let contenders = [
        system(names[0], || grid_of(21)),
        system(names[1], || grid_of(24)),
        system(names[2], || Octree::<3>::new(11, 100)),
        pivotgrid_without_pairs(),
    ];
    let lanes =
        sweep(&bench.patient(), &contenders, &doublings(first, last), 1, Clock::Processor, |n| Still(scattered(n, 400.0)))?;
    const MIB: f64 = 1024.0 * 1024.0;
    let mib = |m: &Measured| m.bytes as f64 / MIB;
    let mut series: Vec<Series> = lanes.iter().map(|lane| lane.series(mib)).collect();
    let mut published = Vec::new();
    for (column, name) in names.iter().enumerate() {
        let curve: Vec<(f64, f64)> = doublings(5e5, 8e6).into_iter().zip(MEMORY.iter().map(|row| row[column])).collect();
        for &(n, paper) in &curve {
            let [here, ours] = [name, "pivotgrid"].map(|name| lane(&lanes, name).at(n).map(mib));
            published.push(Published {
                quantity: format!("{name}, {} spheres", grouped(n as u64)),
                unit: "MiB",
                paper,
                here,
                ours,
            });
        }
        series.push(thesis(name, curve));
    }
    let exponents: Vec<(&str, f64)> = lanes.iter().map(|lane| (lane.name.as_str(), lane.growth(mib))).collect();
    let (ours, theirs) = (exponents[3].1, &exponents[..3]);
    let list = theirs.iter().map(|(name, exponent)| format!("{name} {}", power(*exponent))).collect::<Vec<_>>().join(", ");
    let [few_cells, many_cells] = [names[0], names[1]].map(|name| lane(&lanes, name).curve(mib));
    let more_cells = geometric_mean(few_cells.iter().zip(&many_cells).map(|(few, many)| many.1 / few.1));
    let per_object = lane(&lanes, "pivotgrid").last().map_or(0.0, |(n, m)| m.bytes as f64 / n);
    Ok(Findings {
        setting: format!(
            "cubes of edge 1 at rest in 400³, {} to {} of them, memory after three steps",
            grouped(first as u64),
            grouped(last as u64)
        ),
        differences:
            "The thesis reads the process' memory and subtracts the particles'; here every structure counts its own bytes, \
                      without the boxes and the pairs."
                .to_owned(),
        charts: vec![Chart { title: "Memory".into(), x: Axis::log("spheres"), y: Axis::log("MiB"), series }],
        published,
        verdicts: vec![
            Verdict::paper(
                "Memory of no structure grows faster than linearly.",
                theirs.iter().all(|(_, exponent)| *exponent < LINEAR),
                format!("Growth here: {list}."),
            ),
            Verdict::paper(
                "256³ cells take three to four times as much as 128³.",
                (2.5..4.5).contains(&more_cells),
                format!("Here {} as much, in the mean over the numbers of spheres.", times(more_cells)),
            ),
            Verdict::ours(
                "Memory grows no faster than the objects.",
                ours < 1.1,
                format!("{}, {per_object:.0} bytes per object at the end.", power(ours)),
            ),
        ],
    })
}
