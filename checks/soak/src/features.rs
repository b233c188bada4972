//! Everything around the pairs, for as long as the soak lasts: static sets, a world, trackers, a periodic domain, neighbor lists and
//! queries, all of them kept, fed with the scenes of the engines, and compared with plain loops.

use std::collections::BTreeSet;

use pivotgrid::{
    Aabb, BroadPhase, Handle, Neighbors, Object, PairTracker, Periodic, PeriodicNeighbors, PeriodicPair, StaticSet, World,
};
use rayon::ThreadPool;

use crate::events::Coordinate;
use crate::random::Random;

/// Objects of a scene that take part: the loops are quadratic.
const MOST: usize = 700;

/// Box queries per step.
const QUERIES: usize = 12;

/// The domain repeats itself at this edge; positions are taken modulo two of them.
const PERIOD: f64 = 64.0;

/// One of each, in one kind of space.
#[derive(Debug)]
pub(crate) struct Features<S: Coordinate, const D: usize> {
    engine: BroadPhase<S, D>,
    statics: StaticSet<S, D>,
    world: World<S, D>,
    handles: Vec<Handle>,
    tracker: PairTracker<u32>,
    current: BTreeSet<(u32, u32)>,
    periodic: Periodic<S, D>,
    neighbors: Neighbors<S, D>,
    periodic_neighbors: PeriodicNeighbors<S, D>,
}

impl<S: Coordinate, const D: usize> Default for Features<S, D> {
    fn default() -> Self {
        let domain = || Aabb { min: [number(0.0); D], max: [number(PERIOD); D] };
        let lists = || Neighbors::new().sorted(true);
        Features {
            engine: BroadPhase::new(),
            statics: StaticSet::new(),
            world: World::new(),
            handles: Vec::new(),
            tracker: PairTracker::new(),
            current: BTreeSet::new(),
            periodic: Periodic::new(domain(), [true; D]).expect("a valid domain"),
            neighbors: lists(),
            periodic_neighbors: lists().periodic(domain(), [true; D]).expect("a valid domain"),
        }
    }
}

fn number<S: Coordinate>(value: f64) -> S {
    <S as scenes::Scalar>::from_f64(value)
}

fn is_valid<S: Coordinate, const D: usize>(aabb: &Aabb<S, D>) -> bool {
    (0..D).all(|axis| aabb.min[axis] <= aabb.max[axis])
}

fn touch<S: Coordinate, const D: usize>(one: &Aabb<S, D>, other: &Aabb<S, D>) -> bool {
    (0..D).all(|axis| one.min[axis] <= other.max[axis] && other.min[axis] <= one.max[axis])
}

/// All pairs of valid boxes, in order.
fn pairs<S: Coordinate, const D: usize>(boxes: &[Aabb<S, D>]) -> Vec<(u32, u32)> {
    let valid: Vec<(u32, &Aabb<S, D>)> = (0..).zip(boxes).filter(|(_, aabb)| is_valid(aabb)).collect();
    let mut pairs = Vec::new();
    for (place, (a, one)) in valid.iter().enumerate() {
        pairs.extend(valid[place + 1..].iter().filter(|(_, other)| touch(one, other)).map(|(b, _)| (*a, *b)));
    }
    pairs
}

fn same<T: PartialEq>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} differ from a plain loop's")) }
}

impl<S: Coordinate, const D: usize> Features<S, D> {
    /// A step of each with some of these boxes.
    pub(crate) fn step(&mut self, pool: Option<&ThreadPool>, boxes: &[Aabb<S, D>], random: &mut Random) -> Result<(), String> {
        let boxes: Vec<Aabb<S, D>> = boxes.iter().skip(random.below(boxes.len())).take(MOST).copied().collect();
        match pool {
            Some(pool) => pool.install(|| self.all(&boxes, random)),
            None => self.all(&boxes, random),
        }
    }

    fn all(&mut self, boxes: &[Aabb<S, D>], random: &mut Random) -> Result<(), String> {
        let expected = pairs(boxes);
        self.track(boxes, &expected, random)?;
        self.query(boxes, random)?;
        self.change_statics(boxes, random)?;
        self.live(boxes, &expected, random)?;
        self.repeat(boxes)?;
        self.list(boxes)
    }

