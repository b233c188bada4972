//! The pairs feed a parallel narrow phase: contacts of balls, and the deepest. `cargo run --release --example narrow_phase`

use pivotgrid::{Aabb, Bounded, BroadPhase, Pair};
use rayon::prelude::*;

struct Ball {
    center: [f64; 3],
    radius: f64,
}

impl Bounded<f64, 3> for Ball {
    fn aabb(&self) -> Aabb<f64, 3> {
        Aabb::around(self.center, [self.radius; 3])
    }
}

/// How deep two balls are in one another; negative when only their boxes overlap.
fn depth(balls: &[Ball], pair: Pair) -> f64 {
    let (a, b) = (&balls[pair.a as usize], &balls[pair.b as usize]);
    let squares = (0..3).map(|axis| (a.center[axis] - b.center[axis]).powi(2));
    a.radius + b.radius - squares.sum::<f64>().sqrt()
}

fn main() {
    // A heap of balls, one in eight of them large.
    let center = |i: usize| [i % 40, i / 40 % 40, i / 1600].map(|cell| cell as f64 + 0.1 * (i as f64).sin());
    let balls: Vec<Ball> = (0..64_000).map(|i| Ball { center: center(i), radius: if i % 8 == 0 { 0.9 } else { 0.45 } }).collect();

    let mut broad_phase = BroadPhase::<f64, 3>::new();
    let pairs = broad_phase.par_detect(&balls);
    let depths = pairs.into_par_iter().map(|pair| depth(&balls, pair)).filter(|depth| *depth > 0.0);
    let (contacts, deepest) =
        depths.fold(|| (0, 0.0), |(n, deep), d| (n + 1, d.max(deep))).reduce(|| (0, 0.0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    println!("{} pairs of boxes, {contacts} contacts, the deepest {deepest:.3}", pairs.len());
}
