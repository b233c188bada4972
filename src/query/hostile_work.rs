//! The work of single queries in hostile scenes, which come from `tools/scenes`. `ci/package` leaves this file out, because that member is
//! not published.

use super::work::{OBJECTS, ball_work, box_work, work};
use super::{BoxCast, Ray};
use crate::{Aabb, Ball, BroadPhase, StaticSet};

/// The work of single queries in a hostile scene, by kind: the mean over queries near objects, less a step for every object found.
fn hostile_work<const D: usize>(scene: scenes::Hostile) -> [f64; 6] {
    let boxes: Vec<Aabb<f64, D>> =
        scene.boxes::<f64, D>(OBJECTS, 5, 0).iter().map(|bounds| Aabb { min: bounds.min, max: bounds.max }).collect();
    let mut engine = BroadPhase::<f64, D>::new();
    engine.detect(&boxes);
    let queries = engine.queries();
    let view = queries.target.views().next().expect("there has been a step");
    let is_finite = |bounds: &&Aabb<f64, D>| bounds.min.iter().chain(&bounds.max).all(|x| x.is_finite());
    let chosen: Vec<_> = boxes.iter().filter(is_finite).step_by(97).collect();
    let (mut found, mut near, mut hits) = (Vec::new(), Vec::new(), Vec::new());
    let mut sums = [0.0; 6];
    for bounds in &chosen {
        let center: [f64; D] = std::array::from_fn(|axis| (bounds.min[axis] + bounds.max[axis]) / 2.0);
        let edges: [f64; D] = std::array::from_fn(|axis| bounds.max[axis] - bounds.min[axis]);
        let longest = edges.iter().fold(1e-9, |a: f64, &b| a.max(b));
        let wide = Aabb::around(center, [longest; D]);
        queries.overlapping(&wide, &mut found);
        sums[0] += box_work(view, &wide) as f64 - found.len() as f64;
        queries.containing(center, &mut found);
        sums[1] += box_work(view, &Aabb { min: center, max: center }) as f64 - found.len() as f64;
        let ball = Ball::new(center, longest);
        queries.within(&ball, &mut near);
        sums[2] += ball_work(view, &ball) as f64 - near.len() as f64;
        sums[3] += work(|_| queries.nearest(center, 8, &mut near)) as f64 - 8.0;
        let mut direction = [0.3; D];
        direction[0] = 1.0;
        let ray = Ray::new(center.map(|x| x + longest), direction);
        sums[4] += work(|_| _ = queries.first_hit(&ray)) as f64;
        let sweep = BoxCast::new(wide, direction.map(|x| x * longest));
        sums[5] += work(|_| queries.sweep_hits(&sweep, &mut hits)) as f64 - hits.len() as f64;
    }
    sums.map(|sum| sum / chosen.len().max(1) as f64)
}

/// However a scene is made, a single query looks at few chunks, nodes and steps of entries.
#[test]
fn single_queries_are_bounded_in_hostile_scenes() {
    const KINDS: [&str; 6] = ["box", "point", "ball", "nearest", "first hit", "moving box"];
    let mut worst = [(0.0, ""); 6];
    for &scene in scenes::Hostile::ALL {
        let mut all = Vec::new();
        if scene.dimensions().contains(&3) {
            all.push(hostile_work::<3>(scene));
        }
        if scene.dimensions().contains(&2) {
            all.push(hostile_work::<2>(scene));
        }
        for work in all {
            for kind in 0..6 {
                println!("{} {} {:.0}", scene.name(), KINDS[kind], work[kind]);
                if work[kind] > worst[kind].0 {
                    worst[kind] = (work[kind], scene.name());
                }
            }
        }
    }
    println!("{worst:?}");
    for (kind, (work, scene)) in worst.into_iter().enumerate() {
        assert!(work <= HOSTILE_BOUNDS[kind], "{}: {work} in {scene}", KINDS[kind]);
    }
}

/// The mean work of searches for the `k` nearest, from objects and from empty space, beyond a step for every eight that are wanted: in the
/// grid of a scene, and in a static set of the same boxes.
fn nearest_work<const D: usize>(scene: scenes::Hostile, k: usize) -> [f64; 2] {
    let boxes: Vec<Aabb<f64, D>> =
        scene.boxes::<f64, D>(OBJECTS, 5, 0).iter().map(|bounds| Aabb { min: bounds.min, max: bounds.max }).collect();
    let (mut engine, mut set) = (BroadPhase::<f64, D>::new(), StaticSet::<f64, D>::new());
    engine.detect(&boxes);
    set.build(&boxes);
    let is_finite = |bounds: &&Aabb<f64, D>| bounds.min.iter().chain(&bounds.max).all(|x| x.is_finite());
    let chosen: Vec<_> = boxes.iter().filter(is_finite).step_by(97).collect();
    let mut found = Vec::new();
    [engine.queries(), set.queries()].map(|queries| {
        let mut sum = 0;
        for (at, bounds) in chosen.iter().enumerate() {
            // Between two objects that have nothing to do with each other there is mostly nothing.
            let other = chosen[at * 31 % chosen.len()];
            let middle: [f64; D] = std::array::from_fn(|axis| bounds.min[axis] / 2.0 + other.max[axis] / 2.0);
            for place in [bounds.max, middle] {
                sum += work(|_| queries.nearest(place, k, &mut found));
            }
        }
        sum as f64 / (2 * chosen.len().max(1)) as f64 - (k / 8) as f64
    })
}

/// The most looks and steps, on average, that a search for the `k` nearest takes beyond those that hold what it finds, by `k`.
/// A tenth more than the worst when this was written: `power_halo` for 1 and 8, `needles` for 64.
const NEAREST_BOUNDS: [(usize, f64); 3] = [(1, 230.0), (8, 340.0), (64, 1070.0)];

#[test]
fn searches_for_the_nearest_are_bounded_in_hostile_scenes() {
    for (k, bound) in NEAREST_BOUNDS {
        let mut worst = (0.0, String::new());
        for &scene in scenes::Hostile::ALL {
            let mut all = Vec::new();
            if scene.dimensions().contains(&2) {
                all.push((2, nearest_work::<2>(scene, k)));
            }
            if scene.dimensions().contains(&3) {
                all.push((3, nearest_work::<3>(scene, k)));
            }
            for (dimensions, [moving, fixed]) in all {
                println!("{k} nearest, {scene} in {dimensions}D: {moving:.0}, in a static set {fixed:.0}");
                if moving.max(fixed) > worst.0 {
                    worst = (moving.max(fixed), format!("{scene} in {dimensions}D"));
                }
            }
        }
        println!("{k} nearest: at most {:.0}, {}", worst.0, worst.1);
        assert!(worst.0 <= bound, "{k} nearest: {:.0} in {}", worst.0, worst.1);
    }
}

/// By kind. The scene is 2500 steps of eight entries. The worst scenes: `power_halo`, whose objects overlap many others' boxes; `sediment`
/// for rays, which graze its layers; `log_polar_6` for moving boxes. Where cells begin changes these a little. All others stay below 130.
const HOSTILE_BOUNDS: [f64; 6] = [240.0, 280.0, 260.0, 340.0, 660.0, 95.0];
