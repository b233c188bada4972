//! Searching outwards from a point.

use std::ops::{ControlFlow, Range};

use super::within::Search;
use super::{Region, Scene};
use crate::Scalar;
use crate::kernel::gap;
use crate::layout::Chunk;
use crate::layout::{Coords, Shape, Window, key_parts};

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Has runs looked at, in roughly the order of their distance, until all others are further away than the limit, a square that
    /// looking at a run returns.
    pub(super) fn expand<B>(&self, point: &[S; D], look: impl FnMut(Range<usize>, S) -> ControlFlow<B, S>) -> ControlFlow<B> {
        let mut search = Search { scene: self, point, limit: S::INFINITY, look };
        search.entries(self.grid.oversized.clone())?;
        self.occupied().try_for_each(|(level, region)| search.expand(level, region))
    }
}

/// A side of a box of chunks.
#[derive(Clone, Copy)]
struct Side {
    axis: usize,
    is_upper: bool,
}

impl<S: Scalar, const D: usize, B, F: FnMut(Range<usize>, S) -> ControlFlow<B, S>> Search<'_, S, D, F> {
    /// Begins with the chunk at the point, and adds layer after layer to that side of the box of chunks seen so far on which the
    /// point is nearest to what was not seen.
    fn expand(&mut self, level: usize, region: &Region) -> ControlFlow<B> {
        let home = Shape::<D>::chunk_of(self.scene.grid.levels[level].cell(self.point));
        let home: Coords = std::array::from_fn(|axis| home[axis].clamp(region.low[axis], region.high[axis]));
        let (mut low, mut high) = (home, home);
        self.layer(level, region, home, home)?;
        // When it has passed more chunks than there are, those that there are are gone through instead.
        let most = 2.0 * self.scene.grid.chunks_of(level).len() as f64 + 16.0;
        let mut passed = 1.0;
        while let Some((side, square)) = self.nearest_side(region, low, high) {
            if square > self.limit {
                break;
            }
            let Side { axis, is_upper } = side;
            let (mut first, mut last) = (low, high);
            if is_upper {
                high[axis] += 1;
                (first[axis], last[axis]) = (high[axis], high[axis]);
            } else {
                low[axis] -= 1;
                (first[axis], last[axis]) = (low[axis], low[axis]);
            }
            passed += (0..D).fold(1.0, |passed, axis| passed * (f64::from(last[axis]) - f64::from(first[axis]) + 1.0));
            if passed > most {
                if is_upper {
                    high[axis] -= 1
                } else {
                    low[axis] += 1
                }
                return self.outside(level, region, low, high);
            }
            self.layer(level, region, first, last)?;
        }
        ControlFlow::Continue(())
    }

    /// The side on which the next layers are nearest, and the square of their distance, as far as one axis tells.
    fn nearest_side(&self, region: &Region, low: Coords, high: Coords) -> Option<(Side, S)> {
        let mut nearest: Option<(Side, S)> = None;
        for axis in 0..D {
            for is_upper in [false, true] {
                let (first, last) =
                    if is_upper { (high[axis] + 1, region.high[axis]) } else { (region.low[axis], low[axis] - 1) };
                if first <= last {
                    let (min, max) = region.around_chunks::<S, D>(axis, first, last);
                    let gap = gap(self.point[axis], min, max);
                    if nearest.is_none_or(|(_, least)| gap * gap < least) {
                        nearest = Some((Side { axis, is_upper }, gap * gap));
                    }
                }
            }
        }
        nearest
    }

    /// The chunks of a box of chunks.
    fn layer(&mut self, level: usize, region: &Region, low: Coords, high: Coords) -> ControlFlow<B> {
        let grid = self.scene.grid;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let coords = [x, y, z];
                    if !(self.square_to_chunk(region, coords) > self.limit)
                        && let Some(chunk) = grid.find(level, coords)
                    {
                        self.whole_chunk(region, coords, chunk)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The existing chunks outside a box of chunks.
    fn outside(&mut self, level: usize, region: &Region, low: Coords, high: Coords) -> ControlFlow<B> {
        for chunk in self.scene.grid.chunks_of(level) {
            let coords = key_parts(chunk.key()).1;
            let is_seen = || (0..3).all(|axis| (low[axis]..=high[axis]).contains(&coords[axis]));
            if !is_seen() && !(self.square_to_chunk(region, coords) > self.limit) {
                self.whole_chunk(region, coords, chunk)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn whole_chunk(&mut self, region: &Region, coords: Coords, chunk: &Chunk) -> ControlFlow<B> {
        let low = Shape::<D>::base_of(coords);
        let high = std::array::from_fn(|axis| low[axis] + (Shape::<D>::EDGE[axis] - 1));
        self.chunk(region, &Window { low, high }, coords, chunk)
    }
}
