//! Neighbor rows of particles.

use engine::{Neighbors, PeriodicError, PeriodicNeighbors};

use crate::border::{border, border_of};
use crate::broad_phase::with_slice;
use crate::handles::pg_neighbors;
use crate::memory::{In, Out, reserve};
use crate::objects::{Items, Objects, Points, Real, keep_periodic_rejected, keep_rejected, of_type};
use crate::periodic::{domain, lattice};
use crate::query::padded;
use crate::settings::{Settings, Threads, stats_of};
use crate::status::{Result, ensure, pg_status};
use crate::table::{self, Kind};
use crate::types::{PG_DISTANCES, PG_HALF, PG_SORTED, PG_VECTORS, pg_config, pg_objects, pg_rejected, pg_rows, pg_stats};

/// Neighbor lists of any type.
pub(crate) type AnyNeighbors = Box<dyn Find>;

impl Kind for AnyNeighbors {
    const NAME: &'static str = "pg_neighbors";
}

/// Their operations, independent of their type.
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
    /// In two dimensions: shifts of three numbers.
    shifts: Vec<[i32; 3]>,
}

fn neighbors<S: Real, const D: usize>(settings: Settings, flags: u32) -> Result<(Neighbors<S, D>, Threads)> {
    let known = PG_HALF | PG_SORTED | PG_DISTANCES | PG_VECTORS;
    ensure!(flags & !known == 0, PG_ERROR_ARGUMENT, "the flags are {flags:#x}, of which {known:#x} are known");
    let Settings { config, threads, .. } = settings;
    let has = |flag| flags & flag != 0;
    let neighbors = Neighbors::with_config(config)?.half(has(PG_HALF)).sorted(has(PG_SORTED));
    Ok((neighbors.distances(has(PG_DISTANCES)).vectors(has(PG_VECTORS)), threads))
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
    let (bounds, periodic) = domain::<S, D>(min.slice(D, "min")?, max.slice(D, "max")?, axes);
    repeated(settings, flags, |neighbors| neighbors.periodic(bounds, periodic))
}

fn new_lattice<S: Real, const D: usize>(settings: Settings, flags: u32, vectors: In<f64>, axes: u32) -> Result<Repeated<S, D>> {
    let lattice = lattice(vectors, axes)?;
    repeated(settings, flags, |neighbors| Ok(neighbors.lattice(lattice)))
}

fn repeated<S: Real, const D: usize>(
    settings: Settings,
    flags: u32,
    repeat: impl FnOnce(Neighbors<S, D>) -> std::result::Result<PeriodicNeighbors<S, D>, PeriodicError>,
) -> Result<Repeated<S, D>> {
    let (neighbors, threads) = neighbors(settings, flags)?;
    let neighbors = repeat(neighbors.shifts(true))?;
    let (items, points, rejected, shifts) = (Items::default(), Vec::new(), Vec::new(), Vec::new());
    Ok(Repeated { neighbors, threads, items, points, rejected, shifts })
}

/// An array of the engine, or null if there is none.
fn lent<T>(values: &[T], is_there: bool) -> *const T {
    if is_there { values.as_ptr() } else { std::ptr::null() }
}

/// Rows that lie in the engine, without those of rejected particles.
macro_rules! rows {
    ($found:expr, $rejected:expr, $shifts:expr) => {{
        let (found, rejected) = ($found, &$rejected);
        let count = found.indices().len();
        pg_rows {
            offsets: found.offsets().as_ptr(),
            row_count: found.len(),
            count,
            indices: found.indices().as_ptr(),
            values: std::ptr::null(),
            shifts: $shifts,
            generations: std::ptr::null(),
            distances: lent(found.distances(), found.distances().len() == count).cast(),
            vectors: lent(found.vectors(), found.vectors().len() == count).cast(),
            rejected: rejected.as_ptr(),
            rejected_count: rejected.len(),
        }
    }};
}

impl<S: Real, const D: usize> Find for Plain<S, D> {
    fn touching(&mut self, particles: In<pg_objects>) -> Result<pg_rows> {
        let Plain { neighbors, threads, items, rejected, .. } = self;
        let particles = Objects::<S, D>::new(particles, "particles")?;
        with_slice!(particles, items, |slice| threads.run(|| -> Result {
            let found = match threads.own() {
                Some(own) => neighbors.on(own).try_touching(slice)?,
                None => neighbors.try_par_touching(slice)?,
            };
            keep_rejected(rejected, found.rejected())
        }))?;
        Ok(self.rows())
    }

