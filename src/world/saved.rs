//! Saving and restoring a world.
//!
//! It saves everything that later results depend on: the objects by slot, the order in which free slots are used, and the current pairs. It
//! does not save where objects lie in memory, because no result depends on that.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::slots::{MAX_SLOTS, RETIRED};
use super::{Handle, Object, World};
use crate::runtime::memory;
use crate::{Config, PairTracker, Scalar};

#[derive(Serialize, Deserialize)]
#[serde(rename = "World")]
#[serde(bound(serialize = "[S; D]: Serialize", deserialize = "[S; D]: Deserialize<'de>"))]
struct Saved<S, const D: usize> {
    config: Config,
    margin: f64,
    slots: Vec<SavedSlot<S, D>>,
    free: Vec<u32>,
    pairs: Vec<(Handle, Handle)>,
    /// The user data of objects that were removed, but are in a pair.
    #[serde(default)]
    removed: Vec<(Handle, u64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Slot")]
#[serde(bound(serialize = "[S; D]: Serialize", deserialize = "[S; D]: Deserialize<'de>"))]
struct SavedSlot<S, const D: usize> {
    generation: u32,
    object: Option<Object<S, D>>,
}

impl<S: Scalar, const D: usize> Serialize for World<S, D>
where
    [S; D]: Serialize,
{
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let slot = |(generation, place): (u32, Option<_>)| SavedSlot {
            generation,
            object: place.and_then(|place| self.at(place)).copied(),
        };
        let saved = Saved {
            config: self.broad_phase.engine.builder.config.clone(),
            margin: self.margin.to_f64(),
            slots: self.slots.all().map(slot).collect(),
            free: self.slots.free().to_vec(),
            pairs: self.pairs().to_vec(),
            removed: self.data_of_removed(),
        };
        saved.serialize(serializer)
    }
}

impl<'de, S: Scalar, const D: usize> Deserialize<'de> for World<S, D>
where
    [S; D]: Deserialize<'de>,
{
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Saved::deserialize(deserializer)?.restored().map_err(|damage| T::Error::custom(format_args!("not a world: {damage}")))
    }
}

impl<S: Scalar, const D: usize> World<S, D> {
    fn data_of_removed(&self) -> Vec<(Handle, u64)> {
        let named = self.pairs().iter().flat_map(|&(a, b)| [a, b]).filter(|handle| !self.contains(*handle));
        let mut removed: Vec<_> = named.filter_map(|handle| Some((handle, self.data(handle)?))).collect();
        removed.sort_unstable();
        removed.dedup();
        removed
    }
}

impl<S: Scalar, const D: usize> Saved<S, D> {
    /// The world, or the reason why no world can have written this.
    fn restored(self) -> Result<World<S, D>, String> {
        let mut world = World::with_config(self.config, S::from_f64(self.margin)).map_err(|error| error.to_string())?;
        if self.slots.len() > MAX_SLOTS {
            return Err(format!("{} slots, but there can be at most {MAX_SLOTS}", self.slots.len()));
        }
        for (index, SavedSlot { generation, object }) in (0..).zip(self.slots) {
            if object.is_some() && generation == RETIRED {
                return Err(format!("slot {index} is retired, and has an object"));
            }
            let put = |object: Object<S, D>| {
                world.reserve_for(object.mobility);
                world.put(Handle { index, generation }, object)
            };
            let place = memory::catch(|| object.map(put)).map_err(|error| error.to_string())?;
            world.slots.push(generation, place);
        }
        world.slots.set_free(self.free)?;
        for &(a, b) in &self.pairs {
            if a.index >= b.index || !world.slots.was_given(a) || !world.slots.was_given(b) {
                return Err(format!("{a:?} and {b:?} cannot have been a pair"));
            }
        }
        if !self.pairs.is_sorted_by(|one, next| one < next) {
            return Err("the pairs are not in ascending order".to_owned());
        }
        for (handle, data) in self.removed {
            if world.contains(handle) || !world.slots.was_given(handle) {
                return Err(format!("{handle:?} cannot have been removed"));
            }
            world.slots.set_data_of_removed(handle, data);
        }
        world.tracker = PairTracker::with_current(self.pairs);
        Ok(world)
    }
}
