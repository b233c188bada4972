//! Random places without overlap: section 4.1.1, but with a grid instead of a comparison with all.

use std::collections::HashMap;

/// Attempts to place a sphere. If all fail, the scene is too full, which is an error in the scene.
const ATTEMPTS: usize = 100_000;

/// The spheres placed so far, by size. Sizes must come in descending order.
#[derive(Debug, Default)]
pub(super) struct Placing {
    sizes: Vec<Size>,
}

#[derive(Debug)]
struct Size {
    radius: f64,
    centers: HashMap<[i32; 3], Vec<[f64; 3]>>,
}

impl Placing {
    /// Announces spheres of a size.
    pub(super) fn begin(&mut self, radius: f64, count: usize) {
        if self.sizes.last().is_none_or(|size| size.radius != radius) {
            self.sizes.push(Size { radius, centers: HashMap::with_capacity(count) });
        }
    }

    /// The first of the drawn places at which a sphere of the announced size overlaps no other.
    pub(super) fn place(&mut self, radius: f64, mut draw: impl FnMut() -> [f64; 3]) -> [f64; 3] {
        let free = |center: &[f64; 3]| self.sizes.iter().all(|size| size.is_free(center, radius));
        let center = (0..ATTEMPTS).map(|_| draw()).find(free).expect("room for all spheres");
        if let Some(size) = self.sizes.last_mut() {
            size.centers.entry(size.cell(&center)).or_default().push(center);
        }
        center
    }
}

impl Size {
    fn cell(&self, center: &[f64; 3]) -> [i32; 3] {
        center.map(|x| (x / (2.0 * self.radius)).floor() as i32)
    }

    /// Cells are as large as the spheres in them, and the new one is no larger: only neighbors can be hit.
    fn is_free(&self, center: &[f64; 3], radius: f64) -> bool {
        let [x, y, z] = self.cell(center);
        let reach = (radius + self.radius).powi(2);
        let hits = |other: &[f64; 3]| (0..3).map(|axis| (center[axis] - other[axis]).powi(2)).sum::<f64>() < reach;
        (-1..=1).all(|dx| {
            (-1..=1).all(|dy| {
                (-1..=1).all(|dz| {
                    let there = self.centers.get(&[x + dx, y + dy, z + dz]);
                    there.is_none_or(|centers| !centers.iter().any(hits))
                })
            })
        })
    }
}
