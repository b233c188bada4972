//! Events.

use std::mem::offset_of;

use engine::{Pair, PairTracker, Pairs};

use crate::border::{border, border_of};
use crate::broad_phase::AnyBroadPhase;
use crate::handles::{pg_broad_phase, pg_tracker};
use crate::memory::{In, Out, Strided};
use crate::settings::Threads;
use crate::status::{Result, pg_status};
use crate::table::{self, Kind};
use crate::types::{pg_array, pg_events, pg_key_pair, pg_objects, pg_rejected};

/// The keys of objects: the caller's, or their indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys(Option<Strided<u64>>);

impl Keys {
    pub(crate) fn new(array: pg_array, count: usize) -> Result<Self> {
        Ok(Keys((!array.data.is_null()).then(|| Strided::new(array, count, "keys")).transpose()?))
    }

    fn key(&self, index: u32) -> u64 {
        self.0.map_or(index.into(), |keys| keys.get(index as usize))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tracker {
    tracker: PairTracker<u64>,
    pub(crate) rejected: Vec<pg_rejected>,
}

impl Kind for Tracker {
    const NAME: &'static str = "pg_tracker";
}

// A pair of keys is lent as it lies in the tracker. Rust does not promise the layout of a tuple, so it is checked at compile time.
const _: () = {
    assert!(size_of::<(u64, u64)>() == size_of::<pg_key_pair>());
    assert!(offset_of!((u64, u64), 0) == offset_of!(pg_key_pair, a) && offset_of!((u64, u64), 1) == offset_of!(pg_key_pair, b));
};

impl Tracker {
    pub(crate) fn update(
        &mut self,
        pairs: Pairs<'_>,
        keys: Keys,
        touches: impl Fn(Pair) -> bool + Sync,
        threads: &Threads,
    ) -> Result {
        let pairs = pairs.keyed_by(|index| keys.key(index)).touching(touches);
        match threads.own() {
            Some(own) => self.tracker.on(own).try_update(pairs)?,
            None => self.tracker.try_par_update(pairs)?,
        };
        Ok(())
    }

    fn events(&self) -> pg_events {
        let events = self.tracker.events();
        pg_events {
            started: events.started.as_ptr().cast(),
            started_count: events.started.len(),
            ongoing: events.ongoing.as_ptr().cast(),
            ongoing_count: events.ongoing.len(),
            ended: events.ended.as_ptr().cast(),
            ended_count: events.ended.len(),
            rejected: self.rejected.as_ptr(),
            rejected_count: self.rejected.len(),
        }
    }
}

/// Makes a tracker without pairs.
#[unsafe(no_mangle)]
pub extern "C" fn pg_tracker_create(tracker: Out<pg_tracker>) -> pg_status {
    border(|| {
        tracker.check("tracker")?;
        tracker.set(pg_tracker { id: table::insert(Tracker::default(), false)? }, "tracker")
    })
}

/// Destroys it. Memory that it lent becomes invalid.
#[unsafe(no_mangle)]
pub extern "C" fn pg_tracker_destroy(tracker: pg_tracker) -> pg_status {
    border_of(tracker.id, || table::destroy::<Tracker>(tracker.id))
}

/// A step of the broad phase, and the changes since the tracker's last step.
///
/// `keys` are `uint64_t`s that identify objects, so that these may come, go, and change places between steps; if null, an object's key is
/// its index. Objects that share a key count as one.
///
/// `tight` may be null. Otherwise it has as many objects as `objects`, which have a margin around them: a pair starts when the tight
/// boxes touch, and ends when the boxes with margins no longer do.
#[unsafe(no_mangle)]
pub extern "C" fn pg_tracker_step(
    tracker: pg_tracker,
    broad_phase: pg_broad_phase,
    objects: In<pg_objects>,
    tight: In<pg_objects>,
    keys: pg_array,
    events: Out<pg_events>,
) -> pg_status {
    border_of(tracker.id, || {
        events.check("events")?;
        let (entry, of_broad_phase) = (table::find(tracker.id)?, table::find(broad_phase.id)?);
        let mut tracker = entry.write::<Tracker>()?;
        of_broad_phase.write::<AnyBroadPhase>()?.track(objects, tight, keys, &mut tracker)?;
        events.set(tracker.events(), "events")
    })
}

/// Forgets the pairs of a key, so that the next step does not report that they ended.
#[unsafe(no_mangle)]
pub extern "C" fn pg_tracker_forget(tracker: pg_tracker, key: u64) -> pg_status {
    border_of(tracker.id, || {
        table::find(tracker.id)?.write::<Tracker>()?.tracker.forget(key);
        Ok(())
    })
}
