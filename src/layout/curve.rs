//! Places on a Z curve: the bits of the axes, interleaved.

/// Leaves room between the low bits (32 of two axes, 21 of three) for those of the other axes.
pub(crate) fn spread<const D: usize>(value: u64) -> u64 {
    if D == 2 { spread_by_two(value) } else { spread_by_three(value) }
}

/// The low 32 bits, a place between any two.
fn spread_by_two(value: u64) -> u64 {
    let steps = [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff), (4, 0x0f0f_0f0f_0f0f_0f0f)];
    let steps = steps.into_iter().chain([(2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]);
    steps.fold(value & 0xffff_ffff, |spread, (shift, mask)| (spread | spread << shift) & mask)
}

/// The low 21 bits, two places between any two.
fn spread_by_three(value: u64) -> u64 {
    let steps = [(32, 0x001f_0000_0000_ffff), (16, 0x001f_0000_ff00_00ff), (8, 0x100f_00f0_0f00_f00f)];
    let steps = steps.into_iter().chain([(4, 0x10c3_0c30_c30c_30c3), (2, 0x1249_2492_4924_9249)]);
    steps.fold(value & 0x1f_ffff, |spread, (shift, mask)| (spread | spread << shift) & mask)
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
}
