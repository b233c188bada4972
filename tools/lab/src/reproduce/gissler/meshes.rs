//! Deforming meshes, as the boxes of their points, edges and triangles.

use baselines::Bounds;

use crate::reproduce::measure::Motion;

/// Sheets or shells of `ACROSS` by `ACROSS` points at most.
type Place = fn(mesh: usize, across: [f64; 2], time: f64) -> [f64; 3];

/// Several rectangular nets of points, bent by a function of time.
#[derive(Clone, Debug)]
pub(super) struct Meshes {
    meshes: usize,
    /// Points along an edge of each net.
    edge: usize,
    place: Place,
    /// Frames until time is 1.
    frames: usize,
    frame: usize,
    points: Vec<[f32; 3]>,
    boxes: Vec<Bounds<3>>,
}

impl Meshes {
    /// Ten membranes of 22×22 points fall and stack up: about as many elements as the paper's first scene (4840 points).
    pub(super) fn stacking(edge: usize, frames: usize) -> Self {
        Self::new(10, edge, frames, |mesh, [u, v], time| {
            // Spread out at first, one spacing apart in the end; waves run through each and die down.
            let height = mesh as f64 * (0.03 + 0.4 * (1.0 - time).max(0.0).powi(2));
            let calm = 1.0 - 0.8 * time;
            let wave = 0.05 * calm * ((9.0 * u + 2.0 * time + mesh as f64).sin() + (7.0 * v - 3.0 * time).cos());
            let drift = 0.02 * (mesh as f64 * 1.7 + 2.0 * time).sin();
            [u + drift, v - drift, height + wave]
        })
    }

    /// Four shells of 28×28 points around each other, in constant contact, slowly pulsing: as the paper's second scene (3167
    /// points: bulb, muscles, tissue, bone).
    pub(super) fn eye(edge: usize, frames: usize) -> Self {
        Self::new(4, edge, frames, |mesh, [u, v], time| {
            let radius = 0.5 + 0.01 * mesh as f64 + 0.008 * (6.0 * time + 3.0 * u + mesh as f64).sin();
            let (longitude, latitude) = (std::f64::consts::TAU * u, std::f64::consts::PI * (0.05 + 0.9 * v));
            let (sine, cosine) = longitude.sin_cos();
            [radius * latitude.sin() * cosine, radius * latitude.sin() * sine, radius * latitude.cos()]
        })
    }

    fn new(meshes: usize, edge: usize, frames: usize, place: Place) -> Self {
        let mut new = Meshes { meshes, edge, place, frames: frames.max(1), frame: 0, points: Vec::new(), boxes: Vec::new() };
        new.bend();
        new
    }

    /// How many points, edges and triangles there are.
    pub(super) fn elements(&self) -> [usize; 3] {
        let (points, steps) = (self.edge, self.edge - 1);
        [points * points, 2 * points * steps + steps * steps, 2 * steps * steps].map(|count| count * self.meshes)
    }

    fn bend(&mut self) {
        let (edge, time) = (self.edge, self.frame as f64 / self.frames as f64);
        let at = |mesh: usize, row: usize, column: usize| (mesh * edge + row) * edge + column;
        self.points.clear();
        for mesh in 0..self.meshes {
            for (row, column) in (0..edge).flat_map(|row| (0..edge).map(move |column| (row, column))) {
                let across = [column, row].map(|step| step as f64 / (edge - 1) as f64);
                self.points.push((self.place)(mesh, across, time).map(|x| x as f32));
            }
        }
        self.boxes.clear();
        let points = &self.points;
        self.boxes.extend(points.iter().map(|&point| Bounds { min: point, max: point }));
        let all = |points: &[[f32; 3]]| Bounds {
            min: std::array::from_fn(|axis| points.iter().map(|p| p[axis]).fold(f32::INFINITY, f32::min)),
            max: std::array::from_fn(|axis| points.iter().map(|p| p[axis]).fold(f32::NEG_INFINITY, f32::max)),
        };
        for mesh in 0..self.meshes {
            for (row, column) in (0..edge).flat_map(|row| (0..edge).map(move |column| (row, column))) {
                let corner = points[at(mesh, row, column)];
                let right = (column + 1 < edge).then(|| points[at(mesh, row, column + 1)]);
                let below = (row + 1 < edge).then(|| points[at(mesh, row + 1, column)]);
                self.boxes.extend(right.into_iter().chain(below).map(|other| all(&[corner, other])));
                if let Some((right, below)) = right.zip(below) {
                    let opposite = points[at(mesh, row + 1, column + 1)];
                    self.boxes.push(all(&[right, below]));
                    self.boxes.push(all(&[corner, right, below]));
                    self.boxes.push(all(&[right, below, opposite]));
                }
            }
        }
    }
}

impl Motion<3> for Meshes {
    fn boxes(&self) -> &[Bounds<3>] {
        &self.boxes
    }

    fn advance(&mut self) {
        self.frame += 1;
        self.bend();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_have_all_their_elements_and_move() {
        for mut meshes in [Meshes::stacking(6, 4), Meshes::eye(6, 4)] {
            assert_eq!(meshes.boxes().len(), meshes.elements().iter().sum::<usize>());
            let before = meshes.boxes().to_vec();
            meshes.advance();
            assert_ne!(meshes.boxes(), before);
        }
        assert_eq!(Meshes::stacking(22, 1).elements()[0], 4840);
    }
}
