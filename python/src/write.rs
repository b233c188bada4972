//! Rows of neighbors, written into the arrays of all quantities in one pass, by all threads. Nothing here is of Python.

use std::ops::Range;

use pivotgrid::{Lattice, NeighborRows, PeriodicRows};
use rayon::prelude::*;

use crate::arrays::Number;

/// Neighbors that make a piece of work, for one thread or many: few enough for the cache.
const PIECE: usize = 1 << 15;

/// Rows that a thread counts at a time.
const ROWS: usize = 512;

/// An index in an array: `int32` or `int64`.
pub(crate) trait Index: Copy + Send + Sync {
    fn of(index: u32) -> Self;
}

impl Index for i32 {
    #[inline(always)]
    fn of(index: u32) -> Self {
        index as i32
    }
}

impl Index for i64 {
    #[inline(always)]
    fn of(index: u32) -> Self {
        i64::from(index)
    }
}

/// Rows of neighbors with shifts, which are zeros in a space that does not repeat itself.
pub(crate) trait Rows<const D: usize>: Sync {
    fn offsets(&self) -> &[usize];
    fn indices(&self) -> &[u32];
    fn row(&self, row: usize) -> impl Iterator<Item = (u32, [i32; D])>;
}

impl<S: Number, const D: usize> Rows<D> for NeighborRows<'_, S, D> {
    fn offsets(&self) -> &[usize] {
        NeighborRows::offsets(self)
    }

    fn indices(&self) -> &[u32] {
        NeighborRows::indices(self)
    }

    #[inline(always)]
    fn row(&self, row: usize) -> impl Iterator<Item = (u32, [i32; D])> {
        NeighborRows::row(self, row).iter().map(|&index| (index, [0; D]))
    }
}

impl<S: Number, const D: usize> Rows<D> for PeriodicRows<'_, S, D> {
    fn offsets(&self) -> &[usize] {
        PeriodicRows::offsets(self)
    }

    fn indices(&self) -> &[u32] {
        PeriodicRows::indices(self)
    }

    #[inline(always)]
    fn row(&self, row: usize) -> impl Iterator<Item = (u32, [i32; D])> {
        PeriodicRows::row(self, row).map(|neighbor| (neighbor.index, neighbor.shift))
    }
}

/// The cutoff of each pair of species.
pub(crate) struct Species<'a> {
    /// The species of each particle.
    pub(crate) of: &'a [i32],
    /// The squares of the cutoffs, for each species a row; negative for those that have none.
    pub(crate) squares: Vec<f64>,
    pub(crate) count: usize,
}

impl Species<'_> {
    #[inline(always)]
    fn admit(&self, i: usize, j: usize, square: f64) -> bool {
        square <= self.squares[self.of[i] as usize * self.count + self.of[j] as usize]
    }
}

/// What there is to be made of rows.
pub(crate) struct Request<'a, S, const D: usize> {
    /// A letter for each array.
    pub(crate) quantities: &'a str,
    pub(crate) positions: &'a [[S; D]],
    pub(crate) lattice: Option<Lattice<D>>,
    pub(crate) species: Option<Species<'a>>,
    /// Whether each particle is its own neighbor.
    pub(crate) with_self: bool,
    /// Whether rows are in ascending order.
    pub(crate) sorted: bool,
    /// Whether indices have 64 bits instead of 32.
    pub(crate) wide: bool,
}

impl<S: Number, const D: usize> Request<'_, S, D> {
    pub(crate) fn wants(&self, letter: char) -> bool {
        self.quantities.contains(letter)
    }

    /// The way from one particle to another.
    #[inline(always)]
    fn vector(&self, from: &[f64; D], other: u32, shift: [i32; D]) -> [f64; D] {
        let to = &self.positions[other as usize];
        let mut vector: [f64; D] = std::array::from_fn(|axis| to[axis].into() - from[axis]);
        if shift != [0; D]
            && let Some(lattice) = &self.lattice
        {
            let by = lattice.translation(shift);
            vector = std::array::from_fn(|axis| vector[axis] + by[axis]);
        }
        vector
    }

    fn from(&self, row: usize) -> [f64; D] {
        self.positions[row].map(Into::into)
    }

    /// Where rows begin once those are left out, or put in, that the search did not know of.
    pub(crate) fn offsets(&self, rows: &impl Rows<D>, shared: bool) -> Option<Vec<usize>> {
        if self.species.is_none() && !self.with_self {
            return None;
        }
        let count = |row: usize| {
            let found = match &self.species {
                None => rows.offsets()[row + 1] - rows.offsets()[row],
                Some(species) => {
                    let from = self.from(row);
                    let square = |(other, shift)| square_of(&self.vector(&from, other, shift));
                    rows.row(row).filter(|&(other, shift)| species.admit(row, other as usize, square((other, shift)))).count()
                }
            };
            found + usize::from(self.with_self)
        };
        let mut offsets = vec![0; rows.offsets().len()];
        let counts = &mut offsets[1..];
        match shared {
            true => counts.par_iter_mut().enumerate().with_min_len(ROWS).for_each(|(row, place)| *place = count(row)),
            false => counts.iter_mut().enumerate().for_each(|(row, place)| *place = count(row)),
        }
        let mut total = 0;
        for offset in counts {
            total += *offset;
            *offset = total;
        }
        Some(offsets)
    }
}

fn square_of<const D: usize>(vector: &[f64; D]) -> f64 {
    vector.iter().map(|x| x * x).sum()
}

/// Some rows of all arrays. What is not wanted is empty.
pub(crate) struct Part<'a, I, S, const D: usize> {
    pub(crate) rows: Range<usize>,
    pub(crate) first: &'a mut [I],
    pub(crate) second: &'a mut [I],
    pub(crate) pairs: &'a mut [[I; 2]],
    pub(crate) shifts: &'a mut [[i32; D]],
    pub(crate) distances: &'a mut [S],
    pub(crate) vectors: &'a mut [[S; D]],
}

