//! The data table.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Bounds;

/// A copy of an object, to lie next to its neighbors.
///
/// Made of atomic numbers because many threads fill the table in no order, each place once. Loads and stores are relaxed, the
/// processor's ordinary ones: the join between building and searching orders them.
#[derive(Debug, Default)]
pub(super) struct Record {
    min: [AtomicU32; 2],
    max: [AtomicU32; 2],
    object: AtomicU32,
}

impl Record {
    pub(super) fn new(bounds: &Bounds<2>, object: u32) -> Self {
        let record = Record::default();
        record.set(bounds, object);
        record
    }

    #[inline]
    pub(super) fn set(&self, bounds: &Bounds<2>, object: u32) {
        for axis in 0..2 {
            self.min[axis].store(bounds.min[axis].to_bits(), Relaxed);
            self.max[axis].store(bounds.max[axis].to_bits(), Relaxed);
        }
        self.object.store(object, Relaxed);
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds<2> {
        let load = |corner: &[AtomicU32; 2]| [0, 1].map(|axis| f32::from_bits(corner[axis].load(Relaxed)));
        Bounds { min: load(&self.min), max: load(&self.max) }
    }

    #[inline]
    pub(super) fn object(&self) -> u32 {
        self.object.load(Relaxed)
    }
}
