//! Neighbor rows of particles.

use engine::{NeighborRows, Neighbors, PeriodicNeighbors, PeriodicRows};
use rayon::prelude::*;

use crate::border::{border, border_of};
use crate::broad_phase::with_slice;
use crate::handles::pg_neighbors;
use crate::memory::{In, Out, reserve};
use crate::objects::{Items, Objects, Points, Real, keep_periodic_rejected, keep_rejected, of_type};
use crate::periodic::domain;
use crate::query::padded;
use crate::settings::{Settings, Threads, stats_of};
use crate::status::{Result, ensure, pg_status};
use crate::table::{self, Kind};
use crate::types::{PG_HALF, PG_SORTED, pg_config, pg_objects, pg_rejected, pg_rows, pg_stats};

/// Neighbor lists of any type.
pub(crate) type AnyNeighbors = Box<dyn Find>;

impl Kind for AnyNeighbors {
    const NAME: &'static str = "pg_neighbors";
}

/// What they do, whatever their type.
pub(crate) trait Find: Send + Sync {
    fn touching(&mut self, particles: In<pg_objects>) -> Result<pg_rows>;
    fn within(&mut self, points: In<pg_objects>, radius: f64) -> Result<pg_rows>;
    fn stats(&self) -> pg_stats;
}

struct Plain<S: Real, const D: usize> {
    neighbors: Neighbors<S, D>,
    threads: Threads,
    items: Items<S, D>,
    points: Vec<[S; D]>,
    rejected: Vec<pg_rejected>,
}

struct Repeated<S: Real, const D: usize> {
    neighbors: PeriodicNeighbors<S, D>,
    threads: Threads,
    items: Items<S, D>,
    points: Vec<[S; D]>,
    rejected: Vec<pg_rejected>,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    shifts: Vec<[i32; 3]>,
}

fn neighbors<S: Real, const D: usize>(settings: Settings, flags: u32) -> Result<(Neighbors<S, D>, Threads)> {
    let known = PG_HALF | PG_SORTED;
    ensure!(flags & !known == 0, PG_ERROR_ARGUMENT, "the flags are {flags:#x}, of which {known:#x} are known");
    let Settings { config, threads, .. } = settings;
    let config = if threads.are_many() { config } else { config.serial_up_to(usize::MAX) };
    let neighbors = Neighbors::with_config(config)?;
    Ok((neighbors.half(flags & PG_HALF != 0).sorted(flags & PG_SORTED != 0), threads))
}

fn new<S: Real, const D: usize>(settings: Settings, flags: u32) -> Result<Plain<S, D>> {
    let (neighbors, threads) = neighbors(settings, flags)?;
    Ok(Plain { neighbors, threads, items: Items::default(), points: Vec::new(), rejected: Vec::new() })
}

fn new_periodic<S: Real, const D: usize>(
    settings: Settings,
    flags: u32,
    min: In<f64>,
    max: In<f64>,
    axes: u32,
) -> Result<Repeated<S, D>> {
    let (neighbors, threads) = neighbors(settings, flags)?;
    let (bounds, periodic) = domain::<S, D>(min.slice(D, "min")?, max.slice(D, "max")?, axes);
    Ok(Repeated {
        neighbors: neighbors.periodic(bounds, periodic)?,
        threads,
        items: Items::default(),
        points: Vec::new(),
        rejected: Vec::new(),
        offsets: Vec::new(),
        indices: Vec::new(),
        shifts: Vec::new(),
    })
}

impl<S: Real, const D: usize> Find for Plain<S, D> {
    fn touching(&mut self, particles: In<pg_objects>) -> Result<pg_rows> {
        let Plain { neighbors, threads, items, rejected, .. } = self;
        let particles = Objects::<S, D>::new(particles, "particles")?;
        with_slice!(particles, items, |slice| threads.run(|| -> Result {
            let found = neighbors.par_touching(slice);
            keep_rejected(rejected, found.rejected())
        }))?;
        Ok(self.rows())
    }

