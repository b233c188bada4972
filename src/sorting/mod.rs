//! Pairs in order.
//!
//! A pair becomes a [`Code`] that sorts as the pair does. By the codes' upper words, workers spread them over buckets
//! (`spread`), and then sort each bucket in the cache (`buckets.rs`). What becomes of a sorted bucket is up to an [`Output`].

mod buckets;
mod canonical;
mod crowd;
mod divide;
mod pair_sorter;
mod parts;
mod sorter;

pub(crate) use buckets::Output;
pub(crate) use canonical::{Ordered, Sortable, of_sortable, sortable};
pub(crate) use divide::{Divisible, share_out};
pub use pair_sorter::PairSorter;
pub(crate) use pair_sorter::{in_pool, sort_once};
pub(crate) use sorter::Sorter as CodeSorter;

use bytemuck::Pod;

/// Up to this many pairs, work about them stays on the calling thread.
pub(crate) const SERIAL_UP_TO: usize = 4000;

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
