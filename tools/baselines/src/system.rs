//! What a system is.

use std::fmt;

use pivotgrid::{Aabb, Pair};

/// The boxes of all systems: closed, single precision.
pub type Bounds<const D: usize> = Aabb<f32, D>;

/// What a system found in a step, and how hard it had to look.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Each pair of closed boxes that share a point, once, in any order.
    pub found: Vec<Pair>,
    /// How many pairs of boxes were compared: what the papers call pairs handed to the fine check.
    pub candidates: u64,
}

impl Pairs {
    /// Empties it for the next step, keeping its memory.
    pub fn clear(&mut self) {
        self.found.clear();
        self.candidates = 0;
    }

    /// Compares two objects, and keeps the pair if their boxes overlap.
    #[inline]
    pub fn compare<const D: usize>(&mut self, boxes: &[Bounds<D>], a: u32, b: u32) {
        self.candidates += 1;
        if boxes[a as usize].overlaps(&boxes[b as usize]) {
            self.found.push(Pair::new(a, b));
        }
    }
}

/// Something that finds all overlapping pairs, step after step. It may keep what it likes between steps. From one step to the next
/// objects may move, grow, shrink, come and go: the number of boxes may change, and then the last indices are the new or gone ones.
pub trait System<const D: usize> {
    /// Takes the boxes of this step: builds the structure, or brings it up to date.
    fn update(&mut self, boxes: &[Bounds<D>]);

    /// Appends all pairs among the boxes of the last [`update`](Self::update), which are handed over once more.
    fn report(&mut self, boxes: &[Bounds<D>], pairs: &mut Pairs);

    /// Memory held by the structure, in bytes, without the boxes and the pairs.
    fn bytes(&self) -> usize;
}

/// A line of a roster: a system by name, and how to make one.
#[derive(Clone, Copy)]
pub struct Entry<const D: usize> {
    /// The paper's first author, as in `lab reproduce`.
    pub paper: &'static str,
    /// The name in tables.
    pub name: &'static str,
    /// Whether it uses the threads of the rayon pool in which it is called.
    pub parallel: bool,
    /// Makes one without history.
    pub make: fn() -> Box<dyn System<D>>,
}

impl<const D: usize> fmt::Debug for Entry<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("paper", &self.paper).field("name", &self.name).field("parallel", &self.parallel).finish()
    }
}
