//! Pairs are plain memory: bytes can be read as pairs, and pairs as bytes, without a copy.

use bytemuck::{Pod, Zeroable};

use super::{CrossPair, Pair};

// SAFETY: two `u32`s, for which zero is a value.
unsafe impl Zeroable for Pair {}

/// Pairs can be handed on as bytes or numbers, to a file, another process or the GPU:
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase};
///
/// let boxes: Vec<_> = (0..3).map(|i| Aabb::new([i as f64, 0.0], [i as f64 + 1.0, 1.0])).collect();
/// let pairs = BroadPhase::<f64, 2>::new().detect(&boxes).sorted();
/// assert_eq!(bytemuck::cast_slice::<_, u32>(&pairs), [0, 1, 1, 2]);
/// ```
// SAFETY: `repr(C)` and two fields of one type, so no padding; any bytes are two `u32`s. (That `a < b` is the engine's promise, not
// the type's.)
unsafe impl Pod for Pair {}

// SAFETY: two `u32`s, for which zero is a value.
unsafe impl Zeroable for CrossPair {}

// SAFETY: as for `Pair`, and nothing is promised about the indices.
unsafe impl Pod for CrossPair {}
