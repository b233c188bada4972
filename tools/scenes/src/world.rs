//! Objects in motion.

use crate::{
    bounds::{Bounds, Scalar},
    layout::Layout,
    random::Random,
    scene::Scene,
};

/// The largest step as a part of the shortest edge.
const SPEED: f64 = 0.2;

/// One object. The state is the same for every [`Scalar`], so that worlds of `f32` and of `f64` never part. What does not
/// change is kept in single precision: ten million objects are 480 MB instead of 720.
#[derive(Clone, Copy, Debug)]
struct Body<const D: usize> {
    center: [f64; D],
    half: [f32; D],
    velocity: [f32; D],
}

impl<const D: usize> Body<D> {
    fn bounds<S: Scalar>(&self) -> Bounds<S, D> {
        let corner = |side: f64| std::array::from_fn(|axis| self.center[axis] + side * f64::from(self.half[axis]));
        Bounds::rounded(corner(-1.0), corner(1.0))
    }

    fn step(&mut self, extent: &[f64; D]) {
        for (axis, &length) in extent.iter().enumerate() {
            self.center[axis] = wrapped(self.center[axis] + f64::from(self.velocity[axis]), length);
        }
    }
}

/// The boxes of a [`Scene`], and their motion.
#[derive(Clone, Debug)]
pub struct World<S, const D: usize> {
    extent: [f64; D],
    bodies: Vec<Body<D>>,
    boxes: Vec<Bounds<S, D>>,
}

impl<S: Scalar, const D: usize> World<S, D> {
    /// The scene with `n` objects. The same arguments give the same world.
    ///
    /// # Panics
    ///
    /// When the scene does not exist in `D` dimensions, see [`Scene::dimensions`].
    pub fn new(scene: Scene, n: usize, seed: u64) -> Self {
        let dimensions = scene.dimensions();
        assert!(dimensions.contains(&D), "the scene {scene} exists in {dimensions:?} dimensions, not in {D}");

        let mut random = Random::new(seed);
        let Layout { extent, mut edges, mut places } = Layout::<D>::new(scene, n, &mut random);
        let create = |_| {
            let edges: [f64; D] = edges.draw(&mut random);
            let shortest = edges.into_iter().fold(f64::INFINITY, f64::min);
            Body {
                center: places.draw(extent, edges, &mut random),
                half: edges.map(|edge| (edge / 2.0) as f32),
                velocity: random.arrow().map(|part| (SPEED * shortest * part) as f32),
            }
        };
        let bodies: Vec<Body<D>> = (0..n).map(create).collect();
        let boxes = bodies.iter().map(Body::bounds).collect();
        Self { extent, bodies, boxes }
    }

    /// The same world with every velocity multiplied by `factor`: 0.05 for steps of at most 1 % of an object's size, 0 for
    /// objects that rest. A calm world stays as uneven as it was made; `clustered` at full speed dissolves within some
    /// hundred steps.
    pub fn slowed(mut self, factor: f64) -> Self {
        for body in &mut self.bodies {
            body.velocity = body.velocity.map(|part| (f64::from(part) * factor) as f32);
        }
        self
    }

    /// The boxes as they are now. An object keeps its index.
    pub fn boxes(&self) -> &[Bounds<S, D>] {
        &self.boxes
    }

    /// The space in which the centers are; boxes may stick out by half their edges.
    pub fn domain(&self) -> Bounds<S, D> {
        Bounds::rounded([0.0; D], self.extent)
    }

    /// Moves every object by its velocity: at most 20 % of its shortest edge. A center that leaves the domain comes back
    /// on the other side.
    pub fn step(&mut self) {
        for (body, bounds) in self.bodies.iter_mut().zip(&mut self.boxes) {
            body.step(&self.extent);
            *bounds = body.bounds();
        }
    }
}

/// The place in `0.0..length` that is a whole number of lengths away.
fn wrapped(x: f64, length: f64) -> f64 {
    if (0.0..length).contains(&x) {
        return x;
    }
    // For a tiny negative number the remainder is rounded up to the length itself.
    let rest = x.rem_euclid(length);
    if rest < length { rest } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_never_reaches_the_upper_border() {
        for x in [-1e-300, -0.0, 0.0, 1e-300, 2.999, 3.0, 3.5, -7.0, 100.0] {
            let rest = wrapped(x, 3.0);
            assert!((0.0..3.0).contains(&rest), "{x} came back at {rest}");
        }
        assert_eq!(wrapped(3.5, 3.0), 0.5);
        assert_eq!(wrapped(-0.5, 3.0), 2.5);
    }

    #[test]
    fn centers_stay_in_the_domain() {
        for scene in Scene::ALL {
            let mut world = World::<f32, 3>::new(scene, 500, 3);
            let made = world.bodies.clone();
            (0..100).for_each(|_| world.step());
            let inside = |body: &Body<3>| (0..3).all(|axis| (0.0..world.extent[axis]).contains(&body.center[axis]));
            assert!(made.iter().all(inside) && world.bodies.iter().all(inside), "{scene}");
        }
    }

    #[test]
    fn speed_is_a_fifth_of_the_shortest_edge_at_most_and_used() {
        for scene in Scene::ALL {
            let world = World::<f32, 3>::new(scene, 1_000, 4);
            let shares = world.bodies.iter().map(|body| {
                let speed = body.velocity.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
                let shortest = 2.0 * body.half.iter().copied().fold(f32::INFINITY, f32::min);
                speed / f64::from(shortest)
            });
            let fastest = shares.fold(0.0, f64::max);
            assert!((0.19..0.2 + 1e-7).contains(&fastest), "{scene}: {fastest}");
        }
    }

    #[test]
    #[should_panic(expected = "the scene plane exists in [3] dimensions, not in 2")]
    fn a_scene_without_a_2d_form_says_so() {
        World::<f32, 2>::new(Scene::Plane, 10, 0);
    }
}
