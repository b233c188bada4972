//! Queries in a periodic domain.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::Periodic;
use super::owners::Owners;
use super::query_images::QueryImage;
use super::space::Space;
use crate::query::{Target, limit};
use crate::{Aabb, Ball, Filtered, Groups, InGroups, Neighbor, QueryFilter, Rows, Scalar, Unfiltered};

/// A result of a query, and where: the query met the object moved by `shift` periods. Ordered by the result, then by the shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shifted<T, const D: usize> {
    /// The result: an index, a [`Neighbor`] or a [`Hit`](crate::Hit).
    pub found: T,
    /// By how many periods to move the object, along each axis; 0 on axes that are not periodic.
    pub shift: [i32; D],
}

impl<T: Default, const D: usize> Default for Shifted<T, D> {
    fn default() -> Self {
        Shifted { found: T::default(), shift: [0; D] }
    }
}

/// Finds objects in a periodic domain, as of the last step; made by [`Periodic::queries`].
///
/// | query | one result at a time | into a vector | many queries at once |
/// |---|---|---|---|
/// | boxes that overlap a box | [`visit_overlapping`](Self::visit_overlapping) | [`overlapping`](Self::overlapping) | [`par_overlapping`](Self::par_overlapping) |
/// | boxes that contain a point | [`visit_containing`](Self::visit_containing) | [`containing`](Self::containing) | [`par_containing`](Self::par_containing) |
/// | boxes along a [`Ray`](crate::Ray) | [`visit_ray`](Self::visit_ray) | [`ray_hits`](Self::ray_hits) | [`par_ray_hits`](Self::par_ray_hits) |
/// | the first of them | | [`first_hit`](Self::first_hit), [`first_hit_by`](Self::first_hit_by) | [`par_first_hits`](Self::par_first_hits) |
/// | boxes that a moving box meets ([`BoxCast`](crate::BoxCast)) | [`visit_sweep`](Self::visit_sweep) | [`sweep_hits`](Self::sweep_hits) | [`par_sweep_hits`](Self::par_sweep_hits) |
/// | the first of them | | [`first_contact`](Self::first_contact), [`first_contact_by`](Self::first_contact_by) | [`par_first_contacts`](Self::par_first_contacts) |
/// | boxes within a radius ([`Ball`]) | [`visit_within`](Self::visit_within) | [`within`](Self::within) | [`par_within`](Self::par_within) |
/// | the k nearest boxes | | [`nearest`](Self::nearest) | [`par_nearest`](Self::par_nearest) |
///
/// The queries are those of [`Queries`](crate::Queries), and may lie anywhere, inside the domain or outside, like the objects. Objects are
/// found wherever they repeat themselves, so an object may be found several times, once for each shift. Rounding is as for [`Periodic`].
/// [`in_groups`](Self::in_groups) and [`filtered`](Self::filtered) restrict them to some objects.
///
/// A box or a ball may be up to 1000 periods long, in a [`Lattice`](crate::Lattice) up to 98. Rays and moving boxes are followed through 65 536 copies of the domain, and
/// [`nearest`](Self::nearest) says how far it looks. That bounds their cost: a look into each copy takes 0.1 to 0.2 microseconds where
/// it meets nothing, so a ray through all 65 536 takes some 10 milliseconds, as rays do whose period is far below their length. A longer query
/// finds nothing beyond that, nor does one that is more than 2^29 periods away, or that makes no sense
/// to [`Queries`](crate::Queries) either.
///
/// ```
/// use pivotgrid::{Aabb, Periodic, PeriodicError, Ray, Shifted, BoxCast};
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
/// let contact = queries.first_contact(&BoxCast::new(Aabb::new([6.0, 1.0], [7.0, 2.0]), [10.0, 0.0])).unwrap();
/// assert_eq!((contact.found.index, contact.found.t), (0, 0.25));
///
/// let mut near = Vec::new();
/// queries.nearest([1.0, 1.5], 2, &mut near);
/// assert_eq!(near.iter().map(|one| (one.found.index, one.shift)).collect::<Vec<_>>(), [(0, [-1, 0]), (1, [0, 0])]);
/// # Ok::<(), PeriodicError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PeriodicQueries<'a, S: Scalar, const D: usize, F = Unfiltered> {
    pub(super) space: &'a Space<S, D>,
    pub(super) owners: Owners<'a, D>,
    pub(super) target: Target<'a, S, D>,
    pub(super) filter: F,
}

/// A filter of objects, for their images.
pub(super) struct ImageFilter<'a, const D: usize, F> {
    owners: Owners<'a, D>,
    /// The axes, as bits, on which ghosts do not count.
    ghostless: u8,
    filter: &'a F,
}

impl<const D: usize, F: QueryFilter<u32>> QueryFilter<u32> for ImageFilter<'_, D, F> {
    #[inline(always)]
    fn admits(&self, image: u32, groups: impl FnOnce() -> Groups) -> bool {
        let image = image as usize;
        self.ghostless & self.owners.shifted(image) == 0 && self.filter.admits(self.owners.owner(image), groups)
    }
}

impl<S: Scalar, const D: usize> Periodic<S, D> {
    /// Queries about the objects as the last step found them, like [`BroadPhase::queries`](crate::BroadPhase::queries): they find nothing
    /// after a step that did not complete.
    pub fn queries(&self) -> PeriodicQueries<'_, S, D> {
        let target = self.broad_phase.queries().target;
        PeriodicQueries { space: &self.space, owners: self.images.owners(), target, filter: Unfiltered }
    }
}

