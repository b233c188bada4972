//! The rows of a search, contiguous and in the order of the particles, with the requested values beside them.

use super::sort::sort_row;
use super::store::Found;
use crate::Scalar;
use crate::periodic::{Frame, Lattice, relative};
use crate::runtime::memory::{Budget, replace_if_short};
use crate::runtime::prefetch::prefetch;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};

/// Neighbors that make a piece of work.
const PIECE: usize = 1 << 14;

/// Rows are prefetched this many ahead of the current one: a line of indices at a time, and at most [`MOST_FETCHED`] indices of each.
/// Behind these the processor predicts the accesses by itself.
const AHEAD: usize = 16;
const LINE: usize = 16;
const MOST_FETCHED: usize = 4 * LINE;

/// The arrays that are requested beside the indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    pub(super) shifts: bool,
    pub(super) distances: bool,
    pub(super) vectors: bool,
}

/// The data that rows are made of.
#[derive(Debug)]
pub(super) struct Rows<'a, const D: usize, C> {
    pub(super) frame: Frame<'a, D>,
    /// The lattice, if space repeats itself.
    pub(super) lattice: Option<&'a Lattice<D>>,
    /// The places of particles, as the user has them.
    pub(super) centers: C,
    /// Whether rows that are found in pieces must be sorted.
    pub(super) sorted: bool,
    /// Whether each neighbor has to be checked, or those of ghosts only, which one of the two particles finds.
    pub(super) choosy: bool,
    pub(super) extras: Extras,
}

/// Arrays of a search. All of them are longer than needed; those that were not requested are empty.
#[derive(Debug)]
pub(super) struct Output<S, const D: usize> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    /// In a lattice, shifts between the places of particles in the domain: `D` for each neighbor, as below.
    relative: Vec<i8>,
    shifts: Vec<i32>,
    distances: Vec<S>,
    vectors: Vec<S>,
    rows: usize,
    extras: Extras,
}

impl<S: Scalar, const D: usize> Output<S, D> {
    pub(super) fn new() -> Self {
        let (offsets, indices, relative, shifts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (distances, vectors, extras) = (Vec::new(), Vec::new(), Extras::default());
        Output { offsets, indices, relative, shifts, distances, vectors, rows: 0, extras }
    }

    /// Forgets the rows, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows = 0;
    }

    /// Puts all rows into one array. Returns how many neighbors there are.
    pub(super) fn fill<C: Fn(usize) -> [S; D] + Sync>(
        &mut self,
        found: Found<'_>,
        rows: &Rows<'_, D, C>,
        team: Team,
        budget: &Budget,
    ) -> usize {
        self.rows = 0;
        let (count, extras) = (rows.frame.particles, rows.extras);
        replace_if_short(&mut self.offsets, count + 1, budget);
        let (mut total, mut ghosts) = (0, rows.frame.ghosts.iter().enumerate().peekable());
        for (row, offset) in self.offsets[..count].iter_mut().enumerate() {
            *offset = total;
            total += found.row_len(row);
            while let Some((ghost, _)) = ghosts.next_if(|(_, ghost)| ghost.owner as usize == row) {
                total += found.row_len(count + ghost);
            }
        }
        self.offsets[count] = total;
        let wanted = |wanted: bool, per_neighbor: usize| if wanted { total * per_neighbor } else { 0 };
        let [relative, shifts] = [rows.lattice.is_some(), rows.lattice.is_some() && extras.shifts].map(|is| wanted(is, D));
        let (distances, vectors) = (wanted(extras.distances, 1), wanted(extras.vectors, D));
        replace_if_short(&mut self.indices, total, budget);
        replace_if_short(&mut self.relative, relative, budget);
        replace_if_short(&mut self.shifts, shifts, budget);
        replace_if_short(&mut self.distances, distances, budget);
        replace_if_short(&mut self.vectors, vectors, budget);
        let part = OutputPart {
            offsets: &self.offsets[..=count],
            first: 0,
            indices: &mut self.indices[..total],
            relative: self.relative[..relative].as_chunks_mut().0,
            shifts: self.shifts[..shifts].as_chunks_mut().0,
            distances: &mut self.distances[..distances],
            vectors: self.vectors[..vectors].as_chunks_mut().0,
        };
        share_out(part, team, &|part: OutputPart<'_, S, D>| part.write(found, rows));
        (self.rows, self.extras) = (count, extras);
        total
    }

    pub(super) fn offsets(&self) -> &[usize] {
        if self.rows == 0 { &[0] } else { &self.offsets[..=self.rows] }
    }

    fn total(&self) -> usize {
        self.offsets().last().copied().unwrap_or(0)
    }

    pub(super) fn indices(&self) -> &[u32] {
        &self.indices[..self.total()]
    }

    pub(super) fn relative(&self) -> &[[i8; D]] {
        self.relative.get(..self.total() * D).unwrap_or(&[]).as_chunks().0
    }

    pub(super) fn shifts(&self) -> &[[i32; D]] {
        if self.extras.shifts { self.shifts.get(..self.total() * D).unwrap_or(&[]).as_chunks().0 } else { &[] }
    }

    pub(super) fn distances(&self) -> &[S] {
        if self.extras.distances { &self.distances[..self.total()] } else { &[] }
    }

    pub(super) fn vectors(&self) -> &[[S; D]] {
        if self.extras.vectors { self.vectors[..self.total() * D].as_chunks().0 } else { &[] }
    }

    pub(super) fn bytes(&self) -> usize {
        bytes(&self.offsets)
            + bytes(&self.indices)
            + bytes(&self.relative)
            + bytes(&self.shifts)
            + bytes(&self.distances)
            + bytes(&self.vectors)
    }
}

/// Some rows. Arrays that were not requested are empty.
struct OutputPart<'a, S, const D: usize> {
    /// Where they begin in all arrays, and where the last one ends.
    offsets: &'a [usize],
    /// The first row.
    first: usize,
    indices: &'a mut [u32],
    relative: &'a mut [[i8; D]],
    shifts: &'a mut [[i32; D]],
    distances: &'a mut [S],
    vectors: &'a mut [[S; D]],
}

