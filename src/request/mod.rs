//! A step as the user requests it: its source, its threads, and its sink.
//!
//! Every source works with all threads, with both ways to fail, and with every sink, because each of these is decided in one place:
//! the source in a [`Source`], the threads in a `Threads`, failure and sink in the methods below.

mod one_set;
mod shorthands;
mod source;
mod two_sets;
pub(crate) mod visit;
mod with_statics;

use std::ops::ControlFlow;

use crate::runtime::objects::{FnObjects, WithBalls, WithGroups};
use crate::runtime::team::{ForkJoin, Team, Threads};
use crate::{Aabb, Ball, Bounded, BroadPhase, DetectError, Groups, MAX_OBJECTS, Scalar, StaticSet};
pub use one_set::WithinSet;
pub use source::{Host, Source, WithFilter};
pub use two_sets::BetweenSets;
pub use with_statics::{EitherPair, WithStatics};

/// A description of a step. Nothing runs until the last method of a line like these is called:
///
/// ```
/// use std::ops::ControlFlow;
/// use pivotgrid::{Aabb, BroadPhase, CrossPair, Pair, StaticSet};
///
/// let boxes: Vec<_> = (0..5000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
/// let walls = [Aabb::new([0.5, 0.0], [0.6, 9.0])];
/// let mut statics = StaticSet::<f32, 2>::new();
/// statics.build(&walls);
/// let mut broad_phase = BroadPhase::<f32, 2>::new();
///
/// // Stored, on the rayon pool: the same as `par_detect(&boxes)`.
/// assert_eq!(broad_phase.over(&boxes).pairs().len(), 4999);
/// // With a static set, on the calling thread, with an error where memory is short.
/// let found = broad_phase.over(&boxes).with(&statics).serial().try_pairs()?;
/// assert_eq!(found.statics.sorted(), [CrossPair { first: 0, second: 0 }]);
/// // Objects by index, folded.
/// let sum = broad_phase.over_fn(5000, |i| boxes[i]).fold(|| 0, |sum, Pair { a, .. }| sum + u64::from(a), |one, other| one + other);
/// assert_eq!(sum, 4998 * 4999 / 2);
/// // Two sets, shown to a function.
/// broad_phase.over(&boxes).against(&walls).for_each(|CrossPair { first, .. }| assert_eq!(first, 0));
/// // With a state per worker, and an early end.
/// let seen = broad_phase.over(&boxes).visit(Vec::new, |seen, pair| {
///     seen.push(pair);
///     if seen.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// });
/// assert!(seen.iter().any(|seen| seen.len() >= 3));
/// # Ok::<(), pivotgrid::DetectError>(())
/// ```
///
/// | part | choices |
/// |---|---|
/// | whose step | a [`BroadPhase`], a [`Periodic`](crate::Periodic) domain |
/// | source | [`over`](BroadPhase::over) a slice, [`over_fn`](BroadPhase::over_fn) by index (with [`groups`](Self::groups) and [`balls`](Self::balls)); [`against`](Self::against) a second set or [`with`](Self::with) a static one; any of them with a [`filter`](Self::filter) |
/// | threads | the rayon pool; [`serial`](Self::serial); [`on`](Self::on) your own |
/// | sink | [`pairs`](Self::pairs), [`for_each`](Self::for_each), [`visit`](Self::visit), [`fold`](Self::fold) |
/// | failure | a panic, or an error: `try_` before the name of the sink |
///
/// Meaningless combinations, such as a second set *and* a static set, do not compile:
///
/// ```compile_fail,E0599
/// use pivotgrid::{Aabb, BroadPhase, StaticSet};
///
/// let (boxes, statics) = ([Aabb::new([0.0, 0.0], [1.0, 1.0])], StaticSet::<f32, 2>::new());
/// BroadPhase::<f32, 2>::new().over(&boxes).against(&boxes).with(&statics).pairs();
/// ```
///
/// # Panics
///
/// All methods without `try_` panic if memory is refused, by the system or by [`Config::max_bytes`](crate::Config::max_bytes). A panic of
/// the user's code passes through all methods. After both, the engine stays usable.
#[must_use = "a request does nothing until a method such as `pairs` or `for_each` runs it"]
#[derive(Debug)]
pub struct Request<'e, 't, E, Q> {
    engine: &'e mut E,
    source: Q,
    threads: Threads<'t>,
}

