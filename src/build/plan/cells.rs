//! Chooses the cells of a level for a group of objects.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::group::Crowd;
use crate::Costs;
use crate::Scalar;
use crate::layout::{Coords, Level, Member, Shape, axis_of};

/// Rows are cut at most so much finer than the other axes.
const FINEST: f64 = 16.0;

/// What a coordinate type allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Relative rounding error of a coordinate.
    rounding: f64,
    smallest: f64,
    largest: f64,
}

impl Limits {
    pub(crate) fn of<S: Scalar>() -> Self {
        Limits { rounding: S::EPSILON, smallest: S::SMALLEST_CELL, largest: S::LARGEST_CELL }
    }
}

/// The cells of a level, and how far its objects may reach beyond theirs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    pub(crate) size: [f64; 3],
    limit: Coords,
    /// How many cells the largest object reaches beyond its own.
    span: [f64; 3],
    pub(crate) ignored: [bool; 3],
    /// The axis along which the rows lie.
    pub(crate) row: usize,
    /// The middle of the objects' space, and how far it extends.
    middle: [f64; 3],
    extent: [f64; 3],
    /// The largest edges of the objects.
    most: [f64; 3],
    /// The logarithm of their product.
    pub(crate) object_size: f64,
}

impl Cells {
    /// A level with these cells, in a scene of these edges.
    pub(crate) fn member<S: Scalar, const D: usize>(&self, scene: [f64; 3]) -> Member<S, D> {
        let level = Level::new(
            std::array::from_fn(|axis| self.origin::<D>(axis)),
            std::array::from_fn(|axis| self.size[axis]),
            self.limit,
        );
        let level = level.with_rows_along(self.row);
        // How much of the scene a chunk covers.
        let chunk_size = (0..D).fold(0.0, |sum, axis| {
            let whole = (2.0 * scene[axis]).max(f64::MIN_POSITIVE);
            let edge = self.chunk::<D>(axis);
            sum + if self.ignored[axis] { whole } else { edge.min(whole) }.log2()
        });
        Member { level: level.taking(self.most), chunk_size, object_size: self.object_size, by_size: true }
    }

    /// Where cell 0 begins: near the middle of the objects, where coordinates relative to it are precise, and so that the objects lie in
    /// as few chunks as possible. Flat scenes lie in the middle of one cell. An origin at infinity puts everything into one cell.
    fn origin<const D: usize>(&self, axis: usize) -> f64 {
        if self.ignored[axis] {
            return f64::INFINITY;
        }
        let (size, chunk, extent) = (self.size[axis], self.chunk::<D>(axis), self.extent[axis]);
        let before = if extent <= size {
            size / 2.0
        } else if (extent / chunk).ceil() % 2.0 == 1.0 {
            chunk / 2.0
        } else {
            0.0
        };
        self.middle[axis] - before
    }

    /// The edge of a chunk along an axis.
    pub(crate) fn chunk<const D: usize>(&self, axis: usize) -> f64 {
        self.size[axis] * f64::from(Shape::<D>::EDGE[axis_of(self.row, axis)])
    }

    /// How many cells along an axis are searched for what a box of this edge may touch: those that it covers, and those before them,
    /// whose objects may reach it. Where these are in another chunk, they are mostly left out, because nothing in it does.
    pub(crate) fn searched<const D: usize>(&self, axis: usize, edge: f64) -> f64 {
        let of_chunk = f64::from(Shape::<D>::EDGE[axis_of(self.row, axis)]);
        edge / self.size[axis] + 1.0 + self.span[axis] * (1.0 - 1.0 / of_chunk)
    }

    /// The same for chunks.
    pub(crate) fn searched_chunks<const D: usize>(&self, axis: usize, edge: f64) -> f64 {
        (edge + self.span[axis] * self.size[axis]) / self.chunk::<D>(axis) + 1.0
    }