    fn track(&mut self, boxes: &[Aabb<S, D>], expected: &[(u32, u32)], random: &mut Random) -> Result<(), String> {
        // Keys that are others in the next step: who has which index changes.
        let turn = random.below(3) as u32;
        let key = |index: u32| index / 2 + turn;
        let now: BTreeSet<(u32, u32)> =
            expected.iter().map(|&(a, b)| (key(a), key(b))).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        let events = self.tracker.par_update(self.engine.par_detect(boxes).keyed_by(key));
        let is_right = events.started.iter().eq(now.difference(&self.current))
            && events.ongoing.iter().eq(now.intersection(&self.current))
            && events.ended.iter().eq(self.current.difference(&now));
        self.current = now;
        if is_right { Ok(()) } else { Err("events differ from a plain loop's".to_owned()) }
    }

    /// About the objects of the last step of the engine, and about the static set.
    fn query(&mut self, boxes: &[Aabb<S, D>], random: &mut Random) -> Result<(), String> {
        if random.below(4) == 0 || self.statics.len() > 4 * MOST {
            self.statics.par_build(boxes);
        }
        let queries = self.engine.queries();
        for _ in 0..QUERIES.min(boxes.len()) {
            let asked = boxes[random.below(boxes.len())];
            let mut found = Vec::new();
            queries.overlapping(&asked, &mut found);
            found.sort_unstable();
            let met = |(_, aabb): &(u32, &Aabb<S, D>)| is_valid(&asked) && is_valid(aabb) && touch(&asked, aabb);
            same("queries", &found, &(0..).zip(boxes).filter(met).map(|(index, _)| index).collect())?;
        }
        Ok(())
    }

    /// A static set that changes bit by bit.
    fn change_statics(&mut self, boxes: &[Aabb<S, D>], random: &mut Random) -> Result<(), String> {
        for _ in 0..random.below(20) {
            let index = random.below(2 * MOST) as u32;
            match (random.below(3), boxes.get(random.below(boxes.len()))) {
                (0, Some(aabb)) => drop(self.statics.insert(aabb)),
                (1, Some(aabb)) => _ = self.statics.update(index, aabb),
                _ => _ = self.statics.remove(index),
            }
        }
        let known: Vec<(u32, Aabb<S, D>)> =
            (0..6 * MOST as u32).filter_map(|index| Some((index, *self.statics.get(index).ok()?))).collect();
        same("static objects", &self.statics.len(), &known.len())?;
        let Some(&asked) = boxes.get(random.below(boxes.len())) else { return Ok(()) };
        let mut found = Vec::new();
        self.statics.queries().overlapping(&asked, &mut found);
        found.sort_unstable();
        let met = |(_, aabb): &&(u32, Aabb<S, D>)| is_valid(&asked) && is_valid(aabb) && touch(&asked, aabb);
        same("queries of the static set", &found, &known.iter().filter(met).map(|(index, _)| *index).collect())
    }

    /// A world whose objects come, go and move; every third one is static.
    fn live(&mut self, boxes: &[Aabb<S, D>], expected: &[(u32, u32)], random: &mut Random) -> Result<(), String> {
        let object = |index: usize| match index % 3 {
            0 => Object::new_static(boxes[index]),
            _ => Object::new_moving(boxes[index]),
        };
        while self.handles.len() > boxes.len() {
            let handle = self.handles.swap_remove(random.below(self.handles.len()));
            self.world.remove(handle).map_err(|error| error.to_string())?;
        }
        for (index, &handle) in self.handles.iter().enumerate() {
            self.world.update(handle, object(index)).map_err(|error| error.to_string())?;
        }
        for index in self.handles.len()..boxes.len() {
            self.handles.push(self.world.insert(object(index)));
        }
        self.world.par_step();
        let moves = |index: &u32| !index.is_multiple_of(3);
        let pair = |(a, b): &(u32, u32)| {
            let [a, b] = [a, b].map(|&index| self.handles[index as usize]);
            (a.min(b), a.max(b))
        };
        let mut wanted: Vec<_> = expected.iter().filter(|(a, b)| moves(a) || moves(b)).map(pair).collect();
        wanted.sort_unstable();
        same("pairs of the world", &self.world.pairs().to_vec(), &wanted)
    }

