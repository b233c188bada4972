//! Tries the mutants.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use crate::choose::{Chosen, PARTS};
use crate::options::Options;
use crate::process::{self, Outcome};
use crate::results::{Results, Verdict, What};
use crate::tests::Test;

/// At least, and times what the test takes without a mutant.
const LIMIT: (f64, f64) = (20.0, 5.0);

/// How often each test caught something, by file and everywhere.
#[derive(Default)]
struct Kills {
    near: BTreeMap<(String, usize), usize>,
    all: BTreeMap<usize, usize>,
}

impl Kills {
    /// The cheap come first, and of those that cost the same the ones that caught most.
    fn price(&self, file: &str, test: usize, seconds: f64) -> f64 {
        let near = self.near.get(&(file.to_owned(), test)).copied().unwrap_or(0);
        let all = self.all.get(&test).copied().unwrap_or(0);
        (seconds + 0.02) / (1.0 + 4.0 * near as f64 + 0.2 * all as f64)
    }

    fn count(&mut self, file: &str, test: usize) {
        *self.near.entry((file.to_owned(), test)).or_default() += 1;
        *self.all.entry(test).or_default() += 1;
    }
}

/// Tries all that have no final verdict yet, evenly from all parts, until the time is over.
pub(crate) fn all(options: &Options, chosen: &Chosen, tests: &[Test], results: &mut Results) -> Result<(), String> {
    let mut waiting = Vec::new();
    for part in PARTS.into_iter().filter(|part| options.has_part(part)) {
        let is_viable = |id: &u32| chosen.mutants[id].part == part && !results.is(*id, What::Broken);
        let ids = chosen.mutants.keys().copied().filter(is_viable).collect::<Vec<_>>();
        // The even ones first, then the odd ones: whenever it ends, what was tried is spread over the part.
        let spread = (0..ids.len()).step_by(2).chain((1..ids.len()).step_by(2)).map(|i| ids[i]);
        let share = spread.enumerate().map(|(i, id)| (i * 1_000_000 / ids.len(), id));
        for (share, id) in share {
            // Those that not all tests were run on may be caught by others; they come last.
            let open = results.is(id, What::Open);
            if open || !options.ids.is_empty() || !results.verdicts.contains_key(&id) {
                waiting.push((share + usize::from(open) * 1_000_000, id));
            }
        }
    }
    waiting.sort_by_key(|(share, id)| (std::cmp::Reverse(*share), *id));
    println!("{} mutants to try", waiting.len());

    let state = Mutex::new((waiting, results, Kills::default()));
    let start = Instant::now();
    let work = || -> Result<(), String> {
        loop {
            let (id, order, left) = {
                let mut state = state.lock().map_err(|error| error.to_string())?;
                let over = start.elapsed().as_secs_f64() > options.minutes * 60.0;
                let Some((_, id)) = state.0.pop().filter(|_| !over) else { return Ok(()) };
                let price = |test: &usize| state.2.price(&chosen.mutants[&id].file, *test, tests[*test].seconds);
                let mut order = (0..tests.len()).filter(|test| tests[*test].reached.contains(&id)).collect::<Vec<_>>();
                order.sort_by(|a, b| price(a).total_cmp(&price(b)));
                (id, order, state.0.len())
            };
            let (verdict, killer) = one(options, id, &order, tests)?;
            let mutant = &chosen.mutants[&id];
            let mut state = state.lock().map_err(|error| error.to_string())?;
            if let Some(test) = killer {
                state.2.count(&mutant.file, test);
            }
            println!("{left:5} {:9} {id} {}  [{}]", verdict.what.name(), mutant.what, verdict.by);
            state.1.record(chosen, id, verdict)?;
        }
    };
    std::thread::scope(|scope| {
        let workers = (0..options.jobs).map(|_| scope.spawn(work)).collect::<Vec<_>>();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })
}

/// Runs the tests in their order, until one fails or the budget is used up.
fn one(options: &Options, id: u32, order: &[usize], tests: &[Test]) -> Result<(Verdict, Option<usize>), String> {
    let (mut spent, mut tried) = (0.0, 0);
    for &test in order {
        if tried > 0 && spent + tests[test].seconds > options.budget {
            continue;
        }
        (spent, tried) = (spent + tests[test].seconds, tried + 1);
        let limit = (LIMIT.1 * tests[test].seconds).max(LIMIT.0) as u64;
        let what = match process::run(&tests[test], ("MUTANT", &id.to_string()), limit)?.0 {
            Outcome::Passed => continue,
            Outcome::Failed => What::Caught,
            Outcome::TimedOut => What::TimedOut,
        };
        return Ok((Verdict { what, by: tests[test].label() }, Some(test)));
    }
    let what = match () {
        () if tried < order.len() || !options.has_all_tests() => What::Open,
        () if order.is_empty() => What::Unreached,
        () => What::Missed,
    };
    Ok((Verdict { what, by: format!("{tried} of {} tests", order.len()) }, None))
}