impl<'a, S: Scalar, const D: usize, F> PeriodicQueries<'a, S, D, F> {
    /// The same queries among objects whose [`Groups`] admit these; see [`Queries::in_groups`](crate::Queries::in_groups).
    pub fn in_groups(self, groups: Groups) -> PeriodicQueries<'a, S, D, InGroups<F>> {
        let PeriodicQueries { space, owners, target, filter } = self;
        PeriodicQueries { space, owners, target, filter: InGroups { inner: filter, groups } }
    }

    /// The same queries among objects for whose indices `predicate` returns true; see
    /// [`Queries::filtered`](crate::Queries::filtered).
    pub fn filtered<P: Fn(u32) -> bool>(self, predicate: P) -> PeriodicQueries<'a, S, D, Filtered<F, P>> {
        let PeriodicQueries { space, owners, target, filter } = self;
        PeriodicQueries { space, owners, target, filter: Filtered { inner: filter, predicate } }
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32>> PeriodicQueries<'_, S, D, F> {
    /// Calls `visit` with every object whose box overlaps `bounds`, in no particular order, until it returns `Break`.
    pub fn visit_overlapping<B>(
        &self,
        bounds: &Aabb<S, D>,
        mut visit: impl FnMut(Shifted<u32, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if !bounds.is_valid() {
            return ControlFlow::Continue(());
        }
        self.space.try_for_each_query_image(bounds, |query| {
            let filter = self.filter_of(query.ghostless);
            self.target.visit_overlapping(&query.bounds, &filter, |image| visit(self.shifted(query, image, |index| index)))
        })
    }

    /// All objects whose boxes overlap `bounds`, in no particular order.
    pub fn overlapping(&self, bounds: &Aabb<S, D>, found: &mut Vec<Shifted<u32, D>>) {
        found.clear();
        let ControlFlow::Continue(()) = self.visit_overlapping(bounds, |one| {
            found.push(one);
            ControlFlow::<Infallible>::Continue(())
        });
    }

    /// Calls `visit` with every object whose box contains the point, in no particular order, until it returns `Break`.
    pub fn visit_containing<B>(
        &self,
        point: impl Into<[S; D]>,
        visit: impl FnMut(Shifted<u32, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let point = point.into();
        self.visit_overlapping(&Aabb { min: point, max: point }, visit)
    }

    /// All objects whose boxes contain the point, in no particular order.
    pub fn containing(&self, point: impl Into<[S; D]>, found: &mut Vec<Shifted<u32, D>>) {
        let point = point.into();
        self.overlapping(&Aabb { min: point, max: point }, found);
    }

    /// Calls `visit` with every object whose box is within the ball's radius of its center, in no particular order, until it returns
    /// `Break`.
    pub fn visit_within<B>(
        &self,
        ball: &Ball<S, D>,
        mut visit: impl FnMut(Shifted<Neighbor<S>, D>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let bounds = ball.aabb();
        let Some(limit) = limit(ball).filter(|_| bounds.is_valid()) else { return ControlFlow::Continue(()) };
        self.space.try_for_each_query_image(&bounds, |query| {
            let (center, filter) = (self.space.down(ball.center, query.periods), self.filter_of(query.ghostless));
            self.target.visit_within(&center, limit, &filter, |near| {
                visit(self.shifted(query, near.index, |index| Neighbor { index, ..near }))
            })
        })
    }

    /// All objects whose boxes are within the ball's radius of its center, in no particular order.
    pub fn within(&self, ball: &Ball<S, D>, found: &mut Vec<Shifted<Neighbor<S>, D>>) {
        found.clear();
        let ControlFlow::Continue(()) = self.visit_within(ball, |one| {
            found.push(one);
            ControlFlow::<Infallible>::Continue(())
        });
    }

    #[inline]
    pub(super) fn filter_of(&self, ghostless: u8) -> ImageFilter<'_, D, F> {
        ImageFilter { owners: self.owners, ghostless, filter: &self.filter }
    }

    /// A result of an image of a query: the object of the image that it met, and the place of that image.
    #[inline]
    pub(super) fn shifted<T>(&self, query: &QueryImage<S, D>, image: u32, found: impl FnOnce(u32) -> T) -> Shifted<T, D> {
        let image = image as usize;
        let periods = self.owners.periods(image);
        let shift = std::array::from_fn(|axis| query.periods[axis] - periods[axis]);
        Shifted { found: found(self.owners.owner(image)), shift }
    }
}

impl<S: Scalar, const D: usize, F: QueryFilter<u32> + Sync> PeriodicQueries<'_, S, D, F> {
    /// [`overlapping`](Self::overlapping) for many boxes, on the threads of the rayon pool in which it is called.
    pub fn par_overlapping(&self, boxes: &[Aabb<S, D>], rows: &mut Rows<Shifted<u32, D>>) {
        rows.fill(boxes, |bounds, found| self.overlapping(bounds, found));
    }

    /// [`containing`](Self::containing) for many points, likewise.
    pub fn par_containing<P: Into<[S; D]> + Copy + Sync>(&self, points: &[P], rows: &mut Rows<Shifted<u32, D>>) {
        rows.fill(points, |point, found| self.containing(*point, found));
    }

    /// [`within`](Self::within) for many balls, likewise.
    pub fn par_within(&self, balls: &[Ball<S, D>], rows: &mut Rows<Shifted<Neighbor<S>, D>>) {
        rows.fill(balls, |ball, found| self.within(ball, found));
    }
}
