//! Points of which a part changes its cell in each step: the paper's sorting experiment.

use baselines::Bounds;

use crate::reproduce::measure::Motion;
use crate::reproduce::random::Random;

/// Cells along an edge, of size 1.
const CELLS: usize = 40;

/// Small boxes in the middle of cells, so that each has one reference.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    boxes: Vec<Bounds<3>>,
    /// The part that changes.
    share: f64,
    random: Random,
}

impl Keys {
    pub(super) fn new(count: usize, share: f64) -> Self {
        let mut random = Random::new(5);
        // Two that never move fix the domain, and with it the cells.
        let corners = [0, CELLS - 1].map(|cell| in_cell([cell; 3]));
        let boxes = corners.into_iter().chain((2..count).map(|_| anywhere(&mut random))).collect();
        Keys { boxes, share, random }
    }
}

fn anywhere(random: &mut Random) -> Bounds<3> {
    in_cell([0; 3].map(|_| random.below(CELLS)))
}

fn in_cell(cell: [usize; 3]) -> Bounds<3> {
    let center = cell.map(|cell| cell as f32 + 0.5);
    Bounds { min: center.map(|x| x - 0.2), max: center.map(|x| x + 0.2) }
}

impl Motion<3> for Keys {
    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }

    fn advance(&mut self) {
        for bounds in &mut self.boxes[2..] {
            if self.random.unit() < self.share {
                *bounds = anywhere(&mut self.random);
            }
        }
    }
}