impl<S: Scalar, const D: usize> BroadPhase<S, D> {
    /// Requests a step over the objects of a slice: see [`Request`].
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase};
    ///
    /// let boxes: Vec<_> = (0..5000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let count = broad_phase.over(&boxes).fold(|| 0, |count, _pair| count + 1, |one, other| one + other);
    /// assert_eq!(count, 4999);
    /// ```
    pub fn over<'o, T: Bounded<S, D> + Sync>(&mut self, objects: &'o [T]) -> Request<'_, 'static, Self, WithinSet<&'o [T]>> {
        Request::new(self, WithinSet(objects))
    }

    /// Requests a step over `count` objects whose boxes a function returns by index: for objects that do not lie in one slice, such as
    /// those of an ECS, a structure of arrays, or foreign memory with a stride.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase};
    ///
    /// let (x, y, radius) = (vec![0.0, 1.5, 9.0], vec![0.0, 0.5, 9.0], 1.0);
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let pairs = broad_phase.over_fn(x.len(), |i| Aabb::around([x[i], y[i]], [radius; 2])).pairs();
    /// assert_eq!(pairs.len(), 1);
    /// ```
    pub fn over_fn<F>(&mut self, count: usize, aabb: F) -> Request<'_, 'static, Self, WithinSet<FnObjects<F>>>
    where
        F: Fn(usize) -> Aabb<S, D> + Sync,
    {
        Request::new(self, WithinSet(FnObjects { len: count, bounds: aabb }))
    }
}

impl<'e, 't, E, Q> Request<'e, 't, E, Q> {
    pub(crate) fn new(engine: &'e mut E, source: Q) -> Self {
        Request { engine, source, threads: Threads::Pool }
    }

    /// The same request with another source.
    fn about<R>(self, about: impl FnOnce(Q) -> R) -> Request<'e, 't, E, R> {
        let Request { engine, source, threads } = self;
        Request { engine, source: about(source), threads }
    }

    /// On the calling thread: one worker of the same code.
    pub fn serial(mut self) -> Self {
        self.threads = Threads::Serial;
        self
    }

    /// On threads of your own instead of a rayon pool: see [`ForkJoin`].
    pub fn on<'u>(self, threads: &'u dyn ForkJoin) -> Request<'e, 'u, E, Q> {
        Request { engine: self.engine, source: self.source, threads: Threads::Own(threads) }
    }

    /// On these threads.
    pub(crate) fn threads<'u>(self, threads: Threads<'u>) -> Request<'e, 'u, E, Q> {
        Request { engine: self.engine, source: self.source, threads }
    }

    /// Keeps only the pairs for which `is_wanted` is true. It is called once per pair whose boxes overlap, from any thread of the step.
    ///
    /// Unlike [`Bounded::pairs_with`], which is called as well, it gets indices, and so works with two types, static objects, and
    /// objects by index.
    ///
    /// ```
    /// use pivotgrid::{Aabb, BroadPhase, CrossPair};
    ///
    /// let (triggers, bodies) = ([Aabb::new([0.0, 0.0], [4.0, 4.0])], [Aabb::new([1.0, 1.0], [2.0, 2.0]); 10]);
    /// let is_armed = |CrossPair { second, .. }| second % 2 == 0;
    /// assert_eq!(BroadPhase::<f32, 2>::new().over(&triggers).against(&bodies).filter(is_armed).pairs().len(), 5);
    /// ```
    pub fn filter<F: Fn(Q::Pair) -> bool + Sync>(self, is_wanted: F) -> Request<'e, 't, E, WithFilter<Q, F>>
    where
        E: Host,
        Q: Source<E>,
    {
        self.about(|source| WithFilter { source, is_wanted })
    }
}

