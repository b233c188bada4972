//! Memory held by the engine after some steps on one million objects: `memory/SCENE`. Not a time, so not by criterion.

mod common;

use common::{Stepper, Swing, WARM_UP, measuring};
use pivotgrid::Pair;
use scenes::Scene;

fn main() {
    let objects = if measuring() { 1_000_000 } else { 2_000 };
    let scenes: Vec<Scene> = Scene::ALL.into_iter().filter(|scene| wanted(&format!("memory/{scene}"))).collect();
    if scenes.is_empty() {
        return;
    }
    println!("memory after {WARM_UP} steps, {objects} objects, f32, 3D, 2 threads\n");
    println!("{:<10} {:>13} {:>13} {:>13} {:>24}", "scene", "bytes", "per object", "pairs/object", "per object beside pairs");
    for scene in scenes {
        let swing = Swing::<f32, 3>::new(scene, objects);
        let mut stepper = Stepper::new(&swing, 2);
        stepper.warm_up();
        let stats = stepper.stats();
        let per_object = |bytes: usize| bytes as f64 / objects as f64;
        let beside_pairs = per_object(stats.bytes.saturating_sub(stats.pairs * size_of::<Pair>()));
        let (bytes, pairs) = (stats.bytes, per_object(stats.pairs));
        println!("{:<10} {bytes:>13} {:>13.1} {pairs:>13.3} {beside_pairs:>24.1}", scene.name(), per_object(bytes));
    }
}

/// Whether the filters of the command line leave this bench in. Words that follow a criterion option are not filters.
fn wanted(id: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let follows_option = |at: usize| at > 0 && words[at - 1].starts_with("--") && words[at - 1] != "--bench";
    let is_filter = |(at, word): &(usize, &String)| !word.starts_with('-') && !follows_option(*at);
    let mut filters = words.iter().enumerate().filter(is_filter).map(|(_, word)| word.as_str()).peekable();
    filters.peek().is_none() || filters.any(|filter| id.contains(filter))
}
