//! A random search for scenes that cost more than the bound allows. The same seed finds the same scenes; what is found becomes a scene of
//! `tools/scenes`.

use pivotgrid::{Aabb, BroadPhase};

use crate::bound::{bound, work};

/// With fewer objects the logarithm and what a chunk costs at least decide.
const OBJECTS: usize = 4_000;
/// The most crowds of a scene, and the parameters of each.
const CROWDS: usize = 3;
const PARAMETERS: usize = 12;

/// All parameters of a scene, each from 0 to 1.
type Parameters = [[f64; PARAMETERS]; CROWDS];

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        ((self.unit() * end as f64) as usize).min(end - 1)
    }
}

/// A crowd: where its objects are, how large, and how long along which axes. Extents and edges are powers of ten.
fn add_crowd(parameters: &[f64; PARAMETERS], count: usize, random: &mut Random, boxes: &mut Vec<Aabb<f32, 3>>) {
    let &[_, extent, flat, center, law, least, most, long, longest, kind, tied, squeeze] = parameters;
    let power = |exponent: f64| 10f64.powf(exponent);
    let extent = power(6.0 * extent - 2.0);
    // Two bits for each axis: full, thin, very thin, none.
    let thickness = |axis: usize| [1.0, 1e-2, 1e-4, 0.0][(flat * 64.0) as usize >> (2 * axis) & 3];
    let center = [1.0, -0.7, 0.4].map(|along| along * (power(5.0 * center) - 1.0));
    let (least, most) = (power(5.0 * least - 5.0) * extent, power(5.0 * most - 5.0) * extent);
    for index in 0..count {
        let place: [f64; 3] = std::array::from_fn(|_| random.unit() - 0.5);
        // As many at every scale, or evenly spread, or along a line, or in nested shells.
        let scale = match (kind * 4.0) as usize {
            0 => 1.0,
            1 => power(-6.0 * random.unit()),
            2 => power(-4.0 * law * random.unit()),
            _ => 2f64.powi(-((random.unit() * 12.0 * law) as i32)),
        };
        let place = if squeeze > 0.85 { [place[0]; 3] } else { place };
        let share = if tied > 0.5 { scale } else { power(-3.0 * law * random.unit()) };
        let edge = (least + (most - least) * random.unit() * law) * share;
        let along = [(long * 3.0) as usize, index % 3, 3][(longest * 3.0) as usize % 3];
        let edges: [f64; 3] = std::array::from_fn(|axis| {
            let factor = power(4.0 * longest);
            if axis == along { edge * factor } else { edge }
        });
        let corner: [f64; 3] = std::array::from_fn(|axis| center[axis] + place[axis] * scale * extent * thickness(axis));
        let bounds = Aabb {
            min: std::array::from_fn(|axis| (corner[axis] - edges[axis] / 2.0) as f32),
            max: std::array::from_fn(|axis| (corner[axis] + edges[axis] / 2.0) as f32),
        };
        boxes.push(bounds);
    }
}

fn scene(parameters: &Parameters, objects: usize) -> Vec<Aabb<f32, 3>> {
    let (mut random, mut boxes) = (Random(1), Vec::with_capacity(objects));
    let weights = parameters.map(|crowd| crowd[0] + 1e-3);
    let all: f64 = weights.iter().sum();
    for (crowd, weight) in parameters.iter().zip(weights) {
        let count = ((objects as f64 * weight / all) as usize).min(objects - boxes.len());
        add_crowd(crowd, count, &mut random, &mut boxes);
    }
    boxes
}

/// The part of the bound that a new engine needs, and pairs per object.
fn excess(parameters: &Parameters, objects: usize) -> (f64, f64) {
    let boxes = scene(parameters, objects);
    let mut broad_phase = BroadPhase::<f32, 3>::new();
    let pairs = broad_phase.detect(&boxes).len();
    (work(broad_phase.stats()) as f64 / bound(boxes.len(), pairs), pairs as f64 / boxes.len() as f64)
}

/// Climbs from a random scene: changes parameters, keeps what costs more. Scenes that are mostly pairs are left alone, because no search
/// can avoid these.
fn climb(seed: u64, tries: usize) -> (f64, Parameters) {
    const MOST_PAIRS: f64 = 60.0;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut best: Parameters = std::array::from_fn(|_| std::array::from_fn(|_| random.unit()));
    let mut highest = 0.0;
    for _ in 0..tries {
        let mut next = best;
        for _ in 0..1 + random.below(4) {
            next[random.below(CROWDS)][random.below(PARAMETERS)] = random.unit();
        }
        let (excess, pairs) = excess(&next, OBJECTS);
        if excess > highest && pairs < MOST_PAIRS {
            (highest, best) = (excess, next);
        }
    }
    (highest, best)
}

/// `cargo test --release --test work -- --ignored --nocapture search::search`; `SEARCH_SEEDS` and `SEARCH_TRIES` say how long.
#[test]
#[ignore = "a random search, minutes; prints what it finds"]
fn search() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let mut found: Vec<(f64, u64, Parameters)> = Vec::new();
    for seed in 0..number("SEARCH_SEEDS", 16) {
        let (highest, best) = climb(seed, number("SEARCH_TRIES", 200) as usize);
        let large = excess(&best, 5 * OBJECTS);
        println!("seed {seed}: {highest:.2} of the bound, {:.2} with five times as many, {:.1} pairs each", large.0, large.1);
        found.push((highest, seed, best));
    }
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    for (highest, seed, parameters) in found.iter().take(4) {
        println!("{highest:.2}, seed {seed}: {parameters:.3?}");
    }
}

/// A short search finds nothing beyond the bound.
#[test]
fn a_short_search_stays_within_the_bound() {
    for seed in 0..4 {
        let (highest, best) = climb(seed, 12);
        assert!(highest <= 1.0, "seed {seed}: {highest:.2} of the bound, {best:?}");
    }
}

/// The worst that a search of 12 000 scenes found on 2026-11-18: crowds of long boxes that neither cells nor the last resort took apart,
/// 9.7 and 8.2 times the bound until the last resort counted what a crowd costs by its own objects, not by all.
const FOUND: [Parameters; 2] = [
    [
        [0.827, 0.210, 0.028, 0.070, 0.420, 0.387, 0.167, 0.357, 0.514, 0.493, 0.949, 0.057],
        [0.307, 0.845, 0.443, 0.792, 0.337, 0.202, 0.252, 0.850, 0.074, 0.918, 0.979, 0.277],
        [0.466, 0.357, 0.082, 0.279, 0.287, 0.206, 0.117, 0.794, 0.663, 0.891, 0.779, 0.607],
    ],
    [
        [0.462, 0.214, 0.378, 0.268, 0.794, 0.510, 0.251, 0.314, 0.847, 0.749, 0.636, 0.462],
        [0.697, 0.258, 0.199, 0.007, 0.132, 0.182, 0.079, 0.581, 0.378, 0.024, 0.225, 0.260],
        [0.781, 0.841, 0.119, 0.545, 0.955, 0.097, 0.388, 0.749, 0.401, 0.605, 0.735, 0.155],
    ],
];

#[test]
fn what_the_search_found_stays_within_the_bound() {
    for (index, parameters) in FOUND.iter().enumerate() {
        for objects in [OBJECTS, 5 * OBJECTS] {
            let (excess, _) = excess(parameters, objects);
            // 0.9 to 1.5, by which objects the planner samples.
            assert!(excess <= 1.6, "{index}, {objects} objects: {excess:.2} of the bound");
        }
    }
}
