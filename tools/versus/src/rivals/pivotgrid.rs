//! pivotgrid itself: `detect`, or `par_detect` in the pool of the contest.

use pivotgrid::{BroadPhase, Config};

use crate::{Answer, Bounds, Resources, Rival};

#[derive(Debug)]
pub(crate) struct Pivotgrid<const D: usize> {
    threads: usize,
    broad_phase: BroadPhase<f32, D>,
}

impl<const D: usize> Pivotgrid<D> {
    pub(crate) fn new(Resources { threads, instructions }: Resources) -> Self {
        let config = Config::default().instruction_set(instructions);
        Pivotgrid { threads, broad_phase: BroadPhase::with_config(config).expect("the machine has these instructions") }
    }
}

impl<const D: usize> Rival<D> for Pivotgrid<D> {
    fn step(&mut self, boxes: &[Bounds<D>]) -> Answer<'_> {
        let pairs = if self.threads == 1 { self.broad_phase.detect(boxes) } else { self.broad_phase.par_detect(boxes) };
        Answer { slices: pairs.slices().collect() }
    }
}
