//! The figures, and what survives.

use crate::choose::{Chosen, PARTS};
use crate::options::Options;
use crate::results::{Results, What};

/// Prints a table by part, and the survivors.
pub(crate) fn print(options: &Options, chosen: &Chosen, results: &Results) {
    println!("\n| part | mutants | chosen | do not compile | tried | caught | open | survive | caught, % |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for part in PARTS.into_iter().filter(|part| options.has_part(part)).chain(["all"]) {
        let ids = chosen.mutants.iter().filter(|(_, mutant)| part == "all" || mutant.part == part).map(|(id, _)| id);
        let total = chosen.totals.get(part).copied().unwrap_or(chosen.total());
        let verdicts = ids.clone().filter_map(|id| results.verdicts.get(id)).map(|verdict| verdict.what).collect::<Vec<_>>();
        let count = |is: fn(What) -> bool| verdicts.iter().filter(|what| is(**what)).count();
        let (broken, caught, open) =
            (count(|what| what == What::Broken), count(What::is_caught), count(|what| what == What::Open));
        let (tried, selected) = (verdicts.len() - broken, ids.count());
        let (survive, percent) = (tried - caught - open, 100.0 * caught as f64 / tried.max(1) as f64);
        println!("| {part} | {total} | {selected} | {broken} | {tried} | {caught} | {open} | {survive} | {percent:.1} |");
    }
    println!();
    for (id, mutant) in &chosen.mutants {
        let Some(verdict) = results.verdicts.get(id) else { continue };
        if !verdict.what.is_caught() && verdict.what != What::Broken {
            println!("{}: {id} {} ({})", verdict.what.name(), mutant.what, verdict.by);
        }
    }
}
