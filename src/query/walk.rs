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
use super::lane::{Cells, Lane};
use super::lanes::{bits, meets, steps};
use super::{Hit, Region, Scene};
use crate::grid::{Coords, Shape, Window, chunk_key, key_parts};
use crate::lockfree::{Chunk, Row};
use crate::{Aabb, Scalar};

/// Entries of a row that are tested before the next look at the limit.
const PIECE: usize = 16;

/// The most cells of a chunk along x, and along the other axes.
const ROW: usize = 16;
const COLUMN: usize = 8;

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

impl<S: Scalar, const D: usize, B, F: FnMut(Hit<S>) -> ControlFlow<B, S>> Walk<'_, S, D, F> {
    fn level(&mut self, level: usize, region: &Region) -> ControlFlow<B> {
        let time = self.meeting(region, region.low, region.high);
        if time.is_empty() {
            return ControlFlow::Continue(());
        }
        if region.is_saturated::<D>() {
            return self.existing(level, region, |_| true);
        }
        let start = Aabb { min: self.cast.axes.map(|along| along.low), max: self.cast.axes.map(|along| along.high) };
        let window = Window::new(&self.scene.grid.levels[level], self.scene.grid.spans[level], &start);
        let mut lanes = [0, 1, 2].map(|axis| Lane::new(self.cast, region, &window, axis, time.from));
        lanes.sort_by(|one, other| other.rate().total_cmp(&one.rate()));
        self.slabs(level, region, time, &lanes)
    }

    /// Walks slab by slab along the first lane.
    fn slabs(&mut self, level: usize, region: &Region, time: Time<S>, lanes: &[Lane<S>; 3]) -> ControlFlow<B> {
        let [along, across @ ..] = lanes;
        // In a slab, the numbers of the chunks that are met at the same time. Both ends only ever move on.
        let mut met = [0..0, 0..0];
        let mut ends = across.each_ref().map(|lane| (lane.far(0), lane.near(0)));
        // When it has passed more chunks than there are, those that there are are gone through instead.
        let most = 2 * self.scene.grid.chunks.len() + 16;
        let mut passed = 0;
        for slab in 0..along.count {
            let time = Time { from: time.from, to: self.earlier(time.to) }.and(along.meeting(slab));
            if time.from > self.limit {
                break;
            }
            for ((met, lane), (first_left, next_met)) in met.iter_mut().zip(across).zip(&mut ends) {
                while met.start < lane.count && *first_left < time.from && passed <= most {
                    met.start += 1;
                    *first_left = lane.far(met.start);
                    passed += 1;
                }
                if met.end < met.start {
                    met.end = met.start;
                    *next_met = lane.near(met.end);
                }
                while met.end < lane.count && !(*next_met > time.to) && passed <= most {
                    met.end += 1;
                    *next_met = lane.near(met.end);
                    passed += 1;
                }
            }
            passed += 1 + met[0].len().saturating_mul(met[1].len());
            if passed > most {
                return self.existing(level, region, |coords| along.number(coords[along.axis]) >= slab);
            }
            for second in met[0].clone() {
                let time = if met[0].len() > 1 { time.and(across[0].meeting(second)) } else { time };
                for third in met[1].clone() {
                    let time = Time { from: time.from, to: self.earlier(time.to) };
                    let time = if met[1].len() > 1 { time.and(across[1].meeting(third)) } else { time };
                    if !time.is_empty() {
                        let mut coords = [0; 3];
                        for (lane, number) in lanes.iter().zip([slab, second, third]) {
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

    /// Goes through the existing chunks of a level.
    fn existing(&mut self, level: usize, region: &Region, is_wanted: impl Fn(Coords) -> bool) -> ControlFlow<B> {
        for &id in &self.scene.grid.chunks {
            let chunk = self.scene.grid.pool.chunk(id);
            let (its_level, coords) = key_parts(chunk.key());
            if its_level == level && is_wanted(coords) {
                let time = self.meeting(region, coords, coords);
                if !time.is_empty() {
                    self.chunk(region, coords, chunk, time)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// When the objects of a box of chunks are met.
    fn meeting(&self, region: &Region, low: Coords, high: Coords) -> Time<S> {
        let all = Time { from: self.cast.min_t, to: self.limit };
        let interval = |axis| self.cast.interval(axis, region.around_chunks::<S, D>(axis, low[axis], high[axis]));
        (0..D).fold(all, |time, axis| time.and(interval(axis)))
    }

    fn chunk(&mut self, region: &Region, coords: Coords, chunk: Chunk<'_>, time: Time<S>) -> ControlFlow<B> {
        let occupied = chunk.rows();
        if occupied == 0 {
            return ControlFlow::Continue(());
        }
        let (base, is_saturated) = (Shape::<D>::base_of(coords), region.is_saturated::<D>());
        let x = Cells::<S, ROW>::new(self.cast, region, 0, base[0], is_saturated);
        let y = Cells::<S, COLUMN>::new(self.cast, region, 1, base[1], is_saturated);
        let z = Cells::<S, COLUMN>::new(self.cast, region, 2, base[2], is_saturated);
        for y_cell in in_order(Shape::<D>::EDGE[1], self.heading(1)) {
            let time = time.and(y.meeting(y_cell));
            for z_cell in in_order(Shape::<D>::EDGE[2], self.heading(2)) {
                let row = Shape::<D>::row(y_cell, z_cell);
                let time = Time { from: time.from, to: self.earlier(time.to) }.and(z.meeting(z_cell));
                if occupied >> row & 1 != 0 && !time.is_empty() {
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
                let stop = row.end(end - 1);
                end -= 1;
                while end > start && stop - row.begin(end) < PIECE {
                    end -= 1;
                }
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
    fn earlier(&self, time: S) -> S {
        if time < self.limit { time } else { self.limit }
    }

    #[inline(always)]
    fn heading(&self, axis: usize) -> Heading {
        if axis < D { self.cast.axes[axis].heading } else { Heading::Still }
    }
}

/// The numbers from 0 to `count`, backwards for what moves down.
#[inline(always)]
fn in_order(count: i32, heading: Heading) -> impl Iterator<Item = i32> {
    let backwards = heading == Heading::Down;
    (0..count).map(move |number| if backwards { count - 1 - number } else { number })
}
