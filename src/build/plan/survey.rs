//! Surveys a scene for the planner: which sizes and shapes occur, how often, and where.

use std::ops::Range;

use crate::layout::staged::BoxList;
use crate::runtime::memory;
use crate::{Aabb, Scalar};

/// One class per power of two of the longest edge.
const CLASSES: usize = 256;
/// The class of edges from 1 up to 2; the others are above and below it, the outermost hold what lies beyond.
const CLASS_OF_ONE: i32 = 128;
/// A box is long along an axis if that edge times this is not less than its longest edge, while another one is.
const ASPECT: f64 = 16.0;
/// Classes of each set of long axes: one per two powers of two.
const LONG_CLASSES: usize = 128;
/// Classes of each set of infinite axes: one per eight powers of two of the longest finite edge.
const ENDLESS_CLASSES: usize = 32;
/// Sets of axes that are neither empty nor all three.
const LONG_SETS: usize = 6;
/// Sets of axes that are not empty.
const ENDLESS_SETS: usize = 7;
const LONG_BEGIN: usize = CLASSES;
const ENDLESS_BEGIN: usize = LONG_BEGIN + LONG_SETS * LONG_CLASSES;
const ALL_CLASSES: usize = ENDLESS_BEGIN + ENDLESS_SETS * ENDLESS_CLASSES;

/// The maximum number of atoms.
pub(crate) const MAX_ATOMS: usize = 16;

/// The first objects of a class are all measured, and every eighth of the others: means and extents need no more.
const MEASURED: usize = 64;

/// Boxes of a class that are kept, at least, for estimates of how many objects of other classes they meet.
pub(crate) const PROBES: usize = 24;

/// Low and high corner in `f64`, whatever the dimension.
pub(crate) type Corners = [[f64; 3]; 2];

/// Objects of about the same size and shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SizeClass {
    pub(crate) objects: usize,
    /// Largest finite edge, by axis; exact.
    pub(crate) max: [f64; 3],
    /// Axes along which the objects are infinite, a bit each.
    pub(crate) endless: u8,
    /// How many objects were measured; what follows is of these.
    measured: usize,
    /// Sum of the finite edges, by axis.
    sum: [f64; 3],
    /// The box around the `min` corners: the low corner negated, and the high one. Only along finite axes.
    below: [f64; 3],
    above: [f64; 3],
}

impl Default for SizeClass {
    fn default() -> Self {
        let nothing = [f64::NEG_INFINITY; 3];
        SizeClass { objects: 0, max: [0.0; 3], endless: 0, measured: 0, sum: [0.0; 3], below: nothing, above: nothing }
    }
}

impl SizeClass {
    pub(crate) fn absorb(&mut self, other: &SizeClass) {
        self.objects += other.objects;
        self.measured += other.measured;
        self.endless |= other.endless;
        for axis in 0..3 {
            self.sum[axis] += other.sum[axis];
            self.max[axis] = self.max[axis].max(other.max[axis]);
            self.below[axis] = self.below[axis].max(other.below[axis]);
            self.above[axis] = self.above[axis].max(other.above[axis]);
        }
    }

    /// The same class with another number of objects.
    pub(crate) fn with_objects(self, objects: usize) -> Self {
        SizeClass { objects, ..self }
    }

    /// The mean edges; 0 along infinite axes.
    pub(crate) fn mean(&self) -> [f64; 3] {
        self.sum.map(|sum| sum / self.measured.max(1) as f64)
    }

    pub(crate) fn is_endless(&self, axis: usize) -> bool {
        self.endless >> axis & 1 == 1
    }

    /// Low corner and edges of the box around the `min` corners; 0 along infinite axes.
    pub(crate) fn extent(&self) -> ([f64; 3], [f64; 3]) {
        let (mut low, mut edges) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            if -self.below[axis] <= self.above[axis] {
                low[axis] = -self.below[axis];
                edges[axis] = (self.above[axis] + self.below[axis]).min(f64::MAX);
            }
        }
        (low, edges)
    }

    #[inline]
    fn measure(&mut self, corners: &Corners, edges: [f64; 3]) {
        self.measured += 1;
        for axis in 0..3 {
            if edges[axis].is_finite() {
                self.sum[axis] += edges[axis];
                self.below[axis] = self.below[axis].max(-corners[0][axis]);
                self.above[axis] = self.above[axis].max(corners[0][axis]);
            }
        }
    }
}

