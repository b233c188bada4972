//! Moving many objects of a world at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::object::Inflated;
use super::scatter::scatter;
use super::slots::ObjectPlace;
use super::{Handle, World};
use crate::lockfree::Blocks;
use crate::runtime::memory;
use crate::runtime::on::On;
use crate::runtime::team::Threads;
use crate::sorting::{Divisible, share_out};
use crate::{Aabb, Scalar, StaleHandle};

/// Objects that a worker claims at a time.
pub(super) const BLOCK: usize = 1024;
/// Up to this many objects, work stays on the calling thread.
pub(super) const SERIAL_UP_TO: usize = 4096;

impl<S: Scalar, const D: usize> World<S, D> {
    /// [Moves](Self::set_aabb) many objects. If a handle is stale, the objects before it have moved, and the error contains that handle. Of
    /// several boxes for one object, the last one is used.
    pub fn set_aabbs(&mut self, boxes: &[(Handle, Aabb<S, D>)]) -> Result<(), StaleHandle> {
        self.set_aabbs_on(boxes, Threads::Serial)
    }

    /// [`set_aabbs`](Self::set_aabbs) on the threads of the rayon pool in which it is called.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let at = |i: usize, y: f32| Aabb::around([i as f32, y], [0.4, 0.4]);
    /// let sparks: Vec<_> = (0..10_000).map(|i| Object::new_moving(at(i, 0.0))).collect();
    /// let mut handles = Vec::new();
    /// world.par_insert_all(&sparks, &mut handles);
    /// let boxes: Vec<_> = handles.iter().enumerate().map(|(i, &handle)| (handle, at(i, 9.0))).collect();
    /// world.par_set_aabbs(&boxes)?;
    /// assert_eq!(world.get(handles[7])?.aabb, at(7, 9.0));
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn par_set_aabbs(&mut self, boxes: &[(Handle, Aabb<S, D>)]) -> Result<(), StaleHandle> {
        self.set_aabbs_on(boxes, Threads::Pool)
    }

    fn set_aabbs_on(&mut self, boxes: &[(Handle, Aabb<S, D>)], threads: Threads<'_>) -> Result<(), StaleHandle> {
        let team = threads.team(boxes.len() <= SERIAL_UP_TO);
        // The places that the handles lead to. Without memory for them, objects are moved one by one.
        let has_room = memory::catch(|| memory::reserve_with_slack(&mut self.places, boxes.len())).is_ok();
        if team.workers() == 1 || !has_room {
            return boxes.iter().try_for_each(|&(handle, aabb)| self.set_aabb(handle, aabb));
        }
        self.places.resize(boxes.len(), 0);
        let World { slots, moving, places, .. } = self;
        // Relaxed, both: read after the join.
        let (first_stale, has_static) = (AtomicUsize::new(boxes.len()), AtomicBool::new(false));
        team.enter(|| {
            let blocks = Blocks::new(places, BLOCK);
            team.run(|| {
                while let Some((first, block)) = blocks.claim() {
                    for (number, place) in (first..).zip(block) {
                        *place = match slots.place(boxes[number].0) {
                            Ok(ObjectPlace::Moving(place)) => place,
                            Ok(ObjectPlace::Static(_)) => {
                                has_static.store(true, Ordering::Relaxed);
                                ELSEWHERE
                            }
                            Err(_) => {
                                first_stale.fetch_min(number, Ordering::Relaxed);
                                ELSEWHERE
                            }
                        };
                    }
                }
            });
            let known = &places[..first_stale.load(Ordering::Relaxed)];
            scatter(
                known,
                |place| *place,
                &mut moving.objects,
                team,
                |number, inflated| {
                    (inflated.object.aabb, inflated.object.sweep_to) = (boxes[number].1, None);
                },
            );
        });
        let first_stale = first_stale.into_inner();
        if has_static.into_inner() {
            let statics = boxes[..first_stale].iter().zip(&self.places).filter(|(_, place)| **place == ELSEWHERE);
            for (&(handle, aabb), _) in statics {
                if let Ok(ObjectPlace::Static(place)) = self.slots.place(handle) {
                    self.statics.update(place, |object| (object.aabb, object.sweep_to) = (aabb, None));
                }
            }
        }
        boxes.get(first_stale).map_or(Ok(()), |&(handle, _)| Err(StaleHandle { handle }))
    }

    /// Runs `update` on the box of every moving object, on the threads of the rayon pool in which it is called: the fastest way to move
    /// many. (For swept objects it is the box at the beginning.)
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let ball = world.insert(Object::new_moving(Aabb::around([0.0, 0.0], [0.5, 0.5])));
    /// let mut velocities = vec![[0.0; 2]; 1]; // by the handles' indices
    /// velocities[ball.index as usize] = [1.0, 2.0];
    /// world.par_for_each_moving(|handle, aabb| {
    ///     let [x, y] = velocities[handle.index as usize];
    ///     *aabb = Aabb::new([aabb.min[0] + x, aabb.min[1] + y], [aabb.max[0] + x, aabb.max[1] + y]);
    /// });
    /// assert_eq!(world.get(ball)?.aabb, Aabb::around([1.0, 2.0], [0.5, 0.5]));
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn par_for_each_moving(&mut self, update: impl Fn(Handle, &mut Aabb<S, D>) + Sync) {
        self.move_on(update, Threads::Pool);
    }

    fn move_on(&mut self, update: impl Fn(Handle, &mut Aabb<S, D>) + Sync, threads: Threads<'_>) {
        let (handles, objects) = (&self.moving.handles[..], &mut self.moving.objects[..]);
        let run = |Moved { handles, objects }: Moved<'_, S, D>| {
            handles.iter().zip(objects).for_each(|(&handle, inflated)| update(handle, &mut inflated.object.aabb));
        };
        threads.enter(handles.len() <= SERIAL_UP_TO, |team| share_out(Moved { handles, objects }, team, &run));
    }
}

impl<S: Scalar, const D: usize> On<'_, '_, World<S, D>> {
    /// [`World::par_set_aabbs`] on these threads.
    pub fn set_aabbs(self, boxes: &[(Handle, Aabb<S, D>)]) -> Result<(), StaleHandle> {
        self.it.set_aabbs_on(boxes, self.threads)
    }

    /// [`World::par_for_each_moving`] on these threads.
    pub fn for_each_moving(self, update: impl Fn(Handle, &mut Aabb<S, D>) + Sync) {
        self.it.move_on(update, self.threads);
    }
}

/// Stands for a place that is not a moving object's.
pub(super) const ELSEWHERE: u32 = u32::MAX;

/// A piece is a block of moving objects.
struct Moved<'a, S, const D: usize> {
    handles: &'a [Handle],
    objects: &'a mut [Inflated<S, D>],
}

impl<S: Scalar, const D: usize> Divisible for Moved<'_, S, D> {
    fn pieces(&self) -> usize {
        self.handles.len().div_ceil(BLOCK)
    }

    fn divide(self, pieces: usize) -> (Self, Self) {
        let at = (pieces * BLOCK).min(self.handles.len());
        let (handles, other_handles) = self.handles.split_at(at);
        let (objects, other_objects) = self.objects.split_at_mut(at);
        (Moved { handles, objects }, Moved { handles: other_handles, objects: other_objects })
    }
}
