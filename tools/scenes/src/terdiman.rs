//! A scene with a known answer.

use crate::bounds::Bounds;

/// The 10 000 boxes of Pierre Terdiman's box pruning test, with exactly 11 811 overlapping pairs, touching ones included.
/// All coordinates are whole numbers, so no rounding can change the answer.
pub fn terdiman() -> Vec<Bounds<f32, 3>> {
    // The C runtime of Microsoft's compiler: a generator modulo 2^32 of which 15 bits are seen.
    let mut state = 42u32;
    let mut rand = move || {
        state = state.wrapping_mul(214_013).wrapping_add(2_531_011);
        (state >> 16) as u16 & 0x7fff
    };
    let create = |_| {
        let center: [f32; 3] = std::array::from_fn(|_| f32::from(rand() & 4095) - 2048.0);
        let half: [f32; 3] = std::array::from_fn(|_| f32::from(rand() & 127));
        Bounds {
            min: std::array::from_fn(|axis| center[axis] - half[axis]),
            max: std::array::from_fn(|axis| center[axis] + half[axis]),
        }
    };
    (0..10_000).map(create).collect()
}
