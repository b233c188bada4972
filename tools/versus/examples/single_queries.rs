//! Single queries, one at a time on one thread, in scenes that are made to be slow: pivotgrid and parry's `Bvh`, in nanoseconds per query.
//!
//! `cargo run --release -p versus --example single_queries -- [objects] [scene ...]`
//!
//! A query is at a random object, and as large as it. Both answer the same queries in turn, in blocks; the table has the medians of
//! the blocks, and what pivotgrid's tree and parry's took to build is not in them. The number of results must be equal.

#![forbid(unsafe_code)]

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::Instant;

use parry3d::bounding_volume::Aabb as ParryBox;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::Ray as ParryRay;
use pivotgrid::{Aabb, Ball, BroadPhase, Queries, Ray};
use scenes::Hostile;

const KINDS: [&str; 4] = ["box", "point", "ball", "ray"];
const BLOCKS: usize = 9;
const BLOCK: usize = 64;
/// parry recurses as deep as its tree is.
const STACK: usize = 256 << 20;

type Box3 = Aabb<f32, 3>;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let objects = arguments.next().map_or(100_000, |count| count.parse().expect("a number of objects"));
    let named: Vec<Hostile> = arguments.map(|name| name.parse().expect("a scene")).collect();
    let scenes = if named.is_empty() { Hostile::ALL.to_vec() } else { named };
    println!("| scene | {} |", KINDS.map(|kind| format!("{kind} ns, parry")).join(" | "));
    let run = move || {
        for scene in scenes.into_iter().filter(|scene| scene.dimensions().contains(&3)) {
            let cells = compare(scene, objects).map(|(own, other)| format!("{own:.0} {:.2}×", other / own));
            println!("| {} | {} |", scene.name(), cells.join(" | "));
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread").join().expect("no panic");
}

/// Nanoseconds per query by kind: pivotgrid's and parry's.
fn compare(scene: Hostile, objects: usize) -> [(f64, f64); 4] {
    let boxes: Vec<Box3> =
        scene.boxes::<f32, 3>(objects, 1, 0).iter().map(|bounds| Aabb { min: bounds.min, max: bounds.max }).collect();
    let mut engine = BroadPhase::<f32, 3>::new();
    engine.detect(&boxes);
    let queries = engine.queries();
    let bvh = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.iter().map(parry_box).enumerate());
    let is_finite = |bounds: &&Box3| bounds.min.iter().chain(&bounds.max).all(|x| x.abs() < 1e30);
    let finite: Vec<&Box3> = boxes.iter().filter(is_finite).collect();
    let mut seed = 1_u64;
    let mut any = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    std::array::from_fn(|kind| {
        if finite.is_empty() {
            return (f64::NAN, f64::NAN);
        }
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for _ in 0..=BLOCKS {
            let block: Vec<&Box3> = (0..BLOCK).map(|_| finite[any() % finite.len()]).collect();
            let time = |query: &dyn Fn(&Box3) -> usize| {
                let start = Instant::now();
                let found: usize = block.iter().map(|bounds| query(bounds)).sum();
                (start.elapsed().as_secs_f64() * 1e9 / BLOCK as f64, found)
            };
            let (mine, found) = time(&|bounds| by_pivotgrid(&queries, kind, bounds));
            let (theirs, found_by_parry) = time(&|bounds| by_parry(&bvh, &boxes, kind, bounds));
            assert_eq!(found, found_by_parry, "{} {}", scene.name(), KINDS[kind]);
            own.push(mine);
            other.push(theirs);
        }
        // The first block built the tree.
        (median(&mut own[1..]), median(&mut other[1..]))
    })
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn center(bounds: &Box3) -> [f32; 3] {
    std::array::from_fn(|axis| bounds.min[axis] + (bounds.max[axis] - bounds.min[axis]) / 2.0)
}

fn longest(bounds: &Box3) -> f32 {
    (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).fold(0.0, f32::max)
}

fn ray(bounds: &Box3) -> Ray<f32, 3> {
    Ray::new(center(bounds).map(|x| x + longest(bounds)), [0.8, 0.36, 0.48])
}

fn by_pivotgrid(queries: &Queries<'_, f32, 3>, kind: usize, bounds: &Box3) -> usize {
    let mut found = 0;
    let mut count = || {
        found += 1;
        ControlFlow::<Infallible>::Continue(())
    };
    let ControlFlow::Continue(()) = match kind {
        0 => queries.visit_overlapping(bounds, |_| count()),
        1 => queries.visit_containing(center(bounds), |_| count()),
        2 => queries.visit_within(&Ball::new(center(bounds), longest(bounds)), |_| count()),
        _ => queries.first_hit(&ray(bounds)).map_or(ControlFlow::Continue(()), |_| count()),
    };
    found
}

fn parry_box(bounds: &Box3) -> ParryBox {
    ParryBox::new(Vector::from_array(bounds.min), Vector::from_array(bounds.max))
}

fn by_parry(bvh: &Bvh, boxes: &[Box3], kind: usize, bounds: &Box3) -> usize {
    let center = center(bounds);
    match kind {
        0 => bvh.intersect_aabb(&parry_box(bounds)).count(),
        1 => bvh.intersect_aabb(&parry_box(&Aabb { min: center, max: center })).count(),
        2 => {
            let limit = longest(bounds) * longest(bounds);
            let square = |min: [f32; 3], max: [f32; 3]| {
                let gap = |axis: usize| (min[axis] - center[axis]).max(center[axis] - max[axis]).max(0.0);
                gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2)
            };
            bvh.leaves(|node| square(node.mins().to_array(), node.maxs().to_array()) <= limit).count()
        }
        _ => {
            let ray = ray(bounds);
            let inverse = ray.direction.map(|x| 1.0 / x);
            let path = ParryRay::new(Vector::from_array(ray.origin), Vector::from_array(ray.direction));
            let meet = |object: u32, best: f32| {
                let bounds = &boxes[object as usize];
                let (mut enter, mut exit) = (0.0_f32, best);
                for axis in 0..3 {
                    let ends = [bounds.min[axis], bounds.max[axis]].map(|end| (end - ray.origin[axis]) * inverse[axis]);
                    enter = enter.max(ends[0].min(ends[1]));
                    exit = exit.min(ends[0].max(ends[1]));
                }
                (enter <= exit).then_some(enter)
            };
            usize::from(bvh.cast_ray(&path, f32::MAX, meet).is_some())
        }
    }
}
