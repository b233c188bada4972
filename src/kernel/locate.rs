//! Finds level, cell and chunk of sixteen staged boxes at a time.

use super::isa::{Isa, Lanes, Mask, WIDTH};
use super::scalar::{Boxes, Vector};
use super::{IsaWork, Kernel};
use crate::Scalar;
use crate::faults::{Fault, injected};
use crate::isa::eight::bits;
use crate::layout::staged::{BLOCK, StagedBlock};
use crate::layout::{Levels, MAX_LEVELS, Shape, Thin};

/// "Level" of boxes that fit no level.
pub(crate) const OVERSIZED: i32 = -1;
/// "Level" of boxes that are invalid.
pub(crate) const REJECTED: i32 = -2;
/// "Level" of positions without an object.
pub(crate) const VACANT: i32 = -3;

/// Where the boxes of a block belong.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Located {
    /// Chunk coordinates and level of each box, a column each. The word before the first box holds the last one of the block before.
    keys: [[u32; WIDTH + BLOCK]; 4],
    /// A bit for each box that does not live in the chunk of the box before it.
    pub(crate) changes: [u64; BLOCK / 64],
    /// Whether some box has no level.
    pub(crate) has_special: bool,
    /// The most cells that a box of each level reaches beyond its own, by axis and lane.
    spans: [[[u32; WIDTH]; 3]; MAX_LEVELS],
    /// How many levels there are; the spans of the others are 0.
    levels: usize,
}

impl Located {
    pub(crate) fn new() -> Self {
        Located {
            keys: [[0; WIDTH + BLOCK]; 4],
            changes: [0; BLOCK / 64],
            has_special: false,
            spans: [[[0; WIDTH]; 3]; MAX_LEVELS],
            levels: 0,
        }
    }

    /// Clears the spans of the last step. `levels`: how many levels there are now.
    pub(crate) fn clear(&mut self, levels: usize) {
        self.spans[..levels.max(self.levels)].fill([[0; WIDTH]; 3]);
        self.levels = levels;
    }

    /// Prepares for the next block.
    #[inline]
    pub(crate) fn begin_block(&mut self) {
        self.changes = [0; BLOCK / 64];
        self.has_special = false;
        if injected(Fault::SpansOfOneBlock) {
            self.clear(self.levels);
        }
    }

    /// Chunk coordinates and level of a box.
    #[inline(always)]
    pub(crate) fn key(&self, at: usize) -> [u32; 4] {
        std::array::from_fn(|part| self.keys[part][WIDTH + at % BLOCK])
    }

    pub(crate) fn set_key(&mut self, at: usize, key: &[u32; 4]) {
        for (part, word) in key.iter().enumerate() {
            self.keys[part][WIDTH + at % BLOCK] = *word;
        }
    }

    /// The level of a box, or why it has none.
    pub(crate) fn level(&self, at: usize) -> i32 {
        self.keys[3][WIDTH + at % BLOCK] as i32
    }

    pub(crate) fn set_level(&mut self, at: usize, level: i32) {
        self.keys[3][WIDTH + at % BLOCK] = level as u32;
    }

    /// Finds anew where chunks change, after levels were set.
    pub(crate) fn find_changes(&mut self) {
        self.changes = [0; BLOCK / 64];
        for at in 1..BLOCK {
            self.changes[at / 64] |= u64::from(self.key(at) != self.key(at - 1)) << (at % 64);
        }
    }

    /// The most cells that a box of each level reaches beyond its own, by axis.
    pub(crate) fn spans(&self) -> [[i32; 3]; MAX_LEVELS] {
        let mut most = [[0; 3]; MAX_LEVELS];
        for (most, axes) in most.iter_mut().zip(&self.spans[..self.levels]) {
            *most = axes.map(|lanes| lanes.into_iter().max().unwrap_or(0) as i32);
        }
        most
    }
}

/// Locates sixteen boxes: the first level that takes each, the chunk, and the cell within it.
pub(crate) struct Locate<'a, S, const D: usize> {
    pub(crate) levels: &'a Levels<S, D>,
    pub(crate) block: &'a mut StagedBlock<S, D>,
    pub(crate) located: &'a mut Located,
    /// Which sixteen.
    pub(crate) groups: std::ops::Range<usize>,
}

/// Locates by a kernel. Not inlined: the same code serves all kinds of objects.
#[inline(never)]
pub(crate) fn locate_with<S: Scalar, const D: usize>(kernel: Kernel, work: Locate<'_, S, D>) {
    kernel.dispatch(work);
}

