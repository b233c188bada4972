//! From chunk to chunk along the way of a ray or a moving box.
//!
//! The objects that live in some cells can be met only while the cast is within the box around them ([`Region::around`]), and that
//! span of time is cheap to know. So a level is walked slab by slab, a slab being one layer of chunks across the axis along which
//! the cast passes the most of them; in a slab, those chunks are looked up that are met at the same time; in a chunk, those rows;
//! in a row, those cells. An object lives in one cell, so it is looked at once, however many cells its box covers.
//!
//! Slabs, rows and cells are visited in the order in which they are met, and what can only be met after the limit that the visitor
//! sets is left out: a search for the first hit ends soon after it.

use std::ops::{ControlFlow, Range};

use super::cast::{Cast, Heading, Time};
use super::lanes::{bits, mask, meets, steps};
use super::{Hit, Region, Scene};
use crate::Scalar;
use crate::grid::{Coords, Shape, chunk_key, key_parts};
use crate::lockfree::{Chunk, Row};

/// Entries of a row that are tested before the next look at the limit.
const PIECE: usize = 16;

/// A search under way.
struct Walk<'a, S, const D: usize, F> {
    scene: &'a Scene<'a, S, D>,
    cast: &'a Cast<S, D>,
    /// Nothing later is of interest.
    limit: S,
    visit: F,
}

impl<S: Scalar, const D: usize> Scene<'_, S, D> {
    /// Calls `visit` with every object that is met until the limit, each once. The visitor returns the limit from then on.
    pub(super) fn walk<B>(&self, cast: &Cast<S, D>, visit: impl FnMut(Hit<S>) -> ControlFlow<B, S>) -> ControlFlow<B> {
        let mut walk = Walk { scene: self, cast, limit: cast.max_t, visit };
        walk.entries(self.grid.listed.clone())?;
        self.occupied().try_for_each(|(level, region)| walk.level(level, region))
    }
}

/// The chunks along one axis, numbered in the order in which they are met.
#[derive(Clone, Copy)]
struct Lane {
    axis: usize,
    /// The chunk that is met first, and the direction of the next.
    first: i32,
    step: i32,
    /// How many chunks there are.
    count: i32,
}

impl Lane {
    fn chunk(&self, number: i32) -> i32 {
        self.first + self.step * number
    }
}

