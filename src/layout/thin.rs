//! A map of the regions where a level's objects are few.

use super::Level;
use crate::Scalar;
use crate::runtime::memory;

/// A map of how many objects of a level there are, box by box, and the level for those in nearly empty boxes.
///
/// Boxes share a counter if their hashes are equal: then some objects stay in the finer level without need, and nothing worse happens.
#[derive(Debug)]
pub(crate) struct Thin<S, const D: usize> {
    /// The level that takes objects where there are few; without one, the levels that are tried next may.
    pub(crate) to: Option<usize>,
    /// The boxes, as cells of a level of their own.
    boxes: Level<S, D>,
    /// A power of two of counters, which stop at 255.
    counts: Vec<u8>,
    /// Up to this many objects are few.
    few: u8,
}

impl<S: Scalar, const D: usize> Thin<S, D> {
    /// A map without objects, for about this many boxes.
    pub(crate) fn new(to: Option<usize>, boxes: Level<S, D>, expected_boxes: usize, few: u8) -> Self {
        const FEWEST: usize = 1 << 12;
        const MOST: usize = 1 << 20;
        let counters = expected_boxes.saturating_mul(4).clamp(FEWEST, MOST).next_power_of_two();
        Thin { to, boxes: boxes.with_rows_along(0), counts: memory::collect(std::iter::repeat_n(0, counters)), few }
    }

    /// A copy, in memory that may be refused.
    pub(crate) fn duplicate(&self) -> Self {
        Thin { counts: memory::collect(self.counts.iter().copied()), ..*self }
    }

    /// Takes in the `min` corner of an object.
    pub(crate) fn add(&mut self, point: &[S; D]) {
        let slot = self.slot(point);
        self.counts[slot] = self.counts[slot].saturating_add(1);
    }

    /// Whether there are few objects around a `min` corner.
    #[inline(always)]
    pub(crate) fn is_thin(&self, point: &[S; D]) -> bool {
        self.counts[self.slot(point)] <= self.few
    }

    /// The boxes that are counted.
    #[inline(always)]
    pub(crate) fn boxes(&self) -> &Level<S, D> {
        &self.boxes
    }

    /// Whether there are few objects in a box.
    #[inline(always)]
    pub(crate) fn has_few(&self, cell: [u32; 3]) -> bool {
        self.counts[self.slot_of(cell)] <= self.few
    }

    #[inline(always)]
    fn slot(&self, point: &[S; D]) -> usize {
        self.slot_of(self.boxes.cell(point).map(|cell| cell as u32))
    }

    #[inline(always)]
    fn slot_of(&self, [x, y, z]: [u32; 3]) -> usize {
        let mixed = x.wrapping_mul(0x9e37_79b1)
            ^ y.wrapping_mul(0x85eb_ca77).rotate_left(11)
            ^ z.wrapping_mul(0xc2b2_ae3d).rotate_left(22);
        (mixed.wrapping_mul(0x2c1b_3c6d) >> 10) as usize & (self.counts.len() - 1)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.counts.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_thin_until_they_hold_more_than_few() {
        let mut thin = Thin::new(Some(1), Level::<f32, 2>::new([0.0; 2], [10.0; 2], [0; 3]), 100, 2);
        for x in 0..100 {
            thin.add(&[10.0 * x as f32, 0.5]);
        }
        (0..4).for_each(|_| thin.add(&[5.0, 105.0]));
        let crowded = (0..100).filter(|&x| !thin.is_thin(&[10.0 * x as f32, 0.5])).count();
        assert!(crowded < 3 && !thin.is_thin(&[9.0, 101.0]) && thin.is_thin(&[9.0, -101.0]));
        (0..1000).for_each(|_| thin.add(&[5.0, 105.0]));
        assert!(!thin.is_thin(&[9.0, 101.0]));
    }
}
