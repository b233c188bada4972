//! The scene of all of Schornbaum's benchmarks: cuboids in a periodic domain that grows with their number (section 4).

use baselines::Bounds;

use crate::reproduce::measure::Motion;
use crate::reproduce::random::Random;

/// What differs from benchmark to benchmark. Edges of cubes are 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scenario {
    pub(super) sizes: Sizes,
    /// Potential collisions per object; the thesis counts each pair once.
    pub(super) pairs: f64,
    /// How far an object moves per step, at most, in parts of its shortest edge.
    pub(super) speed: f64,
    /// Whether all move as far as they can.
    pub(super) all_at_full_speed: bool,
    /// The domain's length along x, its other edges being 1.
    pub(super) length: f64,
    /// Objects, and their steps, are this much smaller than the density requires.
    pub(super) shrink: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    Equal,
    /// Cubes, edges uniform in 1 to 12.
    Within12,
    /// 10×1×1, along any axis.
    Long,
    /// 10×10×1, across any axis.
    Flat,
}

impl Scenario {
    /// Two pairs per object, movement of at most 20 %.
    pub(super) const USUAL: Self =
        Scenario { sizes: Sizes::Equal, pairs: 2.0, speed: 0.2, all_at_full_speed: false, length: 1.0, shrink: 1.0 };

    pub(super) fn sizes(sizes: Sizes) -> Self {
        Scenario { sizes, ..Self::USUAL }
    }

    pub(super) fn speed(speed: f64) -> Self {
        Scenario { speed, ..Self::USUAL }
    }
}

impl Sizes {
    fn draw(self, random: &mut Random) -> [f64; 3] {
        let edge = if self == Sizes::Within12 { random.between(1.0, 12.0) } else { 1.0 };
        let mut edges = match self {
            Sizes::Equal | Sizes::Within12 => [edge; 3],
            Sizes::Long => [10.0, 1.0, 1.0],
            Sizes::Flat => [1.0, 10.0, 10.0],
        };
        edges.rotate_right(random.below(3));
        edges
    }

    /// The mean volume of places of one object's center at which it overlaps another: the mean of the product of their edges'
    /// sums.
    fn reach(self) -> f64 {
        match self {
            Sizes::Equal => 8.0,
            // 2 E[a³] + 6 E[a] E[a²].
            Sizes::Within12 => 2.0 * (12_f64.powi(4) - 1.0) / 44.0 + 6.0 * 6.5 * (12_f64.powi(3) - 1.0) / 33.0,
            // A third lies along the same axis.
            Sizes::Long => (20.0 * 2.0 * 2.0 + 2.0 * 11.0 * 11.0 * 2.0) / 3.0,
            Sizes::Flat => (2.0 * 20.0 * 20.0 + 2.0 * 20.0 * 11.0 * 11.0) / 3.0,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Swarm {
    extent: [f64; 3],
    bodies: Vec<Body>,
    boxes: Vec<Bounds<3>>,
}

#[derive(Clone, Copy, Debug)]
struct Body {
    center: [f64; 3],
    half: [f64; 3],
    velocity: [f64; 3],
}

impl Swarm {
    pub(super) fn new(scenario: &Scenario, n: usize) -> Self {
        let mut random = Random::new(11);
        let volume = n as f64 * scenario.sizes.reach() / (2.0 * scenario.pairs);
        let width = (volume / scenario.length).cbrt();
        let extent = [width * scenario.length, width, width];
        let body = |_| {
            let edges = scenario.sizes.draw(&mut random);
            let shortest = edges.into_iter().fold(f64::INFINITY, f64::min) * scenario.shrink;
            let longest_step = scenario.speed * shortest;
            let mut velocity: [f64; 3] = random.arrow(longest_step);
            if scenario.all_at_full_speed {
                let length = velocity.iter().map(|x| x * x).sum::<f64>().sqrt();
                velocity = velocity.map(|x| x * longest_step / length.max(f64::MIN_POSITIVE));
            }
            Body {
                center: extent.map(|edge| edge * random.unit()),
                half: edges.map(|edge| edge * scenario.shrink / 2.0),
                velocity,
            }
        };
        let bodies: Vec<Body> = (0..n).map(body).collect();
        Swarm { extent, boxes: bodies.iter().map(Body::bounds).collect(), bodies }
    }
}

impl Body {
    fn bounds(&self) -> Bounds<3> {
        let corner = |side: f64| std::array::from_fn(|axis| (self.center[axis] + side * self.half[axis]) as f32);
        Bounds { min: corner(-1.0), max: corner(1.0) }
    }
}

impl Motion<3> for Swarm {
    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }

    /// Who leaves the domain comes back on the other side.
    fn advance(&mut self) {
        for (body, bounds) in self.bodies.iter_mut().zip(&mut self.boxes) {
            for axis in 0..3 {
                body.center[axis] = (body.center[axis] + body.velocity[axis]).rem_euclid(self.extent[axis]);
            }
            *bounds = body.bounds();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_pairs_as_asked_for() {
        for sizes in [Sizes::Equal, Sizes::Within12, Sizes::Long, Sizes::Flat] {
            let swarm = Swarm::new(&Scenario::sizes(sizes), 4000);
            let boxes = swarm.boxes();
            let overlaps = |a: usize| boxes[..a].iter().filter(|other| boxes[a].overlaps(other)).count();
            let pairs = (0..boxes.len()).map(overlaps).sum::<usize>() as f64 / boxes.len() as f64;
            // What sticks out of the domain is not seen on the other side, so there are fewer.
            assert!((1.2..2.1).contains(&pairs), "{sizes:?}: {pairs}");
        }
    }
}