impl<S: Scalar, const D: usize> Divisible for OutputPart<'_, S, D> {
    fn pieces(&self) -> usize {
        // Rows without neighbors at the end make no piece, and have nothing to write.
        self.indices.len().div_ceil(PIECE).min(self.offsets.len() - 1)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        // A row is never cut, however long it is, but each side gets at least one row.
        let most = self.offsets.len() - 1 - usize::from(pieces < self.pieces());
        let target = self.offsets[0] + pieces * PIECE;
        let row = self.offsets.partition_point(|&offset| offset < target).clamp(1, most);
        let at = self.offsets[row] - self.offsets[0];
        let (indices, other_indices) = split(self.indices, at);
        let (relative, other_relative) = split(self.relative, at);
        let (shifts, other_shifts) = split(self.shifts, at);
        let (distances, other_distances) = split(self.distances, at);
        let (vectors, other_vectors) = split(self.vectors, at);
        let rest = OutputPart {
            offsets: &self.offsets[row..],
            first: self.first + row,
            indices: other_indices,
            relative: other_relative,
            shifts: other_shifts,
            distances: other_distances,
            vectors: other_vectors,
        };
        (OutputPart { offsets: &self.offsets[..=row], first: self.first, indices, relative, shifts, distances, vectors }, rest)
    }
}

/// The two parts of a slice, or two empty ones if it was not requested.
fn split<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    slice.split_at_mut(at.min(slice.len()))
}

impl<S: Scalar, const D: usize> OutputPart<'_, S, D> {
    fn write<C: Fn(usize) -> [S; D] + Sync>(mut self, found: Found<'_>, rows: &Rows<'_, D, C>) {
        let base = self.offsets[0];
        let mut ghost = rows.frame.ghosts.partition_point(|ghost| (ghost.owner as usize) < self.first);
        for (row, ends) in (self.first..).zip(self.offsets.windows(2)) {
            expect_row(found, row + AHEAD);
            let own = ends[0] - base..ends[1] - base;
            if rows.lattice.is_none() {
                self.indices[own.clone()].copy_from_slice(found.row(row));
            } else {
                self.write_images(found, rows, row, own.clone(), &mut ghost);
            }
            if rows.extras.distances || rows.extras.vectors {
                self.measure(rows, row, own);
            }
        }
    }

    /// Writes the row of a particle that may have ghosts, from the given one on.
    fn write_images<C>(
        &mut self,
        found: Found<'_>,
        rows: &Rows<'_, D, C>,
        row: usize,
        own: std::ops::Range<usize>,
        ghost: &mut usize,
    ) {
        let (frame, particles) = (&rows.frame, rows.frame.particles);
        let (indices, shifts) = (&mut self.indices[own.clone()], &mut self.relative[own.clone()]);
        let mut at = 0;
        let mut add = |image: usize, back: [u8; D]| {
            let row = found.row(image);
            // Most particles are far from all borders, so none of their neighbors is a ghost.
            if back == [0; D] && frame.has_no_ghosts(row) {
                indices[at..at + row.len()].copy_from_slice(row);
                shifts[at..at + row.len()].as_flattened_mut().fill(0);
                at += row.len();
                return;
            }
            let own = relative(back, [0; D]);
            let slots = indices[at..].iter_mut().zip(&mut shifts[at..]);
            for (&other, (index, shift)) in row.iter().zip(slots) {
                (*index, *shift) = (other, own);
                if other as usize >= particles {
                    let (owner, other_back) = frame.owner(other as usize);
                    (*index, *shift) = (owner as u32, relative(back, other_back));
                }
            }
            at += row.len();
        };
        add(row, [0; D]);
        while let Some(next) = frame.ghosts.get(*ghost).filter(|next| next.owner as usize == row) {
            add(particles + *ghost, next.back);
            *ghost += 1;
        }
        if rows.sorted {
            sort_row(indices, shifts);
        }
        if rows.extras.shifts {
            for at in own {
                self.shifts[at] = frame.shift(row, self.indices[at] as usize, self.relative[at]);
            }
        }
    }

    fn measure<C: Fn(usize) -> [S; D] + Sync>(&mut self, rows: &Rows<'_, D, C>, row: usize, own: std::ops::Range<usize>) {
        let from = (rows.centers)(row).map(S::to_f64);
        for at in own {
            let other = self.indices[at] as usize;
            let to = (rows.centers)(other).map(S::to_f64);
            let mut vector: [f64; D] = std::array::from_fn(|axis| to[axis] - from[axis]);
            if let Some(lattice) = rows.lattice {
                let by = lattice.translation(rows.frame.shift(row, other, self.relative[at]));
                vector = std::array::from_fn(|axis| vector[axis] + by[axis]);
            }
            if rows.extras.distances {
                self.distances[at] = S::from_f64(vector.iter().map(|x| x * x).sum::<f64>().sqrt());
            }
            if rows.extras.vectors {
                self.vectors[at] = vector.map(S::from_f64);
            }
        }
    }
}

/// Prefetches the memory of a row that will be read soon.
#[inline(always)]
fn expect_row(found: Found<'_>, row: usize) {
    if let Some((block, begin, length)) = found.place(row) {
        for line in (0..MOST_FETCHED.min(length)).step_by(LINE) {
            prefetch(block, begin + line);
        }
    }
}

fn bytes<T>(array: &Vec<T>) -> usize {
    array.capacity() * size_of::<T>()
}
