//! Static sets in a space that repeats itself, changed again and again: what is found is what brute force finds.

use pivotgrid::{Aabb, Bounded, Groups, Lattice, Periodic, PeriodicCrossPair, StaticSet};

use crate::common::{Coordinate, Rng, grid_config, pool};

/// A box in groups.
#[derive(Clone, Copy, Debug)]
struct Wall<S, const D: usize>(Aabb<S, D>, Groups);

impl<S: Coordinate, const D: usize> Bounded<S, D> for Wall<S, D> {
    fn aabb(&self) -> Aabb<S, D> {
        self.0
    }

    fn groups(&self) -> Groups {
        self.1
    }
}

/// Periods of a box or a sheared cell.
struct Cell<const D: usize> {
    vectors: [[f64; D]; D],
    periodic: [bool; D],
    is_box: bool,
}

impl<const D: usize> Cell<D> {
    fn engine<S: Coordinate>(&self, max_bytes: Option<usize>) -> Periodic<S, D> {
        let config = grid_config().canonical_order(self.is_box);
        let config = max_bytes.map_or(config.clone(), |bytes| config.max_bytes(bytes));
        if self.is_box {
            let domain = Aabb { min: [S::of(0.0); D], max: std::array::from_fn(|axis| S::of(self.vectors[axis][axis])) };
            return Periodic::with_config(domain, self.periodic, config).expect("a domain");
        }
        Periodic::of_lattice_with_config(Lattice::new(self.vectors, self.periodic).expect("a lattice"), config).expect("a config")
    }

    /// All multiples of a 64th, so nothing is rounded. Some are long, some far out, a few invalid.
    fn wall<S: Coordinate>(&self, rng: &mut Rng) -> Wall<S, D> {
        let number = |value: f64| S::of((value * 64.0).round() / 64.0);
        let long = if rng.below(9) == 0 { 12.0 } else { 1.5 };
        let min: [f64; D] = std::array::from_fn(|_| rng.within(-11.0, 21.0));
        let max: [f64; D] = std::array::from_fn(|axis| min[axis] + rng.within(0.0, long));
        let (mut min, max) = (min.map(number), max.map(number));
        if rng.below(40) == 0 {
            min[0] = S::of(f64::NAN);
        }
        Wall(Aabb { min, max }, Groups::new(1 << rng.below(3), 1 << rng.below(3) | 1))
    }

    /// Whether there is no place for it.
    fn rejects<S: Coordinate>(&self, aabb: &Aabb<S, D>) -> bool {
        self.is_box
            && (0..D).any(|axis| self.periodic[axis] && aabb.max[axis].into() - aabb.min[axis].into() > self.vectors[axis][axis])
    }

