//! The canonical order of a step's pairs.

use super::Engine;
use crate::runtime::clock::Clock;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::sorting::Ordered;
use crate::{Pair, Pairs, Scalar};

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Puts the pairs of the current step into order, if the settings say so.
    pub(crate) fn order_pairs(&mut self, team: Team) {
        if self.builder.config.canonical_order {
            self.builder.budget.check(Ordered::<Pair>::bytes_for(self.builder.stats.pairs).saturating_sub(self.ordered.bytes()));
            let mut clock = Clock::start();
            scope!("pivotgrid::order", self.ordered.sort(&Pairs::<Pair>::new(&self.detector.pairs, &[]), team));
            self.builder.stats.bytes = self.bytes();
            self.builder.stats.times.order += clock.lap();
        }
    }

    /// The same for the pairs with static objects.
    pub(crate) fn order_static_pairs(&mut self, team: Team) {
        if self.builder.config.canonical_order {
            let mut clock = Clock::start();
            scope!("pivotgrid::order", self.static_ordered.sort(&Pairs::<Pair>::new(&self.static_pairs, &[]), team));
            self.builder.stats.times.order += clock.lap();
        }
    }
}
