//! A chunk and its adjacent chunks.

use super::View;
use crate::Scalar;
use crate::layout::{Chunk, Coords, Row, Shape};

/// A chunk and those around it, looked up on first use: a chunk whose entries do not reach its border needs none.
pub(crate) struct Neighborhood<'v, S, const D: usize> {
    view: &'v View<'v, S, D>,
    level: usize,
    coords: Coords,
    chunks: [&'v Chunk; 27],
    /// A bit for each chunk that was looked up.
    looked_up: u32,
}

impl<'v, S: Scalar, const D: usize> Neighborhood<'v, S, D> {
    const CENTER: i32 = 13;

    pub(crate) fn new(view: &'v View<'v, S, D>, level: usize, coords: Coords, center: &'v Chunk) -> Self {
        let mut chunks = [&Chunk::EMPTY; 27];
        chunks[Self::CENTER as usize] = center;
        Neighborhood { view, level, coords, chunks, looked_up: 1 << Self::CENTER }
    }

    /// Whether all cells from `low` to `high`, counted from the chunk's first one, are in it or in one of those around it.
    #[inline(always)]
    pub(crate) fn holds(low: Coords, high: Coords) -> bool {
        let edge = Shape::<D>::EDGE;
        (0..3).all(|axis| low[axis] >= -edge[axis] && high[axis] < 2 * edge[axis])
    }

    #[inline(always)]
    fn at(&mut self, offset: Coords) -> &'v Chunk {
        let index = (offset[0] + 3 * offset[1] + 9 * offset[2] + Self::CENTER) as usize;
        if self.looked_up >> index & 1 == 0 {
            self.look_up(index, offset);
        }
        self.chunks[index]
    }

    #[cold]
    fn look_up(&mut self, index: usize, offset: Coords) {
        let coords = std::array::from_fn(|axis| self.coords[axis] + offset[axis]);
        if let Some(chunk) = self.view.grid.find(self.level, coords) {
            self.chunks[index] = chunk;
        }
        self.looked_up |= 1 << index;
    }

    /// A row, counted from the chunk's first one.
    #[inline(always)]
    pub(crate) fn row(&mut self, chunk_x: i32, y: i32, z: i32) -> Row<'v> {
        let edge = Shape::<D>::EDGE;
        let chunk = self.at([chunk_x, y.div_euclid(edge[1]), z.div_euclid(edge[2])]);
        chunk.row(Shape::<D>::row(y & (edge[1] - 1), z & (edge[2] - 1)))
    }
}
