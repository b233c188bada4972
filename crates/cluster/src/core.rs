//! A few large boxes inside of a rank's part of space. Most objects lie in one of them, and that takes six comparisons instead of a look
//! at the curve. `docs/cluster.md` has the figures.

use pivotgrid::Aabb;

use crate::bits::WORD;
use crate::coordinate::Coordinate;
use crate::curve::{Frame, bits, place};
use crate::cut::{Partition, span};

/// Boxes that are tried.
const BOXES: usize = 8;

/// The boxes, the largest first.
#[derive(Clone, Debug)]
pub(crate) struct Core<S, const D: usize> {
    boxes: Vec<Aabb<S, D>>,
}

/// The bounds of a word's objects, by axis, so that several are compared at once.
#[derive(Clone, Debug)]
pub(crate) struct Columns<S, const D: usize> {
    pub(crate) min: [[S; WORD]; D],
    pub(crate) max: [[S; WORD]; D],
}

impl<S: Coordinate, const D: usize> Columns<S, D> {
    /// Bounds that no box contains.
    pub(crate) const VACANT: Self = Columns { min: [[S::NAN; WORD]; D], max: [[S::NAN; WORD]; D] };

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, bounds: &Aabb<S, D>) {
        for axis in 0..D {
            (self.min[axis][lane], self.max[axis][lane]) = (bounds.min[axis], bounds.max[axis]);
        }
    }
}

/// A box of cells, both corners included.
type Cells<const D: usize> = [[u32; D]; 2];

impl<S: Coordinate, const D: usize> Core<S, D> {
    /// Nothing lies in it.
    pub(crate) const EMPTY: Self = Core { boxes: Vec::new() };

    /// The largest boxes in a rank's part.
    pub(crate) fn of(partition: &Partition<D>, rank: usize) -> Self {
        let mut boxes = Vec::new();
        collect(partition, rank, [0; D], bits(D), &mut boxes);
        let volume = |[low, high]: &Cells<D>| (0..D).map(|axis| f64::from(high[axis] - low[axis] + 1)).product::<f64>();
        boxes.sort_unstable_by(|a, b| volume(b).total_cmp(&volume(a)));
        Core { boxes: boxes.iter().filter_map(|cells| inside(&partition.frame, cells)).take(BOXES).collect() }
    }

    /// The bits of the valid boxes that a box of the core holds. Loops without branches, which the compiler turns into vectors.
    #[inline(always)]
    pub(crate) fn holds(&self, columns: &Columns<S, D>) -> u64 {
        let mut any = [false; WORD];
        for Aabb { min: low, max: high } in &self.boxes {
            let mut held = [true; WORD];
            for axis in 0..D {
                let (min, max) = (&columns.min[axis], &columns.max[axis]);
                for lane in 0..WORD {
                    held[lane] &= (low[axis] <= min[lane]) & (max[lane] <= high[axis]);
                }
            }
            for lane in 0..WORD {
                any[lane] |= held[lane];
            }
        }
        for axis in 0..D {
            let (min, max) = (&columns.min[axis], &columns.max[axis]);
            for lane in 0..WORD {
                any[lane] &= min[lane] <= max[lane];
            }
        }
        any.iter().enumerate().fold(0, |word, (lane, &held)| word | u64::from(held) << lane)
    }
}

/// Lists the largest nodes of the tree in a rank's part, in the order of the curve, joined to boxes where they make one.
fn collect<const D: usize>(partition: &Partition<D>, rank: usize, corner: [u32; D], level: u32, boxes: &mut Vec<Cells<D>>) {
    let begin = place(corner);
    let (first, last) = (partition.owner_of_place(begin), partition.owner_of_place(begin + span::<D>(level)));
    if rank < first || last < rank {
        return;
    }
    if first < last {
        let half = level - 1;
        for child in 0..1u32 << D {
            collect(partition, rank, std::array::from_fn(|axis| corner[axis] | (child >> axis & 1) << half), half, boxes);
        }
        return;
    }
    let reach = ((1u64 << level) - 1) as u32;
    boxes.push([corner, corner.map(|cell| cell + reach)]);
    while let [.., one, other] = boxes[..]
        && let Some(both) = joined(&one, &other)
    {
        boxes.truncate(boxes.len() - 2);
        boxes.push(both);
    }
}

/// The box that two make, if they make one.
fn joined<const D: usize>(one: &Cells<D>, other: &Cells<D>) -> Option<Cells<D>> {
    let mut different = (0..D).filter(|&axis| one[0][axis] != other[0][axis] || one[1][axis] != other[1][axis]);
    let axis = different.next()?;
    (different.next().is_none() && one[1][axis] + 1 == other[0][axis]).then_some([one[0], other[1]])
}

/// Bounds of which every number has its cell in a box of cells. Half a cell is given away, and the cells of the bounds themselves are
/// checked. The cell function is monotone, so everything between the bounds is inside, however they were rounded.
fn inside<S: Coordinate, const D: usize>(frame: &Frame<D>, [low, high]: &Cells<D>) -> Option<Aabb<S, D>> {
    let last = (1u32 << bits(D)) - 1;
    let at = |axis: usize, cells: f64| frame.origin[axis] + cells / frame.inverse;
    let bounds = Aabb {
        min: std::array::from_fn(|axis| match low[axis] {
            0 => S::rounded(f64::NEG_INFINITY),
            cell => S::rounded(at(axis, f64::from(cell) + 0.5)),
        }),
        max: std::array::from_fn(|axis| match high[axis] {
            cell if cell == last => S::rounded(f64::INFINITY),
            cell => S::rounded(at(axis, f64::from(cell) + 0.5)),
        }),
    };
    let fits = |axis: usize| frame.cell(axis, bounds.min[axis]) >= low[axis] && frame.cell(axis, bounds.max[axis]) <= high[axis];
    (0..D).all(fits).then_some(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box in the core touches this part only, and most of a part is in its core.
    #[test]
    fn the_core_is_inside_and_large() {
        let frame = Frame::<3>::between([0.0; 3], [100.0; 3]);
        let all = 1u64 << 63;
        for borders in [vec![all / 3], vec![all / 7, all / 3, all / 2 + 12345], vec![5, 5, all / 2]] {
            let partition = Partition { frame, borders };
            let (mut held, mut mine) = (0, 0);
            for rank in 0..partition.ranks() {
                let core = Core::<f32, 3>::of(&partition, rank);
                for number in 0..20_000u32 {
                    let at = |factor: u32| (number.wrapping_mul(factor) >> 8) as f32 / (1 << 24) as f32 * 110.0 - 5.0;
                    let corner = [at(2_654_435_761), at(2_246_822_519), at(3_266_489_917)];
                    let bounds = Aabb::new(corner, corner.map(|x| x + 0.5));
                    let mut ranks = Vec::new();
                    partition.for_each_touched(&bounds, |rank| ranks.push(rank));
                    mine += usize::from(ranks == [rank]);
                    let mut columns = Columns::VACANT;
                    columns.set(number as usize % WORD, &bounds);
                    let held_lanes = core.holds(&columns);
                    if held_lanes != 0 {
                        assert_eq!(held_lanes, 1 << (number as usize % WORD));
                        assert_eq!(ranks, [rank]);
                        held += 1;
                    }
                }
            }
            assert!(held * 10 > mine * 7, "{held} of {mine}");
        }
    }
}
