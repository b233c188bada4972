//! An order of points in which neighbors in space mostly follow one another.

use super::target::Target;
use crate::Scalar;

/// The number of places of all axes together, as a power of two.
const BITS: usize = 15;

/// The space in which the objects are, cut into equal places.
pub(super) struct PlaceOrder<const D: usize> {
    low: [f64; D],
    places_per_length: [f64; D],
}

impl<const D: usize> PlaceOrder<D> {
    /// Places along each axis, as a power of two.
    const BITS: usize = BITS / D;

    pub(super) fn of<S: Scalar>(target: &Target<'_, S, D>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
        for region in target.views().flat_map(|view| view.regions) {
            let bounds = region.bounds::<S, D>(region.low, region.high);
            for axis in 0..D {
                low[axis] = low[axis].min(bounds.min[axis].to_f64());
                high[axis] = high[axis].max(bounds.max[axis].to_f64());
            }
        }
        let places = f64::from(1 << Self::BITS);
        PlaceOrder { low, places_per_length: std::array::from_fn(|axis| places / (high[axis] - low[axis])) }
    }

    /// The numbers of some points in the order of their places, along the Z curve.
    pub(super) fn order<S: Scalar>(&self, points: impl Iterator<Item = [S; D]> + Clone) -> Vec<u32> {
        // Counted, summed and placed, like the objects in a chunk.
        let mut ends = vec![0u32; 1 << BITS];
        points.clone().for_each(|point| ends[self.place(&point)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let mut order = vec![0; sum as usize];
        for (number, point) in points.enumerate() {
            let end = &mut ends[self.place(&point)];
            order[*end as usize] = number as u32;
            *end += 1;
        }
        order
    }

    /// The number of a point's place. Points outside belong to the nearest place.
    #[inline(always)]
    fn place<S: Scalar>(&self, point: &[S; D]) -> usize {
        (0..D).fold(0, |code, axis| {
            let place = (point[axis].to_f64() - self.low[axis]) * self.places_per_length[axis];
            // A conversion from NaN gives 0, one from something too great the greatest number.
            let place = (place as usize).min((1 << Self::BITS) - 1);
            (0..Self::BITS).fold(code, |code, bit| code | (place >> bit & 1) << (bit * D + axis))
        })
    }
}
