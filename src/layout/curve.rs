//! Places on curves through space. On a Z curve they are the bits of the axes, interleaved; on a Hilbert curve, each place is next to the
//! one before it.

/// Leaves room between the low bits (32 of two axes, 21 of three) for those of the other axes.
pub(crate) fn spread<const D: usize>(value: u64) -> u64 {
    if D == 2 { spread_by_two(value) } else { spread_by_three(value) }
}

/// The low 32 bits, a place between any two.
fn spread_by_two(value: u64) -> u64 {
    let mut spread = value & 0xffff_ffff;
    spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
    spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
    spread = (spread | spread << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    spread = (spread | spread << 2) & 0x3333_3333_3333_3333;
    (spread | spread << 1) & 0x5555_5555_5555_5555
}

/// The low 21 bits, two places between any two.
fn spread_by_three(value: u64) -> u64 {
    let mut spread = value & 0x1f_ffff;
    spread = (spread | spread << 32) & 0x001f_0000_0000_ffff;
    spread = (spread | spread << 16) & 0x001f_0000_ff00_00ff;
    spread = (spread | spread << 8) & 0x100f_00f0_0f00_f00f;
    spread = (spread | spread << 4) & 0x10c3_0c30_c30c_30c3;
    (spread | spread << 2) & 0x1249_2492_4924_9249
}

/// The edge of a cube of cells, as a power of two.
pub(crate) const CUBE_BITS: u32 = 4;

/// A place on the Hilbert curve through a cube of 16³ cells, or a square of 16².
#[inline(always)]
pub(crate) fn hilbert_in_cube<const D: usize>(cell: [usize; D]) -> u16 {
    let at = cell.iter().rev().fold(0, |at, &x| at * (1 << CUBE_BITS) + x % (1 << CUBE_BITS));
    if D == 2 { IN_SQUARE[at] } else { IN_CUBE[at] }
}

static IN_SQUARE: [u16; 1 << (2 * CUBE_BITS)] = hilbert_places::<2, _>();
static IN_CUBE: [u16; 1 << (3 * CUBE_BITS)] = hilbert_places::<3, _>();

/// The places of all cells of a cube, x fastest.
const fn hilbert_places<const D: usize, const CELLS: usize>() -> [u16; CELLS] {
    let (mut places, mut at) = ([0; CELLS], 0);
    while at < CELLS {
        let (mut cell, mut axis) = ([0; D], 0);
        while axis < D {
            cell[axis] = (at >> (axis as u32 * CUBE_BITS)) % (1 << CUBE_BITS);
            axis += 1;
        }
        places[at] = hilbert(cell, CUBE_BITS) as u16;
        at += 1;
    }
    places
}

/// The place of a cell on the Hilbert curve through all cells whose coordinates have at most so many bits, all axes together at most 64.
///
/// Skilling, "Programming the Hilbert curve" (2004): coordinates become the bits of the place, transposed.
pub(crate) const fn hilbert<const D: usize>(mut x: [usize; D], bits: u32) -> u64 {
    let mut bit = if bits > 0 { 1 << (bits - 1) } else { 0 };
    while bit > 1 {
        let (below, mut axis) = (bit - 1, 0);
        while axis < D {
            if x[axis] & bit != 0 {
                x[0] ^= below;
            } else {
                let swapped = (x[0] ^ x[axis]) & below;
                x[0] ^= swapped;
                x[axis] ^= swapped;
            }
            axis += 1;
        }
        bit >>= 1;
    }
    let mut axis = 1;
    while axis < D {
        x[axis] ^= x[axis - 1];
        axis += 1;
    }
    let (mut flipped, mut bit) = (0, if bits > 0 { 1 << (bits - 1) } else { 0 });
    while bit > 1 {
        if x[D - 1] & bit != 0 {
            flipped ^= bit - 1;
        }
        bit >>= 1;
    }
    let (mut place, mut bits) = (0, bits);
    while bits > 0 {
        bits -= 1;
        let mut axis = 0;
        while axis < D {
            place = 2 * place + ((x[axis] ^ flipped) >> bits & 1) as u64;
            axis += 1;
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread() {
        for value in [0u64, 1, 0xff, (1 << 21) - 1, 0x15_a5a5, 0xa5a5_a5a5] {
            let by = |step: usize, bits: usize| (0..bits).fold(0, |all, bit| all | (value >> bit & 1) << (bit * step));
            assert_eq!((spread::<2>(value), spread::<3>(value)), (by(2, 32), by(3, 21)));
        }
    }

    #[test]
    fn places_on_a_hilbert_curve_are_side_by_side() {
        fn check<const D: usize>() {
            let edge = 1_usize << CUBE_BITS;
            let cells: Vec<[usize; D]> =
                (0..edge.pow(D as u32)).map(|at| std::array::from_fn(|axis| at / edge.pow(axis as u32) % edge)).collect();
            let mut ordered = cells.clone();
            ordered.sort_by_key(|&cell| hilbert_in_cube(cell));
            for (place, &cell) in ordered.iter().enumerate() {
                assert_eq!((usize::from(hilbert_in_cube(cell)), hilbert(cell, CUBE_BITS)), (place, place as u64));
            }
            for two in ordered.windows(2) {
                let apart: usize = (0..D).map(|axis| two[0][axis].abs_diff(two[1][axis])).sum();
                assert_eq!(apart, 1, "{two:?}");
            }
        }
        check::<2>();
        check::<3>();
    }
}
