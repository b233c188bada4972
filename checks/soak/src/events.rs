//! What happens to a scene between two steps.

use pivotgrid::{Aabb, Scalar};
use scenes::{Scene, World};

use crate::random::Random;

/// A coordinate of both crates.
pub(crate) trait Coordinate: Scalar + scenes::Scalar {}
impl Coordinate for f32 {}
impl Coordinate for f64 {}

fn number<S: Coordinate>(value: f64) -> S {
    <S as scenes::Scalar>::from_f64(value)
}

/// The boxes of a scene as it begins.
pub(crate) fn boxes<S: Coordinate, const D: usize>(scene: Scene, n: usize, seed: u64) -> Vec<Aabb<S, D>> {
    World::<S, D>::new(scene, n, seed).boxes().iter().map(|b| Aabb { min: b.min, max: b.max }).collect()
}

/// Something happens. The number of objects stays if it is `fixed`, and never exceeds `most`.
pub(crate) fn happen<S: Coordinate, const D: usize>(
    boxes: &mut Vec<Aabb<S, D>>,
    scene: Scene,
    most: usize,
    fixed: bool,
    random: &mut Random,
) {
    match random.below(if fixed { 9 } else { 12 }) {
        0..=4 => drift(boxes, random),
        5 => explode(boxes, random),
        6 => teleport(boxes, random),
        7 => spoil(boxes, random),
        8 => inflate(boxes, random),
        9 | 10 => grow(boxes, scene, most, random),
        _ => {
            for _ in 0..random.below(boxes.len() + 1) {
                boxes.swap_remove(random.below(boxes.len()));
            }
        }
    }
}

fn shifted<S: Coordinate, const D: usize>(aabb: &Aabb<S, D>, by: [f64; D]) -> Aabb<S, D> {
    let corner = |corner: &[S; D]| std::array::from_fn(|axis| number(corner[axis].into() + by[axis]));
    Aabb { min: corner(&aabb.min), max: corner(&aabb.max) }
}

/// Everything moves by up to its own size.
fn drift<S: Coordinate, const D: usize>(boxes: &mut [Aabb<S, D>], random: &mut Random) {
    let part = [0.02, 0.2, 1.0][random.below(3)];
    for aabb in boxes {
        let size: f64 = aabb.max[0].into() - aabb.min[0].into();
        if size.is_finite() {
            *aabb = shifted(aabb, std::array::from_fn(|_| random.within(-part, part) * size));
        }
    }
}

/// Everything flies apart, or together.
fn explode<S: Coordinate, const D: usize>(boxes: &mut [Aabb<S, D>], random: &mut Random) {
    let Some(center) = boxes.get(random.below(boxes.len())).map(|aabb| aabb.min.map(Into::<f64>::into)) else { return };
    let factor = random.within(-0.3, 2.0);
    for aabb in boxes {
        let by: [f64; D] = std::array::from_fn(|axis| factor * (aabb.min[axis].into() - center[axis]));
        // What was at infinity, or would get there, stays where it is; so does what would leave the usual numbers by and by.
        if by.iter().all(|x| x.abs() < 1e6) {
            *aabb = shifted(aabb, by);
        }
    }
}

/// Some objects are suddenly where others are.
fn teleport<S: Coordinate, const D: usize>(boxes: &mut [Aabb<S, D>], random: &mut Random) {
    for _ in 0..random.below(boxes.len() / 4 + 2) {
        let (from, to) = (random.below(boxes.len()), random.below(boxes.len()));
        if from < boxes.len() && to < boxes.len() {
            let by: [f64; D] = std::array::from_fn(|axis| boxes[to].min[axis].into() - boxes[from].max[axis].into());
            if by.iter().all(|x| x.is_finite()) {
                boxes[from] = shifted(&boxes[from], by);
            }
        }
    }
}

/// Some boxes become invalid, infinite or empty.
fn spoil<S: Coordinate, const D: usize>(boxes: &mut [Aabb<S, D>], random: &mut Random) {
    for _ in 0..random.below(8).min(boxes.len()) {
        let (index, axis) = (random.below(boxes.len()), random.below(D));
        let aabb = &mut boxes[index];
        match random.below(5) {
            0 => aabb.min[axis] = number(f64::NAN),
            1 => std::mem::swap(&mut aabb.min, &mut aabb.max),
            2 => aabb.max = aabb.min,
            3 => aabb.max[axis] = number(f64::INFINITY),
            _ => (aabb.min[axis], aabb.max[axis]) = (number(-0.0), number(0.0)),
        }
    }
}

/// One object grows over many others.
fn inflate<S: Coordinate, const D: usize>(boxes: &mut [Aabb<S, D>], random: &mut Random) {
    let index = random.below(boxes.len());
    if let Some(aabb) = boxes.get_mut(index) {
        let by = 10f64.powf(random.within(-1.0, 2.0));
        aabb.min = aabb.min.map(|x| number(x.into() - by));
        aabb.max = aabb.max.map(|x| number(x.into() + by));
    }
}

/// More of the same scene.
fn grow<S: Coordinate, const D: usize>(boxes: &mut Vec<Aabb<S, D>>, scene: Scene, most: usize, random: &mut Random) {
    let room = most.saturating_sub(boxes.len());
    let more = random.below(room.min(boxes.len() + 100) + 1);
    boxes.extend(self::boxes::<S, D>(scene, more, random.next()));
}