/// The function of each kind, compiled here once: crates that use the library link to it, unless they are optimized themselves.
#[used]
static LOCATORS: (LocatorOf<f32, 2>, LocatorOf<f32, 3>, LocatorOf<f64, 2>, LocatorOf<f64, 3>) =
    (locate_with, locate_with, locate_with, locate_with);

type LocatorOf<S, const D: usize> = fn(Kernel, Locate<'_, S, D>);

impl<S: Scalar, const D: usize> IsaWork for Locate<'_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Locate { levels, block, located, groups } = self;
        for group in groups {
            locate(isa, levels, block, located, group);
        }
    }
}

#[inline(always)]
fn locate<I: Isa, S: Scalar, const D: usize>(
    isa: I,
    levels: &Levels<S, D>,
    block: &mut StagedBlock<S, D>,
    located: &mut Located,
    group: usize,
) {
    let first = group * WIDTH % BLOCK;
    let records = block.boxes[first..].first_chunk().expect("a group of a block");
    let Boxes { min, max } = Vector::<S, I>::boxes(isa, records);
    let mut valid = min[0].le(isa, max[0]);
    for axis in 1..D {
        valid &= min[axis].le(isa, max[axis]);
    }
    let valid = if injected(Fault::InvertedAccepted) { Mask::MAX } else { valid };

    let zero = isa.splat(0);
    let (mut chunk, mut cell, mut level) = ([zero; 3], zero, isa.splat(OVERSIZED));
    // Lanes that no level has taken yet, and those that need a closer look.
    let (mut left, mut unsure) = (valid, 0);
    let is_only = levels.len() == 1;
    for &index in levels.order() {
        let candidate = &levels[index];
        let (mut fits, mut low, mut spans) = (left, [zero; D], [zero; D]);
        for axis in 0..D {
            let (origin, inverse, limit) = candidate.axis(axis);
            let (origin, inverse) = (Vector::<S, I>::splat(isa, origin), Vector::<S, I>::splat(isa, inverse));
            low[axis] = min[axis].cells(isa, origin, inverse);
            spans[axis] = isa.sub(max[axis].cells(isa, origin, inverse), low[axis]);
            fits &= !isa.gt(spans[axis], isa.splat(limit));
            if injected(Fault::SpanByExtent) {
                spans[axis] = max[axis].cells(isa, min[axis], inverse);
            }
        }
        if !is_only {
            for axis in 0..D {
                let (most, outermost) = candidate.admitted(axis);
                fits &= !max[axis].exceeds(isa, min[axis], Vector::<S, I>::splat(isa, most));
                fits &= isa.gt(isa.splat(outermost), isa.max(low[axis], isa.sub(zero, low[axis])));
            }
        }
        if levels.refused(index).is_some() {
            unsure |= fits;
        } else if let Some(thin) = levels.thin(index) {
            unsure |= thin_lanes(isa, thin, &min, fits);
        }
        left &= !unsure;
        fits &= !unsure;
        if fits == 0 {
            continue;
        }
        match candidate.row() {
            0 => {}
            1 => {
                low.swap(0, 1);
                spans.swap(0, 1);
            }
            _ => {
                low.swap(0, D - 1);
                spans.swap(0, D - 1);
            }
        }
        let mut inside = zero;
        for axis in 0..D {
            let most = &mut located.spans[index][axis];
            let wider = isa.max(isa.words(most), spans[axis]);
            *most = isa.array(isa.select(fits, wider, isa.words(most)));
            chunk[axis] = isa.select(fits, isa.shr(low[axis], Shape::<D>::BITS[axis]), chunk[axis]);
            let local = isa.and(low[axis], isa.splat(Shape::<D>::EDGE[axis] - 1));
            inside = isa.or(inside, isa.shl(local, Shape::<D>::SHIFT[axis]));
        }
        cell = isa.select(fits, inside, cell);
        level = isa.select(fits, isa.splat(index as i32), level);
        left &= !fits;
        if left == 0 {
            break;
        }
    }
    level = isa.select(valid, level, isa.splat(REJECTED));
    if unsure != 0 {
        let closer = look_closer(levels, block, located, first, unsure);
        for axis in 0..D {
            chunk[axis] = isa.select(unsure, isa.words(&closer.chunk[axis]), chunk[axis]);
        }
        cell = isa.select(unsure, isa.words(&closer.cell), cell);
        level = isa.select(unsure, isa.words(&closer.level), level);
        left |= closer.oversized;
    }
    located.has_special |= left != 0 || valid != Mask::MAX;

    let (mut same, previous) = (Mask::MAX, isa.sub(isa.iota(), isa.splat(1)));
    for (part, words) in [chunk[0], chunk[1], chunk[2], level].into_iter().enumerate() {
        if part < D || part == 3 {
            let keys = &mut located.keys[part];
            // The lanes shifted by one, in registers: loading them across two stores would stall.
            let before = isa.select(1, isa.splat(keys[WIDTH + first - 1] as i32), isa.lookup(words, previous));
            set(isa, keys, WIDTH + first, words);
            same &= isa.eq(words, before);
        }
    }
    located.changes[first / 64] |= u64::from(!same) << (first % 64);
    isa.bytes(cell, block.cells[first..].first_chunk_mut().expect("a group of a block"));
    // The box before the next block's first one.
    if first + WIDTH == BLOCK {
        for keys in &mut located.keys {
            keys[WIDTH - 1] = keys[WIDTH + BLOCK - 1];
        }
    }
}

