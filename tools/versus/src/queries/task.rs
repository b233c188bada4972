//! The objects of a round, and the queries about them.

use pivotgrid::{Ball, Ray};
use scenes::World;

use super::Kind;
use crate::Bounds;

/// Edge of the query boxes: some seven unit cubes of `uniform` overlap one.
const EDGE: f32 = 2.0;
/// Radius of the queries for boxes: eleven found in `uniform`.
const RADIUS: f32 = 1.5;
/// Radius of the queries for points: sixteen found in `uniform`.
const POINTS_RADIUS: f32 = 2.5;
/// Radius of neighborhoods: thirty in `uniform`.
const NEIGHBORHOOD: f32 = 3.06;

/// What a respondent is given.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) objects: Vec<Bounds<3>>,
    /// Their centers, where the objects are points.
    pub(super) points: Vec<[f32; 3]>,
    pub(super) queries: QuerySet,
}

/// The queries.
#[derive(Clone, Debug)]
pub(super) enum QuerySet {
    Boxes(Vec<Bounds<3>>),
    /// About boxes or about points, by the kind of task.
    Balls(Vec<Ball<f32, 3>>),
    Rays(Vec<Ray<f32, 3>>),
    /// The radius.
    Neighbors(f32),
}

impl QuerySet {
    /// The number of queries, for a number of objects.
    pub(super) fn count(&self, objects: usize) -> usize {
        match self {
            QuerySet::Boxes(boxes) => boxes.len(),
            QuerySet::Balls(balls) => balls.len(),
            QuerySet::Rays(rays) => rays.len(),
            QuerySet::Neighbors(_) => objects,
        }
    }
}

impl Task {
    /// The world as it is, and `count` queries about it: half of them near an object, half of them anywhere in its domain.
    pub(super) fn new(kind: Kind, world: &World<f32, 3>, count: usize, seed: u64) -> Self {
        let boxes: Vec<Bounds<3>> = world.boxes().iter().map(|bounds| Bounds { min: bounds.min, max: bounds.max }).collect();
        let center = |bounds: &Bounds<3>| std::array::from_fn(|axis| (bounds.min[axis] + bounds.max[axis]) * 0.5);
        let mut random = Random(seed);
        let first = boxes.first().copied().unwrap_or(Bounds { min: [0.0; 3], max: [0.0; 3] });
        let all = boxes.iter().fold(first, |all, bounds| Bounds {
            min: std::array::from_fn(|axis| all.min[axis].min(bounds.min[axis])),
            max: std::array::from_fn(|axis| all.max[axis].max(bounds.max[axis])),
        });
        let place = |random: &mut Random, number: usize| -> [f32; 3] {
            if number.is_multiple_of(2) || boxes.is_empty() {
                std::array::from_fn(|axis| random.between(all.min[axis], all.max[axis]))
            } else {
                let near = center(&boxes[random.bits() as usize % boxes.len()]);
                near.map(|x: f32| x + random.between(-1.0, 1.0))
            }
        };
        let queries = match kind {
            Kind::Box => {
                QuerySet::Boxes((0..count).map(|number| Bounds::around(place(&mut random, number), [EDGE / 2.0; 3])).collect())
            }
            Kind::Radius => QuerySet::Balls((0..count).map(|number| Ball::new(place(&mut random, number), RADIUS)).collect()),
            Kind::Points => {
                QuerySet::Balls((0..count).map(|number| Ball::new(place(&mut random, number), POINTS_RADIUS)).collect())
            }
            Kind::Ray => {
                let mut ray = |number| Ray::new(place(&mut random, number), random.direction());
                QuerySet::Rays((0..count).map(&mut ray).collect())
            }
            Kind::Neighbors => QuerySet::Neighbors(NEIGHBORHOOD),
        };
        let points: Vec<[f32; 3]> = if kind.is_about_points() { boxes.iter().map(center).collect() } else { Vec::new() };
        let objects = if kind.is_about_points() { points.iter().map(|&at| Bounds { min: at, max: at }).collect() } else { boxes };
        Task { objects, points, queries }
    }
}

/// SplitMix64, as the scenes use it.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn between(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * ((self.bits() >> 40) as f32 / (1_u64 << 24) as f32)
    }

    /// Any direction, of length 1.
    fn direction(&mut self) -> [f32; 3] {
        loop {
            let tip: [f32; 3] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let square: f32 = tip.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&square) {
                return tip.map(|x| x / square.sqrt());
            }
        }
    }
}
