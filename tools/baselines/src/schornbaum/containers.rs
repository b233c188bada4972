//! What is in the cells.

/// Objects in a block, which is half a cache line then: most cells hold one or two.
const ROOM: usize = 5;

/// The object containers of a grid's cells, sections 3.1 and 3.5: one only where objects are, insertion and removal in constant
/// time. In place of a vector on the heap for each cell: a small block in a common array, freed ones used again, and another
/// block in front when that is full.
#[derive(Clone, Debug)]
pub(crate) struct Containers {
    /// The first one stands for no container, and is always empty.
    blocks: Vec<Block>,
    /// Blocks ever taken since the last clearing.
    used: u32,
    /// First of the blocks given back.
    free: u32,
}

/// A container's name: its front block. [`EMPTY`] if nothing is in it.
pub(crate) type Container = u32;
/// No container.
pub(crate) const EMPTY: Container = 0;

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    block: u32,
    slot: u32,
}

impl Spot {
    /// In no container.
    pub(crate) const NONE: Self = Spot { block: EMPTY, slot: 0 };
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Block {
    ids: [u32; ROOM],
    len: u32,
    /// A full one, or none.
    next: u32,
    /// In the front block: where the cell is in the grid's list of occupied cells.
    rank: u32,
}

impl Containers {
    pub(crate) fn new() -> Self {
        Containers { blocks: vec![Block::default()], used: 1, free: EMPTY }
    }

    /// Forgets all containers at once.
    pub(crate) fn clear(&mut self) {
        self.used = 1;
        self.free = EMPTY;
    }

    /// Makes a container, to be filled at once, for the cell that is at `rank` in the list of occupied ones.
    #[inline]
    pub(crate) fn open(&mut self, rank: u32) -> Container {
        self.take(EMPTY, rank)
    }

    /// Where the cell is in the list of occupied ones.
    #[inline]
    pub(crate) fn rank(&self, container: Container) -> u32 {
        self.blocks[container as usize].rank
    }

    #[inline]
    pub(crate) fn set_rank(&mut self, container: Container, rank: u32) {
        self.blocks[container as usize].rank = rank;
    }

    /// Puts an object in.
    #[inline]
    pub(crate) fn insert(&mut self, container: &mut Container, id: u32) -> Spot {
        let front = &self.blocks[*container as usize];
        if front.len as usize == ROOM {
            *container = self.take(*container, front.rank);
        }
        let front = &mut self.blocks[*container as usize];
        let slot = front.len;
        front.ids[slot as usize] = id;
        front.len += 1;
        Spot { block: *container, slot }
    }

    /// Takes an object out. The last one takes its place, and is returned if it is another. A container that is empty then is
    /// given back, and becomes [`EMPTY`].
    pub(crate) fn remove(&mut self, container: &mut Container, spot: Spot) -> Option<u32> {
        let front = &mut self.blocks[*container as usize];
        front.len -= 1;
        let last = Spot { block: *container, slot: front.len };
        let last_id = front.ids[last.slot as usize];
        if front.len == 0 {
            let (next, rank) = (front.next, front.rank);
            front.next = self.free;
            self.free = *container;
            *container = next;
            if next != EMPTY {
                self.set_rank(next, rank);
            }
        }
        (last != spot).then(|| {
            self.blocks[spot.block as usize].ids[spot.slot as usize] = last_id;
            last_id
        })
    }

    /// Visits the objects.
    #[inline(always)]
    pub(crate) fn for_each(&self, container: Container, mut visit: impl FnMut(u32)) {
        let mut at = container;
        while at != EMPTY {
            let block = &self.blocks[at as usize];
            block.ids[..block.len as usize].iter().for_each(|id| visit(*id));
            at = block.next;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }

    /// An empty block in front of others.
    #[inline]
    fn take(&mut self, next: u32, rank: u32) -> u32 {
        let block = if self.free != EMPTY {
            let block = self.free;
            self.free = self.blocks[block as usize].next;
            block
        } else {
            self.used += 1;
            self.used - 1
        };
        if block as usize == self.blocks.len() {
            self.blocks.push(Block::default());
        }
        let taken = &mut self.blocks[block as usize];
        (taken.len, taken.next, taken.rank) = (0, next, rank);
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(containers: &Containers, container: Container) -> Vec<u32> {
        let mut ids = Vec::new();
        containers.for_each(container, |id| ids.push(id));
        ids.sort();
        ids
    }

    #[test]
    fn objects_come_and_go_in_any_order() {
        let mut containers = Containers::new();
        let mut container = containers.open(7);
        let mut spots = vec![Spot::NONE; 100];
        for id in 0..100 {
            spots[id as usize] = containers.insert(&mut container, id);
        }
        let mut left: Vec<u32> = (0..100).collect();
        for k in 0..100 {
            assert_eq!(contents(&containers, container), left);
            assert_eq!(containers.rank(container), 7);
            let id = left.remove(k * 37 % left.len());
            let spot = spots[id as usize];
            if let Some(moved) = containers.remove(&mut container, spot) {
                spots[moved as usize] = spot;
            }
        }
        assert_eq!(container, EMPTY);
        let held = containers.bytes();
        let mut again = containers.open(0);
        (0..100).for_each(|id| _ = containers.insert(&mut again, id));
        assert_eq!((contents(&containers, again).len(), containers.bytes()), (100, held), "freed blocks are used again");
    }
}
