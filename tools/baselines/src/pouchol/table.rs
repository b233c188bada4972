//! The hash table of all classes' cells.

/// The primes of equation 1.
const PRIMES: [u32; 3] = [73_856_093, 19_349_663, 83_492_791];
/// The end of a list.
pub(super) const NONE: u32 = u32::MAX;
/// The fewest slots, as a power of two.
const FEWEST: u32 = 6;

/// Equation 3 without its modulo, which the table's own reduction replaces.
#[inline]
pub(super) fn hash<const D: usize>(cell: [i32; D]) -> u32 {
    (0..D).fold(0, |hash, axis| hash ^ (cell[axis] as u32).wrapping_mul(PRIMES[axis]))
}

/// A cell and the hash under which it is kept. Which hash that is, is for the scheme to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key<const D: usize> {
    pub(super) hash: u32,
    pub(super) class: u32,
    pub(super) cell: [i32; D],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<const D: usize> {
    key: Key<D>,
    /// In which step it was taken. Slots of earlier steps are free, so nothing is swept: section 4.3.
    step: u32,
    first: u32,
    /// Whether there is anything in a smaller class's cell inside this one. Only hierarchical hashing sets it.
    pub(super) has_children: bool,
}

/// An object in the list of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) object: u32,
    pub(super) next: u32,
}

/// Open addressing with linear probing. Unlike the paper's, it tells cells with equal hashes apart, so an object is never found
/// in a cell where it is not.
#[derive(Clone, Debug)]
pub(super) struct Table<const D: usize> {
    slots: Vec<Slot<D>>,
    bits: u32,
    taken: usize,
    step: u32,
    nodes: Vec<Node>,
}

impl<const D: usize> Table<D> {
    pub(super) fn new() -> Self {
        Table { slots: vec![Slot::FREE; 1 << FEWEST], bits: FEWEST, taken: 0, step: 1, nodes: Vec::new() }
    }

    /// Empties it for the next step.
    pub(super) fn clear(&mut self) {
        // What the last step needed decides: a table much larger than that is slower than one that has to grow again.
        if self.slots.len() > 16 * self.taken.max(1 << FEWEST) {
            *self = Self::new();
        }
        self.step = self.step.wrapping_add(1);
        if self.step == 0 {
            self.slots.fill(Slot::FREE);
            self.step = 1;
        }
        self.taken = 0;
        self.nodes.clear();
    }

    /// The slot in which the key is or would be.
    #[inline]
    fn probe(&self, key: &Key<D>) -> usize {
        let mut place = (key.hash.wrapping_mul(0x9E37_79B1) >> (u32::BITS - self.bits)) as usize;
        while self.slots[place].step == self.step && self.slots[place].key != *key {
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }

    /// The cell's slot, if there is one.
    #[inline]
    pub(super) fn find(&self, key: &Key<D>) -> Option<&Slot<D>> {
        let slot = &self.slots[self.probe(key)];
        (slot.step == self.step).then_some(slot)
    }

    /// The cell's slot, which is made if there is none.
    #[inline]
    pub(super) fn claim(&mut self, key: Key<D>) -> &mut Slot<D> {
        let mut place = self.probe(&key);
        if self.slots[place].step != self.step {
            if 2 * self.taken >= self.slots.len() {
                self.grow();
                place = self.probe(&key);
            }
            self.taken += 1;
            self.slots[place] = Slot { key, step: self.step, first: NONE, has_children: false };
        }
        &mut self.slots[place]
    }

    #[cold]
    fn grow(&mut self) {
        self.bits += 1;
        let slots = std::mem::replace(&mut self.slots, vec![Slot::FREE; 1 << self.bits]);
        for slot in slots.into_iter().filter(|slot| slot.step == self.step) {
            let place = self.probe(&slot.key);
            self.slots[place] = slot;
        }
    }

    /// Puts an object in front of a cell's list. Returns the node that was in front before.
    #[inline]
    pub(super) fn push(&mut self, key: Key<D>, object: u32) -> u32 {
        let node = self.nodes.len() as u32;
        let next = std::mem::replace(&mut self.claim(key).first, node);
        self.nodes.push(Node { object, next });
        next
    }

    /// All nodes in the order of their making.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The objects of a cell.
    #[inline]
    pub(super) fn objects(&self, slot: &Slot<D>) -> impl Iterator<Item = u32> + '_ {
        self.objects_from(slot.first)
    }

    /// The objects of a cell's list from a node on.
    #[inline]
    pub(super) fn objects_from(&self, mut node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::from_fn(move || {
            let Node { object, next } = *self.nodes.get(node as usize)?;
            node = next;
            Some(object)
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot<D>>() + self.nodes.capacity() * size_of::<Node>()
    }
}

impl<const D: usize> Slot<D> {
    const FREE: Self = Slot { key: Key { hash: 0, class: 0, cell: [0; D] }, step: 0, first: NONE, has_children: false };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_equal_hashes_are_told_apart() {
        let mut table = Table::<2>::new();
        for round in 0..3 {
            table.clear();
            for i in 0..1000 {
                table.push(Key { hash: i % 7, class: i % 3, cell: [(i % 100) as i32, 0] }, i);
            }
            for i in 0..1000 {
                let key = Key { hash: i % 7, class: i % 3, cell: [(i % 100) as i32, 0] };
                let slot = table.find(&key).expect("it was put there");
                assert!(table.objects(slot).any(|object| object == i), "round {round}");
            }
            assert!(table.find(&Key { hash: 8, class: 0, cell: [0, 0] }).is_none());
        }
    }
}
