//! What stands for a pair while it is sorted.

use bytemuck::Pod;

use super::{CrossPair, Pair};

/// What stands for a pair while it is sorted.
pub trait Code: Pod + Ord + std::fmt::Debug + Send + Sync {
    /// What decides first. Buckets are ranges of it.
    fn upper(self) -> u32;
}

impl Code for u64 {
    #[inline(always)]
    fn upper(self) -> u32 {
        (self >> 32) as u32
    }
}

/// Two indices, a shift of up to three axes, and one word more.
impl Code for [u32; 6] {
    #[inline(always)]
    fn upper(self) -> u32 {
        self[0]
    }
}

/// Pairs that have a canonical order.
pub trait Sortable: Copy + Send + Sync {
    /// Sorts as the pairs do.
    type Code: Code;

    /// Its first index.
    fn first(&self) -> u32;

    fn code(&self) -> Self::Code;

    fn of_code(code: Self::Code) -> Self;
}

impl Sortable for Pair {
    type Code = u64;

    #[inline(always)]
    fn first(&self) -> u32 {
        self.a
    }

    #[inline(always)]
    fn code(&self) -> u64 {
        u64::from(self.a) << 32 | u64::from(self.b)
    }

    #[inline(always)]
    fn of_code(code: u64) -> Self {
        Pair { a: (code >> 32) as u32, b: code as u32 }
    }
}

impl Sortable for CrossPair {
    type Code = u64;

    #[inline(always)]
    fn first(&self) -> u32 {
        self.first
    }

    #[inline(always)]
    fn code(&self) -> u64 {
        u64::from(self.first) << 32 | u64::from(self.second)
    }

    #[inline(always)]
    fn of_code(code: u64) -> Self {
        CrossPair { first: (code >> 32) as u32, second: code as u32 }
    }
}

/// A number of either sign as one that sorts like it.
#[inline(always)]
pub(crate) fn sortable(periods: i32) -> u32 {
    periods as u32 ^ 1 << 31
}

#[inline(always)]
pub(crate) fn of_sortable(periods: u32) -> i32 {
    (periods ^ 1 << 31) as i32
}