    fn brute<S: Coordinate>(&self, moving: &[Wall<S, D>], walls: &[Option<Wall<S, D>>]) -> Vec<PeriodicCrossPair<D>> {
        let mut shifts = vec![[0; D]];
        for vector in (0..D).filter(|&vector| self.periodic[vector]) {
            let with = |shift: &[i32; D], by| std::array::from_fn(|at| if at == vector { by } else { shift[at] });
            shifts = shifts.iter().flat_map(|shift| (-7..=7).map(move |by| with(shift, by))).collect();
        }
        let is_valid = |aabb: &Aabb<S, D>| (0..D).all(|axis| aabb.min[axis] <= aabb.max[axis]);
        let takes_part = |wall: &Wall<S, D>| is_valid(&wall.0) && !self.rejects(&wall.0);
        let mut pairs = Vec::new();
        for (first, one) in (0..).zip(moving).filter(|(_, one)| takes_part(one)) {
            let there = (0..).zip(walls).filter_map(|(second, wall)| Some((second, wall.as_ref()?)));
            for (second, other) in there.filter(|(_, other)| takes_part(other) && one.1.admit(other.1)) {
                for &shift in &shifts {
                    let by =
                        |axis: usize| (0..D).map(|vector| f64::from(shift[vector]) * self.vectors[vector][axis]).sum::<f64>();
                    let meet = (0..D).all(|axis| {
                        let low: f64 = other.0.min[axis].into() + by(axis);
                        let high: f64 = other.0.max[axis].into() + by(axis);
                        low <= one.0.max[axis].into() && one.0.min[axis].into() <= high
                    });
                    if meet {
                        pairs.push(PeriodicCrossPair { first, second, shift });
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }
}

/// A static set and what it should have.
struct Walls<S: Coordinate, const D: usize> {
    set: StaticSet<S, D>,
    known: Vec<Option<Wall<S, D>>>,
}

impl<S: Coordinate, const D: usize> Walls<S, D> {
    fn change(&mut self, cell: &Cell<D>, rng: &mut Rng) {
        let there: Vec<u32> = (0..).zip(&self.known).filter(|(_, wall)| wall.is_some()).map(|(index, _)| index).collect();
        let wall = cell.wall::<S>(rng);
        let some = there.get(rng.below(there.len().max(1))).copied();
        match (rng.below(10), some) {
            (0..=2, _) | (_, None) => {
                let index = self.set.insert(&wall) as usize;
                self.known.resize(self.known.len().max(index + 1), None);
                assert!(self.known[index].replace(wall).is_none());
            }
            (3..=4, Some(index)) => {
                self.set.remove(index).unwrap();
                self.known[index as usize] = None;
            }
            (_, Some(index)) => {
                self.set.update(index, &wall).unwrap();
                self.known[index as usize] = Some(wall);
            }
        }
    }
}

fn changes<S: Coordinate, const D: usize>(cell: &Cell<D>, rounds: usize, seed: u64) {
    let rng = &mut Rng(seed);
    let new = |rng: &mut Rng, count: usize| {
        let all: Vec<Wall<S, D>> = (0..count).map(|_| cell.wall(rng)).collect();
        let mut set = StaticSet::new();
        set.build(&all);
        Walls { set, known: all.into_iter().map(Some).collect() }
    };
    let (mut walls, mut others) = (new(rng, 90), new(rng, 7));
    let mut engine = cell.engine::<S>(None);
    for round in 0..rounds {
        match rng.below(16) {
            0 => walls.set.par_rebuild(),
            1 => walls.set.shrink_to_fit(),
            // More than are remembered.
            2 => (0..200).for_each(|_| walls.change(cell, rng)),
            3 => std::mem::swap(&mut walls, &mut others),
            4 => walls.set = walls.set.clone(),
            5 => walls = new(rng, 40),
            6 => engine.shrink_to_fit(),
            number => (0..number - 6).for_each(|_| walls.change(cell, rng)),
        }
        let moving: Vec<Wall<S, D>> = (0..25).map(|_| cell.wall(rng)).collect();
        if round % 5 == 3 {
            // A step that ends half way: nothing of it may show later.
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                engine
                    .over_fn(25, |index| if index == 13 { std::panic::resume_unwind(Box::new(())) } else { moving[index].0 })
                    .with(&walls.set)
                    .pairs()
                    .statics
                    .len()
            }));
            assert!(outcome.is_err());
        }
        let expected = cell.brute(&moving, &walls.known);
        let found = match round % 3 {
            0 => engine.over(&moving).with(&walls.set).serial().pairs(),
            threads => pool(threads).install(|| engine.over(&moving).with(&walls.set).pairs()),
        };
        assert!(found.statics.sorted() == expected, "round {round}: {} pairs instead of {}", found.statics.len(), expected.len());
        let rejected = (0..)
            .zip(&walls.known)
            .filter(|(_, wall)| wall.is_some_and(|wall| wall.0.min[0] <= wall.0.max[0] && cell.rejects(&wall.0)));
        assert!(
            found.rejected_statics.iter().map(|rejected| rejected.index).eq(rejected.map(|(index, _)| index)),
            "round {round}"
        );
    }
}

fn cells<const D: usize>() -> [Cell<D>; 4] {
    let all = |first: f64| -> [[f64; D]; D] {
        std::array::from_fn(|vector| std::array::from_fn(|axis| if vector == axis { first } else { 0.0 }))
    };
    let sheared = |lean: f64| {
        std::array::from_fn(|vector| {
            std::array::from_fn(|axis| all(10.0)[vector][axis] + if vector == axis + 1 { lean } else { 0.0 })
        })
    };
    let some = std::array::from_fn(|axis| axis != 1);
    [
        Cell { vectors: all(10.0), periodic: [true; D], is_box: true },
        Cell { vectors: all(10.0), periodic: some, is_box: true },
        Cell { vectors: sheared(2.5), periodic: [true; D], is_box: false },
        Cell { vectors: sheared(-3.75), periodic: some, is_box: false },
    ]
}

#[test]
fn images_follow_the_changes_of_a_static_set() {
    for (number, cell) in (1..).zip(cells::<2>()) {
        changes::<f32, 2>(&cell, 120, number);
        changes::<f64, 2>(&cell, 60, 10 + number);
    }
    for (number, cell) in (21..).zip(cells::<3>()) {
        changes::<f32, 3>(&cell, 25, number);
    }
}

/// Refused memory on the way: afterwards, everything is found that fits.
#[test]
fn images_of_static_sets_that_grow_beyond_the_limit() {
    let [cell, ..] = cells::<2>();
    let rng = &mut Rng(5);
    let mut engine = cell.engine::<f32>(Some(400_000));
    let mut walls = Walls { set: StaticSet::<f32, 2>::new(), known: Vec::new() };
    let (mut refused, mut found) = (0, 0);
    for round in 0..60 {
        for _ in 0..100 {
            walls.change(&cell, rng);
        }
        let moving: Vec<Wall<f32, 2>> = (0..20).map(|_| cell.wall(rng)).collect();
        match engine.over(&moving).with(&walls.set).try_pairs() {
            Ok(pairs) => {
                assert!(pairs.statics.sorted() == cell.brute(&moving, &walls.known), "round {round}");
                found += 1;
            }
            Err(_) => {
                assert!(engine.rejected().is_empty() && engine.stats().pairs == 0);
                refused += 1;
                // Fewer again.
                for index in 0..walls.known.len() as u32 {
                    if index % 4 != 0 && walls.set.remove(index).is_ok() {
                        walls.known[index as usize] = None;
                    }
                }
            }
        }
    }
    assert!(found > 5, "{refused} steps of 60 were refused");
    println!("{refused} refused, {found} found");
}
