//! What the fuzz targets do with their bytes, a module each, and the oracles they compare with.
//!
//! No oracle calls the library to decide what is right: validity, overlap, groups, distances and file formats are written a second
//! time, on plain arrays. (A mutant once survived because the oracle shared a validity check with the engine.)

#[cfg(feature = "engine")]
mod bytes;
#[cfg(feature = "engine")]
mod number;
#[cfg(feature = "engine")]
mod plain;
#[cfg(feature = "engine")]
mod settings;

#[cfg(feature = "engine")]
pub mod detection;
#[cfg(feature = "engine")]
pub mod queries;
pub mod recordings;
#[cfg(feature = "engine")]
pub mod statics;
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
    use std::path::Path;

    /// The seeds are worth keeping only while they run.
    #[test]
    fn every_seed_runs() {
        let targets: [(&str, fn(&[u8])); 6] = [
            ("detection", crate::detection::run),
            ("queries", crate::queries::run),
            ("statics", crate::statics::run),
            ("world", crate::world::run),
            ("recordings", crate::recordings::run),
            ("work", crate::work::run),
        ];
        for (name, run) in targets {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
            let seeds: Vec<_> =
                fs::read_dir(folder).expect("a folder of seeds").map(|entry| entry.expect("a seed").path()).collect();
            assert!(seeds.len() >= 3, "{name} has {} seeds", seeds.len());
            seeds.iter().for_each(|seed| run(&fs::read(seed).expect("a readable seed")));
        }
    }
}
