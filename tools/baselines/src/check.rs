//! What the tests of all systems have in common.

use std::ops::Range;

use pivotgrid::Pair;
use rayon::ThreadPoolBuilder;

use crate::{Bounds, Entry, Pairs, System};

/// Random numbers that are the same every time.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Noise(seed)
    }

    pub(crate) fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits >> 40) as f32 / (1 << 24) as f32
    }

    /// Boxes with edges in that range, centerd around the origin, so that half of all coordinates are negative.
    pub(crate) fn boxes<const D: usize>(&mut self, n: usize, extent: f32, edges: Range<f32>) -> Vec<Bounds<D>> {
        let mut next = |_| {
            let min: [f32; D] = std::array::from_fn(|_| extent * (self.unit() - 0.5));
            let max: [f32; D] = min.map(|x| x + edges.start + (edges.end - edges.start) * self.unit());
            Bounds { min, max }
        };
        (0..n).map(&mut next).collect()
    }

    /// Moves each box by at most `step` on each axis.
    pub(crate) fn jostle<const D: usize>(&mut self, boxes: &mut [Bounds<D>], step: f32) {
        for bounds in boxes {
            for axis in 0..D {
                let by = step * (2.0 * self.unit() - 1.0);
                bounds.min[axis] += by;
                bounds.max[axis] += by;
            }
        }
    }
}

pub(crate) fn brute_force<const D: usize>(boxes: &[Bounds<D>]) -> Vec<Pair> {
    let later = |a: usize| (a + 1..boxes.len()).filter(move |&b| boxes[a].overlaps(&boxes[b]));
    (0..boxes.len()).flat_map(|a| later(a).map(move |b| Pair::new(a as u32, b as u32))).collect()
}

/// What a system finds, sorted; a pair that it finds twice is there twice.
pub(crate) fn pairs_of<const D: usize>(system: &mut dyn System<D>, boxes: &[Bounds<D>]) -> Vec<Pair> {
    let mut pairs = Pairs::default();
    system.update(boxes);
    system.report(boxes, &mut pairs);
    assert!(pairs.candidates >= pairs.found.len() as u64, "no pair is found without a comparison");
    pairs.found.sort_unstable();
    pairs.found
}

pub(crate) fn on_several_threads(check: impl Fn() + Sync) {
    for threads in [1, 2, 5] {
        ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&check);
    }
}

/// One system, without forgetting, through a sequence of scenes that have little in common.
pub(crate) fn agrees_through_changes<const D: usize>(entry: &Entry<D>) {
    let mut system = (entry.make)();
    let mut agree = |boxes: &[Bounds<D>], what: &str| {
        assert!(pairs_of(&mut *system, boxes) == brute_force(boxes), "{} in {D}D: {what}", entry.name);
    };
    let mut noise = Noise::new(2);
    let around_origin = noise.boxes::<D>(400, 10.0, 0.5..1.5);

    agree(&[], "nothing");
    agree(&around_origin[..1], "one box");
    agree(&[around_origin[0]; 60], "the same box 60 times");
    agree(&[Bounds { min: [3.0; D], max: [3.0; D] }; 60], "the same point 60 times");

    agree(&around_origin, "negative and positive coordinates");
    agree(&around_origin, "the same once more");
    agree(&around_origin[..250], "the last ones gone");
    agree(&around_origin[..255], "a few added");
    agree(&around_origin, "many added");

    let mut moving = around_origin.clone();
    for step in 0..10 {
        noise.jostle(&mut moving, 0.4);
        agree(&moving, "motion");
        if step == 5 {
            moving.extend(noise.boxes::<D>(3, 5.0, 1.0..2.0));
            agree(&moving, "motion with additions");
        }
    }

    let whole = |i: usize, size: f32| {
        let min: [f32; D] = std::array::from_fn(|axis| (i / 7_usize.pow(axis as u32) % 7) as f32 * size - 2.0);
        Bounds { min, max: min.map(|x| x + size) }
    };
    for size in [1.0, 0.1, 1e-3, 1e4] {
        let touching: Vec<Bounds<D>> = (0..7_usize.pow(D as u32)).map(|i| whole(i, size)).collect();
        agree(&touching, "boxes that touch");
    }
    let around_zero =
        [-0.0, 0.0].map(|side| [Bounds { min: [-1.0; D], max: [side; D] }, Bounds { min: [side; D], max: [1.0; D] }]);
    agree(&around_zero.as_flattened().repeat(20), "boxes that touch at zero, whatever its sign");

    for (k, factor) in [1e-3, 1e3, 1.0, 100.0, 1e-2].into_iter().enumerate() {
        let change = |(i, bounds): (usize, &Bounds<D>)| {
            let max = std::array::from_fn(|axis| {
                let edge = bounds.max[axis] - bounds.min[axis];
                bounds.min[axis] + if i % 50 == k { edge * factor } else { edge }
            });
            Bounds { min: bounds.min, max }
        };
        let changed: Vec<Bounds<D>> = around_origin.iter().enumerate().map(change).collect();
        agree(&changed, "some sizes changed by much");
        let all: Vec<Bounds<D>> = around_origin.iter().map(|bounds| change((k, bounds))).collect();
        agree(&all, "all sizes changed by much");
    }

    let mut points = noise.boxes::<D>(300, 1.0, 0.0..0.0);
    points.extend(noise.boxes::<D>(50, 1.0, 0.0..0.3));
    agree(&points, "points among boxes");
    let mut far = noise.boxes::<D>(100, 1e6, 0.5..4.0);
    far.extend(noise.boxes::<D>(100, 1e30, 1e27..1e29));
    far.extend(noise.boxes::<D>(100, 1e-30, 1e-33..1e-31));
    far.push(Bounds { min: [f32::MIN; D], max: [f32::MAX; D] });
    agree(&far, "all orders of magnitude");
    // Sizes round to 1, but the first box reaches from just below 1 to 2, where the second begins.
    let mut rounded = vec![Bounds { min: [0.999_999_94; D], max: [2.0; D] }, Bounds { min: [2.0; D], max: [3.0; D] }];
    rounded.extend((0..60).map(|i| Bounds { min: [i as f32; D], max: [i as f32 + 1.0; D] }));
    agree(&rounded, "sizes that rounding hides");
    agree(&around_origin, "the first scene again");
}

/// The same with planes, half spaces, everything, and boxes that are not a number and therefore overlap nothing.
pub(crate) fn agrees_on_boxes_that_are_not_finite<const D: usize>(entry: &Entry<D>) {
    let mut system = (entry.make)();
    let mut noise = Noise::new(6);
    let mut boxes = noise.boxes::<D>(150, 6.0, 0.5..1.5);
    let odd = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    for step in 0..30 {
        let i = 7 * step % boxes.len();
        let axis = step % D;
        match step % 5 {
            0 => boxes[i].max[axis] = f32::INFINITY,
            1 => boxes[i].min[axis] = f32::NEG_INFINITY,
            2 => boxes[i] = Bounds { min: [f32::NEG_INFINITY; D], max: [f32::INFINITY; D] },
            3 => boxes[i].min[axis] = f32::NAN,
            _ => boxes[i] = Bounds { min: [odd[step % 3]; D], max: [odd[step % 3]; D] },
        }
        if step % 6 == 5 {
            // Some are finite again.
            let fresh = noise.boxes::<D>(60, 6.0, 0.5..1.5);
            boxes[..60].copy_from_slice(&fresh);
        }
        noise.jostle(&mut boxes, 0.2);
        let found = pairs_of(&mut *system, &boxes);
        assert!(found == brute_force(&boxes), "{} in {D}D, step {step}", entry.name);
    }
}
