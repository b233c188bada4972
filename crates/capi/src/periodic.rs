//! Periodic domains.

use engine::{Aabb, Config, Lattice, Periodic, PeriodicError};

use crate::border::{border, border_of};
use crate::broad_phase::with_slice;
use crate::handles::{pg_periodic, pg_results};
use crate::memory::{In, Out, reserve};
use crate::objects::{Items, Objects, Real, keep_periodic_rejected, of_type};
use crate::query::{Results, padded};
use crate::settings::{Settings, Threads, stats_of};
use crate::status::{Result, pg_status};
use crate::table::{self, Kind};
use crate::types::{pg_config, pg_objects, pg_periodic_pair, pg_periodic_pairs, pg_query, pg_rejected, pg_rows, pg_stats};

/// A periodic domain of any type.
pub(crate) type AnyPeriodic = Box<dyn Repeat>;

impl Kind for AnyPeriodic {
    const NAME: &'static str = "pg_periodic";
}

/// Its operations, independent of its type.
pub(crate) trait Repeat: Send + Sync {
    fn detect(&mut self, objects: In<pg_objects>) -> Result<pg_periodic_pairs>;
    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result;
    fn stats(&self) -> pg_stats;
}

struct Typed<S: Real, const D: usize> {
    domain: Periodic<S, D>,
    threads: Threads,
    items: Items<S, D>,
    pairs: Vec<pg_periodic_pair>,
    rejected: Vec<pg_rejected>,
    canonical: bool,
}

/// The domain between two corners, and the axes, as bits, along which it repeats itself.
pub(crate) fn domain<S: Real, const D: usize>(min: &[f64], max: &[f64], axes: u32) -> (Aabb<S, D>, [bool; D]) {
    let corner = |of: &[f64]| std::array::from_fn(|axis| S::of(of[axis]));
    (Aabb { min: corner(min), max: corner(max) }, marked(axes))
}

/// The axes whose bits are set.
fn marked<const D: usize>(axes: u32) -> [bool; D] {
    std::array::from_fn(|axis| axes >> axis & 1 != 0)
}

fn new<S: Real, const D: usize>(settings: Settings, min: In<f64>, max: In<f64>, axes: u32) -> Result<Typed<S, D>> {
    let (bounds, periodic) = domain::<S, D>(min.slice(D, "min")?, max.slice(D, "max")?, axes);
    typed(settings, |config| Periodic::with_config(bounds, periodic, config))
}

fn new_lattice<S: Real, const D: usize>(settings: Settings, vectors: In<f64>, axes: u32) -> Result<Typed<S, D>> {
    let lattice = lattice(vectors, axes)?;
    typed(settings, |config| Periodic::of_lattice_with_config(lattice, config))
}

fn typed<S: Real, const D: usize>(
    settings: Settings,
    make: impl FnOnce(Config) -> std::result::Result<Periodic<S, D>, PeriodicError>,
) -> Result<Typed<S, D>> {
    let Settings { config, threads, .. } = settings;
    let canonical = config.canonical_order;
    // The pairs are put in order when they are copied.
    let domain = make(config.canonical_order(false))?;
    Ok(Typed { domain, threads, items: Items::default(), pairs: Vec::new(), rejected: Vec::new(), canonical })
}

/// The lattice of some vectors, `D` numbers each, and the bits of those along which space repeats itself.
pub(crate) fn lattice<const D: usize>(vectors: In<f64>, axes: u32) -> Result<Lattice<D>> {
    let vectors = vectors.slice(D * D, "vectors")?;
    let vectors = std::array::from_fn(|row| std::array::from_fn(|axis| vectors[row * D + axis]));
    Ok(Lattice::new(vectors, marked(axes))?)
}