impl<'e, 't, E, O> Request<'e, 't, E, WithinSet<O>> {
    /// Pairs of an object of the first set and an object of this second one, and none within either: triggers and bodies, edges and
    /// faces. They are [`CrossPair`](crate::CrossPair)s: an index into the first set and one into the second.
    ///
    /// [`Groups`] and [`Ball`]s count as always. [`Bounded::pairs_with`] is not called, because it takes one type only;
    /// [`filter`](Self::filter) decides about pairs of two. In `rejected`, in the queries and in the debug view, the objects of the second
    /// set are numbered on after those of the first.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Ball, BroadPhase, CrossPair};
    ///
    /// let triggers = [Aabb::new([0.0, 0.0], [4.0, 4.0]), Aabb::new([3.0, 3.0], [9.0, 9.0])];
    /// let bodies = [Ball::new([1.0, 1.0], 0.5), Ball::new([1.2, 1.0], 0.5), Ball::new([20.0, 0.0], 0.5)];
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let pairs = broad_phase.over(&triggers).against(&bodies).pairs();
    /// assert_eq!(pairs.sorted(), [CrossPair { first: 0, second: 0 }, CrossPair { first: 0, second: 1 }]);
    /// ```
    pub fn against<T>(self, second: &[T]) -> Request<'e, 't, E, BetweenSets<O, &[T]>>
    where
        E: Host,
        for<'o> BetweenSets<O, &'o [T]>: Source<E>,
    {
        self.about(|WithinSet(first)| BetweenSets { first, second })
    }

    /// [`against`](Self::against) `count` objects whose boxes a function returns by index.
    pub fn against_fn<F>(self, count: usize, aabb: F) -> Request<'e, 't, E, BetweenSets<O, FnObjects<F>>>
    where
        E: Host,
        BetweenSets<O, FnObjects<F>>: Source<E>,
    {
        self.about(|WithinSet(first)| BetweenSets { first, second: FnObjects { len: count, bounds: aabb } })
    }

    /// Also finds all pairs of one of these objects, the moving ones, and a static one. Two static objects never pair.
    ///
    /// [`Groups`] decide about both kinds of pairs. [`Bounded::pairs_with`] is called for two moving objects only, and a moving ball meets
    /// a static object if their boxes overlap; [`filter`](Self::filter) decides about both kinds. With [`visit`](Self::visit),
    /// [`for_each`](Self::for_each) and [`fold`](Self::fold), pairs of moving objects come first.
    pub fn with<S: Scalar, const D: usize>(self, statics: &StaticSet<S, D>) -> Request<'e, 't, E, WithStatics<'_, S, D, O>> {
        self.about(|WithinSet(moving)| WithStatics { moving, statics })
    }
}

impl<'e, 't, E, F> Request<'e, 't, E, WithinSet<FnObjects<F>>> {
    /// The groups of each object, by index: what [`Bounded::groups`] is for objects of a slice.
    ///
    /// ```
    /// use pivotgrid::{Aabb, Ball, BroadPhase, Groups, Pair};
    ///
    /// let (x, team) = ([0.0, 1.0, 1.5], [1, 1, 2]);
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let request = broad_phase.over_fn(3, |i| Ball::new([x[i], 0.0], 1.0).aabb());
    /// let request = request.groups(|i| Groups::new(team[i], !team[i])).balls(|i| Some(Ball::new([x[i], 0.0], 1.0)));
    /// assert_eq!(request.pairs().sorted(), [Pair { a: 0, b: 2 }, Pair { a: 1, b: 2 }]);
    /// ```
    pub fn groups<G>(self, groups: G) -> Request<'e, 't, E, WithinSet<WithGroups<FnObjects<F>, G>>>
    where
        G: Fn(usize) -> Groups + Sync,
    {
        self.about(|WithinSet(objects)| WithinSet(WithGroups { objects, groups }))
    }

