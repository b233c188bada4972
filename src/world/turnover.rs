//! Inserting and removing many objects of a world at once.

use std::sync::atomic::{AtomicBool, Ordering};

use super::bulk::{BLOCK, SERIAL_UP_TO};
use super::object::Inflated;
use super::scatter::scatter;
use super::slots::{ObjectPlace, Slots};
use super::{Handle, Mobility, Object, World};
use crate::lockfree::{Blocks, Cursor, append, shared};
use crate::runtime::memory;
use crate::runtime::on::On;
use crate::runtime::team::{Team, Threads};
use crate::{DetectError, Scalar, StaleHandle};

/// With fewer, removing one after the other is faster than looking at all objects that stay.
const FEW: usize = 64;

impl<S: Scalar, const D: usize> World<S, D> {
    /// [Inserts](Self::insert) many objects. Their handles replace what the vector holds, in the order of the objects, and are the
    /// same as if they had been inserted one by one.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let sparks: Vec<_> = (0..1000).map(|i| Object::new_moving(Aabb::around([i as f32, 0.0], [0.5, 0.5]))).collect();
    /// let mut handles = Vec::new();
    /// world.insert_all(&sparks, &mut handles);
    /// assert_eq!(world.par_step().started.len(), 999);
    /// world.remove_all(&handles[..500])?;
    /// assert_eq!(world.par_step().ended.len(), 500);
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there would be more than 2³⁰ objects, or memory is refused; [`try_insert_all`](Self::try_insert_all) returns an error
    /// instead.
    pub fn insert_all(&mut self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) {
        self.try_insert_all(objects, handles).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`insert_all`](Self::insert_all), or an error with more than 2³⁰ objects and when memory is refused. The world is then as it was
    /// before.
    pub fn try_insert_all(&mut self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) -> Result<(), DetectError> {
        self.insert_all_on(objects, handles, Threads::Serial)
    }

    /// [`insert_all`](Self::insert_all) on the threads of the rayon pool in which it is called.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let sparks: Vec<_> = (0..10_000).map(|i| Object::new_moving(Aabb::around([i as f32, 0.0], [0.5, 0.5]))).collect();
    /// let mut handles = Vec::new();
    /// world.par_insert_all(&sparks, &mut handles);
    /// assert_eq!(world.get(handles[7000])?.aabb, sparks[7000].aabb);
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`insert_all`](Self::insert_all).
    pub fn par_insert_all(&mut self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) {
        self.try_par_insert_all(objects, handles).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`try_insert_all`](Self::try_insert_all) on the threads of the rayon pool in which it is called.
    pub fn try_par_insert_all(&mut self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) -> Result<(), DetectError> {
        self.insert_all_on(objects, handles, Threads::Pool)
    }

    /// [Removes](Self::remove) many objects. If a handle is stale, or occurs twice, the objects before it are removed, and the error
    /// contains that handle.
    pub fn remove_all(&mut self, handles: &[Handle]) -> Result<(), StaleHandle> {
        self.remove_all_on(handles, Threads::Serial)
    }

    /// [`remove_all`](Self::remove_all) on the threads of the rayon pool in which it is called.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let sparks: Vec<_> = (0..10_000).map(|i| Object::new_moving(Aabb::around([i as f32, 0.0], [0.5, 0.5]))).collect();
    /// let mut handles = Vec::new();
    /// world.par_insert_all(&sparks, &mut handles);
    /// world.par_remove_all(&handles[..8000])?;
    /// assert_eq!(world.len(), 2000);
    /// assert_eq!(world.par_remove_all(&handles[..8000]).unwrap_err().handle, handles[0]); // stale
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn par_remove_all(&mut self, handles: &[Handle]) -> Result<(), StaleHandle> {
        self.remove_all_on(handles, Threads::Pool)
    }

    fn insert_all_on(
        &mut self,
        objects: &[Object<S, D>],
        handles: &mut Vec<Handle>,
        threads: Threads<'_>,
    ) -> Result<(), DetectError> {
        handles.clear();
        if objects.len() > self.slots.left() {
            return Err(DetectError::TooManyObjects(self.len().saturating_add(objects.len())));
        }
        let team = threads.team(objects.len() <= SERIAL_UP_TO);
        team.enter(|| {
            let moving = count_moving(objects, team);
            memory::catch(|| {
                memory::reserve_with_slack(handles, objects.len());
                self.slots.reserve(objects.len());
                self.moving.reserve(moving);
                self.statics.reserve(objects.len() - moving);
                self.places.clear();
                if moving < objects.len() {
                    memory::reserve_with_slack(&mut self.places, moving);
                }
            })?;
            self.insert_in_room(objects, moving, handles, team);
            Ok(())
        })
    }

    /// Inserts objects, of which `count` are moving. There is room for all.
    fn insert_in_room(&mut self, objects: &[Object<S, D>], count: usize, handles: &mut Vec<Handle>, team: Team) {
        let World { margin, slots, moving, statics, places, .. } = self;
        append(handles, objects.len(), BLOCK, |room| team.run(|| room.fill(|number| slots.next_after(number))));
        let handles = &handles[..];
        slots.take_all(objects.len());
        // Which objects are moving, unless all are.
        let numbered = (0..).zip(objects);
        if count < objects.len() {
            places.extend(numbered.clone().filter(|(_, object)| object.mobility == Mobility::Moving).map(|(number, _)| number));
        }
        let (margin, first, numbers) = (*margin, moving.handles.len() as u32, &places[..]);
        let mover = |place: usize| if numbers.is_empty() { place } else { numbers[place] as usize };
        append(&mut moving.objects, count, BLOCK, |room| {
            team.run(|| room.fill(|place| Inflated { object: objects[mover(place)], margin }));
        });
        append(&mut moving.handles, count, BLOCK, |room| team.run(|| room.fill(|place| handles[mover(place)])));
        let moved_in = &moving.handles[first as usize..];
        scatter(
            moved_in,
            |handle| handle.index,
            slots.all_mut(),
            team,
            |place, slot| {
                slot.place = Some(ObjectPlace::Moving(first + place as u32));
            },
        );
        if count < objects.len() {
            for (number, object) in numbered.filter(|(_, object)| object.mobility == Mobility::Static) {
                let handle = handles[number as usize];
                let place = statics.insert(handle, Inflated { object: *object, margin });
                slots.set_place(handle, ObjectPlace::Static(place));
            }
        }
    }

    fn remove_all_on(&mut self, handles: &[Handle], threads: Threads<'_>) -> Result<(), StaleHandle> {
        let team = threads.team(handles.len() <= SERIAL_UP_TO);
        // Static objects, errors and slots in their last generation are left to the removal one by one.
        if handles.len() < FEW || !team.enter(|| self.remove_moving(handles, team)) {
            return handles.iter().try_for_each(|&handle| self.remove(handle).map(drop));
        }
        Ok(())
    }

    /// Removes objects if all of them are moving and occur once, and if there is memory for it.
    fn remove_moving(&mut self, handles: &[Handle], team: Team) -> bool {
        let words = self.moving.objects.len().div_ceil(u32::BITS as usize);
        let has_room = memory::catch(|| {
            self.places.clear();
            memory::reserve_with_slack(&mut self.places, words + handles.len());
            self.moves.clear();
            memory::reserve_with_slack(&mut self.moves, handles.len());
        });
        if has_room.is_err() {
            return false;
        }
        let World { slots, moving, places, moves, .. } = self;
        places.resize(words + handles.len(), 0);
        let (is_gone, places) = places.split_at_mut(words);
        if !find(handles, slots, is_gone, places, team) {
            return false;
        }
        let objects = &moving.objects;
        slots.release_all(handles, team, |number| objects[places[number] as usize].object.data);

        // The last objects that stay move to the places of removed ones.
        let stay = moving.objects.len() - handles.len();
        let holes = bits(is_gone, false).take_while(|&place| (place as usize) < stay);
        let last = bits(is_gone, true).map(|place| place as usize).skip_while(|&place| place < stay);
        moves.extend(holes.zip(last.map(|place| (place - stay) as u32)));
        let (kept, last) = moving.objects.split_at_mut(stay);
        scatter(moves, |&(hole, _)| hole, kept, team, |number, object| *object = last[moves[number].1 as usize]);
        let (kept, last) = moving.handles.split_at_mut(stay);
        scatter(moves, |&(hole, _)| hole, kept, team, |number, handle| *handle = last[moves[number].1 as usize]);
        moving.objects.truncate(stay);
        moving.handles.truncate(stay);
        let index = |&(hole, _): &(u32, u32)| moving.handles[hole as usize].index;
        scatter(moves, index, slots.all_mut(), team, |number, slot| slot.place = Some(ObjectPlace::Moving(moves[number].0)));
        true
    }
}

