//! Boxes in motion.

use baselines::Bounds;

/// A scene that moves.
pub(crate) trait Motion<const D: usize> {
    fn boxes(&self) -> &[Bounds<D>];

    /// Moves everything on by one step.
    fn advance(&mut self);
}

/// Boxes that rest.
#[derive(Clone, Debug)]
pub(crate) struct Still<const D: usize>(pub(crate) Vec<Bounds<D>>);

impl<const D: usize> Motion<D> for Still<D> {
    fn boxes(&self) -> &[Bounds<D>] {
        &self.0
    }

    fn advance(&mut self) {}
}
