//! Pouchol et al. 2009: hierarchical hashing; figures 4, 5 and 6.

mod asking;
mod rain;

use baselines::Bounds;
use baselines::pouchol::path;

use super::figure::{Axis, Chart, Figure, Findings, Kind, Published, Verdict};
use super::measure::{Bench, geometric_mean};
use super::random::Random;
use super::words::times;
use crate::failure::Failure;
use crate::report::grouped;
use asking::{Answers, Asked, Questions};
use rain::Rain;

const PAPER: &str = "pouchol";
const KIB: f64 = 1024.0;

pub(crate) fn figures() -> Vec<Figure> {
    let figure = |id, title, claim, measure| Figure { paper: PAPER, kind: Kind::Figure, id, title, claim, measure };
    vec![
        figure(
            "4",
            "Which objects a million moving particles may hit, 2D",
            "Hierarchical hashing is at least twice as fast as multilevel hashing, for at most 10 % more memory; hashing beats the \
             KD-tree.",
            moving_particles,
        ),
        figure(
            "5",
            "Neighbors within a radius, 2D",
            "Hierarchical hashing is competitive with uniform hashing below 5 neighbors; with many, the KD-tree is the fastest.",
            neighbors,
        ),
        figure(
            "6",
            "Particles over 2000 spheres, 3D",
            "Hierarchical hashing is about 25 % faster than multilevel hashing.",
            falling,
        ),
    ]
}

/// How many times longer the one takes than the other, in the mean over all x.
fn ratio<const D: usize>(asked: &[Asked<D>], points: &[(f64, Vec<Answers>)], one: &str, other: &str) -> f64 {
    let index = |name: &str| asked.iter().position(|asked| asked.name == name).unwrap_or(0);
    let (one, other) = (index(one), index(other));
    geometric_mean(points.iter().map(|(_, answers)| answers[one].milliseconds / answers[other].milliseconds))
}

fn ahead<const D: usize>(asked: &[Asked<D>], points: &[(f64, Vec<Answers>)]) -> Verdict {
    let others: Vec<(&str, f64)> = asked[..asked.len() - 1]
        .iter()
        .map(|asked_one| (asked_one.name, ratio(asked, points, asked_one.name, "pivotgrid")))
        .collect();
    Verdict::ours(
        "Faster than all of them, in the mean.",
        others.iter().all(|(_, ratio)| *ratio > 1.0),
        super::words::versus(&others),
    )
}

