//! A step of a world: from places to pairs of handles.

use super::{Handle, World};
use crate::{Aabb, Events, Pair, Pairs, RejectReason, Scalar};

/// Who does the work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Pool,
    CallingThread,
}

impl<S: Scalar, const D: usize> World<S, D> {
    /// Finds which objects meet, where they are now, and tells what has changed since the last step. Works on the threads of the rayon
    /// pool in which it is called.
    ///
    /// Objects with invalid boxes are left out and listed in [`rejected`](Self::rejected).
    pub fn par_step(&mut self) -> Events<'_, Handle> {
        self.statics.make_changes();
        self.broad_phase.par_detect_with(&self.moving.objects, &self.statics.set);
        self.follow(On::Pool);
        self.events()
    }

    /// [`par_step`](Self::par_step) on the calling thread. (If static objects have changed, the pool may be called upon to build
    /// their grid.)
    pub fn step(&mut self) -> Events<'_, Handle> {
        self.statics.make_changes();
        self.broad_phase.detect_with(&self.moving.objects, &self.statics.set);
        self.follow(On::CallingThread);
        self.events()
    }

    /// What the last step found.
    pub fn events(&self) -> Events<'_, Handle> {
        self.tracker.events()
    }

    /// All pairs as of the last step: the started and the ongoing ones in one list, in ascending order.
    pub fn pairs(&self) -> &[(Handle, Handle)] {
        self.tracker.current()
    }

    /// The objects that were left out of the last step because their boxes are invalid, in ascending order of handle. They take part
    /// again once their boxes are valid.
    pub fn rejected(&self) -> &[(Handle, RejectReason)] {
        &self.rejected
    }

    /// Hands the pairs that the engine has found to the tracker, and takes note of what the step has seen.
    fn follow(&mut self, on: On) {
        let World { margin, moving, statics, broad_phase, partners, tracker, rejected, .. } = self;
        let (engine, no_margin) = (&mut broad_phase.engine, *margin == S::ZERO);
        let first_partner = moving.objects.len();
        partners.number(&mut engine.static_pairs, statics.seen.len(), first_partner as u32);

        let key = |index: u32| match (index as usize).checked_sub(first_partner) {
            None => moving.handles[index as usize],
            Some(number) => statics.seen[partners.statics[number] as usize],
        };
        let tight = |index: u32| match (index as usize).checked_sub(first_partner) {
            None => Some(&moving.get(index).aabb),
            Some(number) => statics.get(partners.statics[number]).map(|object| &object.aabb),
        };
        let touches = |pair: Pair| {
            no_margin || tight(pair.a).zip(tight(pair.b)).is_some_and(|(one, other): (&Aabb<S, D>, _)| one.overlaps(other))
        };
        // Both kinds of pairs as one, without copying them: only their blocks change hands.
        let blocks = engine.pairs.len();
        engine.pairs.append(&mut engine.static_pairs);
        let pairs = Pairs::new(&engine.pairs, &engine.rejected);
        match on {
            On::Pool => tracker.par_update_with_margin(pairs, key, touches),
            On::CallingThread => tracker.update_with_margin(pairs, key, touches),
        };
        engine.static_pairs.extend(engine.pairs.drain(blocks..));

        rejected.clear();
        rejected.extend(engine.rejected.iter().map(|rejected| (moving.handles[rejected.index], rejected.reason)));
        rejected.extend(statics.rejected());
        rejected.sort_unstable();
        moving.note_seen();
    }
}