impl<S: Real, const D: usize> Repeat for Typed<S, D> {
    fn detect(&mut self, objects: In<pg_objects>) -> Result<pg_periodic_pairs> {
        let Typed { domain, threads, items, pairs, rejected, canonical } = self;
        let objects = Objects::<S, D>::new(objects, "objects")?;
        pairs.clear();
        rejected.clear();
        with_slice!(objects, items, |slice| threads.run(|| -> Result {
            let found = threads.carry(domain.over(slice)).try_pairs()?;
            keep_periodic_rejected(rejected, found.rejected())?;
            reserve(pairs, found.len())?;
            pairs.extend(found.iter().map(|pair| pg_periodic_pair { a: pair.a, b: pair.b, shift: padded(pair.shift) }));
            Ok(())
        }))?;
        if *canonical {
            pairs.sort_unstable_by_key(|pair| (pair.a, pair.b, pair.shift));
        }
        Ok(pg_periodic_pairs {
            pairs: pairs.as_ptr(),
            count: pairs.len(),
            rejected: rejected.as_ptr(),
            rejected_count: rejected.len(),
        })
    }

    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result {
        results.fill(&self.domain.queries(), query, &self.threads)
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.domain.stats())
    }
}

/// Makes a broad phase in a domain that repeats itself. `min` and `max` are the corners of the domain, `dimensions` numbers each, whatever
/// the scalar; `axes` has a bit for each periodic axis, 1 for x, 2 for y, 4 for z. Bounds along other axes are ignored. `config` may be
/// null.
#[unsafe(no_mangle)]
pub extern "C" fn pg_periodic_create(
    scalar: u32,
    dimensions: u32,
    min: In<f64>,
    max: In<f64>,
    axes: u32,
    config: In<pg_config>,
    periodic: Out<pg_periodic>,
) -> pg_status {
    border(|| {
        periodic.check("periodic")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyPeriodic> = of_type!(scalar, dimensions, new(settings, min, max, axes));
        periodic.set(pg_periodic { id: table::insert(made?, same_thread)? }, "periodic")
    })
}

/// Makes a broad phase in a space that repeats itself along the vectors of a lattice, which need not be at right angles. `vectors` are
/// `dimensions` times `dimensions` numbers, a row for each vector, whatever the scalar; `axes` has a bit for each vector along which space
/// repeats itself, 1 for the first, 2 for the second, 4 for the third. Vectors without a bit are ignored. `config` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn pg_periodic_create_lattice(
    scalar: u32,
    dimensions: u32,
    vectors: In<f64>,
    axes: u32,
    config: In<pg_config>,
    periodic: Out<pg_periodic>,
) -> pg_status {
    border(|| {
        periodic.check("periodic")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyPeriodic> = of_type!(scalar, dimensions, new_lattice(settings, vectors, axes));
        periodic.set(pg_periodic { id: table::insert(made?, same_thread)? }, "periodic")
    })
}

/// Destroys it. Memory that it lent becomes invalid.
#[unsafe(no_mangle)]
pub extern "C" fn pg_periodic_destroy(periodic: pg_periodic) -> pg_status {
    border_of(periodic.id, || table::destroy::<AnyPeriodic>(periodic.id))
}

/// A step: finds all pairs, including those across the borders, each meeting once. Positions may lie anywhere.
#[unsafe(no_mangle)]
pub extern "C" fn pg_periodic_detect(periodic: pg_periodic, objects: In<pg_objects>, pairs: Out<pg_periodic_pairs>) -> pg_status {
    border_of(periodic.id, || {
        pairs.check("pairs")?;
        let entry = table::find(periodic.id)?;
        let mut periodic = entry.write::<AnyPeriodic>()?;
        pairs.set(periodic.detect(objects)?, "pairs")
    })
}

/// Queries about the objects of the last step, wherever they repeat themselves. The rows have `shifts`. Any number of threads may query at
/// once, each with results of its own.
#[unsafe(no_mangle)]
pub extern "C" fn pg_periodic_query(
    periodic: pg_periodic,
    query: In<pg_query>,
    results: pg_results,
    rows: Out<pg_rows>,
) -> pg_status {
    border_of(periodic.id, || {
        rows.check("rows")?;
        let (entry, of_results) = (table::find(periodic.id)?, table::find(results.id)?);
        let periodic = entry.read::<AnyPeriodic>()?;
        let mut results = of_results.write::<Results>()?;
        periodic.query(query, &mut results)?;
        rows.set(results.rows(), "rows")
    })
}

/// Figures of the last step. Set `stats->size` before the call.
#[unsafe(no_mangle)]
pub extern "C" fn pg_periodic_stats(periodic: pg_periodic, stats: Out<pg_stats>) -> pg_status {
    border_of(periodic.id, || stats.set_versioned(table::find(periodic.id)?.read::<AnyPeriodic>()?.stats(), "stats"))
}