    /// The same cells for objects of all sizes.
    pub(crate) fn for_all_sizes(self) -> Self {
        Cells { most: [f64::INFINITY; 3], ..self }
    }

    /// The same cells for objects in another space.
    pub(crate) fn around(self, other: &Cells) -> Self {
        Cells { middle: other.middle, extent: other.extent, ..self }
    }

    /// Cells of another size, for a map.
    pub(crate) fn resized(self, size: impl Fn(usize) -> f64, limits: Limits) -> Self {
        let size = std::array::from_fn(|axis| {
            if self.ignored[axis] { self.size[axis] } else { size(axis).clamp(limits.smallest, limits.largest) }
        });
        Cells { size, ..self }
    }
}

/// What all cells that are tried for a crowd have in common.
#[derive(Clone, Copy)]
struct Terms<'a> {
    costs: &'a Costs,
    limits: Limits,
    object_size: f64,
}

/// The best cells yet.
struct Best {
    cost: f64,
    cells: Cells,
}

impl<const D: usize> Crowd<D> {
    /// The cells with the least predicted cost: nowhere smaller than the largest object, and otherwise a cube, or a brick that is
    /// finer along the rows. With `forced` edges there is nothing to choose.
    pub(super) fn best_cells(&self, forced: Option<[f64; 3]>, costs: &Costs, limits: Limits) -> Cells {
        let Limits { smallest, largest, .. } = limits;
        let terms = Terms { costs, limits, object_size: self.object_size(limits) };
        if let Some([x, y, z]) = forced.map(|edges| edges.map(|edge| edge.clamp(smallest, largest))) {
            // Along the rows, cells may be smaller than the objects.
            return self.cells([x.max(y), y, z], (y / x).max(1.0), 0, terms);
        }
        let extent = self.extent();
        let longest = extent.iter().fold(0.0f64, |longest, edge| longest.max(*edge));
        let open = (0..D).filter(|&axis| !self.ignored[axis]);
        let shortest = open.fold(f64::INFINITY, |shortest, axis| shortest.min(self.class.max[axis]));
        // Finer than this, cells would saturate; flat boxes would start at nothing.
        let finest = longest / (1u64 << 29) as f64;
        let first = if shortest.is_finite() { shortest.max(finest) } else { 1.0 }.clamp(smallest, largest);
        let mut best = Best { cost: f64::INFINITY, cells: self.cells([first; 3], 1.0, 0, terms) };
        for row in self.rows() {
            self.try_widths([1.0; 3], first, longest.min(largest), row, terms, &mut best);
            if self.unit != [1.0; 3] {
                // In units of the objects: cells that are as much longer than wide as these are.
                let longest = (0..D).fold(0.0f64, |longest, axis| longest.max(extent[axis] / self.unit[axis]));
                self.try_widths(self.unit, 1.0, longest, row, terms, &mut best);
            }
        }
        best.cells
    }

    /// The axes along which rows may lie: x, and another one if it separates the objects far better.
    fn rows(&self) -> impl Iterator<Item = usize> {
        const FAR_BETTER: f64 = 2.0;
        let (extent, mean) = (self.extent(), self.class.mean());
        // How many objects there is room for, one behind the other.
        let room = |axis: usize| if self.ignored[axis] { 1.0 } else { 1.0 + extent[axis] / mean[axis].max(f64::MIN_POSITIVE) };
        let best = (1..D).max_by(|&a, &b| room(a).total_cmp(&room(b))).filter(|&axis| room(axis) > FAR_BETTER * room(0));
        std::iter::once(0).chain(best)
    }

