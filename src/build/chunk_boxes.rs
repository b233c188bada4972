//! The boxes around the entries of each chunk. A look across levels skips chunks whose box does not overlap it.

use crate::build::builder::Builder;
use crate::isa::Isa;
use crate::kernel::IsaWork;
use crate::layout::Chunk;
use crate::layout::columns::Columns;
use crate::lockfree::Blocks;
use crate::runtime::memory::grow_exactly;
use crate::runtime::scope::scope;
use crate::runtime::team::Team;
use crate::{Aabb, Scalar};

/// Chunks that a worker claims together.
const CLAIM: usize = 16;

impl<S: Scalar, const D: usize> Builder<S, D> {
    /// Makes the boxes, if more than one level has objects.
    pub(super) fn box_chunks(&mut self, team: Team) {
        self.grid.boxes.clear();
        if self.grid.objects.iter().filter(|objects| **objects > 0).count() < 2 {
            return;
        }
        let count = self.grid.sequence.len();
        grow_exactly(&mut self.grid.boxes, count, Aabb::EMPTY, &self.budget);
        let columns = self.table.columns(&self.next_order);
        let (chunks, kernel) = (&self.grid.tables[..count], self.kernel);
        let blocks = Blocks::new(&mut self.grid.boxes, CLAIM);
        self.busy.each(team.at_most(count.div_ceil(CLAIM)), |_| {
            scope!("pivotgrid::sort::boxes");
            while let Some((first, boxes)) = blocks.claim() {
                let chunks = &chunks[first..first + boxes.len()];
                kernel.dispatch(BoxChunks { columns: &columns, chunks, boxes });
            }
        });
    }
}

/// Some chunks, and where their boxes go.
struct BoxChunks<'a, S, const D: usize> {
    columns: &'a Columns<'a, S, D>,
    chunks: &'a [Chunk],
    boxes: &'a mut [Aabb<S, D>],
}

impl<S: Scalar, const D: usize> IsaWork for BoxChunks<'_, S, D> {
    type Outcome = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for (chunk, around) in self.chunks.iter().zip(self.boxes) {
            *around = self.columns.box_around_with(isa, chunk.entries());
        }
    }
}
