//! Where an axis has its marks, and what they are called.

use crate::reproduce::figure::Scaling;

/// A part of the numbers, and how they are spread over it.
#[derive(Clone, Debug)]
pub(super) struct Range {
    from: f64,
    to: f64,
    is_log: bool,
}

/// A mark.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    /// Nothing for a fine line.
    pub(super) label: Option<String>,
}

impl Range {
    /// Around all values that can be shown. A linear range includes zero.
    pub(super) fn around(values: impl Iterator<Item = f64>, scaling: &Scaling) -> Self {
        let is_log = *scaling == Scaling::Log;
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite() && (!is_log || *value > 0.0)) {
            (from, to) = (from.min(value), to.max(value));
        }
        if from > to {
            (from, to) = (1.0, 10.0);
        }
        if is_log {
            // A little air, and never less than a decade.
            let (low, high) = (from.log10() - 0.05, to.log10() + 0.05);
            let missing = (1.0 - (high - low)).max(0.0) / 2.0;
            Range { from: 10_f64.powf(low - missing), to: 10_f64.powf(high + missing), is_log }
        } else {
            let to = if to <= 0.0 { 1.0 } else { to * 1.05 };
            Range { from: from.min(0.0), to, is_log }
        }
    }

    /// 0 at the beginning, 1 at the end. Nothing for what cannot be shown.
    pub(super) fn share(&self, value: f64) -> Option<f64> {
        let share = if self.is_log {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        share.is_finite().then_some(share)
    }

    pub(super) fn ticks(&self) -> Vec<Tick> {
        if self.is_log { self.log_ticks() } else { self.linear_ticks() }
    }

    /// Decades; with few of them also 2 and 5, as many fine lines as the eye can bear.
    fn log_ticks(&self) -> Vec<Tick> {
        let decades = (self.to / self.from).log10();
        let named: &[i32] = if decades < 2.2 { &[1, 2, 5] } else { &[1] };
        let mut ticks = Vec::new();
        for exponent in self.from.log10().floor() as i32..=self.to.log10().ceil() as i32 {
            for digit in 1..10 {
                let value = f64::from(digit) * 10_f64.powi(exponent);
                let label = named.contains(&digit).then(|| name(value));
                if (self.from..=self.to).contains(&value) && (label.is_some() || decades < 5.0) {
                    ticks.push(Tick { value, label });
                }
            }
        }
        ticks
    }

    /// About six, at 1, 2 or 5 times a power of ten.
    fn linear_ticks(&self) -> Vec<Tick> {
        let rough = (self.to - self.from) / 6.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough).unwrap_or(power);
        let first = (self.from / step).ceil() as i64;
        let last = (self.to / step).floor() as i64;
        let tick = |k: i64| k as f64 * step;
        (first..=last).map(|k| Tick { value: tick(k), label: Some(name(tick(k))) }).collect()
    }
}

/// `0.01`, `250`, `10k`, `5.12M`.
pub(super) fn name(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match scaled.abs() {
        0.0 => return "0".to_owned(),
        size if size < 1e-3 => return format!("{scaled:.0e}"),
        size => (2 - size.log10().floor() as i32).max(0) as usize,
    };
    let text = format!("{scaled:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short() {
        for (value, text) in [(0.01, "0.01"), (250.0, "250"), (1e4, "10k"), (5.12e6, "5.12M"), (1.0, "1"), (2048.0, "2048")] {
            assert_eq!(name(value), text);
        }
    }

    #[test]
    fn marks_lie_inside() {
        for scaling in [Scaling::Log, Scaling::Linear] {
            let range = Range::around([3.0, 7000.0].into_iter(), &scaling);
            let ticks = range.ticks();
            assert!(ticks.iter().filter(|tick| tick.label.is_some()).count() >= 3);
            assert!(ticks.iter().all(|tick| (0.0..=1.0).contains(&range.share(tick.value).unwrap())));
        }
    }
}