impl<S: Scalar, const D: usize> On<'_, '_, World<S, D>> {
    /// [`World::par_insert_all`] on these threads.
    pub fn insert_all(self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) {
        self.try_insert_all(objects, handles).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`World::try_par_insert_all`] on these threads.
    pub fn try_insert_all(self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) -> Result<(), DetectError> {
        self.it.insert_all_on(objects, handles, self.threads)
    }

    /// [`World::par_remove_all`] on these threads.
    pub fn remove_all(self, handles: &[Handle]) -> Result<(), StaleHandle> {
        self.it.remove_all_on(handles, self.threads)
    }
}

/// How many of the objects are moving.
fn count_moving<S: Scalar, const D: usize>(objects: &[Object<S, D>], team: Team) -> usize {
    let (claims, moving) = (Cursor::new(), Cursor::new());
    team.run(|| {
        while let Some(block) = claims.claim(BLOCK, objects.len()) {
            moving.take(objects[block].iter().filter(|object| object.mobility == Mobility::Moving).count());
        }
    });
    moving.claimed()
}

/// Finds the places of objects, and sets a bit for each. False if one of them is not moving, does not exist, occurs twice, or has a slot in
/// its last generation; some bits may then be set.
fn find(handles: &[Handle], slots: &Slots, bits: &mut [u32], places: &mut [u32], team: Team) -> bool {
    let (bits, blocks, is_simple) = (shared(bits), Blocks::new(places, BLOCK), AtomicBool::new(true));
    team.run(|| {
        while let Some((first, block)) = blocks.claim() {
            for (&handle, place) in handles[first..].iter().zip(block) {
                let Ok(ObjectPlace::Moving(found)) = slots.place(handle) else {
                    return is_simple.store(false, Ordering::Relaxed);
                };
                *place = found;
                let bit = 1 << (found % u32::BITS);
                // Relaxed, here and below: read after the join.
                let before = bits[(found / u32::BITS) as usize].fetch_or(bit, Ordering::Relaxed);
                if before & bit != 0 || !Slots::is_reusable(handle) {
                    return is_simple.store(false, Ordering::Relaxed);
                }
            }
        }
    });
    is_simple.into_inner()
}

/// The numbers of the bits that are set, or of those that are not, in ascending order.
fn bits(words: &[u32], are_inverted: bool) -> impl Iterator<Item = u32> {
    let words = words.iter().map(move |&word| if are_inverted { !word } else { word });
    (0..).step_by(u32::BITS as usize).zip(words).flat_map(|(first, word)| {
        let rest = std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)));
        rest.take_while(|&rest| rest != 0).map(move |rest| first + rest.trailing_zeros())
    })
}
