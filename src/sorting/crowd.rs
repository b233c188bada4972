//! Buckets that are too large for one worker, such as those of an object that meets thousands.

use super::{Divisible, share_out};
use crate::lockfree::shared;
use crate::lockfree::sync::Ordering;
use crate::pairs::code::Code;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// A bucket beyond this is sorted by all workers.
pub(super) const CROWDED: usize = 64 * 1024;
/// The most pieces.
const PIECES: usize = 256;
/// Codes that are sampled for each border between pieces.
const SAMPLES: usize = 8;
/// Codes that a worker takes at a time.
const PART: usize = 16 * 1024;

/// The memory for sorting them.
#[derive(Clone, Debug)]
pub(super) struct Crowd<C> {
    /// The codes of a crowded bucket.
    from: Vec<C>,
    /// The sorted codes of all crowded buckets of this sort.
    sorted: Vec<C>,
    /// Those buckets in ascending order, and where their codes end.
    buckets: Vec<(usize, usize)>,
    borders: Vec<C>,
    /// By part, then by piece: how many codes; later, the place of the next one.
    places: Vec<usize>,
    lens: Vec<usize>,
}

impl<C> Default for Crowd<C> {
    fn default() -> Self {
        Crowd {
            from: Vec::new(),
            sorted: Vec::new(),
            buckets: Vec::new(),
            borders: Vec::new(),
            places: Vec::new(),
            lens: Vec::new(),
        }
    }
}

impl<C: Code> Crowd<C> {
    /// Forgets the buckets of the last sort.
    pub(super) fn clear(&mut self) {
        self.buckets.clear();
    }

    /// The sorted codes of a crowded bucket.
    pub(super) fn sorted(&self, bucket: usize) -> &[C] {
        let Ok(place) = self.buckets.binary_search_by_key(&bucket, |&(bucket, _)| bucket) else { return &[] };
        let begin = if place == 0 { 0 } else { self.buckets[place - 1].1 };
        &self.sorted[begin..self.buckets[place].1]
    }

    /// Sorts the `len` codes of a bucket, which lie in several pieces. Buckets come in ascending order.
    pub(super) fn sort<'c>(&mut self, bucket: usize, pieces: impl Iterator<Item = &'c [C]>, len: usize, team: Team)
    where
        C: 'c,
    {
        self.from.clear();
        memory::reserve_with_slack(&mut self.from, len);
        pieces.for_each(|piece| self.from.extend_from_slice(piece));
        let begin = self.buckets.last().map_or(0, |&(_, end)| end);
        let end = begin + len;
        memory::reserve_with_slack(&mut self.sorted, end);
        self.sorted.resize(end.max(self.sorted.len()), C::zeroed());
        let (mut from, mut sorted) = (std::mem::take(&mut self.from), std::mem::take(&mut self.sorted));
        self.sort_into(&mut from, &mut sorted[begin..end], team);
        (self.from, self.sorted) = (from, sorted);
        memory::push(&mut self.buckets, (bucket, end));
    }

    /// Sorts the codes into `to`. Borders from a sample cut them into pieces of similar size.
    fn sort_into(&mut self, from: &mut [C], to: &mut [C], team: Team) {
        let parts = from.len().div_ceil(PART);
        self.borders.clear();
        memory::reserve(&mut self.borders, PIECES * SAMPLES);
        self.borders.extend(from.iter().step_by(from.len().div_ceil(PIECES * SAMPLES).max(1)).copied());
        self.borders.sort_unstable();
        let borders = self.borders.len() / SAMPLES;
        (0..borders).for_each(|border| self.borders[border] = self.borders[border * SAMPLES]);
        self.borders.truncate(borders);
        let (borders, pieces) = (&self.borders, borders + 1);
        let piece = |code: C| borders.partition_point(|border| *border <= code);

        self.places.clear();
        memory::reserve(&mut self.places, parts * pieces);
        self.places.resize(parts * pieces, 0);
        let work = Parts { codes: from, places: &mut self.places, pieces };
        share_out(work, team, &|part| part.codes.iter().for_each(|&code| part.places[piece(code)] += 1));
        turn_counts_into_places(&mut self.places, &mut self.lens, pieces);
        let words = size_of::<C>() / size_of::<u32>();
        let shared = shared(bytemuck::cast_slice_mut::<C, u32>(to));
        share_out(Parts { codes: from, places: &mut self.places, pieces }, team, &|part| {
            for code in &*part.codes {
                let place = &mut part.places[piece(*code)];
                let slots = &shared[words * *place..][..words];
                for (slot, word) in slots.iter().zip(bytemuck::cast_slice(std::slice::from_ref(code))) {
                    // Relaxed: every place is written once, and read after the join.
                    slot.store(*word, Ordering::Relaxed);
                }
                *place += 1;
            }
        });
        share_out(Pieces { lens: &self.lens, codes: to }, team, &|Pieces { lens, codes }| codes[..lens[0]].sort_unstable());
    }

    pub(super) fn bytes(&self) -> usize {
        (self.from.capacity() + self.sorted.capacity() + self.borders.capacity()) * size_of::<C>()
            + self.buckets.capacity() * size_of::<(usize, usize)>()
            + (self.places.capacity() + self.lens.capacity()) * size_of::<usize>()
    }
}

/// From counts by part and piece to places: piece after piece, and within a piece part after part.
fn turn_counts_into_places(places: &mut [usize], lens: &mut Vec<usize>, pieces: usize) {
    lens.clear();
    memory::reserve(lens, pieces);
    let mut next = 0;
    for piece in 0..pieces {
        let first = next;
        for place in places.iter_mut().skip(piece).step_by(pieces) {
            next += std::mem::replace(place, next);
        }
        lens.push(next - first);
    }
}

/// Codes, and the places of each part.
struct Parts<'a, C> {
    codes: &'a mut [C],
    places: &'a mut [usize],
    pieces: usize,
}

impl<C: Send> Divisible for Parts<'_, C> {
    fn pieces(&self) -> usize {
        self.places.len() / self.pieces
    }

    fn divide(self, parts: usize) -> (Self, Self) {
        let (codes, other_codes) = self.codes.split_at_mut((parts * PART).min(self.codes.len()));
        let (places, other_places) = self.places.split_at_mut(parts * self.pieces);
        (Parts { codes, places, pieces: self.pieces }, Parts { codes: other_codes, places: other_places, pieces: self.pieces })
    }
}

struct Pieces<'a, C> {
    lens: &'a [usize],
    codes: &'a mut [C],
}

impl<C: Send> Divisible for Pieces<'_, C> {
    fn pieces(&self) -> usize {
        self.lens.len()
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let (lens, other_lens) = self.lens.split_at(pieces);
        let (codes, other_codes) = self.codes.split_at_mut(lens.iter().sum());
        (Pieces { lens, codes }, Pieces { lens: other_lens, codes: other_codes })
    }
}
