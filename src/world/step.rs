//! A step of a world: pairs of places become pairs of handles.

use super::{Handle, World};
use crate::runtime::clock::Clock;
use crate::runtime::memory;
use crate::runtime::on::On;
use crate::runtime::scope::scope;
use crate::runtime::team::{ForkJoin, Threads};
use crate::stats::WorldTimes;
use crate::{DetectError, Events, Pair, Pairs, RejectReason, Scalar};

impl<S: Scalar, const D: usize> World<S, D> {
    /// Finds the objects that meet at their current places, and returns what has changed since the last step. Runs in the rayon pool in
    /// which it is called.
    ///
    /// Objects with invalid boxes are left out and listed in [`rejected`](Self::rejected).
    ///
    /// # Panics
    ///
    /// If memory is refused; [`try_par_step`](Self::try_par_step) returns an error instead.
    pub fn par_step(&mut self) -> Events<'_, (Handle, Handle)> {
        self.try_par_step().unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_step`](Self::par_step) on the calling thread.
    pub fn step(&mut self) -> Events<'_, (Handle, Handle)> {
        self.try_step().unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`par_step`](Self::par_step), or an error when memory is refused: see [above](Self#what-you-can-rely-on) for the state afterwards.
    /// The next step returns what has changed since the last completed one.
    pub fn try_par_step(&mut self) -> Result<Events<'_, (Handle, Handle)>, DetectError> {
        self.step_on(Threads::Pool)
    }

    /// [`try_par_step`](Self::try_par_step) on the calling thread.
    pub fn try_step(&mut self) -> Result<Events<'_, (Handle, Handle)>, DetectError> {
        self.step_on(Threads::Serial)
    }

    pub(super) fn step_on(&mut self, threads: Threads<'_>) -> Result<Events<'_, (Handle, Handle)>, DetectError> {
        scope!("pivotgrid::world");
        let mut clock = Clock::start();
        self.last_step.discard();
        self.rejected.clear();
        scope!("pivotgrid::world_statics", self.statics.make_changes(&mut self.slots, &mut self.partners, threads))?;
        let statics = clock.lap();
        self.broad_phase.over(&self.moving.objects).with(&self.statics.set).threads(threads).try_pairs()?;
        let detect = clock.lap();
        self.follow(threads)?;
        self.slots.note_step();
        self.last_step.begin().finish();
        self.times = WorldTimes { statics, detect, track: clock.lap() };
        Ok(self.events())
    }

    /// The next call on threads of your own: see [`On`].
    ///
    /// ```
    /// use pivotgrid::{Aabb, ForkJoin, Object, World};
    ///
    /// struct Spawned(usize); // A program would keep its threads.
    ///
    /// impl ForkJoin for Spawned {
    ///     fn workers(&self) -> usize {
    ///         self.0
    ///     }
    ///     fn run(&self, work: &(dyn Fn(usize) + Sync)) {
    ///         std::thread::scope(|scope| (0..self.0).for_each(|worker| _ = scope.spawn(move || work(worker))));
    ///     }
    /// }
    ///
    /// let threads = Spawned(2);
    /// let mut world = World::<f32, 2>::new();
    /// let sparks: Vec<_> = (0..10_000).map(|i| Object::new_moving(Aabb::around([i as f32, 0.0], [0.5, 0.5]))).collect();
    /// let mut handles = Vec::new();
    /// world.on(&threads).insert_all(&sparks, &mut handles);
    /// assert_eq!(world.on(&threads).step().started.len(), 9999);
    /// world.on(&threads).remove_all(&handles[..5000])?;
    /// # Ok::<(), pivotgrid::StaleHandle>(())
    /// ```
    pub fn on<'t>(&mut self, threads: &'t dyn ForkJoin) -> On<'_, 't, Self> {
        On::new(self, threads)
    }

    /// What the last step found.
    pub fn events(&self) -> Events<'_, (Handle, Handle)> {
        let nothing = Events { started: &[], ongoing: &[], ended: &[] };
        self.last_step.get().map_or(nothing, |()| self.tracker.events())
    }

    /// All pairs as of the last completed step: the started and the ongoing ones in one list, in ascending order.
    pub fn pairs(&self) -> &[(Handle, Handle)] {
        self.tracker.current()
    }

    /// The objects that were left out of the last step because their boxes are invalid, in ascending order of handle. They take part
    /// again once their boxes are valid.
    pub fn rejected(&self) -> &[(Handle, RejectReason)] {
        &self.rejected
    }

    /// Passes the engine's pairs to the tracker, and records what the step has seen.
    fn follow(&mut self, threads: Threads<'_>) -> Result<(), DetectError> {
        let World { margin, moving, statics, broad_phase, partners, tracker, rejected, .. } = self;
        let (engine, margin, no_margin) = (&mut broad_phase.engine, *margin, *margin == S::ZERO);
        let first_partner = moving.objects.len();
        // All other memory first: after the tracker has taken the pairs, nothing may be refused.
        memory::catch(|| {
            partners.number(&mut engine.static_pairs, statics.seen.len(), first_partner as u32);
            memory::reserve(&mut engine.detector.pairs, engine.static_pairs.len());
            memory::reserve(rejected, engine.builder.rejected.len() + statics.rejected().count());
            moving.reserve_seen();
        })?;

        let key = |index: u32| match (index as usize).checked_sub(first_partner) {
            None => moving.handles[index as usize],
            Some(number) => statics.seen[partners.statics[number] as usize],
        };
        let object = |index: u32| match (index as usize).checked_sub(first_partner) {
            None => Some(moving.get(index)),
            Some(number) => statics.get(partners.statics[number]),
        };
        // Whether it is a pair, and whether it may start. The engine has not filtered pairs with static objects yet.
        let judge = |pair: Pair| match (object(pair.a), object(pair.b)) {
            (Some(one), Some(other)) if one.is_swept() || other.is_swept() => {
                one.meets(other, margin).then(|| no_margin || one.meets(other, S::ZERO))
            }
            (Some(one), Some(other)) => Some(no_margin || one.aabb.overlaps(&other.aabb)),
            _ => None,
        };
        // Both kinds of pairs as one, without copying them: only their blocks change hands.
        let blocks = engine.detector.pairs.len();
        engine.detector.pairs.append(&mut engine.static_pairs);
        let pairs = Pairs::<Pair>::new(&engine.detector.pairs, &engine.builder.rejected);
        let pairs = pairs.keyed_by(key).judged(judge);
        let outcome = tracker.run(pairs, threads).map(drop);
        engine.static_pairs.extend(engine.detector.pairs.drain(blocks..));
        outcome?;

        rejected.extend(engine.builder.rejected.iter().map(|rejected| (moving.handles[rejected.index], rejected.reason)));
        rejected.extend(statics.rejected());
        rejected.sort_unstable();
        moving.note_seen();
        Ok(())
    }
}

impl<'a, S: Scalar, const D: usize> On<'a, '_, World<S, D>> {
    /// [`World::par_step`] on these threads.
    pub fn step(self) -> Events<'a, (Handle, Handle)> {
        self.try_step().unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`World::try_par_step`] on these threads.
    pub fn try_step(self) -> Result<Events<'a, (Handle, Handle)>, DetectError> {
        self.it.step_on(self.threads)
    }
}