    fn within(&mut self, points: In<pg_objects>, radius: f64) -> Result<pg_rows> {
        let Plain { neighbors, threads, points: memory, rejected, .. } = self;
        let points = Points::<S, D>::new(points)?;
        let points = points.as_slice(memory)?;
        threads.run(|| keep_rejected(rejected, neighbors.par_within(points, S::of(radius)).rejected()))?;
        Ok(self.rows())
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.neighbors.stats())
    }
}

impl<S: Real, const D: usize> Plain<S, D> {
    fn rows(&self) -> pg_rows {
        let (found, rejected): (NeighborRows<'_, S, D>, _) = (self.neighbors.rows(), &self.rejected);
        pg_rows {
            offsets: found.offsets().as_ptr(),
            row_count: found.len(),
            count: found.indices().len(),
            indices: found.indices().as_ptr(),
            values: std::ptr::null(),
            shifts: std::ptr::null(),
            generations: std::ptr::null(),
            rejected: rejected.as_ptr(),
            rejected_count: rejected.len(),
        }
    }
}

/// Rows that a thread copies at a time.
const BLOCK: usize = 2048;

impl<S: Real, const D: usize> Repeated<S, D> {
    /// Puts the rows, which the engine makes as they are read, behind one another.
    fn keep(&mut self) -> Result<pg_rows> {
        let Repeated { neighbors, threads, offsets, indices, shifts, .. } = self;
        let rows: PeriodicRows<'_, S, D> = neighbors.rows();
        offsets.clear();
        reserve(offsets, rows.len() + 1)?;
        offsets.push(0);
        let mut entries = 0;
        // A first look for the lengths, a second for the rows: each thread then writes where its rows belong.
        let lengths: Vec<usize> = match threads.are_many() {
            true => threads.run(|| rows.par_iter().with_min_len(BLOCK).map(Iterator::count).collect()),
            false => rows.iter().map(Iterator::count).collect(),
        };
        offsets.extend(lengths.iter().map(|length| {
            entries += length;
            entries
        }));
        indices.clear();
        shifts.clear();
        reserve(indices, entries)?;
        reserve(shifts, entries)?;
        indices.resize(entries, 0);
        shifts.resize(entries, [0; 3]);
        let all = Part { first: 0, offsets: &offsets[..], indices: &mut indices[..], shifts: &mut shifts[..] };
        match threads.are_many() {
            true => threads.run(|| all.fill(&rows)),
            false => all.fill_alone(&rows),
        }
        Ok(pg_rows {
            offsets: self.offsets.as_ptr(),
            row_count: self.offsets.len() - 1,
            count: self.indices.len(),
            indices: self.indices.as_ptr(),
            values: std::ptr::null(),
            shifts: self.shifts.as_ptr(),
            generations: std::ptr::null(),
            rejected: self.rejected.as_ptr(),
            rejected_count: self.rejected.len(),
        })
    }
}

/// Some consecutive rows, and where their entries go.
struct Part<'a> {
    first: usize,
    /// One more than there are rows.
    offsets: &'a [usize],
    indices: &'a mut [u32],
    shifts: &'a mut [[i32; 3]],
}

impl<'a> Part<'a> {
    fn fill<S: Real, const D: usize>(self, rows: &PeriodicRows<'_, S, D>) {
        let count = self.offsets.len() - 1;
        if count <= BLOCK {
            return self.fill_alone(rows);
        }
        let middle = count / 2;
        let split = self.offsets[middle] - self.offsets[0];
        let (left_indices, right_indices) = self.indices.split_at_mut(split);
        let (left_shifts, right_shifts) = self.shifts.split_at_mut(split);
        let left = Part { first: self.first, offsets: &self.offsets[..=middle], indices: left_indices, shifts: left_shifts };
        let first = self.first + middle;
        let right = Part { first, offsets: &self.offsets[middle..], indices: right_indices, shifts: right_shifts };
        rayon::join(|| left.fill(rows), || right.fill(rows));
    }

