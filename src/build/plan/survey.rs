//! Surveys a scene for the planner: which sizes and shapes occur, how often, and where.

use crate::isa::{Isa, Lanes, Mask, WIDTH};
use crate::kernel::scalar::{Boxes, Vector};
use crate::kernel::{IsaWork, Kernel};
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

/// Classes begin a little below the powers of two: many scenes have edges of exactly 1, which rounding makes a little less of.
const SLACK: f64 = 1.01;

/// The first objects of a class are all measured, and one in so many of the others: means and extents need no more.
const MEASURED: usize = 64;
const STRIDE: usize = 8;

/// Boxes of a class that are kept, at least, for estimates of how many objects of other classes they meet.
pub(crate) const PROBES: usize = 24;

/// Low and high corner in `f64`, whatever the dimension.
pub(crate) type Corners = [[f64; 3]; 2];

/// Objects of about the same size and shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SizeClass {
    pub(crate) objects: usize,
    /// Largest finite edge, by axis.
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

/// What was seen of a class.
#[derive(Clone, Debug)]
struct Surveyed {
    number: usize,
    class: SizeClass,
    probes: Probes,
}

/// How many objects of which size a worker saw. Estimates only: nothing that decides about a pair comes from here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    /// The classes that occur, in the order in which they were first seen.
    classes: Vec<Surveyed>,
    /// The place of each class in it, plus one; 0 for a class that does not occur.
    places: Vec<u16>,
}

/// The largest edges of the boxes of one class that were seen last, sixteen at a time.
struct Largest<V, const D: usize> {
    place: usize,
    edges: [V; D],
}

impl<V: Copy, const D: usize> Largest<V, D> {
    #[inline(always)]
    fn flush<S: Scalar, I: Isa>(self, isa: I, survey: &mut Survey)
    where
        V: Lanes<S, I>,
    {
        let max = &mut survey.classes[self.place].class.max;
        for axis in 0..D {
            for edge in self.edges[axis].array(isa) {
                max[axis] = max[axis].max(edge.to_f64());
            }
        }
    }
}

impl Survey {
    /// Makes it ready to observe.
    pub(crate) fn clear(&mut self) {
        self.classes.clear();
        self.places.clear();
        memory::reserve_exact(&mut self.places, ALL_CLASSES);
        self.places.resize(ALL_CLASSES, 0);
    }

    pub(crate) fn bytes(&self) -> usize {
        let boxes: usize = self.classes.iter().map(|surveyed| surveyed.probes.boxes.capacity()).sum();
        self.classes.capacity() * size_of::<Surveyed>() + self.places.capacity() * size_of::<u16>() + boxes * size_of::<Corners>()
    }

    /// Takes in some boxes. Those that are invalid do not count.
    pub(crate) fn observe<S: Scalar, const D: usize>(&mut self, kernel: Kernel, boxes: &[Aabb<S, D>]) {
        kernel.dispatch(Observe { survey: self, boxes });
    }

    #[inline(always)]
    fn place_of(&mut self, number: usize) -> usize {
        match self.places[number] {
            0 => self.insert(number),
            place => usize::from(place) - 1,
        }
    }

    #[inline(never)]
    fn insert(&mut self, number: usize) -> usize {
        let probes = Probes { stride: 1, boxes: Vec::new() };
        memory::push(&mut self.classes, Surveyed { number, class: SizeClass::default(), probes });
        self.places[number] = self.classes.len() as u16;
        self.classes.len() - 1
    }

    /// Takes in the edges of a box of a class.
    #[inline(always)]
    fn count<const D: usize>(&mut self, place: usize, edges: &[f64; 3]) {
        let class = &mut self.classes[place].class;
        class.objects += 1;
        for axis in 0..D {
            if edges[axis] < f64::INFINITY {
                class.max[axis] = class.max[axis].max(edges[axis]);
            }
        }
    }

    /// Measures a box that was counted in a class, and may keep it as a probe.
    #[inline(never)]
    fn measure<S: Scalar, const D: usize>(&mut self, place: usize, bounds: &Aabb<S, D>) {
        let (corners, edges) = corners(bounds);
        let Surveyed { class, probes, .. } = &mut self.classes[place];
        if class.measured == 0 {
            class.endless = (0..D).fold(0, |set, axis| set | u8::from(!edges[axis].is_finite()) << axis);
        }
        class.measure(&corners, edges);
        probes.add(class.measured, &corners);
    }