    /// In a periodic domain, positions in a plain loop over shifts: boxes are rounded to where nothing rounds.
    fn repeat(&mut self, boxes: &[Aabb<S, D>]) -> Result<(), String> {
        let snap = |x: f64, most: f64| (x * 16.0).floor().rem_euclid(most * 16.0) / 16.0;
        let boxes: Vec<Aabb<S, D>> = boxes
            .iter()
            .filter(|aabb| is_valid(aabb))
            .map(|aabb| {
                let min = aabb.min.map(Into::into).map(|x: f64| if x.is_finite() { snap(x, 2.0 * PERIOD) } else { 0.0 });
                let edge: [f64; D] = std::array::from_fn(|axis| {
                    let edge: f64 = aabb.max[axis].into() - aabb.min[axis].into();
                    if edge.is_finite() { snap(edge, 8.0) } else { 8.0 }
                });
                Aabb { min: min.map(number::<S>), max: std::array::from_fn(|axis| number::<S>(min[axis] + edge[axis])) }
            })
            .take(MOST / 2)
            .collect();
        let mut expected = Vec::new();
        for b in 0..boxes.len() {
            for a in 0..b {
                expected.extend(meetings(&boxes[a], &boxes[b]).into_iter().map(|shift| PeriodicPair {
                    a: a as u32,
                    b: b as u32,
                    shift,
                }));
            }
        }
        expected.sort_unstable();
        same("periodic pairs", &self.periodic.par_detect(&boxes).sorted(), &expected)?;
        let rows = self.periodic_neighbors.par_touching(&boxes);
        same("periodic neighbors", &rows.neighbors(), &(2 * expected.len()))
    }

    fn list(&mut self, boxes: &[Aabb<S, D>]) -> Result<(), String> {
        let points: Vec<[S; D]> =
            boxes.iter().map(|aabb| aabb.min).filter(|point| point.iter().all(|&x| Into::<f64>::into(x).is_finite())).collect();
        let radius: S = number(1.5);
        let rows = self.neighbors.par_within(&points, radius);
        for (i, row) in rows.iter().enumerate() {
            let is_near = |j: &u32| {
                let other = &points[*j as usize];
                let square = (0..D)
                    .fold(number::<S>(0.0), |sum, axis| sum + (points[i][axis] - other[axis]) * (points[i][axis] - other[axis]));
                *j as usize != i && square <= radius * radius
            };
            if !(0..points.len() as u32).filter(is_near).eq(row.iter().copied()) {
                return Err(format!("the neighbors of point {i} differ from a plain loop's"));
            }
        }
        Ok(())
    }

    /// Gives back what it holds, so that what is left can be compared from round to round.
    pub(crate) fn rest(&mut self) {
        let none: &[Aabb<S, D>] = &[];
        self.engine.detect(none);
        self.engine.shrink_to_fit();
        self.periodic.detect(none);
        self.periodic.shrink_to_fit();
        self.neighbors.shrink_to_fit();
        self.periodic_neighbors.shrink_to_fit();
        // These have no way to give memory back that keeps what they hold.
        (self.statics, self.world, self.handles) = (StaticSet::new(), World::new(), Vec::new());
        (self.tracker, self.current) = (PairTracker::new(), BTreeSet::new());
    }
}

/// By how many periods to move the second box so that it meets the first one.
fn meetings<S: Coordinate, const D: usize>(one: &Aabb<S, D>, other: &Aabb<S, D>) -> Vec<[i32; D]> {
    let mut shifts = vec![[0; D]];
    for axis in 0..D {
        let meets = |by: &i32| {
            let by = f64::from(*by) * PERIOD;
            one.min[axis].into() <= other.max[axis].into() + by && other.min[axis].into() + by <= one.max[axis].into()
        };
        let along: Vec<i32> = (-3..=3).filter(meets).collect();
        let with = |shift: [i32; D], by: i32| std::array::from_fn(|i| if i == axis { by } else { shift[i] });
        shifts = shifts.iter().flat_map(|&shift| along.iter().map(move |&by| with(shift, by))).collect();
    }
    shifts
}
