//! How much of the papers' sizes is run.

/// Chosen on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scale {
    /// Everything once and small: for tests.
    Tiny,
    /// All figures in a few minutes on two cores.
    Quick,
    /// The papers' sizes.
    Full,
}

impl Scale {
    /// The one of the three that is meant.
    pub(crate) fn of<T>(self, tiny: T, quick: T, full: T) -> T {
        match self {
            Scale::Tiny => tiny,
            Scale::Quick => quick,
            Scale::Full => full,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.of("tiny", "quick", "full")
    }
}

/// From `first` on, `per_decade` numbers for each factor of ten, up to `last`, which is always among them.
pub(crate) fn decades(first: f64, last: f64, per_decade: u32) -> Vec<f64> {
    let steps = ((last / first).log10() * f64::from(per_decade)).round().max(1.0);
    let factor = (last / first).powf(1.0 / steps);
    (0..=steps as u32).map(|step| (first * factor.powi(step as i32)).round()).collect()
}

/// `first` and its doublings, up to `last`.
pub(crate) fn doublings(first: f64, last: f64) -> Vec<f64> {
    std::iter::successors(Some(first), |x| Some(2.0 * x)).take_while(|x| *x <= last * 1.001).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ladders() {
        assert_eq!(decades(10.0, 1000.0, 2), [10.0, 32.0, 100.0, 316.0, 1000.0]);
        assert_eq!(decades(100.0, 200.0, 1), [100.0, 200.0]);
        assert_eq!(doublings(10.0, 50.0), [10.0, 20.0, 40.0]);
    }
}
