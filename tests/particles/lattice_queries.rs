//! Queries in a sheared space, against every object moved by every shift. Everything is a multiple of 1/64, speeds are powers of two, so
//! nothing rounds.

use crate::common::{Coordinate, Rng, grid_config, pool};
use pivotgrid::{Aabb, Ball, BoxCast, Lattice, Periodic, Ray, Rows, Shifted};

const SPEEDS: [f64; 8] = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.25, 4.0];

/// What was found, with its shift, sorted: by time or distance first, if there is one.
type Found<const D: usize> = Vec<(f64, u32, [i32; D])>;

struct Scene<S, const D: usize> {
    vectors: [[f64; D]; D],
    periodic: [bool; D],
    boxes: Vec<Aabb<S, D>>,
    /// Every shift that may matter.
    shifts: Vec<[i32; D]>,
}

/// Intervals of a box by axis.
type Sides<const D: usize> = [(f64, f64); D];

fn exact(rng: &mut Rng, low: f64, high: f64) -> f64 {
    (rng.within(low, high) * 64.0).round() / 64.0
}

impl<S: Coordinate, const D: usize> Scene<S, D> {
    /// Objects of up to two and a half periods.
    fn new(seed: u64, count: usize, periodic: [bool; D], most: i32) -> Self {
        let all = [[8.0, 0.0, 0.0], [3.5, 8.0, 0.0], [-2.25, 1.5, 8.0]];
        let vectors = std::array::from_fn(|vector| std::array::from_fn(|axis| all[vector][axis]));
        let rng = &mut Rng(seed);
        let mut boxes = Vec::new();
        for _ in 0..count {
            let longest = if rng.below(10) == 0 { 20.0 } else { 2.0 };
            let min: [f64; D] = std::array::from_fn(|_| exact(rng, -4.0, 12.0));
            let max: [f64; D] = std::array::from_fn(|axis| min[axis] + exact(rng, 0.0, longest));
            boxes.push(Aabb { min: min.map(S::of), max: max.map(S::of) });
        }
        let mut shifts = vec![[0; D]];
        for vector in (0..D).filter(|&vector| periodic[vector]) {
            let with = |mut shift: [i32; D], by: i32| {
                shift[vector] = by;
                shift
            };
            shifts = shifts.iter().flat_map(|&shift| (-most..=most).map(move |by| with(shift, by))).collect();
        }
        Scene { vectors, periodic, boxes, shifts }
    }

    fn engine(&self) -> Periodic<S, D> {
        let lattice = Lattice::new(self.vectors, self.periodic).expect("a lattice");
        let mut engine = Periodic::of_lattice_with_config(lattice, grid_config()).expect("a config");
        assert!(engine.par_detect(&self.boxes).rejected().is_empty());
        engine
    }

    /// What a measure tells about every object with every shift, sorted.
    fn all(&self, measure: impl Fn(&Sides<D>) -> Option<f64>) -> Found<D> {
        let mut found = Vec::new();
        for (index, aabb) in self.boxes.iter().enumerate() {
            for &shift in &self.shifts {
                let by = |axis: usize| (0..D).map(|vector| f64::from(shift[vector]) * self.vectors[vector][axis]).sum::<f64>();
                let sides = std::array::from_fn(|axis| (aabb.min[axis].into() + by(axis), aabb.max[axis].into() + by(axis)));
                found.extend(measure(&sides).map(|value| (value, index as u32, shift)));
            }
        }
        found.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
        found
    }

    fn overlapping(&self, query: &Aabb<S, D>) -> Found<D> {
        let touches = |sides: &Sides<D>| {
            (0..D).all(|axis| sides[axis].0 <= query.max[axis].into() && query.min[axis].into() <= sides[axis].1)
        };
        self.all(|sides| touches(sides).then_some(0.0))
    }

    fn distances(&self, point: &[f64; D]) -> Found<D> {
        let gap = |axis: usize, sides: &Sides<D>| (sides[axis].0 - point[axis]).max(point[axis] - sides[axis].1).max(0.0);
        self.all(|sides| Some((0..D).map(|axis| gap(axis, sides) * gap(axis, sides)).sum()))
    }

    /// When a box that moves meets what.
    fn met(&self, bounds: &Aabb<S, D>, way: &[f64; D], max_t: f64) -> Found<D> {
        self.all(|sides| {
            let (mut enter, mut exit) = (0.0f64, max_t);
            for axis in 0..D {
                let (first, last) = (sides[axis].0 - bounds.max[axis].into(), sides[axis].1 - bounds.min[axis].into());
                if way[axis] == 0.0 {
                    if first > 0.0 || last < 0.0 {
                        return None;
                    }
                    continue;
                }
                let times = [first / way[axis], last / way[axis]];
                enter = enter.max(times[0].min(times[1]));
                exit = exit.min(times[0].max(times[1]));
            }
            (enter <= exit).then_some(enter + 0.0)
        })
    }
}

