//! Coordinates as bytes.

use std::fmt;

use crate::bounds::{Bounds, Scalar};

/// The type of a recording's coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarType {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl ScalarType {
    /// As Rust names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    pub(super) fn bytes(self) -> u32 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn with_bytes(bytes: u32) -> Option<Self> {
        [Self::F32, Self::F64].into_iter().find(|scalar| scalar.bytes() == bytes)
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A coordinate that can be recorded: `f32` or `f64`.
pub trait Coordinate: Scalar + fmt::Display {
    /// Which of the two.
    const TYPE: ScalarType;

    /// Takes the number off the front of little-endian bytes.
    ///
    /// # Panics
    ///
    /// When there are too few.
    fn take_le(bytes: &mut &[u8]) -> Self;

    /// Appends the number's little-endian bytes.
    fn append_le(self, bytes: &mut Vec<u8>);
}

impl Coordinate for f32 {
    const TYPE: ScalarType = ScalarType::F32;

    fn take_le(bytes: &mut &[u8]) -> Self {
        Self::from_le_bytes(take(bytes))
    }

    fn append_le(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

impl Coordinate for f64 {
    const TYPE: ScalarType = ScalarType::F64;

    fn take_le(bytes: &mut &[u8]) -> Self {
        Self::from_le_bytes(take(bytes))
    }

    fn append_le(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }
}

/// The first `N` bytes, which the caller knows to be there.
fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (first, rest) = bytes.split_first_chunk().expect("the caller has read enough bytes");
    *bytes = rest;
    *first
}

/// The corner whose coordinates come next.
pub(super) fn take_corner<S: Coordinate, const D: usize>(bytes: &mut &[u8]) -> [S; D] {
    std::array::from_fn(|_| S::take_le(bytes))
}

/// Least corner, then greatest.
pub(super) fn append_box<S: Coordinate, const D: usize>(bounds: &Bounds<S, D>, bytes: &mut Vec<u8>) {
    bounds.min.into_iter().chain(bounds.max).for_each(|x| x.append_le(bytes));
}
