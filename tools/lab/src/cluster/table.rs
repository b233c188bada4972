//! A measured job as text. Like `measure.rs`, compiled for MPI as well.

use std::fmt::{self, Write};

use super::measure::{Outcome, RankFigures};

const NAMES: [&str; 6] = ["cut", "route", "exchange", "detect", "filter", "agree"];

/// A line per rank, their sum, and what it comes to.
pub(crate) fn text<S, const D: usize>(outcome: &Outcome<S, D>) -> Result<String, fmt::Error> {
    let (mut out, ranks) = (String::new(), &outcome.ranks[..]);
    let sum = |of: fn(&RankFigures) -> f64| ranks.iter().map(of).sum::<f64>();
    let work = sum(|rank| rank.work);
    write!(out, "{:>5} {:>9} {:>8} {:>10} {:>9} {:>6}", "rank", "objects", "ghosts", "bytes", "pairs", "work")?;
    writeln!(
        out,
        "  {}      cpu  ms by phase, on the wall; CPU of the thread",
        NAMES.map(|name| format!("{name:>8}")).join(" ")
    )?;
    for (number, rank) in ranks.iter().enumerate() {
        let RankFigures { own, ghosts, bytes, pairs, phases_ms, .. } = rank;
        let share = rank.work * ranks.len() as f64 / work.max(f64::MIN_POSITIVE);
        write!(out, "{number:>5} {own:>9} {ghosts:>8} {bytes:>10} {pairs:>9} {share:>6.3}")?;
        writeln!(out, "  {} {:>8.3}", phases_ms.map(|ms| format!("{ms:>8.3}")).join(" "), rank.cpu_ms)?;
    }
    let (objects, ghosts, bytes) = (sum(|rank| rank.own), sum(|rank| rank.ghosts), sum(|rank| rank.bytes));
    writeln!(out, "{:>5} {objects:>9} {ghosts:>8} {bytes:>10} {:>9}\n", "all", sum(|rank| rank.pairs))?;

    let percent = |part: f64| 100.0 * part / objects.max(1.0);
    let (settled, equal, halo) = (sum(|rank| rank.settled), sum(|rank| rank.equal), sum(|rank| rank.halo));
    writeln!(out, "imbalance         {:.3}  largest / mean predicted work; {} cuts", outcome.imbalance, outcome.cuts)?;
    writeln!(out, "ghosts            {ghosts}  {:.2} % of the objects", percent(ghosts))?;
    writeln!(out, "  after migrating {settled}  {:.2} %, each object where it belongs", percent(settled))?;
    writeln!(out, "  at equal sizes  {equal}  {:.2} %, all edges {:.3}, the mean", percent(equal), outcome.mean_edge)?;
    writeln!(out, "  classic halo    {halo}  {:.2} %, {:.3} wide, the largest edge", percent(halo), outcome.largest_edge)?;
    if ghosts > 0.0 {
        writeln!(out, "bytes per ghost   {:.1}", bytes / ghosts)?;
    }
    let most = |of: fn(&RankFigures) -> f64| ranks.iter().map(of).fold(0.0, f64::max);
    let (wall, cpu) = (most(|rank| rank.step_ms), most(|rank| rank.cpu_ms));
    writeln!(out, "step              {wall:.3} ms, the slowest rank; {cpu:.3} ms of CPU on its thread")?;
    let RankFigures { plain_ms, plain_cpu_ms, ratio, .. } = ranks[0];
    if plain_ms > 0.0 {
        write!(
            out,
            "one engine        {plain_ms:.3} ms for all objects, with the threads of one rank; {plain_cpu_ms:.3} ms of CPU"
        )?;
        writeln!(out, "\n                  the step of rank 0 takes {ratio:.3} of that")?;
    }
    Ok(out)
}
