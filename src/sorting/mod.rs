//! Pairs in order.
//!
//! A pair becomes a [`Code`](crate::pairs::code::Code) that sorts as the pair does. Workers distribute codes over buckets by their upper
//! words (`sorter.rs`). Then they sort each bucket in the cache (`buckets.rs`): they count its upper words, put each code into its row, and
//! sort the short rows (`runs.rs`). An [`Output`] takes the sorted buckets.

mod buckets;
mod canonical;
mod crowd;
mod divide;
mod pair_sorter;
mod parts;
mod runs;
mod sorter;

pub(crate) use buckets::{Output, store};
pub(crate) use canonical::Ordered;
use divide::share_out_with;
pub(crate) use divide::{Divisible, share_out};
pub use pair_sorter::PairSorter;
pub(crate) use pair_sorter::{enter, in_pool, sort_once};
pub(crate) use sorter::Sorter as CodeSorter;

/// Up to this many pairs, work on them stays on the calling thread.
pub(crate) const SERIAL_UP_TO: usize = 4000;
