//! Data ranges: every chunk gets a range of the data table of its own.

use std::sync::Arc;

use super::kit::CELLS;
use super::{fork, model};
use crate::lockfree::sync::AtomicU32;
use crate::lockfree::{Chunk, Cursor};

/// Objects in the cells of three chunks.
const COUNTS: [[u32; CELLS]; 3] = [[1, 2], [0, 3], [2, 0]];

/// Two threads claim chunks and place them, as the offset pass does. The ranges of all cells together are the table, without gap
/// or overlap.
///
/// Catches a range that is too short, and claiming by load and store.
fn no_overlap() {
    let words: Arc<[[AtomicU32; 16 + CELLS]]> = COUNTS.iter().map(|_| std::array::from_fn(|_| AtomicU32::new(0))).collect();
    for (words, counts) in words.iter().zip(COUNTS) {
        for (cell, objects) in counts.into_iter().enumerate() {
            Chunk::new(words).count(cell, objects);
        }
    }
    let shared = words.clone();
    let (work, table) = (Cursor::new(), Cursor::new());
    fork(2, move |_| {
        while let Some(block) = work.claim(1, COUNTS.len()) {
            for words in &shared[block] {
                let chunk = Chunk::new(words);
                chunk.place(table.take(chunk.total() as usize) as u32, CELLS);
            }
        }
    });
    let mut ranges = Vec::new();
    for (words, counts) in words.iter().zip(COUNTS) {
        let chunk = Chunk::new(words);
        for (cell, objects) in counts.into_iter().enumerate() {
            let range = chunk.begin(cell)..chunk.end(cell);
            assert_eq!(range.len(), objects as usize, "placed twice");
            ranges.extend(range);
        }
        assert_eq!(chunk.entries().len(), counts.iter().sum::<u32>() as usize);
    }
    ranges.sort();
    assert!(ranges.iter().copied().eq(0..ranges.len() as u32), "ranges overlap: {ranges:?}");
}
model!(no_overlap, Complete, 235, catches { RangeShort: "ranges overlap", CursorTorn: "placed twice" });
