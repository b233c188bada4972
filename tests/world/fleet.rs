//! Worlds that take the same operations, step on different threads, and must not differ; and their twin.

use pivotgrid::{Aabb, Config, Events, Groups, Handle, Mobility, Object, World};

use crate::common::{Coordinate, Rng, grid_config, pool};
use crate::twin::{Expected, Twin};

/// Who takes a world's steps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crew {
    Alone,
    Pool(usize),
    /// Another one in every step.
    Changing,
}

pub(crate) struct Fleet<S: Coordinate, const D: usize> {
    pub(crate) twin: Twin<S, D>,
    pub(crate) worlds: Vec<(World<S, D>, Crew)>,
    pub(crate) rng: Rng,
    /// Handles of objects that are gone.
    pub(crate) gone: Vec<Handle>,
    /// Whether NaN and infinity are among the coordinates.
    pub(crate) wild: bool,
    steps: usize,
}

impl<S: Coordinate, const D: usize> Fleet<S, D> {
    pub(crate) fn new(margin: f64, seed: u64) -> Self {
        let margin = S::of(margin);
        let world = |config: Config, crew| (World::with_config(config, margin).expect("valid settings"), crew);
        let worlds = vec![
            world(Config::default(), Crew::Alone),
            world(grid_config(), Crew::Pool(1)),
            world(grid_config(), Crew::Pool(2)),
            world(grid_config(), Crew::Pool(5)),
            world(Config::default(), Crew::Changing),
        ];
        Fleet { twin: Twin::new(margin), worlds, rng: Rng(seed), gone: Vec::new(), wild: true, steps: 0 }
    }

    pub(crate) fn insert(&mut self, object: Object<S, D>) -> Handle {
        let mut handles = self.worlds.iter_mut().map(|(world, _)| world.insert(object));
        let handle = handles.next().expect("a world");
        assert!(handles.all(|other| other == handle), "worlds give different handles");
        assert!(
            self.twin.objects.insert(handle, object).is_none() && !self.gone.contains(&handle),
            "{handle:?} was given before"
        );
        handle
    }

    pub(crate) fn remove(&mut self, handle: Handle) {
        let known = self.twin.objects.remove(&handle).expect("the twin has it");
        for (world, crew) in &mut self.worlds {
            let removed = world.remove(handle).expect("it is there");
            assert_eq!(format!("{removed:?}"), format!("{known:?}"), "{crew:?}");
        }
        self.gone.push(handle);
    }

    pub(crate) fn update(&mut self, handle: Handle, object: Object<S, D>) {
        self.worlds.iter_mut().for_each(|(world, _)| world.update(handle, object).expect("it is there"));
        self.twin.objects.insert(handle, object);
    }

    pub(crate) fn set_aabb(&mut self, handle: Handle, aabb: Aabb<S, D>) {
        self.worlds.iter_mut().for_each(|(world, _)| world.set_aabb(handle, aabb).expect("it is there"));
        self.twin.objects.get_mut(&handle).expect("the twin has it").aabb = aabb;
    }

    /// Some object that there is.
    pub(crate) fn any(&mut self) -> Option<Handle> {
        let count = self.twin.objects.len();
        (count > 0).then(|| self.rng.below(count)).and_then(|nth| self.twin.objects.keys().nth(nth).copied())
    }

    /// An object on a coarse lattice, so that many touch.
    pub(crate) fn object(&mut self, mobility: Mobility) -> Object<S, D> {
        let rng = &mut self.rng;
        let groups = match rng.below(6) {
            0 => Groups::new(1, 2),
            1 => Groups::new(2, 3),
            2 => Groups::ALL.of_body(1 + rng.below(4) as u32),
            _ => Groups::ALL,
        };
        Object { groups, mobility, ..Object::new_moving(self.aabb()) }
    }

    pub(crate) fn aabb(&mut self) -> Aabb<S, D> {
        let rng = &mut self.rng;
        let edge = if rng.below(20) == 0 { 9.0 } else { 1.5 };
        let min: [f64; D] = std::array::from_fn(|_| (rng.within(0.0, 40.0) / (D * D) as f64 * 4.0).round() / 4.0);
        let max: [f64; D] = std::array::from_fn(|axis| min[axis] + (rng.within(0.0, edge) * 4.0).round() / 4.0);
        let mut aabb = Aabb { min: min.map(S::of), max: max.map(S::of) };
        let axis = rng.below(D);
        match rng.below(40) {
            0 => (aabb.min[axis], aabb.max[axis]) = (S::of(max[axis] + 0.05), S::of(min[axis])),
            1 if self.wild => aabb.max[axis] = S::of(f64::NAN),
            2 if self.wild => (aabb.min[axis], aabb.max[axis]) = (S::of(f64::NEG_INFINITY), S::of(f64::INFINITY)),
            _ => {}
        }
        aabb
    }

    pub(crate) fn mobility(&mut self) -> Mobility {
        if self.rng.below(2) == 0 { Mobility::Moving } else { Mobility::Static }
    }

    /// Takes a step with all worlds and compares everything that they say.
    pub(crate) fn step(&mut self, context: &str) {
        self.steps += 1;
        let expected = self.twin.step();
        for (world, crew) in &mut self.worlds {
            let context = format!("{context}, step {}, {crew:?}", self.steps);
            let events = match crew {
                Crew::Alone => world.step(),
                Crew::Pool(threads) => pool(*threads).install(|| world.par_step()),
                Crew::Changing => match self.steps % 3 {
                    0 => world.step(),
                    threads => pool(threads * 2).install(|| world.par_step()),
                },
            };
            compare(events, &expected, &context);
            compare(world.events(), &expected, &context);
            assert!(world.pairs().iter().eq(&self.twin.current), "{context}: current pairs");
            assert_eq!(world.rejected(), expected.rejected, "{context}: rejected");
            assert_eq!((world.len(), world.is_empty()), (self.twin.objects.len(), self.twin.objects.is_empty()), "{context}");
            let (found, known) = (world.iter().map(|(handle, _)| handle), self.twin.objects.keys().copied());
            assert!(found.eq(known), "{context}: handles");
        }
    }
}

#[track_caller]
fn compare(found: Events<'_, (Handle, Handle)>, expected: &Expected, context: &str) {
    assert_eq!(found.started, expected.started, "{context}: started");
    assert_eq!(found.ongoing, expected.ongoing, "{context}: ongoing");
    assert_eq!(found.ended, expected.ended, "{context}: ended");
}
