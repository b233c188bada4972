//! `lab cluster`: a scene on several ranks, which are threads of this process; a table by rank, and a picture of the partition.

mod measure;
mod picture;
mod table;

use std::path::{Path, PathBuf};

use clap::Args;
use pivotgrid::Config;
use pivotgrid_cluster::{Coordinate, ThreadComm};
use serde_json::json;

use crate::cli::{Scalar, SceneOptions, between, objects};
use crate::failure::Failure;
use crate::files;
use crate::machine::Machine;
use crate::report::grouped;
use measure::{Outcome, Plan, RankFigures};

#[derive(Args, Clone, Debug)]
pub(crate) struct ClusterOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// How many ranks
    #[arg(long, value_name = "R", default_value = "8", value_parser = between::<1, 256>)]
    ranks: usize,
    /// How many objects, on all ranks together; 100k and 1M are understood
    #[arg(long, value_name = "N", default_value = "100k", value_parser = objects)]
    n: usize,
    /// How many threads each rank has
    #[arg(long, value_name = "T", default_value = "1", value_parser = between::<1, 64>)]
    threads: usize,
    /// How many steps are measured
    #[arg(long, value_name = "K", default_value = "10", value_parser = between::<1, 100_000>)]
    steps: usize,
    /// Where to put a picture of the partition, as PNG and SVG, or `none`
    #[arg(long, value_name = "DIR|none", default_value = "target/lab")]
    picture: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Steps that come before the measured ones: the cut finds its place, and all memory is there.
const WARM_UP: usize = 5;

pub(crate) fn cluster(options: &ClusterOptions) -> Result<String, Failure> {
    options.scene.exists()?;
    if options.picture != Path::new("none") {
        files::prepare(&options.picture)?;
    }
    match (options.scene.scalar, options.scene.dim) {
        (Scalar::F32, 2) => run::<f32, 2>(options),
        (Scalar::F32, _) => run::<f32, 3>(options),
        (Scalar::F64, 2) => run::<f64, 2>(options),
        (Scalar::F64, _) => run::<f64, 3>(options),
    }
}

fn run<S: Coordinate + scenes::Scalar, const D: usize>(options: &ClusterOptions) -> Result<String, Failure> {
    let plan = Plan {
        scene: options.scene.name,
        objects: options.n,
        seed: options.scene.seed,
        warm_up: WARM_UP,
        steps: options.steps,
        engine: Config::default(),
        compares: true,
    };
    let ranks = ThreadComm::run(options.ranks, |comm| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
        let pool = pool.map_err(|error| Failure::Threads(options.threads, error))?;
        pool.install(|| measure::measure::<S, D, _>(comm, &plan)).map_err(Failure::Cluster)
    });
    let mut outcome = None;
    for rank in ranks {
        outcome = Some(rank.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
    }
    let outcome = outcome.expect("there is at least one rank");
    let pairs: f64 = outcome.ranks.iter().map(|rank| rank.pairs).sum();
    if pairs != outcome.ranks[0].plain_pairs {
        return Err(Failure::Disagreement { system: "the cluster".to_owned(), boxes: options.n });
    }

    let SceneOptions { name, dim, scalar, .. } = &options.scene;
    let title = format!("{name} in {dim}D, {}: {} objects on {} ranks", scalar.name(), grouped(options.n as u64), options.ranks);
    let mut pictures = Vec::new();
    if options.picture != Path::new("none") {
        let file = format!("cluster-{name}-{dim}d-{}-{}", options.n, options.ranks);
        pictures = picture::write(&outcome, &title, &options.picture, &file)?;
    }
    if options.json {
        return Ok(to_json(options, &outcome, &pictures));
    }
    let Machine { processor, cores, optimized } = Machine::this();
    let mut text = format!("cluster  {title}, threads of one process, each with {} threads\n", options.threads);
    text += &format!("machine  {processor}, {cores} cores\n");
    text += &format!("times    medians over {} steps, after {WARM_UP} to warm up\n", options.steps);
    if !optimized {
        text += "BUILT WITHOUT OPTIMISATION: the times below say nothing; use cargo run --release\n";
    }
    text += "\n";
    text += &table::text(&outcome).expect("a string has room");
    pictures.iter().for_each(|file| text += &format!("picture           {}\n", file.display()));
    Ok(text)
}

fn to_json<S, const D: usize>(options: &ClusterOptions, outcome: &Outcome<S, D>, pictures: &[PathBuf]) -> String {
    let rank = |(number, rank): (usize, &RankFigures)| {
        json!({
            "rank": number, "objects": rank.own, "ghosts": rank.ghosts, "bytes": rank.bytes, "pairs": rank.pairs,
            "found": rank.found, "work": rank.work, "ghosts_after_migrating": rank.settled,
            "ghosts_at_equal_sizes": rank.equal, "ghosts_of_classic_halo": rank.halo,
            "step_ms": rank.step_ms, "phases_ms": rank.phases_ms,
        })
    };
    let report = json!({
        "scene": options.scene.name.name(), "objects": options.n, "threads": options.threads, "steps": options.steps,
        "imbalance": outcome.imbalance, "cuts": outcome.cuts, "mean_edge": outcome.mean_edge,
        "largest_edge": outcome.largest_edge, "one_engine_ms": outcome.ranks[0].plain_ms,
        "ranks": outcome.ranks.iter().enumerate().map(rank).collect::<Vec<_>>(), "pictures": pictures,
    });
    crate::report::json(&report)
}
