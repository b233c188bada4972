//! The results of many queries, in compressed rows.

use std::time::Duration;

use rayon::prelude::*;

use crate::runtime::clock::Clock;
use crate::runtime::prefetch::prefetch;
use crate::runtime::scope::scope;

/// A row of results for each of many queries, in the order of the queries. Keep it: its memory is reused.
///
/// All rows lie behind one another in [`items`](Self::items); row `i` is `items[offsets[i]..offsets[i + 1]]`.
///
/// ```
/// use pivotgrid::{Aabb, BroadPhase, Rows};
///
/// let boxes: Vec<_> = (0..1000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 0.5, 1.0])).collect();
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
/// broad_phase.par_detect(&boxes);
///
/// let mut rows = Rows::new();
/// broad_phase.queries().par_containing(&[[7.2, 0.3], [7.7, 0.3], [9.0, 1.0]], &mut rows);
/// assert_eq!(rows.iter().collect::<Vec<_>>(), [&[7][..], &[], &[9]]);
/// ```
#[derive(Clone, Debug)]
pub struct Rows<T> {
    offsets: Vec<usize>,
    items: Vec<T>,
    parts: Vec<RowsPart<T>>,
    time: Duration,
}

/// Where the rows of some consecutive queries are collected.
#[derive(Clone, Debug)]
struct RowsPart<T> {
    /// Rows in the order in which the queries were made.
    items: Vec<T>,
    /// Where each query's row begins; empty if the queries were made in their own order.
    begins: Vec<usize>,
    row: Vec<T>,
}

/// Queries that a thread makes at a time.
pub(super) const BLOCK: usize = 256;

/// How many queries ahead are prefetched, because the processor cannot predict their order.
pub(super) const AHEAD: usize = 4;

/// Items that a thread copies at a time.
const COPIED: usize = 1 << 14;

/// How many rows ahead are prefetched where they are copied.
const COPIED_AHEAD: usize = 8;

impl<T> Rows<T> {
    /// No rows. Allocates nothing.
    pub const fn new() -> Self {
        Rows { offsets: Vec::new(), items: Vec::new(), parts: Vec::new(), time: Duration::ZERO }
    }

    /// How long the queries took, without building a tree that they needed.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// The number of rows, which is the number of queries.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The results of a query.
    ///
    /// # Panics
    ///
    /// If there are fewer queries.
    pub fn row(&self, index: usize) -> &[T] {
        &self.items[self.offsets[index]..self.offsets[index + 1]]
    }

    /// The results of each of the queries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        self.offsets.windows(2).map(|ends| &self.items[ends[0]..ends[1]])
    }

    /// The results of all queries, row after row.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Where the rows begin, and where the last one ends: one more than there are rows. Empty before the first query.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let parts = self.parts.iter().map(|part| {
            (part.items.capacity() + part.row.capacity()) * size_of::<T>() + part.begins.capacity() * size_of::<usize>()
        });
        self.offsets.capacity() * size_of::<usize>()
            + self.items.capacity() * size_of::<T>()
            + self.parts.capacity() * size_of::<RowsPart<T>>()
            + parts.sum::<usize>()
    }

    /// Gives back memory that holds no rows. The next queries allocate it again.
    pub fn shrink_to_fit(&mut self) {
        self.offsets.shrink_to_fit();
        self.items.shrink_to_fit();
        self.parts = Vec::new();
    }
}

impl<T: Copy + Ord + Send + Sync> Rows<T> {
    /// Puts each row into ascending order. Rows without an order of their own are then the same whatever the order in which the
    /// step stored the objects.
    pub fn sort(&mut self) {
        sort(&mut self.items, &self.offsets);
    }

    /// Makes queries on the threads of the current rayon pool; `search` leaves a query's results in a vector.
    pub(crate) fn fill<Q: Sync>(&mut self, queries: &[Q], search: impl Fn(&Q, &mut Vec<T>) + Sync) {
        self.fill_in_order(
            queries,
            BLOCK,
            |_| None,
            || (),
            |(), query, row, found| {
                search(query, row);
                found.extend_from_slice(row);
            },
        );
    }

    /// [`fill`](Self::fill) where the order of queries matters: each thread takes blocks of queries, and makes those of a block in the
    /// order that `order` returns, if it does. The rows are the same. `search` appends a query's results to a vector; another vector, and
    /// what `begin` returns, are kept from one query of a block to the next.
    pub(crate) fn fill_in_order<Q: Sync, M>(
        &mut self,
        queries: &[Q],
        block: usize,
        order: impl Fn(&[Q]) -> Option<Vec<u32>> + Sync,
        begin: impl Fn() -> M + Sync,
        search: impl Fn(&mut M, &Q, &mut Vec<T>, &mut Vec<T>) + Sync,
    ) {
        self.fill_blocks(queries, block, |part, queries, lengths| {
            let (order, mut memory) = (order(queries), begin());
            part.begins.clear();
            let Some(order) = order else {
                for (query, length) in queries.iter().zip(lengths) {
                    let first = part.items.len();
                    search(&mut memory, query, &mut part.row, &mut part.items);
                    *length = part.items.len() - first;
                }
                return;
            };
            part.begins.resize(queries.len(), 0);
            for (at, &number) in order.iter().enumerate() {
                if let Some(&later) = order.get(at + AHEAD) {
                    prefetch(queries, later as usize);
                }
                let (number, first) = (number as usize, part.items.len());
                search(&mut memory, &queries[number], &mut part.row, &mut part.items);
                (part.begins[number], lengths[number]) = (first, part.items.len() - first);
            }
        });
    }