/// The lanes of a mask whose level has few objects around them.
#[inline(always)]
fn thin_lanes<I: Isa, S: Scalar, const D: usize>(isa: I, thin: &Thin<S, D>, min: &[S::In<I>; D], mask: Mask) -> Mask {
    let (mut cells, mut lanes) = ([isa.splat(0); D], [[0; WIDTH]; 3]);
    for axis in 0..D {
        let (origin, inverse, _) = thin.boxes().axis(axis);
        cells[axis] = min[axis].cells(isa, Vector::<S, I>::splat(isa, origin), Vector::<S, I>::splat(isa, inverse));
        lanes[axis] = isa.array(cells[axis]);
    }
    let (mut left, mut few) = (mask, 0);
    // Neighbors in the order are mostly in one box of the map, which is looked at once.
    while left != 0 {
        let lane = left.trailing_zeros() as usize % WIDTH;
        let mut same = left;
        for axis in 0..D {
            same &= isa.eq(cells[axis], isa.splat(lanes[axis][lane] as i32));
        }
        if thin.has_few([lanes[0][lane], lanes[1][lane], lanes[2][lane]]) {
            few |= same;
        }
        left &= !same;
    }
    few
}

/// Finds the places of boxes that a map sends elsewhere.
struct Closer {
    chunk: [[u32; WIDTH]; 3],
    cell: [u32; WIDTH],
    level: [u32; WIDTH],
    oversized: Mask,
}

/// Assigns the lanes of a mask one by one.
#[inline(never)]
fn look_closer<S: Scalar, const D: usize>(
    levels: &Levels<S, D>,
    block: &StagedBlock<S, D>,
    located: &mut Located,
    first: usize,
    mask: Mask,
) -> Closer {
    let mut closer = Closer { chunk: [[0; WIDTH]; 3], cell: [0; WIDTH], level: [OVERSIZED as u32; WIDTH], oversized: 0 };
    for lane in bits(u32::from(mask)) {
        let Some(home) = levels.assign(&block.bounds(first + lane)) else {
            closer.oversized |= 1 << lane;
            continue;
        };
        let chunk = Shape::<D>::chunk_of(home.cell);
        for axis in 0..D {
            closer.chunk[axis][lane] = chunk[axis] as u32;
            let most = &mut located.spans[home.level][axis][lane];
            *most = (*most).max(home.span[axis] as u32);
        }
        closer.cell[lane] = Shape::<D>::local(home.cell) as u32;
        closer.level[lane] = home.level as u32;
    }
    closer
}

