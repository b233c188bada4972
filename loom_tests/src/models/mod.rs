//! The models, one file per protocol, and what explores them.

mod append;
mod cursor;
mod directory;
mod growth;
mod kit;
mod once;
mod pool;
mod reuse;
mod segments;
mod shares;
mod step;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::faults::{Fault, KIT};
use crate::planted;

/// Every model there is. (One that is missing here is dead code, and the compiler says so.)
const ALL: &[Model] = &[
    directory::one_key::MODEL,
    directory::one_key_of_three::MODEL,
    directory::found_complete::MODEL,
    directory::colliding_keys::MODEL,
    directory::colliding_keys_of_three::MODEL,
    directory::spares_of_two::MODEL,
    directory::spares_of_three::MODEL,
    directory::two_keys_of_four::MODEL,
    directory::one_key_of_five::MODEL,
    directory::full_directory::MODEL,
    directory::full_pool::MODEL,
    pool::one_slab::MODEL,
    pool::two_slabs::MODEL,
    pool::three_threads::MODEL,
    pool::four_threads::MODEL,
    pool::limit::MODEL,
    segments::two_threads::MODEL,
    segments::three_threads::MODEL,
    segments::four_threads::MODEL,
    segments::five_threads::MODEL,
    shares::own_and_stolen::MODEL,
    shares::both_ends::MODEL,
    shares::three_workers::MODEL,
    shares::portions::MODEL,
    shares::drained::MODEL,
    cursor::claims::MODEL,
    cursor::blocks::MODEL,
    cursor::zipped::MODEL,
    append::two_threads::MODEL,
    once::two_threads::MODEL,
    once::three_threads::MODEL,
    once::next_step::MODEL,
    once::one_spare::MODEL,
    once::spare_of_a_loser::MODEL,
    step::two_workers::MODEL,
    step::first_step::MODEL,
    step::three_workers::MODEL,
    step::four_workers::MODEL,
    growth::directory_doubles::MODEL,
    growth::chunk_of_both::MODEL,
    reuse::next_step::MODEL,
    reuse::next_step_of_three::MODEL,
];

/// A small program over the kit that asserts what must hold in all of its executions.
struct Model {
    /// Of its module, which is also the filter that runs its tests.
    path: &'static str,
    search: Search,
    /// How many executions that are. Loom does not tell whether it has been through all of them, and a search that was cut short
    /// looks like one that found nothing; so they are counted, and known.
    executions: usize,
    run: fn(),
    /// The planted bugs that it must catch, each with a part of the message that tells that it was caught for the right reason.
    catches: &'static [(Fault, &'static str)],
}

/// How many of all executions are explored.
#[derive(Clone, Copy)]
enum Search {
    /// All of them.
    Complete,
    /// Those in which threads that could go on are interrupted at most so many times in all.
    Preemptions(usize),
}

