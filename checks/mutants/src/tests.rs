//! The tests, what each costs and which mutants it reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use crate::options::Options;
use crate::process::{self, Outcome};
use crate::tree::Binary;

pub(crate) struct Test {
    /// Of the binary, and of the test in it.
    pub(crate) binary: String,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) folder: PathBuf,
    /// Seconds of processor time.
    pub(crate) seconds: f64,
    pub(crate) reached: BTreeSet<u32>,
}

/// Instead of what a test reaches that took too long.
const SLOW: &str = "slow";

impl Test {
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.binary, self.name)
    }
}

/// Runs each test alone, without mutants, and returns also those that fail; they are not used. What was measured of the same binaries before
/// is read instead.
pub(crate) fn measure(options: &Options, binaries: &[Binary]) -> Result<(Vec<Test>, Vec<String>), String> {
    let mut tests = Vec::new();
    let mut hasher = DefaultHasher::new();
    for binary in binaries {
        hasher.write(&fs::read(&binary.path).map_err(|error| error.to_string())?);
        let list = Command::new(&binary.path).args(["--list", "--format", "terse"]).current_dir(&binary.folder).output();
        let list = list.map_err(|error| error.to_string())?.stdout;
        for name in String::from_utf8_lossy(&list).lines().filter_map(|line| line.strip_suffix(": test")) {
            let (path, folder) = (binary.path.clone(), binary.folder.clone());
            tests.push(Test {
                binary: binary.name.clone(),
                name: name.into(),
                path,
                folder,
                seconds: 0.0,
                reached: BTreeSet::new(),
            });
        }
    }
    let store = options.out.join("tests.tsv");
    let build = format!("build {:016x}", hasher.finish());
    let old = fs::read_to_string(&store).unwrap_or_default();
    if old.lines().next() != Some(&build) {
        fs::write(&store, format!("{build}\n")).map_err(|error| error.to_string())?;
    }
    let known = if old.lines().next() == Some(&build) { read(&old, options) } else { BTreeMap::new() };
    println!("{} tests, {} of them measured before", tests.len(), known.len());

    let file = Mutex::new(fs::OpenOptions::new().append(true).open(&store).map_err(|error| error.to_string())?);
    let next = Mutex::new(tests.iter_mut());
    let failed = Mutex::new(Vec::new());
    let work = |worker: usize| -> Result<(), String> {
        loop {
            let Some(test) = next.lock().map_err(|error| error.to_string())?.next() else { return Ok(()) };
            if let Some((seconds, reached)) = known.get(&test.label()) {
                (test.seconds, test.reached) = (*seconds, reached.clone());
                continue;
            }
            let reached = options.out.join(format!("reached.{worker}"));
            fs::write(&reached, []).map_err(|error| error.to_string())?;
            let variable = ("MUTANTS_REACHED", &*reached.to_string_lossy());
            let (outcome, seconds) = process::run(test, variable, options.slowest.ceil() as u64)?;
            if outcome == Outcome::Failed {
                failed.lock().map_err(|error| error.to_string())?.push(test.label());
                continue;
            }
            let bytes = fs::read(&reached).map_err(|error| error.to_string())?;
            let ids = bytes.chunks_exact(4).map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]]));
            // What is too slow is not used: it reaches nothing.
            let is_slow = outcome == Outcome::TimedOut;
            (test.seconds, test.reached) = (seconds, ids.filter(|_| !is_slow).collect());
            let ids = test.reached.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let ids = if is_slow { SLOW } else { &ids };
            let mut file = file.lock().map_err(|error| error.to_string())?;
            writeln!(file, "{}\t{seconds}\t{ids}", test.label()).map_err(|error| error.to_string())?;
        }
    };
    std::thread::scope(|scope| {
        let work = &work;
        let workers = (0..options.jobs).map(|worker| scope.spawn(move || work(worker))).collect::<Vec<_>>();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })?;
    let failed = failed.into_inner().map_err(|error| error.to_string())?;
    let slow = tests.iter().filter(|test| test.seconds >= options.slowest.ceil() - 1.0).count();
    let seconds = tests.iter().map(|test| test.seconds).sum::<f64>();
    println!("without a mutant: {} fail, {seconds:.0} s of processor time, {slow} take too long", failed.len());
    Ok((tests, failed))
}

/// What was measured before, but for tests that were too slow then and may not be now.
fn read(text: &str, options: &Options) -> BTreeMap<String, (f64, BTreeSet<u32>)> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let (label, seconds, ids) = (fields.next()?, fields.next()?.parse::<f64>().ok()?, fields.next()?);
        let again = ids == SLOW && seconds + 2.0 < options.slowest;
        (!again).then(|| (label.to_owned(), (seconds, ids.split(',').filter_map(|id| id.parse().ok()).collect())))
    };
    text.lines().filter_map(line).collect()
}
