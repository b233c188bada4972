//! Gissler et al.: parallel uniform grids for deforming meshes; figures 2 and 3, and the numbers on sorting.

mod keys;
mod meshes;

use baselines::gissler::{CellOrder, CellSize, CuckooHashing, IndexSort, Sorting, SpatialHashing};

use super::figure::{Axis, Chart, Figure, Findings, Kind, Published, Role, Series, Verdict};
use super::measure::{Bench, Clock, Contender, Motion, Trace, geometric_mean, pivotgrid, sweep_each, system, trace};
use super::words::{lane, times};
use crate::failure::Failure;
use crate::report::grouped;
use keys::Keys;
use meshes::Meshes;

const PAPER: &str = "gissler";
const DIFFERENCES: &str = "The meshes are generated: the paper's come from a finite element simulation and are not public. The search is \
                           for pairs of boxes of points, edges and triangles, not for the intersections of the elements themselves.";

pub(crate) fn figures() -> Vec<Figure> {
    let figure = |kind, id, title, claim, measure| Figure { paper: PAPER, kind, id, title, claim, measure };
    vec![
        figure(
            Kind::Figure,
            "2",
            "Stacking membranes: index sort against spatial hashing",
            "Index sort updates faster than hashing even on one core, and each further core widens the lead.",
            stacking,
        ),
        figure(
            Kind::Figure,
            "3",
            "Persistent contact: index sort against cuckoo hashing",
            "Index sort inserts faster, cuckoo hashing has overheads; on 8 cores they are 3.2 and 2.6 times as fast as on one.",
            persistent,
        ),
        figure(
            Kind::Text,
            "sorting",
            "Sorting 128 000 references, and cells along the Z-curve",
            "A comparison sort of what the last step left needs 3 ms if 2 % of the keys change, 6 ms if 10 % do; radix sort 14 ms.",
            sorting,
        ),
    ]
}

fn index_sort(name: &str, sorting: Sorting, order: CellOrder, size: CellSize) -> Contender<3> {
    system(name, move || IndexSort::<3>::new(sorting, order, size))
}

/// One contender's curve over the frames with some number of threads.
fn curve(name: &str, role: Role, threads: usize, variant: usize, values: &[f64]) -> Series {
    let plural = if threads == 1 { "thread" } else { "threads" };
    let points = values.iter().enumerate().map(|(frame, ms)| (frame as f64, *ms)).collect();
    Series { name: format!("{name}, {threads} {plural}"), role, family: name.to_owned(), variant, points, stopped: None }
}

/// All contenders over all frames, for one thread and for all.
fn run(bench: &Bench, contenders: fn() -> Vec<Contender<3>>, scene: &(impl Fn() -> Meshes + Sync)) -> Result<Runs, Failure> {
    let frames = bench.scale.of(4, 60, 300);
    let repeats = bench.scale.of(1, 3, 5);
    let counts = if bench.threads > 1 { vec![1, bench.threads] } else { vec![1] };
    let mut runs = Vec::new();
    for &threads in &counts {
        let clock = if threads == 1 { Clock::Processor } else { Clock::Wall };
        runs.push(bench.on_threads(threads, || trace(&contenders(), frames, repeats, clock, scene))??);
    }
    let who = contenders().into_iter().map(|contender| (contender.name, contender.role)).collect();
    Ok(Runs { who, counts, runs, elements: scene().elements(), pairs_of: scene().boxes().len() })
}

struct Runs {
    who: Vec<(String, Role)>,
    /// Numbers of threads, and for each of them every contender's trace.
    counts: Vec<usize>,
    runs: Vec<Vec<Trace>>,
    elements: [usize; 3],
    pairs_of: usize,
}

impl Runs {
    fn chart(&self, title: &str, quantity: impl Fn(&Trace) -> &Vec<f64>) -> Chart {
        let mut series = Vec::new();
        for (variant, (threads, traces)) in self.counts.iter().zip(&self.runs).enumerate() {
            for ((name, role), trace) in self.who.iter().zip(traces) {
                series.push(curve(name, *role, *threads, variant, quantity(trace)));
            }
        }
        Chart { title: title.into(), x: Axis::linear("frame"), y: Axis::log("ms per frame"), series }
    }

    /// The mean of frame-by-frame ratios, without the first frame, in which everything is set up.
    fn ratio(&self, run: usize, one: &str, other: &str, quantity: impl Fn(&Trace) -> &Vec<f64>) -> f64 {
        let trace = |name: &str| &self.runs[run][self.who.iter().position(|who| who.0 == name).unwrap_or(0)];
        geometric_mean(quantity(trace(one)).iter().zip(quantity(trace(other))).skip(1).map(|(a, b)| a / b))
    }

