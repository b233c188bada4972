//! Pairs in order.
//!
//! A pair becomes a [`Code`] that sorts as the pair does. By the codes' upper words, workers spread them over buckets (`sorter.rs`).
//! Then they sort each bucket in the cache (`buckets.rs`): they count its upper words, put each code into its row, and sort the short rows
//! (`runs.rs`). What becomes of a sorted bucket is up to an [`Output`].

mod buckets;
mod canonical;
mod crowd;
mod divide;
mod pair_sorter;
mod parts;
mod runs;
mod sorter;

pub(crate) use buckets::{Output, store};
pub(crate) use canonical::{Ordered, Sortable, of_sortable, sortable};
use divide::share_out_with;
pub(crate) use divide::{Divisible, share_out};
pub use pair_sorter::PairSorter;
pub(crate) use pair_sorter::{in_pool, sort_once};
pub(crate) use runs::Value;
pub(crate) use sorter::Sorter as CodeSorter;

use bytemuck::Pod;

/// Up to this many pairs, work about them stays on the calling thread.
pub(crate) const SERIAL_UP_TO: usize = 4000;

/// What stands for a pair while it is sorted.
pub trait Code: Value + Pod + std::fmt::Debug {
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
