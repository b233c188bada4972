//! The systems of the papers as rivals.

use baselines::{Pairs, System};

use crate::{Answer, Bounds, Entry, Rival};

/// A system of `tools/baselines`. Those that are parallel always use all of the pool in which they are called, so that with one
/// thread the pool must have only that.
pub(crate) struct Literature<const D: usize> {
    system: Box<dyn System<D>>,
    pairs: Pairs,
}

impl<const D: usize> Literature<D> {
    /// The line of the roster, named by paper and system.
    pub(crate) fn entry(of: baselines::Entry<D>) -> Entry<D> {
        let make = move |_| -> Box<dyn Rival<D>> { Box::new(Literature { system: (of.make)(), pairs: Pairs::default() }) };
        Entry { name: format!("{}/{}", of.paper, of.name), parallel: of.parallel, make: Box::new(make) }
    }
}

impl<const D: usize> Rival<D> for Literature<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        self.pairs.clear();
        self.system.update(boxes);
        self.system.report(boxes, &mut self.pairs);
        Answer { slices: vec![&self.pairs.found] }
    }
}
