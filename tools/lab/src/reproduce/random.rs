//! Random numbers for the papers' scenes: the same on every machine.

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0.0..1.0`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// Any direction, a length uniform in `0.0..=longest`.
    pub(crate) fn arrow<const D: usize>(&mut self, longest: f64) -> [f64; D] {
        loop {
            let tip: [f64; D] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let length = tip.iter().map(|x| x * x).sum::<f64>().sqrt();
            // Outside of the ball the corners of the cube would be favoured, near its center rounding errors would.
            if (1e-3..=1.0).contains(&length) {
                let scale = longest * self.unit() / length;
                return tip.map(|x| x * scale);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_in_range() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            assert!((2.0..5.0).contains(&random.between(2.0, 5.0)));
            assert!(random.below(7) < 7);
            assert!(random.arrow::<3>(2.0).iter().map(|x| x * x).sum::<f64>() <= 4.0 + 1e-9);
        }
    }
}