    fn within(&mut self, points: In<pg_objects>, radius: f64) -> Result<pg_rows> {
        let Plain { neighbors, threads, points: memory, rejected, .. } = self;
        let (points, radius) = (Points::<S, D>::new(points)?, S::of(radius));
        let points = points.as_slice(memory)?;
        threads.run(|| {
            let found = match threads.own() {
                Some(own) => neighbors.on(own).try_within(points, radius)?,
                None => neighbors.try_par_within(points, radius)?,
            };
            keep_rejected(rejected, found.rejected())
        })?;
        Ok(self.rows())
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.neighbors.stats())
    }
}

impl<S: Real, const D: usize> Plain<S, D> {
    fn rows(&self) -> pg_rows {
        rows!(self.neighbors.rows(), self.rejected, std::ptr::null())
    }
}

impl<S: Real, const D: usize> Repeated<S, D> {
    fn rows(&mut self) -> Result<pg_rows> {
        let found = self.neighbors.rows();
        let shifts = match D {
            3 => found.shifts().as_ptr().cast(),
            _ => {
                self.shifts.clear();
                reserve(&mut self.shifts, found.shifts().len())?;
                self.shifts.extend(found.shifts().iter().map(|&shift| padded(shift)));
                self.shifts.as_ptr()
            }
        };
        Ok(rows!(found, self.rejected, shifts))
    }
}

impl<S: Real, const D: usize> Find for Repeated<S, D> {
    fn touching(&mut self, particles: In<pg_objects>) -> Result<pg_rows> {
        let particles = Objects::<S, D>::new(particles, "particles")?;
        let Repeated { neighbors, threads, items, rejected, .. } = self;
        with_slice!(particles, items, |slice| threads.run(|| -> Result {
            let found = match threads.are_many() {
                true => neighbors.try_par_touching(slice)?,
                false => neighbors.try_touching(slice)?,
            };
            keep_periodic_rejected(rejected, found.rejected())
        }))?;
        self.rows()
    }

    fn within(&mut self, points: In<pg_objects>, radius: f64) -> Result<pg_rows> {
        let Repeated { neighbors, threads, points: memory, rejected, .. } = self;
        let (points, radius) = (Points::<S, D>::new(points)?, S::of(radius));
        let points = points.as_slice(memory)?;
        threads.run(|| {
            let found = match threads.are_many() {
                true => neighbors.try_par_within(points, radius)?,
                false => neighbors.try_within(points, radius)?,
            };
            keep_periodic_rejected(rejected, found.rejected())
        })?;
        self.rows()
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.neighbors.stats())
    }
}

/// Makes neighbor lists. `flags` are `PG_HALF`, `PG_SORTED`, `PG_DISTANCES` and `PG_VECTORS`; `config` may be null.
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

/// Makes neighbor lists in a space that repeats itself along the vectors of a lattice, which need not be at right angles; the rows have
/// `shifts`. `vectors` are `dimensions` times `dimensions` numbers, a row for each vector; `axes` has a bit for each vector along which
/// space repeats itself, 1 for the first, 2 for the second, 4 for the third. Vectors without a bit are ignored. A radius may be longer than
/// a vector: a particle may then be a neighbor several times, with different shifts, and a neighbor of itself.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_create_lattice(
    scalar: u32,
    dimensions: u32,
    flags: u32,
    vectors: In<f64>,
    axes: u32,
    config: In<pg_config>,
    neighbors: Out<pg_neighbors>,
) -> pg_status {
    border(|| {
        neighbors.check("neighbors")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyNeighbors> = of_type!(scalar, dimensions, new_lattice(settings, flags, vectors, axes));
        neighbors.set(pg_neighbors { id: table::insert(made?, same_thread)? }, "neighbors")
    })
}

/// Destroys them. Memory that they lent becomes invalid.
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

/// Figures of the last search. Set `stats->size` before the call.
#[unsafe(no_mangle)]
pub extern "C" fn pg_neighbors_stats(neighbors: pg_neighbors, stats: Out<pg_stats>) -> pg_status {
    border_of(neighbors.id, || stats.set_versioned(table::find(neighbors.id)?.read::<AnyNeighbors>()?.stats(), "stats"))
}
