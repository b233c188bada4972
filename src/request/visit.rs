//! Visitors of pairs, with a state per worker.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Pair;
use crate::detect::sink::Consumer;
use crate::lockfree::Blocks;
use crate::runtime::memory;
use crate::runtime::team::Team;

/// The states of a visitor's workers, and whether one of them has seen enough. They outlast a pass, because a step with static objects has
/// two passes that show pairs.
pub(crate) struct States<W> {
    slots: Vec<Option<W>>,
    is_over: AtomicBool,
}

impl<W: Send> States<W> {
    /// Room for the states of a team.
    pub(crate) fn new(team: Team) -> Self {
        States { slots: memory::collect((0..team.workers()).map(|_| None)), is_over: AtomicBool::new(false) }
    }

    /// Begins a pass.
    pub(crate) fn lend(&mut self) -> Lent<'_, W> {
        Lent { slots: Blocks::new(&mut self.slots, 1), is_over: &self.is_over }
    }

    /// Whether a worker has seen enough. Between passes.
    pub(crate) fn is_over(&mut self) -> bool {
        *self.is_over.get_mut()
    }

    pub(crate) fn into_states(self) -> Vec<W> {
        self.slots.into_iter().flatten().collect()
    }
}

/// The states during a pass.
pub(crate) struct Lent<'a, W> {
    slots: Blocks<'a, Option<W>>,
    is_over: &'a AtomicBool,
}

impl<'a, W> Lent<'a, W> {
    /// A consumer for a worker. `pair_of` translates a pair of the engine, unless the filter drops it.
    pub(crate) fn consumer<V, F>(&self, new_state: impl Fn() -> W, visit: &'a V, pair_of: &'a F) -> Visitor<'a, W, V, F> {
        // There is a slot for each worker.
        let mut slot = self.slots.claim_one();
        let state = slot.as_mut().and_then(|slot| slot.take()).unwrap_or_else(new_state);
        Visitor { state, slot, visit, pair_of, is_over: self.is_over }
    }
}

/// Shows a worker's pairs and stores none.
pub(crate) struct Visitor<'a, W, V, F> {
    /// Taken out of its slot, so that workers do not write to neighboring slots.
    state: W,
    slot: Option<&'a mut Option<W>>,
    visit: &'a V,
    pair_of: &'a F,
    is_over: &'a AtomicBool,
}

impl<W, V, F> Visitor<'_, W, V, F> {
    /// The end of the pass.
    pub(crate) fn finish(self) {
        if let Some(slot) = self.slot {
            *slot = Some(self.state);
        }
    }
}

impl<W, P, V, F> Consumer for Visitor<'_, W, V, F>
where
    V: Fn(&mut W, P) -> ControlFlow<()>,
    F: Fn(Pair) -> Option<P>,
{
    #[inline]
    fn consume(&mut self, block: &mut Vec<Pair>, fresh: usize) -> ControlFlow<()> {
        let Visitor { state, visit, pair_of, .. } = self;
        let flow = block.drain(fresh..).filter_map(pair_of).try_for_each(|pair| visit(state, pair));
        if flow.is_break() {
            // Relaxed: read after the join.
            self.is_over.store(true, Ordering::Relaxed);
        }
        flow
    }
}
