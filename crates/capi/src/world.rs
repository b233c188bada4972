//! The world.

use std::mem::offset_of;

use engine::{Handle, Mobility, Object, World};

use crate::border::{border, border_of};
use crate::handles::{pg_results, pg_world};
use crate::memory::{In, Out, reserve};
use crate::objects::{Objects, Real, of_type, reason};
use crate::query::{Results, Sides};
use crate::settings::{Settings, Threads, stats_of};
use crate::status::{Error, PG_ERROR_ARGUMENT, PG_ERROR_STALE_OBJECT, Result, ensure, pg_status};
use crate::table::{self, Kind};
use crate::types::{
    PG_MOVING, PG_STATIC, pg_config, pg_object, pg_object_pair, pg_object_rejected, pg_objects, pg_query, pg_rows, pg_stats,
    pg_world_events,
};

/// A world of any type.
pub(crate) type AnyWorld = Box<dyn Live>;

impl Kind for AnyWorld {
    const NAME: &'static str = "pg_world";
}

/// Its operations, independent of its type.
pub(crate) trait Live: Send + Sync {
    fn insert(&mut self, objects: In<pg_objects>, mobility: u32, ids: Out<pg_object>) -> Result;
    fn update(&mut self, ids: In<pg_object>, objects: In<pg_objects>) -> Result;
    fn remove(&mut self, ids: &[pg_object]) -> Result;
    fn contains(&self, id: pg_object) -> bool;
    fn len(&self) -> usize;
    fn step(&mut self) -> Result<pg_world_events>;
    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result;
    fn stats(&self) -> pg_stats;
}

struct Typed<S: Real, const D: usize> {
    world: World<S, D>,
    threads: Threads,
    rejected: Vec<pg_object_rejected>,
}

fn new<S: Real, const D: usize>(settings: Settings, margin: f64) -> Result<Typed<S, D>> {
    let Settings { config, threads, .. } = settings;
    Ok(Typed { world: World::with_config(config, S::of(margin))?, threads, rejected: Vec::new() })
}

// Pairs of handles are lent as they lie in the world. Rust does not promise their layout, so it is checked at compile time.
const _: () = {
    assert!(size_of::<Handle>() == size_of::<pg_object>());
    assert!(offset_of!(Handle, index) == offset_of!(pg_object, index));
    assert!(offset_of!(Handle, generation) == offset_of!(pg_object, generation));
    assert!(size_of::<(Handle, Handle)>() == size_of::<pg_object_pair>());
    assert!(offset_of!((Handle, Handle), 0) == offset_of!(pg_object_pair, a));
    assert!(offset_of!((Handle, Handle), 1) == offset_of!(pg_object_pair, b));
};

fn handle_of(id: pg_object) -> Handle {
    Handle { index: id.index, generation: id.generation }
}

fn id_of(handle: Handle) -> pg_object {
    pg_object { index: handle.index, generation: handle.generation }
}

impl<S: Real, const D: usize> Typed<S, D> {
    /// A world's objects have boxes and groups, and nothing else.
    fn objects(objects: In<pg_objects>) -> Result<Objects<S, D>> {
        let objects = Objects::new(objects, "objects")?;
        ensure!(
            !objects.has_filter() && !objects.has_balls(),
            PG_ERROR_ARGUMENT,
            "a world has boxes with groups: no balls, no filter"
        );
        Ok(objects)
    }

    fn check(&self, ids: &[pg_object]) -> Result {
        match ids.iter().find(|id| !self.contains(**id)) {
            Some(pg_object { index, generation }) => {
                let message =
                    format_args!("there is no object {index} of generation {generation}: it was removed, or is of another world");
                Err(Error::new(PG_ERROR_STALE_OBJECT, message))
            }
            None => Ok(()),
        }
    }
}

impl<S: Real, const D: usize> Live for Typed<S, D> {
    fn insert(&mut self, objects: In<pg_objects>, mobility: u32, ids: Out<pg_object>) -> Result {
        let objects = Self::objects(objects)?;
        let mobility = match mobility {
            PG_MOVING => Mobility::Moving,
            PG_STATIC => Mobility::Static,
            other => {
                return Err(Error::new(
                    PG_ERROR_ARGUMENT,
                    format_args!("mobility is {other}, but PG_MOVING or PG_STATIC are known"),
                ));
            }
        };
        ids.check_room(objects.len(), "ids")?;
        let mut inserted = Vec::new();
        reserve(&mut inserted, objects.len())?;
        for index in 0..objects.len() as u32 {
            let (aabb, groups) = objects.item(index).parts();
            match self.world.try_insert(Object { aabb, groups, mobility, sweep_to: None, data: 0 }) {
                Ok(handle) => inserted.push(id_of(handle)),
                Err(error) => {
                    inserted.iter().for_each(|&id| _ = self.world.remove(handle_of(id)));
                    return Err(error.into());
                }
            }
        }
        ids.set_all(&inserted, "ids")
    }

    fn update(&mut self, ids: In<pg_object>, objects: In<pg_objects>) -> Result {
        let objects = Self::objects(objects)?;
        let ids = ids.slice(objects.len(), "ids")?;
        self.check(ids)?;
        for (&id, index) in ids.iter().zip(0..) {
            let (handle, (aabb, groups)) = (handle_of(id), objects.item(index).parts());
            let stale = |error| Error::new(PG_ERROR_STALE_OBJECT, error);
            match objects.has_groups() {
                false => self.world.set_aabb(handle, aabb).map_err(stale)?,
                true => {
                    let mobility = self.world.get(handle).map_err(stale)?.mobility;
                    self.world.try_update(handle, Object { aabb, groups, mobility, sweep_to: None, data: 0 })?.map_err(stale)?;
                }
            }
        }
        Ok(())
    }

