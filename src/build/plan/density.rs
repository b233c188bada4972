//! Estimates how densely the objects lie, at every scale at once, from a sample.
//!
//! A good cell holds a certain number of objects. In an uneven scene the extent does not predict that number: the cost depends on how many
//! others an *object* finds in a cell of a given size, not on how many an average *place* holds. A few thousand sampled objects, sorted
//! along the Z curve, give that number for all powers of two together: objects with a common prefix share a cell.

use crate::layout::curve;
use crate::runtime::memory;

/// The sample is this times the root of the number of objects: cells that hold eight of all objects then show some sixty
/// coincidences among the sampled ones.
const SAMPLE_PER_ROOT: f64 = 4.0;
const FEWEST_SAMPLED: usize = 256;
const MOST_SAMPLED: usize = 8192;
/// Finest scale looked at: cubes of `2^-BITS` of the extent, so that two clusters a billion cells apart differ from one.
pub(super) const BITS: usize = 40;

/// Density of a scene by scale; scale `k` has cubes of edge `extent / 2^k`.
#[derive(Clone, Debug)]
pub(crate) struct Density<const D: usize> {
    /// Low corner and edges of the box that nearly all objects lie in.
    pub(crate) low: [f64; 3],
    pub(crate) extent: [f64; 3],
    longest: f64,
    /// Logarithms (base 2) of these.
    log_extent: [f64; 3],
    log_longest: f64,
    /// Logarithm (base 2) of the probability that two objects share a cube.
    coincidence: [f64; BITS + 1],
    /// The share of sampled objects that are alone in their cube.
    alone: [f64; BITS + 1],
    /// How many cubes hold two sampled objects or more.
    shared: [f64; BITS + 1],
}

impl<const D: usize> Density<D> {
    /// The density of sampled points, which lie in a box of this low corner and these edges. An axis without extent does not count.
    pub(crate) fn of(points: &[[f64; 3]], low: [f64; 3], extent: [f64; 3]) -> Self {
        let (low, extent) = without_outliers::<D>(points, low, extent);
        let longest = extent.iter().fold(0.0f64, |longest, edge| longest.max(*edge));
        // From the low corner on: around the center, a thin layer would lie astride a border of every scale.
        let codes = z_codes::<D, _>(points.iter().map(|point| (*point, ())), low, extent);
        let mut codes = memory::collect(codes.map(|(code, ())| code));
        codes.sort_unstable();

        let sample = codes.len() as f64;
        let all_pairs = (sample * (sample - 1.0) / 2.0).max(1.0);
        let (coincidence, alone, shared) = ([0.0; BITS + 1], [0.0; BITS + 1], [0.0; BITS + 1]);
        let (log_extent, log_longest) = (extent.map(f64::log2), longest.log2());
        let mut density = Density { low, extent, longest, log_extent, log_longest, coincidence, alone, shared };
        let mut pairs = f64::INFINITY;
        for scale in 0..=BITS {
            if pairs < FEWEST {
                // The sample is too small from here on: go on as if it were evenly spread.
                density.alone[scale] = 1.0;
                density.coincidence[scale] = density.coincidence[scale - 1] - density.splits(scale - 1);
                continue;
            }
            pairs = 0.0;
            // What is alone in its cube stays alone at finer scales.
            retain_shared(&mut codes, |a, b| (a ^ b) >> (D * (BITS - scale)) == 0);
            for cube in codes.chunk_by(|a, b| (a ^ b) >> (D * (BITS - scale)) == 0) {
                let objects = cube.len() as f64;
                pairs += objects * (objects - 1.0) / 2.0;
                density.shared[scale] += 1.0;
            }
            density.alone[scale] = (sample - codes.len() as f64) / sample.max(1.0);
            density.coincidence[scale] = (pairs.max(1.0) / all_pairs).log2().min(0.0);
        }
        density
    }

    /// Along how many axes cutting the cubes of a scale in two separates objects: those along which there is more than one.
    fn splits(&self, scale: usize) -> f64 {
        let edge = self.longest / (1u64 << scale) as f64;
        (0..D).filter(|&axis| self.extent[axis] > edge / 2.0).count() as f64
    }

    /// How many of `objects` an object finds in a box of these edges around it.
    pub(crate) fn expected(&self, objects: f64, edges: [f64; 3]) -> f64 {
        objects * self.at_scale(self.scale_of(edges), &self.coincidence).exp2()
    }

