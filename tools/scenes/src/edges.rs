//! How long the edges are, and what density follows from it.

use crate::random::{Random, Urn};

/// The sizes of a scene: a law to draw from and the law's moments.
#[derive(Debug)]
pub(crate) enum Edges {
    /// Cubes of one size.
    Equal(f64),
    /// Cubes, the edge uniform in an interval.
    Between(f64, f64),
    /// Cubes of a few sizes, each as often as its share says.
    Classes { shares: Vec<(usize, f64)>, urn: Urn },
    /// Cubes, the edge with a density of `edge^-2` in an interval. The few large ones decide how many contacts a scene has, and
    /// with independent draws the contacts would differ by half from seed to seed. So the sizes are the law's own quantiles,
    /// and only their order is random.
    Power { from: f64, to: f64, ranks: Vec<u32>, n: usize },
    /// Boxes of 10×1×1, the long axis at random.
    Long,
}

/// The long edge of [`Edges::Long`].
const LENGTH: f64 = 10.0;

impl Edges {
    /// `n` cubes with the edges in the ratio of their shares.
    pub(crate) fn classes(n: usize, shares: &[(usize, f64)]) -> Self {
        let weights: Vec<usize> = shares.iter().map(|share| share.0).collect();
        Self::Classes { shares: shares.to_vec(), urn: Urn::shared(n, &weights) }
    }

    /// One cube of edge `large` among cubes of edge 1.
    pub(crate) fn one_among_ones(n: usize, large: f64) -> Self {
        let shares = vec![(n.saturating_sub(1), 1.0), (n.min(1), large)];
        let urn = Urn::new(shares.iter().map(|share| share.0).collect());
        Self::Classes { shares, urn }
    }

    /// `n` cubes of the power law.
    pub(crate) fn power(n: usize, from: f64, to: f64, random: &mut Random) -> Self {
        Self::Power { from, to, ranks: random.permutation(n), n }
    }

    pub(crate) fn draw<const D: usize>(&mut self, random: &mut Random) -> [f64; D] {
        match self {
            Self::Equal(edge) => [*edge; D],
            Self::Between(from, to) => [random.between(*from, *to); D],
            Self::Classes { shares, urn } => [shares[urn.draw(random)].1; D],
            Self::Power { from, to, ranks, n } => {
                let rank = ranks.pop().expect("one rank for each box");
                let quantile = (f64::from(rank) + 0.5) / *n as f64;
                [1.0 / (1.0 / *from - quantile * (1.0 / *from - 1.0 / *to)); D]
            }
            Self::Long => {
                let mut edges = [1.0; D];
                edges[random.below(D)] = LENGTH;
                edges
            }
        }
    }

    /// The mean volume around one center in which another center means an overlap: two boxes meet where, on every axis, their
    /// centers are no further apart than half the sum of their edges, so this is the mean over all pairs of the product over
    /// all axes of `a + b`. Contacts per object = objects per volume × reach.
    pub(crate) fn reach(&self, dimension: u32) -> f64 {
        if let Self::Long = self {
            let same = 1.0 / f64::from(dimension);
            let along = 2.0 * LENGTH * 2f64.powi(dimension as i32 - 1);
            let across = (LENGTH + 1.0).powi(2) * 2f64.powi(dimension as i32 - 2);
            return same * along + (1.0 - same) * across;
        }
        // (a + b)^D for independent a and b, by the binomial theorem.
        let mut binomial = 1.0;
        let mut sum = 0.0;
        for k in 0..=dimension {
            sum += binomial * self.moment(k as i32) * self.moment((dimension - k) as i32);
            binomial *= f64::from(dimension - k) / f64::from(k + 1);
        }
        sum
    }

    /// The mean of `edge^k` for cubes.
    fn moment(&self, k: i32) -> f64 {
        match self {
            Self::Equal(edge) => edge.powi(k),
            Self::Between(from, to) => (to.powi(k + 1) - from.powi(k + 1)) / (f64::from(k + 1) * (to - from)),
            Self::Classes { shares, .. } => {
                let total: usize = shares.iter().map(|share| share.0).sum();
                shares.iter().map(|&(share, edge)| share as f64 * edge.powi(k)).sum::<f64>() / total as f64
            }
            Self::Power { from, to, .. } => {
                let norm = 1.0 / from - 1.0 / to;
                match k {
                    1 => (to / from).ln() / norm,
                    _ => (to.powi(k - 1) - from.powi(k - 1)) / (f64::from(k - 1) * norm),
                }
            }
            Self::Long => unreachable!("boxes of 10×1×1 are not cubes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reach is what it says: compare with the mean over pairs drawn from the law.
    fn check<const D: usize>(name: &str, mut edges: Edges, tolerance: f64) {
        let mut random = Random::new(11);
        let drawn: Vec<[f64; D]> = (0..100_000).map(|_| edges.draw(&mut random)).collect();
        let met = drawn.iter().zip(random.permutation(drawn.len())).map(|(a, other)| {
            let b = drawn[other as usize];
            (0..D).map(|axis| a[axis] + b[axis]).product::<f64>()
        });
        let met: f64 = met.sum();
        let mean = met / drawn.len() as f64;
        let reach = edges.reach(D as u32);
        assert!((mean / reach - 1.0).abs() < tolerance, "{name} in {D}D: drawn {mean}, expected {reach}");
    }

    #[test]
    fn the_reach_is_the_mean_over_pairs() {
        check::<2>("equal", Edges::Equal(0.5), 1e-9);
        check::<3>("equal", Edges::Equal(0.5), 1e-9);
        check::<2>("between", Edges::Between(1.0, 12.0), 0.02);
        check::<3>("between", Edges::Between(1.0, 12.0), 0.02);
        check::<2>("long", Edges::Long, 0.02);
        check::<3>("long", Edges::Long, 0.02);
        check::<3>("classes", Edges::classes(100_000, &[(9, 1.0), (1, 3.0)]), 0.02);
        check::<2>("power", Edges::power(100_000, 0.01, 100.0, &mut Random::new(12)), 0.02);
        check::<3>("power", Edges::power(100_000, 0.01, 100.0, &mut Random::new(12)), 0.02);
    }

    #[test]
    fn known_values() {
        assert_eq!(Edges::Equal(1.0).reach(3), 8.0);
        assert_eq!(Edges::Between(1.0, 12.0).reach(3), 2983.5);
        assert_eq!(Edges::Long.reach(3), 188.0);
        assert_eq!(Edges::Long.reach(2), 80.5);
    }
}
