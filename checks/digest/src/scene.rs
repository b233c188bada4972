//! Scenes made by integer arithmetic only: nothing depends on a mathematical library, a rounding mode or a processor.

use pivotgrid::{Aabb, Scalar};

/// A coordinate that whole numbers of sixty-fourths turn into exactly.
pub(crate) trait Coordinate: Scalar + Into<f64> {
    /// So many sixty-fourths.
    fn of(units: i32) -> Self;
    /// The number's bits.
    fn bits(self) -> u64;
}

impl Coordinate for f32 {
    fn of(units: i32) -> f32 {
        units as f32 / 64.0
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Coordinate for f64 {
    fn of(units: i32) -> f64 {
        f64::from(units) / 64.0
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// SplitMix64.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: i32) -> i32 {
        (self.next() % end as u64) as i32
    }
}

/// Boxes with edges of up to 2^10 units, most of them small, a third of them in a clump; in the unit of `Coordinate`.
pub(crate) fn boxes<S: Coordinate, const D: usize>(count: usize, seed: u64) -> Vec<Aabb<S, D>> {
    let mut random = Random(seed);
    let extent = if D == 2 { 1 << 14 } else { 1 << 12 };
    (0..count)
        .map(|index| {
            let around = if index % 3 == 0 { extent / 16 } else { extent };
            let edge = 1 << random.below(11).min(random.below(11)).min(random.below(11));
            let min: [i32; D] = std::array::from_fn(|_| random.below(around) - extent / 4);
            let max: [i32; D] = std::array::from_fn(|axis| min[axis] + random.below(edge + 1));
            Aabb { min: min.map(S::of), max: max.map(S::of) }
        })
        .collect()
}
