//! Boxes are plain memory: bytes can be read as boxes, and boxes as bytes, without a copy.
//!
//! Implemented by hand, because bytemuck's derive does not support generic types that must be checked for padding.

use bytemuck::{Pod, Zeroable};

use super::aabb::Aabb;

// SAFETY: an `Aabb` is two arrays of `S` and nothing else, and all zeroes is a value of `S`.
unsafe impl<S: Zeroable, const D: usize> Zeroable for Aabb<S, D> {}

// SAFETY: `repr(C)`, and both fields are `[S; D]`: the second begins where the first ends, both have the alignment of the whole,
// so there is no padding. Any bytes are values of `S` and so of the arrays, which have no padding or interior mutability of
// their own because `S` has none. `Copy` and `'static` since `S` is. (A box that is invalid is still a value.)
unsafe impl<S: Pod, const D: usize> Pod for Aabb<S, D> {}