    /// About how many boxes of these edges `objects` occupy.
    pub(crate) fn occupied(&self, objects: f64, edges: [f64; 3]) -> f64 {
        let scale = self.scale_of(edges);
        let all = (0..D).fold(1.0, |all, axis| all * (self.extent[axis] / edges[axis] + 1.0));
        let loners = objects * self.at_scale(scale, &self.alone);
        // Loners are spread over the whole extent, as far as we can tell, and may meet by chance.
        // (In a vast scene they do not; and there the difference from 1 would be lost to rounding.)
        let apart = if loners < all * 1e-6 { loners } else { all * -(-loners / all).exp_m1() };
        (apart + self.at_scale(scale, &self.shared)).clamp(1.0, all.min(objects.max(1.0)))
    }

    /// The scale whose cubes hold as much of the extent as a box does.
    pub(crate) fn scale_of(&self, edges: [f64; 3]) -> f64 {
        let mut counts: [bool; 3] = std::array::from_fn(|axis| axis < D && self.extent[axis] > 0.0);
        // Axes along which the cube reaches beyond the extent do not count; leaving one out makes the cube larger, so look again.
        for axes in (1..=counts.iter().filter(|&&counts| counts).count()).rev() {
            let open = (0..D).filter(|&axis| counts[axis]);
            let log_edge = log_of_product(open.map(|axis| edges[axis].min(self.extent[axis]))) / axes as f64;
            match (0..D).find(|&axis| counts[axis] && self.log_extent[axis] < log_edge) {
                Some(axis) if axes > 1 => counts[axis] = false,
                _ => return (self.log_longest - log_edge).clamp(0.0, BITS as f64),
            }
        }
        0.0
    }

    fn at_scale(&self, scale: f64, values: &[f64; BITS + 1]) -> f64 {
        let scale = if scale.is_nan() { 0.0 } else { scale };
        let below = (scale as usize).min(BITS - 1);
        let part = scale - below as f64;
        values[below] * (1.0 - part) + values[below + 1] * part
    }
}

/// The logarithm (base 2) of the product of some edges.
fn log_of_product(edges: impl Iterator<Item = f64> + Clone) -> f64 {
    let product: f64 = edges.clone().product();
    // One logarithm instead of several, unless the product is beyond all numbers.
    if product.is_normal() { product.log2() } else { edges.map(f64::log2).sum() }
}

/// The positions of the sample among `len` positions: as if drawn by lot, but never the same one twice. Positions at regular distances
/// would meet the same column of a scene that is stored row by row; and where neighbors follow one another, as after the first step,
/// they would keep sampled objects apart, so that the scene would look emptier than it is.
pub(crate) fn sampled(len: usize) -> impl Iterator<Item = usize> {
    let wanted = ((SAMPLE_PER_ROOT * (len as f64).sqrt()) as usize).clamp(FEWEST_SAMPLED, MOST_SAMPLED);
    let all = len <= 4 * wanted;
    let bits = usize::BITS - len.leading_zeros();
    let positions = (0..1usize << bits).map(move |index| if all { index } else { shuffled(index, bits) });
    positions.filter(move |&position| position < len).take(if all { len } else { wanted })
}

/// A permutation of the numbers with `bits` bits: each step can be undone.
fn shuffled(index: usize, bits: u32) -> usize {
    let mask = (1u64 << bits) - 1;
    let mut value = index as u64;
    for odd in [0x9e37_79b9_7f4a_7c15u64, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        value = (value.wrapping_mul(odd) & mask) ^ odd & mask;
        value ^= value >> (bits / 2).max(1);
    }
    value as usize
}

/// Keeps what is in one cube with its neighbor in the order, and drops what is alone.
pub(super) fn retain_shared<T: Copy>(sorted: &mut Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    let (mut kept, mut with_last) = (0, false);
    for at in 0..sorted.len() {
        let this = sorted[at];
        let with_next = sorted.get(at + 1).is_some_and(|next| is_same(&this, next));
        sorted[kept] = this;
        kept += usize::from(with_last | with_next);
        with_last = with_next;
    }
    sorted.truncate(kept);
}