fn moving_particles(bench: &Bench) -> Result<Findings, Failure> {
    const EDGE: f64 = 8192.0;
    let queries = bench.scale.of(500, 100_000, 1_000_000);
    let numbers = bench.scale.of(vec![20, 100], vec![10, 30, 100, 300, 1000], vec![10, 30, 100, 200, 300, 600, 1000, 2000]);
    let mut random = Random::new(4);
    let segments = (0..queries).map(|_| {
        let (from, arrow) = ([0; 2].map(|_| random.between(16.0, EDGE - 16.0)), random.arrow::<2>(16.0));
        path(from.map(|x| x as f32), [0, 1].map(|axis| (from[axis] + arrow[axis]) as f32))
    });
    let questions = Questions::Boxes(segments.collect());
    let asked = asking::all::<2>();
    let mut points = Vec::new();
    for &number in &numbers {
        let mut random = Random::new(6);
        let boxes: Vec<Bounds<2>> = (0..number).map(|object| object_of_size(&mut random, object, number, EDGE)).collect();
        let answers = asking::ask(&asked, &boxes, &questions, bench.scale.of(1, 3, 3))?;
        points.push((100.0 * answers[0].answered as f64 / queries as f64, answers));
    }
    let gain = ratio(&asked, &points, "multilevel hashing", "hierarchical hashing");
    let tree = ratio(&asked, &points, "KD-tree", "hierarchical hashing");
    let overhead = geometric_mean(points.iter().map(|(_, answers)| answers[2].bytes as f64 / answers[1].bytes as f64));
    Ok(Findings {
        setting: format!(
            "a square of 2^13; {numbers:?} objects of average size 2^10, 2^6 and 2^3 (10, 25 and 65 %); {} segments of at most 2^4 as \
             queries; time to build and to answer all, one thread, CPU time",
            grouped(queries as u64)
        ),
        differences:
            "A query is the box around the segment, as in section 3.3.1. The paper's tables are the STL's; here they are \
                      open-addressed. The KD-tree is that of the crate kiddo, which holds points and has to search as far as the \
                      largest object reaches. Uniform hashing is added."
                .to_owned(),
        charts: vec![
            Chart {
                title: "Time to build and to answer".into(),
                x: Axis::linear("% of the particles that may hit something"),
                y: Axis::log("ms"),
                series: asking::series(&asked, &points, |answers| answers.milliseconds),
            },
            Chart {
                title: "Memory".into(),
                x: Axis::linear("% of the particles that may hit something"),
                y: Axis::log("KiB"),
                series: asking::series(&asked, &points, |answers| answers.bytes as f64 / KIB),
            },
        ],
        published: vec![
            Published {
                quantity: "multilevel / hierarchical hashing".into(),
                unit: "times as long (paper: at least 2)",
                paper: 2.0,
                here: Some(gain),
                ours: Some(ratio(&asked, &points, "multilevel hashing", "pivotgrid")),
            },
            Published {
                quantity: "memory, hierarchical / multilevel hashing".into(),
                unit: "times (paper: at most 1.1)",
                paper: 1.1,
                here: Some(overhead),
                ours: None,
            },
        ],
        verdicts: vec![
            Verdict::paper(
                "Hierarchical hashing is at least twice as fast as multilevel hashing.",
                gain >= 2.0,
                format!("Multilevel hashing takes {} as long.", times(gain)),
            ),
            Verdict::paper(
                "It takes at most 10 % more memory.",
                overhead <= 1.1,
                format!("It takes {} as much.", times(overhead)),
            ),
            Verdict::paper("Hashing beats the KD-tree.", tree > 1.0, format!("The KD-tree takes {} as long.", times(tree))),
            ahead(&asked, &points),
        ],
    })
}

/// 10 % around 2^10, 25 % around 2^6, the rest around 2^3.
fn object_of_size(random: &mut Random, object: usize, number: usize, edge: f64) -> Bounds<2> {
    let average = match 100 * object / number {
        0..10 => 1024.0,
        10..35 => 64.0,
        _ => 8.0,
    };
    let size = [0; 2].map(|_| random.between(0.5 * average, 1.5 * average));
    let min = size.map(|size| random.between(0.0, edge - size));
    Bounds { min: min.map(|x| x as f32), max: [0, 1].map(|axis| (min[axis] + size[axis]) as f32) }
}