    /// How many times as fast all threads are as one.
    fn speedup(&self, name: &str) -> f64 {
        let index = self.who.iter().position(|who| who.0 == name).unwrap_or(0);
        let (one, all) = (&self.runs[0][index].totals, &self.runs[self.runs.len() - 1][index].totals);
        geometric_mean(one.iter().zip(all).skip(1).map(|(one, all)| one / all))
    }

    fn setting(&self, bench: &Bench) -> String {
        let [points, edges, triangles] = self.elements.map(|count| grouped(count as u64));
        format!(
            "{points} points, {edges} edges, {triangles} triangles: {} boxes; {} frames, {} runs of each: on 1 thread the \
             median of CPU time, on {} threads the least wall time",
            grouped(self.pairs_of as u64),
            self.runs[0][0].totals.len(),
            bench.scale.of(1, 3, 5),
            bench.threads
        )
    }

    /// Whether ours is ahead of all others, with each number of threads.
    fn ahead(&self) -> Verdict {
        let mut held = true;
        let mut evidence = Vec::new();
        for (run, threads) in self.counts.iter().enumerate() {
            for (name, _) in self.who.iter().filter(|who| who.1 == Role::Theirs) {
                let ratio = self.ratio(run, name, "pivotgrid", |trace| &trace.totals);
                held &= ratio > 1.0;
                evidence.push(format!("{name} on {threads}: {}", times(ratio)));
            }
        }
        Verdict::ours(
            "Faster than all of them, with each number of threads.",
            held,
            format!("Relative to ours: {}.", evidence.join(", ")),
        )
    }
}

fn stacking(bench: &Bench) -> Result<Findings, Failure> {
    let contenders = || {
        vec![
            system("spatial hashing", || SpatialHashing::<3>::new(CellSize::Edges)),
            index_sort("index sort", Sorting::Comparison, CellOrder::Rows, CellSize::Edges),
            pivotgrid(),
        ]
    };
    let (edge, frames) = bench.scale.of((5, 4), (22, 60), (22, 300));
    let runs = run(bench, contenders, &|| Meshes::stacking(edge, frames))?;
    let update = runs.ratio(0, "spatial hashing", "index sort", |trace| &trace.builds);
    let (alone, together) = (runs.ratio(0, "spatial hashing", "index sort", |trace| &trace.totals), runs.speedup("index sort"));
    Ok(Findings {
        setting: runs.setting(bench),
        differences: DIFFERENCES.to_owned(),
        charts: vec![
            runs.chart("A whole frame", |trace| &trace.totals),
            runs.chart("Updating the structure", |trace| &trace.builds),
        ],
        published: Vec::new(),
        verdicts: vec![
            Verdict::paper(
                "Index sort updates faster than spatial hashing on one core.",
                update > 1.0,
                format!("The update of spatial hashing takes {} as long; whole frames {}.", times(update), times(alone)),
            ),
            Verdict::paper(
                "Further cores make index sort faster.",
                together > 1.0,
                format!("{} threads are {} as fast as one.", bench.threads, times(together)),
            ),
            runs.ahead(),
        ],
    })
}

fn persistent(bench: &Bench) -> Result<Findings, Failure> {
    let contenders = || {
        vec![
            index_sort("index sort", Sorting::Comparison, CellOrder::Rows, CellSize::Edges),
            index_sort("index sort, radix", Sorting::Radix, CellOrder::Rows, CellSize::Edges),
            index_sort("index sort, Z-curve", Sorting::Comparison, CellOrder::Z, CellSize::Edges),
            system("cuckoo hashing", || CuckooHashing::<3>::new(CellSize::Edges)),
            pivotgrid(),
        ]
    };
    let (edge, frames) = bench.scale.of((6, 4), (28, 60), (28, 300));
    let runs = run(bench, contenders, &|| Meshes::eye(edge, frames))?;
    let [sort, cuckoo, ours] = ["index sort", "cuckoo hashing", "pivotgrid"].map(|name| runs.speedup(name));
    let slower = runs.ratio(0, "cuckoo hashing", "index sort", |trace| &trace.builds);
    let row = |name: &str, paper, here| Published {
        quantity: format!("{name}: all threads against one (paper: 8 cores, here {})", bench.threads),
        unit: "times as fast",
        paper,
        here: Some(here),
        ours: Some(ours),
    };
    Ok(Findings {
        setting: runs.setting(bench),
        differences: format!("{DIFFERENCES} {} threads instead of 4 and 8.", bench.threads),
        charts: vec![
            runs.chart("A whole frame", |trace| &trace.totals),
            runs.chart("Updating the structure", |trace| &trace.builds),
        ],
        published: vec![row("index sort", 3.2, sort), row("cuckoo hashing", 2.6, cuckoo)],
        verdicts: vec![
            Verdict::paper(
                "Index sort is inserted into faster than cuckoo hashing.",
                slower > 1.0,
                format!("The update of cuckoo hashing takes {} as long.", times(slower)),
            ),
            Verdict::paper(
                "Index sort gains more from threads than cuckoo hashing.",
                sort > cuckoo && sort > 1.0,
                format!("{} threads: {} and {}.", bench.threads, times(sort), times(cuckoo)),
            ),
            runs.ahead(),
        ],
    })
}