    /// Counts a box by itself. Whether it is measured depends on its number.
    #[inline(always)]
    fn observe_one<S: Scalar, const D: usize>(&mut self, at: usize, bounds: &Aabb<S, D>) {
        if !bounds.is_valid() {
            return;
        }
        let (_, edges) = corners(bounds);
        let place = self.place_of(class_of::<D>(edges));
        self.count::<D>(place, &edges);
        if at.is_multiple_of(STRIDE) || self.classes[place].class.objects <= MEASURED {
            self.measure(place, bounds);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for Surveyed { number, class, probes } in &other.classes {
            let place = self.place_of(*number);
            let mine = &mut self.classes[place];
            mine.class.absorb(class);
            memory::reserve(&mut mine.probes.boxes, probes.boxes.len());
            mine.probes.boxes.extend_from_slice(&probes.boxes);
        }
    }

    /// The classes that occur, from small to large, then the long ones and the infinite ones; neighbors merged until there are
    /// few enough.
    pub(crate) fn atoms(&self) -> Atoms {
        let mut merged = memory::collect(self.classes.iter().map(|surveyed| (surveyed.number, surveyed.class)));
        merged.sort_unstable_by_key(|(number, _)| *number);
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
        let mut surveyed = memory::collect(self.classes.iter());
        surveyed.sort_unstable_by_key(|surveyed| surveyed.number);
        for Surveyed { number, probes: kept, .. } in surveyed {
            let boxes = &mut probes[usize::from(of_class[*number])];
            memory::reserve(boxes, kept.boxes.len());
            boxes.extend_from_slice(&kept.boxes);
        }
        Atoms { classes, of_class, probes }
    }
}

/// Takes in boxes, sixteen at a time: where neighbors are of one class, they are counted together.
struct Observe<'a, S, const D: usize> {
    survey: &'a mut Survey,
    boxes: &'a [Aabb<S, D>],
}

impl<S: Scalar, const D: usize> IsaWork for Observe<'_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Observe { survey, boxes } = self;
        let (sixteens, rest) = boxes.as_chunks::<WIDTH>();
        let aspect = Vector::<S, I>::splat(isa, S::from_f64(ASPECT));
        let slack = Vector::<S, I>::splat(isa, S::from_f64(SLACK));
        let most = Vector::<S, I>::splat(isa, S::MAX);
        let mut largest: Option<Largest<S::In<I>, D>> = None;
        for sixteen in sixteens {
            let Boxes { min, max } = Vector::<S, I>::boxes(isa, sixteen);
            let mut edges = [max[0].sub(isa, min[0]); D];
            let (mut longest, mut shortest) = (edges[0], edges[0]);
            let mut usual = min[0].le(isa, max[0]);
            for axis in 1..D {
                edges[axis] = max[axis].sub(isa, min[axis]);
                longest = longest.greater(isa, edges[axis]);
                shortest = shortest.lesser(isa, edges[axis]);
                usual &= min[axis].le(isa, max[axis]);
            }
            usual &= longest.le(isa, most) & longest.le(isa, shortest.mul(isa, aspect));
            let longest = longest.mul(isa, slack).array(isa);
            let (mut classes, mut differ) = ([0u32; WIDTH], 0);
            for lane in 0..WIDTH {
                classes[lane] = class_of_exponent(longest[lane].to_f64()) as u32;
                differ |= classes[lane] ^ classes[0];
            }
            if usual != Mask::MAX {
                for (lane, bounds) in sixteen.iter().enumerate() {
                    survey.observe_one(lane, bounds);
                }
                continue;
            }
            let place = survey.place_of(classes[0] as usize);
            if differ != 0 || survey.classes[place].class.objects < MEASURED {
                let mut columns = [[S::ZERO; WIDTH]; D];
                for axis in 0..D {
                    columns[axis] = edges[axis].array(isa);
                }
                for (lane, bounds) in sixteen.iter().enumerate() {
                    let place = survey.place_of(classes[lane] as usize);
                    let mut edges = [0.0; 3];
                    for axis in 0..D {
                        edges[axis] = columns[axis][lane].to_f64();
                    }
                    survey.count::<D>(place, &edges);
                    if lane % STRIDE == 0 || survey.classes[place].class.objects <= MEASURED {
                        survey.measure(place, bounds);
                    }
                }
                continue;
            }
            survey.classes[place].class.objects += WIDTH;
            for bounds in sixteen.iter().step_by(STRIDE) {
                survey.measure(place, bounds);
            }
            match &mut largest {
                Some(largest) if largest.place == place => {
                    for axis in 0..D {
                        largest.edges[axis] = largest.edges[axis].greater(isa, edges[axis]);
                    }
                }
                other => {
                    if let Some(before) = other.replace(Largest { place, edges }) {
                        before.flush(isa, survey);
                    }
                }
            }
        }
        if let Some(last) = largest {
            last.flush(isa, survey);
        }
        for (at, bounds) in rest.iter().enumerate() {
            survey.observe_one(at, bounds);
        }
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
    class_of_exponent(edge * SLACK)
}

/// The class whose first edge is the power of two below this one.
#[inline(always)]
fn class_of_exponent(edge: f64) -> usize {
    let exponent = (edge.to_bits() >> 52) as i32 - 1023;
    (exponent + CLASS_OF_ONE).clamp(0, CLASSES as i32 - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(boxes: impl IntoIterator<Item = Aabb<f32, 3>>) -> Survey {
        let boxes: Vec<_> = boxes.into_iter().collect();
        let mut survey = Survey::default();
        survey.clear();
        survey.observe(Kernel::Portable, &boxes);
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