/// The parts of an array before and after a place; nothing of one that is not wanted.
fn split<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    slice.split_at_mut(at.min(slice.len()))
}

/// Divides work in two until pieces are small; `shared` says whether there is a pool of threads for them.
pub(crate) fn share_out<I: Index, S: Number, const D: usize>(
    part: Part<'_, I, S, D>,
    offsets: &[usize],
    request: &Request<'_, S, D>,
    rows: &impl Rows<D>,
    shared: bool,
) {
    let Range { start, end } = part.rows;
    let (begin, length) = (offsets[start], offsets[end] - offsets[start]);
    if length <= PIECE || end - start < 2 {
        return part.write(offsets, request, rows);
    }
    let middle = offsets[start..=end].partition_point(|&offset| offset < begin + length / 2) + start;
    let middle = middle.clamp(start + 1, end - 1);
    let at = offsets[middle] - begin;
    let (first, other_first) = split(part.first, at);
    let (second, other_second) = split(part.second, at);
    let (pairs, other_pairs) = split(part.pairs, at);
    let (shifts, other_shifts) = split(part.shifts, at);
    let (distances, other_distances) = split(part.distances, at);
    let (vectors, other_vectors) = split(part.vectors, at);
    let left = Part { rows: start..middle, first, second, pairs, shifts, distances, vectors };
    let right = Part {
        rows: middle..end,
        first: other_first,
        second: other_second,
        pairs: other_pairs,
        shifts: other_shifts,
        distances: other_distances,
        vectors: other_vectors,
    };
    let [left, right] = [left, right].map(|part| move || share_out(part, offsets, request, rows, shared));
    if shared {
        rayon::join(left, right);
    } else {
        left();
        right();
    }
}

impl<I: Index, S: Number, const D: usize> Part<'_, I, S, D> {
    fn write(mut self, offsets: &[usize], request: &Request<'_, S, D>, rows: &impl Rows<D>) {
        let is_plain = request.species.is_none() && !request.with_self;
        match (is_plain, request.wants('d'), request.wants('D')) {
            (false, ..) => self.write_chosen(offsets, request, rows),
            (true, false, false) => self.write_all::<false, false>(offsets, request, rows),
            (true, true, false) => self.write_all::<true, false>(offsets, request, rows),
            (true, false, true) => self.write_all::<false, true>(offsets, request, rows),
            (true, true, true) => self.write_all::<true, true>(offsets, request, rows),
        }
    }

    /// Rows as they were found.
    fn write_all<const DISTANCES: bool, const VECTORS: bool>(
        &mut self,
        offsets: &[usize],
        request: &Request<'_, S, D>,
        rows: &impl Rows<D>,
    ) {
        let base = offsets[self.rows.start];
        let found = &rows.indices()[base..offsets[self.rows.end]];
        self.second.iter_mut().zip(found).for_each(|(place, &index)| *place = I::of(index));
        for row in self.rows.clone() {
            let own = offsets[row] - base..offsets[row + 1] - base;
            if !self.first.is_empty() {
                self.first[own.clone()].fill(I::of(row as u32));
            }
            if !self.pairs.is_empty() {
                let places = self.pairs[own.clone()].iter_mut().zip(&found[own.clone()]);
                places.for_each(|(place, &other)| *place = [I::of(row as u32), I::of(other)]);
            }
            if !self.shifts.is_empty() {
                self.shifts[own.clone()].iter_mut().zip(rows.row(row)).for_each(|(place, (_, shift))| *place = shift);
            }
            if !DISTANCES && !VECTORS {
                continue;
            }
            let from = request.from(row);
            for (at, (other, shift)) in own.zip(rows.row(row)) {
                let vector = request.vector(&from, other, shift);
                if DISTANCES {
                    self.distances[at] = S::nearest(square_of(&vector).sqrt());
                }
                if VECTORS {
                    self.vectors[at] = vector.map(S::nearest);
                }
            }
        }
    }

    /// Rows of which some neighbors are left out, or which have their particle.
    fn write_chosen(&mut self, offsets: &[usize], request: &Request<'_, S, D>, rows: &impl Rows<D>) {
        let mut at = 0;
        for row in self.rows.clone() {
            let from = request.from(row);
            let own = (row as u32, [0; D]);
            // Where the particle itself belongs.
            let is_before = |neighbor: &(u32, [i32; D])| request.sorted && *neighbor < own;
            let before = rows.row(row).take_while(is_before);
            let after = rows.row(row).skip_while(is_before);
            for (other, shift) in before.chain(request.with_self.then_some(own)).chain(after) {
                let vector = request.vector(&from, other, shift);
                let square = square_of(&vector);
                let is_self = other as usize == row && shift == [0; D];
                if !is_self && request.species.as_ref().is_some_and(|species| !species.admit(row, other as usize, square)) {
                    continue;
                }
                let (i, j) = (I::of(row as u32), I::of(other));
                put(self.first, at, i);
                put(self.second, at, j);
                put(self.pairs, at, [i, j]);
                put(self.shifts, at, shift);
                put(self.distances, at, S::nearest(square.sqrt()));
                put(self.vectors, at, vector.map(S::nearest));
                at += 1;
            }
        }
        debug_assert_eq!(at, offsets[self.rows.end] - offsets[self.rows.start]);
    }
}

/// Writes into an array that is wanted.
#[inline(always)]
fn put<T>(slice: &mut [T], at: usize, value: T) {
    if let Some(place) = slice.get_mut(at) {
        *place = value;
    }
}
