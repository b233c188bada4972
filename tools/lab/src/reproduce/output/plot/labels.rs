//! Names beside the ends of curves, so that readers need not match colors with a legend.

/// Distance between two lines of text.
const LINE: f64 = 15.0;

/// Moves wanted heights apart so that texts do not overlap, within `top..=bottom`, keeping their order.
pub(super) fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let line = LINE.min((bottom - top) / (wanted.len().max(2) - 1) as f64);
    let mut places = vec![0.0; wanted.len()];
    let mut lowest = f64::NEG_INFINITY;
    for &index in &order {
        lowest = wanted[index].max(lowest + line).max(top);
        places[index] = lowest;
    }
    // Those pushed out at the bottom push the others up.
    let mut highest = bottom;
    for &index in order.iter().rev() {
        places[index] = f64::min(places[index], highest);
        highest = places[index] - line;
    }
    places
}

/// About as wide as a text of this size is.
pub(super) fn width(words: &str, size: f64) -> f64 {
    0.6 * size * words.chars().count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance() {
        let places = spread(&[50.0, 51.0, 200.0, 199.0, 198.0], 0.0, 200.0);
        let mut sorted = places.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= LINE - 1e-9), "{places:?}");
        assert!(sorted[4] <= 200.0 && places[0] == 50.0);
    }
}
