//! Static sets on threads of the caller's own.

use super::{StaleIndex, StaticSet};
use crate::runtime::on::On;
use crate::runtime::team::ForkJoin;
use crate::{Bounded, DetectError, Scalar};

impl<S: Scalar, const D: usize> StaticSet<S, D> {
    /// The next call on threads of your own: see [`On`].
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }
}

impl<S: Scalar, const D: usize> On<'_, '_, StaticSet<S, D>> {
    /// [`StaticSet::par_build`] on these threads.
    pub fn build<T: Bounded<S, D> + Sync>(self, objects: &[T]) {
        self.try_build(objects).unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`StaticSet::try_par_build`] on these threads.
    pub fn try_build<T: Bounded<S, D> + Sync>(self, objects: &[T]) -> Result<(), DetectError> {
        self.it.build_on(objects, self.threads)
    }

    /// [`StaticSet::par_rebuild`] on these threads.
    pub fn rebuild(self) {
        self.try_rebuild().unwrap_or_else(|error| panic!("{error}"));
    }

    /// [`StaticSet::try_par_rebuild`] on these threads.
    pub fn try_rebuild(self) -> Result<(), DetectError> {
        self.it.rebuild_on(self.threads)
    }

    /// [`StaticSet::par_insert`]; if a grid has to be built, on these threads.
    pub fn insert<T: Bounded<S, D>>(self, object: &T) -> u32 {
        self.try_insert(object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`StaticSet::try_par_insert`]; if a grid has to be built, on these threads.
    pub fn try_insert<T: Bounded<S, D>>(self, object: &T) -> Result<u32, DetectError> {
        self.it.insert_on(object, self.threads)
    }

    /// [`StaticSet::par_update`]; if a grid has to be built, on these threads.
    pub fn update<T: Bounded<S, D>>(self, index: u32, object: &T) -> Result<(), StaleIndex> {
        self.try_update(index, object).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`StaticSet::try_par_update`]; if a grid has to be built, on these threads.
    pub fn try_update<T: Bounded<S, D>>(self, index: u32, object: &T) -> Result<Result<(), StaleIndex>, DetectError> {
        self.it.update_on(index, object, self.threads)
    }
}
