//! Sweep and prune as the pe engine sets it up: object after object.

use baselines::schornbaum::SweepAndPrune;
use baselines::{Bounds, Pairs, System};

/// So many are sorted in by insertion at once; more, and the baseline would sort everything anew.
const AT_ONCE: usize = 8;

/// The baseline mends what section 4.5 says is to be mended, the quadratic setup. Here it is again.
#[derive(Debug)]
pub(super) struct OneByOne(SweepAndPrune<3>, usize);

impl OneByOne {
    pub(super) fn new() -> Self {
        OneByOne(SweepAndPrune::new(), 0)
    }
}

impl System<3> for OneByOne {
    fn update(&mut self, boxes: &[Bounds<3>]) {
        for count in (self.1..boxes.len()).step_by(AT_ONCE) {
            self.0.update(&boxes[..count]);
        }
        self.1 = boxes.len();
        self.0.update(boxes);
    }

    fn report(&mut self, boxes: &[Bounds<3>], pairs: &mut Pairs) {
        self.0.report(boxes, pairs);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