    /// Tries cells of these edges, times `first` and more, up to `last`: by factors of two, then around the best of these.
    fn try_widths(&self, edges: [f64; 3], first: f64, last: f64, row: usize, terms: Terms<'_>, best: &mut Best) {
        let Terms { costs, limits, .. } = terms;
        let mut factor = first;
        let mut around = None;
        loop {
            let edges = edges.map(|edge| edge * factor);
            // Comparisons within a row only grow from here on.
            if self.in_own_rows(&self.cells(edges, FINEST, row, terms), costs) >= best.cost {
                break;
            }
            if self.try_cells(edges, &[1.0, 4.0, FINEST], row, terms, best) {
                around = Some(factor);
            }
            if factor > last || factor >= limits.largest {
                break;
            }
            factor = (factor * 2.0).min(limits.largest);
        }
        let Some(around) = around else { return };
        self.try_cells(edges.map(|edge| edge * around), &[2.0, 8.0], row, terms, best);
        for factor in [around * FRAC_1_SQRT_2, around * SQRT_2].map(|factor| factor.clamp(first, limits.largest)) {
            if factor != around {
                self.try_cells(edges.map(|edge| edge * factor), &[1.0, 2.0, 4.0, 8.0, FINEST], row, terms, best);
            }
        }
    }

    /// Tries cells of these edges, cut finer along the rows in some ways. Returns whether one is the best yet.
    fn try_cells(&self, edges: [f64; 3], fineness: &[f64], row: usize, terms: Terms<'_>, best: &mut Best) -> bool {
        let before = best.cost;
        for &fine in fineness {
            let cells = self.cells(edges, fine, row, terms);
            let cost = self.predict(&cells, terms.costs).total();
            if cost.total_cmp(&best.cost).is_lt() {
                *best = Best { cost, cells };
            }
        }
        best.cost < before
    }

    /// A little more than the largest object: what is not taken because of a rounding error would go to the list.
    fn room(&self, axis: usize, limits: Limits) -> f64 {
        (self.class.max[axis] * 1.001).min(limits.largest)
    }

    /// The logarithm of the product of the largest edges.
    fn object_size(&self, limits: Limits) -> f64 {
        let edge = |axis| if self.class.is_endless(axis) { limits.largest } else { self.room(axis, limits).max(limits.smallest) };
        (0..D).map(|axis| edge(axis).log2()).sum()
    }

    /// How many cells of this edge an object may reach beyond its own, of a chunk with that many along the axis.
    fn limit(&self, axis: usize, room: f64, size: f64, most: f64, limits: Limits) -> i32 {
        // Far from the origin, a rounding error may carry a bound across one more border.
        let slack = self.extent()[axis] / size * limits.rounding;
        ((room / size + slack).floor() + 1.0).min(most) as i32
    }

    /// Cells of about these edges that hold the objects; rows are cut finer by `fineness`.
    fn cells(&self, edges: [f64; 3], fineness: f64, row: usize, Terms { limits, object_size, .. }: Terms<'_>) -> Cells {
        let (low, extent, class) = (self.low(), self.extent(), &self.class);
        let Limits { smallest, largest, .. } = limits;
        let middle = std::array::from_fn(|axis| low[axis] + extent[axis] / 2.0);
        let most = [f64::INFINITY; 3];
        let mut cells = Cells {
            size: [0.0; 3],
            limit: [0; 3],
            span: [0.0; 3],
            ignored: self.ignored,
            row,
            middle,
            extent,
            most,
            object_size,
        };
        for axis in 0..D {
            let edge = f64::from(Shape::<D>::EDGE[axis_of(row, axis)]);
            let room = self.room(axis, limits);
            if !class.is_endless(axis) {
                cells.most[axis] = room;
            }
            if cells.ignored[axis] {
                cells.size[axis] = (2.0 * room).clamp(smallest, largest);
                continue;
            }
            let fine = if axis == row { fineness } else { 1.0 };
            let size = (edges[axis].max(room) / fine).max(room / (edge - 1.0)).clamp(smallest, largest);
            cells.size[axis] = size;
            cells.middle[axis] += room / 2.0;
            cells.span[axis] = (class.max[axis] / size).ceil();
            cells.extent[axis] += room;
            cells.limit[axis] = self.limit(axis, room, size, edge, limits);
        }
        cells
    }
}
