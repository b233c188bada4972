//! Which part of the scene the picture shows.

use super::shown::Shown;

/// As many objects as can be told apart, about.
const MOST: usize = 1500;
/// So many are shown even if they get small.
const FEWEST: usize = 400;
/// Otherwise the window is at most this many times as wide as a median object, which then has about 12 pixels.
const WIDEST: f64 = 90.0;
/// A plane that cuts fewer objects than this is made a layer.
const LAYER: usize = 700;
/// Places that are tried.
const PLACES: usize = 24;

/// A square window, and in space the layer that is seen through it.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) low: [f64; 2],
    pub(crate) edge: f64,
    /// From here to there in z; the same for a plane, and 0 in the plane.
    pub(crate) layer: [f64; 2],
}

impl Part {
    /// Tries some places where objects are, and takes the one where most levels are seen, or else the most objects.
    pub(crate) fn choose(objects: &[Shown], dimension: usize) -> Self {
        let finite: Vec<&Shown> = objects.iter().filter(|object| object.is_finite()).collect();
        let count = PLACES.min(finite.len());
        // In the middle of equal shares of the objects, which come in the order of their cells.
        let places = (0..count).map(|place| finite[(2 * place + 1) * finite.len() / (2 * count)]);
        let parts = places.map(|object| Self::around(object.center(), &finite, dimension));
        let best = parts.max_by_key(|part| part.variety(&finite));
        best.unwrap_or(Part { low: [-0.5; 2], edge: 1.0, layer: [0.0; 2] })
    }

    pub(crate) fn holds(&self, shown: &Shown) -> bool {
        let in_window = (0..2).all(|axis| shown.min[axis] <= self.low[axis] + self.edge && shown.max[axis] >= self.low[axis]);
        in_window && shown.min[2] <= self.layer[1] && shown.max[2] >= self.layer[0]
    }

    /// How many levels and objects are seen.
    fn variety(&self, objects: &[&Shown]) -> (u32, usize) {
        let (mut levels, mut count) = (0u64, 0);
        for object in objects.iter().filter(|object| self.holds(object)) {
            levels |= 1 << object.level.map_or(63, |level| level.min(62));
            count += 1;
        }
        (levels.count_ones(), count)
    }

    fn around(center: [f64; 3], objects: &[&Shown], dimension: usize) -> Self {
        let layer = if dimension == 3 { layer(center[2], objects) } else { [0.0; 2] };
        let seen: Vec<&Shown> =
            objects.iter().copied().filter(|object| object.min[2] <= layer[1] && object.max[2] >= layer[0]).collect();
        let bounds: [[f64; 2]; 2] = std::array::from_fn(|axis| extent(axis, &seen));
        let longest = bounds.iter().fold(0.0f64, |longest, [low, high]| longest.max(high - low));

        let mut distances: Vec<f64> =
            seen.iter().map(|object| object.distance(0, center[0]).max(object.distance(1, center[1]))).collect();
        let mut widths: Vec<f64> = seen.iter().map(|object| object.width()).collect();
        let readable = WIDEST / 2.0 * nth(&mut widths, seen.len() / 2);
        let half = nth(&mut distances, MOST).min(readable.max(nth(&mut distances, FEWEST)));
        // A thirtieth more than the scene, so that nothing sticks to the frame.
        let edge = if half > 0.0 { (2.0 * half).min(longest * 31.0 / 30.0) } else { longest };
        let edge = if edge > 0.0 { edge } else { 1.0 };
        // Not beyond the scene, if it is larger than the window; otherwise the scene in the middle.
        let low = std::array::from_fn(|axis| {
            let [low, high] = bounds[axis];
            if high - low > edge { (center[axis] - edge / 2.0).clamp(low, high - edge) } else { (low + high - edge) / 2.0 }
        });
        Part { low, edge, layer }
    }
}

/// The plane through `z`, if it cuts enough objects; otherwise a layer around it, as thin as possible.
fn layer(z: f64, objects: &[&Shown]) -> [f64; 2] {
    let mut distances: Vec<f64> = objects.iter().map(|object| object.distance(2, z)).collect();
    let half = nth(&mut distances, LAYER);
    [z - half, z + half]
}

/// From where to where objects reach; without the few outermost, if the rest would not be seen for them.
fn extent(axis: usize, objects: &[&Shown]) -> [f64; 2] {
    let mut low: Vec<f64> = objects.iter().map(|object| object.min[axis]).collect();
    let mut high: Vec<f64> = objects.iter().map(|object| object.max[axis]).collect();
    let few = objects.len() / 50;
    let all = [nth(&mut low, 0), nth(&mut high, usize::MAX)];
    let most = [nth(&mut low, few), nth(&mut high, objects.len().saturating_sub(few + 1))];
    if all[1] - all[0] > 4.0 * (most[1] - most[0]) && most[1] > most[0] { most } else { all }
}

/// The number at this place if they were sorted, or the last; 0 if there is none.
fn nth(numbers: &mut [f64], place: usize) -> f64 {
    match numbers.len() {
        0 => 0.0,
        len => *numbers.select_nth_unstable_by(place.min(len - 1), f64::total_cmp).1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubes(side: usize, step: f64, edge: f64) -> Vec<Shown> {
        (0..side * side * side)
            .map(|index| {
                let min = [index % side, index / side % side, index / side / side].map(|place| place as f64 * step);
                Shown { index, level: Some(0), min, max: min.map(|low| low + edge) }
            })
            .collect()
    }

    fn count(part: &Part, objects: &[Shown]) -> usize {
        objects.iter().filter(|object| part.holds(object)).count()
    }

    #[test]
    fn a_large_scene_is_cut_and_zoomed() {
        let objects = cubes(80, 1.5, 1.0);
        let part = Part::choose(&objects, 3);
        assert!((FEWEST..3 * MOST).contains(&count(&part, &objects)), "{part:?}");
        assert!(part.layer[0] == part.layer[1] && part.edge < 119.5, "{part:?}");
        assert!(part.low.iter().all(|low| *low >= 0.0 && low + part.edge <= 119.5), "inside of the scene: {part:?}");
    }

    #[test]
    fn a_small_scene_is_seen_whole() {
        let objects = cubes(5, 1.5, 1.0);
        let part = Part::choose(&objects, 3);
        assert_eq!(count(&part, &objects), 125);
        assert!(part.edge < 10.0, "{part:?}");
    }

    #[test]
    fn sparse_scenes_show_some_objects() {
        let objects = cubes(60, 40.0, 1.0);
        assert!(count(&Part::choose(&objects, 3), &objects) >= FEWEST);
    }

    #[test]
    fn nothing_and_one_point_have_a_picture() {
        assert!(Part::choose(&[], 2).edge > 0.0);
        let point = Shown { index: 0, level: None, min: [3.0; 3], max: [3.0; 3] };
        let part = Part::choose(&[point], 3);
        assert!(part.holds(&point) && part.edge > 0.0);
        let endless = Shown { max: [f64::INFINITY; 3], ..point };
        assert!(Part::choose(&[endless], 3).edge > 0.0);
    }
}
