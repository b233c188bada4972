//! Filters: the objects that a query may find.

use crate::Groups;

/// Decides which objects queries find, by their keys (indices or [`Handle`](crate::Handle)s) and their [`Groups`].
///
/// Queries are filtered by [`Queries::in_groups`](crate::Queries::in_groups) and [`Queries::filtered`](crate::Queries::filtered), and by
/// the methods of the same names of [`WorldQueries`](crate::WorldQueries) and [`PeriodicQueries`](crate::PeriodicQueries). Both return
/// queries of another type, whose last parameter is a filter. Functions that take queries with any filter have a bound of this kind:
///
/// ```
/// use pivotgrid::{Aabb, QueryFilter, Queries};
///
/// fn is_free<F: QueryFilter<u32>>(queries: &Queries<'_, f32, 2, F>, room: &Aabb<f32, 2>) -> bool {
///     queries.visit_overlapping(room, std::ops::ControlFlow::Break).is_continue()
/// }
/// ```
pub trait QueryFilter<K> {
    /// Whether all objects are admitted, so that no filter need be called.
    #[doc(hidden)]
    const ADMITS_ALL: bool = false;

    /// Whether an object is found. `groups` returns its groups.
    fn admits(&self, key: K, groups: impl FnOnce() -> Groups) -> bool;
}

/// The filter of queries that find all objects. It compiles to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfiltered;

impl<K> QueryFilter<K> for Unfiltered {
    const ADMITS_ALL: bool = true;

    #[inline(always)]
    fn admits(&self, _: K, _: impl FnOnce() -> Groups) -> bool {
        true
    }
}

/// A filter, and [`Groups`] that an object must pair with.
#[derive(Clone, Copy, Debug)]
pub struct InGroups<F> {
    pub(crate) inner: F,
    pub(crate) groups: Groups,
}

impl<K: Copy, F: QueryFilter<K>> QueryFilter<K> for InGroups<F> {
    #[inline(always)]
    fn admits(&self, key: K, groups: impl FnOnce() -> Groups) -> bool {
        let groups = groups();
        self.groups.admit(groups) && self.inner.admits(key, || groups)
    }
}

/// A filter, and a predicate that an object must satisfy.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<F, P> {
    pub(crate) inner: F,
    pub(crate) predicate: P,
}

impl<K: Copy, F: QueryFilter<K>, P: Fn(K) -> bool> QueryFilter<K> for Filtered<F, P> {
    #[inline(always)]
    fn admits(&self, key: K, groups: impl FnOnce() -> Groups) -> bool {
        self.inner.admits(key, groups) && (self.predicate)(key)
    }
}

/// A filter by reference, for the parts of a query that share one.
impl<K, F: QueryFilter<K>> QueryFilter<K> for &F {
    const ADMITS_ALL: bool = F::ADMITS_ALL;

    #[inline(always)]
    fn admits(&self, key: K, groups: impl FnOnce() -> Groups) -> bool {
        F::admits(self, key, groups)
    }
}
