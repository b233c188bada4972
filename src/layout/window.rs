//! Windows: the cells to search.

use std::ops::Range;

use super::{Coords, Level, Shape};
use crate::faults::{Fault, injected};
use crate::layout::Chunk;
use crate::{Aabb, Scalar};

/// The cells of a level that contain every object that a box can overlap.
///
/// An object lives in the cell of its `min` corner and reaches at most `span` cells beyond it. If it overlaps the box `x`, then
/// `object.min <= x.max` gives `cell(object.min) <= cell(x.max)`, and `x.min <= object.max` gives
/// `cell(x.min) <= cell(object.max) <= cell(object.min) + span`; both by monotony of `cell` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) low: Coords,
    pub(crate) high: Coords,
}

impl Window {
    /// The window of a box in a level whose objects reach `span` cells beyond their own.
    #[inline]
    pub(crate) fn new<S: Scalar, const D: usize>(level: &Level<S, D>, span: Coords, bounds: &Aabb<S, D>) -> Self {
        let (low, high) = (level.cell(&bounds.min), level.cell(&bounds.max));
        let span = if injected(Fault::WindowWithoutSpan) { [0; 3] } else { span };
        Window { low: std::array::from_fn(|axis| low[axis] - span[axis]), high }
    }

    /// The first and the last cell of the window along each axis within a chunk that it touches, relative to the chunk's first cell.
    #[inline(always)]
    pub(crate) fn corners_in<const D: usize>(&self, chunk: Coords) -> (Coords, Coords) {
        let (base, mut low, mut high) = (Shape::<D>::base_of(chunk), self.low, self.high);
        for axis in 0..3 {
            low[axis] = (low[axis] - base[axis]).max(0);
            high[axis] = (high[axis] - base[axis]).min(Shape::<D>::EDGE[axis] - 1);
        }
        (low, high)
    }

    /// The part of the window that lies in a chunk.
    #[inline]
    pub(crate) fn within<const D: usize>(&self, chunk: Coords) -> Option<LocalWindow<D>> {
        let (low, high) = self.corners_in::<D>(chunk);
        (0..3).all(|axis| low[axis] <= high[axis]).then_some(LocalWindow { low, high })
    }

    /// The chunks that the window touches, as corners of a box of chunks.
    pub(crate) fn chunks<const D: usize>(&self) -> (Coords, Coords) {
        (Shape::<D>::chunk_of(self.low), Shape::<D>::chunk_of(self.high))
    }
}

/// A window within one chunk, relative to its first cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalWindow<const D: usize> {
    low: Coords,
    high: Coords,
}

impl<const D: usize> LocalWindow<D> {
    /// Calls `f` with the runs of entries that the window holds. A row that the window covers entirely forms one run with the next row.
    ///
    /// `f` is called in one place, so that it is inlined: otherwise it would be compiled without the instruction set of its caller.
    #[inline(always)]
    pub(crate) fn runs(&self, chunk: &Chunk, mut f: impl FnMut(Range<usize>)) {
        let whole_rows = self.low[0] == 0 && self.high[0] == Shape::<D>::EDGE[0] - 1;
        let rows = chunk.rows();
        for z in self.low[2]..=self.high[2] {
            let (mut first, last) = (Shape::<D>::row(self.low[1], z), Shape::<D>::row(self.high[1], z));
            if (rows >> first) & (u32::MAX >> (31 - (last - first))) == 0 {
                continue;
            }
            let last = last - usize::from(injected(Fault::WindowRowMissed) && !whole_rows && last > first);
            while first <= last {
                let end = if whole_rows { last } else { first };
                f(run(chunk, first * Shape::<D>::ROW + self.low[0] as usize, end * Shape::<D>::ROW + self.high[0] as usize));
                first = end + 1;
            }
        }
    }
}

/// The entries of consecutive cells.
#[inline(always)]
fn run(chunk: &Chunk, first: usize, last: usize) -> Range<usize> {
    chunk.begin(first) as usize..chunk.end(last) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_everything_a_box_can_touch() {
        let level = Level::<f64, 3>::new([0.0; 3], [1.0; 3], [1; 3]);
        let window = Window::new(&level, [1, 2, 0], &Aabb::new([0.5, 0.5, 0.5], [1.0, 1.5, 0.6]));
        assert_eq!(window, Window { low: [-1, -2, 0], high: [1, 1, 0] });
        assert_eq!(window.chunks::<3>(), ([-1, -1, 0], [0, 0, 0]));
        let edge = Shape::<3>::EDGE;
        let inside = window.within::<3>([-1, 0, 0]).unwrap();
        assert_eq!(inside, LocalWindow { low: [edge[0] - 1, 0, 0], high: [edge[0] - 1, 1, 0] });
        assert_eq!(window.within::<3>([1, 0, 0]), None);
    }
}
