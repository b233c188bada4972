//! Neighbor lists beside what particle codes write by hand, and a static set that changes in every frame.

use pivotgrid::{Aabb, Neighbors, Periodic, Ray, Reach, StaticSet};
use rayon::prelude::*;

use super::{boxes, compare};

/// Points in a cube, some 20 to 30 neighbors each, with radii that differ by a factor of three.
fn particles(n: usize) -> (Vec<[f32; 3]>, Vec<f32>) {
    let edge = (n as f32).cbrt();
    let mut state = 7u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let points = (0..n).map(|_| [next(), next(), next()].map(|x| x * edge)).collect();
    (points, (0..n).map(|_| 0.7 + 1.4 * next().powi(3)).collect())
}

/// A grid of cells as large as the largest radius; points sorted by cell.
#[derive(Default)]
struct SortedGrid {
    cells: [usize; 3],
    begins: Vec<u32>,
    entries: Vec<([f32; 3], f32, u32)>,
    offsets: Vec<usize>,
    indices: Vec<u32>,
}

impl SortedGrid {
    fn cell(&self, point: &[f32; 3], size: f32) -> [usize; 3] {
        std::array::from_fn(|axis| ((point[axis] / size) as usize).min(self.cells[axis] - 1))
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.cells[1] + y) * self.cells[0] + x
    }

    fn sort(&mut self, points: &[[f32; 3]], radii: &[f32], size: f32) {
        let edge = points.iter().flatten().fold(0.0f32, |edge, &x| edge.max(x));
        self.cells = [(edge / size) as usize + 1; 3];
        self.begins.clear();
        self.begins.resize(self.cells.iter().product::<usize>() + 2, 0);
        for point in points {
            let number = self.number(self.cell(point, size));
            self.begins[number + 2] += 1;
        }
        (2..self.begins.len()).for_each(|cell| self.begins[cell] += self.begins[cell - 1]);
        self.entries.resize(points.len(), ([0.0; 3], 0.0, 0));
        for (index, (point, &radius)) in (0..).zip(points.iter().zip(radii)) {
            let number = self.number(self.cell(point, size));
            let place = &mut self.begins[number + 1];
            self.entries[*place as usize] = (*point, radius, index);
            *place += 1;
        }
    }

    /// Calls `found` with every neighbor of a point.
    fn neighbors(&self, index: u32, point: &[f32; 3], radius: f32, size: f32, mut found: impl FnMut(u32)) {
        let cell = self.cell(point, size);
        let range = |axis: usize| cell[axis].saturating_sub(1)..=(cell[axis] + 1).min(self.cells[axis] - 1);
        for z in range(2) {
            for y in range(1) {
                let row = self.number([*range(0).start(), y, z])..self.number([*range(0).end(), y, z]) + 1;
                for (other, reach, number) in &self.entries[self.begins[row.start] as usize..self.begins[row.end] as usize] {
                    let by: [f32; 3] = std::array::from_fn(|axis| other[axis] - point[axis]);
                    let reach = radius.max(*reach);
                    if by[0] * by[0] + by[1] * by[1] + by[2] * by[2] <= reach * reach && *number != index {
                        found(*number);
                    }
                }
            }
        }
    }

    fn rows(&mut self, points: &[[f32; 3]], radii: &[f32]) -> usize {
        let size = radii.iter().fold(0.0f32, |size, &radius| size.max(radius));
        self.sort(points, radii, size);
        let mut indices = std::mem::take(&mut self.indices);
        indices.clear();
        self.offsets.clear();
        for (index, (point, &radius)) in (0..).zip(points.iter().zip(radii)) {
            self.offsets.push(indices.len());
            self.neighbors(index, point, radius, size, |number| indices.push(number));
        }
        self.indices = indices;
        self.indices.len()
    }

    /// The same with rayon: rows of their own for blocks of points, which are then copied together.
    fn par_rows(&mut self, points: &[[f32; 3]], radii: &[f32]) -> usize {
        let size = radii.par_iter().copied().reduce(|| 0.0, f32::max);
        self.sort(points, radii, size);
        let grid = &*self;
        let parts: Vec<(Vec<usize>, Vec<u32>)> = points
            .par_chunks(1024)
            .enumerate()
            .map(|(part, block)| {
                let (mut lengths, mut indices) = (Vec::new(), Vec::new());
                for (index, point) in (1024 * part as u32..).zip(block) {
                    let before = indices.len();
                    grid.neighbors(index, point, radii[index as usize], size, |number| indices.push(number));
                    lengths.push(indices.len() - before);
                }
                (lengths, indices)
            })
            .collect();
        self.offsets.clear();
        self.indices.clear();
        let mut end = 0;
        for (lengths, indices) in &parts {
            for length in lengths {
                self.offsets.push(end);
                end += length;
            }
            self.indices.extend_from_slice(indices);
        }
        self.indices.len()
    }
}

/// Rows by the larger of two radii.
pub(crate) fn sph(n: usize, rounds: usize) {
    let (points, radii) = particles(n);
    let mut neighbors = Neighbors::<f32, 3>::new();
    let (mut one, mut other) = (SortedGrid::default(), SortedGrid::default());
    let found = neighbors.par_within(&points, Reach::Max(&radii)).indices().len();
    assert_eq!(found, one.rows(&points, &radii), "both find the same");
    assert_eq!(found, other.par_rows(&points, &radii), "both find the same");
    println!("{found} neighbors of {n} particles");
    compare(
        "sph",
        rounds,
        &mut [
            ("Neighbors::par_within, Reach::Max", &mut |_| neighbors.par_within(&points, Reach::Max(&radii)).indices().len()),
            ("by hand: sorted grid, one thread", &mut |_| one.rows(&points, &radii)),
            ("by hand: sorted grid, rayon", &mut |_| other.par_rows(&points, &radii)),
        ],
    );
}

