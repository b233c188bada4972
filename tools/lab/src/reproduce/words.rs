//! Phrases for verdicts.

use super::measure::Lane;

/// Exponents of growth up to here count as linear, of the papers' systems as of ours: curves bend where data leave the caches.
pub(crate) const LINEAR: f64 = 1.25;

/// `2.3 times`, `120 times`.
pub(crate) fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio.is_nan() => "(not measured) times".to_owned(),
        ratio if ratio >= 100.0 => format!("{ratio:.0} times"),
        ratio if ratio >= 10.0 => format!("{ratio:.1} times"),
        ratio => format!("{ratio:.2} times"),
    }
}

/// How many times longer than ours others take.
pub(crate) fn versus(ratios: &[(&str, f64)]) -> String {
    let list: Vec<String> = ratios.iter().map(|(name, ratio)| format!("{name}: {}", times(*ratio))).collect();
    format!("Time relative to pivotgrid's: {}.", list.join("; "))
}

/// `n^1.05`.
pub(crate) fn power(exponent: f64) -> String {
    format!("n^{exponent:.2}")
}

/// The lane of that name.
pub(crate) fn lane<'a>(lanes: &'a [Lane], name: &str) -> &'a Lane {
    lanes.iter().find(|lane| lane.name == name).expect("a contender of the figure")
}