/// Some boxes of a class, evenly spread over the order in which the objects were seen.
#[derive(Clone, Debug)]
struct Probes {
    class: usize,
    /// One box in this many is kept, a power of two.
    stride: usize,
    boxes: Vec<Corners>,
}

impl Probes {
    fn add(&mut self, seen: usize, corners: &Corners) {
        if seen & (self.stride - 1) != 0 {
            return;
        }
        if self.boxes.len() == 2 * PROBES {
            let mut index = 0;
            self.boxes.retain(|_| {
                index += 1;
                index % 2 == 0
            });
            self.stride *= 2;
        }
        memory::push(&mut self.boxes, *corners);
    }
}

/// How many objects of which size a worker saw. Estimates only: nothing that decides about a pair comes from here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    classes: Vec<SizeClass>,
    probes: Vec<Probes>,
}

impl Survey {
    /// Makes it ready to observe.
    pub(crate) fn clear(&mut self) {
        self.classes.clear();
        memory::reserve_exact(&mut self.classes, ALL_CLASSES);
        self.classes.resize(ALL_CLASSES, SizeClass::default());
        self.probes.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        let boxes: usize = self.probes.iter().map(|probes| probes.boxes.capacity()).sum();
        self.classes.capacity() * size_of::<SizeClass>()
            + self.probes.capacity() * size_of::<Probes>()
            + boxes * size_of::<Corners>()
    }