/// Leaves out a few objects that are very far from all others, axis by axis: the scales would be wasted on the void between, and
/// cells counted from the middle of the void would lie where the coordinates are coarse.
fn without_outliers<const D: usize>(points: &[[f64; 3]], mut low: [f64; 3], mut extent: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    const LEFT_OUT: usize = 64; // one in 64 at either end
    const FAR: f64 = 8.0;
    let mut along = Vec::new();
    memory::reserve_exact(&mut along, points.len());
    for axis in 0..D {
        let cut = points.len() / LEFT_OUT;
        if extent[axis] <= 0.0 || cut == 0 || is_evenly_wide(points, axis, (low[axis], extent[axis]), cut) {
            continue;
        }
        along.clear();
        along.extend(points.iter().map(|point| point[axis]));
        let first = *along.select_nth_unstable_by(cut, f64::total_cmp).1;
        let last = along.len() - 1 - cut;
        let core = *along.select_nth_unstable_by(last, f64::total_cmp).1 - first;
        if core > 0.0 && extent[axis] > FAR * core {
            (low[axis], extent[axis]) = (first - core / 2.0, 2.0 * core);
        }
    }
    (low, extent)
}

/// Whether all but `cut` points at either end certainly extend over more than an eighth of the extent. Points are counted in
/// sixteenths, which is faster than a search for the ends.
fn is_evenly_wide(points: &[[f64; 3]], axis: usize, (low, extent): (f64, f64), cut: usize) -> bool {
    const PARTS: usize = 16;
    let (mut counts, scale) = ([0; PARTS], PARTS as f64 / extent);
    points.iter().for_each(|point| counts[(((point[axis] - low) * scale) as usize).min(PARTS - 1)] += 1);
    let at_ends = (parts_before(counts.into_iter(), cut), parts_before(counts.into_iter().rev(), cut));
    // The two parts with the ends are not whole, and one more is left for rounding.
    matches!(at_ends, (Some(low), Some(high)) if low + high + 2 + PARTS / 8 < PARTS)
}

/// How many parts there are before the one in which so many are exceeded.
fn parts_before(mut counts: impl Iterator<Item = usize>, cut: usize) -> Option<usize> {
    let mut seen = 0;
    counts.position(|count| {
        seen += count;
        seen > cut
    })
}

/// Coincidences that make an estimate.
pub(super) const FEWEST: f64 = 12.0;

/// The cubes of the finest scale that hold some points, on the Z curve, each with what comes with the point.
pub(super) fn z_codes<const D: usize, T>(
    points: impl Iterator<Item = ([f64; 3], T)>,
    low: [f64; 3],
    extent: [f64; 3],
) -> impl Iterator<Item = (u128, T)> {
    let cubes = (1u64 << BITS) as f64;
    let longest = extent.iter().fold(0.0f64, |longest, edge| longest.max(*edge));
    let cubes_per_length = cubes / longest.max(f64::MIN_POSITIVE * cubes);
    points.map(move |(point, with)| {
        let code = (0..D).filter(|&axis| extent[axis] > 0.0).fold(0, |code, axis| {
            let along = (point[axis] - low[axis]) * cubes_per_length;
            code | spread::<D>(along.clamp(0.0, cubes - 1.0) as u64) << axis
        });
        (code, with)
    })
}

