//! Lists that kernels append to: whole vectors are stored, and only the selected lanes count.

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

    /// Forgets all words, and writes others.
    #[inline(always)]
    pub(crate) fn rewrite(&mut self) -> ListWriter<'_> {
        ListWriter { words: &mut self.words, len: 0, written: &mut self.len }
    }

    /// The words from `at` on; those behind the last one are unspecified.
    #[inline(always)]
    pub(crate) fn sixteen<I: Isa>(&self, isa: I, at: usize) -> I::Words {
        isa.words(self.words[at..].first_chunk().expect("lists are padded"))
    }

    #[cfg(test)]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.words[..self.len]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }
}

/// A list while it is written: its length is a register.
#[derive(Debug)]
pub(crate) struct ListWriter<'a> {
    words: &'a mut [u32],
    len: usize,
    written: &'a mut usize,
}

impl ListWriter<'_> {
    /// Appends the lanes of a mask.
    #[inline(always)]
    pub(crate) fn append<I: Isa>(&mut self, isa: I, mask: Mask, words: I::Words) {
        assert!(self.len + WIDTH <= self.words.len());
        // SAFETY: there is room for sixteen words behind the last one.
        self.len += unsafe { isa.append(self.words.as_mut_ptr().add(self.len), mask, words) };
    }

    /// The list is complete.
    #[inline(always)]
    pub(crate) fn finish(self) {
        *self.written = self.len;
    }
}

/// Two lists of the same length, side by side: one length to keep and one check for both.
#[derive(Debug, Default)]
pub(crate) struct TwinList {
    first: Vec<u32>,
    second: Vec<u32>,
    /// Words in each of them. Never greater than their lengths.
    room: usize,
    len: usize,
}

impl TwinList {
    /// Makes room for at least `capacity` words in each.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        for list in [&mut self.first, &mut self.second] {
            grow_exactly(list, capacity + WIDTH, 0, &Budget::unlimited());
        }
        self.room = self.first.len().min(self.second.len());
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Writes words behind those that are there.
    #[inline(always)]
    pub(crate) fn extend(&mut self) -> TwinWriter<'_> {
        TwinWriter { first: &mut self.first, second: &mut self.second, room: self.room, len: self.len, written: &mut self.len }
    }

    /// Rewrites all words, from the front.
    #[inline(always)]
    pub(crate) fn rewrite(&mut self) -> TwinWriter<'_> {
        TwinWriter { len: 0, ..self.extend() }
    }

    /// The words of both from `at` on; those behind the last one are unspecified.
    #[inline(always)]
    pub(crate) fn sixteen<I: Isa>(&self, isa: I, at: usize) -> (I::Words, I::Words) {
        let (first, second) = (self.first[at..].first_chunk(), self.second[at..].first_chunk());
        (isa.words(first.expect("lists are padded")), isa.words(second.expect("lists are padded")))
    }

    #[inline(always)]
    pub(crate) fn slices(&self) -> (&[u32], &[u32]) {
        (&self.first[..self.len], &self.second[..self.len])
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.first.capacity() + self.second.capacity()) * size_of::<u32>()
    }
}

/// Two lists while they are written: their length is a register.
#[derive(Debug)]
pub(crate) struct TwinWriter<'a> {
    first: &'a mut [u32],
    second: &'a mut [u32],
    /// Never greater than their lengths.
    room: usize,
    len: usize,
    written: &'a mut usize,
}

impl TwinWriter<'_> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Appends a word to each, or nothing, without a branch.
    #[inline(always)]
    pub(crate) fn push_if(&mut self, is_wanted: bool, first: u32, second: u32) {
        (self.first[self.len], self.second[self.len]) = (first, second);
        self.len += usize::from(is_wanted);
    }

    /// Appends the lanes of a mask to both.
    #[inline(always)]
    pub(crate) fn append<I: Isa>(&mut self, isa: I, mask: Mask, first: I::Words, second: I::Words) {
        assert!(self.len + WIDTH <= self.room);
        // SAFETY: there is room for sixteen words behind the last one, in both.
        unsafe {
            isa.append(self.first.as_mut_ptr().add(self.len), mask, first);
            self.len += isa.append(self.second.as_mut_ptr().add(self.len), mask, second);
        }
    }

    /// Appends the lanes of a mask to the second, and as many of the lanes, which are all the same, to the first.
    #[inline(always)]
    pub(crate) fn append_same<I: Isa>(&mut self, isa: I, mask: Mask, first: I::Words, second: I::Words) {
        assert!(self.len + WIDTH <= self.room);
        // SAFETY: there is room for sixteen words behind the last one, in both.
        unsafe {
            isa.store(self.first.as_mut_ptr().add(self.len), first);
            self.len += isa.append(self.second.as_mut_ptr().add(self.len), mask, second);
        }
    }

    /// The words of both from `at` on, written or not yet written over.
    #[inline(always)]
    pub(crate) fn sixteen<I: Isa>(&self, isa: I, at: usize) -> (I::Words, I::Words) {
        let (first, second) = (self.first[at..].first_chunk(), self.second[at..].first_chunk());
        (isa.words(first.expect("lists are padded")), isa.words(second.expect("lists are padded")))
    }

    /// The lists are complete.
    #[inline(always)]
    pub(crate) fn finish(self) {
        *self.written = self.len;
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