#[inline(always)]
fn set<I: Isa>(isa: I, keys: &mut [u32; WIDTH + BLOCK], at: usize, words: I::Words) {
    *keys[at..].first_chunk_mut().expect("a group of a block") = isa.array(words);
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use crate::Aabb;
    use crate::isa::CELL_LIMIT;
    use crate::layout::{Level, Member};

    /// Boxes of every kind: near and far, tiny and huge, touching cell borders, invalid.
    fn boxes() -> Vec<Aabb<f32, 3>> {
        let values = crate::isa::scalar::tests::values();
        let at = |index: usize| values[index % values.len()];
        let mut boxes: Vec<_> = (0..BLOCK - 4)
            .map(|i| {
                let min = [at(7 * i + 1500), at(11 * i + 900), at(3 * i)];
                Aabb { min, max: std::array::from_fn(|axis| min[axis] + [0.5, 1.0, 40.0, 0.0][(i + axis) % 4]) }
            })
            .collect();
        boxes.push(Aabb { min: [0.99999994, 0.0, 0.0], max: [2.0, 1.0, 0.5] });
        boxes.push(Aabb { min: [f32::NAN, 0.0, 0.0], max: [1.0; 3] });
        boxes.push(Aabb { min: [2.0, 0.0, 0.0], max: [1.0; 3] });
        boxes.push(Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] });
        boxes
    }

    /// Levels tried in this order.
    fn levels(of: &[Level<f32, 3>]) -> Levels<f32, 3> {
        let mut levels = Levels::default();
        for (size, &level) in of.iter().enumerate() {
            levels.insert(Member { level, chunk_size: size as f64, object_size: size as f64, by_size: true });
        }
        levels
    }

    fn locate_all(kernel: Kernel, levels: &Levels<f32, 3>) -> (StagedBlock<f32, 3>, Located) {
        let (mut block, mut located) = (StagedBlock::zeroed(), Located::new());
        boxes().iter().enumerate().for_each(|(at, bounds)| block.set_bounds(at, bounds));
        located.clear(levels.len());
        kernel.dispatch(Locate { levels, block: &mut block, located: &mut located, groups: 0..BLOCK / WIDTH });
        (block, located)
    }

    /// One box at a time, by the formula.
    fn expected(levels: &Levels<f32, 3>, bounds: &Aabb<f32, 3>) -> (i32, [i32; 3]) {
        match levels.assign(bounds) {
            _ if !bounds.is_valid() => (REJECTED, [0; 3]),
            Some(home) => (home.level as i32, home.cell),
            None => (OVERSIZED, [0; 3]),
        }
    }

    #[test]
    fn all_instruction_sets_locate_alike_and_by_the_formula() {
        let fine = Level::new([0.25, 0.0, -3.0], [1.0, 0.7, 2.0], [1, 1, 1]);
        let coarse = Level::new([0.0, f64::INFINITY, 0.0], [64.0; 3], [1, 0, 1]);
        let mut thinned = levels(&[fine.taking([1.5; 3]), coarse]);
        let mut map = Thin::new(Some(1), fine, 64, 3);
        boxes().iter().take(200).for_each(|bounds| map.add(&bounds.min));
        thinned.set_thin(0, map);
        let mut refusing = levels(&[fine, coarse]);
        refusing.refuse(0, Thin::new(None, coarse, 64, 3));
        for levels in [levels(&[fine]), levels(&[fine.taking([1.0; 3]), coarse]), thinned, refusing] {
            check(&levels);
        }
    }

    fn check(levels: &Levels<f32, 3>) {
        for kernel in Kernel::all() {
            let (block, located) = locate_all(kernel, levels);
            for (at, bounds) in boxes().iter().enumerate() {
                let (level, cell) = expected(levels, bounds);
                assert_eq!(located.level(at), level, "{kernel:?}: {bounds:?}");
                if level >= 0 {
                    let chunk = Shape::<3>::chunk_of(cell);
                    let key = located.key(at);
                    assert_eq!([key[0] as i32, key[1] as i32, key[2] as i32], chunk, "{kernel:?}: {bounds:?}");
                    assert_eq!(usize::from(block.cells[at]), Shape::<3>::local(cell), "{kernel:?}: {bounds:?}");
                }
                let changes = located.changes[at / 64] >> (at % 64) & 1 != 0;
                assert!(at == 0 || changes == (located.key(at) != located.key(at - 1)), "{kernel:?}: {at}");
            }
            assert!(located.has_special);
            assert!(located.spans().iter().flatten().all(|&span| (0..=1).contains(&span)));
        }
    }

    #[test]
    fn fit_is_decided_by_cells_not_by_rounded_extent() {
        let trap = Aabb::new([0.99999994f32, 0.0, 0.0], [2.0, 1.0, 0.5]);
        assert_eq!(trap.max[0] - trap.min[0], 1.0);
        let level = Level::new([0.0; 3], [1.0; 3], [1, 1, 1]);
        assert_eq!(expected(&levels(&[level]), &trap).0, OVERSIZED);
        let (_, located) = locate_all(Kernel::Portable, &levels(&[level]));
        assert_eq!(located.level(BLOCK - 4), OVERSIZED);
        // Saturated cells are cells: a box that is far away has a place.
        assert!(boxes().iter().any(|bounds| level.cell(&bounds.min)[0].abs() == CELL_LIMIT));
    }
}
