//! Brute force: the twin of the engine that is too simple to be wrong.

use pivotgrid::{Bounded, Pair, RejectReason, Rejected, Scalar};

/// Up to this many objects each is compared with each; beyond, a sweep along x leaves out most of them.
const QUADRATIC_UP_TO: usize = 1500;

/// What a step over the same objects must report.
pub(crate) struct Oracle<const D: usize> {
    /// Sorted.
    pub(crate) pairs: Vec<Pair>,
    /// Sorted.
    pub(crate) rejected: Vec<Rejected>,
    /// In `f64`, to which `f32` converts exactly; kept to explain differences.
    pub(crate) boxes: Vec<Interval<D>>,
}

/// A box as the oracle sees it: lower and upper bound by axis.
pub(crate) type Interval<const D: usize> = [(f64, f64); D];

impl<const D: usize> Oracle<D> {
    pub(crate) fn detect<S: Scalar + Into<f64>, T: Bounded<S, D>>(objects: &[T]) -> Self {
        if objects.len() <= QUADRATIC_UP_TO { Self::quadratic(objects) } else { Self::sweep(objects) }
    }

    pub(crate) fn quadratic<S: Scalar + Into<f64>, T: Bounded<S, D>>(objects: &[T]) -> Self {
        let mut oracle = Self::survey(objects);
        let valid = oracle.valid();
        for (place, &i) in valid.iter().enumerate() {
            for &j in &valid[place + 1..] {
                oracle.consider(i, j, objects);
            }
        }
        oracle
    }

    /// The same by sorting along x and stopping at the first box that begins behind the end of the current one.
    pub(crate) fn sweep<S: Scalar + Into<f64>, T: Bounded<S, D>>(objects: &[T]) -> Self {
        let mut oracle = Self::survey(objects);
        let mut order = oracle.valid();
        order.sort_by(|&i, &j| oracle.boxes[i][0].0.total_cmp(&oracle.boxes[j][0].0));
        for (place, &i) in order.iter().enumerate() {
            for &j in &order[place + 1..] {
                if oracle.boxes[j][0].0 > oracle.boxes[i][0].1 {
                    break;
                }
                oracle.consider(i, j, objects);
            }
        }
        oracle.pairs.sort_unstable();
        oracle
    }

    fn survey<S: Scalar + Into<f64>, T: Bounded<S, D>>(objects: &[T]) -> Self {
        let mut oracle = Oracle { pairs: Vec::new(), rejected: Vec::new(), boxes: Vec::with_capacity(objects.len()) };
        for (index, object) in objects.iter().enumerate() {
            let aabb = object.aabb();
            let interval: Interval<D> = std::array::from_fn(|axis| (aabb.min[axis].into(), aabb.max[axis].into()));
            let reason = if interval.iter().any(|(low, high)| low.is_nan() || high.is_nan()) {
                Some(RejectReason::NotANumber)
            } else if interval.iter().any(|(low, high)| high < low) {
                Some(RejectReason::Inverted)
            } else {
                None
            };
            oracle.rejected.extend(reason.map(|reason| Rejected { index, reason }));
            oracle.boxes.push(interval);
        }
        oracle
    }

    fn valid(&self) -> Vec<usize> {
        (0..self.boxes.len()).filter(|index| self.rejected.binary_search_by_key(index, |r| r.index).is_err()).collect()
    }

    fn consider<S: Scalar, T: Bounded<S, D>>(&mut self, i: usize, j: usize, objects: &[T]) {
        if touch(&self.boxes[i], &self.boxes[j]) && objects[i].pairs_with(&objects[j]) {
            self.pairs.push(Pair { a: i.min(j) as u32, b: i.max(j) as u32 });
        }
    }
}

/// Closed boxes share a point unless one ends before the other begins on some axis.
pub(crate) fn touch<const D: usize>(one: &Interval<D>, other: &Interval<D>) -> bool {
    !one.iter().zip(other).any(|(a, b)| a.1 < b.0 || b.1 < a.0)
}