impl Model {
    fn name(&self) -> &'static str {
        self.path.trim_start_matches("loom_tests::models::")
    }

    fn knows(&self, bug: Fault) -> bool {
        self.catches.iter().any(|(known, _)| *known == bug)
    }

    /// Explores the model with the kit as it is, and prints and returns the number of executions. Panics if it fails in one of
    /// them.
    fn holds(&self) -> usize {
        let begin = Instant::now();
        let executions = Arc::new(AtomicUsize::new(0));
        self.explore(&executions);
        let executions = executions.load(Ordering::Relaxed);
        // A model without alternatives explores nothing.
        assert!(executions > 1, "{} has only one execution", self.name());
        assert_eq!(
            executions,
            self.executions,
            "{}: cut short? (Or loom or the kit has changed, and so its number.)",
            self.name()
        );
        println!("{:34} {executions:>8} executions, {}, {:.1} s", self.name(), self.search, begin.elapsed().as_secs_f64());
        executions
    }

    /// Plants a bug, explores the model until it fails, and prints after how many executions. Panics if it does not fail, or for
    /// another reason than it should.
    fn catches(&self, bug: Fault) {
        let (_, reason) = self.catches.iter().find(|(known, _)| *known == bug).expect("the model knows the bug");
        let executions = Arc::new(AtomicUsize::new(0));
        let outcome = planted::with(bug, || self.explore(&executions));
        let executions = executions.load(Ordering::Relaxed);
        let Err(message) = outcome else { panic!("{bug:?} survived {executions} executions of {}", self.name()) };
        assert!(message.contains(reason), "{bug:?} was caught by {}, but not by {reason:?}: {message}", self.name());
        println!("{:22} {:34} {executions:>8} {reason}", format!("{bug:?}"), self.name());
    }

    fn explore(&self, executions: &Arc<AtomicUsize>) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = match self.search {
            Search::Complete => None,
            Search::Preemptions(bound) => Some(bound),
        };
        // Loom would take these from the environment, and a search that they cut short would look like one that found nothing.
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.checkpoint_file = None;
        // The one limit that remains, on the length of an execution, panics when it is reached.
        builder.max_branches = 3_000;
        let (run, executions) = (self.run, executions.clone());
        builder.check(move || {
            executions.fetch_add(1, Ordering::Relaxed);
            run();
        });
    }
}

/// Defines the model of a function of the same name, and its tests: that it holds, and that it catches each of its planted bugs.
macro_rules! model {
    ($run:ident, $search:expr, $executions:literal, catches { $($bug:ident: $reason:literal),+ $(,)? } $(,)?) => {
        pub(super) mod $run {
            use crate::models::{Model, Search::*};
            use crate::faults::Fault;

            pub(crate) const MODEL: Model =
                Model {
                    path: module_path!(),
                    search: $search,
                    executions: $executions,
                    run: super::$run,
                    catches: &[$((Fault::$bug, $reason)),+],
                };

            #[test]
            fn holds() {
                MODEL.holds();
            }

            #[cfg(test)]
            #[allow(non_snake_case)] // a bug's test is called like the bug
            mod catches {
                $(#[test]
                fn $bug() {
                    super::MODEL.catches(super::Fault::$bug);
                })+
            }
        }
    };
}
use model;

/// Runs `work` on so many workers, the calling thread being the first, and joins them. (At most five threads in an execution.)
fn fork<T: Send + 'static>(workers: usize, work: impl Fn(usize) -> T + Sync + 'static) -> Vec<T> {
    // std's `Arc`: how a model holds its own things together is not to be explored.
    let work = Arc::new(work);
    let _leak = LeakInPanic(work.clone());
    let others: Vec<_> = (1..workers)
        .map(|worker| {
            let work = work.clone();
            loom::thread::spawn(move || work(worker))
        })
        .collect();
    let mut results = vec![work(0)];
    results.extend(others.into_iter().map(|other| other.join().unwrap()));
    results
}

/// In a panic, loom drops the threads that had not started when its state is already gone. What they hold must not be dropped
/// with them: the kit's destructors need that state, and would panic again.
struct LeakInPanic<T>(Arc<T>);

impl<T> Drop for LeakInPanic<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::mem::forget(self.0.clone());
        }
    }
}

/// Plants every bug and prints the table of who caught it and after how many executions; then explores all models as they are.
pub fn report() {
    println!("{:22} {:34} {:>8} what it saw", "planted bug", "caught by", "after");
    for bug in KIT {
        for model in ALL.iter().filter(|model| model.knows(*bug)) {
            model.catches(*bug);
        }
    }
    println!();
    let executions: usize = ALL.iter().map(Model::holds).sum();
    println!("{:34} {executions:>8} executions", "all models");
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Search::Complete => write!(f, "all"),
            Search::Preemptions(bound) => write!(f, "at most {bound} preemptions"),
        }
    }
}

#[test]
fn every_planted_bug_is_caught_by_a_model() {
    for bug in KIT {
        assert!(ALL.iter().any(|model| model.knows(*bug)), "no model catches {bug:?}");
    }
}