    /// The ball that each object is, if it is one, by index: what [`Bounded::ball`] is for objects of a slice.
    pub fn balls<S: Scalar, const D: usize, B>(self, balls: B) -> Request<'e, 't, E, WithinSet<WithBalls<FnObjects<F>, B>>>
    where
        B: Fn(usize) -> Option<Ball<S, D>> + Sync,
    {
        self.about(|WithinSet(objects)| WithinSet(WithBalls { objects, balls }))
    }
}

impl<'e, 't, E, F, G> Request<'e, 't, E, WithinSet<WithGroups<FnObjects<F>, G>>> {
    /// The ball that each object is, if it is one, by index: what [`Bounded::ball`] is for objects of a slice.
    #[allow(clippy::type_complexity, reason = "the type lists the parts of the request")]
    pub fn balls<S, const D: usize, B>(self, balls: B) -> Request<'e, 't, E, WithinSet<WithBalls<WithGroups<FnObjects<F>, G>, B>>>
    where
        S: Scalar,
        B: Fn(usize) -> Option<Ball<S, D>> + Sync,
    {
        self.about(|WithinSet(objects)| WithinSet(WithBalls { objects, balls }))
    }
}

impl<'e, 't, E, F, B> Request<'e, 't, E, WithinSet<WithBalls<FnObjects<F>, B>>> {
    /// The groups of each object, by index: what [`Bounded::groups`] is for objects of a slice.
    #[allow(clippy::type_complexity, reason = "the type lists the parts of the request")]
    pub fn groups<G>(self, groups: G) -> Request<'e, 't, E, WithinSet<WithGroups<WithBalls<FnObjects<F>, B>, G>>>
    where
        G: Fn(usize) -> Groups + Sync,
    {
        self.about(|WithinSet(objects)| WithinSet(WithGroups { objects, groups }))
    }
}