impl<S: Scalar, const D: usize, B, F: FnMut(Hit<S>) -> ControlFlow<B, S>> Walk<'_, S, D, F> {
    fn level(&mut self, level: usize, region: &Region) -> ControlFlow<B> {
        let mut time = Time { from: S::ZERO, to: self.limit };
        for axis in 0..D {
            time = time.and(self.cast.interval(axis, region.around_chunks::<S, D>(axis, region.low[axis], region.high[axis])));
        }
        if time.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut lanes = [0, 1, 2].map(|axis| self.lane(region, axis, time));
        lanes.sort_unstable_by_key(|lane| -lane.count);
        let [slabs, ref across @ ..] = lanes;
        // If it passes more chunks than there are, those that there are are gone through instead.
        let most = 2 * self.scene.grid.chunks.len();
        if slabs.count as usize > most {
            return self.rest(level, region, &slabs, 0);
        }

        // In a slab, the numbers of the chunks that are met at the same time. Both ends only ever move on.
        let mut met = [0..0, 0..0];
        let mut looked_up = 0;
        for slab in 0..slabs.count {
            let time = Time { to: self.limit, ..time }.and(self.meeting(region, &slabs, slab));
            if time.from > self.limit {
                break;
            }
            for (met, lane) in met.iter_mut().zip(across) {
                while met.start < lane.count && self.meeting(region, lane, met.start).1 < time.from {
                    met.start += 1;
                }
                met.end = met.end.max(met.start);
                while met.end < lane.count && !(self.meeting(region, lane, met.end).0 > time.to) {
                    met.end += 1;
                }
            }
            looked_up += met[0].len().saturating_mul(met[1].len());
            if looked_up > most {
                return self.rest(level, region, &slabs, slab);
            }
            for second in met[0].clone() {
                let time = time.and(self.meeting(region, &across[0], second));
                for third in met[1].clone() {
                    let time = Time { to: if time.to < self.limit { time.to } else { self.limit }, ..time };
                    let time = time.and(self.meeting(region, &across[1], third));
                    if !time.is_empty() {
                        let mut coords = [0; 3];
                        for (lane, number) in [(&slabs, slab), (&across[0], second), (&across[1], third)] {
                            coords[lane.axis] = lane.chunk(number);
                        }
                        let grid = self.scene.grid;
                        if let Some((_, chunk)) = grid.directory.find(&grid.pool, &chunk_key(level, coords)) {
                            self.chunk(region, coords, chunk, time)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The chunks of an axis that are met within the time.
    fn lane(&self, region: &Region, axis: usize, time: Time<S>) -> Lane {
        let (low, high) = (region.low[axis], region.high[axis]);
        let backwards = axis < D && self.cast.axes[axis].heading == Heading::Down;
        let whole =
            Lane { axis, first: if backwards { high } else { low }, step: if backwards { -1 } else { 1 }, count: high - low + 1 };
        if axis >= D || self.cast.axes[axis].heading == Heading::Still {
            return self.still_lane(region, whole);
        }
        let first = partition_point(0..whole.count, |number| self.meeting(region, &whole, number).1 < time.from);
        let end = partition_point(first..whole.count, |number| !(self.meeting(region, &whole, number).0 > time.to));
        Lane { first: whole.chunk(first), count: end - first, ..whole }
    }

    /// The chunks of an axis along which nothing moves.
    fn still_lane(&self, region: &Region, whole: Lane) -> Lane {
        if whole.axis >= D {
            return whole;
        }
        let along = &self.cast.axes[whole.axis];
        let around = |number: i32| region.around_chunks::<S, D>(whole.axis, whole.chunk(number), whole.chunk(number));
        let first = partition_point(0..whole.count, |number| around(number).1 < along.low);
        let end = partition_point(first..whole.count, |number| around(number).0 <= along.high);
        Lane { first: whole.chunk(first), count: end - first, ..whole }
    }

    /// When the objects of a chunk are met, as far as one axis tells.
    #[inline(always)]
    fn meeting(&self, region: &Region, lane: &Lane, number: i32) -> (S, S) {
        if lane.axis >= D {
            return (S::NEG_INFINITY, S::INFINITY);
        }
        let chunk = lane.chunk(number);
        self.cast.interval(lane.axis, region.around_chunks::<S, D>(lane.axis, chunk, chunk))
    }

    /// All existing chunks of the level from a slab on.
    fn rest(&mut self, level: usize, region: &Region, slabs: &Lane, slab: i32) -> ControlFlow<B> {
        for &id in &self.scene.grid.chunks {
            let chunk = self.scene.grid.pool.chunk(id);
            let (its_level, coords) = key_parts(chunk.key());
            if its_level == level && (coords[slabs.axis] - slabs.first) * slabs.step >= slab {
                let mut time = Time { from: S::ZERO, to: self.limit };
                for axis in 0..D {
                    time = time.and(self.cast.interval(axis, region.around_chunks::<S, D>(axis, coords[axis], coords[axis])));
                }
                if !time.is_empty() {
                    self.chunk(region, coords, chunk, time)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn chunk(&mut self, region: &Region, coords: Coords, chunk: Chunk<'_>, time: Time<S>) -> ControlFlow<B> {
        let occupied = chunk.rows();
        if occupied == 0 {
            return ControlFlow::Continue(());
        }
        let base = Shape::<D>::base_of(coords);
        let x = Cells::<S, ROW>::new(self.cast, region, 0, base[0]);
        let y = Cells::<S, COLUMN>::new(self.cast, region, 1, base[1]);
        let z = Cells::<S, COLUMN>::new(self.cast, region, 2, base[2]);
        for y_cell in in_order(Shape::<D>::EDGE[1], self.heading(1)) {
            let time = time.and(y.meeting(y_cell));
            for z_cell in in_order(Shape::<D>::EDGE[2], self.heading(2)) {
                let row = Shape::<D>::row(y_cell, z_cell);
                if occupied >> row & 1 == 0 {
                    continue;
                }
                let time = Time { to: if time.to < self.limit { time.to } else { self.limit }, ..time };
                let time = time.and(z.meeting(z_cell));
                if !time.is_empty() {
                    self.row(&x, x.met(time), chunk.row(row))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Some cells of a row, in pieces, those that are met first first.
    #[inline]
    fn row(&mut self, x: &Cells<S, ROW>, cells: Range<usize>, row: Row<'_>) -> ControlFlow<B> {
        let Range { mut start, mut end } = cells;
        if self.heading(0) == Heading::Down {
            while start < end && !(x.near[end - 1] > self.limit) {
                let (last, stop) = (end, row.end(end - 1));
                end -= 1;
                while end > start && stop - row.begin(end) < PIECE {
                    end -= 1;
                }
                debug_assert!(end < last);
                self.entries(row.begin(end)..stop)?;
            }
        } else {
            while start < end && !(x.near[start] > self.limit) {
                let begin = row.begin(start);
                start += 1;
                while start < end && row.end(start - 1) - begin < PIECE {
                    start += 1;
                }
                self.entries(begin..row.end(start - 1))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn entries(&mut self, run: Range<usize>) -> ControlFlow<B> {
        let columns = &self.scene.columns;
        for (at, inside) in steps(run) {
            let (times, met) = meets(columns, self.cast, self.limit, at);
            for lane in bits(met & inside) {
                // The limit may have come down since the lanes were computed.
                if times[lane] <= self.limit {
                    self.limit = (self.visit)(Hit { index: columns.id(at + lane), t: times[lane] })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn heading(&self, axis: usize) -> Heading {
        if axis < D { self.cast.axes[axis].heading } else { Heading::Still }
    }
}

/// The longest edges of a chunk, in cells.
const ROW: usize = 16;
const COLUMN: usize = 8;

/// When the objects in the cells of a chunk are met, as far as one axis tells.
struct Cells<S, const N: usize> {
    near: [S; N],
    far: [S; N],
}

impl<S: Scalar, const N: usize> Cells<S, N> {
    #[inline]
    fn new<const D: usize>(cast: &Cast<S, D>, region: &Region, axis: usize, base: i32) -> Self {
        let mut cells = Cells { near: [S::NEG_INFINITY; N], far: [S::INFINITY; N] };
        if axis < D {
            for cell in 0..N.min(Shape::<D>::EDGE[axis] as usize) {
                let place = base + cell as i32;
                (cells.near[cell], cells.far[cell]) = cast.interval(axis, region.around(axis, place, place));
            }
        }
        cells
    }

    #[inline(always)]
    fn meeting(&self, cell: i32) -> (S, S) {
        (self.near[cell as usize % N], self.far[cell as usize % N])
    }

    /// The cells that are met within the time; they are neighbours.
    #[inline(always)]
    fn met(&self, time: Time<S>) -> Range<usize> {
        let met = mask::<N>(std::array::from_fn(|cell| !(self.near[cell] > time.to) & !(self.far[cell] < time.from)));
        if met == 0 { 0..0 } else { met.trailing_zeros() as usize..(u32::BITS - met.leading_zeros()) as usize }
    }
}

/// The numbers from 0 to `count`, backwards for what moves down.
#[inline(always)]
fn in_order(count: i32, heading: Heading) -> impl Iterator<Item = i32> {
    let backwards = heading == Heading::Down;
    (0..count).map(move |number| if backwards { count - 1 - number } else { number })
}

/// The first number of which the predicate is not true, if it is true of all before it and of none behind.
fn partition_point(numbers: Range<i32>, is_before: impl Fn(i32) -> bool) -> i32 {
    let Range { mut start, mut end } = numbers;
    while start < end {
        let middle = start + (end - start) / 2;
        if is_before(middle) { start = middle + 1 } else { end = middle }
    }
    start
}