/// Leaves room between the bits for those of the other axes.
fn spread<const D: usize>(value: u64) -> u128 {
    let low = if D == 2 { 32 } else { 21 };
    u128::from(curve::spread::<D>(value)) | u128::from(curve::spread::<D>(value >> low)) << (low * D)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn density(points: impl Iterator<Item = [f64; 3]>, extent: [f64; 3]) -> Density<3> {
        let points: Vec<_> = points.collect();
        let sample: Vec<_> = sampled(points.len()).map(|at| points[at]).collect();
        Density::of(&sample, [0.0; 3], extent)
    }

    /// Low-discrepancy points in the unit cube.
    fn points(count: usize) -> impl Iterator<Item = [f64; 3]> {
        (0..count).map(|i| [0.8191725134, 0.6710436067, 0.5497004779].map(|step| (step * i as f64).fract()))
    }

    #[test]
    fn an_even_scene_is_as_dense_as_its_volume_says() {
        let density = density(points(20_000).map(|p| p.map(|x| x * 100.0)), [100.0; 3]);
        for edge in [10.0, 25.0, 50.0] {
            let (expected, volume) = (density.expected(20_000.0, [edge; 3]), 20_000.0 * (edge / 100.0f64).powi(3));
            assert!((0.6..1.6).contains(&(expected / volume)), "{expected} against {volume}");
        }
    }

    /// No two of the sample share a cell of these, and yet they are not taken to be empty.
    #[test]
    fn cells_too_small_for_the_sample_are_as_dense_as_the_larger_ones() {
        // Low-discrepancy points keep away from each other; these do not.
        let random = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i << 17).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40;
        let point = |i: u64| [3 * i, 3 * i + 1, 3 * i + 2].map(|k| random(k + 1) as f64 / (1 << 24) as f64 * 100.0);
        let density = density((0..2000).map(point), [100.0; 3]);
        for edge in [2.0, 1.0, 0.1] {
            let (expected, volume) = (density.expected(1e9, [edge; 3]), 1e9 * (edge / 100.0f64).powi(3));
            assert!((0.4..2.5).contains(&(expected / volume)), "{expected} against {volume}");
        }
    }

    #[test]
    fn thickness_beyond_the_extent_holds_no_more() {
        let density = density(points(20_000).map(|p| [p[0] * 100.0, p[1] * 100.0, p[2]]), [100.0, 100.0, 1.0]);
        let (thin, thick) = (density.expected(1e6, [10.0, 10.0, 1.0]), density.expected(1e6, [10.0, 10.0, 50.0]));
        assert_eq!(thin, thick);
        assert!((0.7..1.4).contains(&(thin / 1e4)), "{thin}");
    }

    #[test]
    fn a_cluster_is_dense_for_those_in_it() {
        let cluster = points(10_000).enumerate().map(|(i, p)| if i % 20 == 0 { p.map(|x| x * 1000.0) } else { p });
        let density = density(cluster, [1000.0; 3]);
        assert!(density.expected(10_000.0, [2.0; 3]) > 5_000.0);
        assert!(density.occupied(10_000.0, [10.0; 3]) > 300.0);
    }

    #[test]
    fn the_extent_is_that_of_nearly_all() {
        let crowd = (0..1000).map(|i| [1000.0 + i as f64 / 100.0, 0.0, 0.0]);
        let points: Vec<_> = crowd.chain([[1e6, 0.0, 0.0], [-1e7, 0.0, 0.0]]).collect();
        let (low, extent) = without_outliers::<2>(&points, [-1e7, 0.0, 0.0], [1.1e7, 0.0, 0.0]);
        assert!((994.0..997.0).contains(&low[0]) && (18.0..21.0).contains(&extent[0]), "{low:?}, {extent:?}");
        // None is far enough here.
        let points: Vec<_> = (0..1000).map(|i| [f64::from(i * i), 0.0, 0.0]).collect();
        assert_eq!(without_outliers::<2>(&points, [0.0; 3], [1e6, 0.0, 0.0]), ([0.0; 3], [1e6, 0.0, 0.0]));
    }

    #[test]
    fn samples_meet_every_position_at_most_once() {
        for len in [0, 1, 255, 1024, 1025, 1026, 5001, 1_000_000, 100_000_000] {
            let mut positions: Vec<usize> = sampled(len).collect();
            positions.sort_unstable();
            assert!(positions.windows(2).all(|pair| pair[0] < pair[1]), "{len}");
            assert!(positions.last().is_none_or(|&last| last < len) && positions.len() >= len.min(FEWEST_SAMPLED));
        }
    }

    #[test]
    fn one_point_is_no_special_case() {
        let density = density((0..100).map(|_| [5.0; 3]), [0.0; 3]);
        assert_eq!(density.expected(100.0, [1.0; 3]), 100.0);
        assert_eq!(density.occupied(100.0, [1.0; 3]), 1.0);
    }

    #[test]
    fn an_axis_without_extent_does_not_count() {
        let flat = density(points(20_000).map(|p| [p[0] * 100.0, p[1] * 100.0, 7.0]), [100.0, 100.0, 0.0]);
        for thickness in [0.0, 1.0, 1e9] {
            let expected = flat.expected(20_000.0, [10.0, 10.0, thickness]);
            assert!((0.6..1.6).contains(&(expected / 200.0)), "{expected}");
        }
    }

    #[test]
    fn bits_are_spread() {
        for value in [1u64, 0xff, (1 << 40) - 1, 0xa5_a5a5_a5a5] {
            let by = |step: usize| (0..BITS).fold(0u128, |all, bit| all | u128::from(value >> bit & 1) << (bit * step));
            assert_eq!((spread::<2>(value), spread::<3>(value)), (by(2), by(3)));
        }
    }
}
