//! An order of points in which neighbors in space mostly follow one another.

use super::target::Target;
use super::view::GridView;
use crate::Scalar;
use crate::layout::Shape;

/// The number of buckets, as a power of two. The first half of them is for points in chunks, the other half for points outside.
const BITS: u32 = 15;
const HALF: usize = 1 << (BITS - 1);

/// Points in chunks go by their chunks' ranks, so that they follow one another like the entries that their queries read, however dense
/// they are. Points outside go by their places in space, along the Z curve.
pub(super) struct PlaceOrder<'t, 'a, S: Scalar, const D: usize> {
    /// The grid and the number of the level that has the most objects, and the bits that a rank has more than a bucket.
    level: Option<(&'t GridView<'a, S, D>, usize, u32)>,
    low: [f64; D],
    places_per_length: [f64; D],
}

impl<'t, 'a, S: Scalar, const D: usize> PlaceOrder<'t, 'a, S, D> {
    /// Places along each axis, as a power of two.
    const BITS: usize = (BITS as usize - 1) / D;

    pub(super) fn of(target: &'t Target<'a, S, D>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
        let (mut level, mut most) = (None, 0);
        for view in target.views() {
            for region in view.regions {
                let bounds = region.bounds::<S, D>(region.low, region.high);
                for axis in 0..D {
                    low[axis] = low[axis].min(bounds.min[axis].to_f64());
                    high[axis] = high[axis].max(bounds.max[axis].to_f64());
                }
                if view.grid.objects[region.level] > most {
                    let bits = view.grid.chunks().len().next_power_of_two().ilog2();
                    (level, most) = (Some((view, region.level, bits.saturating_sub(BITS - 1))), view.grid.objects[region.level]);
                }
            }
        }
        let places = f64::from(1 << Self::BITS);
        PlaceOrder { level, low, places_per_length: std::array::from_fn(|axis| places / (high[axis] - low[axis])) }
    }

    /// The numbers of some points in that order.
    pub(super) fn order(&self, points: impl ExactSizeIterator<Item = [S; D]>) -> Vec<u32> {
        // Counted, summed and placed, like the objects in a chunk.
        let mut ends = vec![0u32; 2 * HALF];
        let buckets: Vec<u16> = points.map(|point| self.bucket(&point) as u16).collect();
        buckets.iter().for_each(|&bucket| ends[usize::from(bucket)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let mut order = vec![0; buckets.len()];
        for (number, &bucket) in buckets.iter().enumerate() {
            let end = &mut ends[usize::from(bucket)];
            order[*end as usize] = number as u32;
            *end += 1;
        }
        order
    }

    #[inline(always)]
    fn bucket(&self, point: &[S; D]) -> usize {
        let chunk = self.level.and_then(|(view, level, shift)| {
            let rank = view.grid.rank_of(level, Shape::<D>::chunk_of(view.grid.levels[level].cell(point)))?;
            Some((rank >> shift).min(HALF - 1))
        });
        chunk.unwrap_or_else(|| HALF + self.place(point))
    }

    /// The number of a point's place. Points outside belong to the nearest place.
    #[inline(always)]
    fn place(&self, point: &[S; D]) -> usize {
        (0..D).fold(0, |code, axis| {
            let place = (point[axis].to_f64() - self.low[axis]) * self.places_per_length[axis];
            // A conversion from NaN gives 0, one from something too great the greatest number.
            let place = (place as usize).min((1 << Self::BITS) - 1);
            (0..Self::BITS).fold(code, |code, bit| code | (place >> bit & 1) << (bit * D + axis))
        })
    }
}
