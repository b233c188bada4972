//! The answers to many questions, in compressed rows.

use rayon::prelude::*;

/// A row of answers for each of many questions, in the order of the questions. Keep it: its memory is reused.
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
    parts: Vec<Part<T>>,
}

/// Where the rows of some consecutive questions are collected.
#[derive(Clone, Debug, Default)]
struct Part<T> {
    items: Vec<T>,
    row: Vec<T>,
}

/// Questions that a thread answers at a time.
const BLOCK: usize = 256;

/// Items that a thread copies at a time.
const COPIED: usize = 1 << 14;

impl<T> Rows<T> {
    /// No rows. Allocates nothing.
    pub const fn new() -> Self {
        Rows { offsets: Vec::new(), items: Vec::new(), parts: Vec::new() }
    }

    /// How many rows there are: as many as there were questions.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The answers to a question.
    ///
    /// # Panics
    ///
    /// If there were not so many questions.
    pub fn row(&self, index: usize) -> &[T] {
        &self.items[self.offsets[index]..self.offsets[index + 1]]
    }

    /// The answers to each of the questions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        self.offsets.windows(2).map(|ends| &self.items[ends[0]..ends[1]])
    }

    /// The answers to all questions, row after row.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Where the rows begin, and where the last one ends: one more than there are rows. Empty if nothing was asked yet.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
}

impl<T: Copy + Default + Ord + Send + Sync> Rows<T> {
    /// Puts each row into ascending order. Rows without an order of their own are then the same whatever the order in which the
    /// step stored the objects.
    pub fn sort(&mut self) {
        sort(&mut self.items, &self.offsets);
    }

    /// Answers the questions on the threads of the current rayon pool; `answer` leaves a question's answers in a vector.
    pub(crate) fn fill<Q: Sync>(&mut self, questions: &[Q], answer: impl Fn(&Q, &mut Vec<T>) + Sync) {
        let blocks = questions.len().div_ceil(BLOCK);
        if self.parts.len() < blocks {
            self.parts.resize_with(blocks, Part::default);
        }
        self.offsets.clear();
        self.offsets.resize(questions.len() + 1, 0);
        let parts = &mut self.parts[..blocks];
        let work = parts.par_iter_mut().zip(questions.par_chunks(BLOCK)).zip(self.offsets[1..].par_chunks_mut(BLOCK));
        work.for_each(|((part, questions), lengths)| {
            part.items.clear();
            for (question, length) in questions.iter().zip(lengths) {
                answer(question, &mut part.row);
                *length = part.row.len();
                part.items.extend_from_slice(&part.row);
            }
        });
        let mut end = 0;
        for offset in &mut self.offsets {
            end += *offset;
            *offset = end;
        }
        self.items.resize(end, T::default());
        gather(parts, &mut self.items);
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Copies the parts behind one another.
fn gather<T: Copy + Send + Sync>(parts: &[Part<T>], mut items: &mut [T]) {
    if items.len() <= COPIED || parts.len() == 1 {
        for part in parts {
            let (copied, rest) = items.split_at_mut(part.items.len());
            copied.copy_from_slice(&part.items);
            items = rest;
        }
        return;
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    let (left_items, right_items) = items.split_at_mut(left.iter().map(|part| part.items.len()).sum());
    rayon::join(|| gather(left, left_items), || gather(right, right_items));
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