fn sorting(bench: &Bench) -> Result<Findings, Failure> {
    let count = bench.scale.of(1_000, 128_000, 128_000);
    let size = CellSize::Fixed(1.0);
    let lanes = bench.on_threads(bench.threads, || {
        let contenders = |_| {
            vec![
                index_sort("comparison sort", Sorting::Comparison, CellOrder::Rows, size),
                index_sort("radix sort", Sorting::Radix, CellOrder::Rows, size),
                index_sort("comparison sort, Z-curve", Sorting::Comparison, CellOrder::Z, size),
                system("cuckoo hashing", move || CuckooHashing::<3>::new(size)),
                system("spatial hashing", move || SpatialHashing::<3>::new(size)),
                pivotgrid(),
            ]
        };
        sweep_each(bench, contenders, &[2.0, 10.0, 100.0], bench.scale.of(1, 9, 30), Clock::Wall, |percent| {
            Keys::new(count, percent / 100.0)
        })
    })??;
    let build = |name: &str, percent: f64| lane(&lanes, name).at(percent).map_or(f64::NAN, |measured| measured.build);
    let row = |name: &str, percent: f64, paper| Published {
        quantity: format!("{name}, {percent} % of the keys change"),
        unit: "ms (paper: the sort alone, 4 cores; here: the whole update)",
        paper,
        here: Some(build(name, percent)),
        ours: Some(build("pivotgrid", percent)),
    };
    let detect = |name: &str| lane(&lanes, name).at(2.0).map_or(f64::NAN, |measured| measured.detect);
    let gain = detect("comparison sort") / detect("comparison sort, Z-curve");
    let ours: Vec<f64> =
        [2.0, 10.0, 100.0].map(|percent| build("comparison sort", percent) / build("pivotgrid", percent)).to_vec();
    Ok(Findings {
        setting: format!(
            "{} boxes with one reference each in 40³ cells, of which 2, 10 or 100 % go elsewhere in each step; {} threads, wall time",
            grouped(count as u64),
            bench.threads
        ),
        differences: format!("{DIFFERENCES} The time is that of the whole update, of which sorting is the largest part."),
        charts: vec![Chart {
            title: "Updating the structure".into(),
            x: Axis::log("% of the keys that change"),
            y: Axis::log("ms per step"),
            series: lanes.iter().map(|lane| lane.series(|m| m.build)).collect(),
        }],
        published: vec![row("comparison sort", 2.0, 3.0), row("comparison sort", 10.0, 6.0), row("radix sort", 10.0, 14.0)],
        verdicts: vec![
            Verdict::paper(
                "The comparison sort is faster than radix sort if few keys change, and about as fast if all do.",
                build("comparison sort", 2.0) < build("radix sort", 2.0)
                    && build("comparison sort", 10.0) < build("radix sort", 10.0),
                format!(
                    "Radix sort takes {}, {} and {} as long with 2, 10 and 100 % changing.",
                    times(build("radix sort", 2.0) / build("comparison sort", 2.0)),
                    times(build("radix sort", 10.0) / build("comparison sort", 10.0)),
                    times(build("radix sort", 100.0) / build("comparison sort", 100.0))
                ),
            ),
            Verdict::paper(
                "Cells along the Z-curve make queries 8 % faster.",
                gain > 1.0,
                format!("Here {} as fast.", times(gain)),
            ),
            Verdict::ours(
                "Its whole rebuild is faster than the sorted update.",
                ours.iter().all(|ratio| *ratio > 1.0),
                format!("The comparison sort takes {}, {} and {} as long.", times(ours[0]), times(ours[1]), times(ours[2])),
            ),
        ],
    })
}
