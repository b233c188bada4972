//! Objects that no grid can hold.

use crate::{Bounds, Pairs};

use super::size;

/// The global container of section 3.3: objects without a finite size, such as planes, each compared with all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unbounded {
    ids: Vec<u32>,
}

impl Unbounded {
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
    }

    pub(crate) fn push(&mut self, id: u32) {
        self.ids.push(id);
    }

    /// Compares each with each other, and with all finite objects.
    pub(crate) fn report<const D: usize>(&self, boxes: &[Bounds<D>], pairs: &mut Pairs) {
        for (k, &a) in self.ids.iter().enumerate() {
            for &b in &self.ids[k + 1..] {
                pairs.compare(boxes, a, b);
            }
            for b in (0..boxes.len()).filter(|&b| size(&boxes[b]).is_some()) {
                pairs.compare(boxes, a, b as u32);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.ids.capacity() * size_of::<u32>()
    }
}