    fn remove(&mut self, ids: &[pg_object]) -> Result {
        self.check(ids)?;
        for &id in ids {
            // An object that occurs twice does not exist any more the second time.
            let _ = self.world.remove(handle_of(id));
        }
        Ok(())
    }

    fn contains(&self, id: pg_object) -> bool {
        self.world.contains(handle_of(id))
    }

    fn len(&self) -> usize {
        self.world.len()
    }

    fn step(&mut self) -> Result<pg_world_events> {
        let Typed { world, threads, rejected } = self;
        match threads.own() {
            Some(own) => world.on(own).try_step().map(drop),
            None => threads.run(|| world.try_par_step().map(drop)),
        }?;
        rejected.clear();
        reserve(rejected, world.rejected().len())?;
        rejected.extend(
            world.rejected().iter().map(|&(handle, why)| pg_object_rejected { object: id_of(handle), reason: reason(why) }),
        );
        let events = world.events();
        Ok(pg_world_events {
            started: events.started.as_ptr().cast(),
            started_count: events.started.len(),
            ongoing: events.ongoing.as_ptr().cast(),
            ongoing_count: events.ongoing.len(),
            ended: events.ended.as_ptr().cast(),
            ended_count: events.ended.len(),
            rejected: rejected.as_ptr(),
            rejected_count: rejected.len(),
        })
    }

    fn query(&self, query: In<pg_query>, results: &mut Results) -> Result {
        let queries = self.world.queries();
        results.fill(&Sides([queries.moving(), queries.statics()]), query, &self.threads)
    }

    fn stats(&self) -> pg_stats {
        stats_of(self.world.stats())
    }
}

/// Makes a world without objects. `config` may be null. With a margin, pairs do not flicker: a pair starts when the two boxes touch, and
/// ends when the boxes no longer do after each has been inflated by the margin to every side.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_create(
    scalar: u32,
    dimensions: u32,
    margin: f64,
    config: In<pg_config>,
    world: Out<pg_world>,
) -> pg_status {
    border(|| {
        world.check("world")?;
        let settings = Settings::of(config)?;
        let same_thread = settings.same_thread;
        let made: Result<AnyWorld> = of_type!(scalar, dimensions, new(settings, margin));
        world.set(pg_world { id: table::insert(made?, same_thread)? }, "world")
    })
}

/// Destroys it. Memory that it lent becomes invalid.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_destroy(world: pg_world) -> pg_status {
    border_of(world.id, || table::destroy::<AnyWorld>(world.id))
}

/// Adds objects, all moving (`PG_MOVING`) or all static (`PG_STATIC`), and writes their ids, one for each. Boxes and groups only.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_insert(world: pg_world, objects: In<pg_objects>, mobility: u32, ids: Out<pg_object>) -> pg_status {
    border_of(world.id, || table::find(world.id)?.write::<AnyWorld>()?.insert(objects, mobility, ids))
}

/// Moves objects; changes their groups, too, if `objects` has any. Does nothing if one of them does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_update(world: pg_world, ids: In<pg_object>, objects: In<pg_objects>) -> pg_status {
    border_of(world.id, || table::find(world.id)?.write::<AnyWorld>()?.update(ids, objects))
}

/// Removes objects. Their pairs are among the ended ones of the next step. Does nothing if one of them does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_remove(world: pg_world, ids: In<pg_object>, count: usize) -> pg_status {
    border_of(world.id, || table::find(world.id)?.write::<AnyWorld>()?.remove(ids.slice(count, "ids")?))
}

/// Writes 1 if there is such an object, and 0 if there is not.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_contains(world: pg_world, id: pg_object, is_there: Out<u32>) -> pg_status {
    border_of(world.id, || is_there.set(table::find(world.id)?.read::<AnyWorld>()?.contains(id).into(), "is_there"))
}

/// How many objects there are.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_count(world: pg_world, count: Out<usize>) -> pg_status {
    border_of(world.id, || count.set(table::find(world.id)?.read::<AnyWorld>()?.len(), "count"))
}

/// Finds which objects meet at their current places, and what has changed since the last step.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_step(world: pg_world, events: Out<pg_world_events>) -> pg_status {
    border_of(world.id, || {
        events.check("events")?;
        let entry = table::find(world.id)?;
        let mut world = entry.write::<AnyWorld>()?;
        events.set(world.step()?, "events")
    })
}

/// Queries about the objects as of the last step. The rows have `generations`. Any number of threads may query at once, each with results
/// of its own.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_query(world: pg_world, query: In<pg_query>, results: pg_results, rows: Out<pg_rows>) -> pg_status {
    border_of(world.id, || {
        rows.check("rows")?;
        let (entry, of_results) = (table::find(world.id)?, table::find(results.id)?);
        let world = entry.read::<AnyWorld>()?;
        let mut results = of_results.write::<Results>()?;
        world.query(query, &mut results)?;
        rows.set(results.rows(), "rows")
    })
}

/// Figures of the last step's moving objects. Set `stats->size` before the call.
#[unsafe(no_mangle)]
pub extern "C" fn pg_world_stats(world: pg_world, stats: Out<pg_stats>) -> pg_status {
    border_of(world.id, || stats.set_versioned(table::find(world.id)?.read::<AnyWorld>()?.stats(), "stats"))
}
