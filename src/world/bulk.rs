//! Many changes of a world at once.

use super::object::Inflated;
use super::{Handle, Object, World};
use crate::runtime::memory;
use crate::runtime::team::Team;
use crate::sorting::{Divisible, share_out};
use crate::{Aabb, DetectError, Scalar, StaleHandle};

/// Objects that a worker takes at a time.
const BLOCK: usize = 1024;
/// Up to this many objects, work stays on the calling thread.
const SERIAL_UP_TO: usize = 4096;

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
    /// before, but for handles that it will never give out.
    pub fn try_insert_all(&mut self, objects: &[Object<S, D>], handles: &mut Vec<Handle>) -> Result<(), DetectError> {
        handles.clear();
        memory::catch(|| memory::reserve_with_slack(handles, objects.len()))?;
        for object in objects {
            match self.try_insert(*object) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    for handle in handles.drain(..) {
                        // It was inserted just now.
                        let _ = self.remove(handle);
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// [Removes](Self::remove) many objects. If one of the handles is stale, or there twice, those before it are removed, and it is the
    /// error.
    pub fn remove_all(&mut self, handles: &[Handle]) -> Result<(), StaleHandle> {
        handles.iter().try_for_each(|&handle| self.remove(handle).map(drop))
    }

    /// [Moves](Self::set_aabb) many objects. If one of the handles is stale, those before it have moved, and it is the error.
    pub fn set_aabbs(&mut self, boxes: &[(Handle, Aabb<S, D>)]) -> Result<(), StaleHandle> {
        boxes.iter().try_for_each(|&(handle, aabb)| self.set_aabb(handle, aabb))
    }

    /// Runs `update` on the box of every moving object, on the threads of the rayon pool in which it is called: the quickest way to
    /// move many. (Of swept ones, it is the box at the beginning.)
    ///
    /// ```
    /// use pivotgrid::{Aabb, Object, World};
    ///
    /// let mut world = World::<f32, 2>::new();
    /// let ball = world.insert(Object::new_moving(Aabb::around([0.0, 0.0], [0.5, 0.5])));
    /// let mut velocities = vec![[0.0; 2]; 1]; // by the handles' indices
    /// velocities[ball.index as usize] = [1.0, 2.0];
    /// world.par_move(|handle, aabb| {
    ///     let [x, y] = velocities[handle.index as usize];
    ///     *aabb = Aabb::new([aabb.min[0] + x, aabb.min[1] + y], [aabb.max[0] + x, aabb.max[1] + y]);
    /// });
    /// assert_eq!(world.get(ball)?.aabb, Aabb::around([1.0, 2.0], [0.5, 0.5]));
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn par_move(&mut self, update: impl Fn(Handle, &mut Aabb<S, D>) + Sync) {
        let (handles, objects) = (&self.moving.handles[..], &mut self.moving.objects[..]);
        let run = |Moved { handles, objects }: Moved<'_, S, D>| {
            handles.iter().zip(objects).for_each(|(&handle, inflated)| update(handle, &mut inflated.object.aabb));
        };
        match handles.len() <= SERIAL_UP_TO {
            true => run(Moved { handles, objects }),
            false => rayon::scope(|_| share_out(Moved { handles, objects }, Team::of_current_pool(), &run)),
        }
    }
}

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
