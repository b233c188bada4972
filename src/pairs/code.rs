//! What stands for a pair while it is sorted.

use bytemuck::{Pod, Zeroable};

use super::{CrossPair, Pair};

/// What stands for a pair while it is sorted.
pub trait Code: Value + Pod + std::fmt::Debug {
    /// The most significant word. Buckets are ranges of it.
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

/// The word that is sorted within a row.
pub trait Value: Copy + Ord + Zeroable + Send + Sync + 'static {
    /// The values of a row of `len`, with the largest possible value in the places behind it. `None` if networks do not pay.
    fn padded<const N: usize>(values: &[Self; N], len: usize) -> Option<[Self; N]>;
}

macro_rules! number {
    ($number:ident, $signed:ident) => {
        impl Value for $number {
            #[inline(always)]
            fn padded<const N: usize>(values: &[Self; N], len: usize) -> Option<[Self; N]> {
                // All bits set for places behind the end. By arithmetic: the compiler turns a comparison into a branch.
                let behind = |place: usize| (len as $signed - 1 - place as $signed) >> ($signed::BITS - 1);
                Some(std::array::from_fn(|place| values[place] | behind(place) as $number))
            }
        }
    };
}

number!(u32, i32);
number!(u64, i64);

/// Comparing these takes branches anyway.
impl Value for [u32; 6] {
    #[inline(always)]
    fn padded<const N: usize>(_: &[Self; N], _: usize) -> Option<[Self; N]> {
        None
    }
}

/// Pairs that have a canonical order.
pub trait Sortable: Copy + Send + Sync {
    /// Sorts as the pairs do.
    type Code: Code;

    fn code(&self) -> Self::Code;

    fn of_code(code: Self::Code) -> Self;
}

impl Sortable for Pair {
    type Code = u64;

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
    fn code(&self) -> u64 {
        u64::from(self.first) << 32 | u64::from(self.second)
    }

    #[inline(always)]
    fn of_code(code: u64) -> Self {
        CrossPair { first: (code >> 32) as u32, second: code as u32 }
    }
}

/// Maps a signed number to an unsigned one of the same order.
#[inline(always)]
pub(crate) fn sortable(periods: i32) -> u32 {
    periods as u32 ^ 1 << 31
}

#[inline(always)]
pub(crate) fn of_sortable(periods: u32) -> i32 {
    (periods ^ 1 << 31) as i32
}