    /// Takes in some gathered objects.
    pub(crate) fn observe<S: Scalar, const D: usize>(&mut self, boxes: &(impl BoxList<S, D> + ?Sized), numbers: Range<usize>) {
        for (at, number) in numbers.enumerate() {
            let Some(bounds) = boxes.get(number) else { continue };
            let (corners, edges) = corners(&bounds);
            let number = class_of::<D>(edges);
            let class = &mut self.classes[number];
            class.objects += 1;
            for axis in 0..D {
                if edges[axis] < f64::INFINITY {
                    class.max[axis] = class.max[axis].max(edges[axis]);
                }
            }
            if class.objects <= MEASURED || at % 8 == 0 {
                class.measure(&corners, edges);
                let seen = class.measured;
                if seen == 1 {
                    class.endless = (0..D).fold(0, |set, axis| set | u8::from(!edges[axis].is_finite()) << axis);
                    memory::push(&mut self.probes, Probes { class: number, stride: 1, boxes: Vec::new() });
                }
                if let Some(probes) = self.probes.iter_mut().find(|probes| probes.class == number) {
                    probes.add(seen, &corners);
                }
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            mine.absorb(theirs);
        }
        for Probes { class, stride, boxes } in &other.probes {
            let boxes = memory::collect(boxes.iter().copied());
            memory::push(&mut self.probes, Probes { class: *class, stride: *stride, boxes });
        }
    }

    /// The classes that occur, from small to large, then the long ones and the infinite ones; neighbors merged until there are
    /// few enough.
    pub(crate) fn atoms(&self) -> Atoms {
        let present = self.classes.iter().enumerate().filter(|(_, class)| class.objects > 0);
        let mut merged = memory::collect(present.map(|(number, class)| (number, *class)));
        // First only classes of one shape, then any that are infinite along the same axes.
        for same_shape in [true, false] {
            while merged.len() > MAX_ATOMS {
                let may = |at: &usize| {
                    let [a, b] = [&merged[*at - 1], &merged[*at]];
                    a.1.endless == b.1.endless && (!same_shape || shape_of(a.0) == shape_of(b.0))
                };
                let fewest = |at: &usize| merged[*at].1.objects + merged[*at - 1].1.objects;
                let Some(at) = (1..merged.len()).filter(may).min_by_key(fewest) else { break };
                let (_, class) = merged.remove(at);
                merged[at - 1].1.absorb(&class);
            }
        }
        let mut of_class = memory::collect(std::iter::repeat_n(0, ALL_CLASSES));
        for (atom, (first, _)) in merged.iter().enumerate() {
            of_class[*first..].fill(atom as u8);
        }
        let classes = memory::collect(merged.iter().map(|(_, class)| *class));
        let mut probes: Vec<Vec<Corners>> = memory::collect(classes.iter().map(|_| Vec::new()));
        for kept in &self.probes {
            let boxes = &mut probes[usize::from(of_class[kept.class])];
            memory::reserve(boxes, kept.boxes.len());
            boxes.extend_from_slice(&kept.boxes);
        }
        Atoms { classes, of_class, probes }
    }
}

/// Few classes, each of objects of about the same size and shape.
#[derive(Clone, Debug)]
pub(crate) struct Atoms {
    pub(crate) classes: Vec<SizeClass>,
    /// The atom of each class of the survey.
    of_class: Vec<u8>,
    /// Some boxes of each atom.
    pub(crate) probes: Vec<Vec<Corners>>,
}

impl Atoms {
    /// The atom of a box with these edges, if boxes like it were surveyed.
    pub(crate) fn of<const D: usize>(&self, edges: [f64; 3]) -> usize {
        usize::from(self.of_class[class_of::<D>(edges)])
    }
}

/// A box in `f64`, and its edges.
#[inline(always)]
pub(crate) fn corners<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> (Corners, [f64; 3]) {
    let mut corners = [[0.0; 3]; 2];
    for axis in 0..D {
        corners[0][axis] = bounds.min[axis].to_f64();
        corners[1][axis] = bounds.max[axis].to_f64();
    }
    let edges = std::array::from_fn(|axis| corners[1][axis] - corners[0][axis]);
    (corners, edges)
}

/// The class of a box with these edges.
#[inline]
fn class_of<const D: usize>(edges: [f64; 3]) -> usize {
    let longest = edges[0].max(edges[1]).max(edges[2]);
    let shortest = edges[..D].iter().fold(f64::INFINITY, |shortest, edge| shortest.min(*edge));
    // Most boxes. The sum is finite only if all edges are.
    if (edges[0] + edges[1] + edges[2]).is_finite() && shortest * ASPECT >= longest {
        return power_of_two(longest);
    }
    class_of_odd::<D>(edges, longest)
}

/// The class of a box that is long or infinite along some axis.
#[inline(never)]
fn class_of_odd<const D: usize>(edges: [f64; 3], longest: f64) -> usize {
    let all = (1 << D) - 1;
    let finite = axes_with::<D>(&edges, |edge| edge.is_finite());
    if finite == all {
        let long = axes_with::<D>(&edges, |edge| edge * ASPECT >= longest);
        return if long == all {
            power_of_two(longest)
        } else {
            LONG_BEGIN + (long - 1) * LONG_CLASSES + power_of_two(longest) / (CLASSES / LONG_CLASSES)
        };
    }
    let longest = (0..D).filter(|axis| edges[*axis].is_finite()).fold(0.0f64, |longest, axis| longest.max(edges[axis]));
    ENDLESS_BEGIN + (all & !finite).saturating_sub(1) * ENDLESS_CLASSES + power_of_two(longest) / (CLASSES / ENDLESS_CLASSES)
}

/// The axes whose edges pass a test, a bit each.
#[inline(always)]
fn axes_with<const D: usize>(edges: &[f64; 3], test: impl Fn(f64) -> bool) -> usize {
    (0..D).fold(0, |set, axis| set | usize::from(test(edges[axis])) << axis)
}

/// Which axes are long or infinite in a class: classes of one shape have the same number.
fn shape_of(class: usize) -> usize {
    match class {
        0..LONG_BEGIN => 0,
        LONG_BEGIN..ENDLESS_BEGIN => 1 + (class - LONG_BEGIN) / LONG_CLASSES,
        _ => 1 + LONG_SETS + (class - ENDLESS_BEGIN) / ENDLESS_CLASSES,
    }
}

fn power_of_two(edge: f64) -> usize {
    // Classes begin a little below the powers of two: many scenes have edges of exactly 1, which rounding makes a little less of.
    let exponent = ((edge * 1.01).to_bits() >> 52) as i32 - 1023;
    (exponent + CLASS_OF_ONE).clamp(0, CLASSES as i32 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(boxes: impl IntoIterator<Item = Aabb<f32, 3>>) -> Survey {
        let boxes: Vec<_> = boxes.into_iter().collect();
        let mut survey = Survey::default();
        survey.clear();
        survey.observe(&boxes[..], 0..boxes.len());
        survey
    }

    #[test]
    fn classes_are_powers_of_two_and_saturate() {
        assert_eq!(class_of::<3>([1.0; 3]), 128);
        assert_eq!(class_of::<3>([1.97; 3]), 128);
        assert_eq!(class_of::<3>([0.999; 3]), 128);
        assert_eq!(class_of::<2>([2.0, 2.0, 0.0]), 129);
        assert_eq!(class_of::<3>([0.0; 3]), 0);
        assert_eq!(class_of::<3>([1e300; 3]), CLASSES - 1);
    }

    #[test]
    fn long_and_infinite_boxes_have_classes_by_axes() {
        let shape = |edges| shape_of(class_of::<3>(edges));
        let inf = f64::INFINITY;
        let shapes =
            [[1.0, 1.0, 1.0], [100.0, 1.0, 1.0], [1.0, 100.0, 1.0], [100.0, 100.0, 1.0], [1.0, 1.0, inf], [inf, inf, 1.0]];
        for (at, edges) in shapes.into_iter().enumerate() {
            assert!(shapes[..at].iter().all(|other| shape(*other) != shape(edges)), "{edges:?}");
            assert_eq!(shape(edges), shape(edges.map(|edge| edge * 1000.0)));
        }
        assert_eq!(shape([10.0, 1.0, 1.0]), shape([1.0; 3]));
        assert_eq!(shape_of(class_of::<2>([1.0, 1.0, 0.0])), 0);
        assert_eq!(class_of::<3>([inf; 3]), ENDLESS_BEGIN + 6 * ENDLESS_CLASSES);
    }

    #[test]
    fn a_class_knows_its_edges_and_where_its_corners_are() {
        let boxes = (0..10).map(|i| Aabb::new([i as f32, -3.0, 0.0], [i as f32 + 1.5, -2.0, f32::INFINITY]));
        let atoms = survey(boxes).atoms();
        let class = &atoms.classes[0];
        assert_eq!((class.objects, class.max, class.mean(), class.endless), (10, [1.5, 1.0, 0.0], [1.5, 1.0, 0.0], 0b100));
        assert_eq!(class.extent(), ([0.0, -3.0, 0.0], [9.0, 0.0, 0.0]));
        assert_eq!(atoms.probes[0].len(), 10);
    }

    #[test]
    fn few_atoms_are_left_and_no_object_is_lost() {
        let size = |i: usize| 2f32.powi(i as i32 % 40 - 20);
        let cube = |i: usize| Aabb::new([0.0; 3], [size(i); 3]);
        let rod = |i: usize| Aabb::new([0.0; 3], [size(i), size(i) * 100.0, size(i)]);
        let endless = |_: usize| Aabb::new([0.0, 0.0, f32::NEG_INFINITY], [1.0, 1.0, 0.0]);
        let survey = survey((0..400).map(cube).chain((0..400).map(rod)).chain((0..5).map(endless)));
        let atoms = survey.atoms();
        assert!(atoms.classes.len() <= MAX_ATOMS && atoms.probes.len() == atoms.classes.len());
        assert_eq!(atoms.classes.iter().map(|class| class.objects).sum::<usize>(), 805);
        assert_eq!(atoms.classes.iter().filter(|class| class.endless == 0b100).map(|class| class.objects).sum::<usize>(), 5);
        let of = |bounds: Aabb<f32, 3>| atoms.of::<3>(corners(&bounds).1);
        assert_eq!(atoms.classes[of(endless(0))].objects, 5);
        assert!(atoms.classes[of(cube(0))].max[1] < atoms.classes[of(rod(39))].max[1]);
    }

    #[test]
    fn probes_stay_few_and_spread() {
        let survey = survey((0..10_000).map(|i| Aabb::new([i as f32, 0.0, 0.0], [i as f32 + 1.0, 1.0, 1.0])));
        let probes = &survey.atoms().probes[0];
        assert!((PROBES..=2 * PROBES).contains(&probes.len()), "{}", probes.len());
        assert!(probes.first().unwrap()[0][0] < 1000.0 && probes.last().unwrap()[0][0] > 8000.0, "{probes:?}");
    }
}
