//! An order of points in which neighbours mostly follow one another.

use super::Scene;
use crate::Scalar;

/// Places along each axis, as a power of two.
const BITS: u32 = 8;

/// The space in which the objects are, cut into equal places.
pub(super) struct Places<const D: usize> {
    low: [f64; D],
    places_per_length: [f64; D],
}

impl<const D: usize> Places<D> {
    pub(super) fn of<S: Scalar>(scene: &Scene<'_, S, D>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
        for (_, region) in scene.occupied() {
            let bounds = region.bounds::<S, D>(region.low, region.high);
            for axis in 0..D {
                low[axis] = low[axis].min(bounds.min[axis].to_f64());
                high[axis] = high[axis].max(bounds.max[axis].to_f64());
            }
        }
        let places = f64::from(1 << BITS);
        Places { low, places_per_length: std::array::from_fn(|axis| places / (high[axis] - low[axis])) }
    }

    /// The number of a point's place along the Z curve. Points outside belong to the nearest place.
    pub(super) fn z_code<S: Scalar>(&self, point: &[S; D]) -> u32 {
        let places: [u32; D] = std::array::from_fn(|axis| {
            let place = (point[axis].to_f64() - self.low[axis]) * self.places_per_length[axis];
            // A conversion from NaN gives 0, one from something too great the greatest number.
            (place as u32).min((1 << BITS) - 1)
        });
        let spread = |code: u32, bit: u32, axis: usize| code | (places[axis] >> bit & 1) << (bit as usize * D + axis);
        (0..BITS).fold(0, |code, bit| (0..D).fold(code, |code, axis| spread(code, bit, axis)))
    }
}