/// Steps of particles that drift, a thousandth to a hundredth of the radius per step in directions of their own, as in a gas or a flow:
/// with a margin, and without. The time per step, rebuilds included; how many steps need one is printed.
pub(crate) fn skin(n: usize, rounds: usize) {
    const STEPS: usize = 40;
    const RADIUS: f32 = 1.5;
    const SKIN: f32 = 0.3;
    let (mut points, speeds) = particles(n);
    let velocity = |(index, speed): (usize, &f32)| {
        let turn = index as f32 * 0.7;
        [turn.sin(), turn.cos(), (turn * 1.3).sin()].map(|direction| 0.005 * RADIUS * speed * direction)
    };
    let velocities: Vec<[f32; 3]> = speeds.iter().enumerate().map(velocity).collect();
    let mut with_skin = Neighbors::<f32, 3>::new().skin(SKIN);
    let mut without = Neighbors::<f32, 3>::new();
    let mut other_points = points.clone();
    // Back again after a while, so that the density stays what it is.
    let drift = |points: &mut [[f32; 3]], step: usize| {
        let sign = if (step / 200).is_multiple_of(2) { 1.0 } else { -1.0 };
        points.par_iter_mut().zip(&velocities).for_each(|(point, velocity)| {
            (0..3).for_each(|axis| point[axis] += sign * velocity[axis]);
        });
    };
    let (mut steps, mut rebuilds) = (0, 0);
    compare(
        "skin",
        rounds,
        &mut [
            ("40 steps with a skin", &mut |round| {
                let mut found = 0;
                for step in 0..STEPS {
                    drift(&mut points, STEPS * round + step);
                    steps += 1;
                    if with_skin.par_needs_rebuild(&points) {
                        with_skin.par_within(&points, RADIUS);
                        rebuilds += 1;
                    }
                    found += with_skin.rows().indices().len();
                }
                found
            }),
            ("40 steps, lists made in each", &mut |round| {
                let mut found = 0;
                for step in 0..STEPS {
                    drift(&mut other_points, STEPS * round + step);
                    found += without.par_within(&other_points, RADIUS).indices().len();
                }
                found
            }),
        ],
    );
    println!("lists with a skin were made anew in {rebuilds} of {steps} steps");
}

/// One of many static objects moves, and a ray is cast.
pub(crate) fn static_change(n: usize, rounds: usize) {
    let mut walls = boxes(n, 0);
    let (mut changed, mut built) = (StaticSet::<f32, 3>::new(), StaticSet::<f32, 3>::new());
    changed.par_build(&walls);
    let moved = |aabb: &Aabb<f32, 3>| Aabb::new(aabb.min.map(|x| x + 0.25), aabb.max.map(|x| x + 0.25));
    let ray = Ray::new([-1.0; 3], [1.0, 0.9, 0.8]);
    compare(
        "static",
        rounds,
        &mut [
            ("100 frames: StaticSet::update, a ray", &mut |round| {
                let mut hits = 0;
                for frame in 0..100 {
                    let index = (7919 * (100 * round + frame) % n) as u32;
                    let aabb = moved(changed.get(index).expect("it is there"));
                    changed.update(index, &aabb).expect("it is there");
                    hits += usize::from(changed.queries().first_hit(&ray).is_some());
                }
                hits
            }),
            ("one frame: built anew, a ray", &mut |round| {
                let index = 7919 * round % n;
                walls[index] = moved(&walls[index]);
                built.par_build(&walls);
                usize::from(built.queries().first_hit(&ray).is_some())
            }),
        ],
    );
}

/// One of many static objects in a periodic domain moves, and a step of a few moving ones follows.
pub(crate) fn periodic_static_change(n: usize, rounds: usize) {
    let walls = boxes(n, 0);
    let high: [f32; 3] = std::array::from_fn(|axis| walls.iter().map(|aabb| aabb.max[axis]).fold(0.0, f32::max));
    let domain = Aabb::new([0.0; 3], high);
    let moving: Vec<_> = walls.iter().step_by(200).copied().collect();
    let new = || Periodic::<f32, 3>::new(domain, [true; 3]).expect("a domain");
    let (mut changing, mut built) = (new(), new());
    let mut sets = [StaticSet::<f32, 3>::new(), StaticSet::new()];
    sets.iter_mut().for_each(|set| set.par_build(&walls));
    let [one, other] = &mut sets;
    let moved = |set: &mut StaticSet<f32, 3>, frame: usize| {
        let index = (7919 * frame % n) as u32;
        let aabb = *set.get(index).expect("it is there");
        let aabb = Aabb::new(aabb.min.map(|x| x + 0.25), aabb.max.map(|x| x + 0.25));
        set.update(index, &aabb).expect("it is there");
    };
    compare(
        "periodic_static",
        rounds,
        &mut [
            ("100 frames: a change, a step", &mut |round| {
                (0..100)
                    .map(|frame| {
                        moved(one, 100 * round + frame);
                        changing.over(&moving).with(one).pairs().statics.len()
                    })
                    .sum()
            }),
            ("one frame: all images placed anew", &mut |round| {
                moved(other, round);
                built.set_domain(domain, [true; 3]).expect("a domain");
                built.over(&moving).with(other).pairs().statics.len()
            }),
        ],
    );
}