    /// Runs the queries in blocks; `make` writes their rows to a part, and the length of each row.
    fn fill_blocks<Q: Sync>(&mut self, queries: &[Q], block: usize, make: impl Fn(&mut RowsPart<T>, &[Q], &mut [usize]) + Sync) {
        scope!("pivotgrid::queries");
        let mut clock = Clock::start();
        let blocks = queries.len().div_ceil(block);
        if self.parts.len() < blocks {
            let part = || RowsPart { items: Vec::new(), begins: Vec::new(), row: Vec::new() };
            self.parts.resize_with(blocks, part);
        }
        self.offsets.clear();
        self.offsets.resize(queries.len() + 1, 0);
        let parts = &mut self.parts[..blocks];
        let work = parts.par_iter_mut().zip(queries.par_chunks(block)).zip(self.offsets[1..].par_chunks_mut(block));
        work.for_each(|((part, queries), lengths)| {
            part.items.clear();
            make(part, queries, lengths);
        });
        let mut end = 0;
        for offset in &mut self.offsets {
            end += *offset;
            *offset = end;
        }
        match parts.iter().find_map(|part| part.items.first()) {
            // Whatever it is, it is overwritten.
            Some(&filler) => self.items.resize(end, filler),
            None => self.items.clear(),
        }
        gather(parts, &self.offsets, block, &mut self.items);
        self.time = clock.lap();
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Copies the rows of parts behind one another, each part being a block of queries. The offsets begin with those of the first part.
fn gather<T: Copy + Send + Sync>(parts: &[RowsPart<T>], offsets: &[usize], block: usize, mut items: &mut [T]) {
    if items.len() <= COPIED || parts.len() == 1 {
        for (part, first) in parts.iter().zip((0..).step_by(block)) {
            let (copied, rest) = items.split_at_mut(part.items.len());
            part.copy(&offsets[first..], copied);
            items = rest;
        }
        return;
    }
    let middle = parts.len() / 2;
    let (left, right) = parts.split_at(middle);
    let (left_items, right_items) = items.split_at_mut(left.iter().map(|part| part.items.len()).sum());
    rayon::join(|| gather(left, offsets, block, left_items), || gather(right, &offsets[middle * block..], block, right_items));
}

impl<T: Copy> RowsPart<T> {
    /// Copies its rows in the order of the queries. The offsets begin with its first.
    fn copy(&self, offsets: &[usize], items: &mut [T]) {
        if self.begins.is_empty() {
            items.copy_from_slice(&self.items);
            return;
        }
        for (number, (&begin, ends)) in self.begins.iter().zip(offsets.windows(2)).enumerate() {
            if let Some(&later) = self.begins.get(number + COPIED_AHEAD) {
                prefetch(&self.items, later);
            }
            let row = &self.items[begin..begin + (ends[1] - ends[0])];
            items[ends[0] - offsets[0]..ends[1] - offsets[0]].copy_from_slice(row);
        }
    }
}

/// Sorts the rows between the offsets; `items` begins with the first of them.
fn sort<T: Ord + Send>(items: &mut [T], offsets: &[usize]) {
    let rows = offsets.len().saturating_sub(1);
    if rows <= BLOCK {
        for ends in offsets.windows(2) {
            items[ends[0] - offsets[0]..ends[1] - offsets[0]].sort_unstable();
        }
        return;
    }
    let middle = rows / 2;
    let (left, right) = items.split_at_mut(offsets[middle] - offsets[0]);
    rayon::join(|| sort(left, &offsets[..=middle]), || sort(right, &offsets[middle..]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_keeps_the_rows() {
        let queries: Vec<u32> = (0..1000).collect();
        let mut rows = Rows::new();
        assert_eq!(rows.bytes(), 0);
        let fill = |rows: &mut Rows<u32>| {
            rows.fill(&queries, |&query, row| {
                row.clear();
                row.extend(0..query % 5);
            });
            rows.iter().map(<[u32]>::to_vec).collect::<Vec<_>>()
        };
        let expected = fill(&mut rows);
        let held = rows.bytes();
        rows.shrink_to_fit();
        assert!(rows.iter().eq(expected.iter()) && rows.bytes() < held);
        assert_eq!(rows.bytes(), 2000 * size_of::<u32>() + 1001 * size_of::<usize>());
        assert_eq!(fill(&mut rows), expected);
    }
}
