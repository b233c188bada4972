//! The contest of queries on the command line: `cargo run --release -p versus --example queries -- --help`.

#![forbid(unsafe_code)]

mod command;

use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

use command::{create, list, parse};
use scenes::Scene;
use versus::queries::{Kind, Ranking, Settings, ask_all, respondents};

const USAGE: &str = "\
Usage: queries [options]

  --kinds A,B        box, radius, points, ray, neighbors (default: all)
  --scenes A,B       scenes (default: uniform,clustered; neighbors: uniform)
  --n N,M            numbers of objects (default: 100000,1000000; neighbors: 1000000)
  --queries Q      queries per round (default: 1000000; neighbors: one per point)
  --threads T,U      numbers of threads (default: 1)
  --rounds K         rounds that are timed (default: 5)
  --rivals A,B       who takes part besides pivotgrid (default: all)
  --seed S           seed of the scenes and the queries (default: 1)
  --csv FILE         write the numbers there as well
";

/// What to run. Empty lists stand for the defaults of each kind.
struct Plan {
    kinds: Vec<Kind>,
    scenes: Vec<Scene>,
    sizes: Vec<usize>,
    threads: Vec<usize>,
    settings: Settings,
    csv: Option<File>,
}

fn main() -> ExitCode {
    command::run(USAGE, "not everybody gave the same answers", |arguments| plan(arguments).and_then(run))
}

/// Runs all contests of the plan. True if the answers were the same in all of them.
fn run(mut plan: Plan) -> Result<bool, String> {
    let mut note = |text: &str| match &mut plan.csv {
        Some(csv) => csv.write_all(text.as_bytes()).map_err(|error| format!("the CSV file: {error}")),
        None => Ok(()),
    };
    note(&format!("{}\n", Ranking::CSV_HEADER))?;
    let mut all_agree = true;
    for &threads in &plan.threads {
        let settings = Settings { threads, ..plan.settings.clone() };
        for &kind in &plan.kinds {
            let (scenes, sizes): (&[Scene], &[usize]) = match kind {
                Kind::Neighbors => (&[Scene::Uniform], &[1_000_000]),
                _ => (&[Scene::Uniform, Scene::Clustered], &[100_000, 1_000_000]),
            };
            for &scene in if plan.scenes.is_empty() { scenes } else { &plan.scenes } {
                for &n in if plan.sizes.is_empty() { sizes } else { &plan.sizes } {
                    let ranking = ask_all(kind, scene, n, &settings);
                    println!("{ranking}");
                    note(&ranking.csv())?;
                    all_agree &= ranking.all_agree();
                }
            }
        }
    }
    Ok(all_agree)
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut plan = Plan {
        kinds: Kind::ALL.to_vec(),
        scenes: Vec::new(),
        sizes: Vec::new(),
        threads: vec![1],
        settings: Settings::default(),
        csv: None,
    };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let value = rest.next().ok_or_else(|| format!("{option}: unknown, or its value is missing"))?;
        match option.as_str() {
            "--kinds" => plan.kinds = list(option, value)?,
            "--scenes" => plan.scenes = list(option, value)?,
            "--n" => plan.sizes = list(option, value)?,
            "--queries" => plan.settings.queries = parse(option, value)?,
            "--threads" => plan.threads = list(option, value)?,
            "--rounds" => plan.settings.rounds = parse(option, value)?,
            "--rivals" => plan.settings.rivals = value.split(',').map(rival).collect::<Result<_, _>>()?,
            "--seed" => plan.settings.seed = parse(option, value)?,
            "--csv" => plan.csv = Some(create(option, value)?),
            _ => return Err(format!("{option}: unknown")),
        }
    }
    if plan.threads.contains(&0) || plan.settings.rounds == 0 {
        return Err("at least one thread and one round are needed".to_owned());
    }
    if let Some(scene) = plan.scenes.iter().find(|scene| !scene.dimensions().contains(&3)) {
        return Err(format!("--scenes {scene}: it does not exist in 3D"));
    }
    Ok(plan)
}

fn rival(name: &str) -> Result<String, String> {
    let is_known = Kind::ALL.into_iter().any(|kind| respondents(kind).contains(&name));
    is_known.then(|| name.to_owned()).ok_or_else(|| format!("--rivals {name}: there is none of that name"))
}
