//! Random numbers that never change under us: a dependency's next major version would be another set of scenes.

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0.0..1.0`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `from..to`.
    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// Uniform in `0..end`; the bias of at most `end / 2^64` is far below what a scene could show.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A vector of length at most 1: any direction, the length uniform.
    pub(crate) fn arrow<const D: usize>(&mut self) -> [f64; D] {
        loop {
            let tip: [f64; D] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let square: f64 = tip.iter().map(|x| x * x).sum();
            // Outside of the ball the corners of the cube would be favoured, near its center rounding errors would.
            if (1e-6..=1.0).contains(&square) {
                let scale = self.unit() / square.sqrt();
                return tip.map(|x| x * scale);
            }
        }
    }

    /// The numbers `0..n` in random order, by Fisher and Yates.
    pub(crate) fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut items: Vec<u32> = (0..u32::try_from(n).expect("a scene holds fewer than 2^32 objects")).collect();
        for last in (1..n).rev() {
            items.swap(last, self.below(last + 1));
        }
        items
    }
}

/// Draws without putting back: a fixed number of each class, in random order and without a list to shuffle.
#[derive(Debug)]
pub(crate) struct Urn {
    left: Vec<usize>,
    total: usize,
}

impl Urn {
    pub(crate) fn new(left: Vec<usize>) -> Self {
        let total = left.iter().sum();
        Self { left, total }
    }

    /// `n` lots in the ratio of `weights`, rounded down; the first class takes what rounding leaves over.
    pub(crate) fn shared(n: usize, weights: &[usize]) -> Self {
        let sum: usize = weights.iter().sum();
        let mut left: Vec<usize> = weights.iter().map(|weight| n * weight / sum).collect();
        left[0] += n - left.iter().sum::<usize>();
        Self::new(left)
    }

    /// The class of the next lot. The caller draws no more lots than the urn was given.
    pub(crate) fn draw(&mut self, random: &mut Random) -> usize {
        let mut lot = random.below(self.total);
        self.total -= 1;
        let class = self.left.iter().position(|&left| {
            let here = lot < left;
            lot = lot.wrapping_sub(left);
            here
        });
        let class = class.expect("a lot below the total lies in some class");
        self.left[class] -= 1;
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        // The first values for seed 1234567 in Vigna's reference implementation.
        let mut random = Random::new(1_234_567);
        assert_eq!([random.bits(), random.bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn the_urn_gives_what_it_was_given() {
        let mut random = Random::new(1);
        let mut urn = Urn::shared(1_003, &[200, 40, 9, 1]);
        let mut seen = [0; 4];
        (0..1_003).for_each(|_| seen[urn.draw(&mut random)] += 1);
        assert_eq!(seen, [803, 160, 36, 4]);
    }

    #[test]
    fn arrows_fill_the_ball_without_leaving_it() {
        let mut random = Random::new(2);
        let lengths: Vec<f64> = (0..10_000).map(|_| random.arrow::<3>().iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        assert!(lengths.iter().all(|&length| length <= 1.0 + 1e-12));
        assert!((0.49..0.51).contains(&mean), "mean length {mean}");
    }
}
