//! What the fuzz targets do with their bytes, a module each, and the oracles they compare with.
//!
//! No oracle calls the library to decide what is right: validity, overlap, groups, distances and file formats are written a second
//! time, on plain arrays. (A mutant once survived because the oracle shared a validity check with the engine.)

#[cfg(feature = "engine")]
mod bytes;
#[cfg(feature = "engine")]
mod fuse;
#[cfg(feature = "engine")]
mod number;
#[cfg(feature = "engine")]
mod plain;
#[cfg(feature = "engine")]
mod scarce;
#[cfg(feature = "engine")]
mod settings;
#[cfg(feature = "engine")]
mod whole;

#[cfg(feature = "engine")]
pub mod detection;
#[cfg(feature = "engine")]
pub mod events;
#[cfg(feature = "engine")]
pub mod neighbors;
#[cfg(feature = "engine")]
pub mod panics;
#[cfg(feature = "engine")]
pub mod periodic;
#[cfg(feature = "engine")]
pub mod queries;
pub mod recordings;
#[cfg(feature = "engine")]
pub mod refusals;
#[cfg(feature = "engine")]
pub mod statics;
#[cfg(feature = "engine")]
pub mod swept;
#[cfg(feature = "engine")]
pub mod work;
#[cfg(feature = "engine")]
pub mod world;

/// Calls a generic function for the space that the first byte chooses.
#[cfg(feature = "engine")]
macro_rules! in_some_space {
    ($run:ident, $data:expr) => {
        let mut bytes = crate::bytes::Bytes::new($data);
        match bytes.below(4) {
            0 => $run::<f32, 2>(&mut bytes),
            1 => $run::<f32, 3>(&mut bytes),
            2 => $run::<f64, 2>(&mut bytes),
            _ => $run::<f64, 3>(&mut bytes),
        }
    };
}
#[cfg(feature = "engine")]
use in_some_space;

#[cfg(all(test, feature = "engine"))]
mod tests {
    use std::fs;
    use std::panic::catch_unwind;
    use std::path::Path;

    type Target = (&'static str, fn(&[u8]));

    const TARGETS: [Target; 12] = [
        ("detection", crate::detection::run),
        ("queries", crate::queries::run),
        ("statics", crate::statics::run),
        ("world", crate::world::run),
        ("periodic", crate::periodic::run),
        ("neighbors", crate::neighbors::run),
        ("swept", crate::swept::run),
        ("events", crate::events::run),
        ("refusals", crate::refusals::run),
        ("panics", crate::panics::run),
        ("recordings", crate::recordings::run),
        ("work", crate::work::run),
    ];

    /// The seeds are worth keeping only while they run.
    #[test]
    fn every_seed_runs() {
        for (name, run) in TARGETS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
            let seeds: Vec<_> =
                fs::read_dir(folder).expect("a folder of seeds").map(|entry| entry.expect("a seed").path()).collect();
            assert!(seeds.len() >= 3, "{name} has {} seeds", seeds.len());
            seeds.iter().for_each(|seed| run(&fs::read(seed).expect("a readable seed")));
        }
    }

    /// What a file does: `TARGET=periodic FILE=found cargo +nightly test one_file -- --ignored`.
    #[test]
    #[ignore = "needs a file"]
    fn one_file() {
        let [target, file] = ["TARGET", "FILE"].map(|name| std::env::var(name).expect("TARGET and FILE"));
        let run = TARGETS.iter().find(|(name, _)| *name == target).expect("a target").1;
        run(&fs::read(file).expect("a readable file"));
    }

    /// Random bytes without the fuzzer: `TARGET=periodic RUNS=100000 cargo +nightly test --release random_bytes -- --ignored`.
    #[test]
    #[ignore = "a random search of RUNS executions"]
    fn random_bytes() {
        let wanted = std::env::var("TARGET").unwrap_or_default();
        let number = |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
        let (runs, mut state) = (number("RUNS", 1000), number("SEED", 1));
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        for (name, run) in TARGETS.into_iter().filter(|(name, _)| wanted.is_empty() || *name == wanted) {
            for _ in 0..runs {
                let length = 1 + random() % 400;
                // Half of them where numbers are small.
                let small = random() % 2 == 0;
                let data: Vec<u8> =
                    (0..length).map(|_| if small && random() % 4 > 0 { 60 + random() % 80 } else { random() } as u8).collect();
                if catch_unwind(|| run(&data)).is_err() {
                    let file = std::env::temp_dir().join(format!("pivotgrid-fuzz-{name}"));
                    fs::write(&file, &data).expect("a writable folder");
                    panic!("{name}: {}", file.display());
                }
            }
        }
    }
}
