//! The parts of the library, and which of their mutants are tried.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use crate::options::Options;
use crate::site::SourceFile;

pub(crate) const PARTS: [&str; 6] = ["pairs", "memory", "query", "particles", "features", "world"];

/// The part that a file of `src` belongs to.
fn part_of(path: &Path) -> &'static str {
    let path = path.to_string_lossy();
    let is_in = |places: &[&str]| places.iter().any(|place| path.starts_with(&format!("src/{place}")));
    match () {
        () if is_in(&["runtime/memory.rs"]) => "memory",
        () if is_in(&["query/"]) => "query",
        () if is_in(&["neighbors/", "periodic/"]) => "particles",
        () if is_in(&["adjacency.rs", "debug_view.rs", "statics/", "geometry/moving_box.rs", "tracker/"]) => "features",
        () if is_in(&["world/"]) => "world",
        () => "pairs",
    }
}

/// A mutant, for people.
pub(crate) struct Described {
    pub(crate) part: &'static str,
    /// The file, from the root.
    pub(crate) file: String,
    /// File, line, function and change.
    pub(crate) what: String,
}

pub(crate) struct Chosen {
    /// By number.
    pub(crate) mutants: BTreeMap<u32, Described>,
    /// How many each part has.
    pub(crate) totals: BTreeMap<&'static str, usize>,
    /// Of all mutants and their numbers.
    pub(crate) fingerprint: u64,
}

impl Chosen {
    pub(crate) fn total(&self) -> usize {
        self.totals.values().sum()
    }
}

/// Chooses one mutant in so many of each part, and removes the others from the files.
pub(crate) fn choose(files: &mut [SourceFile], options: &Options) -> Chosen {
    let mut chosen = Chosen { mutants: BTreeMap::new(), totals: PARTS.map(|part| (part, 0)).into(), fingerprint: 0 };
    let mut hasher = DefaultHasher::new();
    for file in files {
        let part = part_of(&file.path);
        let count = chosen.totals.entry(part).or_default();
        for site in &mut file.sites {
            let line = file.text[..site.span.start].matches('\n').count() + 1;
            site.mutants.retain(|mutant| {
                *count += 1;
                (&file.path, &site.function, &mutant.what).hash(&mut hasher);
                let is_chosen = match options.ids.is_empty() {
                    true => *count % options.every == options.seed % options.every,
                    false => options.ids.contains(&mutant.id),
                };
                if is_chosen {
                    let path = file.path.to_string_lossy().into_owned();
                    let what = format!("{path}:{line} {}: {}", site.function, mutant.what);
                    chosen.mutants.insert(mutant.id, Described { part, file: path, what });
                }
                is_chosen
            });
        }
    }
    chosen.fingerprint = hasher.finish();
    chosen
}
