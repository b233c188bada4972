//! Particles that fall on resting spheres: a simple stand-in for the paper's fluid.

use baselines::Bounds;
use baselines::pouchol::path;

use crate::reproduce::random::Random;

/// Edge of the box that everything is in; the paper does not name its own.
const EDGE: f64 = 4.0;
const GRAVITY: f64 = -0.002;
/// What is left of a velocity after a bounce.
const BOUNCE: f64 = 0.4;

#[derive(Clone, Debug)]
pub(super) struct Rain {
    spheres: Vec<([f64; 3], f64)>,
    particles: Vec<Particle>,
    random: Random,
}

#[derive(Clone, Copy, Debug)]
struct Particle {
    from: [f64; 3],
    to: [f64; 3],
    velocity: [f64; 3],
}

impl Rain {
    /// Spheres of diameters 2^-4 to 2^-2, as the paper has.
    pub(super) fn new(spheres: usize, particles: usize) -> Self {
        let mut random = Random::new(9);
        let sphere = |random: &mut Random| ([0; 3].map(|_| random.between(0.2, EDGE - 0.2)), random.between(0.0625, 0.25) / 2.0);
        let spheres = (0..spheres).map(|_| sphere(&mut random)).collect();
        let particle = |_| {
            let place = [random.between(0.1, EDGE - 0.1), random.between(0.1, EDGE - 0.1), random.between(0.5 * EDGE, EDGE)];
            Particle { from: place, to: place, velocity: random.arrow(0.01) }
        };
        let particles = (0..particles).map(particle).collect();
        Rain { spheres, particles, random }
    }

    pub(super) fn spheres(&self) -> Vec<Bounds<3>> {
        let around = |(center, radius): &([f64; 3], f64)| Bounds {
            min: center.map(|x| (x - radius) as f32),
            max: center.map(|x| (x + radius) as f32),
        };
        self.spheres.iter().map(around).collect()
    }

    /// The boxes of the particles' ways in this frame.
    pub(super) fn paths(&self) -> Vec<Bounds<3>> {
        self.particles.iter().map(|particle| path(particle.from.map(|x| x as f32), particle.to.map(|x| x as f32))).collect()
    }

    /// Moves on. Who hit a sphere, by some luck of the draw, is thrown back; everything comes to rest at the bottom.
    pub(super) fn advance(&mut self) {
        for particle in &mut self.particles {
            particle.from = particle.to;
            particle.velocity[2] += GRAVITY;
            if self.random.unit() < 0.01 {
                particle.velocity = self.random.arrow(0.02);
            }
            for axis in 0..3 {
                let next = particle.to[axis] + particle.velocity[axis];
                if (0.0..=EDGE).contains(&next) {
                    particle.to[axis] = next;
                } else {
                    particle.velocity[axis] *= -BOUNCE;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_fall_and_stay_inside() {
        let mut rain = Rain::new(10, 100);
        let height = |rain: &Rain| rain.particles.iter().map(|particle| particle.to[2]).sum::<f64>();
        let before = height(&rain);
        (0..100).for_each(|_| rain.advance());
        assert!(height(&rain) < before);
        assert!(rain.particles.iter().all(|particle| particle.to.iter().all(|x| (0.0..=EDGE).contains(x))));
    }
}
