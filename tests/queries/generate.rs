//! QuerySet about a scene: ordinary ones, and those that go wrong first.

use pivotgrid::{Aabb, Ball, BoxCast, Ray};

use crate::common::{Coordinate, Rng};

pub(crate) struct QuerySet<S, const D: usize> {
    pub(crate) boxes: Vec<Aabb<S, D>>,
    pub(crate) points: Vec<[S; D]>,
    pub(crate) rays: Vec<Ray<S, D>>,
    pub(crate) sweeps: Vec<BoxCast<S, D>>,
    pub(crate) balls: Vec<Ball<S, D>>,
}

impl<S: Coordinate, const D: usize> QuerySet<S, D> {
    /// So many of each kind.
    pub(crate) fn new(rng: &mut Rng, objects: &[Aabb<S, D>], count: usize) -> Self {
        let mut generator = Generator::new(rng, objects);
        QuerySet {
            boxes: (0..count).map(|_| generator.bounds()).collect(),
            points: (0..count).map(|_| generator.point()).collect(),
            rays: (0..count).map(|_| generator.ray()).collect(),
            sweeps: (0..count).map(|_| generator.sweep()).collect(),
            balls: (0..count).map(|_| generator.ball()).collect(),
        }
    }
}

struct Generator<'a, S, const D: usize> {
    rng: &'a mut Rng,
    objects: &'a [Aabb<S, D>],
    low: [f64; D],
    high: [f64; D],
}

/// Numbers in which something overflows, vanishes, or has no value.
const SPECIAL: [f64; 12] = [0.0, -0.0, 1e-30, -1e-42, 5e-324, 1e19, 3e38, -1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0];

impl<'a, S: Coordinate, const D: usize> Generator<'a, S, D> {
    fn new(rng: &'a mut Rng, objects: &'a [Aabb<S, D>]) -> Self {
        let ordinary = |x: &f64| x.abs() < 1e8;
        let bounds = |axis: usize| {
            let mins = objects.iter().map(move |bounds| bounds.min[axis].into()).filter(ordinary);
            let low = mins.clone().fold(f64::INFINITY, f64::min).min(0.0);
            (low, mins.fold(f64::NEG_INFINITY, f64::max).max(low + 1.0))
        };
        let (low, high) = (std::array::from_fn(|axis| bounds(axis).0), std::array::from_fn(|axis| bounds(axis).1));
        Generator { rng, objects, low, high }
    }

    fn object(&mut self) -> Option<Aabb<S, D>> {
        (!self.objects.is_empty()).then(|| self.objects[self.rng.below(self.objects.len())])
    }

    /// A length anywhere between far smaller and larger than the scene.
    fn length(&mut self) -> f64 {
        (self.high[0] - self.low[0]) * 10f64.powf(self.rng.within(-4.0, 0.5))
    }

    fn anywhere(&mut self) -> [S; D] {
        let reach = if self.rng.below(5) == 0 { 3.0 } else { 0.05 };
        std::array::from_fn(|axis| {
            let margin = (self.high[axis] - self.low[axis]) * reach;
            S::of(self.rng.within(self.low[axis] - margin, self.high[axis] + margin))
        })
    }

    /// Inside the scene or outside, on corners and faces of objects, or one unit in the last place beside them.
    fn point(&mut self) -> [S; D] {
        match (self.rng.below(12), self.object()) {
            (0..4, Some(object)) => std::array::from_fn(|axis| match self.rng.below(6) {
                0 => object.min[axis],
                1 => object.max[axis],
                2 => object.min[axis].down(),
                3 => object.max[axis].up(),
                4 => S::of((object.min[axis].into() + object.max[axis].into()) / 2.0),
                _ => self.anywhere()[axis],
            }),
            (4, _) => [self.special(); D],
            (5, _) => {
                let mut point = self.anywhere();
                point[self.rng.below(D)] = self.special();
                point
            }
            (6, _) => self.anywhere().map(|x| S::of(x.into() * 1e4)),
            _ => self.anywhere(),
        }
    }

    fn special(&mut self) -> S {
        S::of(SPECIAL[self.rng.below(SPECIAL.len())])
    }

    fn bounds(&mut self) -> Aabb<S, D> {
        let (one, other) = (self.point(), self.point());
        let low = std::array::from_fn(|axis| if one[axis] < other[axis] { one[axis] } else { other[axis] });
        let high = std::array::from_fn(|axis| if one[axis] < other[axis] { other[axis] } else { one[axis] });
        match (self.rng.below(10), self.object()) {
            (0, Some(object)) => object,
            (1, Some(object)) => Aabb { min: object.max, max: object.max.map(|x| S::of(x.into() + 1.0)) }, // touches
            (2, Some(object)) => Aabb { min: object.min.map(|x| S::of(x.into() - 1.0)), max: object.min.map(S::down) },
            (3, _) => Aabb { min: one, max: one },
            (4, _) => Aabb { min: [S::of(f64::NEG_INFINITY); D], max: high },
            (5, _) => Aabb { min: one, max: other }, // mostly inverted
            (6, _) => Aabb { min: low, max: high },
            _ => {
                let edge = self.length();
                Aabb { min: one, max: one.map(|x| S::of(x.into() + edge)) }
            }
        }
    }

    fn direction(&mut self, from: &[S; D]) -> [S; D] {
        let towards = self.point();
        let mut direction: [S; D] = std::array::from_fn(|axis| towards[axis] - from[axis]);
        match self.rng.below(8) {
            0 => direction = [S::of(0.0); D],
            1 => direction[self.rng.below(D)] = self.special(),
            2 => direction[self.rng.below(D)] = S::of(0.0),
            _ => {}
        }
        if self.rng.below(4) == 0 {
            // Along an axis, and so along faces.
            let (axis, sign) = (self.rng.below(D), if self.rng.below(2) == 0 { 1.0 } else { -1.0 });
            direction = [S::of(0.0); D];
            direction[axis] = S::of(sign * self.length());
        }
        direction
    }

    fn ray(&mut self) -> Ray<S, D> {
        let origin = self.point();
        let direction = self.direction(&origin);
        let ray = Ray::new(origin, direction);
        match self.rng.below(8) {
            0 => ray.up_to(self.special()),
            1 => ray.up_to(S::of(self.rng.within(0.0, 2.0))),
            2..4 => ray.up_to(S::of(1.0)),
            4 => Ray::segment(origin, self.point()),
            _ => ray,
        }
    }

    fn sweep(&mut self) -> BoxCast<S, D> {
        let bounds = self.bounds();
        let direction = self.direction(&bounds.min);
        let scale = if self.rng.below(2) == 0 { 1.0 } else { 0.05 };
        BoxCast::new(bounds, direction.map(|x| S::of(x.into() * scale)))
    }

    fn ball(&mut self) -> Ball<S, D> {
        let (center, far) = (self.point(), self.point());
        let radius = match self.rng.below(8) {
            0 => self.special(),
            // Exactly as far as the nearest point of something on an axis.
            1 => {
                let axis = self.rng.below(D);
                if far[axis] > center[axis] { far[axis] - center[axis] } else { center[axis] - far[axis] }
            }
            _ => S::of(self.length()),
        };
        Ball::new(center, radius)
    }
}