fn plain<T, const D: usize>(found: &[Shifted<T, D>], value: impl Fn(&T) -> (f64, u32)) -> Found<D> {
    let mut found: Found<D> = found.iter().map(|one| (value(&one.found).0, value(&one.found).1, one.shift)).collect();
    found.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
    found
}

fn check<S: Coordinate, const D: usize>(scene: &Scene<S, D>, queries: usize) {
    let engine = scene.engine();
    let (asked, rng) = (engine.queries(), &mut Rng(77));
    let (mut found, mut near, mut hits, mut rows) = (Vec::new(), Vec::new(), Vec::new(), Rows::default());
    for _ in 0..queries {
        let at: [f64; D] = std::array::from_fn(|_| exact(rng, -10.0, 18.0));
        let point = at.map(S::of);
        let longest = if rng.below(4) == 0 { 12.0 } else { 2.0 };
        let query = Aabb { min: point, max: at.map(|x| S::of(x + exact(rng, 0.0, longest))) };
        asked.overlapping(&query, &mut found);
        assert_eq!(plain(&found, |&index| (0.0, index)), scene.overlapping(&query), "{query:?}");
        asked.containing(point, &mut found);
        assert_eq!(plain(&found, |&index| (0.0, index)), scene.overlapping(&Aabb { min: point, max: point }), "{point:?}");

        let distances = scene.distances(&at);
        let radius = exact(rng, 0.0, 6.0);
        asked.within(&Ball { center: point, radius: S::of(radius) }, &mut near);
        let inside: Found<D> = distances.iter().copied().filter(|&(square, ..)| square <= radius * radius).collect();
        let of_neighbor = |one: &pivotgrid::Neighbor<S>| (one.distance_squared.into(), one.index);
        assert_eq!(plain(&near, of_neighbor), inside, "{radius} around {point:?}");
        let k = 1 + rng.below(12);
        asked.nearest(point, k, &mut near);
        assert_eq!(plain(&near, of_neighbor), distances[..k.min(distances.len())], "{k} nearest to {point:?}");

        let way: [f64; D] = std::array::from_fn(|_| SPEEDS[rng.below(SPEEDS.len())]);
        let max_t = exact(rng, 0.0, 8.0);
        let ray = Ray { origin: point, direction: way.map(S::of), max_t: S::of(max_t) };
        let rests = way.iter().all(|&speed| speed == 0.0);
        let on_its_way = if rests { Vec::new() } else { scene.met(&Aabb { min: point, max: point }, &way, max_t) };
        let of_hit = |hit: &pivotgrid::Hit<S>| (hit.t.into(), hit.index);
        asked.ray_hits(&ray, &mut hits);
        assert_eq!(plain(&hits, of_hit), on_its_way, "{ray:?}");
        let first = asked.first_hit(&ray);
        assert_eq!(plain(first.as_slice(), of_hit), on_its_way[..on_its_way.len().min(1)], "{ray:?}");
        let sweep = BoxCast::new(query, way.map(|speed| S::of(4.0 * speed)));
        let touched = scene.met(&query, &way.map(|speed| 4.0 * speed), 1.0);
        pool(2).install(|| asked.par_sweep_hits(&[sweep; 2], &mut rows));
        assert_eq!(plain(rows.row(1), of_hit), touched, "{sweep:?}");
        let first = asked.first_contact(&sweep);
        assert_eq!(plain(first.as_slice(), of_hit), touched[..touched.len().min(1)], "{sweep:?}");
    }
}

#[test]
fn in_two_dimensions() {
    check(&Scene::<f32, 2>::new(1, 40, [true, true], 16), 60);
    check(&Scene::<f64, 2>::new(2, 40, [true, false], 16), 40);
    check(&Scene::<f64, 2>::new(3, 1, [true, true], 16), 20);
}

#[test]
fn in_three_dimensions() {
    check(&Scene::<f64, 3>::new(4, 12, [true; 3], 12), 16);
    check(&Scene::<f32, 3>::new(5, 20, [false, true, true], 12), 20);
}

/// Queries that make no sense, or are too far away, find nothing.
#[test]
fn without_an_answer() {
    let engine = Scene::<f32, 2>::new(1, 40, [true, true], 1).engine();
    let (queries, mut found, mut near, mut hits) = (engine.queries(), Vec::new(), Vec::new(), Vec::new());
    for bad in [f32::NAN, f32::INFINITY, 1e30] {
        queries.containing([bad, 0.0], &mut found);
        queries.nearest([bad, 0.0], 3, &mut near);
        queries.ray_hits(&Ray::new([bad, 0.0], [1.0, 0.5]).up_to(5.0), &mut hits);
        assert!(found.is_empty() && near.is_empty() && hits.is_empty(), "{bad}");
    }
    queries.overlapping(&Aabb::new([f32::NEG_INFINITY, 0.0], [f32::INFINITY, 1.0]), &mut found);
    queries.ray_hits(&Ray::new([0.0, 0.0], [1.0, 0.5]), &mut hits);
    assert!(found.is_empty() && hits.is_empty());
    queries.nearest([1.0, 1.0], 0, &mut near);
    assert!(near.is_empty());
}
