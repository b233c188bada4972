//! How a chunk is cut into cells.

use super::chunk::{CELLS, ROW};
use super::{Coords, MAX_LEVELS};
use crate::lockfree::Key;

const _: () = assert!(Shape::<2>::CELLS == CELLS && Shape::<3>::CELLS == CELLS, "a chunk has a pivot per cell");
const _: () = assert!(Shape::<2>::ROW == ROW && Shape::<3>::ROW == ROW, "the pivots of a row are one vector");
const _: () = assert!(CELLS <= 1 << u8::BITS, "the cell of a staged object is a byte");
const _: () = assert!(Shape::<2>::BITS[0] <= 4 && Shape::<3>::BITS[0] <= 4, "a first cell has 36 bits on the Z curve");
const _: () = assert!(MAX_LEVELS <= 1 << (u128::BITS - 3 * 36), "a level has the bits above the Z curve");

/// The shape of a chunk in `D` dimensions: powers of two, so that a cell's chunk is a shift and its place in it a mask.
///
/// 128 cells: few enough that a chunk with a single object costs little to clear, sum and search, many enough that a full chunk is worth
/// the look-up of its neighbors. Rows are longest because windows run along them.
#[derive(Debug)]
pub(crate) struct Shape<const D: usize>;

impl<const D: usize> Shape<D> {
    /// Cells per chunk along each axis, as powers of two.
    pub(crate) const BITS: [u32; 3] = if D == 2 { [4, 3, 0] } else { [4, 2, 1] };
    /// Where each axis begins in the number of a cell within its chunk.
    pub(crate) const SHIFT: [u32; 3] = [0, Self::BITS[0], Self::BITS[0] + Self::BITS[1]];

    /// Cells per chunk along each axis.
    pub(crate) const EDGE: [i32; 3] = [1 << Self::BITS[0], 1 << Self::BITS[1], 1 << Self::BITS[2]];
    /// Cells per row.
    pub(crate) const ROW: usize = 1 << Self::BITS[0];
    /// Cells per chunk.
    pub(crate) const CELLS: usize = 1 << (Self::BITS[0] + Self::BITS[1] + Self::BITS[2]);

    /// The chunk that holds a cell.
    #[inline(always)]
    pub(crate) fn chunk_of(cell: Coords) -> Coords {
        std::array::from_fn(|axis| cell[axis] >> Self::BITS[axis])
    }

    /// The chunk's first cell.
    #[inline(always)]
    pub(crate) fn base_of(chunk: Coords) -> Coords {
        std::array::from_fn(|axis| chunk[axis] << Self::BITS[axis])
    }

    /// The place of a cell within its chunk: x runs fastest, so that rows are contiguous.
    pub(crate) fn local(cell: Coords) -> usize {
        let part = |axis: usize| (cell[axis] & (Self::EDGE[axis] - 1)) as usize;
        part(0) | part(1) << Self::BITS[0] | part(2) << (Self::BITS[0] + Self::BITS[1])
    }

    /// The row's place among the chunk's rows.
    #[inline(always)]
    pub(crate) fn row(y: i32, z: i32) -> usize {
        (y | z << Self::BITS[1]) as usize
    }

    /// The row's y and z within the chunk.
    #[inline(always)]
    pub(crate) fn row_parts(row: usize) -> (i32, i32) {
        let row = row as i32;
        (row & (Self::EDGE[1] - 1), row >> Self::BITS[1])
    }
}

/// A chunk's key in the directory.
#[inline(always)]
pub(crate) fn chunk_key(level: usize, chunk: Coords) -> Key {
    [chunk[0] as u32, chunk[1] as u32, chunk[2] as u32, level as u32]
}

/// Level and coordinates of a chunk.
#[inline(always)]
pub(crate) fn key_parts(key: Key) -> (usize, Coords) {
    (key[3] as usize, [key[0] as i32, key[1] as i32, key[2] as i32])
}

/// Sorts chunks by level, and within a level along the Z curve through their first cells: chunks that are close in space are mostly
/// close in this order. (Through cells, because chunks are longer along x than along the other axes.)
pub(crate) fn z_key<const D: usize>(key: Key) -> u128 {
    let (level, chunk) = key_parts(key);
    // The sign bit flipped: negative coordinates come first.
    let cell: [u64; 3] = std::array::from_fn(|axis| u64::from(chunk[axis] as u32 ^ 1 << 31) << Shape::<D>::BITS[axis]);
    (0..36).fold((level as u128) << 108, |code, bit| {
        (0..3).fold(code, |code, axis| code | u128::from(cell[axis] >> bit & 1) << (3 * bit + axis))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_one_place() {
        fn check<const D: usize>() {
            let mut seen = vec![false; Shape::<D>::CELLS];
            let base = Shape::<D>::base_of([-3, 2, if D == 2 { 0 } else { -1 }]);
            for z in 0..Shape::<D>::EDGE[2] {
                for y in 0..Shape::<D>::EDGE[1] {
                    for x in 0..Shape::<D>::EDGE[0] {
                        let cell = [base[0] + x, base[1] + y, base[2] + z];
                        assert_eq!(Shape::<D>::base_of(Shape::<D>::chunk_of(cell)), base);
                        let local = Shape::<D>::local(cell);
                        assert_eq!(local / Shape::<D>::ROW, Shape::<D>::row(y, z));
                        assert_eq!(Shape::<D>::row_parts(local / Shape::<D>::ROW), (y, z));
                        assert!(!std::mem::replace(&mut seen[local], true));
                    }
                }
            }
            assert!(seen.into_iter().all(|cell| cell));
        }
        check::<2>();
        check::<3>();
    }

    #[test]
    fn keys_hold_negative_coordinates() {
        assert_eq!(key_parts(chunk_key(5, [-1, i32::MIN, 7])), (5, [-1, i32::MIN, 7]));
    }
}
