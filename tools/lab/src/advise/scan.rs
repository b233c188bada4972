//! What the last step left in the engine: how full cells and chunks are.

use pivotgrid::{DebugView, Scalar, Stats};
use serde::Serialize;

/// Cells with more objects than this are crowded: each of their objects is compared with several registers full of others.
pub(crate) const CROWDED: usize = 64;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Scan {
    pub(crate) levels: Vec<LevelScan>,
    /// Occupied cells by how many objects they hold; powers of two.
    pub(crate) histogram: Vec<Bucket>,
    /// Of the objects without a level.
    pub(crate) unleveled_edges: Edges,
    pub(crate) fullest_cell: usize,
    pub(crate) objects_in_crowded_cells: usize,
    /// Chunks that hold a single object: so many objects are alone in theirs.
    pub(crate) loners: usize,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct LevelScan {
    pub(crate) objects: usize,
    pub(crate) chunks: usize,
    pub(crate) cells: usize,
    pub(crate) fullest_cell: usize,
    pub(crate) loners: usize,
    pub(crate) edges: Edges,
}

/// Of the longest edges of some objects' boxes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Edges {
    pub(crate) shortest: f64,
    pub(crate) longest: f64,
    #[serde(skip)]
    count: usize,
}

impl Edges {
    fn add(&mut self, edge: f64) {
        self.shortest = if self.count == 0 { edge } else { self.shortest.min(edge) };
        self.longest = self.longest.max(edge);
        self.count += 1;
    }
}

/// Cells that hold `from..=to` objects.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Bucket {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) cells: usize,
    pub(crate) objects: usize,
}

impl Scan {
    pub(crate) fn of<S: Scalar + Into<f64>, const D: usize>(view: DebugView<'_, S, D>, stats: &Stats) -> Self {
        let mut scan = Scan { levels: vec![LevelScan::default(); stats.levels.len()], ..Scan::default() };
        for chunk in view.chunks() {
            let level = &mut scan.levels[chunk.level];
            level.chunks += 1;
            level.objects += chunk.objects;
            level.loners += usize::from(chunk.objects == 1);
        }
        for cell in view.cells() {
            let level = &mut scan.levels[cell.level];
            level.cells += 1;
            level.fullest_cell = level.fullest_cell.max(cell.objects);
            scan.count(cell.objects);
        }
        for object in view.objects() {
            let edges = (0..D).map(|axis| object.bounds.max[axis].into() - object.bounds.min[axis].into());
            let of_level = object.level.map_or(&mut scan.unleveled_edges, |level| &mut scan.levels[level].edges);
            of_level.add(edges.fold(0.0, f64::max));
        }
        scan.loners = scan.levels.iter().map(|level| level.loners).sum();
        scan
    }

    fn count(&mut self, objects: usize) {
        let place = objects.next_power_of_two().ilog2() as usize;
        while self.histogram.len() <= place {
            let to = 1 << self.histogram.len();
            self.histogram.push(Bucket { from: to / 2 + 1, to, ..Bucket::default() });
        }
        self.histogram[place].cells += 1;
        self.histogram[place].objects += objects;
        self.fullest_cell = self.fullest_cell.max(objects);
        self.objects_in_crowded_cells += if objects > CROWDED { objects } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_ranges() {
        let mut edges = Edges::default();
        [3.0, 2.0, 5.0].into_iter().for_each(|edge| edges.add(edge));
        assert_eq!((edges.shortest, edges.longest), (2.0, 5.0));
    }

    #[test]
    fn buckets_are_powers_of_two() {
        let mut scan = Scan::default();
        [1, 1, 2, 3, 4, 5, 100].into_iter().for_each(|objects| scan.count(objects));
        let buckets: Vec<_> = scan.histogram.iter().map(|bucket| (bucket.from, bucket.to, bucket.cells)).collect();
        assert_eq!(buckets[..4], [(1, 1, 2), (2, 2, 1), (3, 4, 2), (5, 8, 1)]);
        assert_eq!(buckets[4..], [(9, 16, 0), (17, 32, 0), (33, 64, 0), (65, 128, 1)]);
        assert_eq!((scan.fullest_cell, scan.objects_in_crowded_cells), (100, 100));
    }
}