impl<'e, E: Host, Q: Source<E>> Request<'e, '_, E, Q> {
    /// Finds all pairs and stores them.
    pub fn pairs(self) -> Q::Pairs<'e> {
        let engine = self.store().unwrap_or_else(|error| panic!("{error}"));
        Q::found(engine)
    }

    /// [`pairs`](Self::pairs), with the errors of [`BroadPhase::try_par_detect`].
    pub fn try_pairs(self) -> Result<Q::Pairs<'e>, DetectError> {
        self.check_count()?;
        let count = self.source.count();
        let engine = self.store()?;
        all_of(engine, count).map(|engine| Q::found(engine))
    }

    /// Shows every pair to a function instead of storing it. The function is called on any thread of the step, and on several at once.
    pub fn for_each(self, visit: impl Fn(Q::Pair) + Sync) {
        self.visit(no_state, showing(visit));
    }

    /// [`for_each`](Self::for_each), with the errors of [`BroadPhase::try_par_detect`]. Pairs may have been shown before an error.
    pub fn try_for_each(self, visit: impl Fn(Q::Pair) + Sync) -> Result<(), DetectError> {
        self.try_visit(no_state, showing(visit)).map(drop)
    }

    /// Shows every pair to a function, which may end the step early: for a narrow phase or a force loop that needs no stored pairs.
    ///
    /// Each worker makes a state of its own by `new_state`, and `visit` gets it with each of the worker's pairs. The states are returned.
    /// After a `Break` the workers stop soon, but not at once: a few more pairs may be visited.
    ///
    /// Objects that were left out are listed by `rejected` of the engine.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use pivotgrid::{Aabb, BroadPhase};
    ///
    /// let boxes: Vec<_> = (0..5000).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, 1.0])).collect();
    /// let mut broad_phase = BroadPhase::<f32, 2>::new();
    /// let counts = broad_phase.over(&boxes).visit(|| 0, |count, _pair| {
    ///     *count += 1;
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(counts.into_iter().sum::<usize>(), 4999);
    /// ```
    pub fn visit<W: Send>(
        self,
        new_state: impl Fn() -> W + Sync,
        visit: impl Fn(&mut W, Q::Pair) -> ControlFlow<()> + Sync,
    ) -> Vec<W> {
        self.show(&new_state, &visit).unwrap_or_else(|error| panic!("{error}")).1
    }

    /// [`visit`](Self::visit), with the errors of [`BroadPhase::try_par_detect`]. Pairs may have been shown before an error.
    pub fn try_visit<W: Send>(
        self,
        new_state: impl Fn() -> W + Sync,
        visit: impl Fn(&mut W, Q::Pair) -> ControlFlow<()> + Sync,
    ) -> Result<Vec<W>, DetectError> {
        self.check_count()?;
        let count = self.source.count();
        let (engine, states) = self.show(&new_state, &visit)?;
        all_of(engine, count).map(|_| states)
    }

    /// Folds all pairs into one value: each worker folds its pairs into a value that it made by `identity`, and `combine` joins these
    /// values, in no particular order.
    pub fn fold<W: Send>(
        self,
        identity: impl Fn() -> W + Sync,
        fold: impl Fn(W, Q::Pair) -> W + Sync,
        combine: impl Fn(W, W) -> W,
    ) -> W {
        let states = self.visit(beginning(&identity), folding(&identity, fold));
        states.into_iter().flatten().reduce(combine).unwrap_or_else(identity)
    }

    /// [`fold`](Self::fold), with the errors of [`BroadPhase::try_par_detect`].
    pub fn try_fold<W: Send>(
        self,
        identity: impl Fn() -> W + Sync,
        fold: impl Fn(W, Q::Pair) -> W + Sync,
        combine: impl Fn(W, W) -> W,
    ) -> Result<W, DetectError> {
        let states = self.try_visit(beginning(&identity), folding(&identity, fold))?;
        Ok(states.into_iter().flatten().reduce(combine).unwrap_or_else(identity))
    }

    /// An error for more objects than there are indices.
    fn check_count(&self) -> Result<(), DetectError> {
        let count = self.source.count();
        if count > MAX_OBJECTS { Err(DetectError::TooManyObjects(count)) } else { Ok(()) }
    }

    fn store(self) -> Result<&'e E, DetectError> {
        let Request { engine, source, threads } = self;
        engine.attempt(threads, source.count(), |engine, team| source.store(engine, team, &|_| true))?;
        Ok(engine)
    }

    fn show<W: Send>(
        self,
        new_state: &(impl Fn() -> W + Sync),
        visit: &(impl Fn(&mut W, Q::Pair) -> ControlFlow<()> + Sync),
    ) -> Result<(&'e E, Vec<W>), DetectError> {
        let Request { engine, source, threads } = self;
        let step = |engine: &mut E::Inner, team: Team<'_>| source.show(engine, team, &|_| true, new_state, visit);
        let states = engine.attempt(threads, source.count(), step)?;
        Ok((engine, states))
    }
}

/// An error if the step left objects out.
fn all_of<E: Host>(engine: &E, count: usize) -> Result<&E, DetectError> {
    if engine.left_out() { Err(DetectError::TooManyObjects(count)) } else { Ok(engine) }
}

// Functions instead of closures in place, so that the forms with and without `try_` share the code of a step.

/// The empty state of a visitor that needs none.
fn no_state() {}

/// The first state of a visitor that folds.
fn beginning<W>(identity: &impl Fn() -> W) -> impl Fn() -> Option<W> {
    || Some(identity())
}

/// A visitor without a state that sees all pairs.
fn showing<P>(visit: impl Fn(P)) -> impl Fn(&mut (), P) -> ControlFlow<()> {
    move |(), pair| {
        visit(pair);
        ControlFlow::Continue(())
    }
}

/// A visitor that folds. The value is taken out of its place while the user's function runs.
fn folding<W, P>(identity: &impl Fn() -> W, fold: impl Fn(W, P) -> W) -> impl Fn(&mut Option<W>, P) -> ControlFlow<()> {
    move |value, pair| {
        *value = Some(fold(value.take().unwrap_or_else(identity), pair));
        ControlFlow::Continue(())
    }
}
