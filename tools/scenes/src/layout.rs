//! Every scene in numbers: domain, sizes, places.

use crate::{
    edges::Edges,
    places::Places,
    random::{Random, Urn},
    scene::Scene,
};

/// Contacts per object wherever a scene is free to choose its density: N pairs among N objects. (Schornbaum's figures count
/// two pairs per object, which would be 4 here.)
const CONTACTS: f64 = 2.0;

/// Shares and edges of Koch's "more polydisperse" benchmark, where 80 000 spheres are in 400³.
const KOCH: [(usize, f64); 4] = [(200, 1.0), (40, 2.0), (9, 5.0), (1, 40.0)];
const KOCH_SPACE: f64 = 400.0 * 400.0 * 400.0 / 80_000.0;

/// Koch's "very polydisperse" benchmark: a sphere of diameter 360 among 39 999 of diameter 1 in 400³.
const HUGE: f64 = 360.0 / 400.0;
/// Contacts of the small ones among themselves, the same in 2D: 40 000 × 2³ / 400³.
const HUGE_CONTACTS: f64 = 0.005;

/// Koch's "very inhomogeneous" benchmark: 85 % in 100³, 10 % in 40³, 5 % anywhere, of 80 000 in 2000³.
const CLUSTERED: [(usize, f64); 3] = [(85, 100.0 / 2000.0), (10, 40.0 / 2000.0), (5, 1.0)];
/// Contacts in the 85 % alone, the same in 2D: 68 000 × 2³ / 100³.
const CLUSTERED_CONTACTS: f64 = 0.544;

/// The domain of `line` is this many times as long as it is wide.
const LINE: f64 = 1024.0;

/// A scene for a number of objects: the domain reaches from the origin to `extent`.
#[derive(Debug)]
pub(crate) struct Layout<const D: usize> {
    pub(crate) extent: [f64; D],
    pub(crate) edges: Edges,
    pub(crate) places: Places,
}

impl<const D: usize> Layout<D> {
    pub(crate) fn new(scene: Scene, n: usize, random: &mut Random) -> Self {
        let count = n.max(1) as f64;
        // The domain for so many contacts: as much space per object as its reach, shared by that many.
        let cube = |edges: &Edges, contacts: f64| [root(count * edges.reach(D as u32) / contacts, D); D];
        let ones = Edges::Equal(1.0);

        match scene {
            Scene::Uniform => Self { extent: cube(&ones, CONTACTS), edges: ones, places: Places::Anywhere },
            Scene::Sparse => Self { extent: cube(&ones, CONTACTS), edges: Edges::Equal(0.1), places: Places::Anywhere },
            Scene::Poly12 => {
                let edges = Edges::Between(1.0, 12.0);
                Self { extent: cube(&edges, CONTACTS), edges, places: Places::Anywhere }
            }
            Scene::Koch => {
                let edges = Edges::classes(n, &KOCH);
                Self { extent: cube(&edges, contacts(scene, D as u32)), edges, places: Places::Anywhere }
            }
            Scene::Long => Self { extent: cube(&Edges::Long, CONTACTS), edges: Edges::Long, places: Places::Anywhere },
            Scene::Power => {
                let edges = Edges::power(n, 0.01, 100.0, random);
                Self { extent: cube(&edges, CONTACTS), edges, places: Places::Anywhere }
            }
            Scene::Huge => {
                let extent = cube(&ones, HUGE_CONTACTS);
                Self { extent, edges: Edges::one_among_ones(n, HUGE * extent[0]), places: Places::Inside }
            }
            Scene::Clustered => {
                let (share, fraction) = CLUSTERED[0];
                let main = root(count * share as f64 / 100.0 * ones.reach(D as u32) / CLUSTERED_CONTACTS, D);
                let fractions = CLUSTERED.map(|corner| corner.1).to_vec();
                let urn = Urn::shared(n, &CLUSTERED.map(|corner| corner.0));
                Self { extent: [main / fraction; D], edges: ones, places: Places::Corners { fractions, urn } }
            }
            Scene::Plane => {
                // Centers in a layer one box thick always meet on the last axis, so the density is that of a plane.
                let mut extent = [root(count * ones.reach(D as u32 - 1) / CONTACTS, D - 1); D];
                extent[D - 1] = 1.0;
                Self { extent, edges: ones, places: Places::Anywhere }
            }
            Scene::Line => Self { extent: line(count), edges: ones, places: Places::Anywhere },
            Scene::Pile => {
                let height = root(count / 2f64.powi(D as i32 - 1), D);
                let width = (2.0 * height).round().max(1.0);
                let mut extent = [width; D];
                extent[D - 1] = (count / width.powi(D as i32 - 1)).ceil();
                Self { extent, edges: ones, places: Places::stacked(n, width as u32, random) }
            }
        }
    }
}

