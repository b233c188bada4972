//! Medians, means and growth.

/// 0 of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

/// The mean for ratios: twice as fast here and half as fast there is no difference. 1 of nothing.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = values.into_iter().map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

/// The exponent `e` for which `x^e` fits the points best (least squares of the logarithms): 1 is linear, 2 is quadratic. Nothing
/// for fewer than two points.
pub(crate) fn growth(points: &[(f64, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logarithms.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logarithms.iter().map(part).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
    let common: f64 = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (logarithms.len() > 1 && spread > 0.0).then(|| common / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_values() {
        assert_eq!(median([]), 0.0);
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!((geometric_mean([2.0, 0.5, 4.0, 0.25]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn exponents() {
        let quadratic: Vec<(f64, f64)> = (1..9).map(|x| (f64::from(x), 3.0 * f64::from(x * x))).collect();
        assert!((growth(&quadratic).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(growth(&quadratic[..1]), None);
    }
}