fn neighbors(bench: &Bench) -> Result<Findings, Failure> {
    let number = bench.scale.of(500, 100_000, 1_000_000);
    // As dense as a million in 2^20.
    let edge = 1_048_576.0 * (number as f64 / 1e6).sqrt();
    let radii: Vec<f32> = bench.scale.of(
        vec![300.0, 1000.0],
        vec![100.0, 300.0, 600.0, 1200.0, 2400.0],
        vec![100.0, 200.0, 400.0, 800.0, 1600.0, 2400.0],
    );
    let mut random = Random::new(8);
    let centers: Vec<[f32; 2]> = (0..number).map(|_| [0; 2].map(|_| random.between(0.0, edge) as f32)).collect();
    let boxes: Vec<Bounds<2>> = centers.iter().map(|&center| Bounds { min: center, max: center }).collect();
    let mut points = Vec::new();
    for &radius in &radii {
        let questions = Questions::Within(centers.clone(), radius);
        let answers = asking::ask(&asking::all_for_radius::<2>(radius), &boxes, &questions, bench.scale.of(1, 1, 3))?;
        // Everybody finds itself, too.
        points.push((answers[0].most as f64 - 1.0, answers));
    }
    let asked = asking::all_for_radius::<2>(1.0);
    let (few, many) = (&points[..1], &points[points.len() - 1..]);
    let few_ratio = ratio(&asked, few, "hierarchical hashing", "uniform hashing");
    let tree = ["uniform hashing", "hierarchical hashing"].map(|name| ratio(&asked, many, name, "KD-tree"));
    Ok(Findings {
        setting: format!(
            "{} points as dense as a million in a square of 2^20; radii {radii:?}; time to build and to ask for every point's \
             neighbors, one thread, CPU time",
            grouped(number as u64)
        ),
        differences: "All points are inserted before the first question; the paper's hierarchical scheme finds neighbors while \
                      inserting. Multilevel hashing is added."
            .to_owned(),
        charts: vec![
            Chart {
                title: "Time to build and to find all neighbors".into(),
                x: Axis::log("most neighbors of a point"),
                y: Axis::log("ms"),
                series: asking::series(&asked, &points, |answers| answers.milliseconds),
            },
            Chart {
                title: "Memory".into(),
                x: Axis::log("most neighbors of a point"),
                y: Axis::log("KiB"),
                series: asking::series(&asked, &points, |answers| answers.bytes as f64 / KIB),
            },
        ],
        published: Vec::new(),
        verdicts: vec![
            Verdict::paper(
                "With few neighbors hierarchical hashing is competitive with uniform hashing.",
                few_ratio < 1.25,
                format!("It takes {} as long.", times(few_ratio)),
            ),
            Verdict::paper(
                "With many neighbors the KD-tree is the fastest of them.",
                tree.iter().all(|ratio| *ratio > 1.0),
                format!("Uniform hashing takes {} as long, hierarchical {}.", times(tree[0]), times(tree[1])),
            ),
            ahead(&asked, &points),
        ],
    })
}

fn falling(bench: &Bench) -> Result<Findings, Failure> {
    let (spheres, particles) = bench.scale.of((50, 200), (2000, 20_000), (2000, 100_000));
    let frames = bench.scale.of(3, 12, 100);
    let skipped = bench.scale.of(10, 20, 10);
    let asked = asking::all::<3>();
    let mut rain = Rain::new(spheres, particles);
    let boxes = rain.spheres();
    let mut points = Vec::new();
    for frame in 0..frames {
        let answers = asking::ask(&asked, &boxes, &Questions::Boxes(rain.paths()), 1)?;
        points.push(((frame * skipped) as f64, answers));
        (0..skipped).for_each(|_| rain.advance());
    }
    let gain = ratio(&asked, &points, "multilevel hashing", "hierarchical hashing");
    Ok(Findings {
        setting: format!(
            "{} spheres, {} particles, {frames} frames, {skipped} steps apart; time to build and to ask for every particle's way, one \
             thread, CPU time",
            grouped(spheres as u64),
            grouped(particles as u64)
        ),
        differences: "The fluid is a simple rain that bounces at random and comes to rest at the bottom; the paper's number of \
                      particles and its box are not given."
            .to_owned(),
        charts: vec![Chart {
            title: "A frame".into(),
            x: Axis::linear("step"),
            y: Axis::log("ms per frame"),
            series: asking::series(&asked, &points, |answers| answers.milliseconds),
        }],
        published: vec![Published {
            quantity: "multilevel / hierarchical hashing".into(),
            unit: "times as long",
            paper: 1.25,
            here: Some(gain),
            ours: Some(ratio(&asked, &points, "multilevel hashing", "pivotgrid")),
        }],
        verdicts: vec![
            Verdict::paper(
                "Hierarchical hashing is faster than multilevel hashing.",
                gain > 1.0,
                format!("Multilevel hashing takes {} as long.", times(gain)),
            ),
            ahead(&asked, &points),
        ],
    })
}
