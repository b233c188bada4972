//! Florian Schornbaum, 2009: the hierarchical hash grid, exhaustive search, and sweep and prune; figures 20 to 30.

mod growth;
mod one_by_one;
mod rivals;
mod settings;
mod swarm;

use baselines::schornbaum::{Exhaustive, HierarchicalHashGrid, Settings, SweepAndPrune, Update};

use super::figure::{Axis, Chart, Figure, Kind, Series};
use super::measure::{Bench, Clock, Contender, Lane, Measured, sweep, system};
use super::scale::decades;
use crate::failure::Failure;
use swarm::{Scenario, Swarm};

const PAPER: &str = "schornbaum";
/// What all figures have in common.
const DIFFERENCES: &str = "The legends of the thesis' figures are not in our copy of the text, so sizes and factors between those it \
                           names are ours. Boxes are in single precision here, cells of the hash grid in double. What sticks out of \
                           the periodic domain is not seen on the other side.";

pub(crate) fn figures() -> Vec<Figure> {
    let figure = |id, title, claim, measure| Figure { paper: PAPER, kind: Kind::Figure, id, title, claim, measure };
    vec![
        figure(
            "20",
            "The hash grid against all pairs",
            "All pairs grow quadratically, the hash grid almost perfectly linearly, with one grid or several; for few objects all \
             pairs are faster.",
            growth::against_all_pairs,
        ),
        figure(
            "21",
            "Setting up",
            "Adding all objects takes time linear in their number, hardly more with several grids.",
            growth::setting_up,
        ),
        figure(
            "22",
            "Many objects in different scenarios",
            "Linear for large numbers; more collisions and more grids cost time. 10 000 objects take 10 to 20 ms.",
            growth::scenarios,
        ),
        figure("23", "Hierarchy factors, equal cubes", "The smaller the factor, the faster.", settings::equal_cubes),
        figure(
            "24",
            "Hierarchy factors, sizes within a factor of 12",
            "A factor of 2 is the best choice.",
            settings::sizes_within_12,
        ),
        figure(
            "25",
            "Moving objects one by one, or refilling the grids",
            "Under normal movement, updating objects one by one is 40 % faster; if all change their cell it is not.",
            settings::update_phase,
        ),
        figure(
            "26",
            "Worst cases",
            "Boxes of 10×1×1 take up to five times as long; a domain of 1024:1:1 costs 50 %; all of it stays linear.",
            growth::worst_cases,
        ),
        figure(
            "27",
            "Setting up, against sweep and prune",
            "The hash grid's setup is linear, that of sweep and prune quadratic: a minute for 10 000 objects.",
            rivals::setting_up,
        ),
        figure(
            "28",
            "A step, movement up to 20 %",
            "Sweep and prune drops below exhaustive search; the hash grid stays linear.",
            rivals::much_movement,
        ),
        figure(
            "29",
            "A step, movement up to 1 %",
            "Sweep and prune is much better but worse than linear; the hash grid beats it by up to a factor of five.",
            rivals::little_movement,
        ),
        figure(
            "30",
            "A step, nothing collides",
            "Sweep and prune is two to three times as fast as the hash grid; both are linear.",
            rivals::no_collisions,
        ),
    ]
}

fn hash_grid(update: Update, settings: Settings) -> HierarchicalHashGrid<3> {
    HierarchicalHashGrid::new(update, settings)
}

/// The hash grid as the thesis runs it.
fn usual_hash_grid() -> Contender<3> {
    system("hash grid", || hash_grid(Update::MoveChanged, Settings::default()))
}

fn exhaustive() -> Contender<3> {
    system("all pairs", || Exhaustive)
}

fn sweep_and_prune() -> Contender<3> {
    system("sweep and prune", SweepAndPrune::<3>::new)
}

/// Numbers of objects up to a million in the thesis' large benchmarks.
fn many(bench: &Bench) -> Vec<f64> {
    let (least, most, per_decade) = bench.scale.of((100.0, 1e3, 1), (1e3, 1e5, 2), (1e3, 1e6, 3));
    decades(least, most, per_decade)
}

fn laps(bench: &Bench) -> usize {
    bench.scale.of(1, 7, 25)
}

/// All contenders in one scenario.
fn in_scenario(bench: &Bench, contenders: &[Contender<3>], numbers: &[f64], scenario: &Scenario) -> Result<Vec<Lane>, Failure> {
    sweep(bench, contenders, numbers, laps(bench), Clock::Processor, |n| Swarm::new(scenario, n as usize))
}

/// The scenarios of a figure with their names, each with its lanes.
type Lanes<'a> = Vec<(&'a str, Vec<Lane>)>;

/// A colour for each system, a kind of line for each scenario.
fn chart(title: &str, y: &str, lanes: &Lanes, quantity: fn(&Measured) -> f64) -> Chart {
    let named = |(variant, (scenario, lanes)): (usize, &(&str, Vec<Lane>))| -> Vec<Series> {
        lanes.iter().map(|lane| lane.series_in(scenario, variant, quantity)).collect()
    };
    let series = lanes.iter().enumerate().flat_map(named).collect();
    Chart { title: title.into(), x: Axis::log("objects"), y: Axis::log(y), series }
}

fn plain_chart(title: &str, y: &str, lanes: &[Lane], quantity: fn(&Measured) -> f64) -> Chart {
    let series = lanes.iter().map(|lane| lane.series(quantity)).collect();
    Chart { title: title.into(), x: Axis::log("objects"), y: Axis::log(y), series }
}

/// What every setting says.
fn setting(bench: &Bench, what: &str) -> String {
    format!("{what}; medians of {} steps after 2 (several steps at once below 2000 objects), one thread, CPU time", laps(bench))
}
