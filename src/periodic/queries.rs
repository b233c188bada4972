//! Questions about a domain that repeats itself.

use std::ops::ControlFlow;

use super::copies::Copy;
use super::{Domain, Image, Periodic};
use crate::{Aabb, Ball, Neighbor, Queries, Rows, Scalar};

/// Something that was found, and where: the object, moved by `shift` periods, is what the question met. Ordered by what it is, then
/// by where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shifted<T, const D: usize> {
    /// What was found: an index, a [`Neighbor`] or a [`Hit`](crate::Hit).
    pub found: T,
    /// By how many periods to move the object, along each axis; 0 on axes that are not periodic.
    pub shift: [i32; D],
}

impl<T: Default, const D: usize> Default for Shifted<T, D> {
    fn default() -> Self {
        Shifted { found: T::default(), shift: [0; D] }
    }
}

/// Answers questions about the objects of the last step in a periodic domain; made by [`Periodic::queries`].
///
/// | question | into a vector | many questions at once |
/// |---|---|---|
/// | boxes that overlap a box | [`overlapping`](Self::overlapping) | [`par_overlapping`](Self::par_overlapping) |
/// | boxes that contain a point | [`containing`](Self::containing) | [`par_containing`](Self::par_containing) |
/// | boxes along a [`Ray`](crate::Ray) | [`ray_hits`](Self::ray_hits) | [`par_ray_hits`](Self::par_ray_hits) |
/// | the first of them | [`first_hit`](Self::first_hit) | [`par_first_hits`](Self::par_first_hits) |
/// | boxes that a moving box meets ([`Sweep`](crate::Sweep)) | [`sweep_hits`](Self::sweep_hits) | [`par_sweep_hits`](Self::par_sweep_hits) |
/// | the first of them | [`first_contact`](Self::first_contact) | [`par_first_contacts`](Self::par_first_contacts) |
/// | boxes within a radius ([`Ball`]) | [`within`](Self::within) | [`par_within`](Self::par_within) |
/// | the k nearest boxes | [`nearest`](Self::nearest) | [`par_nearest`](Self::par_nearest) |
///
/// The questions are those of [`Queries`], and may lie anywhere, inside the domain or outside, like the objects. What they meet is
/// found wherever it repeats itself, so an object may be found several times, with different shifts, but with each of them once.
/// Rounding is as for [`Periodic`].
///
/// A box or a ball may be up to 1000 periods long. Rays and moving boxes are followed through 65 536 copies of the domain, and
/// [`nearest`](Self::nearest) says how far it looks. That is also what bounds their cost: a look into each copy takes 0.1 to 0.2
/// microseconds where it meets nothing, so a ray that is a million periods long takes some 10 milliseconds. There is no answer to a longer question, to one that is more than 2^29
/// periods away, or to one that makes no sense to [`Queries`] either.
///
/// ```
/// use pivotgrid::{Aabb, Periodic, PeriodicError, Ray, Shifted, Sweep};
///
/// // A channel: periodic along x, walls along y.
/// let mut channel = Periodic::<f32, 2>::new(Aabb::new([0.0, 0.0], [10.0, 3.0]), [true, false])?;
/// channel.par_detect(&[Aabb::new([9.5, 1.0], [10.5, 2.0]), Aabb::new([4.0, 1.0], [5.0, 2.0])]);
///
/// let queries = channel.queries();
/// let mut found = Vec::new();
/// queries.overlapping(&Aabb::new([0.0, 0.0], [1.0, 3.0]), &mut found);
/// assert_eq!(found, [Shifted { found: 0, shift: [-1, 0] }]); // box 0 moved back by one period
///
/// let hit = queries.first_hit(&Ray::new([6.0, 1.5], [1.0, 0.0]).up_to(100.0)).unwrap();
/// assert_eq!((hit.found.index, hit.found.t, hit.shift), (0, 3.5, [0, 0]));
/// let hit = queries.first_hit(&Ray::new([3.0, 1.5], [-1.0, 0.0]).up_to(100.0)).unwrap();
/// assert_eq!((hit.found.index, hit.found.t, hit.shift), (0, 2.5, [-1, 0]));
///
/// let mut hits = Vec::new();
/// queries.ray_hits(&Ray::new([6.0, 1.5], [1.0, 0.0]).up_to(16.0), &mut hits);
/// assert_eq!(hits.iter().map(|hit| hit.found.t).collect::<Vec<_>>(), [3.5, 8.0, 13.5]); // boxes 0, 1, and 0 again
/// let contact = queries.first_contact(&Sweep::new(Aabb::new([6.0, 1.0], [7.0, 2.0]), [10.0, 0.0])).unwrap();
/// assert_eq!((contact.found.index, contact.found.t), (0, 0.25));
///
/// let mut near = Vec::new();
/// queries.nearest([1.0, 1.5], 2, &mut near);
/// assert_eq!(near.iter().map(|one| (one.found.index, one.shift)).collect::<Vec<_>>(), [(0, [-1, 0]), (1, [0, 0])]);
/// # Ok::<(), PeriodicError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PeriodicQueries<'a, S: Scalar, const D: usize> {
    pub(super) domain: &'a Domain<S, D>,
    pub(super) images: &'a [Image<S, D>],
    pub(super) queries: Queries<'a, S, D>,
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Questions about the objects as the last step found them, like [`BroadPhase::queries`](crate::BroadPhase::queries): there is
    /// nothing to be found after a step that did not come to its end.
    pub fn queries(&self) -> PeriodicQueries<'_, S, D> {
        PeriodicQueries { domain: &self.domain, images: self.images.all(), queries: self.broad_phase.queries() }
    }
}

