//! The canonical order of a step's pairs.

use super::Engine;
use crate::build::builder::Builder;
use crate::runtime::clock::Clock;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::sorting::Ordered;
use crate::{Pair, Pairs, Scalar};

impl<S: Scalar, const D: usize> Engine<S, D> {
    /// Puts the pairs of the current step into order, if the settings say so.
    pub(crate) fn order_pairs(&mut self, team: Team) {
        if self.builder.config.canonical_order {
            order(&mut self.builder, &mut self.ordered, &self.detector.pairs, team);
        }
    }

    /// The same for the pairs with static objects.
    pub(crate) fn order_static_pairs(&mut self, team: Team) {
        if self.builder.config.canonical_order {
            order(&mut self.builder, &mut self.static_ordered, &self.static_pairs, team);
        }
    }
}

fn order<S: Scalar, const D: usize>(builder: &mut Builder<S, D>, ordered: &mut Ordered<Pair>, blocks: &[Vec<Pair>], team: Team) {
    let mut clock = Clock::start();
    let pairs = Pairs::<Pair>::new(blocks, &[]);
    builder.budget.check(Ordered::<Pair>::bytes_for(pairs.len()).saturating_sub(ordered.bytes()));
    scope!("pivotgrid::order", ordered.sort(&pairs, team));
    builder.stats.times.order += clock.lap();
}
