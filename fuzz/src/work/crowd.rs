//! Scenes of up to four crowds, each with a law of places and a law of sizes.

use pivotgrid::Aabb;

use crate::bytes::Bytes;
use crate::number::Number;

/// The law of one crowd.
#[derive(Clone, Copy, Debug)]
struct Crowd<const D: usize> {
    places: u8,
    /// Powers of two: the widths of the crowd, and how far it is from the origin.
    width: [Option<i32>; D],
    offset: [i32; D],
    /// The edges: nothing, a power of two of the distance between neighbors, as long as the crowd is wide, or infinite.
    edges: [Edge; D],
    /// Over how many octaves sizes and distances are spread.
    octaves: u8,
    /// Whether long edges change their axis from object to object.
    turning: bool,
}

#[derive(Clone, Copy, Debug)]
enum Edge {
    Nothing,
    Neighbor(i32),
    Width,
    Endless,
}

impl<const D: usize> Crowd<D> {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        let laws = bytes.byte();
        Crowd {
            places: laws % 5,
            turning: laws & 128 != 0,
            octaves: bytes.byte() % 32,
            // Most axes have an extent, and most crowds are about as wide on all of them.
            width: std::array::from_fn(|_| match bytes.byte() {
                0..=15 => None,
                byte => Some(i32::from(byte) / 8 - 16),
            }),
            offset: std::array::from_fn(|_| i32::from(bytes.byte()) / 8),
            edges: std::array::from_fn(|_| match bytes.byte() {
                0..=23 => Edge::Nothing,
                24..=47 => Edge::Width,
                48..=55 => Edge::Endless,
                byte => Edge::Neighbor(i32::from(byte) / 16 - 12),
            }),
        }
    }

    fn draw<S: Number>(&self, count: usize, random: &mut impl FnMut() -> f64, boxes: &mut Vec<Aabb<S, D>>) {
        let lattice = (count as f64).powf(1.0 / D as f64).ceil().max(1.0);
        for index in 0..count {
            let along = index as f64 / count as f64;
            let spread = 2f64.powf(-f64::from(self.octaves) * random());
            let mut rest = index as f64;
            let turn = if self.turning { index % D } else { 0 };
            let (mut min, mut max) = ([S::of(0.0); D], [S::of(0.0); D]);
            for axis in 0..D {
                let width = self.width[axis].map_or(0.0, |power| 2f64.powi(power));
                let place = match self.places {
                    0 => random(),
                    1 => spread * (random() - 0.5),
                    2 => {
                        let cell = rest % lattice;
                        rest = (rest / lattice).floor();
                        cell / lattice
                    }
                    3 => along,
                    _ => along * 2f64.powf(f64::from(self.octaves) * (along - 1.0)),
                };
                // The places that grow and shrink take the sizes with them.
                let scale = if self.places == 1 || self.places == 4 { spread } else { 1.0 };
                let edge = match self.edges[(axis + turn) % D] {
                    Edge::Nothing => 0.0,
                    Edge::Neighbor(power) => scale * width.max(1e-3) / lattice * 2f64.powi(power),
                    Edge::Width => width,
                    Edge::Endless => f64::INFINITY,
                };
                let center = 2f64.powi(self.offset[axis]) - 1.0 + width * place;
                (min[axis], max[axis]) = (S::of(center - edge / 2.0), S::of(center + edge / 2.0));
            }
            boxes.push(Aabb { min, max });
        }
    }
}

/// One to four crowds that share the objects.
pub fn scene<S: Number, const D: usize>(bytes: &mut Bytes<'_>, count: usize) -> Vec<Aabb<S, D>> {
    let crowds = 1 + bytes.below(4);
    let mut state = u64::from(bytes.byte());
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut boxes = Vec::with_capacity(count);
    for crowd in 0..crowds {
        let left = count - boxes.len();
        let share = if crowd + 1 == crowds { left } else { left * (1 + usize::from(bytes.byte())) / 257 };
        Crowd::<D>::read(bytes).draw(share, &mut random, &mut boxes);
    }
    boxes
}
