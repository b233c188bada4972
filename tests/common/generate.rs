//! Scenes for the property tests: small descriptions that print and shrink well, turned into boxes.

use pivotgrid::Aabb;

use super::Coordinate;

/// SplitMix64: enough randomness for scenes, the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// In `0.0..1.0`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Sizes {
    /// All 1.
    Mono,
    /// 1 to 12.
    Poly,
    /// Twelve decades, 1e-6 to 1e6, each as likely as the others.
    Hyper,
    /// Cubes of size 1 stretched to 20 along a random axis, or flattened to nothing.
    LongAndFlat,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Placement {
    Uniform,
    Clustered,
    Line,
    Plane,
    Point,
    /// Corners exactly on integers, so that boxes touch each other and the borders of cells; some bounds one ulp off.
    Lattice,
}

/// A scene by its properties. Every object depends only on the seed and its own index, so a scene of fewer objects is a
/// prefix of one with more: that is what makes shrinking `n` work.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) n: usize,
    pub(crate) sizes: Sizes,
    pub(crate) placement: Placement,
    /// The edge of the region; with `origin` in its middle.
    pub(crate) extent: f64,
    pub(crate) origin: f64,
    pub(crate) seed: u64,
}

impl Scene {
    pub(crate) fn boxes<S: Coordinate, const D: usize>(&self) -> Vec<Aabb<S, D>> {
        (0..self.n).map(|index| self.object(index)).collect()
    }

    /// The object with this index, whether or not it is below `n`: insertions take later ones.
    pub(crate) fn object<S: Coordinate, const D: usize>(&self, index: usize) -> Aabb<S, D> {
        let rng = &mut Rng(self.seed ^ (index as u64).wrapping_mul(0xd6e8_feb8_6659_fd93));
        let corner: [f64; D] = self.corner(rng);
        let edges: [f64; D] = self.edges(rng);
        let on_lattice = matches!(self.placement, Placement::Lattice);
        let bounds = corner.map(|x| if on_lattice { x.round() } else { x });
        let edges = edges.map(|edge| if on_lattice { edge.round() } else { edge });
        let mut aabb = Aabb {
            min: std::array::from_fn(|axis| S::of(bounds[axis])),
            max: std::array::from_fn(|axis| S::of(bounds[axis] + edges[axis])),
        };
        if on_lattice && rng.below(3) == 0 {
            let axis = rng.below(D);
            match rng.below(4) {
                0 => aabb.min[axis] = aabb.min[axis].down(),
                1 => aabb.max[axis] = aabb.max[axis].up(),
                2 if edges[axis] > 0.0 => aabb.min[axis] = aabb.min[axis].up(),
                3 if edges[axis] > 0.0 => aabb.max[axis] = aabb.max[axis].down(),
                _ => {}
            }
        }
        aabb
    }

    fn corner<const D: usize>(&self, rng: &mut Rng) -> [f64; D] {
        let (low, high) = (self.origin - self.extent / 2.0, self.origin + self.extent / 2.0);
        let mut corner = std::array::from_fn(|_| rng.within(low, high));
        match self.placement {
            Placement::Uniform | Placement::Lattice => {}
            Placement::Clustered => {
                let cluster = &mut Rng(self.seed.wrapping_add(rng.below(5) as u64));
                let radius = self.extent / 40.0;
                corner = std::array::from_fn(|_| cluster.within(low, high) + radius * (rng.unit() + rng.unit() + rng.unit()));
            }
            Placement::Line => {
                let along = self.seed as usize % D;
                corner = std::array::from_fn(|axis| if axis == along { corner[axis] } else { self.origin });
            }
            Placement::Plane => corner[self.seed as usize % D] = self.origin,
            Placement::Point => corner = [self.origin; D],
        }
        corner
    }

    fn edges<const D: usize>(&self, rng: &mut Rng) -> [f64; D] {
        match self.sizes {
            Sizes::Mono => [1.0; D],
            Sizes::Poly => [rng.within(1.0, 12.0); D],
            Sizes::Hyper => [10f64.powf(rng.within(-6.0, 6.0)); D],
            Sizes::LongAndFlat => {
                let mut edges = [1.0; D];
                edges[rng.below(D)] = if rng.below(2) == 0 { 20.0 } else { 0.0 };
                edges
            }
        }
    }
}
