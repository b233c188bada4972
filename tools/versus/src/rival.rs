//! What a contestant is.

use std::fmt;

use pivotgrid::{Aabb, InstructionSet, Pair};

/// The boxes of the contest: closed, single precision.
pub type Bounds<const D: usize> = Aabb<f32, D>;

/// Something that finds all overlapping pairs, step after step. It may keep what it likes between steps; the objects keep their
/// indices and their number.
pub trait Rival<const D: usize> {
    /// Finds all pairs of closed boxes that share a point, each once. This is what the contest times.
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_>;
}

/// The pairs of one step, as they lie in the rival's memory.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// Each pair once, in any order.
    pub slices: Vec<&'a [Pair]>,
}

impl Answer<'_> {
    /// How many pairs there are.
    pub fn pairs(&self) -> usize {
        self.slices.iter().map(|slice| slice.len()).sum()
    }

    /// A copy of the pairs in ascending order.
    pub fn sorted(&self) -> Vec<Pair> {
        let mut pairs = self.slices.concat();
        pairs.sort_unstable();
        pairs
    }

    /// A number that depends on which pairs there are, and not on their order.
    pub fn digest(&self) -> u64 {
        let mix = |pair: &Pair| {
            let bits = (u64::from(pair.a) << 32 | u64::from(pair.b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (bits ^ bits >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ bits >> 32
        };
        self.slices.iter().flat_map(|slice| slice.iter()).map(mix).fold(self.pairs() as u64, u64::wrapping_add)
    }
}

/// What a rival may use.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Threads of the rayon pool in which it is called.
    pub threads: usize,
    /// Instructions of the engine and of the rivals of our own, which choose at run time. The other crates are compiled for one set.
    pub instructions: InstructionSet,
}

impl From<usize> for Resources {
    /// That many threads, and the best instructions of the machine.
    fn from(threads: usize) -> Self {
        Resources { threads, instructions: InstructionSet::Best }
    }
}

/// A line of a roster: a rival by name, and how to make one.
pub struct Entry<const D: usize> {
    /// The name in tables, and for `--rivals`.
    pub name: String,
    /// Whether it has a form that uses more than one thread.
    pub parallel: bool,
    pub(crate) make: Box<dyn Fn(Resources) -> Box<dyn Rival<D>> + Sync>,
}

impl<const D: usize> Entry<D> {
    /// A new rival without history. It works in the rayon pool in which it is called, which must have that many threads.
    pub fn make(&self, resources: impl Into<Resources>) -> Box<dyn Rival<D>> {
        let resources = resources.into();
        assert!(resources.threads == 1 || self.parallel, "{} has no parallel form", self.name);
        (self.make)(resources)
    }
}

impl<const D: usize> fmt::Debug for Entry<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).field("parallel", &self.parallel).finish()
    }
}