/// See [`Scene::contacts`].
pub(crate) fn contacts(scene: Scene, dimension: u32) -> f64 {
    let power = |x: f64| x.powi(dimension as i32);
    match scene {
        Scene::Uniform | Scene::Poly12 | Scene::Long | Scene::Plane | Scene::Line | Scene::Power => CONTACTS,
        Scene::Sparse => CONTACTS * power(0.1),
        Scene::Koch => Edges::classes(0, &KOCH).reach(3) / KOCH_SPACE,
        // The huge one meets what lies in its box, and is met by all of them.
        Scene::Huge => 2.0 * power(HUGE) + HUGE_CONTACTS,
        Scene::Clustered => {
            let [(many, wide), (few, narrow), _] = CLUSTERED.map(|(share, fraction)| (share as f64 / 100.0, fraction));
            // Contacts among the few in the inner corner; the other three terms: the many with each other, and both ways
            // between the few and the many, of whom only a part lives in the inner corner.
            let inner = CLUSTERED_CONTACTS * few / many / power(narrow / wide);
            many * CLUSTERED_CONTACTS + 2.0 * few * CLUSTERED_CONTACTS + few * inner
        }
        // Each of the 3^D - 1 neighbors overlaps with probability 1/2 per axis on which it is not in the same row, which
        // sums up to (1 + 2 × 1/2)^D without the object itself.
        Scene::Pile => power(2.0) - 1.0,
    }
}

/// The domain of `line`. It is only a few boxes wide, and most objects are at its border: with the density of `uniform`,
/// 20 000 objects would have 1.56 contacts instead of 2, so here the width is found that gives two with open borders.
fn line<const D: usize>(count: f64) -> [f64; D] {
    // Whether two cubes of edge 1 with centers uniform in a length meet on this axis.
    let meet = |length: f64| if length <= 1.0 { 1.0 } else { (2.0 - 1.0 / length) / length };
    let met = |width: f64| (count - 1.0) * meet(LINE * width) * meet(width).powi(D as i32 - 1);

    // At the lower end everything meets everything, at the upper end there are fewer than two for each.
    let (mut low, mut high) = (1.0 / LINE, 1.0 + count);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if met(middle) > CONTACTS { low = middle } else { high = middle }
    }
    let width = f64::from(high as f32);
    let mut extent = [width; D];
    extent[0] = LINE * width;
    extent
}

/// The edge of a cube. The last bits of a root are the platform's business, and are dropped for the same world everywhere.
pub(crate) fn root(volume: f64, dimension: usize) -> f64 {
    f64::from(volume.powf(1.0 / dimension as f64) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge<const D: usize>(scene: Scene, n: usize) -> f64 {
        Layout::<D>::new(scene, n, &mut Random::new(0)).extent[0]
    }

    #[test]
    fn kochs_domains_are_his() {
        for (scene, n, expected) in
            [(Scene::Koch, 80_000, 400.0), (Scene::Huge, 40_000, 400.0), (Scene::Clustered, 80_000, 2000.0)]
        {
            let edge = edge::<3>(scene, n);
            assert!((edge / expected - 1.0).abs() < 1e-6, "{scene}: {edge} instead of {expected}");
        }
    }

    #[test]
    fn space_per_object_is_as_described() {
        for (scene, in_3d, in_2d) in [
            (Scene::Uniform, 4.0, 2.0),
            (Scene::Sparse, 4.0, 2.0),
            (Scene::Poly12, 1491.75, 94.58),
            (Scene::Koch, 800.0, 28.9),
            (Scene::Huge, 1600.0, 800.0),
            (Scene::Clustered, 100_000.0, 2500.0),
            (Scene::Long, 94.0, 40.25),
            (Scene::Power, 50.3, 1.01),
        ] {
            for n in [1_000, 1_000_000] {
                let (cube, square) = (edge::<3>(scene, n).powi(3) / n as f64, edge::<2>(scene, n).powi(2) / n as f64);
                assert!((cube / in_3d - 1.0).abs() < 2e-3, "{scene} in 3D: {cube} instead of {in_3d}");
                assert!((square / in_2d - 1.0).abs() < 2e-3, "{scene} in 2D: {square} instead of {in_2d}");
            }
        }
    }

    #[test]
    fn a_line_is_a_line() {
        for n in [0, 1, 2, 3, 1_000, 1_000_000] {
            let [x, y, z] = Layout::<3>::new(Scene::Line, n, &mut Random::new(0)).extent;
            assert!(x == LINE * y && y == z && y > 0.0, "{n}: {x} {y} {z}");
        }
        // For large numbers the border matters less and less: 4 units of volume per object, as in `uniform`.
        let volume = line::<3>(1e9).iter().product::<f64>() / 1e9;
        assert!((3.9..4.0).contains(&volume), "{volume}");
    }
}
