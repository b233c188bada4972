//! The fuzzer's bytes as choices and numbers.

use crate::number::Number;

/// Values that compare in unexpected ways, overflow, or lie beside a border of cells.
const SPECIAL: [f64; 20] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-45,
    -1e-45,
    1e-38,
    5e-324,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    1.7e308,
    -1.7e308,
    1e30,
    -1e30,
    1e19,
    0.99999994,
    1.0000001,
    0.1,
    1073741824.0,
];

/// Bytes that are taken from the front; zeros when there are no more.
pub struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Bytes { rest }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// One byte for a number on a lattice of quarters, where boxes touch; two for one scaled by a power of two; one for a special
    /// one and its neighbors; nine for any bits whatever.
    pub fn number<S: Number>(&mut self) -> S {
        match self.byte() {
            lattice @ 0..=191 => S::of((f64::from(lattice) - 96.0) / 4.0),
            scaled @ 192..=215 => S::of(f64::from(self.byte()) * 2f64.powi(i32::from(scaled) - 204)),
            special @ 216..=235 => S::of(SPECIAL[usize::from(special - 216)]),
            236..=241 => S::of(SPECIAL[self.below(SPECIAL.len())]).up(),
            242..=247 => S::of(SPECIAL[self.below(SPECIAL.len())]).down(),
            _ => S::of_bits(u64::from_le_bytes(std::array::from_fn(|_| self.byte()))),
        }
    }

    pub fn point<S: Number, const D: usize>(&mut self) -> [S; D] {
        std::array::from_fn(|_| self.number())
    }
}