impl<S: Scalar, const D: usize> PeriodicQueries<'_, S, D> {
    /// All objects whose boxes overlap `bounds`, in no particular order.
    pub fn overlapping(&self, bounds: &Aabb<S, D>, found: &mut Vec<Shifted<u32, D>>) {
        found.clear();
        if !bounds.is_valid() {
            return;
        }
        self.domain.for_each_copy(bounds, |copy| {
            let ControlFlow::Continue(()) = self.queries.visit_overlapping(&copy.bounds, |image| {
                found.extend(self.object(copy, image).map(|(object, shift)| Shifted { found: object, shift }));
                ControlFlow::<std::convert::Infallible>::Continue(())
            });
        });
    }

    /// All objects whose boxes contain the point, in no particular order.
    pub fn containing(&self, point: impl Into<[S; D]>, found: &mut Vec<Shifted<u32, D>>) {
        let point = point.into();
        self.overlapping(&Aabb { min: point, max: point }, found);
    }

    /// All objects whose boxes are within the ball's radius of its center, in no particular order.
    pub fn within(&self, ball: &Ball<S, D>, found: &mut Vec<Shifted<Neighbor<S>, D>>) {
        found.clear();
        let bounds = ball.aabb();
        if !bounds.is_valid() {
            return;
        }
        self.domain.for_each_copy(&bounds, |copy| {
            let ball = Ball { center: self.domain.down(ball.center, copy.periods), radius: ball.radius };
            let ControlFlow::Continue(()) = self.queries.visit_within(&ball, |neighbor| {
                let object = self.object(copy, neighbor.index);
                found.extend(object.map(|(index, shift)| Shifted { found: Neighbor { index, ..neighbor }, shift }));
                ControlFlow::<std::convert::Infallible>::Continue(())
            });
        });
    }

    /// [`overlapping`](Self::overlapping) for many boxes, on the threads of the rayon pool in which it is called.
    pub fn par_overlapping(&self, boxes: &[Aabb<S, D>], rows: &mut Rows<Shifted<u32, D>>) {
        rows.fill(boxes, |bounds, found| self.overlapping(bounds, found));
    }

    /// [`containing`](Self::containing) for many points, likewise.
    pub fn par_containing<P>(&self, points: &[P], rows: &mut Rows<Shifted<u32, D>>)
    where
        P: Into<[S; D]> + std::marker::Copy + Sync,
    {
        rows.fill(points, |point, found| self.containing(*point, found));
    }

    /// [`within`](Self::within) for many balls, likewise.
    pub fn par_within(&self, balls: &[Ball<S, D>], rows: &mut Rows<Shifted<Neighbor<S>, D>>) {
        rows.fill(balls, |ball, found| self.within(ball, found));
    }

    /// The object that a copy of a question met an image of, and where it is; nothing if that is for another copy to say.
    #[inline]
    pub(super) fn object(&self, copy: &Copy<S, D>, image: u32) -> Option<(u32, [i32; D])> {
        let image = &self.images[image as usize];
        (copy.ghostless & image.shifted == 0).then(|| (image.object, image.shift(copy.periods)))
    }
}
