//! Where the centers are.

use crate::random::{Random, Urn};

/// A rule that places one center after the other in a domain from the origin to `extent`.
#[derive(Debug)]
pub(crate) enum Places {
    /// Uniform in the domain.
    Anywhere,
    /// Uniform among the places where the whole box lies in the domain.
    Inside,
    /// Uniform in one of several boxes in the corner at the origin, each given as a fraction of the domain's edges.
    Corners { fractions: Vec<f64>, urn: Urn },
    /// A lattice of unit cells, filled from the floor up, each center off its place by at most [`JITTER`] on each axis.
    Stacked { cells: Vec<u32>, width: u32 },
}

/// Two neighbors in the stack overlap on an axis when the jitter brings them together and not when it parts them: half of
/// the time, whatever the jitter, as long as it is below half a cell.
const JITTER: f64 = 0.1;

impl Places {
    /// `n` cells in random order, with a floor of `width` cells on every axis but the last.
    pub(crate) fn stacked(n: usize, width: u32, random: &mut Random) -> Self {
        Self::Stacked { cells: random.permutation(n), width }
    }

    pub(crate) fn draw<const D: usize>(&mut self, extent: [f64; D], edges: [f64; D], random: &mut Random) -> [f64; D] {
        match self {
            Self::Anywhere => extent.map(|length| length * random.unit()),
            Self::Inside => std::array::from_fn(|axis| {
                let margin = edges[axis].min(extent[axis]) / 2.0;
                random.between(margin, extent[axis] - margin)
            }),
            Self::Corners { fractions, urn } => {
                let fraction = fractions[urn.draw(random)];
                extent.map(|length| length * fraction * random.unit())
            }
            Self::Stacked { cells, width } => {
                let mut cell = cells.pop().expect("one cell for each box");
                std::array::from_fn(|axis| {
                    let place = if axis + 1 < D { cell % *width } else { cell };
                    cell /= *width;
                    f64::from(place) + random.between(0.5 - JITTER, 0.5 + JITTER)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_fills_every_cell_once() {
        let mut random = Random::new(5);
        let mut places = Places::stacked(60, 4, &mut random);
        let mut cells: Vec<[u32; 3]> =
            (0..60).map(|_| places.draw([4.0; 3], [1.0; 3], &mut random).map(|x| x.floor() as u32)).collect();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), 60);
        assert!(cells.iter().flatten().all(|&place| place < 4));
    }

    #[test]
    fn inside_does_not_stick_out() {
        let mut random = Random::new(6);
        for edge in [0.5, 9.0, 10.0, 11.0] {
            let center = Places::Inside.draw([10.0; 2], [edge; 2], &mut random);
            let margin = f64::min(edge / 2.0, 5.0);
            assert!(center.iter().all(|x| (margin..=10.0 - margin).contains(x)), "edge {edge}: {center:?}");
        }
    }
}
