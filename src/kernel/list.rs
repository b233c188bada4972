//! Lists that kernels append to: whole vectors are stored, and only the wanted lanes count.

#![allow(unsafe_code)]

use super::isa::{Isa, Mask, WIDTH};
use crate::Pair;
use crate::runtime::memory::{Budget, grow_exactly};

/// Words in memory that is made once and never grows.
#[derive(Debug, Default)]
pub(crate) struct List {
    words: Vec<u32>,
    len: usize,
}

impl List {
    /// Makes room for at least `capacity` words.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        grow_exactly(&mut self.words, capacity + WIDTH, 0, &Budget::unlimited());
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends the lanes of a mask.
    #[inline(always)]
    pub(crate) fn append<I: Isa>(&mut self, isa: I, mask: Mask, words: I::Words) {
        assert!(self.len + WIDTH <= self.words.len());
        // SAFETY: there is room for sixteen words behind the last one.
        unsafe { isa.append(self.words.as_mut_ptr().add(self.len), mask, words) };
        self.len += mask.count_ones() as usize;
    }

    /// Appends as many of the lanes as a mask has: for words that are all the same.
    #[inline(always)]
    pub(crate) fn append_first<I: Isa>(&mut self, isa: I, mask: Mask, words: I::Words) {
        assert!(self.len + WIDTH <= self.words.len());
        // SAFETY: there is room for sixteen words behind the last one.
        unsafe { isa.store(self.words.as_mut_ptr().add(self.len), words) };
        self.len += mask.count_ones() as usize;
    }

    /// The words from `at` on; those behind the last one are unspecified.
    #[inline(always)]
    pub(crate) fn sixteen<I: Isa>(&self, isa: I, at: usize) -> I::Words {
        isa.words(self.words[at..].first_chunk().expect("lists are padded"))
    }

    /// The word at a place below [`len`](Self::len).
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> u32 {
        self.words[at]
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.words[..self.len]
    }

    /// Replaces the list by the lanes of a mask appended to its first `kept` words, sixteen words behind or at `kept`.
    #[inline(always)]
    pub(crate) fn keep<I: Isa>(&mut self, isa: I, kept: usize, mask: Mask, words: I::Words) {
        assert!(kept + WIDTH <= self.words.len());
        // SAFETY: there is room for sixteen words from `kept` on.
        unsafe { isa.append(self.words.as_mut_ptr().add(kept), mask, words) };
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }
}

/// Appends the pairs of the first `count` lanes, the smaller object first. There must be room for sixteen.
#[inline(always)]
pub(crate) fn push_pairs<I: Isa>(isa: I, out: &mut Vec<Pair>, a: I::Words, b: I::Words, count: usize) {
    const { assert!(size_of::<Pair>() == 8 && align_of::<Pair>() == 4) };
    assert!(out.capacity() - out.len() >= WIDTH && count <= WIDTH);
    // SAFETY: there is room for sixteen pairs of two words behind the last one, and `count` of them are written.
    unsafe {
        isa.store_pairs(out.as_mut_ptr().add(out.len()).cast(), a, b);
        out.set_len(out.len() + count);
    }
}