    fn fill_alone<S: Real, const D: usize>(self, rows: &PeriodicRows<'_, S, D>) {
        let mut places = self.indices.iter_mut().zip(self.shifts);
        for row in self.first..self.first + self.offsets.len() - 1 {
            for (neighbor, (index, shift)) in rows.row(row).zip(&mut places) {
                (*index, *shift) = (neighbor.index, padded(neighbor.shift));
            }
        }
    }
}

impl<S: Real, const D: usize> Find for Repeated<S, D> {
    fn touching(&mut self, particles: In<pg_objects>) -> Result<pg_rows> {
        let particles = Objects::<S, D>::new(particles, "particles")?;
        let Repeated { neighbors, threads, items, rejected, .. } = self;
        with_slice!(particles, items, |slice| threads.run(|| -> Result {
            let found = neighbors.par_touching(slice);
            keep_periodic_rejected(rejected, found.rejected())
        }))?;
        self.keep()
    }

    fn within(&mut self, points: In<pg_objects>, radius: f64) -> Result<pg_rows> {
        let Repeated { neighbors, threads, points: memory, rejected, .. } = self;
        let points = Points::<S, D>::new(points)?;
        let points = points.as_slice(memory)?;
        threads.run(|| keep_periodic_rejected(rejected, neighbors.par_within(points, S::of(radius)).rejected()))?;
        self.keep()
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.neighbors.stats())
    }
}

/// Makes neighbor lists. `flags` are `PG_HALF` and `PG_SORTED`; `config` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_create(
    scalar: u32,
    dimensions: u32,
    flags: u32,
    config: In<pg_config>,
    neighbors: Out<pg_neighbors>,
) -> pg_status {
    border(|| {
        neighbors.check("neighbors")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyNeighbors> = of_type!(scalar, dimensions, new(settings, flags));
        neighbors.set(pg_neighbors { id: table::insert(made?, same_thread)? }, "neighbors")
    })
}

/// Makes neighbor lists in a domain that repeats itself; the rows have `shifts`. The domain is that of `pg_periodic_create`.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_create_periodic(
    scalar: u32,
    dimensions: u32,
    flags: u32,
    min: In<f64>,
    max: In<f64>,
    axes: u32,
    config: In<pg_config>,
    neighbors: Out<pg_neighbors>,
) -> pg_status {
    border(|| {
        neighbors.check("neighbors")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyNeighbors> = of_type!(scalar, dimensions, new_periodic(settings, flags, min, max, axes));
        neighbors.set(pg_neighbors { id: table::insert(made?, same_thread)? }, "neighbors")
    })
}

/// Frees them. What they lent is gone.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_destroy(neighbors: pg_neighbors) -> pg_status {
    border_of(neighbors.id, || table::destroy::<AnyNeighbors>(neighbors.id))
}

/// For each point (`center`) all others within `radius` of it.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_within(
    neighbors: pg_neighbors,
    points: In<pg_objects>,
    radius: f64,
    rows: Out<pg_rows>,
) -> pg_status {
    border_of(neighbors.id, || {
        rows.check("rows")?;
        let entry = table::find(neighbors.id)?;
        let mut neighbors = entry.write::<AnyNeighbors>()?;
        rows.set(neighbors.within(points, radius)?, "rows")
    })
}

/// For each particle all others that it pairs with: balls if they touch, boxes if they overlap, by groups and filter.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_touching(neighbors: pg_neighbors, particles: In<pg_objects>, rows: Out<pg_rows>) -> pg_status {
    border_of(neighbors.id, || {
        rows.check("rows")?;
        let entry = table::find(neighbors.id)?;
        let mut neighbors = entry.write::<AnyNeighbors>()?;
        rows.set(neighbors.touching(particles)?, "rows")
    })
}

/// Figures of the last search. Set `stats->size` before.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_stats(neighbors: pg_neighbors, stats: Out<pg_stats>) -> pg_status {
    border_of(neighbors.id, || stats.set_versioned(table::find(neighbors.id)?.read::<AnyNeighbors>()?.stats(), "stats"))
}
