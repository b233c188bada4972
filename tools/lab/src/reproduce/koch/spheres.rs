//! Koch's scenes as boxes in motion.

use baselines::Bounds;

use super::placing::Placing;
use super::scenes::{Crowd, Place, Scene};
use crate::reproduce::measure::Motion;
use crate::reproduce::random::Random;

/// The thesis has very low velocities and names none. Per step and diameter, at most: too slow for an uneven scene to level
/// out within 200 steps.
const SPEED: f64 = 0.005;

/// Spheres that drift between walls, as the boxes around them.
#[derive(Clone, Debug)]
pub(super) struct Spheres {
    edge: f64,
    bodies: Vec<Body>,
    boxes: Vec<Bounds<3>>,
}

#[derive(Clone, Copy, Debug)]
struct Body {
    center: [f64; 3],
    velocity: [f64; 3],
    radius: f64,
}

impl Spheres {
    /// The scene with `share` of its objects, at the same densities: in a domain of `share` times the volume.
    pub(super) fn new(scene: &Scene, share: f64, seed: u64) -> Self {
        let shrink = share.cbrt();
        let edge = scene.edge * shrink;
        let mut random = Random::new(seed);
        let mut placing = Placing::default();
        let mut bodies = Vec::new();
        for crowd in scene.crowds {
            // The single rock keeps its part of the domain.
            let (count, radius) = match crowd.count {
                1 => (1, crowd.radius * shrink),
                count => (((count as f64 * share).round() as usize).max(1), crowd.radius),
            };
            placing.begin(radius, count);
            for number in 0..count {
                let (min, max) = place(crowd, number, edge, shrink);
                let draw = || std::array::from_fn(|axis| random.between(min[axis] + radius, max[axis] - radius));
                let center = placing.place(radius, draw);
                bodies.push(Body { center, velocity: random.arrow(SPEED * 2.0 * radius), radius });
            }
        }
        // Neighbors in space or equals in size are no neighbors in memory.
        for last in (1..bodies.len()).rev() {
            bodies.swap(last, random.below(last + 1));
        }
        let boxes = bodies.iter().map(Body::bounds).collect();
        Spheres { edge, bodies, boxes }
    }
}

/// Where the `number`-th sphere of a crowd may be.
fn place(crowd: &Crowd, number: usize, edge: f64, shrink: f64) -> ([f64; 3], [f64; 3]) {
    match crowd.place {
        Place::Anywhere => ([0.0; 3], [edge; 3]),
        Place::Box { min, max } => (min.map(|x| x * shrink), max.map(|x| x * shrink)),
        Place::Checkerboard { fields } => {
            // Of two fields next to each other in x one is black.
            let pair = number % (fields * fields * fields / 2);
            let (y, z) = (pair / (fields / 2) % fields, pair / (fields / 2) / fields);
            let x = 2 * (pair % (fields / 2)) + (y + z) % 2;
            let field = edge / fields as f64;
            let min = [x, y, z].map(|place| place as f64 * field);
            (min, min.map(|x| x + field))
        }
    }
}

impl Body {
    fn bounds(&self) -> Bounds<3> {
        let corner = |side: f64| self.center.map(|x| (x + side * self.radius) as f32);
        Bounds { min: corner(-1.0), max: corner(1.0) }
    }

    /// Comes back from a wall.
    fn advance(&mut self, edge: f64) {
        for axis in 0..3 {
            let next = self.center[axis] + self.velocity[axis];
            if (self.radius..=edge - self.radius).contains(&next) {
                self.center[axis] = next;
            } else {
                self.velocity[axis] = -self.velocity[axis];
            }
        }
    }
}

impl Motion<3> for Spheres {
    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }

    fn advance(&mut self) {
        for (body, bounds) in self.bodies.iter_mut().zip(&mut self.boxes) {
            body.advance(self.edge);
            *bounds = body.bounds();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{CHECKERBOARD, INHOMOGENEOUS, MORE_POLYDISPERSE, REFERENCE, VERY_POLYDISPERSE};
    use super::*;

    #[test]
    fn spheres_do_not_overlap_and_stay_between_the_walls() {
        for scene in [REFERENCE, INHOMOGENEOUS, CHECKERBOARD, MORE_POLYDISPERSE, VERY_POLYDISPERSE] {
            let mut spheres = Spheres::new(&scene, 0.01, 1);
            for (index, one) in spheres.bodies.iter().enumerate().step_by(17) {
                for other in &spheres.bodies[..index] {
                    let square: f64 = (0..3).map(|axis| (one.center[axis] - other.center[axis]).powi(2)).sum();
                    assert!(square.sqrt() >= one.radius + other.radius, "{}", scene.name);
                }
            }
            (0..50).for_each(|_| spheres.advance());
            let inside = |x: f64, body: &Body| (body.radius - 1e-9..=spheres.edge - body.radius + 1e-9).contains(&x);
            assert!(spheres.bodies.iter().all(|body| body.center.iter().all(|&x| inside(x, body))), "{}", scene.name);
        }
    }

    #[test]
    fn the_board_is_half_empty() {
        let mut fields = [false; 64];
        for number in 0..32 {
            let (min, _) = place(&CHECKERBOARD.crowds[0], number, 4.0, 1.0);
            let [x, y, z] = min.map(|x| x as usize);
            assert_eq!((x + y + z) % 2, 0);
            fields[16 * z + 4 * y + x] = true;
        }
        assert_eq!(fields.iter().filter(|&&black| black).count(), 32);
    }
}
