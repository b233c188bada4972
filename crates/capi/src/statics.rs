//! Static sets.

use std::any::Any;

use engine::StaticSet;

use crate::border::{border, border_of};
use crate::broad_phase::with_slice;
use crate::handles::{pg_results, pg_static_set};
use crate::memory::{In, Out};
use crate::objects::{Items, Objects, Real, of_type};
use crate::query::Results;
use crate::settings::{Settings, Threads};
use crate::status::{Error, PG_ERROR_STALE_OBJECT, Result, ensure, pg_status};
use crate::table::{self, Kind};
use crate::types::{pg_config, pg_objects, pg_query, pg_rows};

/// A static set of any type.
pub(crate) type AnyStaticSet = Box<dyn Keep>;

impl Kind for AnyStaticSet {
    const NAME: &'static str = "pg_static_set";
}

/// Its operations, independent of its type.
pub(crate) trait Keep: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn build(&mut self, objects: In<pg_objects>) -> Result;
    fn insert(&mut self, objects: In<pg_objects>, indices: Out<u32>) -> Result;
    fn update(&mut self, indices: In<u32>, objects: In<pg_objects>) -> Result;
    fn remove(&mut self, indices: &[u32]) -> Result;
    fn len(&self) -> usize;
    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result;
}

struct Typed<S: Real, const D: usize> {
    set: StaticSet<S, D>,
    threads: Threads,
    items: Items<S, D>,
}

fn new<S: Real, const D: usize>(settings: Settings) -> Result<Typed<S, D>> {
    Ok(Typed { set: StaticSet::with_config(settings.config)?, threads: settings.threads, items: Items::default() })
}

impl<S: Real, const D: usize> Typed<S, D> {
    /// Static objects have boxes and groups, and nothing else.
    fn objects(objects: In<pg_objects>) -> Result<Objects<S, D>> {
        let objects = Objects::new(objects, "objects")?;
        ensure!(!objects.has_filter(), PG_ERROR_ARGUMENT, "there is no filter for static objects");
        Ok(objects)
    }

    fn check(&self, indices: &[u32]) -> Result {
        match indices.iter().find(|&&index| !self.set.contains(index)) {
            Some(index) => Err(Error::new(PG_ERROR_STALE_OBJECT, format_args!("there is no static object {index}"))),
            None => Ok(()),
        }
    }
}

impl<S: Real, const D: usize> Keep for Typed<S, D> {
    fn as_any(&self) -> &dyn Any {
        &self.set
    }

    fn build(&mut self, objects: In<pg_objects>) -> Result {
        let objects = Self::objects(objects)?;
        let Typed { set, threads, items } = self;
        with_slice!(objects, items, |slice| match threads.own() {
            Some(own) => set.on(own).try_build(slice),
            None => threads.run(|| set.try_par_build(slice)),
        })?;
        Ok(())
    }

    fn insert(&mut self, objects: In<pg_objects>, indices: Out<u32>) -> Result {
        let objects = Self::objects(objects)?;
        indices.check_room(objects.len(), "indices")?;
        let mut inserted = Vec::new();
        inserted.try_reserve(objects.len())?;
        for index in 0..objects.len() as u32 {
            let (set, object) = (&mut self.set, objects.item(index));
            let outcome = match self.threads.own() {
                Some(own) => set.on(own).try_insert(&object),
                None => self.threads.run(|| set.try_par_insert(&object)),
            };
            match outcome {
                Ok(index) => inserted.push(index),
                Err(error) => {
                    inserted.iter().for_each(|&index| _ = self.set.remove(index));
                    return Err(error.into());
                }
            }
        }
        indices.set_all(&inserted, "indices")
    }

    fn update(&mut self, indices: In<u32>, objects: In<pg_objects>) -> Result {
        let objects = Self::objects(objects)?;
        let indices = indices.slice(objects.len(), "indices")?;
        self.check(indices)?;
        for (&index, number) in indices.iter().zip(0..) {
            // `check` has seen that there is one.
            let _ = self.threads.run(|| self.set.try_par_update(index, &objects.item(number)))?;
        }
        Ok(())
    }

    fn remove(&mut self, indices: &[u32]) -> Result {
        self.check(indices)?;
        indices.iter().for_each(|&index| _ = self.set.remove(index));
        Ok(())
    }

    fn len(&self) -> usize {
        self.set.len()
    }

    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result {
        results.fill(&self.set.queries(), query, &self.threads)
    }
}

/// Makes a set without objects. `config` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_create(
    scalar: u32,
    dimensions: u32,
    config: In<pg_config>,
    set: Out<pg_static_set>,
) -> pg_status {
    border(|| {
        set.check("set")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyStaticSet> = of_type!(scalar, dimensions, new(settings));
        set.set(pg_static_set { id: table::insert(made?, same_thread)? }, "set")
    })
}

/// Destroys it.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_destroy(set: pg_static_set) -> pg_status {
    border_of(set.id, || table::destroy::<AnyStaticSet>(set.id))
}

/// Replaces all objects by these, which get the indices 0, 1, 2 and so on. Balls count as the boxes around them. An object with an
/// invalid box is kept and overlaps nothing.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_build(set: pg_static_set, objects: In<pg_objects>) -> pg_status {
    border_of(set.id, || table::find(set.id)?.write::<AnyStaticSet>()?.build(objects))
}

/// Adds objects and writes their indices, one for each. Indices of removed objects are reused.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_insert(set: pg_static_set, objects: In<pg_objects>, indices: Out<u32>) -> pg_status {
    border_of(set.id, || table::find(set.id)?.write::<AnyStaticSet>()?.insert(objects, indices))
}

/// Moves objects, or changes their groups. Does nothing if one of them does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_update(set: pg_static_set, indices: In<u32>, objects: In<pg_objects>) -> pg_status {
    border_of(set.id, || table::find(set.id)?.write::<AnyStaticSet>()?.update(indices, objects))
}

/// Takes objects out. Does nothing if one of them does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_remove(set: pg_static_set, indices: In<u32>, count: usize) -> pg_status {
    border_of(set.id, || table::find(set.id)?.write::<AnyStaticSet>()?.remove(indices.slice(count, "indices")?))
}

/// How many objects there are.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_count(set: pg_static_set, count: Out<usize>) -> pg_status {
    border_of(set.id, || count.set(table::find(set.id)?.read::<AnyStaticSet>()?.len(), "count"))
}

/// Queries about the objects as they are now. Any number of threads may query at once, each with results of its own.
#[unsafe(no_mangle)]
pub extern "C" fn pg_static_set_query(
    set: pg_static_set,
    query: In<pg_query>,
    results: pg_results,
    rows: Out<pg_rows>,
) -> pg_status {
    border_of(set.id, || {
        rows.check("rows")?;
        let (entry, of_results) = (table::find(set.id)?, table::find(results.id)?);
        let set = entry.read::<AnyStaticSet>()?;
        let mut results = of_results.write::<Results>()?;
        set.query(query, &mut results)?;
        rows.set(results.rows(), "rows")
    })
}
